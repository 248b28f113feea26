import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { embedded } from './embedded.ts';

let givenFolder: string | undefined;

/** Names the first place for unpacked native libraries; call it before anything native is loaded. */
export function useNativeFolder(folder: string): void {
  givenFolder = folder;
}

/**
 * The absolute path of SQLite's native library, ready to be loaded.
 * Fails with operation_failed where it cannot be unpacked.
 */
export function sqliteBinding(): string {
  if (embedded === undefined) {
    return packageFile('better-sqlite3', `prebuilds/${process.platform}-${process.arch}.node`);
  }
  return unpack(embedded.sqlite[0].name);
}

/**
 * The absolute path of ONNX Runtime's binding, ready to be loaded.
 * Fails with operation_failed where it cannot be unpacked.
 */
export function onnxBinding(): string {
  if (embedded === undefined) {
    return packageFile(
      'onnxruntime-node',
      `bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`,
    );
  }
  return unpack(embedded.onnx[0].name);
}

function packageFile(name: string, path: string): string {
  return join(import.meta.dir, '../../node_modules', name, path);
}

function unpack(name: string): string {
  throw new AppError('operation_failed', `Cannot unpack ${name} to ${givenFolder}.`);
}
