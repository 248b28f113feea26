/** Its text encoder has 512 positions, two of them for the signs at both ends. */
export const maxKokoroTokens = 510;
/** A style is a table: a row for each number of tokens, from 0. */
const styleRows = 510;
const styleColumns = 256;
const styleBytes = styleRows * styleColumns * Float32Array.BYTES_PER_ELEMENT;
/** Characters of a style in base64. */
export const maxStyleText = Math.ceil(styleBytes / 3) * 4;
/** The largest value in the 54 published styles is 3.2. */
const maxStyleValue = 100;

/** @returns undefined for bytes of another length, and for values that cannot be a style */
export function parseStyle(bytes: Uint8Array): Float32Array | undefined {
  if (bytes.byteLength !== styleBytes) return undefined;
  // Copied: a buffer may begin at any byte.
  const style = new Float32Array(new Uint8Array(bytes).buffer);
  return style.every((value) => Math.abs(value) <= maxStyleValue) ? style : undefined;
}

/** @param tokenCount without the signs at both ends @returns the row of the style for an utterance of this length */
export function selectStyleRow(style: Float32Array, tokenCount: number): Float32Array {
  const row = Math.min(Math.max(tokenCount, 0), styleRows - 1);
  return style.slice(row * styleColumns, (row + 1) * styleColumns);
}
