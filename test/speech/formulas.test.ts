import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { scale } from '../fixtures/scale.ts';
import { simplifySpoken } from '../score/pairs.ts';

function read(content: string, language = 'en') {
  const document = extractDocument({ content });
  const { sentences } = buildSentences(document, getLanguage(language), createReplacer([], language));
  return {
    spoken: simplifySpoken(sentences.flatMap(({ tokens }) => tokens.map(({ spoken }) => spoken)).join('')),
    sources: sentences.flatMap(({ tokens }) => tokens.flatMap(({ pronouncedBy }) => pronouncedBy ?? [])),
    leftOut: document.leftOut.map(({ reason, text }) => `${reason}: ${text}`),
  };
}

function verbalize(formula: string, language = 'en'): string {
  return read(`<p>Say: <math>${formula}</math> now.</p>`, language).spoken.replace(/^say (.*) now$/, '$1');
}

const i = (text: string) => `<mi>${text}</mi>`;
const n = (text: string) => `<mn>${text}</mn>`;
const o = (text: string) => `<mo>${text}</mo>`;
const square = `<msup>${i('b')}${n('2')}</msup>`;
const solution = `<mfrac><mrow>${o('−')}${i('b')}${o('±')}<msqrt>${square}${o('−')}${n('4')}${i('a')}${i('c')}</msqrt></mrow>
  <mrow>${n('2')}${o('\u2062')}${i('a')}</mrow></mfrac>`;
const matrix = `<mtable><mtr><mtd>${i('q')}</mtd></mtr></mtable>`;

describe('a formula', () => {
  test.each([
    [square, 'b squared'],
    [`<msup>${i('x')}${n('3')}</msup>`, 'x cubed'],
    [`<msup>${n('10')}<mrow>${o('−')}${n('6')}</mrow></msup>`, 'ten to the power of minus six'],
    [`<mfrac>${i('p')}${i('q')}</mfrac>`, 'p over q'],
    [`<mfrac>${n('3')}${n('4')}</mfrac>`, 'three quarters'],
    [`<mroot>${i('x')}${n('3')}</mroot>`, 'the third root of x'],
    [`<msub>${i('v')}${n('0')}</msub>${o('=')}${i('λ')}${o('⋅')}${i('f')}`, 'v sub zero equals lambda times f'],
    [
      `<munderover>${o('∑')}<mrow>${i('k')}${o('=')}${n('1')}</mrow>${o('∞')}</munderover>${i('k')}`,
      'the sum from k equals one to infinity k',
    ],
    [
      `<semantics>${solution}<annotation encoding="application/x-tex">x</annotation></semantics>`,
      'minus b plus or minus the square root of b squared minus four a c over two a',
    ],
  ])('is spoken in English: %s', (formula, spoken) => {
    expect(verbalize(formula)).toBe(spoken);
  });

  test.each([
    ['de', 'p durch q plus b Quadrat'],
    ['fr', 'p sur q plus b au carré'],
    ['es', 'p entre q más b al cuadrado'],
  ])('is spoken in %s', (language, spoken) => {
    expect(verbalize(`<mfrac>${i('p')}${i('q')}</mfrac>${o('+')}${square}`, language)).toBe(spoken.toLowerCase());
  });

  test('keeps each letter in a language without words for it', () => {
    expect(verbalize(solution, 'sv').replace(/[^a-z]/g, '')).toBe('bbaca');
  });

  test('without a linear layout is spoken from its TeX or its text alternative', () => {
    const tex = String.raw`\frac{1}{2} m v^2 \leq \sqrt[3]{x_1} \text{ in joules}`;
    const annotated = `<semantics>${matrix}<annotation encoding="application/x-tex">${tex}</annotation></semantics>`;
    expect(verbalize(annotated)).toBe('one half m v squared at most the third root of x sub one in joules');
    expect(read(`<p>Take <math alttext="the identity matrix">${matrix}</math>.</p>`).spoken).toBe(
      'take the identity matrix',
    );
    const unknown = `<math alttext="\\begin{matrix}q\\end{matrix}">${matrix}</math>`;
    expect(read(`<p>Take ${unknown} now.</p>`)).toMatchObject({ spoken: 'take now', leftOut: ['formula: q'] });
  });

  test('is the source of the pronunciation of its words', () => {
    expect(new Set(read(`<p>It is <math>${square}</math>.</p>`).sources)).toEqual(new Set(['formula']));
  });

  test('is text if it is malformed or contains other elements', () => {
    expect(read(`<p>So <math>${i('x')}${o('=')}<b>y</b></math> here.</p>`).spoken).toBe('so x equals y here');
    expect(read('<p>So <math><mfrac><mi>x</mi> and the rest.</p>').spoken).toBe('so x and the rest');
  });

  test('is spoken or excluded at any nesting depth', () => {
    const nested = `${'<mrow>'.repeat(40)}${square}${'</mrow>'.repeat(40)}`;
    expect(verbalize(nested)).toBe('b squared');
    expect(
      read(`<p>Say: <math alttext="${'\\\\sqrt'.repeat(1_900)} x">${matrix}</math> now.</p>`).leftOut,
    ).toHaveLength(1);
  });

  test('takes linear time at any nesting depth', () => {
    for (const part of ['<math>', '<math><mfrac>', '<math><mi>x</mi></math>', '<mrow>', '<math alttext="x^{">']) {
      const content = `<p>Before.</p><math>${part.repeat(scale.characters / part.length)}</math><p>After.</p>`;
      expect(read(content).spoken).toStartWith('before');
    }
  });
});
