/** One native library inside the executable. */
export type EmbeddedFile = {
  /** Its name on disk. */
  readonly name: string;
  /** Where it can be read inside the executable. */
  readonly path: string;
  /** The SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;
};

/** The native libraries inside the executable, by what needs them. The first of a list is the one to load. */
export type EmbeddedLibraries = {
  readonly sqlite: readonly [EmbeddedFile];
  readonly onnx: readonly [EmbeddedFile, EmbeddedFile];
};

/**
 * Nothing, when run from source. The build replaces this whole file by one that imports the libraries of its target
 * (see native-plugin.ts): from source Bun refuses to import a .node file as a file.
 */
export const embedded = undefined as EmbeddedLibraries | undefined;
