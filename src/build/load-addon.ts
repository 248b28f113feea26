import { resolveOnnxBinding } from './native.ts';

// A file in memory has no name that require() accepts, hence process.dlopen. It registers the addon anew at each
// call, hence the map.
const addons = new Map<string, unknown>();

/** Loads a native addon by its absolute path. In the executable, better-sqlite3 is patched to call this. */
export function loadAddon(path: string): unknown {
  if (!addons.has(path)) {
    const module = { exports: {} };
    process.dlopen(module, path);
    addons.set(path, module.exports);
  }
  return addons.get(path);
}

/** Loads ONNX Runtime's binding. In the executable, onnxruntime-node is patched to call this. */
export function loadOnnx(): unknown {
  return loadAddon(resolveOnnxBinding());
}
