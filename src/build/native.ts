import { dlopen, FFIType } from 'bun:ffi';
import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { version } from 'onnxruntime-node/package.json';
import { operationFailed } from '../errors.ts';
import { FileError, writeFileAtomicallySync } from '../files.ts';
import { type EmbeddedFile, embedded } from './embedded.ts';
import { releaseEmbeddedPages } from './release-pages.ts';

// With vm.memfd_noexec=2 the kernel allows only files without the execute bit; loading does not need it.
const noExecuteBit = 8;

/**
 * Copies a native library to memory, for systems without a usable folder. It uses its size in memory until the process
 * ends.
 * @returns a path that only this process can load
 */
function copyToMemory({ name, path }: EmbeddedFile): string {
  const library = dlopen('libc.so.6', { memfd_create: { args: [FFIType.cstring, FFIType.u32], returns: FFIType.i32 } });
  const create = (flags: number) => library.symbols.memfd_create(Buffer.from(`${name}\0`), flags);
  // Open across execve, for the second stage of a sandbox; a child of its own starts without it.
  let file = create(0);
  if (file < 0) file = create(noExecuteBit);
  library.close();
  if (file < 0) throw new Error('creating an in-memory file failed: memfd_create was refused');
  writeFileSync(file, readFileSync(path));
  return `/proc/self/fd/${file}`;
}

/** Loads the ONNX Runtime library, so that its binding finds it by name. */
function loadSharedLibrary(path: string): void {
  dlopen(path, { OrtGetApiBase: { args: [], returns: FFIType.ptr } });
}

type LibraryFiles = readonly [EmbeddedFile, ...EmbeddedFile[]];
/** A native library to load, and others to load before that it doesn't find by itself. */
export type LibraryPaths = readonly [string, ...string[]];

const nativeFolders: string[] = [];
const preparedPaths = new Map<LibraryFiles, LibraryPaths>();
let preparedOnnx: LibraryPaths | undefined;

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
  return prepareLibrary(embedded.sqlite)[0];
}

/** @returns the absolute paths of ONNX Runtime. @throws AppError `operation_failed` */
export function prepareOnnx(): LibraryPaths {
  if (preparedOnnx !== undefined) return preparedOnnx;
  if (embedded !== undefined) return prepareLibrary(embedded.onnx);
  const folder = `bin/napi-v6/${process.platform}/${process.arch}`;
  return [resolvePackageFile('onnxruntime-node', `${folder}/onnxruntime_binding.node`)];
}

/** @param paths what `prepareOnnx` returned in the process that executed this one */
export function usePreparedOnnx(paths: LibraryPaths): void {
  preparedOnnx = paths;
}

function resolvePackageFile(name: string, path: string): string {
  return join(import.meta.dir, '../../node_modules', name, path);
}

