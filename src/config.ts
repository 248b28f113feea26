import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from './errors.ts';
import type { AddressRange } from './setting.ts';
import {
  addressRanges,
  choice,
  hostsAndRanges,
  optional,
  type PlanFigures,
  paths,
  perMinute,
  planFigures,
  readMirror,
  type Setting,
  secondsList,
  text,
  webAddress,
  wholeNumber,
} from './setting.ts';

/** Everything the program can be told. Nothing else reads the environment. */
export interface Config {
  /** Folder of database, dropped-in voices and unpacked libraries. */
  readonly data: string;
  /** How many backups made by the server itself are kept. */
  readonly backupsKept: number;
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
  readonly compileVoices: boolean;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Longest content of a post, in code points. */
  readonly contentLengthMax: number;
  readonly bodyByteMax: number;
  readonly queuedPostsMax: number;
  readonly queuedPostsPerSiteMax: number;
  /** Who listen at once to posts that are being made. */
  readonly listenersMax: number;
  readonly listenersPerSiteMax: number;
  readonly workerMemoryMb: number;
  readonly workerDeadlineS: number;
  /** CPU seconds that a worker may use for a task on text. */
  readonly textCpuS: number;
  /** How long the MP3 of an older version stays served. */
  readonly oldAudioHours: number;
  /** How long a sentence that no audio uses is kept for reuse. */
  readonly unusedSegmentHours: number;
  /** New English posts a month. */
  readonly quotaPosts: PlanFigures;
  /** Events a month; public and keyed ones each have as many. */
  readonly quotaEvents: PlanFigures;
  /** Requests a minute: by key, by key for keyed events, by domain for public pages and events. */
  readonly rates: Readonly<Record<'key' | 'track' | 'page' | 'events', number>>;
  /** Wrong keys, and failed sign-ins, a minute and address. */
  readonly failuresPerMinute: number;
  /** Our own proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly AddressRange[];
  /** What a reader of /metrics must show; undefined: nothing. */
  readonly metricsToken: string | undefined;
  /** Where /metrics answers alone; a port of undefined: beside everything else. */
  readonly metricsHost: string;
  readonly metricsPort: number | undefined;
  /** How long single events are kept; their daily figures stay. */
  readonly eventDays: number;
  /** How long a session lives without a request. */
  readonly sessionIdleMinutes: number;
  /** How long it lives at most. */
  readonly sessionDays: number;
  /** Host names, addresses and CIDR ranges that webhooks may go to although they are private, by http too. */
  readonly webhookAllow: readonly string[];
  /** Pauses before each further attempt of a webhook, in seconds. */
  readonly webhookRetryS: readonly number[];
  readonly webhookTimeoutS: number;
  /** How long the delivery log keeps what is settled. */
  readonly webhookLogDays: number;
  /** Host names, addresses and CIDR ranges whose feeds may be fetched although they are private. */
  readonly feedAllow: readonly string[];
  /** How often a feed is fetched that says nothing of it itself. */
  readonly feedIntervalMinutes: number;
  /** Shortest time between two fetches of a feed, whoever asks for them. */
  readonly feedPauseS: number;
  readonly feedTimeoutS: number;
  readonly feedByteMax: number;
  /** Posts a day that one feed may bring. */
  readonly feedPostsPerDay: number;
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
  base_url: { fallback: '', parse: webAddress },
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
  quota_posts: planFigures({ starter: 50, growth: 500, enterprise: Infinity }),
  quota_events: planFigures({ starter: 10_000, growth: 100_000, enterprise: Infinity }),
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
  webhook_allow: { fallback: [], parse: hostsAndRanges },
  // Together a day.
  webhook_retry_s: secondsList([5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 28800]),
  // A test message is waited for, and a connection idles for a minute at most.
  webhook_timeout_s: wholeNumber(15, 1, 50),
  webhook_log_days: wholeNumber(30, 1, 3_650),
  feed_allow: { fallback: [], parse: hostsAndRanges },
  feed_interval_minutes: wholeNumber(15, 5, 1_440),
  feed_pause_s: wholeNumber(60, 0, 3_600),
  // Somebody waits for a preview, on a connection that idles for a minute at most.
  feed_timeout_s: wholeNumber(25, 1, 40),
  feed_byte_max: wholeNumber(10_000_000, 1_000, 100_000_000),
  feed_posts_per_day: wholeNumber(200, 1, 1_000_000),
  voice_mirror: {
    fallback: 'https://huggingface.co/rhasspy/piper-voices/resolve/main',
    parse: readMirror,
  },
  voice_trusted_keys: { fallback: [], parse: paths },
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
  const file = readFile(flags, environment, problems);
  findUnknown(environment, file, problems);
  const values = Object.fromEntries(
    settingNames().map((name) => [name, readSetting(name, flags, environment, file, problems)]),
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
    backupsKept: values.backups_kept,
    host: values.host,
    port: values.port,
    baseUrl: values.base_url === '' ? undefined : values.base_url,
    isReachable: !['127.0.0.1', 'localhost', '::1'].includes(values.host),
    workers: values.workers,
    voices: values.voices === '' ? join(data, 'voices') : resolve(values.voices),
    compileVoices: values.compile_voices === 'on',
    logLevel: values.log_level,
    contentLengthMax: values.content_length_max,
    bodyByteMax: values.body_byte_max,
    queuedPostsMax: values.queued_posts_max,
    queuedPostsPerSiteMax: values.queued_posts_per_site_max,
    listenersMax: values.listeners_max,
    listenersPerSiteMax: values.listeners_per_site_max,
    workerMemoryMb: values.worker_memory_mb,
    workerDeadlineS: values.worker_deadline_s,
    textCpuS: values.text_cpu_s,
    oldAudioHours: values.old_audio_hours,
    unusedSegmentHours: values.unused_segment_hours,
    quotaPosts: values.quota_posts,
    quotaEvents: values.quota_events,
    sessionIdleMinutes: values.session_idle_minutes,
    sessionDays: values.session_days,
    rates: {
      key: values.rate_key,
      track: values.rate_track,
      page: values.rate_page,
      events: values.rate_events,
    },
    failuresPerMinute: values.rate_failures,
    trustedProxies: values.trusted_proxies,
    metricsToken: values.metrics_token === '' ? undefined : values.metrics_token,
    metricsHost: values.metrics_host,
    metricsPort: values.metrics_port,
    eventDays: values.event_days,
    webhookAllow: values.webhook_allow,
    webhookRetryS: values.webhook_retry_s,
    webhookTimeoutS: values.webhook_timeout_s,
    webhookLogDays: values.webhook_log_days,
    feedAllow: values.feed_allow,
    feedIntervalMinutes: values.feed_interval_minutes,
    feedPauseS: values.feed_pause_s,
    feedTimeoutS: values.feed_timeout_s,
    feedByteMax: values.feed_byte_max,
    feedPostsPerDay: values.feed_posts_per_day,
    voiceMirror: values.voice_mirror,
    voiceTrustedKeys: values.voice_trusted_keys,
  };
}

