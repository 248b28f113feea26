/** A native library that the program loads, by the name it has on disk. */
export type NativeFileName =
  | 'better_sqlite3.node'
  | 'libonnxruntime.so.1'
  | 'onnxruntime_binding.node';

/** Native library → something about it, e.g. where it can be read. */
export type NativeFiles = Readonly<Record<NativeFileName, string>>;
