import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { audiosOfPost, nextReady } from '../audio/manifest/store.ts';
import { type Verified, verifyAudio } from '../audio/manifest/verify.ts';
import { useNativeFolder } from '../build/native.ts';
import type { Config } from '../config.ts';
import {
  type Database,
  databaseFaults,
  openDatabase,
  prepareDataFolder,
  type Queries,
} from '../database/open.ts';
import { AppError } from '../errors.ts';
import { findSite } from '../sites/store.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { listVoices, usesOf } from '../voices/store.ts';
import { type CommonOptions, command, configOf, withDatabase, withWorkers } from './commands.ts';
import { compiledVoices } from './compiled-voices.ts';
import { nativeFolders } from './native-folders.ts';
import { print } from './output.ts';

/** What a look at one part of the installation gave. */
interface Finding {
  readonly part: string;
  readonly ok: boolean;
  readonly detail: string;
}

const audiosPerRead = 100;

/** Which audios are to be held against their certificates. */
interface AudioChoice {
  readonly audio?: string;
  readonly post?: string;
  readonly site?: string;
  readonly audios?: boolean;
}

/** @returns whether audios were asked for at all */
function choosesAudio({ audio, post, site, audios }: AudioChoice): boolean {
  return audio !== undefined || post !== undefined || site !== undefined || audios === true;
}

/**
 * One finding for each thing that is wrong with an audio, or one that nothing is; of all audios only the former, and a sum.
 * @throws AppError `bad_usage`, `not_found`, `post_not_found`
 */
function checkAudios(options: CommonOptions & AudioChoice): Promise<Finding[]> {
  return withDatabase(options, async ({ read }, config) => {
    const mediaFolder = join(config.data, 'media');
    if (options.audios === true) return verifyAllAudio(read, mediaFolder);
    const findings: Finding[] = [];
    for (const id of await chosen(read, options)) {
      findings.push(...findingsOf(id, await verifyAudio(read, mediaFolder, id)));
    }
    return findings;
  });
}

async function chosen(db: Queries, { audio, post, site }: AudioChoice): Promise<number[]> {
  if (audio !== undefined) {
    if (!/^[1-9]\d{0,14}$/.test(audio)) throw new AppError('bad_usage', '--audio takes an id');
    return [Number(audio)];
  }
  if (post === undefined || site === undefined) {
    throw new AppError('bad_usage', 'A post is named by --post and --site');
  }
  const { id } = await findSite(db, site);
  const ids = await audiosOfPost(db, id, post);
  if (ids.length === 0) throw new AppError('post_not_found', `${site} has no post ${post}`);
  return ids;
}

async function verifyAllAudio(db: Queries, mediaFolder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  let [count, last] = [0, 0];
  // Ends: each turn goes on behind a later audio.
  for (;;) {
    const ids = await nextReady(db, last, audiosPerRead);
    for (const id of ids) {
      const verified = await verifyAudio(db, mediaFolder, id);
      findings.push(...findingsOf(id, verified).filter(({ ok }) => !ok));
    }
    count += ids.length;
    last = ids.at(-1) ?? last;
    if (ids.length < audiosPerRead) break;
  }
  if (findings.length > 0) return findings;
  return [{ part: 'audio', ok: true, detail: `all ${count} are what their certificates say` }];
}

function findingsOf(id: number, verified: Verified | undefined): Finding[] {
  const bad = (detail: string) => ({ part: 'audio', ok: false, detail: `${id}: ${detail}` });
  if (verified === undefined) return [bad('is unknown, or has not been ready yet')];
  const { certificate, sha256, problems } = verified;
  if (certificate === undefined || problems.length > 0) return problems.map(bad);
  const { post_id, language, segments, sound, coverage } = certificate;
  const seconds = (sound.duration_ms / 1000).toFixed(1);
  const detail = `${id}: ${post_id} (${language}), ${seconds} s, all ${coverage.spoken_characters} characters in ${segments.length} segments, certificate ${sha256}`;
  return [{ part: 'audio', ok: true, detail }];
}

const megabyte = 1024 * 1024;
const freeMbMin = 200;
const urlPatienceMs = 5_000;

interface CheckOptions extends CommonOptions, AudioChoice {
  readonly url?: string;
}

/** `lectern check`: the doctor. Exits with 1 when something is not well. */
export function checkCommand(): Command {
  return command('check', 'look over database, voices, workers and disk')
    .option('--url <address>', 'ask only whether the server there is ready')
    .option('--audio <id>', 'hold only this audio against its certificate')
    .option('--post <id>', 'hold only this post of a site against its certificates')
    .option('--site <id|slug>', 'the site of the post')
    .option('--audios', 'hold all audios against their certificates')
    .action(check);
}

