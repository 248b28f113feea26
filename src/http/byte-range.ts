/** What a `Range` header asks for: a stretch, the whole, or something the file hasn't got. */
export type ByteRange = { start: number; end: number } | 'whole' | 'unsatisfiable';

/**
 * Reads a `Range` header for one stretch; several stretches or another unit get the whole, as RFC 9110 allows.
 * @param byteCount length of the file
 * @returns `end` exclusive
 */
export function parseByteRange(header: string | null, byteCount: number): ByteRange {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const suffix = Number(last);
    if (suffix === 0 || byteCount === 0) return 'unsatisfiable';
    return { start: Math.max(0, byteCount - suffix), end: byteCount };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= byteCount) return 'unsatisfiable';
  return { start, end: last === '' ? byteCount : Math.min(Number(last) + 1, byteCount) };
}
