import type { Sentence } from './sentences.ts';

/** The first batch is small, so that the first sound needn't wait for the plan of the rest. */
const usualCounts = [3, 50];
/** A batch is one task of a worker, and others wait meanwhile. */
const unitsMax = 8_000;

/**
 * Sentences in portions that a worker is asked about at once.
 * @param counts how many sentences the first, the second … portion has at most; the last one holds for all that follow
 */
export function* batchesOf(
  sentences: readonly Sentence[],
  counts: readonly number[] = usualCounts,
): Generator<readonly Sentence[], undefined> {
  let batch: Sentence[] = [];
  let units = 0;
  let number = 0;
  for (const sentence of sentences) {
    const most = counts[Math.min(number, counts.length - 1)] ?? 1;
    const isFull = batch.length >= most || units + sentence.text.length > unitsMax;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      units = 0;
      number += 1;
    }
    batch.push(sentence);
    units += sentence.text.length;
  }
  if (batch.length > 0) yield batch;
}
