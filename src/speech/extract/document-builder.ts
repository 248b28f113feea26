import type { Block, LeftOut, LeftOutReason, SourceSpan } from './block.ts';
import { createLeftOut } from './block.ts';

const EXCERPT_UNITS = 2_000;
const ADDRESS = /^https?:\/\/\S{1,1000}$/i;
const INVISIBLE_REASONS: ReadonlySet<LeftOutReason> = new Set<LeftOutReason>(['script', 'style', 'hidden']);

/** A block on its way, with what tells whether it stays. */
export interface DraftBlock {
  readonly block: Block;
  /** How many units of its text are links. */
  readonly linkedUnits: number;
  /** Number of the quotation it belongs to; undefined: none. */
  readonly quote: number | undefined;
}

/** How far a draft had come. */
export interface Checkpoint {
  readonly blockCount: number;
  readonly leftOutCount: number;
  readonly letters: number;
  readonly linkedLetters: number;
}

/** What has been read of an article so far. The end of an element may still take back what stood in it. */
export class DocumentBuilder {
  readonly blocks: DraftBlock[] = [];
  readonly leftOut: LeftOut[] = [];
  /** Blocks that stand right before something that was left out, with its reason: headings of boxes are among them. */
  readonly beforeLeftOut = new Map<DraftBlock, LeftOutReason>();
  #letters = 0;
  #linked = 0;

  add(block: DraftBlock): void {
    this.blocks.push(block);
    this.#letters += block.block.text.length;
    this.#linked += block.linkedUnits;
  }

  checkpoint(): Checkpoint {
    return {
      blockCount: this.blocks.length,
      leftOutCount: this.leftOut.length,
      letters: this.#letters,
      linkedLetters: this.#linked,
    };
  }

  /** Letters, and letters of links, that have come since. */
  countSince(mark: Checkpoint): { letters: number; linked: number } {
    return { letters: this.#letters - mark.letters, linked: this.#linked - mark.linkedLetters };
  }

  /** Whether nothing but addresses has come since. */
  isAddressSince({ blockCount }: Checkpoint): boolean {
    return this.blocks.slice(blockCount).every(({ block }) => ADDRESS.test(block.text));
  }

  /** Takes back all since the mark, to put something else in its place. */
  removeSince(mark: Checkpoint): DraftBlock[] {
    const taken = this.blocks.splice(mark.blockCount);
    this.#letters = mark.letters;
    this.#linked = mark.linkedLetters;
    return taken;
  }

  /** Leaves out as one part all that came since the mark, what was left out of it before included. */
  leaveOutSince(mark: Checkpoint, reason: LeftOutReason, span: SourceSpan): void {
    const blocks = this.removeSince(mark);
    const parts = this.leftOut.splice(mark.leftOutCount);
    if (blocks.length === 0 && parts.length === 0) return;
    const before = this.blocks.at(-1);
    if (before) this.beforeLeftOut.set(before, reason);
    const shown = parts.filter((part) => !INVISIBLE_REASONS.has(part.reason));
    const texts = [
      ...blocks.map(({ block }) => ({ text: block.text, start: block.sources[0] ?? 0 })),
      ...(blocks.length + shown.length > 0 ? shown : parts).map(({ text, span: { start } }) => ({
        text,
        start,
      })),
    ].sort((one, other) => one.start - other.start);
    // A shortcode may end further on.
    const beyond = parts.filter((part) => part.span.end > span.end);
    this.leftOut.push(createLeftOut(buildExcerpt(texts), reason, span), ...beyond);
  }
}

function buildExcerpt(texts: readonly { readonly text: string }[]): string {
  let excerpt = '';
  for (const { text } of texts) {
    if (excerpt.length >= EXCERPT_UNITS) break;
    excerpt += `${text.slice(0, EXCERPT_UNITS)} `;
  }
  return excerpt;
}
