import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { listWrongCounters } from '../audio/counters.ts';
import { type Bucket, openBucket } from '../audio/media/bucket.ts';
import {
  filterLiveObjects,
  findMarker,
  listObjectRows,
  requireNoOtherMarker,
  requireOwnBucket,
  requireWritableBucket,
  soundPrefix,
} from '../audio/media/object-store.ts';
import { findScrubState } from '../audio/stored-audio.ts';
import { upgradeDatabase } from '../backup/manager.ts';
import { probeSandbox } from '../build/sandbox/probe.ts';
import { timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import { type Database, describeDatabase, type Queries } from '../database/database.ts';
import { checkIntegrity } from '../database/sqlite.ts';
import { DiskSpace } from '../disk-space.ts';
import { AppError, operationFailed } from '../errors.ts';
import { getErrno, isShared } from '../files.ts';
import { formatCount } from '../http/validation.ts';
import { parseHttpUrl } from '../setting.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { openConfiguredOptimizerCache } from '../voices/optimizer-cache.ts';
import { findVoiceUses, listVoices } from '../voices/store.ts';
import { voicePrefix } from '../voices/stored-voices.ts';
import { type AudioSelection, type CheckResult, verifySelectedAudio } from './check-audio.ts';
import {
  addNativeFolders,
  buildSandbox,
  createCommand,
  loadConfig,
  openVoiceStore,
  withOpenDatabase,
  withWorkers,
} from './command.ts';
import { formatSpeed, getIo, printResult, selectReportedError } from './output.ts';

const megabyte = 1024 * 1024;
const urlTimeoutMs = 5_000;

interface CheckOptions extends AudioSelection {
  readonly url?: string;
  readonly live?: boolean;
}

/** `lectern check`; exits with 1 if a check fails */
export function checkCommand(): Command {
  return createCommand('check', 'check database, voices, workers and disk')
    .option('--url <address>', 'only check whether the server at this address is ready')
    .option('--live', 'with --url: whether it responds, although the database, a worker or disk space may be missing')
    .option('--audio <id>', 'verify one audio against its certificate')
    .option('--post <id>', 'verify the audio of one post (needs --site)')
    .option('--site <id|slug>', 'site of --post')
    .option('--audios', 'verify all audio')
    .action(check);
}

async function check(options: CheckOptions): Promise<void> {
  const findings = await runChecks(options);
  const ok = findings.every((finding) => finding.ok);
  printResult(options.json, { ok, findings }, () =>
    findings.map(({ part, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'} ${part.padEnd(9)} ${detail}`).join('\n'),
  );
  if (!ok) getIo().exitCode = 1;
}

async function runChecks(options: CheckOptions): Promise<CheckResult[]> {
  const { url, live = false, audio, post, site, audios } = options;
  if (url !== undefined) return [await runCheck('server', () => checkServer(url, live ? 'healthz' : 'readyz'))];
  if (live) throw new AppError('bad_usage', '--live needs --url');
  const isAboutAudio = audio !== undefined || post !== undefined || site !== undefined || audios === true;
  return isAboutAudio ? verifySelectedAudio(options) : checkInstallation(loadConfig(options));
}

async function checkInstallation(config: Config): Promise<CheckResult[]> {
  if (!existsSync(config.data)) {
    const detail = `Data folder ${config.data} does not exist. Name it with --data, or start the server to create it.`;
    return [{ part: 'files', ok: false, detail }];
  }
  addNativeFolders(config);
  // Before the database is opened.
  const files = await runCheck('files', () => checkPermissions(config));
  const database = await runCheck('database', () => checkDatabase(config));
  const sandbox = await runCheck('sandbox', () => checkSandbox(config));
  const voices = database.ok && sandbox.ok ? await checkVoices(config) : [];
  const scrub = database.ok ? [await runCheck('scrub', () => checkScrub(config))] : [];
  const bucket = database.ok ? openBucket(config) : undefined;
  const sound = bucket === undefined ? [] : [await runCheck('sound', () => checkBucket(config, bucket))];
  return [files, database, sandbox, ...voices, ...scrub, ...sound, await runCheck('disk', () => checkDisk(config))];
}

async function runCheck(part: string, work: () => Promise<string>): Promise<CheckResult> {
  try {
    return { part, ok: true, detail: await work() };
  } catch (thrown) {
    const error = selectReportedError(thrown);
    return { part, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

export async function checkDatabase(config: Config): Promise<string> {
  if (config.database !== undefined) {
    await checkCounters(config);
    return `PostgreSQL database ${describeDatabase(config.database)} reachable and suitable; its own tools check its files`;
  }
  const path = join(config.data, 'lectern.db');
  if (!existsSync(path)) return `${path} will be created at the first start`;
  const errors = checkIntegrity(config.data);
  if (errors.length > 0) {
    throw operationFailed(`${path} is corrupt: ${errors.slice(0, 3).join('; ')}`);
  }
  await upgradeDatabase(config);
  await checkCounters(config);
  return `${path} passed the integrity check`;
}

/** @throws AppError `operation_failed` */
async function checkCounters(config: Config): Promise<void> {
  const deviations = await withOpenDatabase(config, ({ read }) => listWrongCounters(read), { mustExist: true });
  if (deviations.length === 0) return;
  const list = deviations.map(({ siteId, name, amount }) => `${name} of site ${siteId} should be ${amount}`);
  throw operationFailed(`Wrong counters: ${list.slice(0, 3).join('; ')}. Restart the server to correct them.`);
}

/** Starts a process like a worker, which tries what a hostile voice would. */
async function checkSandbox(config: Config): Promise<string> {
  const { sandbox: mode, data } = config;
  if (mode === 'off') return 'off (LECTERN_SANDBOX): a hostile voice or feed has the rights of this user';
  const database = join(data, 'lectern.db');
  const file = existsSync(database) ? database : '/etc/passwd';
  const folder = join(data, `.sandbox-probe-${process.pid}`);
  const { landlock, seccomp, allowed } = await probeSandbox(buildSandbox(config), { file, folder });
  const expected = [...(landlock > 0 ? [] : ['read', 'write']), ...(seccomp ? [] : ['connect', 'execute', 'pin'])];
  const unexpected = allowed.filter((attempt) => !expected.includes(attempt));
  if (unexpected.length > 0) {
    throw operationFailed(`the sandbox does not refuse workers: ${unexpected.join(', ')}`);
  }
  const files =
    landlock > 0
      ? `Landlock ${landlock} refuses workers other files`
      : 'no Landlock: workers can use all files of this user';
  const calls = seccomp
    ? 'seccomp refuses them network and programs'
    : 'no seccomp: workers can use network and programs';
  return `${files}; ${calls}`;
}

function checkVoices(config: Config): Promise<CheckResult[]> {
  return withOpenDatabase(config, (database) =>
    withWorkers(config, 1, async (workers) => {
      const stored = openVoiceStore(config, database);
      const cache = openConfiguredOptimizerCache(config);
      const catalog = await openCatalog(database, config.voices, workers, cache, stored);
      await catalog.waitUntilInspected();
      const voices = await catalog.voices();
      const spoken = await Promise.all(
        voices.map((voice) =>
          runCheck('voice', async () => {
            await catalog.fetch(voice);
            return checkVoice(voice, voices, workers);
          }),
        ),
      );
      const broken = catalog
        .broken()
        .map(({ file, problem }) => ({ part: 'voice', ok: false, detail: `${file}: ${problem}` }));
      return [...spoken, ...broken, ...(await checkMissingVoices(database, voices))];
    }),
  );
}

/** Finds voices in use whose files are missing: their posts would silently get another voice. */
async function checkMissingVoices({ read }: Database, installed: readonly InstalledVoice[]): Promise<CheckResult[]> {
  const hashes = new Set(installed.map((voice) => voice.content_hash));
  const findings: CheckResult[] = [];
  for (const { id, name, content_hash, replaced_by } of await listVoices(read)) {
    if (hashes.has(content_hash) || replaced_by !== null) continue;
    // Once for all speakers.
    hashes.add(content_hash);
    const { sites, posts } = await findVoiceUses(read, content_hash);
    if (sites.count + posts.count === 0) continue;
    const users = `${[...sites.names].join(', ') || 'no site'}, ${posts.count} posts`;
    const detail = `${id}, ${name}: files missing, still used by ${users}. Restore the files or select another voice.`;
    findings.push({ part: 'voice', ok: false, detail });
  }
  return findings;
}

/** Measures the first voice of each model. The others would take as long, and a model may have dozens: they are only loaded. */
async function checkVoice(
  voice: InstalledVoice,
  voices: readonly InstalledVoice[],
  workers: WorkerPool,
): Promise<string> {
  const { name, files, speaker } = voice;
  const first = voices.find((voice) => voice.files.modelPath === files.modelPath) ?? voice;
  if (first !== voice) {
    await workers.call('examine', files);
    return `${name}: loaded; same model as ${first.name}`;
  }
  const { realTimeFactor } = await workers.call('measure', { voice: files, speaker });
  return `${name}: ${formatSpeed(realTimeFactor)}`;
}

/** What Lectern makes in the data folder; voices and configuration may be a user's own files. */
const ownFilePattern = /^(lectern\.db|lock\.db|media$|backups$|optimized$)/;
const maxNamedFiles = 5;

export async function checkPermissions({ data }: Config): Promise<string> {
  const names = readdirSync(data).filter((name) => ownFilePattern.test(name));
  const all = names.flatMap((name) => [name, ...listFilesBelow(data, name)]).sort();
  const shared = all.filter((name) => isShared(join(data, name)));
  if (shared.length === 0) return `no other user has rights on the files in ${data}`;
  const more = shared.length > maxNamedFiles ? ` and ${shared.length - maxNamedFiles} more` : '';
  throw operationFailed(
    `other users of this machine have rights on ${shared.slice(0, maxNamedFiles).join(', ')}${more} in ${data}. Take them away with chmod -R go=; each start of the server does so for the database.`,
  );
}

function listFilesBelow(data: string, name: string): string[] {
  // A server may delete it at any moment.
  if (!statSync(join(data, name), { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(join(data, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path));
}

/** The server verifies stored audio; here only its last result is reported. */
export async function checkScrub(config: Config): Promise<string> {
  const state = await withOpenDatabase(config, ({ read }) => findScrubState(read));
  const { started_at, finished_at, segment_count, damaged_count } = state;
  const last =
    finished_at === null ? 'no whole pass over the stored audio yet' : `last pass finished at ${finished_at}`;
  const detail = `${last}${started_at === null ? '' : ', one is running'}: ${segment_count} segments verified`;
  if (damaged_count === 0) return detail;
  throw operationFailed(
    `${detail}, ${damaged_count} of them damaged and not repairable. To find their audio, run: lectern check --audios`,
  );
}

export async function checkBucket(config: Config, bucket: Bucket): Promise<string> {
  await requireWritableBucket(bucket);
  return withOpenDatabase(config, async (database) => {
    await requireOwnBucket(database, bucket);
    await requireNoOtherMarker(bucket, await findMarker(database.read));
    return checkObjects(database.read, bucket);
  });
}

async function checkDisk(config: Config): Promise<string> {
  const diskSpace = new DiskSpace(config.data, config.diskReserveMb);
  const problem = diskSpace.findProblem('events');
  if (problem !== undefined) throw operationFailed(`low disk space: ${problem}`);
  return `${Math.floor(diskSpace.measure().freeBytes / megabyte)} MB free in ${config.data}`;
}

async function checkServer(url: string, path: 'healthz' | 'readyz'): Promise<string> {
  if (parseHttpUrl(url) === undefined) {
    throw operationFailed(`${url} is no http(s) URL. Name one such as http://127.0.0.1:8080`);
  }
  const address = `${url.replace(/\/+$/, '')}/${path}`;
  const response = await fetch(address, { signal: AbortSignal.timeout(urlTimeoutMs) }).catch((error: unknown) => {
    throw operationFailed(`${address} did not respond (${getErrno(error) || String(error)})`);
  });
  if (!response.ok) {
    const { errors = {} } = (await response.json().catch(() => ({}))) as { errors?: Record<string, string[]> };
    const reasons = Object.entries(errors).map(([part, problems]) => `; ${part}: ${problems.join(', ')}`);
    throw operationFailed(`${address} responded with status ${response.status}${reasons.join('')}`);
  }
  return `${address} ${path === 'readyz' ? 'is ready' : 'responds'}`;
}

/**
 * Compares the rows of objects with the bucket.
 * @param batchSize rows in memory at once
 * @returns the number of objects, for a person
 * @throws AppError `operation_failed`: objects are missing or unknown; `sound_unavailable`
 */
export async function checkObjects(db: Queries, bucket: Bucket, batchSize = 1_000): Promise<string> {
  const startedAt = timestamp();
  let [present, unknown, missing] = [0, 0, 0];
  let example: string | undefined;
  let after: string | undefined = '';
  while (after !== undefined) {
    // The rows first: an object written after this query has no row here, and counts as recent.
    const batch = await listObjectRows(db, after, batchSize);
    const last = batch.length < batchSize ? undefined : batch.at(-1)?.key;
    const rows = new Map(batch.map((row) => [row.key, row]));
    for await (const { key, byteCount, modifiedAt } of listObjects(bucket, after)) {
      if (last !== undefined && key > last) break;
      const row = rows.get(key);
      if (row === undefined) unknown += modifiedAt < startedAt ? 1 : 0;
      else if (row.state !== 'live' || row.byte_count === byteCount) {
        rows.delete(key);
        present += 1;
      }
    }
    const unlisted = rows.values().filter(({ state }) => state === 'live');
    const lost = await filterLiveObjects(db, [...unlisted.map(({ key }) => key)]);
    missing += lost.length;
    example ??= lost[0];
    after = last;
  }
  const problems = [
    ...(missing === 0 ? [] : [`${countObjects(missing)} missing or of another size, such as ${example}`]),
    ...(unknown === 0 ? [] : [`${countObjects(unknown)} unknown to the database`]),
  ];
  if (problems.length === 0) return `${formatCount(present, 'object')} in the bucket, none missing`;
  throw operationFailed(
    `the bucket differs from the database: ${problems.join('; ')}. Missing audio is generated again when it is requested; delete unknown objects if no other database uses the bucket.`,
  );
}

async function* listObjects(bucket: Bucket, after: string) {
  // In the order of their keys.
  for (const prefix of [soundPrefix, voicePrefix]) yield* bucket.list(prefix, after);
}

function countObjects(count: number): string {
  return count === 1 ? '1 object is' : `${count} objects are`;
}
