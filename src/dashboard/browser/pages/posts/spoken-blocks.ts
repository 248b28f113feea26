import type { TimedSentence } from './posts-api.ts';

/** A sentence of the transcript. */
export type ShownSentence = TimedSentence & { readonly text: string };

/** The sentences of a title, heading, paragraph or list item. */
export interface SpokenBlock {
  readonly kind: string;
  readonly sentences: readonly ShownSentence[];
}

/** The article as it is spoken. @param timings in order; without text if the site publishes none */
export function spokenBlocks(timings: readonly TimedSentence[]): SpokenBlock[] {
  const blocks: { kind: string; sentences: ShownSentence[] }[] = [];
  let isOpen = false;
  for (const { text, ...timing } of timings) {
    if (text === undefined) continue;
    const sentence = { ...timing, text };
    if (isOpen) blocks.at(-1)?.sentences.push(sentence);
    else blocks.push({ kind: timing.kind, sentences: [sentence] });
    isOpen = !timing.ends_block;
  }
  return blocks;
}
