import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { compareAudio } from '../../src/speech/optimize/compare-audio.ts';
import { rewriteModel } from '../../src/speech/optimize/optimize.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { openVoiceSession, type VoiceSession } from '../../src/speech/synthesize/onnx-session.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import { buildKokoroVoice, readKokoroModel } from '../../src/voices/kokoro.ts';
import { fetchKokoro } from '../../voices/kokoro/fetch.ts';
import { getCacheFolder } from './cache-folder.ts';
import { computeMedian, type Figure, type Measured } from './figure.ts';

const text = 'The council voted on Tuesday evening to keep the old library open through the winter.';
const minRatio = 1.5;
const minSnrDb = 60;

/**
 * The exported Kokoro-82M in plain onnxruntime-node, and as completed and rewritten by Lectern: one thread each, alternating, in CPU
 * time. Its audio is compared with that of the completed export.
 */
export const kokoro: Figure = {
  name: 'kokoro',
  isOnRequest: true,
  measure: async ({ rounds }) => {
    const folder = join(getCacheFolder(), 'kokoro');
    const { model, styles } = await fetchKokoro(folder);
    const { completedPath, rewrittenPath } = await prepareModels(folder, model);
    const config = parseVoiceConfig(buildKokoroVoice(join(styles, 'af_heart.bin'), '0'.repeat(64)).config);
    const { sentences } = buildSentences(extractDocument({ content: text }), getLanguage('en'));
    const { segments } = await planSegments(sentences, config, createEspeakPhonemizer());
    const ids = segments.flatMap((segment) => segment.ids);
    const plain = await openVoiceSession(model, config);
    const completed = await openVoiceSession(completedPath, config);
    const rewritten = await openVoiceSession(rewrittenPath, config);
    const speak = (session: VoiceSession) => session.run(ids, 0, [0, 1, 0]);
    const [expected, actual] = [await speak(completed), await speak(rewritten)];
    await completed.close();
    const difference = compareAudio(expected.samples, actual.samples, config.sampleRateHz);
    const seconds = expected.samples.length / config.sampleRateHz;
    await speak(plain);
    const shares: { plain: number; rewritten: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = await measureCpuSeconds(() => speak(plain));
      shares.push({ plain: before / seconds, rewritten: (await measureCpuSeconds(() => speak(rewritten))) / seconds });
    }
    await Promise.all([plain.close(), rewritten.close()]);
    const listPercents = (of: keyof (typeof shares)[number]) => shares.map((share) => share[of] * 100);
    return [
      {
        ...{ name: 'Kokoro, rewritten, against bare onnxruntime-node', unit: '×', min: minRatio },
        values: shares.map((share) => share.plain / share.rewritten),
        detail: `${computeMedian(listPercents('plain')).toFixed(1)} and ${computeMedian(listPercents('rewritten')).toFixed(1)} % of real time`,
      },
      { name: 'Kokoro, rewritten: CPU time of a second of speech', unit: '%', values: listPercents('rewritten') },
      { name: 'Kokoro, rewritten: signal to noise', unit: 'dB', values: [difference?.snrDb ?? 0], min: minSnrDb },
    ] satisfies Measured[];
  },
};

async function prepareModels(folder: string, model: string) {
  const completedPath = join(folder, 'completed.onnx');
  const rewrittenPath = join(folder, 'rewritten.onnx');
  mkdirSync(folder, { recursive: true });
  const completed = readKokoroModel(model);
  writeFileSync(completedPath, completed);
  writeFileSync(rewrittenPath, rewriteModel(completed) ?? completed);
  return { completedPath, rewrittenPath };
}

async function measureCpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
