import { statSync } from 'node:fs';
import bucheConfig from '../../voices/de_DE-buche-medium.onnx.json' with { type: 'file' };
import aspenConfig from '../../voices/en_US-aspen-medium.onnx.json' with { type: 'file' };
import cedarConfig from '../../voices/en_US-cedar-medium.onnx.json' with { type: 'file' };
import encinaConfig from '../../voices/es_ES-encina-medium.onnx.json' with { type: 'file' };
import robleConfig from '../../voices/es_ES-roble-medium.onnx.json' with { type: 'file' };
import sauleConfig from '../../voices/fr_FR-saule-medium.onnx.json' with { type: 'file' };
import lecternModel from '../../voices/lectern-medium.onnx' with { type: 'file' };
import { releaseEmbeddedPages } from '../build/release-pages.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { parseVoiceConfig } from '../speech/synthesize/voice-config.ts';
import { createVoiceHasher, readVoiceFile, type VoiceFiles } from '../speech/synthesize/voice-model.ts';
import type { SynthesisVoice } from '../speech/synthesize-text.ts';
import { type WorkerPool, WorkersStoppedError } from '../speech/worker-pool.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import { buildVoiceRows, callWithCrashRetry, formatDisplayName, inspectInWorker, readVoiceStamp } from './inspect.ts';
import { type Optimization, type OptimizerCache, withOptimizedModel } from './optimizer-cache.ts';
import {
  findInspectedFile,
  type InspectedFile,
  listVoices,
  updateMeasurements,
  upsertInspectedFile,
  upsertVoice,
} from './store.ts';
import { getOptimizerKey, listVoicePlaces, type VoicePlace } from './voice-files.ts';

/** A voice inside the executable, with the facts a Piper config has no place for. */
export interface BuiltinVoice {
  /** Its file name without `.onnx`. */
  readonly stem: string;
  readonly modelPath: string;
  readonly configPath: string;
  /** Speaker number in the model. */
  readonly speaker: number;
  readonly gender: 'female' | 'male';
  readonly license: string;
  readonly source: string;
  /** As a worker measures it; a test compares. */
  readonly gainDb: number;
}

/** Six speakers of one model; each has a config of its own, with its language. */
const lecternVoices = [
  { stem: 'en_US-aspen-medium', config: aspenConfig, speaker: 0, gender: 'female', gainDb: 7.33 },
  { stem: 'en_US-cedar-medium', config: cedarConfig, speaker: 1, gender: 'male', gainDb: 10.4 },
  { stem: 'fr_FR-saule-medium', config: sauleConfig, speaker: 2, gender: 'female', gainDb: 3.91 },
  { stem: 'es_ES-encina-medium', config: encinaConfig, speaker: 3, gender: 'female', gainDb: 9.98 },
  { stem: 'es_ES-roble-medium', config: robleConfig, speaker: 4, gender: 'male', gainDb: 9.7 },
  {
    stem: 'de_DE-buche-medium',
    config: bucheConfig,
    speaker: 5,
    gender: 'female',
    gainDb: 9.1,
    source: 'Made for Lectern: distilled from Kokoro-82M, adapted to recordings of Kerstin (CC0 1.0)',
  },
] as const;

/** The first is the default. */
export const builtinVoices: readonly BuiltinVoice[] = lecternVoices.map(({ config, ...voice }) => ({
  source: 'Made for Lectern: distilled from Kokoro-82M',
  ...voice,
  license: 'Apache License 2.0: voices/LICENSE.md',
  modelPath: lecternModel,
  configPath: toEmbeddedPath(config),
}));

/** With `type: 'file'` a .json import is the path; TypeScript types it as the contents. */
function toEmbeddedPath(imported: unknown): string {
  return String(imported);
}

/** For files that change in place. */
const folderPollIntervalMs = 1_000;
/** After this time a caller gets the known voices, while a new one is still inspected. */
const inspectTimeoutMs = 2_000;

export interface InstalledVoice extends Voice {
  /** File name without `.onnx`. */
  readonly stem: string;
  readonly files: VoiceFiles;
  /** Undefined where it was not optimized yet, or optimizing is disabled. */
  readonly optimization?: Optimization | undefined;
}

/** Measures the gain first where that is unknown. */
export async function toSynthesisVoice(
  catalog: Pick<Catalog, 'getGain'>,
  voice: InstalledVoice,
): Promise<SynthesisVoice> {
  const { files, speaker, language, sample_rate_hz: sampleRateHz } = voice;
  return { files, speaker, gainDb: await catalog.getGain(voice), language, sampleRateHz };
}