/** Unpacks files once per process, to the first usable location. */
function prepareLibrary(files: LibraryFiles): LibraryPaths {
  const prepared = preparedPaths.get(files);
  if (prepared !== undefined) return prepared;
  const failures: string[] = [];
  for (const { name, prepare } of listLoadLocations(files)) {
    try {
      const paths = prepare();
      preparedPaths.set(files, paths);
      return paths;
    } catch (error) {
      failures.push(`${name} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  const message = `Loading ${files[0].name} failed: no usable folder: ${failures.join('; ')}. Make the data folder writable and mount it without noexec.`;
  throw operationFailed(message);
}

type LoadLocation = { name: string; prepare: () => LibraryPaths };

function listLoadLocations(files: LibraryFiles): LoadLocation[] {
  const temporary = join(tmpdir(), `lectern-${process.geteuid?.()}`);
  return [
    // A user who may rename the data folder can replace the database as well; so only the shared temporary folder is
    // checked for that.
    ...nativeFolders.map((folder) => ({
      name: folder,
      prepare: (): LibraryPaths => [unpack(files, ensurePrivateFolder(folder))],
    })),
    {
      name: temporary,
      prepare: () => [unpack(files, assertNotReplaceable(ensurePrivateFolder(temporary)))],
    },
    { name: 'memory', prepare: () => copyAllToMemory(files) },
  ];
}

function copyAllToMemory([first, ...others]: LibraryFiles): LibraryPaths {
  return [copyToMemory(first), ...others.map(copyToMemory)];
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
  const [binding, ...others] = prepareOnnx();
  for (const path of others) loadSharedLibrary(path);
  return loadAddon(binding);
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

const groupAndOthers = 0o077;
const groupOrOthersWrite = 0o022;
const sticky = 0o1000;

/**
 * Creates a folder that only this user can access.
 * @returns the folder
 * @throws Error with the reason
 */
export function ensurePrivateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const status = lstatSync(folder);
  // mkdir accepts a link to a folder, whose target another user may have chosen.
  if (!status.isDirectory()) throw new Error('not a folder');
  if (!isCurrentUser(status.uid)) throw new Error('owned by another user');
  if ((status.mode & groupAndOthers) !== 0) throw new Error('accessible to other users');
  return folder;
}

/**
 * @returns the folder
 * @throws Error if another user could replace it between check and use, as in a shared folder without the sticky bit
 */
export function assertNotReplaceable(folder: string): string {
  let child = realpathSync(folder);
  for (let parent = dirname(child); parent !== child; parent = dirname(child)) {
    const { uid, mode } = statSync(parent);
    const isShared = (mode & groupOrOthersWrite) !== 0 && (mode & sticky) === 0;
    if (isShared) throw new Error(`other users may rename files in ${parent}`);
    if (uid !== 0 && !isCurrentUser(uid)) throw new Error(`${parent} is owned by another user`);
    child = parent;
  }
  return folder;
}

function isCurrentUser(uid: number): boolean {
  return uid === process.geteuid?.();
}

const fileMode = 0o500;
const contentNamePattern = /^[0-9a-f]{16}$/;
const readByteCount = 1024 * 1024;
// Younger ones may be in use by another version of the program.
const maxLeftoverAgeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Unpacks files into a subfolder named after their content and verifies every byte; damaged files are replaced. Two
 * processes may do this at once.
 * @returns the path of the first file
 * @throws Error with the reason why the files cannot be used there
 */
export function unpack(files: readonly [EmbeddedFile, ...EmbeddedFile[]], privateFolder: string): string {
  const folder = join(privateFolder, hashContent(files));
  ensureFolder(folder);
  let isWritten = false;
  for (const file of files) {
    const path = join(folder, file.name);
    if (!isIntact(path, file.sha256)) {
      write(folder, file);
      isWritten = true;
    }
    assertExecutable(path);
  }
  markUsed(folder);
  if (isWritten) removeLeftovers(privateFolder, folder);
  return join(folder, files[0].name);
}

function hashContent(files: readonly EmbeddedFile[]): string {
  const hash = createHash('sha256');
  for (const { sha256 } of files) hash.update(sha256);
  return hash.digest('hex').slice(0, 16);
}

function ensureFolder(folder: string): void {
  try {
    ensurePrivateFolder(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
    ensurePrivateFolder(folder);
  }
}

function isIntact(path: string, sha256: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status?.isFile() || (status.mode & 0o777) !== fileMode) return false;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const hash = createHash('sha256');
    const part = new Uint8Array(readByteCount);
    for (let count = readSync(file, part); count > 0; count = readSync(file, part)) {
      hash.update(part.subarray(0, count));
    }
    return hash.digest('hex') === sha256;
  } finally {
    closeSync(file);
  }
}

/** Replaces the file instead of changing it: a process that has the old one loaded keeps it. */
function write(folder: string, { name, path, sha256 }: EmbeddedFile): void {
  const target = join(folder, name);
  // The target of a link must not be replaced.
  if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(target);
  writeFileAtomicallySync(target, readFileSync(path), { sha256, mode: fileMode });
  if (!isIntact(target, sha256)) throw new FileError(target, 'checksum mismatch after writing');
}

/** On a file system mounted noexec no file is executable, whatever its mode. */
function assertExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Error('mounted noexec');
  }
}

function markUsed(folder: string): void {
  const now = new Date();
  utimesSync(folder, now, now);
}

/** Deletes the libraries of other versions, and nothing else. */
function removeLeftovers(privateFolder: string, current: string): void {
  for (const name of readdirSync(privateFolder)) {
    const path = join(privateFolder, name);
    if (path === current || !contentNamePattern.test(name)) continue;
    const usedMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - usedMs > maxLeftoverAgeMs) rmSync(path, { recursive: true, force: true });
  }
}
