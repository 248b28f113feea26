import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from './errors.ts';

/** Content of a file. Only one part at a time is in memory. */
export type FileChunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Bytes the file must have. */
  readonly byteCount?: number;
  /** SHA-256 the content must have, hex. */
  readonly sha256?: string;
  /** Permissions, regardless of the umask. Default: 0600. `umask`: 0666 minus the umask, for files that others may use. */
  readonly mode?: number | 'umask';
  /** An existing file is an error, and stays as it is. */
  readonly mustBeNew?: boolean;
}

export interface WrittenFile {
  readonly byteCount: number;
  /** Hex. */
  readonly sha256: string;
}

/** Messages by error code. */
const errnoReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EDQUOT: 'the disk quota of this user is used up',
  EEXIST: 'a file is where a folder is needed',
  EFBIG: 'the file is too large for this disk',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file is where a folder is needed',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  SQLITE_FULL: 'the disk is full',
};

/** Some file systems do not support it, or not for every user. The file is complete without it. */
const ignoredSyncErrors = new Set(['EACCES', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM']);
/** File systems without hard links, such as FAT. */
const linkUnsupportedErrors = new Set(['EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EXDEV']);
const writeFile = promisify(write);
const fsyncFile = promisify(fsync);
const privateMode = 0o600;
const groupAndOthers = 0o077;
const partialSuffix = /\.[0-9a-f]{8}\.partial$/;

/** A file could not be written. No part of it remains. */
export class FileError extends AppError {
  /** @param reason completes "Cannot write PATH: …" */
  constructor(path: string, reason: string) {
    super('operation_failed', `Cannot write ${path}: ${reason}`);
    this.name = 'FileError';
  }
}

/** @returns why an operation on a file failed */
export function describeFileError(error: unknown): string {
  const code = getErrno(error);
  return errnoReasons[code] ?? (code === '' ? String(error) : code);
}

/** @returns a typed error unchanged */
export function toFileError(path: string, error: unknown): AppError {
  return error instanceof AppError ? error : new FileError(path, describeFileError(error));
}

/** Creates a file for another writer, which would create it for everybody. An existing file is not opened. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', privateMode));
  } catch {
    // It exists, or its writer reports why it cannot be created.
  }
}

/** Creates a folder that only this user may use, with its parents. @throws FileError */
export function createPrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileError(path, error);
  }
}

/** @returns what is in a folder; nothing where there is none, or it cannot be read */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether other users than the owner have rights on a file or folder. */
export function isShared(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status !== undefined && !status.isSymbolicLink() && (status.mode & groupAndOthers) !== 0;
}

/** Takes the rights of other users on a file away, if it exists. */
export function makePrivate(path: string): void {
  try {
    if (isShared(path)) chmodSync(path, privateMode);
  } catch {
    // Of another owner, or not below a folder: who opens it reports why.
  }
}

/**
 * Removes partial files that a killed process left.
 * @param paths final names of the files; other partial files stay
 */
export function removePartialFiles(folder: string, paths: ReadonlySet<string>): void {
  for (const partial of readdirSync(folder).map((name) => join(folder, name))) {
    const isOurs = partialSuffix.test(partial) && paths.has(partial.replace(partialSuffix, ''));
    if (isOurs) rmSync(partial, { force: true });
  }
}

/**
 * Writes a file atomically: it appears complete and synced, or not at all. A failure removes the partial file.
 * A stream in `parts` is read immediately, so that none of its errors is missed.
 * @param path its folder must exist; the target of a symbolic link is replaced
 * @throws FileError for the file; errors of `parts` unchanged
 */
export async function writeFileAtomically(
  path: string,
  parts: FileChunks,
  options: WriteOptions = {},
): Promise<WrittenFile> {
  const target = resolveTarget(path, options);
  const partial = createPartialPath(target);
  try {
    const file = openFile(path, partial, 'wx', options.mode ?? privateMode);
    const hash = createHash('sha256');
    let byteCount = 0;
    let sizeOnDisk: number;
    try {
      for await (const part of parts) {
        hash.update(part);
        byteCount += part.byteLength;
        await withFileErrors(path, () => writeAll(file, part));
      }
      await withFileErrors(path, () => fsyncFile(file));
      sizeOnDisk = fstatSync(file).size;
    } finally {
      closeSync(file);
    }
    const written = { byteCount, sha256: hash.digest('hex') };
    checkContent(path, written, sizeOnDisk, options);
    await withFileErrors(path, () => {
      moveIntoPlace(partial, target, path, options);
      return syncFolder(dirname(target));
    });
    return written;
  } catch (error) {
    removePartial(partial);
    throw error;
  }
}

/** Synchronous `writeFileAtomically` for content in memory. */
export function writeFileAtomicallySync(path: string, content: Uint8Array, options: WriteOptions = {}): WrittenFile {
  const target = resolveTarget(path, options);
  const partial = createPartialPath(target);
  try {
    const file = openFile(path, partial, 'wx', options.mode ?? privateMode);
    let sizeOnDisk: number;
    try {
      for (let at = 0; at < content.byteLength; ) at += writeSync(file, content, at);
      fsyncSync(file);
      sizeOnDisk = fstatSync(file).size;
    } finally {
      closeSync(file);
    }
    const sha256 = createHash('sha256').update(content).digest('hex');
    const written = { byteCount: content.byteLength, sha256 };
    checkContent(path, written, sizeOnDisk, options);
    moveIntoPlace(partial, target, path, options);
    syncFolderSync(dirname(target));
    return written;
  } catch (error) {
    removePartial(partial);
    throw toFileError(path, error);
  }
}

