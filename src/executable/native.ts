import { join } from 'node:path';
import { AppError } from '../errors.ts';
// The build for another processor puts that processor's file in the place of this one.
import { embedded } from './linux-x64.ts';

let givenFolder: string | undefined;

/** Names the first place for unpacked native libraries; call it before anything native is loaded. */
export function useNativeFolder(folder: string): void {
  givenFolder = folder;
}

/** The absolute path of SQLite's native library, ready to be loaded. */
export function sqliteBinding(): string {
  if (!isCompiled()) return packageFile('better-sqlite3', `prebuilds/${platform()}.node`);
  return unpack('better_sqlite3.node');
}

/** The absolute path of ONNX Runtime's binding, ready to be loaded. */
export function onnxBinding(): string {
  if (!isCompiled())
    return packageFile(
      'onnxruntime-node',
      `bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`,
    );
  return unpack('onnxruntime_binding.node');
}

function isCompiled(): boolean {
  return embedded['better_sqlite3.node'].startsWith('/$bunfs/');
}

function packageFile(name: string, path: string): string {
  return join(import.meta.dir, '../../node_modules', name, path);
}

function platform(): string {
  return `${process.platform}-${process.arch}`;
}

function unpack(name: string): string {
  throw new AppError('operation_failed', `Cannot unpack ${name} to ${givenFolder}.`);
}
