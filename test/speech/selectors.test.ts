import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { validateSelector } from '../../src/speech/extract/selectors.ts';
import { defaultNarrationSettings, type NarrationSettings } from '../../src/speech/narration-settings.ts';
import { scale } from '../fixtures/scale.ts';

/** @returns spoken blocks, and excluded text as `reason: text` */
function read(content: string, reading: Partial<NarrationSettings>): [string[], string[]] {
  const { blocks, leftOut } = extractDocument({ content }, { ...defaultNarrationSettings, ...reading });
  return [blocks.map(({ text }) => text), leftOut.map(({ reason, text }) => `${reason}: ${text}`)];
}

const page =
  '<div id="top" class="intro lead"><p>One <b>two</b>.</p></div>' +
  '<ul class="list"><li data-kind="note">Three</li><li data-kind="notice-big" title="A B">Four</li></ul><p>Five</p>';

describe('SelectorMatcher', () => {
  test.each([
    ['b', ['two']],
    ['B', ['two']],
    ['.lead', ['One two.']],
    ['#top', ['One two.']],
    ['div.intro.lead#top', ['One two.']],
    ['.intro.list', []],
    ['.Lead', []],
    ['div b', ['two']],
    ['div > b', []],
    ['div > p > b', ['two']],
    ['#top p, li', ['One two.', 'Three', 'Four']],
    ['ul *', ['Three', 'Four']],
    ['p b p', []],
    ['[data-kind]', ['Three', 'Four']],
    ['[data-kind=note]', ['Three']],
    ['[data-kind="NOTE" i]', ['Three']],
    ['[data-kind^=not]', ['Three', 'Four']],
    ['[data-kind$=big]', ['Four']],
    ['[data-kind*=tice]', ['Four']],
    ['[data-kind*=""]', []],
    ['[data-kind|=notice]', ['Four']],
    ['[title~=B]', ['Four']],
    ['li[data-kind!=note]', ['Four']],
    ['li:not([title])', ['Three']],
    ['p:not(.a, .b)', ['One two.', 'Five']],
    ['ul :is(b, [title])', ['Four']],
    ['li ~ p', undefined],
  ] as const)('%s', (selector, expected) => {
    if (expected === undefined) {
      expect(validateSelector(selector)).toBeDefined();
      return;
    }
    const [, leftOut] = read(page, { leave_out: [selector] });
    expect(leftOut).toEqual(expected.map((text) => `left out by the site: ${text}`));
  });

  test('uses open elements only', () => {
    const content = '<div class="a"><p>One</p></div><p>Two</p><div class="b"><p>Three</p></div>';
    expect(read(content, { leave_out: ['.a p', '.b > p'] })[0]).toEqual(['Two']);
  });
});

describe('validateSelector rejects', () => {
  test.each([
    ['li:nth-child(2)', '":nth-child(2)" cannot be evaluated on a start tag'],
    ['p:first-child', '":first-child" cannot be evaluated on a start tag'],
    ['div:has(img)', '":has(img)" cannot be evaluated on a start tag'],
    ['h2 + p', '"+" cannot be evaluated on a start tag'],
    ['h2 ~ p', '"~" cannot be evaluated on a start tag'],
    ['p::before', '"::before" cannot be evaluated on a start tag'],
    ['svg|a', '"svg|a": namespaces are not supported'],
    ['p:not(.a .b)', 'descendant selectors inside :not() or :is() are not supported'],
    ['> p', 'missing element before a combinator'],
    ['p >', 'missing element at the end'],
    ['  ', 'it is empty'],
    ['p, , b', 'Empty sub-selector'],
    ['a[href', "Attribute selector didn't terminate"],
    ['.a'.repeat(51), 'it has more than 50 parts'],
  ])('%s', (selector, reason) => {
    expect(validateSelector(selector)).toBe(`${JSON.stringify(selector)} is not supported: ${reason}`);
  });
});

