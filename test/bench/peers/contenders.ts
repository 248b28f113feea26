import type { BenchArticle } from '../article.ts';
import { startBenchServer } from '../bench-server.ts';
import { listChildPids, readCpuSeconds, readResidentMb } from '../process-cost.ts';
import { startEngine } from './engine-workers.ts';
import type { EngineSetup } from './engines.ts';

export const workerCounts = [1, 2] as const;
type WorkerCount = (typeof workerCounts)[number];
export type ContenderName = EngineSetup['engine'] | 'end to end';

/** A program that synthesizes an article. */
export interface Contender {
  readonly name: ContenderName;
  speak(workers: WorkerCount): Promise<Effort>;
  peaks(): Peaks;
  end(): Promise<void>;
}

/** Cost of one synthesis of the article. */
export interface Effort {
  readonly audioS: number;
  readonly cpuS: number;
  readonly wallS: number;
}

/** Peak memory of one of its processes, in MB. */
export interface Peaks {
  readonly workerMb: number;
  readonly serverMb?: number;
}

/** @param sentences phoneme ids of the article */
export async function createEngineContender(
  setup: EngineSetup,
  sentences: readonly (readonly number[])[],
  sampleRateHz: number,
): Promise<Contender> {
  const count = Math.max(...workerCounts);
  const engine = await startEngine(setup, count);
  // The longest sentence determines the memory.
  const [longest = []] = sentences.toSorted((a, b) => b.length - a.length);
  await engine.speak(Array<readonly number[]>(count).fill(longest), count);
  return {
    name: setup.engine,
    speak: async (workers) => {
      const { sampleCount, cpuS, wallS } = await engine.speak(sentences, workers);
      return { audioS: sampleCount / sampleRateHz, cpuS, wallS };
    },
    peaks: () => ({ workerMb: engine.peakMb() }),
    end: async () => engine.end(),
  };
}

/**
 * Lectern with all work from POST to ready: extraction, planning, inference, loudness, MP3, database.
 * @param modelPath of a voice to install; undefined: the built-in one
 * @param spoken result of an engine of the same kind, without pauses, which cost nothing
 */
export async function createServerContender(
  modelPath: string | undefined,
  article: BenchArticle,
  spoken: { readonly audioS: number; readonly sentenceCount: number },
): Promise<Contender> {
  const start = (workers: WorkerCount) => startBenchServer({ workers, ...(modelPath !== undefined && { modelPath }) });
  const servers = { 1: await start(1), 2: await start(2) };
  const all = Object.values(servers);
  for (const server of all) await server.make(await server.freshSite(), 'first', article);
  return {
    name: 'end to end',
    speak: async (workers) => {
      const server = servers[workers];
      const site = await server.freshSite();
      const before = readCpuSeconds(server.pid);
      const post = await server.make(site, 'post', article);
      const cpuS = readCpuSeconds(server.pid) - before;
      if (post.spoken !== spoken.sentenceCount) {
        throw new Error(`the server spoke ${post.spoken} segments, not ${spoken.sentenceCount}`);
      }
      return { audioS: spoken.audioS, cpuS, wallS: post.readyS };
    },
    peaks: () => ({
      workerMb: Math.max(...all.flatMap(({ pid }) => listChildPids(pid).map((child) => readResidentMb(child).peak))),
      serverMb: Math.max(...all.map(({ pid }) => readResidentMb(pid).peak)),
    }),
    end: async () => {
      for (const server of all) await server.stop();
    },
  };
}
