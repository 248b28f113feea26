import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fadeEdges, limit, rmsDbfs, trimEdges } from '../../src/speech/encode/loudness.ts';
import { encodeSegment } from '../../src/speech/encode/mp3.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { createSeededRandom } from '../fixtures/noise.ts';
import { speakPhonemes } from '../fixtures/spoken.ts';
import { PAD_MS, readTones, TONE_MS, toneHz } from '../fixtures/tones.ts';
import { brokenVoiceKinds, createBrokenVoice, createToneVoice, type Voice, writeVoice } from '../fixtures/voice.ts';

const folder = await mkdtemp(join(tmpdir(), 'lectern-voice-'));
afterAll(() => rm(folder, { recursive: true }));

const sentence = 'ðə bˈɜːtʃ kənˈuː slˈɪd əkɹˌɑːs ðə kwˈaɪət lˈeɪk, bᵻfˌoːɹ sˈʌnɹaɪz?';

function getModel(voice: Voice): Uint8Array {
  if (!voice.model) throw new Error('this voice has no model');
  return voice.model;
}

async function speak(voice: Voice, phonemes: string | readonly string[], speaker?: number) {
  const [samples = new Float32Array()] = await speakPhonemes(getModel(voice), [phonemes], speaker);
  return samples;
}

function readSymbols(samples: Float32Array, sampleRateHz: number, speakers?: number): string[] {
  return readTones(samples, sampleRateHz, speakers).map(({ symbol }) => symbol);
}

/** Processes samples like the audio of a segment. */
async function encodeAndDecode(samples: Float32Array, sampleRateHz: number): Promise<Float32Array> {
  const loud = limit(trimEdges(samples, sampleRateHz), 3, -3, sampleRateHz);
  const options = { sampleRateHz, bitRateKbps: 64, pauseMs: 300 };
  return (await decodeMp3(encodeSegment(fadeEdges(loud, sampleRateHz), options).frames)).samples;
}

describe('toneVoice', () => {
  test.each([16_000, 22_050, 44_100])(
    'has phonemes that can be recognized in an MP3 at %i Hz',
    async (sampleRateHz) => {
      const random = createSeededRandom(7);
      const all = [...toneHz.keys()];
      const mixed = Array.from({ length: 60 }, () => all[Math.floor(random() * all.length)] ?? '');
      const phonemes = [...sentence, ...mixed, 's', 's', 's', 'aɪ'];
      const samples = await speak(createToneVoice({ sampleRateHz }), phonemes);
      expect(readSymbols(samples, sampleRateHz)).toEqual(phonemes);
      expect(readSymbols(await encodeAndDecode(samples, sampleRateHz), sampleRateHz)).toEqual(phonemes);
    },
  );

  test('has a distinct tone for every audible symbol, well below the lowest Nyquist frequency', async () => {
    const all = [...toneHz.keys()];
    const tones = [...toneHz.values()].toSorted((a, b) => a - b);
    expect(tones.every((hz, i) => i === 0 || hz - (tones[i - 1] ?? hz) >= 44)).toBe(true);
    expect(tones.at(-1)).toBeLessThan(0.45 * 16_000);
    expect(readSymbols(await speak(createToneVoice({ sampleRateHz: 16_000 }), all), 16_000)).toEqual(all);
  });

  test('detects missing, doubled and reordered phonemes', async () => {
    const symbols = readSymbols(await speak(createToneVoice({ sampleRateHz: 16_000 }), 'kæt'), 16_000);
    expect(symbols).toEqual(['k', 'æ', 't']);
    expect(readSymbols(await speak(createToneVoice({ sampleRateHz: 16_000 }), 'kætt'), 16_000)).toEqual([
      'k',
      'æ',
      't',
      't',
    ]);
    expect(readSymbols(await speak(createToneVoice({ sampleRateHz: 16_000 }), 'tk'), 16_000)).toEqual(['t', 'k']);
  });

  test('has the duration and loudness of speech', async () => {
    const samples = await speak(createToneVoice({ sampleRateHz: 22_050 }), sentence);
    const seconds = ([...sentence].length * (TONE_MS + PAD_MS)) / 1000;
    expect(samples.length / 22_050).toBeCloseTo(seconds, 0);
    expect(Math.abs(rmsDbfs(samples) + 20)).toBeLessThan(1.5);
  });

  test('has distinct speakers', async () => {
    const voice = createToneVoice({ sampleRateHz: 22_050, speakers: 3, language: 'de_DE' });
    expect(JSON.parse(voice.config ?? '')).toMatchObject({
      num_speakers: 3,
      speaker_id_map: { speaker0: 0, speaker1: 1, speaker2: 2 },
      espeak: { voice: 'de' },
      language: { code: 'de_DE' },
    });
    for (const speaker of [0, 1, 2]) {
      const tones = readTones(await encodeAndDecode(await speak(voice, sentence, speaker), 22_050), 22_050, 3);
      expect(tones.map(({ symbol }) => symbol)).toEqual([...sentence]);
      expect(tones.every((tone) => tone.speaker === speaker)).toBe(true);
    }
    await expect(speak(voice, sentence)).rejects.toThrow('sid');
  });

  test.each([3, 4] as const)('has an output of %i dimensions', async (outputRank) => {
    const voice = createToneVoice({ sampleRateHz: 16_000, outputRank });
    expect(readSymbols(await speak(voice, 'ab'), 16_000)).toEqual(['a', 'b']);
    expect(getModel(voice)).not.toEqual(
      getModel(createToneVoice({ sampleRateHz: 16_000, outputRank: outputRank === 3 ? 4 : 3 })),
    );
  });

  test('can be written as a Piper voice', async () => {
    const voice = createToneVoice({ sampleRateHz: 16_000 });
    const { modelPath, configPath } = await writeVoice(join(folder, 'new'), 'en_US-tones-low', voice);
    expect(configPath).toBe(`${modelPath}.json`);
    expect(Buffer.compare(await Bun.file(modelPath).bytes(), getModel(voice))).toBe(0);
    expect(await Bun.file(configPath).json()).toMatchObject({
      audio: { sample_rate: 16_000 },
      espeak: { voice: 'en-us' },
    });
  });
});

