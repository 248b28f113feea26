import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import type { LeftOutReason } from '../../src/speech/extract/block.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';

/** Word counts of a page: spoken, in the article, and in both. */
export interface PageScore {
  readonly name: string;
  readonly spoken: number;
  readonly article: number;
  readonly shared: number;
  /** Words of the article that are excluded on purpose: captions, code, notes, tables, embedded posts. */
  readonly onPurpose: number;
}

/**
 * Scores the extraction of the article from whole web pages. A page is a folder with `source.html` and `expected.html`, its article, as in
 * `test/test-pages` of mozilla/readability. Words are compared as multisets, without their order: a spoken word that is not in the article
 * is boilerplate, a word of the article that is not spoken is lost, unless it is excluded on purpose (captions, code, notes).
 */
export function scorePages(folder: string): PageScore[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'expected.html')))
    .sort()
    .map((name) => {
      const source = readFileSync(join(folder, name, 'source.html'), 'utf8');
      const { blocks, leftOut } = extractDocument({ content: source });
      const spoken = countWords(blocks.map(({ text }) => text).join('\n'));
      const article = countWords(extractText(readFileSync(join(folder, name, 'expected.html'), 'utf8')));
      let shared = 0;
      for (const [word, count] of spoken) shared += Math.min(count, article.get(word) ?? 0);
      const silent = countWords(
        leftOut
          .filter(({ reason }) => PURPOSES.has(reason))
          .map(({ span }) => extractText(source.slice(span.start, span.end)))
          .join('\n'),
      );
      let onPurpose = 0;
      for (const [word, count] of silent) {
        onPurpose += Math.min(count, Math.max(0, (article.get(word) ?? 0) - (spoken.get(word) ?? 0)));
      }
      return { name, spoken: sum(spoken), article: sum(article), shared, onPurpose };
    });
}

const PURPOSES: ReadonlySet<LeftOutReason> = new Set<LeftOutReason>([
  ...(['caption', 'code', 'footnote', 'table', 'embedded post', 'formula', 'struck out', 'ruby annotation'] as const),
]);

interface PagesSummary {
  readonly spoken: number;
  /** Share of the spoken words that are not in the article. */
  readonly boilerplate: number;
  /** Share of spoken words in the article, without those excluded on purpose. */
  readonly coverage: number;
  /** The same for all words of the article. */
  readonly wholeCoverage: number;
}

/** Adds up the words of all pages. */
export function summarizePages(pages: readonly PageScore[]): PagesSummary {
  const add = (value: (page: PageScore) => number) => pages.reduce((total, page) => total + value(page), 0);
  const shared = add((page) => page.shared);
  const spoken = add((page) => page.spoken);
  return {
    spoken,
    boilerplate: spoken === 0 ? 0 : 1 - shared / spoken,
    coverage: shared / add((page) => page.article - page.onPurpose),
    wholeCoverage: shared / add((page) => page.article),
  };
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  // A Chinese or Japanese character is a word.
  for (const [word] of text.toLowerCase().matchAll(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((total, count) => total + count, 0);
}

const INLINE = new Set(
  'a abbr b bdi bdo cite code em font i kbd mark q s samp small span strong sub sup u wbr'.split(' '),
);

function extractText(html: string): string {
  let text = '';
  let silent = 0;
  const parser = new Parser({
    onopentag: (name) => {
      if (name === 'script' || name === 'style') silent += 1;
      if (!INLINE.has(name)) text += ' ';
    },
    ontext: (part) => {
      if (silent === 0) text += part;
    },
    onclosetag: (name) => {
      if (name === 'script' || name === 'style') silent -= 1;
      if (!INLINE.has(name)) text += ' ';
    },
  });
  parser.end(html);
  return text;
}