/** A file in the folder that is not a usable voice. */
interface BrokenVoice {
  readonly file: string;
  readonly problem: string;
}

/** The voices whose files are present. */
export interface Catalog {
  /** By id. */
  voices(): Promise<readonly InstalledVoice[]>;
  /** Resolves when every file of the folder is inspected. */
  waitUntilInspected(): Promise<void>;
  /** Reads the folder now. */
  refresh(): Promise<void>;
  broken(): readonly BrokenVoice[];
  /** @returns undefined for an unknown voice, or without its files */
  find(voiceId: number): Promise<InstalledVoice | undefined>;
  /** Also of a voice whose files are missing; undefined for an unknown one. */
  findLanguage(voiceId: number): Promise<string | undefined>;
  /** Adds the optimized model, or removes it, as it is now. */
  resolveFiles(files: VoiceFiles): VoiceFiles;
  /** The gain to the target loudness in dB; measured at the first call for a voice. */
  getGain(voice: InstalledVoice): Promise<number>;
}

/**
 * Registers the built-in voices and opens the folder of user-installed ones.
 * @param folder of user-installed voices; need not exist
 * @param workers inspect new models: a hostile one harms only its worker
 * @param optimizerCache undefined: all voices are used as exported
 */
export async function openCatalog(
  database: Database,
  folder: string,
  workers: WorkerPool,
  optimizerCache?: Pick<OptimizerCache, 'find'>,
): Promise<Catalog> {
  const builtin = await registerBuiltins(database);
  let userInstalled: Folder = { signature: '', files: [], broken: [] };
  let polledAt = Number.NEGATIVE_INFINITY;
  let changedAt: number | undefined;
  let polling: { readonly done: Promise<void>; readonly since: number } | undefined;

  const poll = async (): Promise<void> => {
    const changed = readFolderMtime(folder);
    const signature = buildFolderSignature(folder);
    if (signature !== userInstalled.signature) {
      // Known voices first: they do not wait for the inspection of a new one.
      userInstalled = { signature: '', ...(await listFolderVoices(database, folder)) };
      userInstalled = { signature, ...(await listFolderVoices(database, folder, workers)) };
    }
    polledAt = performance.now();
    changedAt = changed;
  };
  const startPoll = (): void => {
    if (polling !== undefined) return;
    const isFresh = performance.now() - polledAt < folderPollIntervalMs;
    // A command beside this server may have added or removed a file.
    if (isFresh && readFolderMtime(folder) === changedAt) return;
    const done = poll().finally(() => {
      polling = undefined;
    });
    polling = { done, since: performance.now() };
  };
  const listInstalled = async (): Promise<InstalledVoice[]> => {
    const places = [...builtin, ...userInstalled.files].map((place) => {
      const optimization = optimizerCache?.find(getOptimizerKey(place.files));
      return { ...place, optimization, files: withOptimizedModel(place.files, optimization) };
    });
    return toInstalledVoices(await listVoices(database.read), places);
  };
  const waitUntilInspected = async (): Promise<void> => {
    startPoll();
    await polling?.done;
  };
  const voices = async (): Promise<InstalledVoice[]> => {
    startPoll();
    if (polling !== undefined) {
      const remainingMs = polling.since + inspectTimeoutMs - performance.now();
      if (remainingMs > 0) await Promise.race([polling.done, Bun.sleep(remainingMs)]);
    }
    return listInstalled();
  };
  return {
    voices,
    waitUntilInspected,
    refresh: async () => {
      // The running poll may have started before the change.
      await polling?.done;
      polledAt = Number.NEGATIVE_INFINITY;
      await waitUntilInspected();
    },
    broken: () => userInstalled.broken,
    find: async (voiceId) => {
      const found = (await voices()).find(({ id }) => id === voiceId);
      if (found !== undefined) return found;
      // It may be in the folder and not inspected yet.
      await polling?.done;
      return (await listInstalled()).find(({ id }) => id === voiceId);
    },
    findLanguage: async (voiceId) => (await listVoices(database.read)).find(({ id }) => id === voiceId)?.language,
    resolveFiles: (files) => withOptimizedModel(files, optimizerCache?.find(getOptimizerKey(files))),
    getGain: async (voice) => voice.gain_db ?? measureAndStoreGain(database, workers, voice),
  };
}

interface VoiceLocation {
  readonly stem: string;
  readonly files: VoiceFiles;
}

interface Folder {
  /** Changes whenever a file of the folder does. */
  readonly signature: string;
  readonly files: readonly VoiceLocation[];
  readonly broken: readonly BrokenVoice[];
}