/** The address a client on this machine reaches a server by. */
export function addressOf(host: string, port: number): string {
  const named = ['0.0.0.0', '::', ''].includes(host) ? 'localhost' : host;
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

function settingNames(): SettingName[] {
  return Object.keys(settings) as SettingName[];
}

function variableOf(name: string): string {
  return `LECTERN_${name.toUpperCase()}`;
}

function readSetting(
  name: SettingName,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  file: Record<string, unknown>,
  problems: string[],
): unknown {
  const sources: [string, unknown][] = [
    [`--${name.replaceAll('_', '-')}`, flags[name]],
    [variableOf(name), environment[variableOf(name)]],
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

function readFile(
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  problems: string[],
): Record<string, unknown> {
  const named = environment['LECTERN_CONFIG'];
  const data = flags.data ?? environment['LECTERN_DATA'] ?? settings.data.fallback;
  const path = named ?? join(data, 'lectern.toml');
  if (named === undefined && !existsSync(path)) return {};
  try {
    return Bun.TOML.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    problems.push(`the config file ${path}: ${reason}`);
    return {};
  }
}

function findUnknown(
  environment: NodeJS.ProcessEnv,
  file: Record<string, unknown>,
  problems: string[],
): void {
  const known = new Set(['LECTERN_CONFIG', ...settingNames().map(variableOf)]);
  for (const name of Object.keys(environment)) {
    if (name.startsWith('LECTERN_') && !known.has(name)) problems.push(`${name}: no such setting`);
  }
  for (const name of Object.keys(file)) {
    if (!Object.hasOwn(settings, name))
      problems.push(`${name} in the config file: no such setting`);
  }
}
