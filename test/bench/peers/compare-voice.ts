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

/** A voice, and what it says. */
export interface Comparison {
  /** As a worker gets it. */
  readonly voice: VoiceFiles;
  /** It comes with the server. */
  readonly isBuiltin: boolean;
  readonly article: BenchArticle;
  readonly rounds: number;
  /** Where sherpa-onnx-node is installed; undefined: it is left out. */
  readonly peers: string | undefined;
  /** For what is written on the way. */
  readonly folder: string;
}

/** What one of the contenders did. */
export interface Result {
  readonly name: ContenderName;
  /** How long the article lasts, without the pauses between its sentences. */
  readonly audioS: number;
  /** On one worker, and on two; values of the rounds. */
  readonly speeds: readonly Speed[];
  readonly peaks: Peaks;
}

interface Speed {
  /** Seconds of sound for a second of CPU. */
  readonly perCpuS: readonly number[];
  /** Seconds of sound for a second. */
  readonly perWallS: readonly number[];
}

/** Lets all speak the same article, on one worker and on two, in turns. */
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
  const own = await createEngineContender({ engine: 'lectern', voice }, sentences, rate);
  // Its noise is always the same, and so is how long the article lasts.
  const { audioS } = await own.speak(1);
  const spoken = { audioS, sentenceCount: sentences.length };
  const modelPath = isBuiltin ? undefined : voice.modelPath;
  return [...contenders, own, await createServerContender(modelPath, article, spoken)];
}
