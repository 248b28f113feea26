import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer, type Phonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { scale } from '../fixtures/scale.ts';
import { testSeed } from '../fixtures/seed.ts';

const espeakVoices: Readonly<Record<string, string>> = {
  ...{ en: 'en-us', de: 'de', fr: 'fr-fr', es: 'es', pl: 'pl', ru: 'ru', ar: 'ar', zh: 'cmn' },
  ...{ ja: 'ja', ko: 'ko', hi: 'hi', th: 'th', el: 'el', he: 'he' },
};
/** A word of each language before and after the word under test. */
const neighbours: Readonly<Record<string, readonly [string, string]>> = {
  ...{ ru: ['один', 'два'], ar: ['واحد', 'اثنان'], el: ['ένα', 'δύο'], he: ['אחת', 'שתיים'] },
  ...{ hi: ['एक', 'दो'], ko: ['하나', '둘'] },
};
const phonemizer = createEspeakPhonemizer();

/** Counts calls: a plan must end after a few, however long a word is spelled. */
async function planWord(language: string, word: string) {
  const [before, after] = neighbours[language] ?? ['alpha', 'omega'];
  const espeak = { voice: espeakVoices[language] ?? language };
  const voice = parseVoiceConfig(JSON.stringify({ ...aspen, espeak }));
  let calls = 0;
  const counting: Phonemizer = {
    phonemize: (texts, config) => {
      calls += 1;
      return phonemizer.phonemize(texts, config);
    },
  };
  const content = `<p>${before} ${word} ${after}.</p>`;
  const { sentences, leftOut } = buildSentences(extractDocument({ content }), getLanguage(language));
  const plan = await planSegments(sentences, voice, counting);
  return { ...plan, calls, leftOut, before, after };
}

const scripts = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada'],
  ...['Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan', 'Myanmar', 'Georgian', 'Hangul', 'Ethiopic'],
  ...['Cherokee', 'Khmer', 'Mongolian', 'Hiragana', 'Katakana', 'Bopomofo', 'Han', 'Yi', 'Runic'],
  ...['Tifinagh', 'Coptic', 'Gothic', 'Canadian_Aboriginal', 'Adlam', 'Cuneiform'],
];
const listLetters = (script: string): string[] => {
  const pattern = new RegExp(`^(?=\\p{L})\\p{Script=${script}}$`, 'u');
  const letters: string[] = [];
  for (let code = 0x41; code < 0x20_000 && letters.length < 60; code += 1) {
    const character = code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code);
    if (pattern.test(character)) letters.push(character);
  }
  return letters;
};
const toWord = (characters: readonly string[]) =>
  fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 500 }).map((all) => all.join(''));
const hex = [...'0123456789abcdef'];
const capitals = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const base64 = [...capitals, ...capitals.map((letter) => letter.toLowerCase()), ...hex, '+', '/'];
const words = fc.oneof(
  ...scripts.map((script) => toWord(listLetters(script))),
  ...[hex, capitals, base64, [...'ACGT'], [...'0123456789'], [...'ａｂｃＡＢＣ'], ['𝐚', '𝐛', '𝟏']].map(toWord),
  toWord(['donau', 'dampf', 'schiff', 'fahrts', 'gesellschaft']).map((word) => word.slice(0, 500)),
  toWord(base64).map((path) => `https://example.org/${path}`.slice(0, 500)),
  toWord(['a', '\u0301', '\u20e3', '\u200d', '🙂', '🏽']),
);

describe('planning any word', () => {
  const { maxIds } = parseVoiceConfig(JSON.stringify(aspen));

  test('ends after a few calls and keeps adjacent words in every language', async () => {
    const languages = fc.constantFrom(...Object.keys(espeakVoices));
    await fc.assert(
      fc.asyncProperty(languages, words, async (language, word) => {
        const { segments, silent, calls, before, after } = await planWord(language, word);
        expect(calls).toBeLessThanOrEqual(2 + Math.log2(word.length + 20));
        for (const { ids } of segments) expect(ids.length).toBeLessThanOrEqual(maxIds);
        const spoken = [...segments.map((segment) => segment.spoken), ...silent.map(({ text }) => text)];
        expect(spoken.join(' ')).toContain(before);
        expect(spoken.join(' ')).toContain(after);
      }),
      { seed: testSeed, numRuns: scale.terminationRuns },
    );
  });

  test.each(['en', 'de', 'fr', 'es'])('shortens a hash: %s', async (language) => {
    for (const [algorithm, words] of [
      ['md5', /32|thirty-two|zweiunddreißig|trente-deux|treinta y dos/],
      ['sha256', /sixty-four|vierundsechzig|soixante-quatre|sesenta y cuatro/],
    ] as const) {
      for (let index = 0; index < 12; index += 1) {
        const hash = createHash(algorithm).update(`m${index}`).digest('hex');
        const { segments } = await planWord(language, hash);
        expect(segments).toHaveLength(1);
        expect(segments[0]?.text).toContain(hash);
        expect(segments[0]?.spoken).toMatch(words);
        expect(segments[0]?.ids.length).toBeLessThan(200);
      }
    }
  });

  test.each([
    ['en', '中文新闻', 'foreign script'],
    ['en', 'новости', 'foreign script'],
    ['ru', '中文新闻', 'foreign script'],
    ['ro', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'code'],
  ])('excludes words that a voice would spell: %s %s', async (language, word, reason) => {
    const { segments, leftOut, before, after } = await planWord(language, word);
    expect(leftOut.map((part) => [part.text, part.reason])).toEqual([[word, reason]] as never);
    expect(segments.map(({ spoken }) => spoken.replace(/\s+/g, ' '))).toEqual([`${before} ${after}.`]);
    expect(segments[0]?.text).toContain(word);
  });

  test('covers a sentence with adjacent foreign words and codes once', () => {
    const sentence = `中 中${'a1b2c3d4'.repeat(4)} end`;
    for (const language of ['en', 'pl']) {
      let at = 0;
      for (const { start, end } of getLanguage(language).normalize(sentence)) {
        expect(start).toBe(at);
        at = end;
      }
      expect(at).toBe(sentence.length);
    }
  });

  test.each([
    ['en', 'α-helix'],
    ['ru', 'новости'],
    ['ja', 'ニュース'],
    ['en', 'getElementsByTagNameAndMore'],
    ['de', 'Donaudampfschifffahrtsgesellschaftskapitänswitwe'],
    ['en', 'A350-1041'],
  ])('keeps words that a voice can pronounce: %s %s', async (language, word) => {
    const { leftOut, segments } = await planWord(language, word);
    expect(leftOut).toEqual([]);
    expect(segments.map(({ spoken }) => spoken).join('')).not.toMatch(/code|Code/);
  });
});
