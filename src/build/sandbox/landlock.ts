import { ptr } from 'bun:ffi';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { type Kernel, landlockCall } from './kernel.ts';

/** Rights of a Landlock rule on files and folders. */
export const fileRight = {
  execute: 1 << 0,
  write: 1 << 1,
  read: 1 << 2,
  list: 1 << 3,
  /** Of the files in a folder. */
  remove: 1 << 5,
  truncate: 1 << 14,
} as const;

export interface FileRule {
  readonly path: string;
  /** Of `fileRight`, combined. */
  readonly rights: number;
}

const versionFlag = 1;
const pathBeneathRule = 1;
/** Opens a path for reference only, which needs no permission on the file. */
const pathOnly = 0o10000000;
/** Rights that a rule on a file, other than on a folder, may contain. */
const rightsOfFiles = fileRight.execute | fileRight.write | fileRight.read | fileRight.truncate | (1 << 15);
const allConnections = 0b11;
/** Abstract sockets, and signals to processes outside. */
const allScopes = 0b11;

/** @returns the version of Landlock's interface; 0 without Landlock */
export function detectLandlock(kernel: Kernel): number {
  return Math.max(0, kernel.call(landlockCall.createRuleset, 0, 0, versionFlag));
}

/** @returns every right on files that the kernel can refuse */
function listHandledRights(version: number): number {
  // 1: everything up to links, 2: moves between folders, 3: truncation, 5: controlling devices.
  if (version >= 5) return (1 << 16) - 1;
  if (version >= 3) return (1 << 15) - 1;
  return version === 2 ? (1 << 14) - 1 : (1 << 13) - 1;
}

/**
 * Refuses this thread, and the program it executes, all access to files beyond the rules, all TCP connections, and, from
 * version 6 on, signals to other processes. Paths that don't exist are ignored.
 * @throws Error where the kernel refuses
 */
export function restrictFiles(kernel: Kernel, version: number, rules: readonly FileRule[]): void {
  const handled = listHandledRights(version);
  const attributes = BigUint64Array.of(
    BigInt(handled),
    ...(version >= 4 ? [BigInt(allConnections)] : []),
    ...(version >= 6 ? [BigInt(allScopes)] : []),
  );
  const ruleset = kernel.call(landlockCall.createRuleset, ptr(attributes), attributes.byteLength);
  if (ruleset < 0) throw createError('creating a Landlock ruleset', ruleset);
  for (const rule of rules) addRule(kernel, ruleset, { ...rule, rights: rule.rights & handled });
  const result = kernel.call(landlockCall.restrictSelf, ruleset);
  closeSync(ruleset);
  if (result < 0) throw createError('applying Landlock', result);
}

function addRule(kernel: Kernel, ruleset: number, { path, rights }: FileRule): void {
  const file = openPath(path);
  if (file === undefined) return;
  try {
    const allowed = fstatSync(file).isDirectory() ? rights : rights & rightsOfFiles;
    // A packed structure: 8 bytes of rights, 4 of the file.
    const attributes = new DataView(new ArrayBuffer(12));
    attributes.setBigUint64(0, BigInt(allowed), true);
    attributes.setInt32(8, file, true);
    const bytes = new Uint8Array(attributes.buffer);
    const result = kernel.call(landlockCall.addRule, ruleset, pathBeneathRule, ptr(bytes));
    if (result < 0) throw createError(`allowing ${path}`, result);
  } finally {
    closeSync(file);
  }
}

function openPath(path: string): number | undefined {
  try {
    return openSync(path, pathOnly | constants.O_RDONLY);
  } catch {
    return undefined;
  }
}

function createError(what: string, result: number): Error {
  return new Error(`${what} failed: error ${-result} of the kernel`);
}
