import type { Sentence } from './sentences.ts';

/** So that the first sound needn't wait for the plan of the rest. */
const firstCount = 3;
const countMax = 50;
/** A batch is one task of a worker, and others wait meanwhile. */
const unitsMax = 8_000;

/** Sentences in portions that a worker is asked about at once. */
export function* batchesOf(sentences: readonly Sentence[]): Generator<readonly Sentence[]> {
  let batch: Sentence[] = [];
  let units = 0;
  let most = firstCount;
  for (const sentence of sentences) {
    const isFull = batch.length === most || units + sentence.text.length > unitsMax;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      units = 0;
      most = countMax;
    }
    batch.push(sentence);
    units += sentence.text.length;
  }
  if (batch.length > 0) yield batch;
}
