import type { WordSpan } from '../speech/phonemize/word-spans.ts';

/** A word of a segment: offsets in its text, and its times in ms from the start of the segment. */
export interface WordTime {
  readonly start: number;
  readonly end: number;
  readonly startMs: number;
  readonly endMs: number;
}

const numbersPerWord = 4;
const maxUint16 = 0xffff;

/** @returns the numbers of each word one after another; a word beyond their range is left out */
export function packWords(words: readonly WordSpan[]): Uint8Array {
  const numbers = words.flatMap(({ start, end, firstId, endId }) =>
    end <= maxUint16 ? [start, end, firstId, endId] : [],
  );
  return toBytes(Uint16Array.from(numbers));
}

export function packIdStarts(idStartsMs: Uint16Array | undefined): Uint8Array | null {
  return idStartsMs === undefined ? null : toBytes(idStartsMs);
}

/**
 * @param words of `packWords`
 * @param idStarts of `packIdStarts`
 * @returns undefined if the times are unknown
 */
export function computeWordTimes(words: Uint8Array | null, idStarts: Uint8Array | null): WordTime[] | undefined {
  if (words === null || idStarts === null) return undefined;
  const numbers = toNumbers(words);
  const starts = toNumbers(idStarts);
  return Array.from({ length: numbers.length / numbersPerWord }, (_, index) => {
    const [start = 0, end = 0, firstId = 0, endId = 0] = numbers.subarray(index * numbersPerWord);
    return { start, end, startMs: starts[firstId] ?? 0, endMs: starts[endId] ?? 0 };
  });
}

function toBytes({ buffer, byteOffset, byteLength }: Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A copy: the bytes of a row may begin at an odd address. */
function toNumbers(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(new Uint8Array(bytes).buffer);
}
