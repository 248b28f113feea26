import { ptr } from 'bun:ffi';
import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { operationFailed } from '../../errors.ts';
import { addNativeFolder, type LibraryPaths, prepareOnnx, usePreparedOnnx } from '../native.ts';
import { buildProgramCommand, isCompiled, lowerPriority, projectFolder, readDataBytes } from '../processes.ts';
import { detectSeccomp, type Kernel, landlockCall, openKernel, restrictSystemCalls } from './system-calls.ts';

/** What a child process may use beyond the program itself and the system's libraries. */
export interface Sandbox {
  readonly mode: Config['sandbox'];
  /** Files and folders. */
  readonly readable?: readonly string[];
  /** Folders whose files it may delete. */
  readonly removable?: readonly string[];
  /** Existing files. */
  readonly writable?: readonly string[];
  /** Memory beyond what the program reserves at its start; more is refused. Undefined: no limit. */
  readonly maxMemoryMb?: number;
  /** For unpacked native libraries, in order of preference; undefined: it needs none. */
  readonly nativeFolders?: readonly string[];
}

/** What the kernel offers. */
export interface SandboxSupport {
  /** Version of the interface; 0: none. */
  readonly landlock: number;
  readonly seccomp: boolean;
}

/** The server starts first. */
const niceness = 10;
const setNoNewPrivileges = 38;
const dataLimit = 2;
const coreDumpLimit = 4;

/** Of the C library, the loader and C++. */
const libraryFolders = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];
/** Read by the loader, the C library, Bun and ONNX Runtime. */
const systemFiles = [
  ...['/etc/ld.so.cache', '/etc/localtime', '/usr/share/zoneinfo'],
  '/proc/self',
  ...['/proc/cpuinfo', '/proc/meminfo', '/proc/stat', '/proc/sys/vm'],
  // Processors and, for ONNX Runtime, graphics cards.
  ...['/sys/devices', '/sys/bus/pci', '/sys/class/drm', '/sys/class/accel'],
  ...['/sys/fs/cgroup', '/sys/kernel/mm/transparent_hugepage'],
  ...['/dev/random', '/dev/urandom', '/dev/zero'],
];
/** Read by Bun when it runs from source. */
const sourceFiles = ['src', 'node_modules', 'package.json', 'tsconfig.json', 'bunfig.toml'];

export function detectSandboxSupport(): SandboxSupport {
  if (process.platform !== 'linux') return { landlock: 0, seccomp: false };
  const kernel = openKernel();
  const support = { landlock: detectLandlock(kernel), seccomp: detectSeccomp(kernel) };
  kernel.close();
  return support;
}

/** @throws AppError `operation_failed` where a sandbox is required and the kernel doesn't offer it */
export function requireSandboxSupport(mode: Sandbox['mode']): void {
  if (mode !== 'required') return;
  const { landlock, seccomp } = detectSandboxSupport();
  if (landlock > 0 && seccomp) return;
  const missing = [landlock > 0 ? [] : 'Landlock', seccomp ? [] : 'seccomp'].flat().join(' and ');
  const advice = 'Use Linux 5.13 or later with both enabled, or set LECTERN_SANDBOX=auto.';
  throw operationFailed(`LECTERN_SANDBOX=required: the kernel offers no ${missing}. ${advice}`);
}

/** @returns the command that starts this program again as a child process, in a sandbox where the kernel offers one */
export function buildChildCommand(words: readonly string[], sandbox: Sandbox): string[] {
  if (sandbox.mode === 'off' || process.platform !== 'linux') return [...buildProgramCommand(), ...words];
  // The child may be the executable, which does not know where this source has its built-in voices.
  const builtin = isCompiled ? [] : [join(projectFolder, 'voices')];
  const readable = [...(sandbox.readable ?? []), ...builtin];
  return [...buildProgramCommand(), 'sandbox', JSON.stringify({ ...sandbox, readable }), ...words];
}

/** What the first stage of a sandbox passes to the second one. */
interface SecondStage extends Pick<Sandbox, 'mode' | 'maxMemoryMb'> {
  readonly onnx?: LibraryPaths;
}

/**
 * The first stage: restricts the access to files and executes the program again. Landlock restricts a thread, and the
 * program has several by now; the one it executes has only this.
 * @param words a sandbox as JSON and the command to execute in it
 * @throws Error where that fails
 */
