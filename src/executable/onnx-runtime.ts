import { dlopen, FFIType } from 'bun:ffi';
import { version } from 'onnxruntime-node/package.json';
import { releaseEmbeddedPages } from './release-pages.ts';

type OnnxRuntime = typeof import('onnxruntime-node');

/** Known without loading it. */
export const onnxRuntimeVersion: string = version;

/** ONNX Runtime, silenced. Nothing else may import it: its own binaries report to Microsoft unless told otherwise. */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  silence();
  const runtime = await import('onnxruntime-node');
  releaseEmbeddedPages();
  return runtime;
}

/**
 * ORT_DISABLE_TELEMETRY, read once at the first session, keeps the library from writing a device id into the user's
 * cache and from connecting to mobile.events.data.microsoft.com. Assigning to process.env does not reach a native
 * library in Bun, hence setenv.
 */
function silence(): void {
  const name = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6';
  const library = dlopen(name, {
    setenv: { args: [FFIType.cstring, FFIType.cstring, FFIType.i32], returns: FFIType.i32 },
  });
  const text = (value: string) => Buffer.from(`${value}\0`);
  const result = library.symbols.setenv(text('ORT_DISABLE_TELEMETRY'), text('1'), 1);
  library.close();
  if (result !== 0) throw new Error('setenv failed');
}
