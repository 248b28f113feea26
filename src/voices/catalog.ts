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
import { readVoice, type VoiceFiles, voiceContentHash } from '../speech/synthesize/voice-model.ts';
import { type Workers, WorkersStopped } from '../speech/worker-pool.ts';
import { WorkerDied } from '../speech/worker-process.ts';
import { askAgain, configPathOf, examineByWorker, stampOf, voiceRows } from './inspect.ts';
import { type Compilation, type CompiledCache, withOptimized } from './optimizer-cache.ts';
import { findKnownFile, keepKnownFile, keepVoice, listVoices, setMeasured } from './store.ts';

/** @returns names of the model files in a folder, sorted; none when it doesn't exist */
export function modelNames(folder: string): string[] {
  try {
    return (
      readdirSync(folder)
        .filter((name) => name.endsWith('.onnx'))
        // To open a pipe would wait for somebody to write into it.
        .filter(
          (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true,
        )
        .sort()
    );
  } catch {
    return [];
  }
}

const license = 'CMU Flite licence (MIT-like, notice kept): voices/LICENSE.md';
const source = 'Made for Lectern: distilled from CMU Flite';

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
    configPath: embeddedPath(alderConfig),
    gender: 'male',
    license,
    source,
    gainDb: 2.69,
  },
  {
    stem: 'en_US-linden-low',
    modelPath: lindenModel,
    configPath: embeddedPath(lindenConfig),
    gender: 'female',
    license,
    source,
    gainDb: 5.48,
  },
];

/** The compiler takes a .json import for its contents; with `type: 'file'` it is the path. */
function embeddedPath(imported: unknown): string {
  return String(imported);
}

/** Files of the folder that change in place are looked at again at most this often. */
const folderPauseMs = 1_000;
/** So long a caller waits for a new voice to be examined; then it gets those that are known. */
const examinePatienceMs = 2_000;

/** A voice that can speak now. */
export interface InstalledVoice extends Voice {
  /** File name without `.onnx`. */
  readonly stem: string;
  readonly files: VoiceFiles;
  /** Undefined where it was not compiled yet, or voices are not compiled. */
  readonly compilation?: Compilation | undefined;
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
  settled(): Promise<void>;
  /** Looks at the folder now, whenever it was last looked at. */
  lookAgain(): Promise<void>;
  broken(): readonly BrokenVoice[];
  /** @returns the voice, undefined when it is unknown or its files are gone */
  find(voiceId: number): Promise<InstalledVoice | undefined>;
  /** @returns what a voice speaks, also one whose files are gone; undefined when it is unknown */
  languageOf(voiceId: number): Promise<string | undefined>;
  /** @returns the files of a voice as they are best used now: it may have been compiled meanwhile */
  filesNow(files: VoiceFiles): VoiceFiles;
  /** The gain that brings a voice to the target loudness, in dB; measured at the first call for a voice. */
  gainOf(voice: InstalledVoice): Promise<number>;
}

/**
 * Registers the built-in voices, then looks at the folder of further ones.
 * @param folder holds `NAME.onnx` beside `NAME.onnx.json`; need not exist
 * @param workers look at models nobody knows yet: a hostile one harms only its worker
 * @param compiled where compiled models are; undefined: all voices are used as they came
 */
