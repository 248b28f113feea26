import { setPriority } from 'node:os';
import { type EngineSetup, loadEngine } from './engines.ts';

export interface EngineRequest {
  readonly ids: readonly number[];
  /** Whether samples are returned, or only their number. */
  readonly wantsSamples: boolean;
}

export interface EngineResponse {
  readonly sampleCount: number;
  readonly samples: Float32Array | null;
  readonly cpuS: number;
}

/** Priority of speech workers, so that all are scheduled equally. */
const niceness = 10;

/** A process with one engine. Argument: its `EngineSetup` as JSON. */
setPriority(niceness);
const speak = await loadEngine(JSON.parse(process.argv[2] ?? '') as EngineSetup);
process.on('disconnect', () => process.exit(0));
const respondTo = async ({ ids, wantsSamples }: EngineRequest): Promise<void> => {
  const before = process.cpuUsage();
  const samples = await speak(ids);
  const { user, system } = process.cpuUsage(before);
  const response: EngineResponse = {
    sampleCount: samples.length,
    samples: wantsSamples ? samples : null,
    cpuS: (user + system) / 1e6,
  };
  process.send?.(response);
};
process.on('message', (request: EngineRequest) => {
  respondTo(request).catch(() => process.exit(1));
});
process.send?.('ready');
