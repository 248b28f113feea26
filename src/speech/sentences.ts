import type { BlockKind, SourceSpan } from './document/block.ts';
import type { SpokenPiece } from './language/language.ts';

/** One sentence of the article: the unit that becomes a segment. */
export interface Sentence {
  readonly kind: BlockKind;
  /** The sentence as the reader sees it. */
  readonly text: string;
  readonly span: SourceSpan;
  /** The last of its block; a longer pause follows. */
  readonly endsBlock: boolean;
  /** What is said, run by run. */
  readonly pieces: readonly SpokenPiece[];
}
