import { dlopen, FFIType, read } from 'bun:ffi';

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
