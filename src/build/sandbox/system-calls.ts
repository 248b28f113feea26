import { dlopen, FFIType, ptr, read } from 'bun:ffi';
import refusedCallTable from './system-calls.txt' with { type: 'text' };

/** Numbers of system calls that the sandbox makes, the same on every processor. */
export const landlockCall = { createRuleset: 444, addRule: 445, restrictSelf: 446 } as const;

/** Calls the kernel through the C library. Linux only. */
export interface Kernel {
  /** @returns the result of a system call; a negative one is the error number */
  call(number: number, ...values: (number | bigint)[]): number;
  prctl(option: number, value: number): number;
  /** For good: soft and hard. */
  setLimit(resource: number, limit: number): number;
  /** Replaces this process. @returns only after a failure, with the negative error number */
  execute(path: Uint8Array, pointers: BigUint64Array): number;
  close(): void;
}

/** @throws Error where there is no such library */
export function openKernel(): Kernel {
  const { u64, i32, i64, ptr } = FFIType;
  const library = dlopen('libc.so.6', {
    syscall: { args: [i64, u64, u64, u64, u64], returns: i64 },
    prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
    setrlimit: { args: [i32, ptr], returns: i32 },
    execv: { args: [ptr, ptr], returns: i32 },
    __errno_location: { args: [], returns: ptr },
  });
  const { syscall, prctl, setrlimit, execv, __errno_location: locateErrno } = library.symbols;
  const orErrno = (result: number): number => {
    const location = result === -1 ? locateErrno() : null;
    return location === null ? result : -read.i32(location);
  };
  return {
    call: (number, a = 0, b = 0, c = 0, d = 0) => orErrno(Number(syscall(number, a, b, c, d))),
    prctl: (option, value) => orErrno(prctl(option, value, 0, 0, 0)),
    setLimit: (resource, limit) => orErrno(setrlimit(resource, BigUint64Array.of(BigInt(limit), BigInt(limit)))),
    execute: (path, pointers) => orErrno(execv(path, pointers)),
    close: () => library.close(),
  };
}

/** Numbers of a system call on x64 and arm64; null where it doesn't exist. */
type CallNumbers = readonly [x64: number, arm64: number | null];

/** What no worker needs. The C library, Bun and ONNX Runtime do without. A line has a name and its numbers. */
const refusedCalls = new Map(
  refusedCallTable.split('\n').flatMap((line): [string, CallNumbers][] => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name = '', x64, arm64] = /^(\w+) (\d+) (\d+|-)$/.exec(line) ?? [];
    if (name === '') throw new Error(`Not a system call: ${line}`);
    return [[name, [Number(x64), arm64 === '-' ? null : Number(arm64)]]];
  }),
);

/** Newer system calls don't exist for a worker, as on an older kernel. */
const lastKnownCall = 456;

const processors = {
  x64: { architecture: 0xc000003e, column: 0 },
  arm64: { architecture: 0xc00000b7, column: 1 },
} as const;

const seccompCalls: CallNumbers = [317, 277];
const getActionAvailable = 2;
const setFilter = 1;
/** Applies a filter to all threads of the process. */
const allThreads = 1;

const operation = { load: 0x20, jumpIfEqual: 0x15, jumpIfAtLeast: 0x35, jumpIfAnyBit: 0x45, return: 0x06 } as const;
/** Offsets in the data that a filter sees. */
const offset = { number: 0, architecture: 4, firstArgument: 16 } as const;
const allow = 0x7fff0000;
const refuse = 0x00050000 | 1;
const doesNotExist = 0x00050000 | 38;

/** Whether a flag of `clone` makes a thread, not a process. */
const cloneThread = 0x00010000;
/** They put characters into a terminal, which then runs them as typed. */
const terminalInputs = [0x5412, 0x541c];

type Instruction = readonly [operation: number, ifTrue: number, ifFalse: number, value: number];

/** @returns undefined on processors without a list of system calls */
function findProcessor() {
  return process.arch === 'x64' || process.arch === 'arm64' ? processors[process.arch] : undefined;
}

