import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { audit } from '../auth/audit-log.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { publishFile, writeFileAtomically } from '../files.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import { builtinVoices } from './catalog.ts';
import type { Gate, Inspected } from './inspect.ts';
import { configPathOf, stampOf, voiceRows } from './inspect.ts';
import {
  acceptanceOf,
  auditAcceptance,
  decisiveLicense,
  licenseOfModelCard,
  licenseProblem,
  type NamedLicense,
} from './license.ts';
import type { CompiledCache } from './optimizer-cache.ts';
import { auditedVoice } from './schema.ts';
import { type Arrival, forgetArrival } from './staged-voice.ts';
import {
  forgetKnownFile,
  forgetSound,
  keepKnownFile,
  keepLicenseText,
  keepSample,
  keepVoice,
  updateVoice,
  usesOf,
} from './store.ts';

/** Who installs, and what they agree to. */
interface Terms {
  /** Null: by command line. */
  readonly userId: number | null;
  /** Licences that are missing, unknown or not for commercial use are accepted. */
  readonly acceptLicense: boolean;
}

/** Puts voices into the folder and takes them out of it. */
export interface Installation {
  /**
   * Inspects voices that lie ready, and installs them, all or none; what is no good leaves nothing behind.
   * @returns a voice for each speaker
   * @throws AppError `validation_failed`: no usable voice (`model`), or a licence that must be accepted
   *   (`accept_license`); `conflict` when it, or another of its name, is there
   */
  install(arrivals: readonly Arrival[], terms: Terms): Promise<readonly Voice[]>;
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
  readonly gate: Gate;
  /** Where compiled models are, if any are made. */
  readonly compiled: Pick<CompiledCache, 'forget'> | undefined;
  /** Of voices. */
  readonly folder: string;
}

export function createInstallation(deps: InstallDeps): Installation {
  // One after the other: a hostile one at a time is enough.
  const turns = new PQueue({ concurrency: 1 });
  return {
    install: (arrivals, terms) =>
      turns.add(async () => {
        try {
          return await install(deps, arrivals, terms);
        } finally {
          for (const { modelPath } of arrivals) forgetArrival(modelPath);
        }
      }),
    remove: (voice, userId) => turns.add(() => remove(deps, voice, userId)),
  };
}

/** @throws AppError `conflict` */
export function checkNameFree(folder: string, stem: string): void {
  const isBuiltin = builtinVoices.some((voice) => voice.stem === stem);
  if (isBuiltin || existsSync(join(folder, `${stem}.onnx`))) {
    throw new AppError('conflict', `There is a voice of the name ${stem} already`);
  }
}

/** @throws AppError `validation_failed` when nobody has accepted a licence that must be accepted */
export function checkLicense(stem: string, named: NamedLicense, acceptLicense: boolean): void {
  const problem = licenseProblem(named);
  if (problem === undefined || acceptLicense) return;
  throw new AppError('validation_failed', 'Validation failed', {
    accept_license: [`${stem}: ${problem}; an admin must accept it`],
  });
}

/** A voice that may come in. */
interface Admitted {
  readonly arrival: Arrival;
  readonly found: Inspected;
  readonly named: NamedLicense;
}

async function install(
  deps: InstallDeps,
  arrivals: readonly Arrival[],
  terms: Terms,
): Promise<readonly Voice[]> {
  const { database, catalog, folder } = deps;
  const admitted: Admitted[] = [];
  for (const arrival of arrivals) admitted.push(await admit(deps, arrival, terms));
  const claimed = new Set<string>();
  try {
    const voices = await database.write(async (db) => {
      const kept: Voice[] = [];
      for (const one of admitted) {
        await claimName(folder, one.arrival, claimed);
        kept.push(...(await keep(db, folder, one, terms)));
      }
      return kept;
    });
    // Only now: a model without its row would be taken for one that somebody dropped into the folder.
    for (const { modelPath, stem } of arrivals) {
      await publishFile(modelPath, join(folder, `${stem}.onnx`), undefined);
    }
    await catalog.lookAgain();
    return voices;
  } catch (error) {
    for (const path of claimed) {
      if (!existsSync(path.slice(0, -'.json'.length))) rmSync(path, { force: true });
    }
    throw error;
  }
}

