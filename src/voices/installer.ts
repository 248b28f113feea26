import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { undoableSince } from '../auth/undo.ts';
import { timestamp } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Voice } from '../database/schema.ts';
import { AppError, invalid } from '../errors.ts';
import { publishFile, writeFileAtomically } from '../files.ts';
import { formatCount } from '../http/validation.ts';
import type { VoiceConfig } from '../speech/synthesize/voice-config.ts';
import { builtinVoices } from './builtin-voices.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import {
  buildVoiceRows,
  getConfigPath,
  type InspectionResult,
  readVoiceStamp,
  type VoiceValidator,
} from './inspect.ts';
import {
  auditLicenseAcceptance,
  buildLicenseAcceptance,
  describeLicenseProblem,
  type NamedLicense,
  parseModelCardLicense,
  resolveLicense,
} from './license.ts';
import type { OptimizerCache } from './optimizer-cache.ts';
import { toAuditVoice } from './schema.ts';
import {
  deleteInspectedFile,
  deleteSoundData,
  findVoiceUses,
  listRemovedContents,
  replaceLicenseText,
  updateSpeakers,
  updateVoice,
  upsertInspectedFile,
  upsertSample,
  upsertVoice,
} from './store.ts';
import type { StoredVoices, UploadedVoice } from './stored-voices.ts';
import {
  deleteStagedVoice,
  deleteUnusedModel,
  deleteVoiceFiles,
  getOptimizerKey,
  getSharedModelPath,
  listVoicePlaces,
  type StagedVoice,
} from './voice-files.ts';

interface InstallTerms {
  /** Null: by command line. */
  readonly userId: number | null;
  /** Accepts missing, unknown and non-commercial licenses. */
  readonly acceptLicense: boolean;
}

export interface VoiceInstaller {
  /** Call it before the files of a voice are downloaded or copied. A removed voice makes room. @throws AppError `conflict` */
  validateNameFree(stem: string): Promise<void>;
  /**
   * Inspects staged voices and installs all or none. The staged files are deleted in any case.
   * @returns one voice per speaker
   * @throws AppError `validation_failed`: unusable (`model`), or the license must be accepted (`accept_license`);
   *   `conflict`: the voice or its name is installed already
   */
  install(staged: readonly StagedVoice[], terms: InstallTerms): Promise<readonly Voice[]>;
  /**
   * Hides a voice with all speakers. Its files are deleted a minute later, or at once by `deleteFiles`. If it is installed again,
   * it gets the same id.
   * @throws AppError `conflict`: built-in, or used by sites or posts
   */
  remove(voice: InstalledVoice, userId: number | null): Promise<void>;
  /** Undoes a removal. @throws AppError `not_found`, also when it was more than a minute ago */
  restore(voiceId: number, userId: number): Promise<void>;
  /** Deletes the files of a removed voice. */
  deleteFiles(voice: InstalledVoice): Promise<void>;
  /** Deletes the files of the voices that were removed more than a minute ago. */
  purge(): Promise<void>;
}

export interface InstallDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly validator: VoiceValidator;
  /** Undefined where optimizing is disabled. */
  readonly optimizerCache: Pick<OptimizerCache, 'delete'> | undefined;
  /** Undefined: no other machine needs the voices. */
  readonly stored: StoredVoices | undefined;
  /** Of voices. */
  readonly folder: string;
}

export function createVoiceInstaller(deps: InstallDeps): VoiceInstaller {
  // One at a time: inspection takes a lot of memory.
  const turns = new PQueue({ concurrency: 1 });
  return {
    validateNameFree: async (stem) => {
      const removed = await deps.catalog.removed();
      if (removed.every((voice) => voice.stem !== stem)) validateNameFree(deps.folder, stem);
    },
    install: (staged, terms) =>
      turns.add(async () => {
        try {
          return await install(deps, staged, terms);
        } finally {
          for (const { modelPath } of staged) deleteStagedVoice(modelPath);
        }
      }),
    remove: (voice, userId) => turns.add(() => remove(deps, voice, userId)),
    restore: (voiceId, userId) => turns.add(() => restore(deps, voiceId, userId)),
    deleteFiles: (voice) => turns.add(() => deleteFiles(deps, [voice])),
    purge: () => turns.add(() => purge(deps)),
  };
}

