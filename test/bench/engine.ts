import { readFileSync } from 'node:fs';
import { loadOnnxRuntime } from '../../src/executable/onnx-runtime.ts';
import { readDocument } from '../../src/speech/document/read.ts';
import { languageFor } from '../../src/speech/language/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemes/phonemes.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { readSentences } from '../../src/speech/sentences.ts';
import { parseVoiceConfig, type VoiceConfig } from '../../src/speech/voice/voice-config.ts';
import { loadVoice, readVoice, voiceContentHash } from '../../src/speech/voice/voice-model.ts';
import { article } from './article.ts';
import { benchVoice, canMakeVoices, neededPackages } from './bench-voice.ts';
import { type Figure, type Measured, median, number } from './figure.ts';

/** Every so-many-th segment of an article: short and long ones, a minute and a half of sound in all. */
const everySegment = 4;

/**
 * What a CPU second of inference brings with voices of real size: the engine of Lectern's workers against
 * onnxruntime-node on the model as it was exported, on one thread each, the same phoneme ids, in turns.
 */
export const engine: Figure = {
  name: 'engine',
  measure: async ({ rounds }) => {
    if (!canMakeVoices()) {
      process.stderr.write(` left out, needs ${neededPackages} …`);
      return [];
    }
    const measured: Measured[] = [];
    for (const quality of ['x_low', 'medium'] as const) {
      measured.push(await compared(quality, rounds));
    }
    return measured;
  },
};

type Speak = (ids: readonly number[]) => Promise<Float32Array>;

async function compared(quality: 'x_low' | 'medium', rounds: number): Promise<Measured> {
  const files = benchVoice(quality);
  const { model, config: configBytes } = readVoice(files);
  const config = parseVoiceConfig(new TextDecoder().decode(configBytes));
  const ids = await articleIds(config);
  const bare = await bareEngine(files.modelPath, config);
  const voice = await loadVoice({ ...files, contentHash: voiceContentHash(model, configBytes) });
  const own: Speak = (segment) => voice.speak(segment, 0);
  const sides = { bare: [] as number[], own: [] as number[] };
  // One round more than asked for: memory grows to its size in the first.
  for (let round = 0; round <= rounds; round += 1) {
    const bareSpeed = await audioPerCpu(bare.speak, ids, config.sampleRateHz);
    const ownSpeed = await audioPerCpu(own, ids, config.sampleRateHz);
    if (round === 0) continue;
    sides.bare.push(bareSpeed);
    sides.own.push(ownSpeed);
  }
  await Promise.all([bare.close(), voice.close()]);
  return {
    name: `Engine: audio per CPU second against bare onnxruntime-node, ${quality}`,
    unit: '×',
    values: sides.own.map((speed, round) => speed / (sides.bare[round] ?? Number.NaN)),
    min: 1.3,
    detail: `${number(median(sides.own))} s against ${number(median(sides.bare))} s`,
  };
}

async function articleIds(config: VoiceConfig): Promise<readonly (readonly number[])[]> {
  const { sentences } = readSentences(readDocument(article(0)), languageFor('en'));
  const { segments } = await planSegments(sentences, config, createEspeakPhonemizer());
  return segments.filter((_, index) => index % everySegment === 0).map(({ ids }) => ids);
}

/** The runtime as anyone would use it, on one thread. */
async function bareEngine(modelPath: string, { scales }: VoiceConfig) {
  const onnx = await loadOnnxRuntime();
  const session = await onnx.InferenceSession.create(readFileSync(modelPath), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  const speak: Speak = async (ids) => {
    const { output } = await session.run({
      input: new onnx.Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      input_lengths: new onnx.Tensor('int64', BigInt64Array.of(BigInt(ids.length)), [1]),
      scales: new onnx.Tensor('float32', Float32Array.from(scales), [3]),
    });
    if (!(output?.data instanceof Float32Array)) throw new Error('no samples came out');
    return output.data;
  };
  return { speak, close: () => session.release() };
}

/** @returns seconds of sound for a second of CPU; how long they last is drawn anew by the bare model each time */
async function audioPerCpu(
  speak: Speak,
  segments: readonly (readonly number[])[],
  sampleRateHz: number,
): Promise<number> {
  let samples = 0;
  const before = process.cpuUsage();
  for (const ids of segments) samples += (await speak(ids)).length;
  const { user, system } = process.cpuUsage(before);
  return samples / sampleRateHz / ((user + system) / 1e6);
}
