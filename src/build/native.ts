import { dlopen, FFIType } from 'bun:ffi';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from 'onnxruntime-node/package.json';
import { AppError } from '../errors.ts';
import { type EmbeddedFile, embedded } from './embedded.ts';
import { releaseEmbeddedPages } from './release-pages.ts';
import { assertNotReplaceable, ensurePrivateFolder, unpack } from './unpack.ts';

const closeOnExec = 1;
// With vm.memfd_noexec=2 the kernel allows only files without the execute bit; loading does not need it.
const noExecuteBit = 8;

/**
 * Copies a native library to memory, for systems without a usable folder. It uses its size in memory until the process
 * ends.
 * @returns a path that only this process can load
 */
function copyToMemory({ name, path }: EmbeddedFile): string {
  const library = dlopen('libc.so.6', {
    memfd_create: { args: [FFIType.cstring, FFIType.u32], returns: FFIType.i32 },
  });
  const create = (flags: number) => library.symbols.memfd_create(Buffer.from(`${name}\0`), flags);
  let file = create(closeOnExec);
  if (file < 0) file = create(closeOnExec | noExecuteBit);
  library.close();
  if (file < 0) throw new Error('creating an in-memory file failed: memfd_create was refused');
  writeFileSync(file, readFileSync(path));
  return `/proc/self/fd/${file}`;
}

/** Loads ONNX Runtime itself, so that its binding, which asks for it by name, finds it there. */
function loadSharedLibrary(path: string): void {
  dlopen(path, { OrtGetApiBase: { args: [], returns: FFIType.ptr } });
}

type LibraryFiles = readonly [EmbeddedFile, ...EmbeddedFile[]];

const nativeFolders: string[] = [];
const preparedPaths = new Map<LibraryFiles, string>();

/**
 * Adds a folder for unpacked native libraries, to try before the temporary folder. Call it in order of preference,
 * before anything native is loaded.
 */
export function addNativeFolder(folder: string): void {
  nativeFolders.push(folder);
}

/** @returns the absolute path of SQLite's native library. @throws AppError `operation_failed` */
export function resolveSqliteBinding(): string {
  if (embedded === undefined) {
    return resolvePackageFile('better-sqlite3', `prebuilds/${process.platform}-${process.arch}.node`);
  }
  return prepareLibrary(embedded.sqlite);
}

/** @returns the absolute path of ONNX Runtime's binding. @throws AppError `operation_failed` */
export function resolveOnnxBinding(): string {
  if (embedded === undefined) {
    return resolvePackageFile(
      'onnxruntime-node',
      `bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`,
    );
  }
  return prepareLibrary(embedded.onnx);
}

function resolvePackageFile(name: string, path: string): string {
  return join(import.meta.dir, '../../node_modules', name, path);
}

/** Unpacks files once per process, to the first usable location. */
function prepareLibrary(files: LibraryFiles): string {
  const prepared = preparedPaths.get(files);
  if (prepared !== undefined) return prepared;
  const failures: string[] = [];
  for (const { name, prepare } of listLoadLocations(files)) {
    try {
      const path = prepare();
      preparedPaths.set(files, path);
      return path;
    } catch (error) {
      failures.push(`${name} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  const message = `Loading ${files[0].name} failed: no usable folder: ${failures.join('; ')}. Make the data folder writable and mount it without noexec.`;
  throw new AppError('operation_failed', message);
}

type LoadLocation = { name: string; prepare: () => string };

function listLoadLocations(files: LibraryFiles): LoadLocation[] {
  const temporary = join(tmpdir(), `lectern-${process.geteuid?.()}`);
  return [
    // A user who may rename the data folder can replace the database as well; so only the shared temporary folder is
    // checked for that.
    ...nativeFolders.map((folder) => ({
      name: folder,
      prepare: () => unpack(files, ensurePrivateFolder(folder)),
    })),
    {
      name: temporary,
      prepare: () => unpack(files, assertNotReplaceable(ensurePrivateFolder(temporary))),
    },
    { name: 'memory', prepare: () => copyAllToMemory(files) },
  ];
}

function copyAllToMemory([first, ...others]: LibraryFiles): string {
  for (const file of others) loadSharedLibrary(copyToMemory(file));
  return copyToMemory(first);
}

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

type OnnxRuntime = typeof import('onnxruntime-node');

export const onnxRuntimeVersion: string = version;

/** ONNX Runtime without telemetry. Nothing else may import it: by default it reports to Microsoft. */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  disableTelemetry();
  const runtime = await import('onnxruntime-node');
  releaseEmbeddedPages();
  return runtime;
}

/**
 * ORT_DISABLE_TELEMETRY, read once at the first session, keeps the library from writing a device id into the user's
 * cache and from connecting to mobile.events.data.microsoft.com. Assigning to process.env does not reach a native
 * library in Bun, hence setenv.
 */
function disableTelemetry(): void {
  const name = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6';
  const library = dlopen(name, {
    setenv: { args: [FFIType.cstring, FFIType.cstring, FFIType.i32], returns: FFIType.i32 },
  });
  const text = (value: string) => Buffer.from(`${value}\0`);
  const result = library.symbols.setenv(text('ORT_DISABLE_TELEMETRY'), text('1'), 1);
  library.close();
  if (result !== 0) throw new Error('Disabling ONNX Runtime telemetry failed: setenv returned an error');
}