describe('brokenVoice', () => {
  const unreadable = ['not-onnx', 'truncated-model'] as const;
  test.each(unreadable)('has a model that ONNX Runtime rejects: %s', async (kind) => {
    await expect(speak(createBrokenVoice(kind), 'a')).rejects.toThrow('protobuf');
  });

  test.each([
    ['wrong-input-names', "'text' is missing"],
    ['wrong-output-name', 'no float samples'],
    ['wrong-output-type', 'no float samples'],
  ] as const)('does not keep the contract: %s', async (kind, message) => {
    await expect(speak(createBrokenVoice(kind), 'a')).rejects.toThrow(message);
  });

  test('outputs unusable sound', async () => {
    expect((await speak(createBrokenVoice('nan-output'), 'ab')).some(Number.isNaN)).toBe(true);
    expect((await speak(createBrokenVoice('silent-output'), 'ab')).every((sample) => sample === 0)).toBe(true);
    expect((await speak(createBrokenVoice('short-output'), 'ab')).length).toBeLessThan(2 * 15 * 16);
  });

  test('differs from a valid voice only in the named part', () => {
    expect(createBrokenVoice('model-missing').model).toBeUndefined();
    expect(createBrokenVoice('config-missing').config).toBeUndefined();
    expect(() => JSON.parse(createBrokenVoice('config-not-json').config ?? '')).toThrow();
    expect(parseConfig('config-without-phoneme-id-map')).not.toHaveProperty('phoneme_id_map');
    expect(parseConfig('config-without-sample-rate')).not.toHaveProperty('audio.sample_rate');
    expect(parseConfig('sample-rate-zero')).toHaveProperty('audio.sample_rate', 0);
    for (const kind of brokenVoiceKinds) {
      const { model, config } = createBrokenVoice(kind);
      expect(kind === 'model-missing').toBe(model === undefined);
      expect(kind === 'config-missing').toBe(config === undefined);
    }
  });
});

function parseConfig(kind: (typeof brokenVoiceKinds)[number]): unknown {
  return JSON.parse(createBrokenVoice(kind).config ?? '');
}