/**
 * Appends to a file that has no final name yet, such as a download that can be resumed.
 * @throws FileError; the content written so far stays
 */
export async function appendToFile(path: string, parts: FileChunks): Promise<void> {
  const file = openFile(path, path, 'a', privateMode);
  try {
    for await (const part of parts) await withFileErrors(path, () => writeAll(file, part));
    await withFileErrors(path, () => fsyncFile(file));
  } finally {
    closeSync(file);
  }
}

/**
 * Syncs a written file or folder and renames it to its final name.
 * @param byteCount expected size; undefined for a folder, or if the writer has checked it
 * @throws FileError; the written content stays in its place
 */
export async function publishFile(written: string, path: string, byteCount: number | undefined): Promise<void> {
  const file = openFile(path, written, 'r', undefined);
  try {
    await withFileErrors(path, () => fsyncFile(file));
    const { size } = fstatSync(file);
    if (size !== (byteCount ?? size)) throw lengthError(path, size, byteCount);
  } finally {
    closeSync(file);
  }
  await withFileErrors(path, () => {
    renameSync(written, path);
    return syncFolder(dirname(path));
  });
}

/** The content of a file, read lazily. */
export async function* readFileChunks(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

async function withFileErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(path, error);
  }
}

export function getErrno(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** For what takes long before its result is written. @throws FileError if a file cannot be written there */
export function requireTarget(path: string): void {
  try {
    accessSync(dirname(resolveTarget(path, {})), constants.W_OK);
  } catch (error) {
    throw toFileError(path, error);
  }
}

/** @returns the path, or the target of a symbolic link */
function resolveTarget(path: string, { mustBeNew = false }: WriteOptions): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return path;
    if (mustBeNew) throw alreadyExistsError(path);
    if (stats.isDirectory()) throw new FileError(path, 'it is a folder');
    // A rename would replace a device or a pipe.
    if (!stats.isFile()) throw new FileError(path, 'it is not a regular file');
    return realpathSync(path);
  } catch (error) {
    throw toFileError(path, error);
  }
}

function alreadyExistsError(path: string): FileError {
  return new FileError(path, 'it is there already');
}

/** Unique: two processes may write the same file at once. */
function createPartialPath(target: string): string {
  return `${target}.${randomBytes(4).toString('hex')}.partial`;
}

function openFile(path: string, pathToOpen: string, flags: 'wx' | 'a' | 'r', mode: WriteOptions['mode']): number {
  try {
    if (mode === 'umask') return openSync(pathToOpen, flags);
    const file = openSync(pathToOpen, flags, mode);
    if (mode !== undefined) setExactMode(file, mode);
    return file;
  } catch (error) {
    throw toFileError(path, error);
  }
}

function setExactMode(file: number, mode: number): void {
  try {
    fchmodSync(file, mode);
  } catch {
    // A file system without permissions, such as FAT.
  }
}

/** A nearly full disk may write only a part. */
async function writeAll(file: number, part: Uint8Array): Promise<void> {
  for (let at = 0; at < part.byteLength; ) {
    at += (await writeFile(file, part, at, part.byteLength - at)).bytesWritten;
  }
}

function checkContent(
  path: string,
  { byteCount, sha256 }: WrittenFile,
  sizeOnDisk: number,
  expected: WriteOptions,
): void {
  const expectedBytes = expected.byteCount ?? byteCount;
  if (byteCount !== expectedBytes) throw lengthError(path, byteCount, expectedBytes);
  if (sizeOnDisk !== byteCount) throw lengthError(path, sizeOnDisk, byteCount);
  if (expected.sha256 !== undefined && expected.sha256 !== sha256) {
    throw new FileError(path, 'its content has another SHA-256 than expected');
  }
}

function lengthError(path: string, byteCount: number, expected: number | undefined): FileError {
  return new FileError(path, `it has ${byteCount} bytes, not ${expected}`);
}

function moveIntoPlace(partial: string, target: string, path: string, { mustBeNew = false }: WriteOptions): void {
  if (!mustBeNew) {
    renameSync(partial, target);
    return;
  }
  try {
    // Unlike a rename, a link fails if the file exists.
    linkSync(partial, target);
  } catch (error) {
    if (getErrno(error) === 'EEXIST') throw alreadyExistsError(path);
    if (!linkUnsupportedErrors.has(getErrno(error))) throw error;
    if (existsSync(target)) throw alreadyExistsError(path);
    renameSync(partial, target);
    return;
  }
  rmSync(partial);
}

/** A new name is on the disk once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      await fsyncFile(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!ignoredSyncErrors.has(getErrno(error))) throw error;
  }
}

function syncFolderSync(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!ignoredSyncErrors.has(getErrno(error))) throw error;
  }
}

function removePartial(partial: string): void {
  try {
    rmSync(partial, { force: true });
  } catch {
    // The first error says more.
  }
}
