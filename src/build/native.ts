import { dlopen, FFIType } from 'bun:ffi';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from 'onnxruntime-node/package.json';
import { AppError } from '../errors.ts';
import { type EmbeddedFile, embedded } from './embedded.ts';
import { releaseEmbeddedPages } from './release-pages.ts';
import { openPrivateFolder, refuseReplaceable, unpack } from './unpack.ts';

const closeOnExec = 1;
// Where the kernel is set to vm.memfd_noexec=2 only files without the execute bit are allowed; loading does not need it.
const noExecuteBit = 8;

/**
 * Copies a native library to memory, for where no folder will do. It costs its size in memory for as long as the
 * process lives. Throws an Error that says why it cannot be done.
 * @returns a path under which this process alone can load it
 */
function copyToMemory({ name, path }: EmbeddedFile): string {
  const library = dlopen('libc.so.6', {
    memfd_create: { args: [FFIType.cstring, FFIType.u32], returns: FFIType.i32 },
  });
  const create = (flags: number) => library.symbols.memfd_create(Buffer.from(`${name}\0`), flags);
  let file = create(closeOnExec);
  if (file < 0) file = create(closeOnExec | noExecuteBit);
  library.close();
  if (file < 0) throw new Error('the system refuses a file in memory');
  writeFileSync(file, readFileSync(path));
  return `/proc/self/fd/${file}`;
}

/** Loads ONNX Runtime itself, so that its binding, which asks for it by name, finds it there. */
function loadForOthers(path: string): void {
  dlopen(path, { OrtGetApiBase: { args: [], returns: FFIType.ptr } });
}

type Files = readonly [EmbeddedFile, ...EmbeddedFile[]];

const givenFolders: string[] = [];
const ready = new Map<Files, string>();

/**
 * Adds a folder of this user's for unpacked native libraries, to be tried before the system's temporary folder. Call it
 * in order of preference, before anything native is loaded.
 */
export function useNativeFolder(folder: string): void {
  givenFolders.push(folder);
}

/**
 * The absolute path of SQLite's native library, ready to be loaded.
 * Fails with operation_failed where it cannot be unpacked.
 */
export function sqliteBinding(): string {
  if (embedded === undefined) {
    return packageFile('better-sqlite3', `prebuilds/${process.platform}-${process.arch}.node`);
  }
  return makeReady(embedded.sqlite);
}

/**
 * The absolute path of ONNX Runtime's binding, ready to be loaded.
 * Fails with operation_failed where it cannot be unpacked.
 */
export function onnxBinding(): string {
  if (embedded === undefined) {
    return packageFile(
      'onnxruntime-node',
      `bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`,
    );
  }
  return makeReady(embedded.onnx);
}

function packageFile(name: string, path: string): string {
  return join(import.meta.dir, '../../node_modules', name, path);
}

/** Makes files ready to be loaded, once per process, in the first place that will do. */
function makeReady(files: Files): string {
  const known = ready.get(files);
  if (known !== undefined) return known;
  const refusals: string[] = [];
  for (const { name, prepare } of places(files)) {
    try {
      const path = prepare();
      ready.set(files, path);
      return path;
    } catch (error) {
      refusals.push(`${name} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  const message = `Found no place to load ${files[0].name} from: ${refusals.join('; ')}.`;
  throw new AppError('operation_failed', message);
}

type Place = { name: string; prepare: () => string };

function places(files: Files): Place[] {
  const temporary = join(tmpdir(), `lectern-${process.geteuid?.()}`);
  return [
    // Whoever may rename things around a given folder, such as the data folder, can exchange the database as well;
    // so only the temporary folder, which everyone shares, is checked for that.
    ...givenFolders.map((folder) => ({
      name: folder,
      prepare: () => unpack(files, openPrivateFolder(folder)),
    })),
    {
      name: temporary,
      prepare: () => unpack(files, refuseReplaceable(openPrivateFolder(temporary))),
    },
    { name: 'memory', prepare: () => copyAllToMemory(files) },
  ];
}

function copyAllToMemory([first, ...others]: Files): string {
  for (const file of others) loadForOthers(copyToMemory(file));
  return copyToMemory(first);
}

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