/** @throws AppError `conflict` */
function validateNameFree(folder: string, stem: string): void {
  const isBuiltin = builtinVoices.some((voice) => voice.stem === stem);
  if (isBuiltin || listVoicePlaces(folder).some((place) => place.stem === stem)) {
    throw new AppError('conflict', `Voice ${stem} already exists`);
  }
}

/** @throws AppError `validation_failed` for a license that must be accepted and is not */
export function validateLicense(stem: string, named: NamedLicense, acceptLicense: boolean): void {
  const problem = describeLicenseProblem(named);
  if (problem === undefined || acceptLicense) return;
  throw invalid('accept_license', `${stem}: ${problem}. An admin must accept it.`);
}

interface ValidatedVoice {
  readonly staged: StagedVoice;
  readonly inspection: InspectionResult;
  readonly license: NamedLicense;
}

async function install(
  deps: InstallDeps,
  stagedVoices: readonly StagedVoice[],
  terms: InstallTerms,
): Promise<readonly Voice[]> {
  const { database, catalog, stored, folder } = deps;
  const stems = new Set(stagedVoices.map(({ stem }) => stem));
  await discardRemoved(deps, ({ stem }) => stems.has(stem));
  const validated: ValidatedVoice[] = [];
  for (const voices of Map.groupBy(stagedVoices, getStagedModel).values()) {
    validated.push(...(await validateStagedVoices(deps, voices, terms)));
  }
  const contents = new Set(validated.map(({ inspection }) => inspection.contentHash));
  await discardRemoved(deps, ({ content_hash }) => contents.has(content_hash));
  const claimed = new Set<string>();
  const sharedModels = validated.flatMap((voice) => getSharedTarget(folder, voice) ?? []);
  try {
    const uploaded = stored && (await uploadVoices(stored, validated));
    await publishSharedModels(folder, validated);
    const voices = await database.write('server', async (db) => {
      const inserted: Voice[] = [];
      for (const voice of uploaded ?? []) await stored?.insert(db, voice);
      for (const voice of validated) {
        await claimName(folder, voice.staged, claimed);
        inserted.push(...(await insertVoices(db, folder, voice, terms)));
      }
      return inserted;
    });
    // Last: the catalog would take a model without its row for a user-installed one.
    for (const voice of validated) {
      if (getSharedTarget(folder, voice) !== undefined) continue;
      await publishFile(voice.staged.modelPath, join(folder, `${voice.staged.stem}.onnx`), undefined);
    }
    await catalog.refresh();
    return voices;
  } catch (error) {
    for (const path of claimed) {
      if (!existsSync(path.slice(0, -'.json'.length))) rmSync(path, { force: true });
    }
    for (const path of sharedModels) deleteUnusedModel(folder, path);
    throw error;
  }
}

/** One after the other: a shared model is stored once. */
async function uploadVoices(stored: StoredVoices, validated: readonly ValidatedVoice[]): Promise<UploadedVoice[]> {
  const uploaded: UploadedVoice[] = [];
  for (const { staged, inspection } of validated) {
    const { contentHash, config } = inspection;
    const files = { modelPath: getStagedModel(staged), configPath: getConfigPath(staged.modelPath), contentHash };
    const modelKey = config.modelSha256 ?? contentHash;
    const known = uploaded.find(({ model_key }) => model_key === modelKey);
    uploaded.push(await stored.upload(staged.stem, files, modelKey, known));
  }
  return uploaded;
}

/** @returns undefined for a voice with a model of its own */
function getSharedTarget(folder: string, { inspection }: ValidatedVoice): string | undefined {
  const { modelSha256 } = inspection.config;
  return modelSha256 === undefined ? undefined : getSharedModelPath(folder, modelSha256);
}

