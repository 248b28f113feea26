import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { openBucket } from '../audio/media/bucket.ts';
import { upgradeDatabase } from '../backup/manager.ts';
import { addNativeFolder } from '../build/native.ts';
import { detectSandboxSupport, requireSandboxSupport, type Sandbox } from '../build/sandbox/sandbox.ts';
import { type Config, cacheFolders, type Flags, readConfig } from '../config.ts';
import type { Database, Queries } from '../database/database.ts';
import { nameDatabase, openDatabase } from '../database/open.ts';
import { ensureDataFolder, requireDatabaseFile } from '../database/sqlite.ts';
import { AppError } from '../errors.ts';
import { coerce, findFieldErrors, findUnknownMembers, parseIsoTimestamp } from '../http/validation.ts';
import { createLog, type Log } from '../log.ts';
import { findSite, type SiteWithDomains } from '../sites/store.ts';
import { startWorkerPool, type WorkerPool, type WorkerPoolOptions } from '../speech/worker-pool.ts';
import { getFetchedFolder, openStoredVoices, type StoredVoices } from '../voices/stored-voices.ts';
import { formatTable, getIo, printResult } from './output.ts';

/** The largest voices need about as much, whatever the setting. */
const minMemoryLimitMb = 2_000;

export interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

export interface SiteOptions extends CommonOptions {
  readonly site: string;
}

/** @returns a command without options of its own, which would take those of its subcommands */
export function createGroup(name: string, description: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(description).helpCommand(false);
  for (const command of commands) group.addCommand(command);
  return group;
}

export function createCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--data <dir>', 'data folder (default ./data, or LECTERN_DATA)')
    .option('--json', 'print one JSON value');
}

export function createSiteCommand(name: string, description: string): Command {
  return createCommand(name, description).requiredOption('--site <site>', 'id or slug');
}

/**
 * Gives a command that lists rows its action.
 * @param toColumns of the table; JSON contains the loaded rows
 */
export function listAction<Row extends object, Options extends CommonOptions>(
  load: (db: Queries, options: Options) => Promise<readonly Row[]>,
  toColumns: (row: Row) => Record<string, unknown>,
  noRows: string,
) {
  return async (options: Options): Promise<void> => {
    const rows = await withExistingDatabase(options, ({ read }) => load(read, options));
    printResult(options.json, rows, () => formatTable(rows.map(toColumns), noRows));
  };
}

/** @throws AppError `bad_usage` for an invalid id */
export function idArgument(kind: string): Argument {
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  return new Argument('<id>', `id of the ${kind}`).argParser((text) => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new AppError('bad_usage', `expected ${article} ${kind} id, got ${text}`);
  });
}

/** Parses a repeatable option. */
export function collectValues(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** The options of a command for the members of a schema, which also validates their values. */
export interface SchemaOptions<S extends TObject> {
  addTo(command: Command): Command;
  /** @returns the members whose options are given */
  read(options: object): Partial<Static<S>>;
}

/** `default_voice_id` is `--default-voice <id>`, `bit_rate_kbps` is `--bit-rate <kbps>`. */
export function createSchemaOptions<S extends TObject>(schema: S): SchemaOptions<S> {
  const members = Object.entries(schema.properties).map(([name, member]) => {
    const [, stem = name, suffix] = /^(.+)_(id|kbps|minutes|at)$/.exec(name) ?? [];
    const flag = `--${stem.replaceAll('_', '-')} <${suffix?.replace('at', 'time') ?? formatValues(member)}>`;
    const isTime = suffix === 'at';
    const option = new Option(flag, member.description).argParser((text) =>
      isTime ? parseTime(text) : parseMember(member, text),
    );
    return { name, option };
  });
  return {
    addTo: (command) => {
      for (const { option } of members) command.addOption(option);
      return command;
    },
    read: (options) => {
      const values = new Map(Object.entries(options));
      const read = members.map(({ name, option }) => [name, values.get(option.attributeName())] as const);
      return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Partial<Static<S>>;
    },
  };
}

function formatValues({ type, anyOf: branches = [] }: TSchema): string {
  if (type === 'boolean') return 'true|false';
  if (type === 'array') return 'list';
  if (type === 'object') return 'json';
  const values = branches.map((branch: TSchema) => branch['const']);
  return values.length === 0 || values.includes(undefined) ? 'text' : values.join('|');
}

function parseTime(text: string): string {
  const time = parseIsoTimestamp(text);
  if (time === undefined) throw new InvalidArgumentError('must be an ISO 8601 date and time');
  return time;
}

function parseMember(schema: TSchema, text: string): unknown {
  const value = parseText(schema, text);
  const problems = Object.entries(findFieldErrors(schema, value));
  // As for an unknown option: a misspelled one must not seem to have an effect.
  const unknownMembers = findUnknownMembers(schema, value);
  if (problems.length === 0 && unknownMembers.length === 0) return value;
  const items = text.split(',').map((item) => item.trim());
  const name = (field: string) => (schema['type'] === 'array' ? (items[Number(field)] ?? field) : field);
  const lines = problems.map(([field, [problem]]) => (field === 'body' ? problem : `${name(field)} ${problem}`));
  const unknownLines = unknownMembers.map((member) => `${member} is unknown`);
  throw new InvalidArgumentError([...lines, ...unknownLines].join('; '));
}

/** A list is written with commas, an object as JSON. */
function parseText(schema: TSchema, text: string): unknown {
  if (schema['type'] === 'array') {
    return text.trim() === '' ? [] : text.split(',').map((item) => coerce(schema['items'], item.trim()));
  }
  if (schema['type'] !== 'object') return coerce(schema, text);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('must be a JSON object');
  }
}

