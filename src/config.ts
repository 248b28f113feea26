import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from './errors.ts';
import type { AddressRange } from './setting.ts';
import {
  addressRanges,
  choice,
  optional,
  type PlanLimits,
  parseBaseUrl,
  parseHostsAndRanges,
  parseMirrorUrl,
  parsePaths,
  perMinute,
  planLimits,
  type Setting,
  secondsList,
  text,
  wholeNumber,
} from './setting.ts';

/** Everything the program can be told. Nothing else reads the environment. */
export interface Config {
  /** Folder of database, dropped-in voices and unpacked libraries. */
  readonly data: string;
  /** How many backups made by the server itself are kept. */
  readonly maxBackups: number;
  readonly host: string;
  readonly port: number;
  /** Address that clients see, without a slash at the end; undefined: the one it listens on. */
  readonly baseUrl: string | undefined;
  /** Whether other machines can reach the server. */
  readonly isReachable: boolean;
  readonly workers: number;
  /** Folder of further Piper voices. */
  readonly voices: string;
  /** Whether voices are made faster for this machine. */
  readonly optimizeVoices: boolean;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Longest content of a post, in code points. */
  readonly maxContentLength: number;
  readonly maxBodyBytes: number;
  readonly maxQueuedPosts: number;
  readonly maxQueuedPostsPerSite: number;
  /** Who listen at once to posts that are being made. */
  readonly maxListeners: number;
  readonly maxListenersPerSite: number;
  readonly workerMemoryMb: number;
  readonly workerTimeoutS: number;
  /** CPU seconds that a worker may use for a task on text. */
  readonly textCpuLimitS: number;
  /** How long the MP3 of an older version stays served. */
  readonly oldAudioRetentionHours: number;
  /** How long a sentence that no audio uses is kept for reuse. */
  readonly unusedSegmentRetentionHours: number;
  /** New English posts a month. */
  readonly quotaPosts: PlanLimits;
  /** Events a month; public and keyed ones each have as many. */
  readonly quotaEvents: PlanLimits;
  /** Requests a minute: by key, by key for keyed events, by domain for public pages and events. */
  readonly rates: Readonly<Record<'key' | 'track' | 'page' | 'events', number>>;
  /** Wrong keys, and failed sign-ins, a minute and address. */
  readonly maxFailuresPerMinute: number;
  /** Our own proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly AddressRange[];
  /** What a reader of /metrics must show; undefined: nothing. */
  readonly metricsToken: string | undefined;
  /** Where /metrics answers alone; a port of undefined: beside everything else. */
  readonly metricsHost: string;
  readonly metricsPort: number | undefined;
  /** How long single events are kept; their daily figures stay. */
  readonly eventRetentionDays: number;
  /** How long a session lives without a request. */
  readonly sessionIdleTimeoutMinutes: number;
  /** How long it lives at most. */
  readonly maxSessionDays: number;
  /** Host names, addresses and CIDR ranges that webhooks may go to although they are private, by http too. */
  readonly webhookAllowlist: readonly string[];
  /** Pauses before each further attempt of a webhook, in seconds. */
  readonly webhookRetryDelaysS: readonly number[];
  readonly webhookTimeoutS: number;
  /** How long the delivery log keeps what is settled. */
  readonly webhookLogRetentionDays: number;
  /** Host names, addresses and CIDR ranges whose feeds may be fetched although they are private. */
  readonly feedAllowlist: readonly string[];
  /** How often a feed is fetched that says nothing of it itself. */
  readonly feedIntervalMinutes: number;
  /** Shortest time between two fetches of a feed, whoever asks for them. */
  readonly minFeedIntervalS: number;
  readonly feedTimeoutS: number;
  readonly maxFeedBytes: number;
  /** Posts a day that one feed may bring. */
  readonly maxFeedPostsPerDay: number;
  /** Where `voice pull` fetches from unless told otherwise; nothing else ever does. */
  readonly voiceMirror: string;
  /** Files of public Ed25519 keys: where there are any, a bundle must be signed by one of them. */
  readonly voiceTrustedKeys: readonly string[];
}

/** What a command line said; undefined where it said nothing. */
export type Flags = Partial<Record<SettingName, string>>;