export function enterSandbox([json = '', ...words]: readonly string[]): never {
  lowerPriority(niceness);
  const sandbox = JSON.parse(json) as Sandbox;
  const onnx = prepareLibraries(sandbox.nativeFolders);
  const kernel = openKernel();
  restrict(sandbox.mode, () => {
    kernel.prctl(setNoNewPrivileges, 1);
    // One byte: with 0 the kernel still passes the memory to a program that collects crashes.
    kernel.setLimit(coreDumpLimit, 1);
    const landlock = detectLandlock(kernel);
    if (landlock > 0) restrictFiles(kernel, landlock, buildRules(sandbox, onnx));
    else if (sandbox.mode === 'required') throw new Error('the kernel offers no Landlock');
  });
  const { mode, maxMemoryMb } = sandbox;
  const next: SecondStage = { mode, ...(maxMemoryMb && { maxMemoryMb }), ...(onnx && { onnx }) };
  const result = execute(kernel, [...buildProgramCommand(), 'sandboxed', JSON.stringify(next), ...words]);
  throw new Error(`Starting the sandbox failed: error ${-result} of the kernel`);
}

/**
 * The second stage: restricts system calls.
 * @param json of the first stage
 * @throws Error where that fails and is required
 */
export function completeSandbox(json: string): void {
  const { mode, maxMemoryMb, onnx } = JSON.parse(json) as SecondStage;
  if (onnx !== undefined) usePreparedOnnx(onnx);
  keepProcessFolder();
  restrict(mode, () => {
    const kernel = openKernel();
    if (maxMemoryMb !== undefined) limitMemory(kernel, maxMemoryMb);
    restrictSystemCalls(kernel);
    kernel.close();
  });
}

/** JavaScriptCore reserves 6.4 GB at its start, of which it uses little: the limit counts from there. */
function limitMemory(kernel: Kernel, maxMemoryMb: number): void {
  const reservedBytes = readDataBytes(process.pid);
  if (reservedBytes !== undefined) kernel.setLimit(dataLimit, reservedBytes + maxMemoryMb * 1024 * 1024);
}

/** Without an open folder the kernel may forget it, and with it the rule on it. */
function keepProcessFolder(): void {
  try {
    openSync('/proc/self', 'r');
  } catch {
    // There is no /proc here.
  }
}

/** Unpacked before: in the sandbox no folder is writable. */
function prepareLibraries(folders: readonly string[] | undefined): LibraryPaths | undefined {
  if (folders === undefined) return undefined;
  for (const folder of folders) addNativeFolder(folder);
  try {
    return prepareOnnx();
  } catch {
    // The worker reports it, with the task that needs them.
    return undefined;
  }
}

function restrict(mode: Sandbox['mode'], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (mode === 'required') throw error;
    process.stderr.write(`sandbox incomplete: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function buildRules(
  { readable = [], removable = [], writable = [] }: Sandbox,
  onnx: LibraryPaths | undefined,
): FileRule[] {
  const read = fileRight.read | fileRight.list;
  const sources = isCompiled ? [] : sourceFiles.map((name) => join(projectFolder, name));
  const readPaths = [
    ...systemFiles,
    ...sources,
    ...(onnx ?? []).map((path) => dirname(path)),
    ...readable,
    ...readable.flatMap(listLinkTargets),
  ];
  return [
    ...[process.execPath, ...libraryFolders].map((path) => ({ path, rights: read | fileRight.execute })),
    // From source, Bun lists the folder to find packages.
    ...(isCompiled ? [] : [{ path: projectFolder, rights: fileRight.list }]),
    ...readPaths.map((path) => ({ path, rights: read })),
    { path: '/dev/null', rights: fileRight.read | fileRight.write },
    ...removable.map((path) => ({ path, rights: fileRight.remove })),
    ...writable.map((path) => ({ path, rights: fileRight.read | fileRight.write | fileRight.truncate })),
  ];
}

/** A rule on a folder holds for what is in it, not for what its links name. */
function listLinkTargets(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    // Not resolved: rules follow links, and a broken one is ignored.
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Replaces this process. @returns only after a failure */
function execute(kernel: Kernel, words: readonly string[]): number {
  const texts = words.map((word) => Buffer.from(`${word}\0`));
  const pointers = new BigUint64Array(texts.length + 1);
  texts.forEach((text, index) => {
    pointers[index] = BigInt(ptr(text));
  });
  return kernel.execute(texts[0] ?? Buffer.alloc(1), pointers);
}

/** Rights of a Landlock rule on files and folders. */
const fileRight = {
  execute: 1 << 0,
  write: 1 << 1,
  read: 1 << 2,
  list: 1 << 3,
  /** Of the files in a folder. */
  remove: 1 << 5,
  truncate: 1 << 14,
} as const;

interface FileRule {
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
function detectLandlock(kernel: Kernel): number {
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
function restrictFiles(kernel: Kernel, version: number, rules: readonly FileRule[]): void {
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
