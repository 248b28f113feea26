import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import alderModel from '../../voices/en_US-alder-low.onnx' with { type: 'file' };
import alderConfig from '../../voices/en_US-alder-low.onnx.json' with { type: 'file' };
import lindenModel from '../../voices/en_US-linden-low.onnx' with { type: 'file' };
import lindenConfig from '../../voices/en_US-linden-low.onnx.json' with { type: 'file' };
import type { Database, Queries } from '../database/open.ts';
import type { Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { parseVoiceConfig } from '../speech/synthesize/voice-config.ts';
import { hashVoice, readVoice, type VoiceFiles } from '../speech/synthesize/voice-model.ts';
import type { SynthesisVoice } from '../speech/synthesize-text.ts';
import { type WorkerPool, WorkersStoppedError } from '../speech/worker-pool.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import { buildVoiceRows, callWithCrashRetry, getConfigPath, inspectInWorker, readVoiceStamp } from './inspect.ts';
import { type Optimization, type OptimizerCache, withOptimizedModel } from './optimizer-cache.ts';
import { findInspectedFile, listVoices, updateMeasurements, upsertInspectedFile, upsertVoice } from './store.ts';

/** @returns names of the model files in a folder, sorted; none when it doesn't exist */
export function listModelNames(folder: string): string[] {
  try {
    return (
      readdirSync(folder)
        .filter((name) => name.endsWith('.onnx'))
        // To open a pipe would wait for somebody to write into it.
        .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true)
        .sort()
    );
  } catch {
    return [];
  }
}

const builtinLicense = 'CMU Flite licence (MIT-like, notice kept): voices/LICENSE.md';
const builtinSource = 'Made for Lectern: distilled from CMU Flite';

/** A voice inside the executable, with the facts a Piper config has no place for. */
export interface BuiltinVoice {
  /** Its file name without `.onnx`. */
  readonly stem: string;
  readonly modelPath: string;
  readonly configPath: string;
  readonly gender: 'female' | 'male';
  readonly license: string;
  readonly source: string;
  /** As a worker measures it; a test compares. */
  readonly gainDb: number;
}

/** The first is the default. */
export const builtinVoices: readonly BuiltinVoice[] = [
  {
    stem: 'en_US-alder-low',
    modelPath: alderModel,
    configPath: toEmbeddedPath(alderConfig),
    gender: 'male',
    license: builtinLicense,
    source: builtinSource,
    gainDb: 2.69,
  },
  {
    stem: 'en_US-linden-low',
    modelPath: lindenModel,
    configPath: toEmbeddedPath(lindenConfig),
    gender: 'female',
    license: builtinLicense,
    source: builtinSource,
    gainDb: 5.48,
  },
];

/** The compiler takes a .json import for its contents; with `type: 'file'` it is the path. */
function toEmbeddedPath(imported: unknown): string {
  return String(imported);
}

/** Files of the folder that change in place are looked at again at most this often. */
const folderPollIntervalMs = 1_000;
/** So long a caller waits for a new voice to be examined; then it gets those that are known. */
const inspectTimeoutMs = 2_000;

/** A voice that can speak now. */
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

/** A file in the folder that is no usable voice. */
interface BrokenVoice {
  readonly file: string;
  readonly problem: string;
}

/** The voices that are there. */
export interface Catalog {
  /** By id; only voices whose files are present. */
  voices(): Promise<readonly InstalledVoice[]>;
  /** Ends when every file of the folder has been looked at. */
  waitUntilInspected(): Promise<void>;
  /** Looks at the folder now, whenever it was last looked at. */
  refresh(): Promise<void>;
  broken(): readonly BrokenVoice[];
  /** @returns the voice, undefined when it is unknown or its files are gone */
  find(voiceId: number): Promise<InstalledVoice | undefined>;
  /** @returns what a voice speaks, also one whose files are gone; undefined when it is unknown */
  findLanguage(voiceId: number): Promise<string | undefined>;
  /** @returns the files of a voice as they are best used now: it may have been optimized meanwhile */
  resolveFiles(files: VoiceFiles): VoiceFiles;
  /** The gain that brings a voice to the target loudness, in dB; measured at the first call for a voice. */
  getGain(voice: InstalledVoice): Promise<number>;
}