/** First: no voice is listed for a model alone. Their content was compared with the SHA-256 when they were inspected. */
async function publishSharedModels(folder: string, validated: readonly ValidatedVoice[]): Promise<void> {
  for (const voice of validated) {
    const target = getSharedTarget(folder, voice);
    if (target !== undefined && !existsSync(target)) await publishFile(getStagedModel(voice.staged), target, undefined);
  }
}

function getStagedModel({ modelPath, sharedModelPath = modelPath }: StagedVoice): string {
  return sharedModelPath;
}

/** @param stagedVoices of one model */
async function validateStagedVoices(
  { catalog, validator, folder }: InstallDeps,
  stagedVoices: readonly StagedVoice[],
  { acceptLicense }: InstallTerms,
): Promise<ValidatedVoice[]> {
  const candidates = stagedVoices.map((staged) => {
    const { modelPath, stem, metadata, licenseText } = staged;
    validateNameFree(folder, stem);
    const card = licenseText === null ? null : parseModelCardLicense(licenseText);
    return {
      files: { modelPath: getStagedModel(staged), configPath: getConfigPath(modelPath) },
      check: async (config: VoiceConfig, contentHash: string) => {
        const same = (await catalog.voices()).find((voice) => voice.content_hash === contentHash);
        if (same !== undefined) throw new AppError('conflict', `Voice already installed: ${same.id}, ${same.name}`);
        const license = resolveLicense(metadata.license, card, config.license);
        validateLicense(stem, license, acceptLicense);
        return { staged, license };
      },
    };
  });
  try {
    const inspections = await validator.inspect(candidates);
    return inspections.map((inspection) => ({ ...inspection.checkResult, inspection }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_voice') throw error;
    throw invalid('model', error.message);
  }
}

/** Creating the config claims the name, also against other programs; the transaction serializes claims of Lectern. */
async function claimName(folder: string, { modelPath, stem }: StagedVoice, claimed: Set<string>): Promise<void> {
  const target = getConfigPath(join(folder, `${stem}.onnx`));
  if (claimed.has(target)) return;
  validateNameFree(folder, stem);
  if (existsSync(target)) {
    throw new AppError('conflict', `File ${stem}.onnx.json already exists`);
  }
  await writeFileAtomically(target, [readFileSync(getConfigPath(modelPath))], { mustBeNew: true });
  claimed.add(target);
}

async function insertVoices(
  db: Queries,
  folder: string,
  { staged, inspection, license }: ValidatedVoice,
  { userId }: InstallTerms,
): Promise<Voice[]> {
  const { modelPath, stem, metadata, licenseText, speakers } = staged;
  const { contentHash, config, measured } = inspection;
  const target = join(folder, `${stem}.onnx`);
  const shared = config.modelSha256 === undefined ? undefined : getSharedModelPath(folder, config.modelSha256);
  const stamp = readVoiceStamp({ modelPath: shared ?? modelPath, configPath: getConfigPath(target) });
  await upsertInspectedFile(db, {
    path: target,
    stamp,
    content_hash: contentHash,
    usable_hash: contentHash,
    problem: null,
  });
  await replaceLicenseText(db, contentHash, licenseText);
  const acceptance = await buildLicenseAcceptance(db, license, userId);
  const { name, source = null, ...others } = metadata;
  const inserted: Voice[] = [];
  for (const row of buildVoiceRows(stem, contentHash, config)) {
    const { id } = await upsertVoice(db, row);
    const measurement = row.speaker === 0 ? measured : undefined;
    const voice = await updateVoice(db, id, {
      ...others,
      // Several speakers keep the names by which they are told apart.
      ...(config.speakers.length === 1 && name !== undefined && { name }),
      ...speakers?.get(row.speaker),
      ...acceptance,
      ...{ license: license.license, source, enabled: 1 },
      ...(measurement && { gain_db: measurement.gainDb, real_time_factor: measurement.realTimeFactor }),
    });
    if (measurement) await upsertSample(db, id, measurement.sample);
    await insertAuditEntry(db, {
      ...{ userId, action: 'voice.installed', subject: voice.name, after: toAuditVoice(voice) },
    });
    inserted.push(voice);
  }
  await auditLicenseAcceptance(db, inserted, userId);
  return inserted;
}

async function remove({ database }: InstallDeps, voice: InstalledVoice, userId: number | null): Promise<void> {
  const { stem, files, content_hash } = voice;
  if (builtinVoices.some(({ modelPath }) => modelPath === files.modelPath)) {
    throw new AppError('conflict', 'Built-in voices cannot be removed. Disable the voice instead.');
  }
  await database.write('server', async (db) => {
    await validateUnused(db, stem, content_hash);
    await updateSpeakers(db, content_hash, { deleted_at: timestamp() });
    await insertAuditEntry(db, {
      ...{ userId, action: 'voice.removed', subject: voice.name, before: toAuditVoice(voice) },
    });
  });
}

async function restore({ database, catalog }: InstallDeps, voiceId: number, userId: number): Promise<void> {
  const voice = (await catalog.removed()).find(({ id }) => id === voiceId);
  if (voice === undefined || (voice.deleted_at ?? '') <= undoableSince()) {
    throw new AppError('not_found', `Voice ${voiceId} not found among those removed in the last minute`);
  }
  await database.write('server', async (db) => {
    await updateSpeakers(db, voice.content_hash, { deleted_at: null });
    await insertAuditEntry(db, { userId, action: 'voice.restored', subject: voice.name, after: toAuditVoice(voice) });
  });
}

async function purge(deps: InstallDeps): Promise<void> {
  const { database, catalog, stored } = deps;
  const due = await listRemovedContents(database.read, undoableSince());
  if (due.length === 0) return;
  const isDue = ({ content_hash }: InstalledVoice): boolean => due.includes(content_hash);
  const voices = (await catalog.removed()).filter(isDue);
  await deleteFiles(deps, voices);
  const gone = due.filter((hash) => !voices.some(({ content_hash }) => content_hash === hash));
  // With PostgreSQL another machine may have the files.
  if (stored !== undefined) return;
  await database.write('server', async (db) => {
    for (const hash of gone) await updateSpeakers(db, hash, { deleted_at: null });
  });
}

/** Makes room for a voice that is installed under the same name, or with the same content. */
async function discardRemoved(deps: InstallDeps, matches: (voice: InstalledVoice) => boolean): Promise<void> {
  await deleteFiles(deps, (await deps.catalog.removed()).filter(matches));
}

/** Deletes the files and data of removed voices. @param voices may be several speakers of a model */
async function deleteFiles(
  { database, catalog, optimizerCache, stored, folder }: InstallDeps,
  voices: readonly InstalledVoice[],
): Promise<void> {
  if (voices.length === 0) return;
  for (const { stem, files, content_hash } of new Map(voices.map((voice) => [voice.content_hash, voice])).values()) {
    let isModelDeleted = false;
    await database.write('server', async (db) => {
      await deleteInspectedFile(db, join(folder, `${stem}.onnx`));
      await deleteSoundData(db, content_hash);
      await stored?.remove(db, content_hash);
      await updateSpeakers(db, content_hash, { deleted_at: null });
      // Fetched files go when no voice needs them.
      isModelDeleted = stored?.isFetched(files) !== true && deleteVoiceFiles(folder, files);
    });
    if (isModelDeleted) optimizerCache?.delete(getOptimizerKey(files));
  }
  await catalog.refresh();
}

/** @throws AppError `conflict` naming the sites and posts that use a voice */
async function validateUnused(db: Queries, stem: string, contentHash: string): Promise<void> {
  const { sites, posts } = await findVoiceUses(db, contentHash);
  if (sites.count === 0 && posts.count === 0) return;
  const named = ({ names, count }: typeof sites): string[] =>
    count > names.length ? [...names, `and ${count - names.length} more`] : [...names];
  throw new AppError(
    'conflict',
    `Voice ${stem} is in use: ${formatCount(sites.count, 'site')}, ${formatCount(posts.count, 'post')}`,
    { sites: named(sites), posts: named(posts) },
  );
}
