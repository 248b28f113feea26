import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { testSeed } from '../fixtures/seed.ts';
import { readBoundaries, readPairs, simplifySpoken, splitSentences, verbalize } from '../score/pairs.ts';

const english = getLanguage('en');
const folder = join(import.meta.dir, 'corpus/en');
const pairs = readPairs(folder);
const boundaries = readBoundaries(folder);
const kinds = [...new Set(pairs.map(({ kind }) => kind))];
const texts = [...pairs, ...boundaries].map(({ sentences }) => sentences.join(' '));

describe('the corpus of English news sentences', () => {
  test('has at least 300 sentences, 8 of each class', () => {
    expect(pairs.length).toBeGreaterThanOrEqual(300);
    for (const kind of kinds) {
      expect(pairs.filter((pair) => pair.kind === kind).length).toBeGreaterThanOrEqual(8);
    }
  });

  test.each(kinds)('is normalized as expected: %s', (kind) => {
    const ofKind = pairs.filter((pair) => pair.kind === kind);
    const actual = ofKind.map(({ sentences }) => simplifySpoken(verbalize(sentences.join(' '), english)));
    expect(actual).toEqual(ofKind.map(({ spoken }) => simplifySpoken(spoken)));
  });

  test('is split into its sentences', () => {
    const split = texts.map((text) => splitSentences(text, english));
    expect(split).toEqual([...pairs, ...boundaries].map(({ sentences }) => [...sentences]));
  });
});

describe('normalization of any text', () => {
  test('covers every sentence of the corpus and speaks each letter and digit', () => {
    for (const text of texts) expectAllSpoken(text);
  });

  const word = fc.constantFrom(...new Set(texts.flatMap((text) => text.split(' '))));
  const sign = fc.constantFrom(
    ...' .,;:!?…-–—/\\()[]{}<>"\'“”‘’@#$€£¥¢%‰&*+=~^_|°ºª²³½⅓№§¶©®™µ•→😀👍🏽\u00a0\u00ad\u200d\n',
  );
  const run = fc.oneof(
    fc.integer({ min: 0, max: 9_999_999 }).map(String),
    fc.string({ unit: fc.constantFrom(...'abcxyzABCIVXLMséßЖש世ａ①'), maxLength: 6 }),
  );

  test('covers and speaks the words of the corpus in random order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.constantFrom(' ', ' ', '', '-', '/', ', ')), { maxLength: 12 }), (words) =>
        expectAllSpoken(words.flat().join('')),
      ),
      { seed: testSeed, numRuns: 1_500 },
    );
  });

  test('covers and speaks random signs, digits and letters', () => {
    const mixture = fc.array(fc.oneof(run, sign, word), { maxLength: 14 });
    fc.assert(
      fc.property(mixture, (parts) => expectAllSpoken(parts.join(''))),
      { seed: testSeed, numRuns: 1_500 },
    );
  });

  test('covers and speaks random Unicode text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), expectAllSpoken), {
      seed: testSeed,
      numRuns: 1_000,
    });
  });
});

/** Sentences leave out whitespace only; pieces follow each other; none with a letter or a digit is silent without a reason. */
function expectAllSpoken(text: string): void {
  let from = 0;
  for (const { start, end } of english.splitSentences(text)) {
    expect(text.slice(from, start).trim()).toBe('');
    expectTokensSpeak(text.slice(start, end));
    from = end;
  }
  expect(text.slice(from).trim()).toBe('');
}

function expectTokensSpeak(sentence: string): void {
  let at = 0;
  const silent: string[] = [];
  for (const { spoken, start, end, leftOutReason } of english.normalize(sentence)) {
    expect(start).toBe(at);
    const written = sentence.slice(start, end);
    if (leftOutReason !== undefined) expect(written).toMatch(/[\p{L}\p{N}]/u);
    else if (/[\p{L}\p{N}]/u.test(written) && !/[\p{L}\p{N}]/u.test(spoken)) silent.push(written);
    at = end;
  }
  expect({ at, silent }).toEqual({ at: sentence.length, silent: [] });
}