/**
 * Registers the built-in voices, then looks at the folder of further ones.
 * @param folder holds `NAME.onnx` beside `NAME.onnx.json`; need not exist
 * @param workers look at models nobody knows yet: a hostile one harms only its worker
 * @param optimizerCache undefined: all voices are used as exported
 */
export async function openCatalog(
  database: Database,
  folder: string,
  workers: WorkerPool,
  optimizerCache?: Pick<OptimizerCache, 'find'>,
): Promise<Catalog> {
  const builtin = await Promise.all(builtinVoices.map(async (voice) => registerBuiltin(database, voice)));
  let dropped: Folder = { signature: '', files: [], broken: [] };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let changedAt: number | undefined;
  let looking: { readonly done: Promise<void>; readonly since: number } | undefined;

  const look = async (): Promise<void> => {
    const changed = readFolderMtime(folder);
    const signature = buildFolderSignature(folder);
    if (signature !== dropped.signature) {
      // Those that are known first: nobody waits for them because of a new one.
      const known = await listInspectedVoices(database, folder);
      dropped = { signature: '', files: known, broken: [] };
      dropped = { signature, ...(await inspectFolder(database, folder, workers)) };
    }
    lookedAt = performance.now();
    changedAt = changed;
  };
  const startLooking = (): void => {
    if (looking !== undefined) return;
    const isFresh = performance.now() - lookedAt < folderPollIntervalMs;
    // A command beside this server may have added or removed one: the next request is to know.
    if (isFresh && readFolderMtime(folder) === changedAt) return;
    const done = look().finally(() => {
      looking = undefined;
    });
    looking = { done, since: performance.now() };
  };
  const filesNow = (files: VoiceFiles): VoiceFiles =>
    withOptimizedModel(files, optimizerCache?.find(files.contentHash));
  const installedNow = async (): Promise<InstalledVoice[]> => {
    const places = [...builtin, ...dropped.files].map((place) => {
      const optimization = optimizerCache?.find(place.files.contentHash);
      return { ...place, optimization, files: withOptimizedModel(place.files, optimization) };
    });
    return toInstalledVoices(await listVoices(database.read), places);
  };
  const settled = async (): Promise<void> => {
    startLooking();
    await looking?.done;
  };
  const voices = async (): Promise<InstalledVoice[]> => {
    startLooking();
    if (looking !== undefined) {
      const patienceMs = looking.since + inspectTimeoutMs - performance.now();
      if (patienceMs > 0) await Promise.race([looking.done, Bun.sleep(patienceMs)]);
    }
    return installedNow();
  };
  return {
    voices,
    waitUntilInspected: settled,
    refresh: async () => {
      // What is being looked at may be from before the change.
      await looking?.done;
      lookedAt = Number.NEGATIVE_INFINITY;
      await settled();
    },
    broken: () => dropped.broken,
    find: async (voiceId) => {
      const found = (await voices()).find(({ id }) => id === voiceId);
      if (found !== undefined) return found;
      // It may be in the folder and not examined yet.
      await looking?.done;
      return (await installedNow()).find(({ id }) => id === voiceId);
    },
    findLanguage: async (voiceId) => (await listVoices(database.read)).find(({ id }) => id === voiceId)?.language,
    resolveFiles: filesNow,
    getGain: async (voice) => voice.gain_db ?? measureAndStoreGain(database, workers, voice),
  };
}

/** A voice's files under the name people know them by. */
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

