import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from './errors.ts';
import {
  addressRanges,
  choice,
  defineSecret,
  defineSetting,
  onOff,
  optional,
  parseBaseUrl,
  parseBucketAddress,
  parseDatabaseAddress,
  parseHostsAndRanges,
  parseMirrorUrl,
  parsePath,
  parsePaths,
  perMinute,
  planLimits,
  type Setting,
  secondsList,
  text,
  timeZone,
  wholeNumber,
} from './setting.ts';

const defaultDataFolder = './data';

/** By member of `Config`; each with its name on the command line, in the environment and in the config file. */
const settings = {
  /** Folder of database, user-installed voices and unpacked libraries. */
  data: defineSetting('data', { fallback: resolve(defaultDataFolder), parse: parsePath }),
  /** Address of a PostgreSQL database, with its password; undefined: SQLite in the data folder. */
  database: defineSecret('database', parseDatabaseAddress),
  /** Free disk space below which posts are refused, and events below twice as much; undefined: depends on the disk. */
  diskReserveMb: defineSetting('disk_reserve_mb', optional(wholeNumber(0, 0, 10_000_000).parse)),
  /** Days in which all stored audio is compared with its checksums; 0: never. */
  scrubDays: defineSetting('scrub_days', wholeNumber(30, 0, 3_650)),
  /** Backups that the server keeps of its own. */
  maxBackups: defineSetting('backups_kept', wholeNumber(5, 1, 1_000)),
  /** Between two backups of the server; 0: only on request. */
  backupIntervalHours: defineSetting('backup_interval_hours', wholeNumber(0, 0, 8_760)),
  backupBeforeUpgrade: defineSetting('backup_before_upgrade', onOff('on')),
  /** Where the MP3s of ready audio are; undefined: in the database. */
  sound: defineSetting('sound', optional(parseBucketAddress)),
  soundKey: defineSecret('sound_key'),
  soundSecret: defineSecret('sound_secret'),
  /** Whether listeners are redirected to the bucket. */
  soundRedirect: defineSetting('sound_redirect', onOff('off')),
  /** Days between the end of an MP3 and the deletion of its object. */
  objectGraceDays: defineSetting('object_grace_days', wholeNumber(7, 0, 3_650)),
  host: defineSetting('host', text('127.0.0.1')),
  port: defineSetting('port', wholeNumber(8080, 0, 65_535)),
  /** Address that clients see, without a slash at the end; undefined: the one it listens on. */
  baseUrl: defineSetting('base_url', optional(parseBaseUrl)),
  /** Seconds between the signal to stop and the end of new requests, in which a load balancer notices that `serve` stops. */
  stopDelayS: defineSetting('stop_delay_s', wholeNumber(0, 0, 600)),
  workers: defineSetting('workers', wholeNumber(Math.max(1, cpus().length), 1, 256)),
  /** Whether workers start with the server and load the default voice; `off`: they start with the first text. */
  preload: defineSetting('preload', onOff('on')),
  /** Whether `serve` generates posts itself; `off`: `speak` does, on the same PostgreSQL database. */
  synthesis: defineSetting('synthesis', onOff('on')),
  voices: defineSetting('voices', optional(parsePath)),
  optimizeVoices: defineSetting('optimize_voices', onOff('on')),
  /** Of new sites, and of the days of the audit log. */
  timeZone: defineSetting('time_zone', timeZone('UTC')),
  logLevel: defineSetting('log_level', choice('info', ['debug', 'info', 'warn', 'error', 'silent'])),
  /** Longest content of a post, in code points. */
  maxContentLength: defineSetting('content_length_max', wholeNumber(500_000, 50, 10_000_000)),
  maxBodyBytes: defineSetting('body_byte_max', wholeNumber(8_000_000, 1_000, 200_000_000)),
  /** Memory for the request bodies in flight, all together. */
  bodyMemoryMb: defineSetting('body_memory_mb', wholeNumber(64, 1, 100_000)),
  /** Seconds in which a body must keep a rate of 1 KB/s. */
  bodyRatePeriodS: defineSetting('body_rate_period_s', wholeNumber(10, 1, 600)),
  maxQueuedPosts: defineSetting('queued_posts_max', wholeNumber(20_000, 1, 10_000_000)),
  maxQueuedPostsPerSite: defineSetting('queued_posts_per_site_max', wholeNumber(10_000, 1, 10_000_000)),
  /** Concurrent listeners of posts in generation. */
  maxListeners: defineSetting('listeners_max', wholeNumber(1_000, 1, 1_000_000)),
  maxListenersPerSite: defineSetting('listeners_per_site_max', wholeNumber(200, 1, 200_000)),
  workerMemoryMb: defineSetting('worker_memory_mb', wholeNumber(1_500, 100, 1_000_000)),
  workerTimeoutS: defineSetting('worker_deadline_s', wholeNumber(120, 1, 86_400)),
  /** CPU seconds that a worker may use for a task on text. */
  textCpuLimitS: defineSetting('text_cpu_s', wholeNumber(20, 1, 86_400)),
  /** A worker without a sign of life for so long is replaced. */
  workerSilenceS: defineSetting('worker_silence_s', wholeNumber(10, 1, 86_400)),
  /** Whether the kernel restricts the processes that parse texts, feeds and voices. */
  sandbox: defineSetting('sandbox', choice('auto', ['auto', 'required', 'off'])),
  /** How long a replaced MP3 is still served. */
  oldAudioRetentionHours: defineSetting('old_audio_hours', wholeNumber(24, 0, 100_000)),
  /** How long an unused sentence is kept for reuse. */
  unusedSegmentRetentionHours: defineSetting('unused_segment_hours', wholeNumber(168, 0, 100_000)),
  /** How long the text of a deleted post is kept, to restore it. */
  deletedRetentionDays: defineSetting('deleted_retention_days', wholeNumber(30, 0, 3_650)),
  /** New English posts a month. */
  quotaPosts: defineSetting('quota_posts', planLimits({ starter: 50, growth: 500, enterprise: Infinity })),
  /** Events a month; public and keyed ones each have as many. */
  quotaEvents: defineSetting('quota_events', planLimits({ starter: 10_000, growth: 100_000, enterprise: Infinity })),
  sessionIdleTimeoutMinutes: defineSetting('session_idle_minutes', wholeNumber(720, 1, 1_000_000)),
  maxSessionDays: defineSetting('session_days', wholeNumber(30, 1, 10_000)),
  /** Requests a minute, by key. */
  rateKey: defineSetting('rate_key', perMinute(60)),
  /** Events a minute, by key. */
  rateTrack: defineSetting('rate_track', perMinute(120)),
  /** Public requests and events a minute, by domain. */
  ratePage: defineSetting('rate_page', perMinute(60)),
  rateEvents: defineSetting('rate_events', perMinute(200)),
  /** Events a minute that one address may store for a domain. */
  eventsPerAddress: defineSetting('events_per_address', perMinute(2_000)),
  /** Percent of the public events of a month that one address may store; undefined: all. */
  eventQuotaSharePercent: defineSetting('event_quota_share_percent', optional(wholeNumber(100, 1, 100).parse)),
  /** Wrong keys, failed sign-ins, and events for unknown domains, a minute and address. */
  maxFailuresPerMinute: defineSetting('rate_failures', perMinute(30)),
  /** Failed sign-ins a minute and account; a known device has as many of its own. */
  maxAccountFailuresPerMinute: defineSetting('rate_account_failures', perMinute(10)),
  /** Share of one address in the public requests of a domain; undefined: all of them. */
  publicRequestsPerAddress: defineSetting('public_requests_per_address', optional(perMinute(0).parse)),
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: defineSetting('trusted_proxies', addressRanges()),
  /** Token that /metrics requires; undefined: none. */
  metricsToken: defineSecret('metrics_token'),
  /** Separate address of /metrics; without a port it is served with everything else. */
  metricsHost: defineSetting('metrics_host', text('127.0.0.1')),
  metricsPort: defineSetting('metrics_port', optional(wholeNumber(0, 0, 65_535).parse)),
  /** How long events are kept; daily metrics stay. At least as long as late events are accepted: deduplication needs the rows. */
  eventRetentionDays: defineSetting('event_days', wholeNumber(90, 8, 3_650)),
  /** Host names, addresses and CIDR ranges that webhooks may go to although private, also by http. */
  webhookAllowlist: defineSetting('webhook_allow', { fallback: [], parse: parseHostsAndRanges }),
  /** Pauses before each further attempt of a webhook, in seconds; a day in total. */
  webhookRetryDelaysS: defineSetting(
    'webhook_retry_s',
    secondsList([5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 28800]),
  ),
  /** Shorter than the idle timeout of a connection, on which a caller waits for a test message. */
  webhookTimeoutS: defineSetting('webhook_timeout_s', wholeNumber(15, 1, 50)),
  /** How long the delivery log keeps finished deliveries. */
  webhookLogRetentionDays: defineSetting('webhook_log_days', wholeNumber(30, 1, 3_650)),
  /** Host names, addresses and CIDR ranges that feeds may be fetched from although private. */
  feedAllowlist: defineSetting('feed_allow', { fallback: [], parse: parseHostsAndRanges }),
  /** Fetch interval of a feed that names none itself. */
  feedIntervalMinutes: defineSetting('feed_interval_minutes', wholeNumber(15, 5, 1_440)),
  /** Minimum time between two fetches of a feed. */
  minFeedIntervalS: defineSetting('feed_pause_s', wholeNumber(60, 0, 3_600)),
  /** Shorter than the idle timeout of a connection, on which a caller waits for a preview. */
  feedTimeoutS: defineSetting('feed_timeout_s', wholeNumber(25, 1, 40)),
  maxFeedBytes: defineSetting('feed_byte_max', wholeNumber(10_000_000, 1_000, 100_000_000)),
  /** Posts a day that one feed may bring. */
  maxFeedPostsPerDay: defineSetting('feed_posts_per_day', wholeNumber(200, 1, 1_000_000)),
  /** Default registry of `voice pull`. */
  voiceMirror: defineSetting('voice_mirror', {
    fallback: 'https://huggingface.co/rhasspy/piper-voices/resolve/main',
    parse: parseMirrorUrl,
  }),
  /** Files of public Ed25519 keys. If there are any, one of them must have signed a bundle. */
  voiceTrustedKeys: defineSetting('voice_trusted_keys', { fallback: [], parse: parsePaths }),
};

