import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { scale } from '../fixtures/scale.ts';
import { testSeed } from '../fixtures/seed.ts';
import { countOwners } from './fixtures/owners.ts';

const extract = (content: string) => extractDocument({ content, contentType: 'text/markdown' });
const extractBlocks = (content: string) => extract(content).blocks.map(({ kind, text }) => `${kind}: ${text}`);
const listExcluded = (content: string) => extract(content).leftOut.map(({ reason, text }) => `${reason}: ${text}`);

describe('Markdown', () => {
  test.each([
    ['headings', '# One *two* #\n\nThree\n===\n\nFour\n---', ['heading: One two', 'heading: Three', 'heading: Four']],
    ['wrapped paragraphs', 'One\ntwo  \nthree\n\nFour', ['paragraph: One two three', 'paragraph: Four']],
    ['emphasis', '**One** *two **three*** _four_ ***five***', ['paragraph: One two three four five']],
    ['signs without a meaning', '5 * 3 a_b_c 2 ~ 3 \\*four\\* [sic]', ['paragraph: 5 * 3 a_b_c 2 ~ 3 *four* [sic]']],
    [
      'links',
      'See [one](/a "t"), [two][r], [r] and <https://x.example>.\n\n[r]: /b',
      ['paragraph: See one, two, r and https://x.example.'],
    ],
    ['quotations', '> One\n> two\nthree\n\nFour', ['quote: One two three', 'paragraph: Four']],
    [
      'lists',
      '- One\n  two\n\n  three\n- [x] four\n\nFive',
      ['list: One two', 'list: three', 'list: four', 'paragraph: Five'],
    ],
    ['numbers', '1. One\n2. two\n\nIt was\n1998. Then', ['list: One', 'list: two', 'paragraph: It was 1998. Then']],
    ['tables', '| A | B |\n|---|---|\n| one \\| two | three |', ['list: A: one | two, B: three']],
    ['HTML', 'One <b>two</b> &amp; three\n\n<div>\nfour\n</div>', ['paragraph: One two & three', 'paragraph: four']],
    [
      'classes of prices',
      'Chez Ann ($$), Bob = $$, C $$$ + D $$',
      ['paragraph: Chez Ann ($$), Bob = $$, C $$$ + D $$'],
    ],
    ['inline code', 'Use `a * b` and ``c ` d``.', ['paragraph: Use a * b and c ` d.']],
  ])('reads %s', (_name, content, expected) => {
    expect(extractBlocks(content)).toEqual(expected);
  });

  test.each([
    ['caption: ![a *b*](c.png)', 'One ![a *b*](c.png) two.'],
    ['code: ```js f(1) ```', 'One.\n\n```js\nf(1)\n```\n\nTwo.'],
    ['formula: $$y_1 = x$$', 'One $$y_1 = x$$ two.'],
    ['footnote: [^1]', 'One[^1] two.'],
    ['footnote: [^1]: City data. More.', 'One.\n\n[^1]: City data.\n  More.'],
    ['struck out: gone', 'One ~~gone~~ two.'],
    ['page furniture: --- title: One ---', '---\ntitle: One\n---\nTwo.'],
    ['script: f()', 'One.\n\n<script>\n\nf()\n</script>\nTwo.'],
    ['advertisement: Gone', 'One.\n\n<div class="ad-slot">\nGone\n</div>\n\nTwo.'],
  ])('lists excluded text: %s', (expected, content) => {
    expect(listExcluded(content)).toEqual([expected]);
  });

  test('has exact source offsets', () => {
    const content = '> It *rises* &amp;\n> [falls](/x).';
    const [block] = extract(content).blocks;
    expect(block?.text).toBe('It rises & falls.');
    const at = (word: string) => content[block?.sources[block.text.indexOf(word)] ?? -1];
    expect(['I', 'r', '&', 'f', '.'].map(at)).toEqual(['I', 'r', '&', 'f', '.']);
  });

  test('ends a truncated end tag with its block', () => {
    const content = 'One.\n\n<div hidden>Two</div x\n\nThree > four.';
    expect(extractBlocks(content)).toEqual(['paragraph: One.', 'paragraph: Three > four.']);
    const [hidden] = extract(content).leftOut;
    expect(content.slice(hidden?.span.start, hidden?.span.end)).not.toContain('Three');
  });

  const piece = fc.constantFrom(
    ...[
      'one ',
      'two',
      '*',
      '**',
      '_',
      '~~',
      '`',
      '[',
      '](/x)',
      '![',
      ']',
      '[^1]',
      '> ',
      '- ',
      '1. ',
      '# ',
      '\n',
      '\n\n',
      '  ',
    ],
    ...[
      '|',
      '\n|-|-|\n',
      '```\n',
      '---\n',
      '===\n',
      '<b>',
      '</b>',
      '<div>\n',
      '</div>',
      '&amp;',
      '\\',
      '!',
      ': ',
      '< ',
      '[^1]: ',
    ],
  );

  test('extracts or excludes each letter once, in order', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const content = pieces.join('');
        const document = extract(content);
        let end = 0;
        for (const { sources } of document.blocks) {
          expect(sources[0] ?? 0).toBeGreaterThanOrEqual(end);
          expect(sources.every((offset, index) => offset >= (sources[index - 1] ?? 0))).toBe(true);
          end = sources.at(-1) ?? 0;
        }
        expect(end).toBeLessThanOrEqual(content.length);
        const owners = countOwners(document, content);
        // The markup contains no letter of these words.
        const lost = [...content.matchAll(/one|two/g)].filter(({ index }) => owners[index] !== 1);
        expect(lost.map(({ index }) => content.slice(index, index + 20))).toEqual([]);
      }),
      { seed: testSeed, numRuns: 2_000 },
    );
  });

  test.each(['[a](', '*a **b ', '>', '> \n', '[a][b', '|a\n|-\n', '```\n~~~\n', '<a ', '<div>\n', '\\', '*_', '- '])(
    'a text that repeats %p ends',
    (part) => {
      const content = part.repeat(scale.characters / part.length);
      expect(extract(content).blocks.length).toBeLessThan(content.length);
    },
  );
});

test('plain text keeps its signs', () => {
  const document = extractDocument({ content: 'One *two* <b>three</b> &amp;', contentType: 'text/plain' });
  expect(document.blocks.map(({ text }) => text)).toEqual(['One *two* <b>three</b> &amp;']);
});

test.each([
  ['a heading', 'One.\n\n## Two *three*\n\nFour.', ['One.', 'Two three', 'Four.']],
  ['a link', 'See **the map** [of ports](https://ports.example/a).', ['See the map of ports.']],
  ['an image', 'One *two*.\n\n![A pier](pier.jpg)', ['One two.']],
])('text without content type and with %s is Markdown', (_sign, content, expected) => {
  expect(extractDocument({ content }).blocks.map(({ text }) => text)).toEqual(expected);
});

test.each([
  'It was **5** km, f**k.',
  '#1 of 3\nOne',
  '# 3 of 4\n\nTwo',
  'See [sic] (page 4) and f[x](y).',
  '- One\n\n> two',
])('text without content type stays plain: %p', (content) => {
  const plain = extractDocument({ content, contentType: 'text/plain' });
  expect(extractDocument({ content }).blocks).toEqual(plain.blocks);
});
