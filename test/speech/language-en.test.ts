import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NormalizedToken } from '../../src/speech/normalize/language.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { scale } from '../fixtures/scale.ts';

const english = getLanguage('en');

function verbalize(sentence: string): string {
  return english
    .normalize(sentence)
    .map((piece) => piece.spoken)
    .join('');
}

function splitSentences(text: string): string[] {
  return english.splitSentences(text).map(({ start, end }) => text.slice(start, end));
}

/** Words only: how a voice pauses and how initials are joined ("F.B.I", "F B I") is no matter here. */
function toWords(spoken: string): string {
  return spoken
    .toLowerCase()
    .replace(/(?<=(?:^|[^\p{L}])\p{L})\./gu, ' ')
    .replace(/[-–—]/g, ' ')
    .replace(/[^\p{L}\p{N}'’\s]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function expectToCover(sentence: string, pieces: NormalizedToken[]): void {
  let end = 0;
  let gaps = 0;
  for (const piece of pieces) {
    if (piece.start !== end || piece.end <= piece.start) gaps++;
    end = piece.end;
  }
  expect({ gaps, end }).toEqual({ gaps: 0, end: sentence.length });
}

const newsPairs = readFileSync(join(import.meta.dir, 'fixtures/english.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [string, string, string]);

describe('normalize of English', () => {
  test.each(newsPairs)('normalizes %s: %s', (_class, written, spoken) => {
    expect(toWords(verbalize(written))).toBe(toWords(spoken));
  });

  test.each(newsPairs)('covers every character, %s: %s', (_class, written) => {
    expectToCover(written, english.normalize(written));
  });

  test('keeps punctuation', () => {
    expect(verbalize('Wait, he paid $12; then left!')).toBe('Wait, he paid twelve dollars; then left!');
    expect(verbalize('Is it 5?')).toBe('Is it five?');
  });

  test('turns a dash between words into a comma and drops it at an edge', () => {
    expect(verbalize('He left — at last – for home.')).toBe('He left, at last, for home.');
    expect(verbalize('— Yes')).toBe('Yes');
  });

  test('ends a sentence whose last word is an abbreviation', () => {
    expect(verbalize('It ends at 3 p.m.')).toBe('It ends at three P.M.');
    expect(verbalize('They live in the U.S.')).toBe('They live in the U.S.');
    expect(verbalize('He works for Apple Inc.')).toBe('He works for Apple Incorporated.');
  });

  test('drops emoji and quotation marks, but not the words around them', () => {
    expect(verbalize('“Great” 😀👍 news')).toBe('Great  news');
  });

  test('excludes words of scripts that an English voice would spell', () => {
    expect(verbalize('Привет, мир')).toBe('');
    expect(verbalize('مرحبا means hello, नमस्ते too')).toBe(' means hello, नमस्ते too');
  });

  test.each([
    ['letters', 'a'.repeat(95)],
    ['digits', '7'.repeat(95)],
    ['emoji-laden', `${'😀'.repeat(30)}word`],
    ['accents', 'e\u0301'.repeat(60)],
    ['astral letters', `a${'𐐀'.repeat(50)}`],
  ])('outputs no word of more than 40 characters: %s', (_name, sentence) => {
    const pieces = english.normalize(sentence);
    expectToCover(sentence, pieces);
    const longest = Math.max(
      ...pieces
        .map((piece) => piece.spoken)
        .join('')
        .split(/\s+/)
        .map((word) => word.length),
    );
    expect(longest).toBeLessThanOrEqual(40);
    expect(pieces.every((piece) => piece.end - piece.start <= 40)).toBe(true);
    expect(pieces.every((piece) => piece.spoken.isWellFormed())).toBe(true);
  });

  test('keeps every letter of a long word', () => {
    const word = 'abcdefghij'.repeat(10);
    expect(verbalize(word).replace(/ /g, '')).toBe(word);
    expect(verbalize(word)).toMatch(/^\S{1,40}( \S{1,40})+$/);
  });

  test('speaks every digit of a long number', () => {
    expect(verbalize('1234567890'.repeat(4)).split(/\s+/).length).toBe(40);
  });

  const length = scale.characters;
  const shapes = [
    'a',
    '1',
    '.',
    '(',
    '$1',
    '1-',
    '1,',
    '1.',
    'a.',
    'A.',
    'A',
    'a@',
    '@a',
    '#',
    "'",
    '-',
    '– ',
    ' ',
    '1 ',
    'a1',
    '1/',
    '1:',
    '%',
    '$',
    '/',
    'w/',
    'I',
    'IV ',
    'St. ',
    'May 1 ',
    '1 May ',
    'a.com',
    'http://',
    '1st',
    '😀',
    'é',
    '_',
    '\u200d',
    'R-A, ',
    '1-1, ',
    '@Aa',
  ];
  test.each(shapes)(
    'reads a long run of %p in linear time',
    (shape) => {
      const sentence = shape.repeat(Math.floor(length / shape.length));
      expectToCover(sentence, english.normalize(sentence));
    },
    60_000,
  );
});

describe('sentences of English', () => {
  test.each([
    ['titles', ['Mr. Smith met Dr. Jones.', 'They spoke.']],
    ['initials', ['James T. Kirk and J. K. Rowling met.', 'So did J.R.R. Tolkien.']],
    ['saints and streets', ['St. Mary lives on Main St. near here.', 'He left Elm St. by car.']],
    ['a street at the end', ['He lives on Elm St.', 'It is quiet.']],
    ['numbers', ['He is No. 10 in line.', 'He said no.', 'She agreed.']],
    ['countries', ['The U.S. Senate met.', 'He left the U.S.', 'He came back.']],
    ['the clock', ['It starts at 3 p.m. Monday.', 'It ends at 5 p.m.', 'He will come.']],
    ['the clock before a name', ['He left at 3 p.m.', 'Smith stayed.']],
    ['Latin', ['Metals, e.g. Copper, fell.', 'Others, i.e. Tin, rose.']],
    ['companies', ['Apple Inc. and Ford Motor Co. met.', 'He sued Apple Inc.', 'The case is open.']],
    ['speech', ['"Stop!" he said.', '"Go."', 'She left.']],
    ['speech in curly quotes', ['“Stop!” he said.', '“Why?” she asked.']],
    ['brackets', ['He left (she stayed.) and so on.']],
    ['ellipses', ['Well... maybe.', 'I wonder… perhaps not.']],
    ['decimals', ['It rose 3.5 points.', 'It fell .2 points.']],
    ['addresses', ['See example.com or www.test.org/a.b.', 'Then leave.']],
    ['counted items', ['1. Wash the rice.', '2. Boil it.']],
    ['dates', ['It opens Jan. 5 in Rome.', 'It closes Sept. 9.']],
    ['questions', ['Who?', 'What!', 'Where?!', 'There.']],
    ['a plan by a letter', ['This is Plan B.', 'The other failed.']],
    ['numbers at the start', ['It was a tie.', '5,000 fans left.', '10 stayed… 3 came back.']],
    ['a time at the start', ['At 6 p.m. Mr. Lee spoke.', 'In Feb. Smith left.']],
    ['numbers after abbreviations', ['See Apt. 4B, Fig. 3, c. 1900 and approx. 5 km.', 'It rained.']],
  ])('does not split: %s', (_name, expected) => {
    expect(splitSentences(expected.join(' '))).toEqual(expected);
  });

  test('covers all text except white space, in order', () => {
    const text = '  Hello there.   How are you?\u00a0Fine... thanks!  (Really.) ';
    const joined = splitSentences(text).join('');
    expect(joined.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    for (const { start, end } of english.splitSentences(text)) {
      expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
    }
  });

  test.each(['a', '. ', 'A. ', 'a. ', '"', '! ', 'Mr. ', '1. ', 'x.) ', '. 1'])(
    'splits a long run of %p in linear time',
    (shape) => {
      const text = shape.repeat(Math.floor(scale.characters / shape.length));
      const length = english.splitSentences(text).reduce((sum, { start, end }) => sum + end - start, 0);
      expect(length).toBeGreaterThanOrEqual(text.replace(/\s/g, '').length);
    },
    60_000,
  );
});

describe('getLanguage', () => {
  test('accepts any region of English', () => {
    expect(getLanguage('en-GB').code).toBe('en');
    expect(getLanguage('EN_us').code).toBe('en');
  });

  test.each(['sv', 'ro', 'ru', 'ar', 'hi', 'zh', 'xx', '', 'not a code'])(
    'reads any other language as it stands, but for words its voices can only spell: %s',
    (code) => {
      const hasScript = /^[a-z]{2}$/.test(code) && code !== 'xx';
      const language = getLanguage(code);
      const text = 'Straße 12, naïve мир — «да»! नमस्ते 世界。 5 % 😀 end';
      for (const { start, end } of language.splitSentences(text)) {
        const sentence = text.slice(start, end);
        expectToCover(sentence, language.normalize(sentence));
      }
      const spoken = language
        .normalize(text)
        .map((piece) => piece.spoken)
        .join('');
      expect(spoken).toBe(
        text
          .replace(/мир|да/g, code === 'ru' || !hasScript ? '$&' : '')
          .replace('世界', code === 'zh' || !hasScript ? '$&' : '')
          .replace('—', ', ')
          .replace(/[«»😀]/gu, ''),
      );
    },
  );

  test('splits words that are too long for espeak-ng in any language', () => {
    const pieces = getLanguage('de').normalize('ß'.repeat(100));
    expect(pieces.map((piece) => piece.spoken.length)).toEqual([41, 41, 20]);
  });
});