/** @returns the number of a refused system call on this processor; -1 where it doesn't exist */
export function findCallNumber(name: string): number {
  const numbers = refusedCalls.get(name);
  if (numbers === undefined) throw new Error(`System call ${name} is not refused`);
  return numbers[findProcessor()?.column ?? 0] ?? -1;
}

/** Whether the kernel can filter system calls. */
export function detectSeccomp(kernel: Kernel): boolean {
  const processor = findProcessor();
  if (processor === undefined) return false;
  const action = Uint32Array.of(0x00050000);
  return kernel.call(seccompCalls[processor.column] ?? -1, getActionAvailable, 0, ptr(action)) === 0;
}

/**
 * Refuses all threads of this process the network, other programs and processes, and administration.
 * @throws Error where the kernel refuses
 */
export function restrictSystemCalls(kernel: Kernel): void {
  const processor = findProcessor();
  if (processor === undefined) throw new Error(`no list of system calls for ${process.arch}`);
  const instructions = buildFilter(processor, process.pid);
  const filter = encodeFilter(instructions);
  const program = new BigUint64Array([BigInt(instructions.length), BigInt(ptr(filter))]);
  const result = kernel.call(seccompCalls[processor.column] ?? -1, setFilter, allThreads, ptr(program));
  if (result !== 0) throw new Error(`filtering system calls failed: error ${-result} of the kernel`);
}

function buildFilter({ architecture, column }: (typeof processors)['x64' | 'arm64'], pid: number): Instruction[] {
  const number = ([x64, arm64]: CallNumbers): number => (column === 0 ? x64 : (arm64 ?? -1));
  const refused = [...refusedCalls.values()].flatMap((numbers) => (number(numbers) === -1 ? [] : [number(numbers)]));
  return [
    [operation.load, 0, 0, offset.architecture],
    [operation.jumpIfEqual, 1, 0, architecture],
    [operation.return, 0, 0, refuse],
    [operation.load, 0, 0, offset.number],
    // Also the second interface of x64, whose numbers are larger.
    ...when(operation.jumpIfAtLeast, lastKnownCall + 1, [[operation.return, 0, 0, doesNotExist]]),
    // The C library then uses clone, whose flags a filter can read.
    ...when(operation.jumpIfEqual, 435, [[operation.return, 0, 0, doesNotExist]]),
    ...refused.flatMap((call) => when(operation.jumpIfEqual, call, [[operation.return, 0, 0, refuse]])),
    ...forCall(number([56, 220]), 0, allowIf(operation.jumpIfAnyBit, cloneThread)),
    // Signals, limits and priority: only of this process.
    ...forCall(number([62, 129]), 0, allowIf(operation.jumpIfEqual, pid)),
    ...forCall(number([234, 131]), 0, allowIf(operation.jumpIfEqual, pid)),
    ...forCall(number([302, 261]), 0, allowIf(operation.jumpIfEqual, 0)),
    ...forCall(number([141, 140]), 0, [
      // Not of its group or user, to which the server belongs.
      [operation.jumpIfEqual, 1, 0, 0],
      [operation.return, 0, 0, refuse],
      [operation.load, 0, 0, offset.firstArgument + 8],
      ...allowIf(operation.jumpIfEqual, 0),
    ]),
    ...forCall(number([16, 29]), 1, [
      ...terminalInputs.flatMap((input) => when(operation.jumpIfEqual, input, [[operation.return, 0, 0, refuse]])),
      [operation.return, 0, 0, allow],
    ]),
    [operation.return, 0, 0, allow],
  ];
}

/** @param body ends with a return */
function when(jump: number, value: number, body: readonly Instruction[]): Instruction[] {
  return [[jump, 0, body.length, value], ...body];
}

function forCall(call: number, argument: number, body: readonly Instruction[]): Instruction[] {
  return when(operation.jumpIfEqual, call, [[operation.load, 0, 0, offset.firstArgument + 8 * argument], ...body]);
}

function allowIf(jump: number, value: number): Instruction[] {
  return [
    [jump, 0, 1, value],
    [operation.return, 0, 0, allow],
    [operation.return, 0, 0, refuse],
  ];
}

function encodeFilter(instructions: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(instructions.length * 8));
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, value, true);
  });
  return new Uint8Array(view.buffer);
}