async function admit(
  { catalog, gate, folder }: InstallDeps,
  arrival: Arrival,
  { acceptLicense }: Terms,
): Promise<Admitted> {
  const { modelPath, stem, facts, licenseText } = arrival;
  checkNameFree(folder, stem);
  const card = licenseText === null ? null : licenseOfModelCard(licenseText);
  let named = decisiveLicense(facts.license, card);
  try {
    const files = { modelPath, configPath: configPathOf(modelPath) };
    const found = await gate.inspect(files, (config) => {
      named = decisiveLicense(facts.license, card, config.license);
      checkLicense(stem, named, acceptLicense);
    });
    const same = (await catalog.voices()).find((one) => one.content_hash === found.contentHash);
    if (same !== undefined) {
      throw new AppError('conflict', `This voice is there already: ${same.id}, ${same.name}`);
    }
    return { arrival, found, named };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_voice') throw error;
    throw new AppError('validation_failed', 'Validation failed', { model: [error.message] });
  }
}

/** Whoever puts the config there first has the name, be it another program; the database lets one do so at a time. */
async function claimName(
  folder: string,
  { modelPath, stem }: Arrival,
  claimed: Set<string>,
): Promise<void> {
  const target = configPathOf(join(folder, `${stem}.onnx`));
  if (claimed.has(target)) return;
  checkNameFree(folder, stem);
  if (existsSync(target)) {
    throw new AppError('conflict', `A file ${stem}.onnx.json is there already`);
  }
  await writeFileAtomically(target, [readFileSync(configPathOf(modelPath))], { mustBeNew: true });
  claimed.add(target);
}

/** Writes a voice down, for each of its speakers. */
async function keep(
  db: Queries,
  folder: string,
  { arrival, found, named }: Admitted,
  { userId }: Terms,
): Promise<Voice[]> {
  const { modelPath, stem, facts, licenseText, speakers } = arrival;
  const { contentHash, config } = found;
  const target = join(folder, `${stem}.onnx`);
  const stamp = stampOf(modelPath, configPathOf(target));
  await keepKnownFile(db, { path: target, stamp, content_hash: contentHash, problem: null });
  await keepLicenseText(db, contentHash, licenseText);
  const acceptance = await acceptanceOf(db, named, userId);
  const { name, source = null, ...others } = facts;
  const kept: Voice[] = [];
  for (const row of voiceRows(stem, contentHash, config)) {
    const { id } = await keepVoice(db, row);
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
    if (isFirst) await keepSample(db, id, found.sample);
    await audit(db, {
      ...{ userId, action: 'voice.installed', subject: voice.name, after: auditedVoice(voice) },
    });
    kept.push(voice);
  }
  await auditAcceptance(db, kept, userId);
  return kept;
}

async function remove(
  { database, catalog, compiled }: InstallDeps,
  voice: InstalledVoice,
  userId: number | null,
): Promise<void> {
  const { stem, files, content_hash } = voice;
  if (builtinVoices.some(({ modelPath }) => modelPath === files.modelPath)) {
    throw new AppError('conflict', 'A built-in voice can only be disabled');
  }
  await database.write(async (db) => {
    await checkUnused(db, stem, content_hash);
    await forgetKnownFile(db, files.modelPath);
    await forgetSound(db, content_hash);
    await audit(db, {
      ...{ userId, action: 'voice.removed', subject: voice.name, before: auditedVoice(voice) },
    });
    rmSync(files.modelPath, { force: true });
    rmSync(files.configPath, { force: true });
  });
  compiled?.forget(content_hash);
  await catalog.lookAgain();
}

/** @throws AppError `conflict` naming who uses a voice: none of them is given another one silently */
async function checkUnused(db: Queries, stem: string, contentHash: string): Promise<void> {
  const { sites, posts } = await usesOf(db, contentHash);
  if (sites.count === 0 && posts.count === 0) return;
  const named = ({ names, count }: typeof sites): string[] =>
    count > names.length ? [...names, `and ${count - names.length} more`] : [...names];
  throw new AppError(
    'conflict',
    `The voice ${stem} is in use: ${counted(sites.count, 'site')}, ${counted(posts.count, 'post')}`,
    { sites: named(sites), posts: named(posts) },
  );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
