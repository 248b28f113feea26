import { describe, expect, test } from 'bun:test';
import {
  countAudiblePhonemes,
  createEspeakPhonemizer,
  encodePhonemeIds,
} from '../../src/speech/phonemize/phonemizer.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { scale } from '../fixtures/scale.ts';

const voice = parseVoiceConfig(JSON.stringify(aspen));
const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function buildSentences(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const [first, second] = [numbers[index % 10], numbers[Math.floor(index / 10) % 10]];
    return `Chapter ${first} of volume ${second} tells how the quiet river rose that night.`;
  });
}

const another = createEspeakPhonemizer();

async function phonemizeAlone(text: string): Promise<string[]> {
  const [phonemes = []] = await another.phonemize([text], voice);
  return phonemes;
}

describe('createEspeakPhonemizer', () => {
  test('returns the phonemes of each text, one symbol each', async () => {
    const found = await createEspeakPhonemizer().phonemize(['Hello there, world!', 'Good.'], voice);
    expect(found.map((phonemes) => phonemes.join(''))).toEqual(['həlˈoʊ ðˈɛɹ, wˈɜːld!', 'ɡˈʊd.']);
  });

  test('returns the same phonemes after any number of other texts', async () => {
    const phonemizer = createEspeakPhonemizer();
    const distinct = buildSentences(100);
    const right = new Map<string, string>();
    for (const text of distinct) right.set(text, (await phonemizeAlone(text)).join(''));
    const batch = [...distinct, ...distinct, ...distinct];
    for (let round = 0; round < scale.phonemizerRounds; round += 1) {
      const found = await phonemizer.phonemize(batch, voice);
      const different = batch.filter((text, index) => found[index]?.join('') !== right.get(text));
      expect(different).toEqual([]);
    }
  });

  test('accepts long texts and unusual signs without losing the others', async () => {
    const [good = ''] = buildSentences(1);
    const odd = ['x'.repeat(6_000), '\u0000\u0001\uFFFD', '🙂 🎉', 'שלום עולם', '"\\{}[]', ' ', ''];
    const found = await createEspeakPhonemizer().phonemize(
      odd.flatMap((text) => [good, text, good]),
      voice,
    );
    const alone = await phonemizeAlone(good);
    expect(found).toHaveLength(3 * odd.length);
    for (let index = 0; index < found.length; index += 3) {
      expect(found[index]).toEqual(alone);
      expect(found[index + 2]).toEqual(alone);
    }
  });

  test('returns letters for a voice that was trained on text', async () => {
    const [letters] = await createEspeakPhonemizer().phonemize(['Ab c.'], {
      ...voice,
      phonemeType: 'text',
    });
    expect(letters).toEqual(['a', 'b', ' ', 'c', '.']);
  });

  test('replaces symbols, and pairs of them, as the config of the voice says', async () => {
    const german = { ...voice, espeakVoice: 'de' };
    const say = async (phonemeMap: Record<string, string[]>) => {
      const [phonemes = []] = await another.phonemize(['Wurde er krank?'], { ...german, phonemeMap });
      return phonemes.join('');
    };
    expect(await say({})).toBe('vˌ??də ɛɾ kɾˈaŋk?');
    expect(await say({ '??': ['ʊ', 'ɾ'] })).toBe('vˌʊɾdə ɛɾ kɾˈaŋk?');
    expect(await say({ '??': ['ʊ', 'ɾ'], ɾ: ['r'], '?': ['.'] })).toBe('vˌʊɾdə ɛr krˈaŋk.');
  });

  test('returns the same phonemes at each call also where two dictionaries exceed the memory of the module', async () => {
    const russian = { ...voice, espeakVoice: 'ru' };
    const phonemizer = createEspeakPhonemizer();
    const speak = async () => (await phonemizer.phonemize(['Слово radio в тексте.'], russian)).flat().join('');
    const phonemes = await speak();
    expect(phonemes).toContain('sɭˈo');
    expect([await speak(), await speak()]).toEqual([phonemes, phonemes]);
    const many = buildSentences(200);
    const found = await phonemizer.phonemize(many, russian);
    expect(found.filter((symbols) => symbols.length === 0)).toEqual([]);
  });

  test('keeps texts with phonemes that Piper does not know, and those after them', async () => {
    const phonemizer = createEspeakPhonemizer();
    const speak = async (espeakVoice: string, texts: string[]) =>
      (await phonemizer.phonemize(texts, { ...voice, espeakVoice })).map((phonemes) => phonemes.join(''));
    expect(await speak('ga', ['a 7', 'radio', 'a 8'])).toEqual(['ə əʃˈAxt̪', 'ɹˈAdʒɐ', 'ə əhˈAxt̪']);
    expect(await speak('ky', ['7', 'китеп', '7'])).toEqual(['dZet[ˈi', 'kit[ˈep', 'dZet[ˈi']);
  });

  test('knows a voice by its name in any case', async () => {
    const speak = (espeakVoice: string) => createEspeakPhonemizer().phonemize(['Hello!'], { ...voice, espeakVoice });
    expect(await speak('EN-US')).toEqual(await speak('en-us'));
  });

  test('falls back from an unknown region to the language', async () => {
    const say = async (espeakVoice: string) => {
      const [phonemes = []] = await another.phonemize(['Bonjour'], { ...voice, espeakVoice });
      return phonemes.join('');
    };
    expect(await say('fr-fr')).toBe('bɔ̃ʒˈuʁ');
    expect(await say('en-gb')).not.toBe('');
  });

  test('rejects an unknown language', async () => {
    const klingon = { ...voice, espeakVoice: 'xx-none' };
    await expect(another.phonemize(['Hello'], klingon)).rejects.toThrow('espeak-ng has no voice "xx-none"');
    // Punctuation at the end differs between espeak-ng and this program.
    expect(process.exitCode ?? 0).toBe(0);
  });
});

describe('phonemeIds', () => {
  const map = { _: [0], '^': [1], $: [2], a: [10], b: [11, 12] };
  const small = { ...voice, phonemeIds: map };

  test('puts a pad after every phoneme, between start and end', () => {
    expect(encodePhonemeIds(['a', 'b', 'a'], small).ids).toEqual([1, 0, 10, 0, 11, 12, 0, 10, 0, 2]);
  });

  test('returns unsupported symbols and drops them', () => {
    expect(encodePhonemeIds(['a', 'q', 'a'], small)).toEqual({
      ids: [1, 0, 10, 0, 10, 0, 2],
      unknown: ['q'],
      positions: [2, 4, 4, 6],
    });
  });

  test('returns start and end for an empty text', () => {
    expect(encodePhonemeIds([], small).ids).toEqual([1, 0, 2]);
  });
});

describe('countAudiblePhonemes', () => {
  test('ignores stress, length, punctuation and spaces', () => {
    expect(countAudiblePhonemes([...'həlˈoʊ ðˈɛɹ, wˈɜːld!'])).toBe(12);
  });
});
