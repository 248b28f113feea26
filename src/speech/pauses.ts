import type { BlockKind } from './document/block.ts';
import type { Sentence } from './sentences.ts';

/** Silence after the last sentence of a block, in ms: what a newsreader leaves. */
const afterBlockMs: Record<BlockKind, number> = {
  title: 900,
  heading: 700,
  paragraph: 600,
  quote: 650,
  list: 450,
};
const betweenSentencesMs = 320;
/** Between two voices in one sentence. */
const betweenVoicesMs = 120;

/** @returns the silence after a sentence, in ms; it depends on nothing but the sentence's own place */
export function pauseAfter(
  sentence: Pick<Sentence, 'kind' | 'endsBlock' | 'continues' | 'passesOn'>,
): number {
  if (sentence.continues) return 0;
  if (sentence.passesOn) return betweenVoicesMs;
  return sentence.endsBlock ? afterBlockMs[sentence.kind] : betweenSentencesMs;
}
