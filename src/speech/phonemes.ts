import phonemizerData from '@diffusionstudio/piper-wasm/build/piper_phonemize.data' with {
  type: 'file',
};
import createPhonemizer, {
  type PiperPhonemizer,
} from '@diffusionstudio/piper-wasm/build/piper_phonemize.js';
import phonemizerWasm from '@diffusionstudio/piper-wasm/build/piper_phonemize.wasm' with {
  type: 'file',
};
import type { VoiceConfig } from './voice-config.ts';

/** The module leaks a little with each call, so it is renewed now and then. */
const callsPerModule = 200;

/** Turns spoken words into the phonemes a voice was trained on. */
export interface Phonemizer {
  /**
   * @param texts spoken words, a sentence each
   * @returns for each text its phonemes, one symbol each; empty where nothing sounds
   */
  phonemes(texts: readonly string[], voice: VoiceConfig): Promise<string[][]>;
}

/** Piper's own phonemizer (espeak-ng) in WebAssembly. One call costs about 10 ms, so batches pay. */
export function createEspeakPhonemizer(): Phonemizer {
  let module: Promise<PiperPhonemizer> | undefined;
  let lines: string[] = [];
  let calls = 0;

  const load = () =>
    createPhonemizer({
      print: (line) => lines.push(line),
      printErr: () => {},
      locateFile: (name) => (name.endsWith('.data') ? phonemizerData : phonemizerWasm),
    });

  const call = async (texts: readonly string[], espeakVoice: string): Promise<string[][]> => {
    if (module === undefined || calls >= callsPerModule) {
      module = load();
      calls = 0;
    }
    calls += 1;
    const loaded = await module;
    lines = [];
    const input = JSON.stringify(texts.map((text) => ({ text })));
    loaded.callMain(['-l', espeakVoice, '--input', input, '--espeak_data', '/espeak-ng-data']);
    return lines.map((line) => (JSON.parse(line) as { phonemes: string[] }).phonemes);
  };

  const callSafely = async (texts: readonly string[], espeakVoice: string): Promise<string[][]> => {
    try {
      const found = await call(texts, espeakVoice);
      if (found.length === texts.length) return found;
    } catch {
      // The module aborts as a whole; the text that did it is found below.
    }
    module = undefined;
    if (texts.length <= 1) return texts.map(() => []);
    const half = Math.ceil(texts.length / 2);
    return [
      ...(await callSafely(texts.slice(0, half), espeakVoice)),
      ...(await callSafely(texts.slice(half), espeakVoice)),
    ];
  };

  return {
    phonemes: async (texts, voice) => {
      const raw =
        voice.phonemeType === 'text'
          ? texts.map((text) => [...text.toLowerCase().normalize('NFD')])
          : await callSafely(texts, voice.espeakVoice);
      return raw.map((phonemes) => phonemes.flatMap((one) => voice.phonemeMap[one] ?? [one]));
    },
  };
}

/**
 * Piper's encoding: start, a pad after every id, end.
 * @returns the ids, and the symbols this voice never learned
 */
export function phonemeIds(
  phonemes: readonly string[],
  voice: VoiceConfig,
): { ids: number[]; unknown: string[] } {
  const map = voice.phonemeIds;
  const pad = map['_'] ?? [];
  const ids = [...(map['^'] ?? []), ...pad];
  const unknown: string[] = [];
  for (const phoneme of phonemes) {
    const known = map[phoneme];
    if (known === undefined) unknown.push(phoneme);
    else ids.push(...known, ...pad);
  }
  ids.push(...(map['$'] ?? []));
  return { ids, unknown };
}

/** @returns how many of the phonemes are heard: no stress marks, no punctuation, no spaces */
export function soundingCount(phonemes: readonly string[]): number {
  return phonemes.filter((one) => /\p{L}/u.test(one) && !/^\p{Lm}/u.test(one)).length;
}
