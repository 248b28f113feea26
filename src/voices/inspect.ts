import { statSync } from 'node:fs';
import type { NewVoice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { VoiceConfig } from '../speech/synthesize/voice-config.ts';
import type { VoiceFiles } from '../speech/synthesize/voice-model.ts';
import { sayText } from '../speech/synthesize-text.ts';
import {
  startWorkers,
  type Workers,
  type WorkersOptions,
  WorkersStopped,
} from '../speech/worker-pool.ts';
import { WorkerDied } from '../speech/worker-process.ts';
import type { TaskName, Tasks } from '../speech/worker-protocol.ts';

const sentences: Readonly<Record<string, string>> = {
  en: 'On Saturday morning the lighthouse of the harbor town opened its doors again.',
  de: 'Am Samstagmorgen hat der Leuchtturm der Hafenstadt wieder geöffnet.',
  fr: 'Samedi matin, le phare de la ville portuaire a rouvert ses portes.',
  es: 'El sábado por la mañana, el faro de la ciudad portuaria volvió a abrir sus puertas.',
  it: 'Sabato mattina il faro della città portuale ha riaperto le sue porte.',
  pt: 'No sábado de manhã, o farol da cidade portuária voltou a abrir as portas.',
  nl: 'Zaterdagochtend opende de vuurtoren van de havenstad weer zijn deuren.',
  pl: 'W sobotę rano latarnia morska w portowym mieście znów otworzyła swoje drzwi.',
  sv: 'På lördagsmorgonen öppnade fyren i hamnstaden sina dörrar igen.',
  da: 'Lørdag morgen åbnede fyrtårnet i havnebyen igen sine døre.',
};

/** @returns something to say in a language; English where we know nothing */
export function sampleSentence(language: string): string {
  return sentences[language] ?? sentences['en'] ?? '';
}

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

/** What takes longer speaks slower than anybody could listen, even on a busy machine. */
const stepSecondsMax = 75;
/** A voice that needs more of a worker's memory would end every worker that speaks it. */
const memoryShareMax = 2;

/** What a voice was found to be. */
export interface Inspected {
  readonly contentHash: string;
  readonly config: VoiceConfig;
  readonly gainDb: number;
  /** Seconds of work for a second of sound. */
  readonly realTimeFactor: number;
  /** A sentence of its language, as MP3. */
  readonly sample: Uint8Array<ArrayBuffer>;
}

/** Where every voice passes that is to be installed, by whatever way it came. */
export interface Gate {
  /**
   * Reads, probes, measures and hears a voice in a child of its own: a hostile file costs that child, its time and
   * its memory, and nothing else.
   * @param check looks at the config before the model is measured; what it throws ends the inspection
   * @throws AppError `bad_voice` with the reason in one line
   */
  inspect(
    files: Pick<VoiceFiles, 'modelPath' | 'configPath'>,
    check: (config: VoiceConfig) => void,
  ): Promise<Inspected>;
}

export function createGate(options: Omit<WorkersOptions, 'count'>): Gate {
  const child = {
    ...options,
    count: 1,
    deadlineS: Math.min(options.deadlineS, stepSecondsMax),
    hardMemoryMb: options.memoryMb * memoryShareMax,
  };
  return {
    inspect: async (files, check) => {
      const workers = startWorkers(child);
      try {
        return await inspect(workers, files, check);
      } catch (error) {
        throw badVoice(error);
      } finally {
        await workers.stop();
      }
    },
  };
}

async function inspect(
  workers: Workers,
  paths: Pick<VoiceFiles, 'modelPath' | 'configPath'>,
  check: (config: VoiceConfig) => void,
): Promise<Inspected> {
  const { contentHash, config } = await workers.ask('examine', paths);
  check(config);
  const files = { ...paths, contentHash };
  await workers.ask('probe', { voice: files });
  const { gainDb, realTimeFactor } = await workers.ask('measure', { voice: files, speaker: 0 });
  const { language, sampleRateHz } = config;
  const voice = { files, speaker: 0, gainDb, language, sampleRateHz };
  const said = await sayText(workers, voice, { content: sampleSentence(language), title: null });
  if (said === undefined) throw new AppError('bad_voice', 'it can say nothing');
  return { contentHash, config, gainDb, realTimeFactor, sample: said.mp3 };
}

/** The child died of this voice alone: nothing else was asked of it. */
function badVoice(error: unknown): unknown {
  if (error instanceof WorkerDied) {
    return new AppError('bad_voice', `to load it and let it speak fails: ${error.message}`);
  }
  if (error instanceof AppError && error.code === 'operation_failed') {
    return new AppError('bad_voice', error.message);
  }
  return error;
}
