/** A native library inside the executable. */
export type EmbeddedFile = {
  /** File name on disk. */
  readonly name: string;
  /** Path inside the executable. */
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
};

/** The native libraries by package. The first of a list is the one to load. */
export type EmbeddedLibraries = {
  readonly sqlite: readonly [EmbeddedFile];
  readonly onnx: readonly [EmbeddedFile, EmbeddedFile];
};

/**
 * Undefined when run from source. The build replaces this whole file by one that imports the libraries of its target
 * (see bundler-plugins.ts): from source Bun refuses to import a .node file as a file.
 */
export const embedded = undefined as EmbeddedLibraries | undefined;
