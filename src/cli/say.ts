import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { AppError, operationFailed } from '../errors.ts';
import { requireTarget, writeFileAtomically, writeFileAtomicallySync } from '../files.ts';
import type { VoiceConfig } from '../speech/synthesize/voice-config.ts';
import { identifyVoice, readVoiceConfig, type VoiceFiles } from '../speech/synthesize/voice-model.ts';
import { synthesizeText } from '../speech/synthesize-text.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { type BuiltinVoice, builtinVoices } from '../voices/builtin-voices.ts';
import { type Catalog, openCatalog } from '../voices/catalog.ts';
import { type OptimizerCache, openConfiguredOptimizerCache, withOptimizedModel } from '../voices/optimizer-cache.ts';
import { findGain } from '../voices/store.ts';
import { getOptimizerKey, listVoicePlaces } from '../voices/voice-files.ts';
import {
  addNativeFolders,
  type CommonOptions,
  createCommand,
  hasDatabase,
  loadConfig,
  openVoiceStore,
  withDatabase,
  withWorkers,
} from './command.ts';
import { createProgressBar, printResult } from './output.ts';

const MeasuredGainsFile = Type.Object({
  format: Type.Literal(1),
  /** By content hash of the voice, in dB. */
  gains: Type.Record(Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Number()),
});

/** Gains of voices that were measured without a database. */
interface GainCache {
  /** In dB; undefined for a voice that was not measured yet. */
  find(contentHash: string): number | undefined;
  /** Does nothing without a writable data folder: the voice is measured again next time. */
  set(contentHash: string, gainDb: number): void;
}

/** @param dataFolder need not exist; `loudness.json` in it may be deleted at any time */
function openGainCache(dataFolder: string): GainCache {
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
        writeFileAtomicallySync(path, Buffer.from(JSON.stringify(file)));
      } catch {
        // A full or read-only disk costs the next command a measurement.
      }
    },
  };
}

/** A voice found without a database. */
interface ResolvedVoice {
  readonly files: VoiceFiles;
  readonly config: VoiceConfig;
  readonly speaker: number;
  readonly gainDb: number;
}

