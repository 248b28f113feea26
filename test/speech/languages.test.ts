import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Language, parseTable } from '../../src/speech/normalize/language.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { scale } from '../fixtures/scale.ts';
import { readBoundaries, readPairs, simplifySpoken, splitSentences, verbalize } from '../score/pairs.ts';

const codes = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'] as const;

function findCorpus(code: string): string {
  return join(import.meta.dir, 'corpus', code);
}

/** Pieces follow each other without a gap from the first character to the last. */
function expectToCover(sentence: string, language: Language): void {
  let end = 0;
  for (const piece of language.normalize(sentence)) {
    if (piece.start !== end || piece.end <= piece.start) throw new Error(`a gap at ${end}`);
    end = piece.end;
  }
  expect(end).toBe(sentence.length);
}

describe('a language with normalization rules', () => {
  test.each(codes)('normalizes its corpus: %s', (code) => {
    const language = getLanguage(code);
    const results = readPairs(findCorpus(code)).map(({ kind, sentences, spoken }) => {
      const written = sentences.join(' ');
      for (const sentence of splitSentences(written, language)) expectToCover(sentence, language);
      return { kind, written, got: simplifySpoken(verbalize(written, language)), want: simplifySpoken(spoken) };
    });
    expect(results.length).toBeGreaterThanOrEqual(60);
    expect(results.filter(({ got, want }) => got !== want)).toEqual([]);
  });

  test.each(codes)('splits sentences: %s', (code) => {
    const language = getLanguage(code);
    const texts = [...readPairs(findCorpus(code)), ...readBoundaries(findCorpus(code))];
    for (const { sentences } of texts) {
      expect(splitSentences(sentences.join(' '), language)).toEqual([...sentences]);
    }
  });

  test.each([
    ['de', '0', 'null'],
    ['de', '16', 'sechzehn'],
    ['de', '301', 'dreihunderteins'],
    ['de', '21.000', 'einundzwanzigtausend'],
    ['de', '1.000.001', 'eine Million eins'],
    ['de', '2.000.000.000', 'zwei Milliarden'],
    ['fr', '0', 'zéro'],
    ['fr', '70', 'soixante-dix'],
    ['fr', '81', 'quatre-vingt-un'],
    ['fr', '99', 'quatre-vingt-dix-neuf'],
    ['fr', '200', 'deux cents'],
    ['fr', '201', 'deux cent un'],
    ['fr', '80 000', 'quatre-vingt mille'],
    ['fr', '200 000 000', 'deux cents millions'],
    ['es', '0', 'cero'],
    ['es', '22', 'veintidós'],
    ['es', '100', 'cien'],
    ['es', '101', 'ciento uno'],
    ['es', '21.000', 'veintiún mil'],
    ['es', '1.000.000', 'un millón'],
    ['es', '3.000.000.000', 'tres mil millones'],
    ['it', '101', 'centouno'],
    ['it', '1.000', 'mille'],
    ['it', '1.000.001', 'un milione uno'],
    ['it', '33.000', 'trentatremila'],
    ['pt', '100', 'cem'],
    ['pt', '1.100', 'mil e cem'],
    ['pt', '1.101', 'mil cento e um'],
    ['pt', '2.000.000', 'dois milhões'],
    ['nl', '22', 'tweeëntwintig'],
    ['nl', '1.000', 'duizend'],
    ['nl', '2.000.000.000', 'twee miljard'],
    ['pl', '21', 'dwadzieścia jeden'],
    ['pl', '1000', 'tysiąc'],
    ['pl', '2 000', 'dwa tysiące'],
    ['pl', '12 000', 'dwanaście tysięcy'],
    ['pl', '22 000 000', 'dwadzieścia dwa miliony'],
  ])('verbalizes numbers, %s: %s', (code, digits, spoken) => {
    expect(verbalize(digits, getLanguage(code))).toBe(spoken);
  });

  test.each(codes)('keeps every word and digit and outputs no long word: %s', (code) => {
    const language = getLanguage(code);
    expect(verbalize('1234567890'.repeat(4), language).split(/\s+/)).toHaveLength(40);
    expect(verbalize('Ελλάδα 世界 😀 x', language)).toBe('Ελλάδα   x');
    const longest = '987.654.321.987.654 '.repeat(3) + 'ß'.repeat(95);
    const words = verbalize(longest, language).split(/\s+/);
    expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(40);
  });

  const shapes = ['1', '1.', '1 ', '1/', 'A.', 'IV ', '1. Mai ', '€1', '+49 ', "l'", '» ', 'z. B. '];
  test.each(codes)(
    'reads long runs of anything in linear time: %s',
    (code) => {
      const language = getLanguage(code);
      for (const shape of shapes) {
        const text = shape.repeat(Math.floor(scale.characters / 5 / shape.length));
        expectToCover(text, language);
        const split = language.splitSentences(text).reduce((sum, { start, end }) => sum + end - start, 0);
        expect(split).toBeGreaterThanOrEqual(text.replace(/\s/g, '').length);
      }
    },
    60_000,
  );

  test.each([
    ['de', 'Ludwigs XIV. Hof, unter Elisabeth II. und der I. Weltkrieg.'],
    ['fr', 'Tél. : 01.23.45.67.89 – 24h/24, 3 €/kg, §5, « ½ ».'],
    ['es', '¿3.er puesto? ¡2 ½ kg! S. A. (c/ Mayor, 5) n.º 3…'],
  ])('covers every character of unusual texts, %s', (code, text) => {
    expectToCover(text, getLanguage(code));
  });
});

describe('a language without normalization rules', () => {
  test.each([
    ['el', 'Ήταν 5 Μαΐου. Γιατί; Ήρθε!', ['Ήταν 5 Μαΐου.', 'Γιατί;', 'Ήρθε!']],
    ['ar', 'وصل الوزير أمس. هل تحدث؟ نعم!', ['وصل الوزير أمس.', 'هل تحدث؟', 'نعم!']],
    ['zh', '今天有12人。你好吗？很好！', ['今天有12人。', '你好吗？', '很好！']],
    ['hi', 'आज वर्षा हुई। क्या हुआ? कुछ नहीं।', ['आज वर्षा हुई।', 'क्या हुआ?', 'कुछ नहीं।']],
    ['ja', '今日は晴れ。明日は雨だ。', ['今日は晴れ。', '明日は雨だ。']],
    ['ru', 'Он пришёл. Она — нет.', ['Он пришёл.', 'Она — нет.']],
  ])('is split into sentences and keeps every letter: %s', (code, text, sentences) => {
    const language = getLanguage(code);
    expect(splitSentences(text, language)).toEqual(sentences);
    const letters = (some: string) => some.replace(/[^\p{L}\p{M}\p{N}]/gu, '');
    for (const sentence of sentences) {
      expectToCover(sentence, language);
      expect(letters(verbalize(sentence, language))).toBe(letters(sentence));
    }
  });

  test('ends a sentence of Hindi with a sign that the phonemizer knows', () => {
    expect(verbalize('क्या हुआ? कुछ नहीं।', getLanguage('hi'))).toBe('क्या हुआ? कुछ नहीं.');
  });
});

test('an error of a table names the invalid entry', () => {
  expect(parseTable('a = one; = = equals')).toEqual({ a: 'one', '=': 'equals' });
  for (const invalid of ['b  two', 'b = two c = three', '']) {
    expect(() => parseTable(`a = one; ${invalid}`)).toThrow(`of a table: ${invalid}`);
  }
});
