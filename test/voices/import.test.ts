import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../src/log.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import { createVoiceValidator } from '../../src/voices/inspect.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { createEndlessVoice, createHugeVoice, createReadingVoice } from '../fixtures/hostile-voice.ts';
import { createTemporaryFolder, linkLibraries } from '../fixtures/server.ts';
import { createBrokenVoice, createToneVoice, type Voice, writeVoice } from '../fixtures/voice.ts';

const folder = createTemporaryFolder();
const createValidator = (deadlineS: number) =>
  createVoiceValidator({
    ...{ deadlineS, textCpuLimitS: 20, silenceS: 60, memoryMb: 350, nativeFolders: [linkLibraries(folder)] },
    log: createLog('silent'),
  });
const gate = createValidator(60);

let count = 0;
async function inspectVoice(voice: Voice, by = gate) {
  count += 1;
  const files = await writeVoice(folder, `voice-${count}`, voice);
  const [inspection] = await by.inspect([{ files, check: async () => {} }]);
  if (inspection === undefined) throw new Error('no voice inspected');
  return inspection;
}

/** @returns the one line with which a voice is rejected */
async function getRejection(voice: Voice, by = gate): Promise<string> {
  const error = await inspectVoice(voice, by).then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'bad_voice' });
  const { message } = error as Error;
  expect(message).toMatch(/^[^\n]{5,300}$/);
  return message;
}

function createVoice(changes: object, options: { speakers?: number } = {}): Voice {
  const { model, config } = createToneVoice({ sampleRateHz: 16_000, ...options });
  return { model, config: JSON.stringify({ ...JSON.parse(config ?? ''), ...changes }) };
}

describe('an inspected voice', () => {
  test('is measured and can be played', async () => {
    const { contentHash, config, measured } = await inspectVoice(createVoice({ license: ' CC BY 4.0\n' }));
    expect(contentHash).toMatch(/^[0-9a-f]{64}$/);
    expect(config).toMatchObject({ sampleRateHz: 16_000, license: 'CC BY 4.0' });
    expect(measured?.gainDb).toBeWithin(0, 10);
    expect(measured?.realTimeFactor).toBeGreaterThan(0);
    const { samples, sampleRateHz } = await decodeMp3(measured?.sample ?? new Uint8Array());
    expect(samples.length / sampleRateHz).toBeGreaterThan(2);
  });

  test('is rejected at once if its config is not accepted', async () => {
    const files = await writeVoice(folder, 'unwanted', createVoice({}));
    const check = async ({ language }: { language: string }): Promise<never> => {
      throw new RangeError(`no ${language}`);
    };
    const refused = gate.inspect([{ files, check }]);
    await expect(refused).rejects.toThrow('no en');
  });
});

describe('a hostile model', () => {
  test('that needs all memory ends its child process, with no other effect', async () => {
    expect(await getRejection(createHugeVoice())).toContain('memory limit of 700 MB exceeded');
  });

  test('that computes for minutes is cancelled', async () => {
    expect(await getRejection(createEndlessVoice(), createValidator(1))).toContain('time limit of 1 s exceeded');
  });

  test('that is large has a longer time limit', async () => {
    expect(await getRejection(createEndlessVoice(85_000_000), createValidator(2))).toContain(
      'time limit of 3 s exceeded',
    );
  });

  test('that refers to files of the machine is not loaded', async () => {
    // The runtime itself would read files below the current folder.
    const name = 'package.json';
    expect(existsSync(name)).toBe(true);
    const { byteLength } = readFileSync(name);
    for (const place of [name, `./${name}`, join(folder, 'voice-1.onnx.json')]) {
      expect(await getRejection(createReadingVoice(place, byteLength))).toMatch(
        /not a readable, self-contained ONNX file/,
      );
    }
  });

  test('of random bytes, half a file, or with names of any length is rejected in one line', async () => {
    const random = new Uint8Array(5_000).map((_, i) => (i * 7919) % 251);
    expect(await getRejection({ ...createVoice({}), model: random })).toMatch(/not a readable, self-contained ONNX/);
    expect(await getRejection(createBrokenVoice('truncated-model'))).toMatch(/not a readable, self-contained ONNX/);
    expect(await getRejection(createBrokenVoice('wrong-input-names'))).toMatch(/not a Piper voice/);
  });

  test('with fewer symbols or speakers than its config is rejected with their numbers', async () => {
    const map = JSON.parse(createVoice({}).config ?? '').phoneme_id_map;
    const beyond = createVoice({ phoneme_id_map: { ...map, ə: [9_999], ɚ: [9_998] } });
    expect(await getRejection(beyond)).toBe('inference fails for symbols of the phoneme map: "ə", "ɚ"');
    const speakers = createVoice({ num_speakers: 4 }, { speakers: 3 });
    expect(await getRejection(speakers)).toMatch(/no speaker 3/);
    expect(await getRejection(createVoice({ num_speakers: 2 }))).toMatch(/the model has one/);
  });

  test('that outputs silence is rejected for that', async () => {
    expect(await getRejection(createBrokenVoice('nan-output'))).toMatch(/invalid samples|silent/);
    expect(await getRejection(createBrokenVoice('silent-output'))).toMatch(/silent|short/);
  });
});

describe('a hostile config', () => {
  const map = JSON.parse(createVoice({}).config ?? '').phoneme_id_map;
  const getConfigError = (changes: object): string => {
    try {
      parseVoiceConfig(createVoice(changes).config ?? '');
      return 'nothing is wrong';
    } catch (error) {
      return String((error as Error).message);
    }
  };

  const y = 'y'.repeat(100_000);
  test.each<[string, object]>([
    ['num_speakers', { num_speakers: 1_000_000_000 }],
    ['phoneme_id_map.a.0', { phoneme_id_map: { ...map, a: [1e15] } }],
    ['phoneme_id_map.x y', { phoneme_id_map: { ...map, [`x\n${y}`]: 'no list' } }],
    ['speaker_id_map', { num_speakers: 2, speaker_id_map: { 'two\nlines': 1 } }],
    ['speaker_id_map', { num_speakers: 2, speaker_id_map: { [y]: 1 } }],
    ['inference.length_scale', { inference: { length_scale: 1e-300 } }],
    ['inference.noise_scale', { inference: { noise_scale: 1e300 } }],
    ['language.code', { language: { code: 'en_US\u001b[31m' } }],
    ['audio.quality', { audio: { sample_rate: 22_050, quality: '<b>high</b>\n' } }],
    ['espeak.voice', { espeak: { voice: y } }],
  ])('is refused in one short line that names %s', (member, changes) => {
    const message = getConfigError(changes);
    expect(message).toContain(member);
    expect(message).toMatch(/^[^\p{Cc}]{5,200}$/u);
  });

  test('that is nested deeply is rejected as JSON', () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    expect(() => parseVoiceConfig(deep)).toThrow(/config/);
  });

  test('has distinct speakers', () => {
    const config = createVoice({ num_speakers: 3, speaker_id_map: { Ann: 0, Ben: 2, Eve: 7 } });
    expect(parseVoiceConfig(config.config ?? '').speakers).toEqual(['Ann', '1', 'Ben']);
  });
});

test('child processes leave no files in the folder', () => {
  writeFileSync(join(folder, 'witness'), '');
  const strange = readdirSync(folder).filter((name) => !/^(voice-|unwanted|native|witness)/.test(name));
  expect(strange).toEqual([]);
});
