/** A sentence as it was planned. */
export interface PlannedSentence {
  readonly kind: string;
  readonly text: string;
  /** Null in plans of before it was written down. */
  readonly pause_ms: number | null;
}

/** A stretch of text that stands together. */
export interface Block {
  readonly kind: string;
  readonly text: string;
}

/** After a block the silence is longer than within it, at whatever speed. */
const withinBlockMaxMs = 400;

/**
 * The paragraphs, headings and list items that sentences came from; where the plan doesn't tell, each sentence stands alone.
 * @param speed with which they are spoken
 */
export function blocksOf(sentences: readonly PlannedSentence[], speed: number): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const { kind, text, pause_ms } of sentences) {
    const last = blocks.at(-1);
    if (isOpen && last?.kind === kind) {
      blocks[blocks.length - 1] = { kind, text: `${last.text} ${text}` };
    } else blocks.push({ kind, text });
    isOpen = pause_ms !== null && pause_ms * speed < withinBlockMaxMs;
  }
  return blocks;
}