type Settings = typeof settings;
type SettingName = Settings[keyof Settings]['name'];
type Values = { readonly [Member in keyof Settings]: ReturnType<Settings[Member]['parse']> };

/** All settings. Nothing else reads the environment. */
export interface Config extends Values {
  /** Folder of further Piper voices. */
  readonly voices: string;
  /** May be missing. */
  readonly configFile: string;
  /** Whether other machines can reach the server. */
  readonly isReachable: boolean;
}

/** Values of command line options. */
export type Flags = Partial<Record<SettingName, string>>;

/**
 * Reads flags, then `LECTERN_*` variables, then the config file (`{data}/lectern.toml` or `LECTERN_CONFIG`).
 * @throws AppError `bad_setting` naming every wrong or unknown setting, a line each
 */
export function readConfig(flags: Flags, variables = process.env): Config {
  const problems: string[] = [];
  const set = Object.entries(variables).filter(([name, value]) => !isServiceLink(name, value));
  const environment = Object.fromEntries(set);
  const file = readConfigFile(flags, environment, problems);
  findUnknownSettings(environment, file, problems);
  const values = Object.fromEntries(
    Object.entries(settings).map(([member, setting]) => [
      member,
      resolveSetting(setting, flags, environment, file, problems),
    ]),
  ) as Values;
  if (values.database !== undefined && values.backupIntervalHours > 0) {
    problems.push('backup_interval_hours: a PostgreSQL database is backed up with its own tools; remove this setting');
  }
  if (values.database === undefined && !values.synthesis) {
    problems.push('synthesis: off needs LECTERN_DATABASE, so that `lectern speak` generates the posts');
  }
  if (values.sound !== undefined && (values.soundKey === undefined || values.soundSecret === undefined)) {
    problems.push('LECTERN_SOUND: needs LECTERN_SOUND_KEY and LECTERN_SOUND_SECRET, or files of them in …_FILE');
  }
  if (problems.length > 0) throw new AppError('bad_setting', problems.join('\n'));
  return {
    ...values,
    voices: values.voices ?? join(values.data, 'voices'),
    configFile: findConfigFile(flags, environment),
    isReachable: !['127.0.0.1', 'localhost', '::1'].includes(values.host),
  };
}

