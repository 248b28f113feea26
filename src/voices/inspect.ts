import { statSync } from 'node:fs';
import { capitalize } from '../capitalize.ts';
import { timestamp } from '../clock.ts';
import type { NewVoice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { VoiceConfig } from '../speech/synthesize/voice-config.ts';
import type { VoiceFiles } from '../speech/synthesize/voice-model.ts';
import { synthesizeText } from '../speech/synthesize-text.ts';
import {
  startWorkerPool,
  type WorkerPool,
  type WorkerPoolOptions,
  WorkersStoppedError,
} from '../speech/worker-pool.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import type { TaskName, Tasks } from '../speech/worker-protocol.ts';
import { getSampleSentence } from '../texts.ts';

/** Fewer crashes may have another cause. */
const maxCrashes = 3;

/** `problem`: unusable. `later`: unknown for now, such as after a timeout. */
export type InspectionOutcome =
  | { readonly contentHash: string; readonly config: VoiceConfig }
  | { readonly problem: string }
  | { readonly later: string };

/** Loads a voice in a worker: a hostile one harms only the worker. */
export async function inspectInWorker(
  workers: WorkerPool,
  { modelPath, configPath }: Pick<VoiceFiles, 'modelPath' | 'configPath'>,
): Promise<InspectionOutcome> {
  try {
    return await callWithCrashRetry(workers, 'examine', { modelPath, configPath });
  } catch (error) {
    if (error instanceof AppError && error.code === 'bad_voice') return { problem: error.message };
    if (error instanceof WorkerCrashedError && !(error instanceof WorkersStoppedError)) {
      return { problem: 'loading the model crashed the worker' };
    }
    // Perhaps not caused by the voice: inspected again next time.
    return { later: error instanceof Error ? error.message : String(error) };
  }
}

/** @returns one voice per speaker, named after the file */
export function buildVoiceRows(stem: string, contentHash: string, config: VoiceConfig): NewVoice[] {
  const name = config.name ?? formatDisplayName(stem);
  return config.speakers.map((speaker, number) => ({
    content_hash: contentHash,
    speaker: number,
    name: speaker === '' ? name : `${name} (${speaker})`,
    language: config.language,
    locale: config.locale,
    quality: config.quality,
    gender: config.gender,
    sample_rate_hz: config.sampleRateHz,
    gain_db: null,
    license: config.license,
    source: null,
    plan_required: 'starter',
    enabled: 1,
    installed_at: timestamp(),
  }));
}

/** Piper names its files `en_US-some_name-medium`. */
export function formatDisplayName(stem: string): string {
  const middle = /^[a-z]{2,3}_[A-Z]{2}-(.+)-[a-z_]+$/.exec(stem)?.[1] ?? stem;
  const words = middle.split(/[_\s]+/).filter((word) => word !== '');
  return words.map(capitalize).join(' ');
}

/** @throws WorkerCrashedError after several crashes */
export async function callWithCrashRetry<Name extends TaskName>(
  workers: WorkerPool,
  task: Name,
  params: Tasks[Name]['params'],
): Promise<Tasks[Name]['result']> {
  for (let crashCount = 1; ; crashCount += 1) {
    try {
      return await workers.call(task, params);
    } catch (error) {
      if (!(error instanceof WorkerCrashedError) || crashCount >= maxCrashes) throw error;
    }
  }
}

export function getConfigPath(modelPath: string): string {
  return `${modelPath}.json`;
}

/** Changes with the model or its config, but not with the file name. */
export function readVoiceStamp({ modelPath, configPath }: Pick<VoiceFiles, 'modelPath' | 'configPath'>): string {
  return `${readFileStamp(modelPath)} ${readFileStamp(configPath)}`;
}

function readFileStamp(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? 'missing' : `${status.size}@${status.mtimeMs}`;
}

/** A larger model has more to compute: it gets more time in proportion. */
const usualModelMb = 60;
/** A voice that needs more would end every worker that speaks it. */
const maxMemoryShare = 2;

export interface InspectionResult<CheckResult = unknown> {
  /** What `check` returned. */
  readonly checkResult: CheckResult;
  readonly contentHash: string;
  readonly config: VoiceConfig;
  /** Undefined where the model was tested before, with another voice. */
  readonly measured: MeasuredVoice | undefined;
}

interface MeasuredVoice {
  readonly gainDb: number;
  /** Processing seconds per second of audio. */
  readonly realTimeFactor: number;
  /** MP3 of a sentence in its language. */
  readonly sample: Uint8Array<ArrayBuffer>;
}

/** A voice before its installation. */
interface VoiceCandidate<CheckResult> {
  readonly files: Pick<VoiceFiles, 'modelPath' | 'configPath'>;
  /** Called before the model is measured; an error it throws ends the inspection. */
  readonly check: (config: VoiceConfig, contentHash: string) => Promise<CheckResult>;
}

/** Inspects every voice before installation. */
export interface VoiceValidator {
  /**
   * Loads, tests and measures the voices of a model in a process of their own, with limits of time and memory. The first one
   * is tested and measured; the others are loaded.
   * @throws AppError `bad_voice` with the reason in one line
   */
  inspect<CheckResult>(voices: readonly VoiceCandidate<CheckResult>[]): Promise<InspectionResult<CheckResult>[]>;
}

export function createVoiceValidator(options: Omit<WorkerPoolOptions, 'count'>): VoiceValidator {
  const poolOptions = {
    ...options,
    count: 1,
    hardMemoryMb: options.memoryMb * maxMemoryShare,
  };
  return {
    inspect: async <CheckResult>(voices: readonly VoiceCandidate<CheckResult>[]) => {
      const modelBytes = voices.map(({ files }) => statSync(files.modelPath, { throwIfNoEntry: false })?.size ?? 0);
      const modelMb = Math.max(...modelBytes) / 1e6;
      const deadlineS = Math.ceil(options.deadlineS * Math.max(1, modelMb / usualModelMb));
      const workers = startWorkerPool({ ...poolOptions, deadlineS });
      const results: InspectionResult<CheckResult>[] = [];
      try {
        for (const { files, check } of voices) {
          const { contentHash, config } = await workers.call('examine', files);
          const checkResult = await check(config, contentHash);
          const isFirst = results.length === 0;
          const measured = isFirst ? await measure(workers, { ...files, contentHash }, config) : undefined;
          results.push({ checkResult, contentHash, config, measured });
        }
        return results;
      } catch (error) {
        throw toBadVoiceError(error);
      } finally {
        await workers.stop();
      }
    },
  };
}

async function measure(workers: WorkerPool, files: VoiceFiles, config: VoiceConfig): Promise<MeasuredVoice> {
  await workers.call('probe', { voice: files });
  const { gainDb, realTimeFactor } = await workers.call('measure', { voice: files, speaker: 0 });
  const { language, sampleRateHz } = config;
  const voice = { files, speaker: 0, gainDb, language, sampleRateHz };
  const sample = await synthesizeText(workers, voice, { content: getSampleSentence(language), title: null });
  if (sample === undefined) throw new AppError('bad_voice', 'synthesis returned no audio');
  return { gainDb, realTimeFactor, sample: sample.mp3 };
}

/** Every crash of this process is caused by the voice: it has no other tasks. */
function toBadVoiceError(error: unknown): unknown {
  if (error instanceof WorkerCrashedError) {
    return new AppError('bad_voice', `smoke test failed: ${error.message}`);
  }
  if (error instanceof AppError && error.code === 'operation_failed') {
    return new AppError('bad_voice', error.message);
  }
  return error;
}
