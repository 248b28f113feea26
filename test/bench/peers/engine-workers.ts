import { join } from 'node:path';
import { readResidentMb } from '../process-cost.ts';
import type { EngineRequest, EngineResponse } from './engine-process.ts';
import type { EngineSetup } from './engines.ts';

/** Cost of some sentences. */
interface Spoken {
  readonly sampleCount: number;
  readonly cpuS: number;
  readonly wallS: number;
}

/** Processes of one engine, one thread each. */
export interface EngineWorkers {
  /** Distributes sentences among a number of processes: a free one takes the longest remaining sentence. */
  speak(sentences: readonly (readonly number[])[], workers: number): Promise<Spoken>;
  samples(ids: readonly number[]): Promise<Float32Array>;
  /** Peak memory of any process. */
  peakMb(): number;
  end(): void;
}

export async function startEngine(setup: EngineSetup, count: number): Promise<EngineWorkers> {
  const all = await Promise.all(Array.from({ length: count }, () => startProcess(setup)));
  return {
    speak: async (sentences, workers) => {
      const waiting = sentences.toSorted((a, b) => b.length - a.length);
      const started = performance.now();
      const responses = await Promise.all(all.slice(0, workers).map(({ request }) => speakWaiting(waiting, request)));
      const wallS = (performance.now() - started) / 1000;
      const sum = (read: (response: EngineResponse) => number) =>
        responses.flat().reduce((total, response) => total + read(response), 0);
      return {
        sampleCount: sum(({ sampleCount }) => sampleCount),
        cpuS: sum(({ cpuS }) => cpuS),
        wallS,
      };
    },
    samples: async (ids) => {
      const response = await all[0]?.request({ ids, wantsSamples: true });
      if (!response?.samples) throw new Error('no samples came back');
      return response.samples;
    },
    peakMb: () => Math.max(...all.map(({ pid }) => readResidentMb(pid).peak)),
    end: () => {
      for (const worker of all) worker.end();
    },
  };
}

type RequestSpeech = (request: EngineRequest) => Promise<EngineResponse>;

async function speakWaiting(waiting: (readonly number[])[], request: RequestSpeech): Promise<EngineResponse[]> {
  const responses: EngineResponse[] = [];
  for (let ids = waiting.shift(); ids !== undefined; ids = waiting.shift()) {
    responses.push(await request({ ids, wantsSamples: false }));
  }
  return responses;
}

async function startProcess(setup: EngineSetup) {
  let waiting = Promise.withResolvers<EngineResponse>();
  const ready = Promise.withResolvers<void>();
  const program = join(import.meta.dir, 'engine-process.ts');
  const child = Bun.spawn([process.execPath, program, JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    serialization: 'advanced',
    ipc: (message: EngineResponse | 'ready') => {
      if (message === 'ready') ready.resolve();
      else waiting.resolve(message);
    },
    onExit: (_child, exitCode) => {
      const error = new Error(`the process of ${setup.engine} ended (${exitCode})`);
      ready.reject(error);
      waiting.reject(error);
    },
  });
  waiting.promise.catch(() => {});
  await ready.promise;
  const request: RequestSpeech = (request) => {
    waiting = Promise.withResolvers();
    child.send(request);
    return waiting.promise;
  };
  return { pid: child.pid, request, end: () => child.disconnect() };
}