const settings = {
  data: text('./data'),
  backups_kept: wholeNumber(5, 1, 1_000),
  host: text('127.0.0.1'),
  port: wholeNumber(8080, 0, 65_535),
  base_url: { fallback: '', parse: parseBaseUrl },
  workers: wholeNumber(Math.max(1, cpus().length), 1, 256),
  voices: text(''),
  compile_voices: choice('on', ['on', 'off']),
  log_level: choice('info', ['debug', 'info', 'warn', 'error', 'silent']),
  content_length_max: wholeNumber(500_000, 50, 10_000_000),
  body_byte_max: wholeNumber(8_000_000, 1_000, 200_000_000),
  queued_posts_max: wholeNumber(20_000, 1, 10_000_000),
  queued_posts_per_site_max: wholeNumber(10_000, 1, 10_000_000),
  listeners_max: wholeNumber(1_000, 1, 1_000_000),
  listeners_per_site_max: wholeNumber(200, 1, 200_000),
  worker_memory_mb: wholeNumber(1_500, 100, 1_000_000),
  worker_deadline_s: wholeNumber(120, 1, 86_400),
  text_cpu_s: wholeNumber(20, 1, 86_400),
  old_audio_hours: wholeNumber(24, 0, 100_000),
  unused_segment_hours: wholeNumber(168, 0, 100_000),
  quota_posts: planLimits({ starter: 50, growth: 500, enterprise: Infinity }),
  quota_events: planLimits({ starter: 10_000, growth: 100_000, enterprise: Infinity }),
  session_idle_minutes: wholeNumber(720, 1, 1_000_000),
  session_days: wholeNumber(30, 1, 10_000),
  rate_key: perMinute(60),
  rate_track: perMinute(120),
  rate_page: perMinute(60),
  rate_events: perMinute(200),
  rate_failures: perMinute(30),
  trusted_proxies: addressRanges(),
  metrics_token: text(''),
  metrics_host: text('127.0.0.1'),
  metrics_port: optional(wholeNumber(0, 0, 65_535)),
  // No fewer days than events may come late: a repeated one is known by its row.
  event_days: wholeNumber(90, 8, 3_650),
  webhook_allow: { fallback: [], parse: parseHostsAndRanges },
  // Together a day.
  webhook_retry_s: secondsList([5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 28800]),
  // A test message is waited for, and a connection idles for a minute at most.
  webhook_timeout_s: wholeNumber(15, 1, 50),
  webhook_log_days: wholeNumber(30, 1, 3_650),
  feed_allow: { fallback: [], parse: parseHostsAndRanges },
  feed_interval_minutes: wholeNumber(15, 5, 1_440),
  feed_pause_s: wholeNumber(60, 0, 3_600),
  // Somebody waits for a preview, on a connection that idles for a minute at most.
  feed_timeout_s: wholeNumber(25, 1, 40),
  feed_byte_max: wholeNumber(10_000_000, 1_000, 100_000_000),
  feed_posts_per_day: wholeNumber(200, 1, 1_000_000),
  voice_mirror: {
    fallback: 'https://huggingface.co/rhasspy/piper-voices/resolve/main',
    parse: parseMirrorUrl,
  },
  voice_trusted_keys: { fallback: [], parse: parsePaths },
} as const satisfies Record<string, Setting<unknown>>;

type SettingName = keyof typeof settings;
type Values = { [Name in SettingName]: ReturnType<(typeof settings)[Name]['parse']> };

/**
 * Reads flags, then `LECTERN_*` variables, then the config file (`{data}/lectern.toml` or `LECTERN_CONFIG`).
 * @param flags what the command line said
 * @param environment usually `process.env`
 * @throws AppError `bad_setting` naming every wrong or unknown setting, a line each
 */
export function readConfig(flags: Flags, environment = process.env): Config {
  const problems: string[] = [];
  const file = readConfigFile(flags, environment, problems);
  findUnknownSettings(environment, file, problems);
  const values = Object.fromEntries(
    settingNames().map((name) => [name, resolveSetting(name, flags, environment, file, problems)]),
  ) as Values;
  if (problems.length > 0) throw new AppError('bad_setting', problems.join('\n'));
  return toConfig(values);
}

/** Folders outside the data folder where unpacked libraries may go, best first; commands without a data folder need one. */
export function cacheFolders(environment = process.env): string[] {
  const cache = environment['XDG_CACHE_HOME'];
  if (cache?.startsWith('/')) return [join(cache, 'lectern')];
  const home = environment['HOME'];
  return home?.startsWith('/') ? [join(home, '.cache', 'lectern')] : [];
}