async function registerBuiltins(database: Database): Promise<VoiceLocation[]> {
  const known = new Set((await listVoices(database.read)).map((voice) => voice.content_hash));
  const places: VoiceLocation[] = [];
  for (const [modelPath, voices] of Map.groupBy(builtinVoices, (voice) => voice.modelPath)) {
    const { hashWith } = createVoiceHasher(readVoiceFile(modelPath, 'model'));
    for (const voice of voices) {
      const configBytes = readVoiceFile(voice.configPath, 'config');
      const contentHash = hashWith(configBytes);
      if (!known.has(contentHash)) await insertBuiltin(database, voice, contentHash, configBytes);
      places.push({ stem: voice.stem, files: { modelPath, configPath: voice.configPath, contentHash } });
    }
  }
  releaseEmbeddedPages();
  return places;
}

async function insertBuiltin(
  database: Database,
  voice: BuiltinVoice,
  contentHash: string,
  configBytes: Uint8Array,
): Promise<void> {
  const config = parseVoiceConfig(new TextDecoder().decode(configBytes));
  const row = buildVoiceRows(voice.stem, contentHash, config)[voice.speaker];
  if (row === undefined)
    throw new AppError('bad_voice', `Built-in voice ${voice.stem} has no speaker ${voice.speaker}`);
  const { gender, license, source } = voice;
  const name = formatDisplayName(voice.stem);
  await database.write('server', (db) =>
    upsertVoice(db, { ...row, name, gender, license, source, gain_db: voice.gainDb }),
  );
}

/** @param workers inspect new and changed files; undefined: those are left out */
async function listFolderVoices(
  database: Database,
  folder: string,
  workers?: WorkerPool,
): Promise<Pick<Folder, 'files' | 'broken'>> {
  const files: VoiceLocation[] = [];
  const broken: BrokenVoice[] = [];
  for (const place of listVoicePlaces(folder)) {
    const { stem, path, modelPath, configPath } = place;
    const known = await findInspectedFile(database.read, path);
    const isKnown = known?.stamp === readVoiceStamp(place);
    const found = isKnown ? known : workers && (await inspectFile(database, workers, place));
    if (found === undefined) continue;
    const { content_hash: contentHash, problem } = found;
    if (contentHash === null) broken.push({ file: path, problem: problem ?? '' });
    else files.push({ stem, files: { modelPath, configPath, contentHash } });
  }
  return { files, broken };
}

async function inspectFile(
  database: Database,
  workers: WorkerPool,
  place: VoicePlace,
): Promise<Pick<InspectedFile, 'content_hash' | 'problem'>> {
  const stamp = readVoiceStamp(place);
  const found = await inspectInWorker(workers, place);
  if ('later' in found) return { content_hash: null, problem: found.later };
  const isUsable = 'config' in found;
  const inspection = {
    content_hash: isUsable ? found.contentHash : null,
    problem: isUsable ? null : found.problem,
  };
  const rows = isUsable ? buildVoiceRows(place.stem, found.contentHash, found.config) : [];
  await database.write('server', async (db) => {
    await upsertInspectedFile(db, { path: place.path, stamp, ...inspection });
    for (const row of rows) await upsertVoice(db, row);
  });
  return inspection;
}

function toInstalledVoices(
  rows: readonly Voice[],
  places: readonly (VoiceLocation & Pick<InstalledVoice, 'optimization'>)[],
): InstalledVoice[] {
  const byContent = new Map(places.map((place) => [place.files.contentHash, place]));
  return rows.flatMap((row) => {
    const place = byContent.get(row.content_hash);
    return place === undefined ? [] : [{ ...row, ...place }];
  });
}

async function measureAndStoreGain(database: Database, workers: WorkerPool, voice: InstalledVoice): Promise<number> {
  const { gainDb, realTimeFactor } = await measureGain(workers, voice);
  const measured = { gain_db: gainDb, real_time_factor: realTimeFactor };
  await database.write('server', (db: Queries) => updateMeasurements(db, voice.id, measured), { sync: 'normal' });
  return gainDb;
}

async function measureGain(workers: WorkerPool, { files, speaker }: InstalledVoice) {
  try {
    return await callWithCrashRetry(workers, 'measure', { voice: files, speaker });
  } catch (error) {
    if (!(error instanceof WorkerCrashedError) || error instanceof WorkersStoppedError) throw error;
    throw new AppError('bad_voice', 'measuring the loudness crashed the worker');
  }
}

/** @returns what changes when a file comes, goes or is renamed */
function readFolderMtime(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
}

function buildFolderSignature(folder: string): string {
  return listVoicePlaces(folder)
    .map((place) => `${place.path} ${readVoiceStamp(place)}`)
    .join('\n');
}