/** Folders outside the data folder where unpacked libraries may go, best first; commands without a data folder need one. */
export function cacheFolders(): string[] {
  const cache = process.env['XDG_CACHE_HOME'];
  if (cache?.startsWith('/')) return [join(cache, 'lectern')];
  const home = process.env['HOME'];
  return home?.startsWith('/') ? [join(home, '.cache', 'lectern')] : [];
}

/** The address a client on this machine reaches a server by. */
export function buildServerUrl(host: string, port: number): string {
  const hostname = ['0.0.0.0', '::', ''].includes(host) ? 'localhost' : host;
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
}

function toEnvVariable(name: string): string {
  return `LECTERN_${name.toUpperCase()}`;
}

/** The variable that names the file of a secret. */
function toFileVariable(name: string): string {
  return `${toEnvVariable(name)}_FILE`;
}

function resolveSetting(
  { name, fallback, parse, isSecret }: Setting<unknown> & { readonly name: SettingName; readonly isSecret?: boolean },
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  file: Record<string, unknown>,
  problems: string[],
): unknown {
  const sources: [string, unknown][] = [
    [`--${name.replaceAll('_', '-')}`, flags[name]],
    [toEnvVariable(name), environment[toEnvVariable(name)]],
    ...(isSecret === true ? [readSecretFile(name, environment, problems)] : []),
    [`${name} in the config file`, file[name]],
  ];
  const match = sources.find(([, value]) => value !== undefined);
  if (match === undefined) return fallback;
  const [source, value] = match;
  try {
    return parse(String(value).trim());
  } catch (error) {
    const expected = error instanceof Error ? error.message : String(error);
    problems.push(
      `${source}: expected ${expected}, got ${isSecret ? 'another value' : JSON.stringify(hidePassword(value))}`,
    );
    return fallback;
  }
}

