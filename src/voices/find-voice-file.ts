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

/** Gains of voices that were measured without a database. */
export interface GainCache {
  /** In dB; undefined for a voice that was not measured yet. */
  find(contentHash: string): number | undefined;
  /** Does nothing without a writable data folder: the voice is measured again next time. */
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
        // A full or read-only disk costs the next command a measurement.
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

export interface VoiceSearch {
  /** User-installed voices; need not exist. */
  readonly folder: string;
  readonly workers: WorkerPool;
  /** Undefined: all voices are used as exported. */
  readonly optimizerCache: Pick<OptimizerCache, 'find'> | undefined;
  /** In dB; undefined: the voice was not inspected yet. */
  readonly findGain: (contentHash: string) => Promise<number | undefined>;
  readonly saveGain: (contentHash: string, gainDb: number) => void;
}

/**
 * Finds a built-in or user-installed voice by name. An unknown voice is inspected and measured, which takes as long as half a
 * minute of its speech.
 * @param name file name without `.onnx` or a part of it, any case; id of a built-in voice; undefined: the default voice
 * @throws AppError `bad_voice` when there is none, or it is unusable
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
      // An optimized voice was inspected before.
      if (files.optimized === undefined) await workers.call('examine', { modelPath, configPath });
      ({ gainDb } = await workers.call('measure', { voice: files, speaker: 0 }));
      saveGain(contentHash, gainDb);
    }
    return { files, config, speaker: 0, gainDb };
  });
}

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
        // Built-in voices are first in every list.
        builtinVoices.find((_, index) => String(index + 1) === wanted) ??
        all.find(({ stem }) => stem.toLowerCase().includes(wanted)));
  if (found === undefined) {
    const names = all.map(({ stem }) => stem).join(', ');
    throw new AppError('bad_voice', `Voice ${name} not found. Available: ${names}`);
  }
  return found;
}