interface VoiceSearch {
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
async function findVoiceFile(
  { folder, workers, optimizerCache, findGain, saveGain }: VoiceSearch,
  name: string | undefined,
): Promise<ResolvedVoice> {
  const all: Candidate[] = [...builtinVoices, ...listVoicePlaces(folder).map((place) => ({ ...place, speaker: 0 }))];
  const voice = selectCandidate(all, name);
  return withVoiceName(voice.stem, async () => {
    const { modelPath, configPath, speaker } = voice;
    const { contentHash, config } = identifyVoice(voice);
    const original = { modelPath, configPath, contentHash };
    const files = withOptimizedModel(original, optimizerCache?.find(getOptimizerKey(original)));
    let gainDb = voice.gainDb ?? (await findGain(contentHash));
    if (gainDb === undefined) {
      // An optimized voice was inspected before.
      if (files.optimized === undefined) await workers.call('examine', { modelPath, configPath });
      ({ gainDb } = await workers.call('measure', { voice: files, speaker }));
      saveGain(contentHash, gainDb);
    }
    return { files, config, speaker, gainDb };
  });
}

async function findVoiceById(catalog: Catalog, id: number): Promise<ResolvedVoice> {
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

type Candidate = Pick<BuiltinVoice, 'stem' | 'modelPath' | 'configPath' | 'speaker'> & {
  readonly gainDb?: number;
};

function selectCandidate(all: readonly Candidate[], name: string | undefined): Candidate {
  const lowerCaseName = name?.toLowerCase();
  const candidate =
    lowerCaseName === undefined
      ? all[0]
      : (all.find(({ stem }) => stem.toLowerCase() === lowerCaseName) ??
        // Built-in voices are first in every list.
        builtinVoices.find((_, index) => String(index + 1) === lowerCaseName) ??
        all.find(({ stem }) => stem.toLowerCase().includes(lowerCaseName)));
  if (candidate === undefined) {
    const names = all.map(({ stem }) => stem).join(', ');
    throw new AppError('bad_voice', `Voice ${name} not found. Available: ${names}`);
  }
  return candidate;
}

/** A text like this is a mistyped file name. */
const FILE_NAME = /^\S+\.(?:html?|xhtml|txt|md)$/i;

interface SayOptions extends CommonOptions {
  readonly voice?: string;
  readonly output: string;
  readonly title?: string;
}

export function sayCommand(): Command {
  return createCommand('say', 'synthesize text or a file to MP3; no server needed')
    .argument('<text|file>', 'plain text, HTML, or a file name')
    .requiredOption('-o, --output <file.mp3>', 'output MP3 file')
    .option('--voice <name|id>', 'voice name or id (default: first built-in voice)')
    .option('--title <title>', 'title, spoken first')
    .action(say);
}

async function say(textOrFile: string, options: SayOptions): Promise<void> {
  const config = loadConfig(options);
  addNativeFolders(config);
  const content = readContent(textOrFile);
  requireTarget(options.output);
  await withWorkers(config, config.workers, async (workers) => {
    const voice = await resolveVoice(options, config, workers);
    const started = performance.now();
    const { mp3, durationMs } = await synthesizeContent(content, options.title, voice, workers);
    await writeFileAtomically(options.output, [mp3], { mode: 'umask' });
    const tookMs = performance.now() - started;
    printResult(
      options.json,
      { file: options.output, duration_seconds: durationMs / 1000, took_seconds: tookMs / 1000 },
      () => `${options.output}: ${(durationMs / 1000).toFixed(1)} s of speech in ${(tookMs / 1000).toFixed(1)} s`,
    );
  });
}

/** An id belongs to the list of a data folder; names and the built-in voices need none. */
async function resolveVoice({ voice, data }: SayOptions, config: Config, workers: WorkerPool): Promise<ResolvedVoice> {
  const isId = voice !== undefined && /^\d+$/.test(voice);
  const optimizerCache = openConfiguredOptimizerCache(config);
  const inDatabase = <T>(work: (database: Database) => Promise<T>) =>
    withDatabase(data === undefined ? {} : { data }, work);
  if (isId && hasDatabase(config)) {
    return inDatabase(async (database) => {
      const stored = openVoiceStore(config, database);
      return findVoiceById(await openCatalog(database, config.voices, workers, optimizerCache, stored), Number(voice));
    });
  }
  const gains = openGainCache(config.data);
  const findKnownGain = async (contentHash: string) =>
    gains.find(contentHash) ??
    (hasDatabase(config) ? inDatabase(({ read }) => findGain(read, contentHash)) : undefined);
  const search = {
    ...{ folder: config.voices, workers, optimizerCache },
    ...{ findGain: findKnownGain, saveGain: gains.set },
  };
  return findVoiceFile(search, voice);
}

function readContent(textOrFile: string): string {
  const isFile = textOrFile.length < 4_000 && existsSync(textOrFile);
  if (!isFile) {
    if (FILE_NAME.test(textOrFile)) {
      throw operationFailed(`File ${textOrFile} not found`);
    }
    return textOrFile;
  }
  if (!statSync(textOrFile).isFile()) {
    throw operationFailed(`${textOrFile} is not a file`);
  }
  return readFileSync(textOrFile, 'utf8');
}

async function synthesizeContent(
  content: string,
  title: string | undefined,
  { files, speaker, gainDb, config }: ResolvedVoice,
  workers: WorkerPool,
) {
  const { language, sampleRateHz } = config;
  const voice = { files, speaker, gainDb, language, sampleRateHz };
  const bar = createProgressBar();
  const synthesized = await synthesizeText(workers, voice, { content, title: title ?? null }, (done, planned, share) =>
    bar.show(share, `sentence ${done} of ${planned}`),
  );
  if (synthesized === undefined) {
    throw operationFailed('The content has no speakable text');
  }
  bar.finish();
  return synthesized;
}