/** @returns a value without the password in an address */
function hidePassword(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^(\w+:\/\/[^:/@]*):.*@/, '$1:***@') : value;
}

function readSecretFile(name: string, environment: NodeJS.ProcessEnv, problems: string[]): [string, unknown] {
  const variable = toFileVariable(name);
  const path = environment[variable];
  if (path === undefined) return [variable, undefined];
  if (environment[toEnvVariable(name)] !== undefined) {
    problems.push(`${toEnvVariable(name)}: ${variable} is set, too. Remove one of them.`);
  }
  try {
    return [variable, readFileSync(path, 'utf8')];
  } catch {
    problems.push(`${variable}: file ${path} cannot be read. Check its name and permissions.`);
    return [variable, undefined];
  }
}

function findConfigFile(flags: Flags, environment: NodeJS.ProcessEnv): string {
  const data = flags.data ?? environment['LECTERN_DATA'] ?? defaultDataFolder;
  return environment['LECTERN_CONFIG'] ?? join(data, 'lectern.toml');
}

function readConfigFile(flags: Flags, environment: NodeJS.ProcessEnv, problems: string[]): Record<string, unknown> {
  const path = findConfigFile(flags, environment);
  if (environment['LECTERN_CONFIG'] === undefined && !existsSync(path)) return {};
  try {
    return Bun.TOML.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    const isUnread = error instanceof Error && 'syscall' in error;
    const problem = isUnread ? `cannot be read: ${reason}` : `is not valid TOML: ${reason}`;
    problems.push(`config file ${path} ${existsSync(path) ? problem : 'does not exist'}`);
    return {};
  }
}

/**
 * Kubernetes sets these in every pod beside a Service named `lectern`: LECTERN_SERVICE_HOST, LECTERN_PORT_8080_TCP_ADDR and so
 * on. One of them, LECTERN_PORT, has the name of a setting.
 */
function isServiceLink(name: string, value: string | undefined): boolean {
  if (name === 'LECTERN_PORT') return /^(tcp|udp|sctp):\/\//.test(value ?? '');
  return /^LECTERN_(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PROTO|PORT))?)$/.test(name);
}

function findUnknownSettings(environment: NodeJS.ProcessEnv, file: Record<string, unknown>, problems: string[]): void {
  const names = new Set<string>(Object.values(settings).map(({ name }) => name));
  const secrets = Object.values(settings).filter((setting) => 'isSecret' in setting);
  const variables = new Set([
    ...['LECTERN_CONFIG', ...[...names].map(toEnvVariable)],
    ...secrets.map(({ name }) => toFileVariable(name)),
  ]);
  for (const name of Object.keys(environment)) {
    if (name.startsWith('LECTERN_') && !variables.has(name)) problems.push(`${name}: unknown setting`);
  }
  for (const name of Object.keys(file)) {
    if (!names.has(name)) problems.push(`${name} in the config file: unknown setting`);
  }
}
