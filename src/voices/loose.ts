import { basename, join } from 'node:path';
import { AppError } from '../errors.ts';
import type { VoiceConfig } from '../speech/voice/voice-config.ts';
import { readVoiceConfig, type VoiceFiles } from '../speech/voice/voice-model.ts';
import type { Workers } from '../speech/workers.ts';
import { type BuiltinVoice, builtinVoices } from './builtin.ts';
import type { Catalog } from './catalog.ts';
import { modelNames } from './folder.ts';

/** A voice found without a database. */
export interface LooseVoice {
  readonly files: VoiceFiles;
  readonly config: VoiceConfig;
  readonly speaker: number;
  readonly gainDb: number;
}

/**
 * Finds a voice by name among the built-in ones and the folder.
 * @param name a whole file name without `.onnx` or a part of it, any case; the id of a built-in voice; undefined: the
 *   default voice
 * @throws AppError `bad_voice` when there is none, or it can't speak
 */
export async function looseVoice(
  folder: string,
  name: string | undefined,
  workers: Workers,
): Promise<LooseVoice> {
  const all = [...builtinVoices, ...modelNames(folder).map((file) => droppedVoice(folder, file))];
  const voice = choose(all, name);
  const { modelPath, configPath } = voice;
  const { contentHash, config } = await examined(workers, voice);
  const files = { modelPath, configPath, contentHash };
  const gainDb =
    voice.gainDb ?? (await workers.ask('measure', { voice: files, speaker: 0 })).gainDb;
  return { files, config, speaker: 0, gainDb };
}

/** The voice of an id in a data folder's list. */
export async function listedVoice(catalog: Catalog, id: number): Promise<LooseVoice> {
  const voice = await catalog.find(id);
  if (voice === undefined) throw new AppError('bad_voice', `There is no voice ${id}`);
  const { files, speaker } = voice;
  return { files, speaker, config: readVoiceConfig(files), gainDb: await catalog.gainOf(voice) };
}

async function examined(workers: Workers, { stem, modelPath, configPath }: Candidate) {
  try {
    return await workers.ask('examine', { modelPath, configPath });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `The voice ${stem} cannot speak: ${error.message}`);
  }
}

type Candidate = Pick<BuiltinVoice, 'stem' | 'modelPath' | 'configPath'> & {
  readonly gainDb?: number;
};

function droppedVoice(folder: string, file: string): Candidate {
  const modelPath = join(folder, file);
  return { stem: basename(file, '.onnx'), modelPath, configPath: `${modelPath}.json` };
}

function choose(all: readonly Candidate[], name: string | undefined): Candidate {
  const wanted = name?.toLowerCase();
  const found =
    wanted === undefined
      ? all[0]
      : (all.find(({ stem }) => stem.toLowerCase() === wanted) ??
        // In every list the built-in voices come first.
        builtinVoices.find((_, index) => String(index + 1) === wanted) ??
        all.find(({ stem }) => stem.toLowerCase().includes(wanted)));
  if (found === undefined) {
    const names = all.map(({ stem }) => stem).join(', ');
    throw new AppError('bad_voice', `There is no voice ${name}; there are: ${names}`);
  }
  return found;
}
