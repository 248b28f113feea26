import sqlite from '../../node_modules/better-sqlite3/prebuilds/linux-x64.node' with {
  type: 'file',
};
import onnxRuntime from '../../node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1' with {
  type: 'file',
};
import onnxBinding from '../../node_modules/onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime_binding.node' with {
  type: 'file',
};
import type { NativeFiles } from './native-files.ts';

/** Where the native files for Linux on x64 can be read. */
export const embedded: NativeFiles = {
  'better_sqlite3.node': sqlite,
  'libonnxruntime.so.1': onnxRuntime,
  'onnxruntime_binding.node': onnxBinding,
};