export function loadConfig({ data }: CommonOptions, flags: Flags = {}): Config {
  return readConfig({ ...(data === undefined ? {} : { data }), ...flags }, getIo().env);
}

/** Opens the database for one command and closes it again. */
export async function withDatabase<T>(
  options: CommonOptions,
  work: (database: Database, config: Config) => Promise<T>,
  { mustExist = false } = {},
): Promise<T> {
  const config = loadConfig(options);
  const isNew = !hasDatabase(config);
  if (mustExist && isNew) requireDatabaseFile(config.data);
  ensureDataFolder(config.data);
  addNativeFolders(config);
  await upgradeDatabase(config);
  // The folder may be mistyped.
  if (isNew && options.json !== true) getIo().stderr.write(`Created a database in ${config.data}, which had none.\n`);
  return withOpenDatabase(config, (database) => work(database, config), { mustExist });
}

/** @returns whether there is an installation; a command may create a SQLite database */
export function hasDatabase({ database, data }: Config): boolean {
  return database !== undefined || existsSync(join(data, 'lectern.db'));
}

/**
 * As `withDatabase`, of a command that is of no use with a new database: a mistyped data folder is not created.
 * @throws AppError `operation_failed`
 */
export function withExistingDatabase<T>(
  options: CommonOptions,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  return withDatabase(options, work, { mustExist: true });
}

/** Opens the database of a configuration whose folders and libraries are prepared, and closes it again. */
export async function withOpenDatabase<T>(
  config: Config,
  work: (database: Database) => Promise<T>,
  options: { readonly mustExist?: boolean } = {},
): Promise<T> {
  try {
    await using opened = new AsyncDisposableStack();
    const database = await openDatabase(config, options);
    opened.defer(() => database.close());
    return await work(database);
  } catch (error) {
    throw nameDatabase(config, error);
  }
}

/** Runs a change of an existing installation in one transaction. */
export function writeDatabase<T>(options: CommonOptions, change: (db: Queries) => Promise<T>): Promise<T> {
  return withExistingDatabase(options, (database) => database.write('server', change));
}

/** Runs a change of a site in one transaction. */
export function writeSite<T>(
  options: SiteOptions,
  change: (db: Queries, site: SiteWithDomains) => Promise<T>,
): Promise<T> {
  return writeDatabase(options, async (db) => change(db, await findSite(db, options.site)));
}

/** @returns the voices that machines share, for the catalog of a command; undefined with SQLite */
export function openVoiceStore(config: Config, database: Database): StoredVoices | undefined {
  return openStoredVoices(database, config.data, openBucket(config));
}

/** Provides workers for one command, started when they are needed, and stops them again. */
export async function withWorkers<T>(
  config: Config,
  count: number,
  work: (workers: WorkerPool) => Promise<T>,
): Promise<T> {
  const workers = startWorkerPool({ ...buildWorkerOptions(config), count, isLazy: true, log: createLog('silent') });
  try {
    return await work(workers);
  } finally {
    await workers.stop();
  }
}

export function buildWorkerOptions(
  config: Config,
): Omit<WorkerPoolOptions, 'count' | 'log'> & { readonly sandbox: Sandbox } {
  return {
    deadlineS: config.workerTimeoutS,
    textCpuLimitS: config.textCpuLimitS,
    silenceS: config.workerSilenceS,
    memoryMb: config.workerMemoryMb,
    nativeFolders: nativeFolders(config),
    sandbox: buildSandbox(config),
  };
}

/**
 * Workers read voices and their optimized models; they delete a damaged one of these.
 * @throws AppError `operation_failed` where a sandbox is required and the kernel doesn't offer it
 */
export function buildSandbox({ sandbox, voices, data, workerMemoryMb }: Config): Sandbox {
  requireSandboxSupport(sandbox);
  const optimized = join(data, 'optimized');
  // Far above what ends a worker after its task: it protects the machine from one task.
  const maxMemoryMb = Math.max(minMemoryLimitMb, 4 * workerMemoryMb);
  const readable = [voices, optimized, getFetchedFolder(data)];
  return { mode: sandbox, maxMemoryMb, readable, removable: [optimized] };
}

/** Reports what the kernel offers, and creates the folders of workers: a rule is on an existing folder. */
export function prepareSandbox({ mode, readable = [] }: Sandbox, log: Log): void {
  const { landlock, seccomp } = detectSandboxSupport();
  if (mode === 'off') log.info('sandbox disabled');
  else if (landlock > 0 && seccomp) log.info({ landlock }, 'workers sandboxed');
  else log.warn({ landlock, seccomp }, 'workers not fully sandboxed: the kernel does not offer it');
  for (const folder of readable) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Who needs the folder reports why.
    }
  }
}

/** Call it before anything native is loaded. */
export function addNativeFolders(config: Config): void {
  for (const folder of nativeFolders(config)) addNativeFolder(folder);
}

/**
 * Where native libraries may be unpacked, best first: the data folder if there is one (a container has no other
 * writable place), then a cache folder. The user id is in the name: two users never share a folder.
 */
function nativeFolders({ data }: Config): string[] {
  const inData = join(data, `native-${process.getuid?.() ?? 0}`);
  return existsSync(data) ? [inData, ...cacheFolders()] : cacheFolders();
}