function toConfig(values: Values): Config {
  const data = resolve(values.data);
  return {
    data,
    maxBackups: values.backups_kept,
    host: values.host,
    port: values.port,
    baseUrl: values.base_url === '' ? undefined : values.base_url,
    isReachable: !['127.0.0.1', 'localhost', '::1'].includes(values.host),
    workers: values.workers,
    voices: values.voices === '' ? join(data, 'voices') : resolve(values.voices),
    optimizeVoices: values.compile_voices === 'on',
    logLevel: values.log_level,
    maxContentLength: values.content_length_max,
    maxBodyBytes: values.body_byte_max,
    maxQueuedPosts: values.queued_posts_max,
    maxQueuedPostsPerSite: values.queued_posts_per_site_max,
    maxListeners: values.listeners_max,
    maxListenersPerSite: values.listeners_per_site_max,
    workerMemoryMb: values.worker_memory_mb,
    workerTimeoutS: values.worker_deadline_s,
    textCpuLimitS: values.text_cpu_s,
    oldAudioRetentionHours: values.old_audio_hours,
    unusedSegmentRetentionHours: values.unused_segment_hours,
    quotaPosts: values.quota_posts,
    quotaEvents: values.quota_events,
    sessionIdleTimeoutMinutes: values.session_idle_minutes,
    maxSessionDays: values.session_days,
    rates: {
      key: values.rate_key,
      track: values.rate_track,
      page: values.rate_page,
      events: values.rate_events,
    },
    maxFailuresPerMinute: values.rate_failures,
    trustedProxies: values.trusted_proxies,
    metricsToken: values.metrics_token === '' ? undefined : values.metrics_token,
    metricsHost: values.metrics_host,
    metricsPort: values.metrics_port,
    eventRetentionDays: values.event_days,
    webhookAllowlist: values.webhook_allow,
    webhookRetryDelaysS: values.webhook_retry_s,
    webhookTimeoutS: values.webhook_timeout_s,
    webhookLogRetentionDays: values.webhook_log_days,
    feedAllowlist: values.feed_allow,
    feedIntervalMinutes: values.feed_interval_minutes,
    minFeedIntervalS: values.feed_pause_s,
    feedTimeoutS: values.feed_timeout_s,
    maxFeedBytes: values.feed_byte_max,
    maxFeedPostsPerDay: values.feed_posts_per_day,
    voiceMirror: values.voice_mirror,
    voiceTrustedKeys: values.voice_trusted_keys,
  };
}

/** The address a client on this machine reaches a server by. */
export function buildServerUrl(host: string, port: number): string {
  const named = ['0.0.0.0', '::', ''].includes(host) ? 'localhost' : host;
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

function settingNames(): SettingName[] {
  return Object.keys(settings) as SettingName[];
}

function toEnvVariable(name: string): string {
  return `LECTERN_${name.toUpperCase()}`;
}

function resolveSetting(
  name: SettingName,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  file: Record<string, unknown>,
  problems: string[],
): unknown {
  const sources: [string, unknown][] = [
    [`--${name.replaceAll('_', '-')}`, flags[name]],
    [toEnvVariable(name), environment[toEnvVariable(name)]],
    [`${name} in the config file`, file[name]],
  ];
  const found = sources.find(([, value]) => value !== undefined);
  const setting: Setting<unknown> = settings[name];
  if (found === undefined) return setting.fallback;
  const [source, value] = found;
  try {
    return setting.parse(String(value).trim());
  } catch (error) {
    const expected = error instanceof Error ? error.message : String(error);
    problems.push(`${source}: expected ${expected}, got ${JSON.stringify(value)}`);
    return setting.fallback;
  }
}

function readConfigFile(flags: Flags, environment: NodeJS.ProcessEnv, problems: string[]): Record<string, unknown> {
  const named = environment['LECTERN_CONFIG'];
  const data = flags.data ?? environment['LECTERN_DATA'] ?? settings.data.fallback;
  const path = named ?? join(data, 'lectern.toml');
  if (named === undefined && !existsSync(path)) return {};
  try {
    return Bun.TOML.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    problems.push(`config file ${path} is not valid TOML: ${reason}`);
    return {};
  }
}

function findUnknownSettings(environment: NodeJS.ProcessEnv, file: Record<string, unknown>, problems: string[]): void {
  const known = new Set(['LECTERN_CONFIG', ...settingNames().map(toEnvVariable)]);
  for (const name of Object.keys(environment)) {
    if (name.startsWith('LECTERN_') && !known.has(name)) problems.push(`${name}: unknown setting`);
  }
  for (const name of Object.keys(file)) {
    if (!Object.hasOwn(settings, name)) problems.push(`${name} in the config file: unknown setting`);
  }
}
