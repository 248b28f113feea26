import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError } from '../errors.ts';
import { writeFileAtomicallySync } from '../files.ts';
import { parseVoiceConfig, type VoiceConfig } from '../speech/synthesize/voice-config.ts';
import { hashVoice, readVoice, readVoiceConfig, type VoiceFiles } from '../speech/synthesize/voice-model.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { type BuiltinVoice, builtinVoices, type Catalog, listModelNames } from './catalog.ts';
import { type OptimizerCache, withOptimizedModel } from './optimizer-cache.ts';

const MeasuredGainsFile = Type.Object({
  format: Type.Literal(1),
  /** By content hash of the voice, in dB. */
  gains: Type.Record(Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Number()),
});

/** The gains of voices that were inspected and measured without a database, so that it is done once for each. */
export interface GainCache {
  /** @returns dB; undefined for a voice that was not measured yet */
  find(contentHash: string): number | undefined;
  /** Does nothing where there is no data folder, or nobody may write there: the voice is measured again next time. */
  set(contentHash: string, gainDb: number): void;
}

/** @param dataFolder need not exist; `loudness.json` in it may be deleted at any time */
export function openGainCache(dataFolder: string): GainCache {
  const path = join(dataFolder, 'loudness.json');
  const read = (): Record<string, number> => {
    try {
      const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
      return Value.Check(MeasuredGainsFile, file) ? file.gains : {};
    } catch {
      return {};
    }
  };
  return {
    find: (contentHash) => read()[contentHash],
    set: (contentHash, gainDb) => {
      if (!existsSync(dataFolder)) return;
      const file = { format: 1, gains: { ...read(), [contentHash]: gainDb } };
      try {
        writeFileAtomicallySync(path, Buffer.from(JSON.stringify(file)), { mode: 0o600 });
      } catch {
        // A disk that is full or read-only costs the next command a measurement, nothing else.
      }
    },
  };
}

/** A voice found without a database. */
export interface ResolvedVoice {
  readonly files: VoiceFiles;
  readonly config: VoiceConfig;
  readonly speaker: number;
  readonly gainDb: number;
}

/** What finding a voice without a database takes. */
export interface VoiceSearch {
  /** Holds further voices beside the built-in ones; need not exist. */
  readonly folder: string;
  readonly workers: WorkerPool;
  /** Undefined: all voices are used as exported. */
  readonly optimizerCache: Pick<OptimizerCache, 'find'> | undefined;
  /** @returns the gain of a voice in dB; undefined: nobody has inspected it yet */
  readonly findGain: (contentHash: string) => Promise<number | undefined>;
  readonly saveGain: (contentHash: string, gainDb: number) => void;
}

/**
 * Finds a voice by name among the built-in ones and the folder. Only one that is not known is inspected and measured, which
 * takes as long as half a minute of its speech.
 * @param name a whole file name without `.onnx` or a part of it, any case; the id of a built-in voice; undefined: the
 *   default voice
 * @throws AppError `bad_voice` when there is none, or it can't speak
 */
export async function findVoiceFile(
  { folder, workers, optimizerCache, findGain, saveGain }: VoiceSearch,
  name: string | undefined,
): Promise<ResolvedVoice> {
  const all = [...builtinVoices, ...listModelNames(folder).map((file) => toUserInstalledVoice(folder, file))];
  const voice = selectCandidate(all, name);
  return withVoiceName(voice.stem, async () => {
    const { modelPath, configPath } = voice;
    const bytes = readVoice(voice);
    const contentHash = hashVoice(bytes.model, bytes.config);
    const original = { modelPath, configPath, contentHash };
    const files = withOptimizedModel(original, optimizerCache?.find(contentHash));
    const config = parseVoiceConfig(new TextDecoder().decode(bytes.config));
    let gainDb = voice.gainDb ?? (await findGain(contentHash));
    if (gainDb === undefined) {
      // What was optimized has been inspected before.
      if (files.optimized === undefined) await workers.call('examine', { modelPath, configPath });
      ({ gainDb } = await workers.call('measure', { voice: files, speaker: 0 }));
      saveGain(contentHash, gainDb);
    }
    return { files, config, speaker: 0, gainDb };
  });
}

/** The voice of an id in a data folder's list. */
export async function findVoiceById(catalog: Catalog, id: number): Promise<ResolvedVoice> {
  const voice = await catalog.find(id);
  if (voice === undefined) throw new AppError('bad_voice', `Voice ${id} not found`);
  const { files, speaker } = voice;
  return { files, speaker, config: readVoiceConfig(files), gainDb: await catalog.getGain(voice) };
}

async function withVoiceName<T>(stem: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `Loading voice ${stem} failed: ${error.message}`);
  }
}

type Candidate = Pick<BuiltinVoice, 'stem' | 'modelPath' | 'configPath'> & {
  readonly gainDb?: number;
};

function toUserInstalledVoice(folder: string, file: string): Candidate {
  const modelPath = join(folder, file);
  return { stem: basename(file, '.onnx'), modelPath, configPath: `${modelPath}.json` };
}

function selectCandidate(all: readonly Candidate[], name: string | undefined): Candidate {
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
    throw new AppError('bad_voice', `Voice ${name} not found. Available: ${names}`);
  }
  return found;
}
