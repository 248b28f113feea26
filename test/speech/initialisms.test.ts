import { describe, expect, test } from 'bun:test';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { verbalize } from '../score/pairs.ts';

const english = getLanguage('en');
const voice = parseVoiceConfig(JSON.stringify(aspen));
const phonemizer = createEspeakPhonemizer();

async function phonemizeAll(texts: readonly string[]): Promise<string[]> {
  const found = await phonemizer.phonemize(
    texts.map((text) => verbalize(text, english)),
    voice,
  );
  // Stress is ignored.
  return found.map((phonemes) => phonemes.join('').replace(/[ˈˌ]/g, ''));
}

/** espeak joins some words with the one that follows: "of a", "for a", "at a", "that a". */
const CONTEXTS = ['of', 'for', 'at', 'that', 'to', 'the', 'an', 'with'];

describe('English initialisms', () => {
  test.each([
    ['AI', 'eɪaɪ'],
    ['AP', 'eɪpiː'],
    ['A.P.', 'eɪpiː'],
    ['AARP', 'eɪeɪɑːɹpiː'],
    ['AI’s', 'eɪ aɪz'],
    ['ATMs', 'eɪtiː ɛmz'],
    ['UK’s', 'juː keɪz'],
    ['EVs', 'iː viːz'],
    ['U.S.’s', 'juː ɛsᵻz'],
    ['A380', 'eɪ θɹiː'],
    ['A. Smith', 'eɪ smɪθ'],
  ])('are spelled in any context: %s', async (written, phonemes) => {
    for (const sound of await phonemizeAll(CONTEXTS.map((context) => `Think ${context} ${written} now`))) {
      expect(sound).toContain(phonemes);
      expect(sound).not.toContain('dɑːt');
    }
  });

  test('that are pronounced as words sound like the words', async () => {
    const acronyms = ['ICE', 'MAX', 'PAC', 'COP', 'NASA', 'NATO', 'FEMA', 'SWAT', 'OPEC', 'FIFA'];
    const asWords = await phonemizer.phonemize(
      acronyms.map((word) => `the ${word.toLowerCase()} said`),
      voice,
    );
    expect(await phonemizeAll(acronyms.map((word) => `the ${word} said`))).toEqual(
      asWords.map((phonemes) => phonemes.join('').replace(/[ˈˌ]/g, '')),
    );
  });
});