export async function openCatalog(
  database: Database,
  folder: string,
  workers: Workers,
  compiled?: Pick<CompiledCache, 'find'>,
): Promise<Catalog> {
  const builtin = await Promise.all(
    builtinVoices.map(async (voice) => registerBuiltin(database, voice)),
  );
  let dropped: Folder = { signature: '', files: [], broken: [] };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let changedAt: number | undefined;
  let looking: { readonly done: Promise<void>; readonly since: number } | undefined;

  const look = async (): Promise<void> => {
    const changed = folderChangedAt(folder);
    const signature = folderSignature(folder);
    if (signature !== dropped.signature) {
      // Those that are known first: nobody waits for them because of a new one.
      const known = await knownVoices(database, folder);
      dropped = { signature: '', files: known, broken: [] };
      dropped = { signature, ...(await examineFolder(database, folder, workers)) };
    }
    lookedAt = performance.now();
    changedAt = changed;
  };
  const startLooking = (): void => {
    if (looking !== undefined) return;
    const isFresh = performance.now() - lookedAt < folderPauseMs;
    // A command beside this server may have added or removed one: the next request is to know.
    if (isFresh && folderChangedAt(folder) === changedAt) return;
    const done = look().finally(() => {
      looking = undefined;
    });
    looking = { done, since: performance.now() };
  };
  const filesNow = (files: VoiceFiles): VoiceFiles =>
    withOptimized(files, compiled?.find(files.contentHash));
  const installedNow = async (): Promise<InstalledVoice[]> => {
    const places = [...builtin, ...dropped.files].map((place) => {
      const compilation = compiled?.find(place.files.contentHash);
      return { ...place, compilation, files: withOptimized(place.files, compilation) };
    });
    return installed(await listVoices(database.read), places);
  };
  const settled = async (): Promise<void> => {
    startLooking();
    await looking?.done;
  };
  const voices = async (): Promise<InstalledVoice[]> => {
    startLooking();
    if (looking !== undefined) {
      const patienceMs = looking.since + examinePatienceMs - performance.now();
      if (patienceMs > 0) await Promise.race([looking.done, Bun.sleep(patienceMs)]);
    }
    return installedNow();
  };
  return {
    voices,
    settled,
    lookAgain: async () => {
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
    languageOf: async (voiceId) =>
      (await listVoices(database.read)).find(({ id }) => id === voiceId)?.language,
    filesNow,
    gainOf: async (voice) => voice.gain_db ?? measuredGain(database, workers, voice),
  };
}

/** A voice's files under the name people know them by. */
interface VoicePlace {
  readonly stem: string;
  readonly files: VoiceFiles;
}

interface Folder {
  /** Changes whenever a file of the folder does. */
  readonly signature: string;
  readonly files: readonly VoicePlace[];
  readonly broken: readonly BrokenVoice[];
}

async function registerBuiltin(database: Database, voice: BuiltinVoice): Promise<VoicePlace> {
  const bytes = readVoice(voice);
  const contentHash = voiceContentHash(bytes.model, bytes.config);
  const config = parseVoiceConfig(new TextDecoder().decode(bytes.config));
  const [row] = voiceRows(voice.stem, contentHash, config);
  if (row === undefined) throw new AppError('bad_voice', `${voice.stem} has no speaker`);
  const known = await listVoices(database.read);
  if (!known.some((one) => one.content_hash === contentHash)) {
    await database.write((db) =>
      keepVoice(db, {
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
async function knownVoices(database: Database, folder: string): Promise<VoicePlace[]> {
  const places: VoicePlace[] = [];
  for (const modelPath of modelPaths(folder)) {
    const known = await rememberedFinding(database, modelPath);
    if (known !== undefined && known.contentHash !== null) {
      places.push(placeOf(modelPath, known.contentHash));
    }
  }
  return places;
}

async function examineFolder(
  database: Database,
  folder: string,
  workers: Workers,
): Promise<Pick<Folder, 'files' | 'broken'>> {
  const files: VoicePlace[] = [];
  const broken: BrokenVoice[] = [];
  for (const modelPath of modelPaths(folder)) {
    const found =
      (await rememberedFinding(database, modelPath)) ??
      (await examineFile(database, modelPath, workers));
    if (found.contentHash === null) broken.push({ file: modelPath, problem: found.problem });
    else files.push(placeOf(modelPath, found.contentHash));
  }
  return { files, broken };
}

function placeOf(modelPath: string, contentHash: string): VoicePlace {
  const configPath = configPathOf(modelPath);
  return { stem: basename(modelPath, '.onnx'), files: { modelPath, configPath, contentHash } };
}

type Finding = { contentHash: string } | { contentHash: null; problem: string };

/** @returns what was found of a file that has not changed since; undefined for a new or changed one */
async function rememberedFinding(
  database: Database,
  modelPath: string,
): Promise<Finding | undefined> {
  const known = await findKnownFile(database.read, modelPath);
  if (known?.stamp !== stampOf(modelPath)) return undefined;
  return known.content_hash === null
    ? { contentHash: null, problem: known.problem ?? '' }
    : { contentHash: known.content_hash };
}

async function examineFile(
  database: Database,
  modelPath: string,
  workers: Workers,
): Promise<Finding> {
  const stamp = stampOf(modelPath);
  const finding = await examineByWorker(workers, modelPath, configPathOf(modelPath));
  if ('later' in finding) return { contentHash: null, problem: finding.later };
  await database.write(async (db) => {
    await keepKnownFile(db, {
      path: modelPath,
      stamp,
      content_hash: 'problem' in finding ? null : finding.contentHash,
      problem: 'problem' in finding ? finding.problem : null,
    });
    if ('problem' in finding) return;
    const rows = voiceRows(basename(modelPath, '.onnx'), finding.contentHash, finding.config);
    for (const row of rows) await keepVoice(db, row);
  });
  return 'problem' in finding
    ? { contentHash: null, problem: finding.problem }
    : { contentHash: finding.contentHash };
}

function installed(
  rows: readonly Voice[],
  places: readonly (VoicePlace & Pick<InstalledVoice, 'compilation'>)[],
): InstalledVoice[] {
  const byContent = new Map(places.map((place) => [place.files.contentHash, place]));
  return rows.flatMap((row) => {
    const place = byContent.get(row.content_hash);
    return place === undefined ? [] : [{ ...row, ...place }];
  });
}

async function measuredGain(
  database: Database,
  workers: Workers,
  voice: InstalledVoice,
): Promise<number> {
  const { gainDb, realTimeFactor } = await measure(workers, voice);
  const measured = { gain_db: gainDb, real_time_factor: realTimeFactor };
  await database.writeLazily((db: Queries) => setMeasured(db, voice.id, measured));
  return gainDb;
}

async function measure(workers: Workers, { files, speaker }: InstalledVoice) {
  try {
    return await askAgain(workers, 'measure', { voice: files, speaker });
  } catch (error) {
    if (!(error instanceof WorkerDied) || error instanceof WorkersStopped) throw error;
    throw new AppError('bad_voice', 'measuring its loudness ends the program');
  }
}

function modelPaths(folder: string): string[] {
  return modelNames(folder).map((name) => join(folder, name));
}

/** @returns what changes when a file comes, goes or is renamed */
function folderChangedAt(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
}

function folderSignature(folder: string): string {
  return modelPaths(folder)
    .map((path) => `${path} ${stampOf(path)}`)
    .join('\n');
}
