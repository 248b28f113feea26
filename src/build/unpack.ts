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
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FileError, writeFileAtomicallySync } from '../files.ts';
import type { EmbeddedFile } from './embedded.ts';

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
