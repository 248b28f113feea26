import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Voice } from '../database/schema.ts';
import { AppError, invalid } from '../errors.ts';
import { publishFile, writeFileAtomically } from '../files.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import { builtinVoices } from './catalog.ts';
import type { InspectionResult, VoiceValidator } from './inspect.ts';
import { buildVoiceRows, getConfigPath, readVoiceStamp } from './inspect.ts';
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
import { deleteStagedVoice, type StagedVoice } from './staged-voice.ts';
import {
  deleteInspectedFile,
  deleteSoundData,
  findVoiceUses,
  replaceLicenseText,
  updateVoice,
  upsertInspectedFile,
  upsertSample,
  upsertVoice,
} from './store.ts';

/** Who installs, and what they agree to. */
interface InstallTerms {
  /** Null: by command line. */
  readonly userId: number | null;
  /** Licences that are missing, unknown or not for commercial use are accepted. */
  readonly acceptLicense: boolean;
}

/** Puts voices into the folder and takes them out of it. */
export interface VoiceInstaller {
  /**
   * Inspects voices that lie ready, and installs them, all or none; what is no good leaves nothing behind.
   * @returns a voice for each speaker
   * @throws AppError `validation_failed`: no usable voice (`model`), or a licence that must be accepted
   *   (`accept_license`); `conflict` when it, or another of its name, is there
   */
  install(arrivals: readonly StagedVoice[], terms: InstallTerms): Promise<readonly Voice[]>;
  /**
   * Deletes the files of a voice, with all its speakers. Its id stays its own, should it come back.
   * @param userId null: by command line
   * @throws AppError `conflict` for a built-in one, and with the sites and posts that use it
   */
  remove(voice: InstalledVoice, userId: number | null): Promise<void>;
}

export interface InstallDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly validator: VoiceValidator;
  /** Undefined where optimizing is disabled. */
  readonly optimizerCache: Pick<OptimizerCache, 'delete'> | undefined;
  /** Of voices. */
  readonly folder: string;
}

export function createVoiceInstaller(deps: InstallDeps): VoiceInstaller {
  // One after the other: a hostile one at a time is enough.
  const turns = new PQueue({ concurrency: 1 });
  return {
    install: (arrivals, terms) =>
      turns.add(async () => {
        try {
          return await install(deps, arrivals, terms);
        } finally {
          for (const { modelPath } of arrivals) deleteStagedVoice(modelPath);
        }
      }),
    remove: (voice, userId) => turns.add(() => remove(deps, voice, userId)),
  };
}

/** @throws AppError `conflict` */
export function validateNameFree(folder: string, stem: string): void {
  const isBuiltin = builtinVoices.some((voice) => voice.stem === stem);
  if (isBuiltin || existsSync(join(folder, `${stem}.onnx`))) {
    throw new AppError('conflict', `Voice ${stem} already exists`);
  }
}

/** @throws AppError `validation_failed` when nobody has accepted a licence that must be accepted */
export function validateLicense(stem: string, named: NamedLicense, acceptLicense: boolean): void {
  const problem = describeLicenseProblem(named);
  if (problem === undefined || acceptLicense) return;
  throw invalid('accept_license', `${stem}: ${problem}. An admin must accept it.`);
}

/** A voice that may come in. */
interface ValidatedVoice {
  readonly staged: StagedVoice;
  readonly inspection: InspectionResult;
  readonly license: NamedLicense;
}

async function install(
  deps: InstallDeps,
  arrivals: readonly StagedVoice[],
  terms: InstallTerms,
): Promise<readonly Voice[]> {
  const { database, catalog, folder } = deps;
  const admitted: ValidatedVoice[] = [];
  for (const arrival of arrivals) admitted.push(await validateStagedVoice(deps, arrival, terms));
  const claimed = new Set<string>();
  try {
    const voices = await database.write(async (db) => {
      const kept: Voice[] = [];
      for (const one of admitted) {
        await claimName(folder, one.staged, claimed);
        kept.push(...(await insertVoices(db, folder, one, terms)));
      }
      return kept;
    });
    // Only now: a model without its row would be taken for one that somebody dropped into the folder.
    for (const { modelPath, stem } of arrivals) {
      await publishFile(modelPath, join(folder, `${stem}.onnx`), undefined);
    }
    await catalog.refresh();
    return voices;
  } catch (error) {
    for (const path of claimed) {
      if (!existsSync(path.slice(0, -'.json'.length))) rmSync(path, { force: true });
    }
    throw error;
  }
}