async function registerBuiltin(database: Database, voice: BuiltinVoice): Promise<VoiceLocation> {
  const bytes = readVoice(voice);
  const contentHash = hashVoice(bytes.model, bytes.config);
  const config = parseVoiceConfig(new TextDecoder().decode(bytes.config));
  const [row] = buildVoiceRows(voice.stem, contentHash, config);
  if (row === undefined) throw new AppError('bad_voice', `Built-in voice ${voice.stem} has no speaker`);
  const known = await listVoices(database.read);
  if (!known.some((one) => one.content_hash === contentHash)) {
    await database.write((db) =>
      upsertVoice(db, {
        ...row,
        gender: voice.gender,
        license: voice.license,
        source: voice.source,
        gain_db: voice.gainDb,
      }),
    );
  }
  const { modelPath, configPath } = voice;
  return { stem: voice.stem, files: { modelPath, configPath, contentHash } };
}

/** The voices of a folder that were examined before and have not changed since. */
async function listInspectedVoices(database: Database, folder: string): Promise<VoiceLocation[]> {
  const places: VoiceLocation[] = [];
  for (const modelPath of listModelPaths(folder)) {
    const known = await findInspection(database, modelPath);
    if (known !== undefined && known.contentHash !== null) {
      places.push(locateVoice(modelPath, known.contentHash));
    }
  }
  return places;
}

async function inspectFolder(
  database: Database,
  folder: string,
  workers: WorkerPool,
): Promise<Pick<Folder, 'files' | 'broken'>> {
  const files: VoiceLocation[] = [];
  const broken: BrokenVoice[] = [];
  for (const modelPath of listModelPaths(folder)) {
    const found = (await findInspection(database, modelPath)) ?? (await inspectFile(database, modelPath, workers));
    if (found.contentHash === null) broken.push({ file: modelPath, problem: found.problem });
    else files.push(locateVoice(modelPath, found.contentHash));
  }
  return { files, broken };
}

function locateVoice(modelPath: string, contentHash: string): VoiceLocation {
  const configPath = getConfigPath(modelPath);
  return { stem: basename(modelPath, '.onnx'), files: { modelPath, configPath, contentHash } };
}

type FileInspection = { contentHash: string } | { contentHash: null; problem: string };

/** @returns what was found of a file that has not changed since; undefined for a new or changed one */
async function findInspection(database: Database, modelPath: string): Promise<FileInspection | undefined> {
  const known = await findInspectedFile(database.read, modelPath);
  if (known?.stamp !== readVoiceStamp(modelPath)) return undefined;
  return known.content_hash === null
    ? { contentHash: null, problem: known.problem ?? '' }
    : { contentHash: known.content_hash };
}

async function inspectFile(database: Database, modelPath: string, workers: WorkerPool): Promise<FileInspection> {
  const stamp = readVoiceStamp(modelPath);
  const finding = await inspectInWorker(workers, modelPath, getConfigPath(modelPath));
  if ('later' in finding) return { contentHash: null, problem: finding.later };
  await database.write(async (db) => {
    await upsertInspectedFile(db, {
      path: modelPath,
      stamp,
      content_hash: 'problem' in finding ? null : finding.contentHash,
      problem: 'problem' in finding ? finding.problem : null,
    });
    if ('problem' in finding) return;
    const rows = buildVoiceRows(basename(modelPath, '.onnx'), finding.contentHash, finding.config);
    for (const row of rows) await upsertVoice(db, row);
  });
  return 'problem' in finding ? { contentHash: null, problem: finding.problem } : { contentHash: finding.contentHash };
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
  await database.writeNormalSync((db: Queries) => updateMeasurements(db, voice.id, measured));
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

function listModelPaths(folder: string): string[] {
  return listModelNames(folder).map((name) => join(folder, name));
}

/** @returns what changes when a file comes, goes or is renamed */
function readFolderMtime(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
}

function buildFolderSignature(folder: string): string {
  return listModelPaths(folder)
    .map((path) => `${path} ${readVoiceStamp(path)}`)
    .join('\n');
}