async function check(options: CheckOptions): Promise<void> {
  const findings = await findingsFor(options);
  const ok = findings.every((finding) => finding.ok);
  print(options.json, { ok, findings }, () =>
    findings
      .map(({ part, ok, detail }) => `${ok ? 'ok  ' : 'BAD '} ${part.padEnd(9)} ${detail}`)
      .join('\n'),
  );
  if (!ok) process.exitCode = 1;
}

async function findingsFor(options: CheckOptions): Promise<Finding[]> {
  if (options.url !== undefined) return [await checkServer(options.url)];
  return choosesAudio(options) ? checkAudios(options) : checkAll(configOf(options));
}

async function checkAll(config: Config): Promise<Finding[]> {
  prepareDataFolder(config.data);
  for (const folder of nativeFolders(config)) useNativeFolder(folder);
  const database = await finding('database', () => checkDatabase(config));
  const voices = database.ok ? await checkVoices(config) : [];
  return [database, ...voices, await finding('disk', () => checkDisk(config))];
}

async function finding(part: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { part, ok: true, detail: await work() };
  } catch (error) {
    return { part, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

async function checkDatabase(config: Config): Promise<string> {
  const path = join(config.data, 'lectern.db');
  if (!existsSync(path)) return `${path} is made at the first start`;
  const faults = databaseFaults(config.data);
  if (faults.length > 0) {
    throw new AppError('operation_failed', `${path} is damaged: ${faults.slice(0, 3).join('; ')}`);
  }
  return `${path} is sound`;
}

async function checkVoices(config: Config): Promise<Finding[]> {
  const database = openDatabase(config.data);
  try {
    return await withWorkers(config, 1, async (workers) => {
      const catalog = await openCatalog(database, config.voices, workers, compiledVoices(config));
      await catalog.settled();
      const voices = await catalog.voices();
      const spoken = await Promise.all(
        voices.map((voice) => finding('voice', () => speedOf(voice, workers))),
      );
      const broken = catalog
        .broken()
        .map(({ file, problem }) => ({ part: 'voice', ok: false, detail: `${file}: ${problem}` }));
      return [...spoken, ...broken, ...(await missingVoices(database, voices))];
    });
  } finally {
    await database.close();
  }
}

/** Voices that sites or posts use and whose files are gone: nobody should find that out by another voice. */
async function missingVoices(
  { read }: Database,
  installed: readonly InstalledVoice[],
): Promise<Finding[]> {
  const there = new Set(installed.map((voice) => voice.content_hash));
  const gone = (await listVoices(read)).filter(
    ({ content_hash, speaker }) => speaker === 0 && !there.has(content_hash),
  );
  const findings = await Promise.all(
    gone.map(async ({ id, name, content_hash }) => {
      const { sites, posts } = await usesOf(read, content_hash);
      if (sites.count + posts.count === 0) return [];
      const users = `${[...sites.names].join(', ') || 'no site'}, ${posts.count} posts`;
      const detail = `${id}, ${name}: its files are gone, but it is in use (${users}): put them back, or choose another voice`;
      return [{ part: 'voice', ok: false, detail }];
    }),
  );
  return findings.flat();
}

async function speedOf(
  { name, files, speaker }: InstalledVoice,
  workers: Workers,
): Promise<string> {
  const { realTimeFactor } = await workers.ask('measure', { voice: files, speaker });
  return `${name} speaks ${(1 / realTimeFactor).toFixed(0)} times faster than real time`;
}

async function checkDisk(config: Config): Promise<string> {
  const { bavail, bsize } = statfsSync(config.data);
  const freeMb = Math.floor((bavail * bsize) / megabyte);
  if (freeMb < freeMbMin) throw new AppError('operation_failed', `only ${freeMb} MB are free`);
  return `${freeMb} MB are free in ${config.data}`;
}

async function checkServer(url: string): Promise<Finding> {
  return finding('server', async () => {
    const address = `${url.replace(/\/+$/, '')}/readyz`;
    const answer = await fetch(address, { signal: AbortSignal.timeout(urlPatienceMs) }).catch(
      () => {
        throw new AppError('operation_failed', `${address} does not answer`);
      },
    );
    if (!answer.ok) throw new AppError('operation_failed', `${address} answers ${answer.status}`);
    return `${address} is ready`;
  });
}
