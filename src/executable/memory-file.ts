import { dlopen, FFIType } from 'bun:ffi';
import { readFileSync, writeFileSync } from 'node:fs';
import type { EmbeddedFile } from './embedded.ts';

const closeOnExec = 1;
// Where the kernel is set to vm.memfd_noexec=2 only files without the execute bit are allowed; loading does not need it.
const noExecuteBit = 8;

/**
 * Copies a native library to memory, for where no folder will do. It costs its size in memory for as long as the
 * process lives. Throws an Error that says why it cannot be done.
 * @returns a path under which this process alone can load it
 */
export function copyToMemory({ name, path }: EmbeddedFile): string {
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
export function loadForOthers(path: string): void {
  dlopen(path, { OrtGetApiBase: { args: [], returns: FFIType.ptr } });
}
