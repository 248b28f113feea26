import type { Certificate } from './posts-api.ts';

/** The sentences of one block. */
export interface SpokenBlock {
  readonly kind: string;
  readonly sentences: readonly string[];
}

/** A pause of at least this length, at speed 1, ends a block. Pauses between sentences are shorter. */
const blockPauseMs = 400;

/**
 * The article as it is spoken.
 * @param timings in order; without text if the site publishes none
 */
export function spokenBlocks(
  timings: readonly { index: number; kind: string; text?: string }[],
  { certificate }: Certificate,
): SpokenBlock[] {
  const { segments, speed } = certificate;
  const blocks: { kind: string; field: string; sentences: string[]; isOpen: boolean }[] = [];
  for (const { index, kind, text } of timings) {
    const certified = segments[index];
    if (text === undefined || certified === undefined) continue;
    const { field } = certified;
    const last = blocks.at(-1);
    const isOpen = certified.pause_ms * speed < blockPauseMs;
    if (last?.isOpen && last.kind === kind && last.field === field) {
      last.sentences.push(text);
      last.isOpen = isOpen;
    } else blocks.push({ kind, field, sentences: [text], isOpen });
  }
  return blocks;
}
