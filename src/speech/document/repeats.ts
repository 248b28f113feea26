import type { Block, LeftOut } from './block.ts';
import type { DraftBlock } from './draft.ts';
import { leaveOutBlock } from './left-out.ts';

/** Further down, a heading that happens to equal the title is the author's. */
const TITLE_REPEATED_WITHIN = 3;
/** Fewer letters may be said twice by chance. */
const QUOTE_LETTERS_MIN = 15;
/** Beyond so many, quotations are read without asking whether they repeat something. */
const QUOTES_MAX = 50;
/** A name under the words that repeat. */
const SOURCE_LETTERS_MAX = 80;

/** What is left of the blocks, and what is left out. */
interface Sifted {
  readonly kept: DraftBlock[];
  readonly leftOut: LeftOut[];
}

/** Leaves out headings at the top that say what the title has said. */
export function withoutRepeatedTitle(blocks: DraftBlock[], title: Block | undefined): Sifted {
  const spokenTitle = lettersOf(title?.text ?? '');
  if (spokenTitle === '') return { kept: blocks, leftOut: [] };
  const repeated = blocks
    .slice(0, TITLE_REPEATED_WITHIN)
    .filter(({ block }) => block.kind === 'heading' && lettersOf(block.text) === spokenTitle);
  return {
    kept: blocks.filter((block) => !repeated.includes(block)),
    leftOut: repeated.map(({ block }) => leaveOutBlock(block, 'repeats the title')),
  };
}

/** Leaves out quotations whose words stand in the text as well, as words of the text are set large beside it. */
export function withoutRepeatedQuotes(blocks: DraftBlock[]): Sifted {
  const quotes = new Map<number, DraftBlock[]>();
  for (const block of blocks) {
    if (block.quote === undefined) continue;
    const known = quotes.get(block.quote);
    if (known) known.push(block);
    else quotes.set(block.quote, [block]);
  }
  if (quotes.size === 0) return { kept: blocks, leftOut: [] };
  const text = blocks
    .filter(({ quote }) => quote === undefined)
    .map(({ block }) => lettersOf(block.text))
    .join(' ');
  const repeated = new Set(
    [...quotes.values()]
      .slice(0, QUOTES_MAX)
      .filter((quote) => repeats(quote, text))
      .flat(),
  );
  return {
    kept: blocks.filter((block) => !repeated.has(block)),
    leftOut: [...repeated].map(({ block }) => leaveOutBlock(block, 'repeats the text')),
  };
}

/** Every block of it stands in the text, but for a last one that says whose words they are. */
function repeats(quote: readonly DraftBlock[], text: string): boolean {
  const said = quote.map(({ block }) => lettersOf(block.text));
  const last = said.at(-1) ?? '';
  const hasSource = said.length > 1 && last.length <= SOURCE_LETTERS_MAX && !text.includes(last);
  const words = hasSource ? said.slice(0, -1) : said;
  return words.every((one) => text.includes(one)) && words.join('').length >= QUOTE_LETTERS_MIN;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