async function validateStagedVoice(
  { catalog, validator: gate, folder }: InstallDeps,
  arrival: StagedVoice,
  { acceptLicense }: InstallTerms,
): Promise<ValidatedVoice> {
  const { modelPath, stem, metadata, licenseText } = arrival;
  validateNameFree(folder, stem);
  const card = licenseText === null ? null : parseModelCardLicense(licenseText);
  let named = resolveLicense(metadata.license, card);
  try {
    const files = { modelPath, configPath: getConfigPath(modelPath) };
    const found = await gate.inspect(files, (config) => {
      named = resolveLicense(metadata.license, card, config.license);
      validateLicense(stem, named, acceptLicense);
    });
    const same = (await catalog.voices()).find((one) => one.content_hash === found.contentHash);
    if (same !== undefined) {
      throw new AppError('conflict', `Voice already installed: ${same.id}, ${same.name}`);
    }
    return { staged: arrival, inspection: found, license: named };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_voice') throw error;
    throw invalid('model', error.message);
  }
}

/** Whoever puts the config there first has the name, be it another program; the database lets one do so at a time. */
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

/** Writes a voice down, for each of its speakers. */
async function insertVoices(
  db: Queries,
  folder: string,
  { staged: arrival, inspection: found, license: named }: ValidatedVoice,
  { userId }: InstallTerms,
): Promise<Voice[]> {
  const { modelPath, stem, metadata: facts, licenseText, speakers } = arrival;
  const { contentHash, config } = found;
  const target = join(folder, `${stem}.onnx`);
  const stamp = readVoiceStamp(modelPath, getConfigPath(target));
  await upsertInspectedFile(db, { path: target, stamp, content_hash: contentHash, problem: null });
  await replaceLicenseText(db, contentHash, licenseText);
  const acceptance = await buildLicenseAcceptance(db, named, userId);
  const { name, source = null, ...others } = facts;
  const kept: Voice[] = [];
  for (const row of buildVoiceRows(stem, contentHash, config)) {
    const { id } = await upsertVoice(db, row);
    const isFirst = row.speaker === 0;
    const voice = await updateVoice(db, id, {
      ...others,
      // Several speakers keep the names by which they are told apart.
      ...(config.speakers.length === 1 && name !== undefined && { name }),
      ...speakers?.get(row.speaker),
      ...acceptance,
      ...{ license: named.license, source, enabled: 1 },
      ...(isFirst && { gain_db: found.gainDb, real_time_factor: found.realTimeFactor }),
    });
    if (isFirst) await upsertSample(db, id, found.sample);
    await insertAuditEntry(db, {
      ...{ userId, action: 'voice.installed', subject: voice.name, after: toAuditVoice(voice) },
    });
    kept.push(voice);
  }
  await auditLicenseAcceptance(db, kept, userId);
  return kept;
}

async function remove(
  { database, catalog, optimizerCache }: InstallDeps,
  voice: InstalledVoice,
  userId: number | null,
): Promise<void> {
  const { stem, files, content_hash } = voice;
  if (builtinVoices.some(({ modelPath }) => modelPath === files.modelPath)) {
    throw new AppError('conflict', 'Built-in voices cannot be removed. Disable the voice instead.');
  }
  await database.write(async (db) => {
    await validateUnused(db, stem, content_hash);
    await deleteInspectedFile(db, files.modelPath);
    await deleteSoundData(db, content_hash);
    await insertAuditEntry(db, {
      ...{ userId, action: 'voice.removed', subject: voice.name, before: toAuditVoice(voice) },
    });
    rmSync(files.modelPath, { force: true });
    rmSync(files.configPath, { force: true });
  });
  optimizerCache?.delete(content_hash);
  await catalog.refresh();
}

/** @throws AppError `conflict` naming who uses a voice: none of them is given another one silently */
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

function formatCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
