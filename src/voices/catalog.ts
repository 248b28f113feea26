import { statSync } from 'node:fs';
import type { Database, Queries } from '../database/database.ts';
import type { Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { VoiceFiles } from '../speech/synthesize/voice-model.ts';
import type { SynthesisVoice } from '../speech/synthesize-text.ts';
import { type WorkerPool, WorkersStoppedError } from '../speech/worker-pool.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import { type BuiltinPlace, listFormerIds, registerBuiltins, updateFileVoices } from './builtin-voices.ts';
import { buildVoiceRows, callWithCrashRetry, inspectInWorker, readVoiceStamp } from './inspect.ts';
import { type Optimization, type OptimizerCache, withOptimizedModel } from './optimizer-cache.ts';
import {
  findInspectedFile,
  hasFileWithContent,
  type InspectedFile,
  listVoices,
  updateMeasurements,
  upsertInspectedFile,
  upsertVoice,
} from './store.ts';
import type { StoredVoices } from './stored-voices.ts';
import { deleteVoiceFiles, getOptimizerKey, listVoicePlaces, type VoicePlace } from './voice-files.ts';

/** For files that change in place. */
const folderPollIntervalMs = 1_000;
/** After this time a caller gets the known voices, while a new one is still inspected. */
const inspectTimeoutMs = 2_000;

export interface InstalledVoice extends Voice {
  /** File name without `.onnx`. */
  readonly stem: string;
  readonly files: VoiceFiles;
  /** Of the voices that it has replaced; requests may still name them. */
  readonly formerIds: readonly number[];
  /** Undefined where it was not optimized yet, or optimizing is disabled. */
  readonly optimization?: Optimization | undefined;
}

/** Whether an id of a request names a voice, or one that it has replaced. */
export function isNamedBy(voice: Pick<InstalledVoice, 'id' | 'formerIds'>, voiceId: number): boolean {
  return voice.id === voiceId || voice.formerIds.includes(voiceId);
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
  /** By id; one that has replaced others takes the place of the first of them. */
  voices(): Promise<readonly InstalledVoice[]>;
  /** Those whose removal can be undone, or whose files are still there. */
  removed(): Promise<readonly InstalledVoice[]>;
  /** Resolves when every file of the folder is inspected. */
  waitUntilInspected(): Promise<void>;
  /** Reads the folder now. */
  refresh(): Promise<void>;
  broken(): readonly BrokenVoice[];
  /** @returns the voice, or the one that replaces it; undefined for an unknown voice, or without its files */
  find(voiceId: number): Promise<InstalledVoice | undefined>;
  /** Also of a voice whose files are missing; undefined for an unknown one. */
  findLanguage(voiceId: number): Promise<string | undefined>;
  /** Adds the optimized model, or removes it, as it is now. */
  resolveFiles(files: VoiceFiles): VoiceFiles;
  /** Downloads the model of a voice that another machine has installed. @throws VoiceMissingError */
  fetch(voice: Pick<InstalledVoice, 'files'>): Promise<void>;
  /** For a voice that this machine does not have. @throws VoiceMissingError while another machine may have it */
  requireUninstalled(voiceId: number): Promise<void>;
  /** Stores the voices of the folder for other machines, and deletes those that another machine has removed. */
  share(): Promise<void>;
  /** The gain to the target loudness in dB; measured at the first call for a voice, whose files are fetched first. */
  getGain(voice: InstalledVoice): Promise<number>;
}

/**
 * Registers the built-in voices and opens the folder of user-installed ones.
 * @param folder of user-installed voices; need not exist
 * @param workers inspect new models: a hostile one harms only its worker
 * @param optimizerCache undefined: all voices are used as exported
 * @param stored undefined: no other machine has voices
 */
export async function openCatalog(
  database: Database,
  folder: string,
  workers: WorkerPool,
  optimizerCache?: Pick<OptimizerCache, 'find'>,
  stored?: StoredVoices,
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
  const listInstalled = async (isRemoved = false): Promise<InstalledVoice[]> => {
    const hashes = new Set(userInstalled.files.map(({ files }) => files.contentHash));
    const elsewhere = await stored?.listPlaces((hash) => hashes.has(hash));
    const local = userInstalled.files.filter(({ files }) => elsewhere?.removed.has(files.contentHash) !== true);
    const places = [...builtin, ...local, ...(elsewhere?.places ?? [])].map((place) => {
      const optimization = optimizerCache?.find(getOptimizerKey(place.files));
      return { ...place, optimization, files: withOptimizedModel(place.files, optimization) };
    });
    const rows = await listVoices(database.read);
    return toInstalledVoices(
      rows.filter(({ deleted_at }) => (deleted_at !== null) === isRemoved),
      places,
    );
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
    removed: async () => {
      await waitUntilInspected();
      return listInstalled(true);
    },
    waitUntilInspected,
    refresh: async () => {
      // The running poll may have started before the change.
      await polling?.done;
      polledAt = Number.NEGATIVE_INFINITY;
      await waitUntilInspected();
    },
    broken: () => userInstalled.broken,
    find: async (voiceId) => {
      const found = (await voices()).find((voice) => isNamedBy(voice, voiceId));
      if (found !== undefined) return found;
      // It may be in the folder and not inspected yet.
      await polling?.done;
      return (await listInstalled()).find((voice) => isNamedBy(voice, voiceId));
    },
    findLanguage: async (voiceId) => (await listVoices(database.read)).find(({ id }) => id === voiceId)?.language,
    resolveFiles: (files) => withOptimizedModel(files, optimizerCache?.find(getOptimizerKey(files))),
    fetch: async ({ files }) => stored?.fetch(files),
    requireUninstalled: async (voiceId) => stored?.requireUninstalled(voiceId),
    share: async () => {
      if (stored === undefined) return;
      await waitUntilInspected();
      for (const { files } of await stored.share(userInstalled.files)) deleteVoiceFiles(folder, files);
    },
    getGain: async (voice) => {
      await stored?.fetch(voice.files);
      return voice.gain_db ?? measureAndStoreGain(database, workers, voice);
    },
  };
}

interface VoiceLocation extends Pick<BuiltinPlace, 'stem' | 'files'> {
  /** Undefined for a user-installed voice: each speaker is one. */
  readonly speaker?: number;
}

interface Folder {
  /** Changes whenever a file of the folder does. */
  readonly signature: string;
  readonly files: readonly VoiceLocation[];
  readonly broken: readonly BrokenVoice[];
}

/** @param workers inspect new and changed files; undefined: those are left out */
async function listFolderVoices(
  database: Database,
  folder: string,
  workers?: WorkerPool,
): Promise<Pick<Folder, 'files' | 'broken'>> {
  const files: VoiceLocation[] = [];
  const broken: BrokenVoice[] = [];
  const places = listVoicePlaces(folder);
  for (const place of places) {
    const { stem, path, modelPath, configPath } = place;
    const known = await findInspectedFile(database.read, path);
    const isKnown = known?.stamp === readVoiceStamp(place);
    const found = isKnown ? known : workers && (await inspectFile(database, workers, place, places));
    if (found === undefined) continue;
    const { content_hash: contentHash, problem } = found;
    if (contentHash === null) broken.push({ file: path, problem: problem ?? '' });
    else files.push({ stem, files: { modelPath, configPath, contentHash } });
  }
  return { files, broken };
}

/** @param places all voices of the folder */
async function inspectFile(
  database: Database,
  workers: WorkerPool,
  place: VoicePlace,
  places: readonly VoicePlace[],
): Promise<Pick<InspectedFile, 'content_hash' | 'problem'>> {
  const stamp = readVoiceStamp(place);
  const found = await inspectInWorker(workers, place);
  if ('later' in found) return { content_hash: null, problem: found.later };
  const isUsable = 'config' in found;
  const contentHash = isUsable ? found.contentHash : null;
  const inspection = { content_hash: contentHash, problem: isUsable ? null : found.problem };
  const rows = isUsable ? buildVoiceRows(place.stem, found.contentHash, found.config) : [];
  const { path } = place;
  const others = places.flatMap((other) => (other.path === path ? [] : [other.path]));
  await database.write('server', async (db) => {
    const previousHash = (await findInspectedFile(db, path))?.usable_hash ?? null;
    const isOnlyFile = previousHash !== null && !(await hasFileWithContent(db, previousHash, others));
    await upsertInspectedFile(db, { path, stamp, ...inspection, usable_hash: contentHash ?? previousHash });
    if (isOnlyFile && previousHash !== contentHash) await updateFileVoices(db, previousHash, rows);
    for (const row of rows) await upsertVoice(db, row);
  });
  return inspection;
}

function toInstalledVoices(
  rows: readonly Voice[],
  places: readonly (VoiceLocation & Pick<InstalledVoice, 'optimization'>)[],
): InstalledVoice[] {
  const byContent = new Map(places.map((place) => [place.files.contentHash, place]));
  // Another version of Lectern beside this one may have given its model to the voice.
  const byName = new Map(places.flatMap((place) => (place.speaker === undefined ? [] : [[place.stem, place]])));
  const formerIds = listFormerIds(rows);
  const installed = rows.flatMap((row) => {
    const place = row.builtin === null ? byContent.get(row.content_hash) : byName.get(row.builtin);
    if (place === undefined || row.replaced_by !== null) return [];
    const { speaker = row.speaker, ...files } = place;
    return [
      { ...row, ...files, speaker, content_hash: place.files.contentHash, formerIds: formerIds.get(row.id) ?? [] },
    ];
  });
  const rank = ({ id, formerIds: former }: InstalledVoice): number => Math.min(id, ...former);
  return installed.toSorted((a, b) => rank(a) - rank(b));
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

export function findFirstEnabled(voices: readonly InstalledVoice[]): InstalledVoice | undefined {
  return voices.find(({ enabled }) => enabled === 1);
}
