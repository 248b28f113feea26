import { readVoiceConfig, type VoiceFiles } from '../../../src/speech/synthesize/voice-model.ts';
import type { BenchArticle } from '../article.ts';
import { computeMedian } from '../figure.ts';
import {
  type Contender,
  type ContenderName,
  createEngineContender,
  createServerContender,
  type Effort,
  type Peaks,
  workerCounts,
} from './contenders.ts';
import { planIds } from './planned.ts';
import { createSherpaVoice } from './sherpa-voice.ts';

/** A voice with its text. */
export interface Comparison {
  /** The voice files as passed to a worker. */
  readonly voice: VoiceFiles;
  /** Whether it is built in. */
  readonly isBuiltin: boolean;
  readonly article: BenchArticle;
  readonly rounds: number;
  /** Folder of sherpa-onnx-node; undefined: not compared. */
  readonly peers: string | undefined;
  /** Folder for temporary files. */
  readonly folder: string;
}

/** Result of a contender. */
export interface Result {
  readonly name: ContenderName;
  /** Duration of the article without pauses between sentences. */
  readonly audioS: number;
  /** Values of the rounds with one and with two workers. */
  readonly speeds: readonly Speed[];
  readonly peaks: Peaks;
}

interface Speed {
  /** Seconds of audio per CPU second. */
  readonly perCpuS: readonly number[];
  /** Seconds of audio per second. */
  readonly perWallS: readonly number[];
}

/** Alternates contenders on the same article, with one and with two workers. */
export async function compareVoice(comparison: Comparison): Promise<Result[]> {
  const contenders = await startContenders(comparison);
  // By contender and number of workers.
  const efforts = contenders.map(() => workerCounts.map((): Effort[] => []));
  try {
    for (let round = 0; round < comparison.rounds; round += 1) {
      for (const [column, workers] of workerCounts.entries()) {
        for (const [row, contender] of contenders.entries()) {
          efforts[row]?.[column]?.push(await contender.speak(workers));
        }
      }
    }
    return contenders.map((contender, row) => summarizeEfforts(contender, efforts[row] ?? []));
  } finally {
    for (const { end } of contenders) await end();
  }
}

function summarizeEfforts({ name, peaks }: Contender, efforts: readonly (readonly Effort[])[]): Result {
  return {
    name,
    audioS: computeMedian(efforts.flat().map(({ audioS }) => audioS)),
    speeds: efforts.map((rounds) => ({
      perCpuS: rounds.map(({ audioS, cpuS }) => audioS / cpuS),
      perWallS: rounds.map(({ audioS, wallS }) => audioS / wallS),
    })),
    peaks: peaks(),
  };
}

async function startContenders(comparison: Comparison): Promise<Contender[]> {
  const { voice, isBuiltin, article, peers, folder } = comparison;
  const config = readVoiceConfig(voice);
  const sentences = await planIds(article, config);
  const rate = config.sampleRateHz;
  const contenders = [await createEngineContender({ engine: 'bare', voice }, sentences, rate)];
  if (peers !== undefined) {
    const sherpa = createSherpaVoice(voice.modelPath, config, folder);
    const setup = { engine: 'sherpa', voice, sherpa, folder: peers } as const;
    contenders.push(await createEngineContender(setup, sentences, rate));
  }
  const lecternEngine = await createEngineContender({ engine: 'lectern', voice }, sentences, rate);
  // Its noise is fixed, and so is the duration.
  const { audioS } = await lecternEngine.speak(1);
  const spoken = { audioS, sentenceCount: sentences.length };
  const modelPath = isBuiltin ? undefined : voice.modelPath;
  return [...contenders, lecternEngine, await createServerContender(modelPath, article, spoken)];
}
