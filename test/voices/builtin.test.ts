import { describe, expect, test } from 'bun:test';
import { createLog } from '../../src/log.ts';
import { createTestIds } from '../../src/speech/optimize/compare-audio.ts';
import { identifyVoice, loadVoice } from '../../src/speech/synthesize/voice-model.ts';
import { startWorkerPool } from '../../src/speech/worker-pool.ts';
import { type BuiltinVoice, builtinVoices } from '../../src/voices/builtin-voices.ts';
import { defaultVoice, defaultVoiceFile, defaultVoiceGainDb } from '../fixtures/default-voice.ts';
import { selectCases } from '../fixtures/scale.ts';
import { createTemporaryFolder, linkLibraries } from '../fixtures/server.ts';
import { writeVoice } from '../fixtures/voice.ts';

/** @returns the gain of each voice in dB */
async function measureGains(voices: readonly Pick<BuiltinVoice, 'modelPath' | 'configPath' | 'speaker'>[]) {
  const workers = startWorkerPool({
    count: 1,
    deadlineS: 60,
    textCpuLimitS: 20,
    silenceS: 60,
    memoryMb: 1_500,
    nativeFolders: [linkLibraries(createTemporaryFolder())],
    log: createLog('silent'),
  });
  try {
    const gains: number[] = [];
    for (const { modelPath, configPath, speaker } of voices) {
      const { contentHash } = await workers.call('examine', { modelPath, configPath });
      const voice = { modelPath, configPath, contentHash };
      gains.push((await workers.call('measure', { voice, speaker })).gainDb);
    }
    return gains;
  } finally {
    await workers.stop();
  }
}

describe('builtinVoices', () => {
  test('have the gain that a worker measures', async () => {
    const voices = selectCases(builtinVoices);
    const gains = await measureGains(voices);
    for (const [index, { gainDb }] of voices.entries()) {
      expect(Math.abs((gains[index] ?? Infinity) - gainDb)).toBeLessThanOrEqual(0.05);
    }
  });

  test('share their model: each additional one needs little memory, and the last one releases it', async () => {
    const load = async (voice: BuiltinVoice) => {
      const loaded = await loadVoice({ ...voice, contentHash: identifyVoice(voice).contentHash });
      Bun.gc(true);
      return { voice, loaded, rssBytes: process.memoryUsage.rss() };
    };
    const [first, ...others] = builtinVoices;
    if (first === undefined) throw new Error('there are built-in voices');
    const opened = [await load(first)];
    for (const voice of others) opened.push(await load(voice));
    const modelBytes = Bun.file(first.modelPath).size;
    const growth = (opened.at(-1)?.rssBytes ?? 0) - (opened[0]?.rssBytes ?? 0);
    // Four further sessions would take 14 times the file; memory of the file contents is not always returned at once.
    expect(growth).toBeLessThan(6 * modelBytes);
    for (const { voice, loaded } of opened) {
      const { samples } = await loaded.synthesize(createTestIds(loaded.config, 20), voice.speaker);
      expect(samples.length).toBeGreaterThan(0);
      await loaded.close();
    }
    const again = await load(first);
    expect((await again.loaded.synthesize(createTestIds(again.loaded.config, 20), 0)).samples.length).toBeGreaterThan(
      0,
    );
    await again.loaded.close();
  });
});

test('the default voice of test servers has the gain that a worker measures', async () => {
  const files = await writeVoice(createTemporaryFolder(), defaultVoiceFile, defaultVoice);
  const [gainDb] = await measureGains([{ ...files, speaker: 0 }]);
  expect(gainDb).toBeCloseTo(defaultVoiceGainDb, 1);
});
