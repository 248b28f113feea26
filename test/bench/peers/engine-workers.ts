import { join } from 'node:path';
import { residentMb } from '../process-cost.ts';
import type { EngineAnswer, EngineQuestion } from './engine-process.ts';
import type { EngineSetup } from './engines.ts';

/** What some sentences took. */
interface Spoken {
  readonly sampleCount: number;
  readonly cpuS: number;
  readonly wallS: number;
}

/** Processes of one engine, one thread each. */
export interface EngineWorkers {
  /** Shares sentences out among the first so many processes: whoever is free takes the longest that is left. */
  speak(sentences: readonly (readonly number[])[], workers: number): Promise<Spoken>;
  samples(ids: readonly number[]): Promise<Float32Array>;
  /** The most memory that any of them ever had. */
  peakMb(): number;
  end(): void;
}

export async function startEngine(setup: EngineSetup, count: number): Promise<EngineWorkers> {
  const all = await Promise.all(Array.from({ length: count }, () => startProcess(setup)));
  return {
    speak: async (sentences, workers) => {
      const waiting = sentences.toSorted((a, b) => b.length - a.length);
      const started = performance.now();
      const answers = await Promise.all(all.slice(0, workers).map(({ request }) => speakWaiting(waiting, request)));
      const wallS = (performance.now() - started) / 1000;
      const sum = (read: (answer: EngineAnswer) => number) =>
        answers.flat().reduce((total, answer) => total + read(answer), 0);
      return {
        sampleCount: sum(({ sampleCount }) => sampleCount),
        cpuS: sum(({ cpuS }) => cpuS),
        wallS,
      };
    },
    samples: async (ids) => {
      const answer = await all[0]?.request({ ids, wantsSamples: true });
      if (!answer?.samples) throw new Error('no samples came back');
      return answer.samples;
    },
    peakMb: () => Math.max(...all.map(({ pid }) => residentMb(pid).peak)),
    end: () => {
      for (const one of all) one.end();
    },
  };
}

type Ask = (question: EngineQuestion) => Promise<EngineAnswer>;

async function speakWaiting(waiting: (readonly number[])[], request: Ask): Promise<EngineAnswer[]> {
  const answers: EngineAnswer[] = [];
  for (let ids = waiting.shift(); ids !== undefined; ids = waiting.shift()) {
    answers.push(await request({ ids, wantsSamples: false }));
  }
  return answers;
}

async function startProcess(setup: EngineSetup) {
  let waiting = Promise.withResolvers<EngineAnswer>();
  const ready = Promise.withResolvers<void>();
  const program = join(import.meta.dir, 'engine-process.ts');
  const child = Bun.spawn([process.execPath, program, JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    serialization: 'advanced',
    ipc: (message: EngineAnswer | 'ready') => {
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
  const request: Ask = (question) => {
    waiting = Promise.withResolvers();
    child.send(question);
    return waiting.promise;
  };
  return { pid: child.pid, request, end: () => child.disconnect() };
}
