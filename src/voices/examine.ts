import { statSync } from 'node:fs';
import type { NewVoice } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import type { TaskName, Tasks } from '../speech/tasks.ts';
import type { VoiceConfig } from '../speech/voice/voice-config.ts';
import { WorkerDied } from '../speech/worker-process.ts';
import { type Workers, WorkersStopped } from '../speech/workers.ts';

/** One death may be an accident; so many are the voice's doing. */
const deathsMax = 3;

/** What a worker found a model and its config to be. */
export type Examined =
  | { readonly contentHash: string; readonly config: VoiceConfig }
  | { readonly problem: string }
  | { readonly later: string };

/** Lets a worker load a voice: a hostile one harms only the worker. `later`: it could not be told just now. */
export async function examineByWorker(
  workers: Workers,
  modelPath: string,
  configPath: string,
): Promise<Examined> {
  try {
    return await askAgain(workers, 'examine', { modelPath, configPath });
  } catch (error) {
    if (error instanceof AppError && error.code === 'bad_voice') return { problem: error.message };
    if (error instanceof WorkerDied && !(error instanceof WorkersStopped)) {
      return { problem: 'loading the model ends the program' };
    }
    // Not the voice's fault as far as one can tell: looked at again next time.
    return { later: error instanceof Error ? error.message : String(error) };
  }
}

/** @returns a voice for each speaker, named after its file */
export function voiceRows(stem: string, contentHash: string, config: VoiceConfig): NewVoice[] {
  const name = displayName(stem);
  return config.speakers.map((speaker, number) => ({
    content_hash: contentHash,
    speaker: number,
    name: speaker === '' ? name : `${name} (${speaker})`,
    language: config.language,
    locale: config.locale,
    quality: config.quality,
    gender: 'neutral',
    sample_rate_hz: config.sampleRateHz,
    gain_db: null,
    license: config.license,
    source: null,
    plan_required: 'starter',
    enabled: 1,
    installed_at: new Date().toISOString(),
  }));
}

/** Piper names its files `en_US-some_name-medium`. */
function displayName(stem: string): string {
  const middle = /^[a-z]{2,3}_[A-Z]{2}-(.+)-[a-z_]+$/.exec(stem)?.[1] ?? stem;
  const words = middle.split(/[_\s]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** @throws WorkerDied when it was no accident */
export async function askAgain<Name extends TaskName>(
  workers: Workers,
  task: Name,
  question: Tasks[Name]['question'],
): Promise<Tasks[Name]['answer']> {
  for (let deaths = 1; ; deaths += 1) {
    try {
      return await workers.ask(task, question);
    } catch (error) {
      if (!(error instanceof WorkerDied) || deaths >= deathsMax) throw error;
    }
  }
}

/** Where the config of a model lies. */
export function configPathOf(modelPath: string): string {
  return `${modelPath}.json`;
}

/** @returns what changes whenever a model or its config does; the same under another name */
export function stampOf(modelPath: string, configPath = configPathOf(modelPath)): string {
  return `${fileStamp(modelPath)} ${fileStamp(configPath)}`;
}

function fileStamp(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? 'missing' : `${status.size}@${status.mtimeMs}`;
}
