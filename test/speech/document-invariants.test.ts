import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ArticleDocument } from '../../src/speech/extract/block.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { testSeed } from '../fixtures/seed.ts';
import { countOwners } from './fixtures/owners.ts';

/** Pieces of markup and of text, so that a test knows what is text. */
const TAGS = (
  '<p>|</p>|<div>|</div>|<div class="ad-slot">|<div class="related-posts">|<div class="share">|<b>|</b>|<span hidden>|</span>|' +
  '<span class="more-link">|<a href="x">|<a href="#fn1">|</a>|<sup>|</sup>|<ul>|<li>|</ul>|<br>|<nav>|</nav>|<aside>|' +
  '<aside class="pullquote">|</aside>|<table>|<table role="presentation">|<caption>|<thead>|<tr>|<th>|</th>|<td>|<td colspan="2">|' +
  '<td rowspan=3>|</td>|</tr>|</table>|<h1>|<h2>|</h2>|</h1>|<button>|</button>|<blockquote>|<blockquote class="twitter-tweet">|' +
  '</blockquote>|<form>|</form>|<figure>|<figcaption>|</figcaption>|</figure>|<del>|</del>|<div class="footnotes">|<header>|' +
  '</header>|<article>|</article>|<p class="k">|<b class="k">|<div class="u">|<i lang="fr">|</i>|<svg>|</svg>|<hr>|<img alt="x">|' +
  '<!-- note -->|<main>|</main>|<code>|</code>|<pre>|</pre>|<ruby>|<rt>|</ruby>|<o:p></o:p>'
).split('|');
const TEXTS = [
  ...['word ', 'two words', 'Read more: ', 'a', '12', ' ', '\n\n', '😀', '***', 'the sea rose by two metres'],
  ...[
    '&amp;',
    '&#8217;',
    '&nbsp;',
    '&zzz',
    'x &lt; y',
    '[gallery ids="1"]',
    '[caption width="2"]',
    '[/caption]',
    '[sic]',
    '[box]',
    '[/box]',
    '[a_b]',
  ],
];

interface Piece {
  readonly source: string;
  readonly isText: boolean;
}

const ELEMENTS = TAGS.filter((tag) => /^<[a-z]/.test(tag) && !/^<(?:br|hr|img|o:p)/.test(tag));
const tag = (source: string): Piece => ({ source, isText: false });
const around = (start: string, content: readonly Piece[]): Piece[] => [
  tag(start),
  ...content,
  tag(`</${/[a-z0-9]+/.exec(start)?.[0]}>`),
];

const piece = fc.oneof(
  fc.constantFrom(...TAGS).map(tag),
  fc.constantFrom(...TEXTS).map((source): Piece => ({ source, isText: true })),
);

/** Well-formed nested elements with an occasional stray piece. */
const { nodes } = fc.letrec<{ nodes: Piece[]; node: Piece[]; table: Piece[] }>((tie) => ({
  nodes: fc.array(tie('node'), { maxLength: 6 }).map((parts) => parts.flat()),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...TEXTS).map((source) => [{ source, isText: true }]),
    { arbitrary: piece.map((piece) => [piece]), weight: 1 },
    {
      arbitrary: fc.tuple(fc.constantFrom(...ELEMENTS), tie('nodes')).map(([start, content]) => around(start, content)),
      weight: 3,
    },
    tie('table'),
  ),
  table: fc
    .array(
      fc.array(fc.tuple(fc.constantFrom('<th>', '<td>', '<td class="ad">'), tie('nodes')), {
        maxLength: 3,
      }),
      {
        maxLength: 3,
      },
    )
    .map((rows) =>
      around(
        '<table>',
        rows.flatMap((cells) =>
          around(
            '<tr>',
            cells.flatMap(([start, content]) => around(start, content)),
          ),
        ),
      ),
    ),
}));
const article = fc.oneof(fc.array(piece, { maxLength: 60 }), nodes);
/** Start of a fragment or of a whole page. */
const start = fc.constantFrom('<p>', '<html><body><p>');
const reading = fc.record({
  leave_out: fc.subarray(['.u', 'div > p', 'h2', 'table b']),
  keep: fc.subarray(['.k', 'aside b', 'td', 'figcaption']),
  tables: fc.constantFrom('rows' as const, 'none' as const),
});

/** Letters and digits that are in no part of the document, or in more than one. */
function findLostOrDuplicate(document: ArticleDocument, pieces: readonly Piece[]): string[] {
  const source = pieces.map((piece) => piece.source).join('');
  const owners = countOwners(document, source);
  const found: string[] = [];
  let start = 0;
  for (const piece of pieces) {
    // Other tests cover decoded entities.
    const text = piece.isText ? piece.source.replace(/&#?\w+;?/g, (entity) => ' '.repeat(entity.length)) : '';
    for (const { index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
      const count = owners[start + index];
      if (count !== 1) found.push(`${source.slice(start + index, start + index + 8)} in ${count}`);
    }
    start += piece.source.length;
  }
  return found;
}

function expectValidDocument({ blocks, leftOut }: ArticleDocument, source: string): void {
  let blockEnd = 0;
  for (const { text, sources, languages } of blocks) {
    expect(text).toBe(text.trim());
    expect(text).not.toBe('');
    expect(sources).toHaveLength(text.length + 1);
    expect(sources[0] ?? 0).toBeGreaterThanOrEqual(blockEnd);
    expect(sources.every((offset, index) => offset >= (sources[index - 1] ?? 0))).toBe(true);
    blockEnd = sources.at(-1) ?? 0;
    let runEnd = 0;
    for (const { start, end } of languages) {
      expect(start).toBeGreaterThanOrEqual(runEnd);
      expect(end).toBeGreaterThan(start);
      runEnd = end;
    }
    expect(runEnd).toBeLessThanOrEqual(text.length);
  }
  expect(blockEnd).toBeLessThanOrEqual(source.length);
  let partEnd = 0;
  for (const { text, span } of leftOut) {
    expect(span.start).toBeGreaterThanOrEqual(partEnd);
    expect(span.end).toBeGreaterThan(span.start);
    expect(text.length).toBeLessThanOrEqual(200);
    partEnd = span.end;
  }
  expect(partEnd).toBeLessThanOrEqual(source.length);
}

describe('extraction of any article', () => {
  test('extracts or excludes each letter exactly once', () => {
    fc.assert(
      fc.property(start, article, reading, (start, pieces, set) => {
        const content = `${start}${pieces.map(({ source }) => source).join('')}`;
        const document = extractDocument({ content }, { ...defaultNarrationSettings, ...set });
        expectValidDocument(document, content);
        expect(findLostOrDuplicate(document, [{ source: start, isText: false }, ...pieces])).toEqual([]);
      }),
      { seed: testSeed, numRuns: 1_500 },
    );
  });

  test('returns parts in order and within the source, also without markup', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .array(
          fc.oneof(
            fc.constantFrom(
              ...TAGS,
              ...TEXTS,
              '<',
              '>',
              '"',
              '&',
              '<!--',
              '<![CDATA[',
              ']]>',
              '</',
              '<script>',
              '[',
              '=',
            ),
            fc.string({ maxLength: 5 }),
          ),
          { maxLength: 60 },
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(noise, reading, (content, set) => {
        expectValidDocument(extractDocument({ content }, { ...defaultNarrationSettings, ...set }), content);
      }),
      { seed: testSeed, numRuns: 1_000 },
    );
  });
});
