import { dlopen, FFIType } from 'bun:ffi';

const setParentDeathSignal = 1;
const killSignal = 9;

/**
 * Has the system kill this process as soon as its parent is gone, even in the middle of a computation that never looks
 * up. Only Linux can; elsewhere nothing happens.
 */
export function dieWithParent(): void {
  if (process.platform !== 'linux') return;
  const library = dlopen('libc.so.6', {
    prctl: { args: [FFIType.i32, FFIType.u64], returns: FFIType.i32 },
  });
  library.symbols.prctl(setParentDeathSignal, killSignal);
  library.close();
}
