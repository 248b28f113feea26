import { join } from 'node:path';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import type { BareCost, BareRequest } from './bare-process.ts';
import { getPreparedData, getVoice } from './prepared-data.ts';

/** A process with inference and encoding only. */
export interface BareWork {
  costOf(request: BareRequest): Promise<BareCost>;
  end(): void;
}

export async function startBareWork(): Promise<BareWork> {
  let waiting = Promise.withResolvers<BareCost>();
  const ready = Promise.withResolvers<void>();
  const [builtin] = builtinVoices;
  if (builtin === undefined) throw new Error('no built-in voice');
  const voice = getVoice(await getPreparedData(), builtin);
  const program = join(import.meta.dir, 'bare-process.ts');
  const child = Bun.spawn([process.execPath, program, JSON.stringify(voice)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    serialization: 'advanced',
    ipc: (message: BareCost | 'ready') => {
      if (message === 'ready') ready.resolve();
      else waiting.resolve(message);
    },
    onExit: (_child, exitCode) => {
      const error = new Error(`the process of the bare work ended (${exitCode})`);
      ready.reject(error);
      waiting.reject(error);
    },
  });
  waiting.promise.catch(() => {});
  await ready.promise;
  return {
    costOf: (request) => {
      waiting = Promise.withResolvers();
      child.send(request);
      return waiting.promise;
    },
    end: () => child.disconnect(),
  };
}