describe('leave_out and keep', () => {
  test('excludes matches with the reason of the site', () => {
    const content = '<p>One</p><div class="promo"><p>Buy</p></div><p>Two <i class="x">gone</i> three</p>';
    expect(read(content, { leave_out: ['.promo', '.x'] })).toEqual([
      ['One', 'Two three'],
      ['left out by the site: Buy', 'left out by the site: gone'],
    ]);
  });

  test.each([
    ['an aside', '<aside class="k"><p>Facts</p></aside>'],
    ['a caption', '<figure><figcaption class="k">Facts</figcaption></figure>'],
    ['a hidden element', '<div class="k" hidden>Facts</div>'],
    ['an element in a hidden one', '<div hidden><p class="k">Facts</p></div>'],
    ['boilerplate by class', '<div class="share-bar k">Facts</div>'],
    ['an element in boilerplate', '<div class="share-bar"><p class="k">Facts</p></div>'],
    ['a table', '<table class="k"><tr><td>Facts</td><td>1</td></tr></table>'],
    ['code', '<pre class="k">Facts</pre>'],
  ])('keep %s', (_name, html) => {
    const [blocks] = read(`<p>One</p>${html}<p>Two</p>`, { keep: ['.k'], tables: 'none' });
    expect(blocks[1]).toStartWith('Facts');
    expect(blocks).toHaveLength(3);
  });

  test('the nearest match wins, and keep wins at equal distance', () => {
    const content = '<div class="a"><p>One</p><div class="b"><p>Two</p><p class="a">Three</p></div>Four</div>';
    const reading = { leave_out: ['.a'], keep: ['.b'] };
    expect(read(content, reading)).toEqual([
      ['Two'],
      ['left out by the site: One', 'left out by the site: Three', 'left out by the site: Four'],
    ]);
    expect(read('<p class="a b">Both</p>', reading)[0]).toEqual(['Both']);
  });

  test('separate words of different blocks', () => {
    const content = '<aside><p>a <b>One</b> b</p><p><b>Two</b></p></aside>';
    expect(read(content, { keep: ['b'] })[0]).toEqual(['One', 'Two']);
  });

  test('never speak a script', () => {
    expect(read('<p>One</p><script>x</script><style>y</style>', { keep: ['*'] })[0]).toEqual(['One']);
  });

  test('ignore a stored selector that is not supported', () => {
    expect(read('<p>One</p><b>two</b>', { leave_out: ['p:nth-child(1)', 'b'] })[0]).toEqual(['One']);
  });
});

test('supports 100 selectors in 50,000 nested elements', () => {
  const selectors = Array.from({ length: 100 }, (_, n) => `div > div:not(.x${n}) > b.y${n}, p *`);
  const content = `${'<div>'.repeat(50_000)}<b class="y7">gone</b> One`;
  expect(read(content, { leave_out: selectors })).toEqual([['One'], ['left out by the site: gone']]);
}, 60_000);

describe('many tests of a long article', () => {
  /** @returns as many selectors as a site may have, each with 40 alternatives */
  const manySelectors = (part: (index: number) => string) =>
    Array.from({ length: 100 }, (_, selector) => {
      const alternatives = Array.from({ length: 40 }, (_, index) => part(selector * 40 + index));
      return `:is(${alternatives.join(',')})`;
    });
  const units = scale.characters - 1_000;

  test('parse the words of an attribute once', () => {
    const content = `<p q="${'x '.repeat(units / 2)}">One</p>`;
    const leave_out = manySelectors((index) => `[q~=z${index}]`);
    expect(read(content, { leave_out, keep: leave_out })[0]).toEqual(['One']);
  });

  test.each([
    ['of long attributes', `<p q="${'ab'.repeat(units / 2)}">One</p>`, (index: number) => `[q*=ab${index}]`],
    ['of many elements', '<p>a'.repeat(12_000), (index: number) => `z${index}`],
  ])('%s fail with a clear message', (_, content, part) => {
    expect(() => read(content, { leave_out: manySelectors(part) })).toThrow(
      'the CSS selectors of the site (`leave_out`, `keep`) take too much time on this article',
    );
  });
});
