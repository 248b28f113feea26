import type { Command } from 'commander';
import { Elysia } from 'elysia';
import { rotateKeys } from '../auth/api-keys.ts';
import { createSetupLink } from '../auth/users.ts';
import { currentTimeMs } from '../clock.ts';
import type { Config, Flags } from '../config.ts';
import type { Database } from '../database/database.ts';
import { currentVersion } from '../database/migrate.ts';
import { AppError, operationFailed } from '../errors.ts';
import pageStyle from '../export/page.css' with { type: 'text' };
import { renderBrandHead } from '../http/brand/brand.ts';
import { getBasePath, htmlResponse, renderHtmlDocument } from '../http/html.ts';
import { assetResponse } from '../http/static-assets.ts';
import { findSite, insertSite } from '../sites/store.ts';
import { type CommonOptions, createCommand, loadConfig, withDatabase } from './command.ts';
import { createProgressBar, getIo, printResult, reportError } from './output.ts';
import { type RunningServer, startServer } from './start-server.ts';

const duplicateSignalMs = 1_000;
const stopDeadlineMs = 9_000;

/** Flags of `serve` and `demo`; their values are checked with all other settings. */
interface ServeOptions extends CommonOptions {
  readonly host?: string;
  readonly port?: string;
  readonly baseUrl?: string;
  readonly workers?: string;
}

export function serveCommand(): Command {
  return createServeCommand('serve', 'start the server').action(serve);
}

export function demoCommand(): Command {
  return createServeCommand('demo', 'start a server with a sample site, API key and article').action(demo);
}

export function speakCommand(): Command {
  return createServeCommand('speak', 'generate the posts of a PostgreSQL database beside its servers').action(speak);
}

export function migrateCommand(): Command {
  return createCommand(
    'migrate',
    'bring the schema of the database up to this version, beside running servers where they work with it',
  ).action(migrate);
}

function createServeCommand(name: string, description: string): Command {
  return createCommand(name, description)
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <port>', 'port to listen on (default 8080)')
    .option('--base-url <url>', 'public base URL')
    .option('--workers <n>', 'speech workers (default: one per core)');
}

function readServeConfig(options: ServeOptions, defaults: Flags = {}): Config {
  const { host, port, baseUrl: base_url, workers } = options;
  const flags = Object.entries({ host, port, base_url, workers }).filter(([, value]) => value !== undefined);
  return loadConfig(options, { ...defaults, ...Object.fromEntries(flags) });
}

async function serve(options: ServeOptions): Promise<void> {
  const config = readServeConfig(options);
  const server = await startServer(config);
  stopOnSignal(server, config);
  if (config.isReachable && config.baseUrl === undefined) {
    getIo().stderr.write(
      `lectern: --base-url is not set: audio URLs start with ${server.baseUrl}. Set --base-url if clients use another address.\n`,
    );
  }
  const { baseUrl, localUrl } = server;
  const setupLink = await createSetupLink(server.database, baseUrl).catch((error: unknown) => {
    // The server is running: a full disk must not stop it.
    reportError(error);
    return undefined;
  });
  const publicAddress = baseUrl === localUrl ? '' : ` (public address ${baseUrl})`;
  getIo().stdout.write(
    options.json === true
      ? `${JSON.stringify({ url: baseUrl, local_url: localUrl, setup_url: setupLink })}\n`
      : `Lectern is listening on ${localUrl}${publicAddress}\n${formatSetupHint(setupLink, config.data)}`,
  );
}

async function speak(options: ServeOptions): Promise<void> {
  const config = readServeConfig(options);
  if (config.database === undefined) {
    throw new AppError(
      'bad_setting',
      'speak needs LECTERN_DATABASE: a SQLite database has one server, which generates its posts',
    );
  }
  if (config.baseUrl === undefined) {
    throw new AppError(
      'bad_setting',
      'speak needs LECTERN_BASE_URL, the address of the servers: webhooks name the MP3s by it',
    );
  }
  const server = await startServer(config, { role: 'speak' });
  stopOnSignal(server, config);
  const { localUrl } = server;
  getIo().stdout.write(
    options.json === true
      ? `${JSON.stringify({ url: localUrl, local_url: localUrl })}\n`
      : `Lectern is listening on ${localUrl} for health and metrics, and generates posts\n`,
  );
}

/** Opening the database migrates it. */
async function migrate(options: CommonOptions): Promise<void> {
  await withDatabase(options, async () => {
    printResult(options.json, { schema: currentVersion }, () => `The database has schema ${currentVersion}.`);
  });
}

/** Printed on the terminal only: the link is a secret. */
function formatSetupHint(setupLink: string | undefined, data: string): string {
  if (setupLink === undefined) return '';
  return `No admin account. Open ${setupLink} within 24 hours, or run: lectern user create --data ${data} --role admin --email YOU\n`;
}

/**
 * The first signal stops cleanly, a later one at once.
 * @returns aborted as soon as the server begins to stop
 */
function stopOnSignal(server: RunningServer, { stopDelayS }: Config): AbortSignal {
  const stopping = new AbortController();
  let since = 0;
  const stop = (): void => {
    if (stopping.signal.aborted) {
      // One Ctrl-C may arrive twice: from the terminal and from the parent process.
      if (performance.now() - since > duplicateSignalMs) process.exit(1);
      return;
    }
    stopping.abort();
    since = performance.now();
    // After that the next start continues from the database.
    setTimeout(() => process.exit(0), stopDelayS * 1_000 + stopDeadlineMs);
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => process.exit(reportError(error)),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return stopping.signal;
}

/** The article of `lectern demo`, as a CMS would send it: with content to read and boilerplate to exclude. */
export const demoArticle = {
  title: 'Harbor town reopens its lighthouse after 12 years',
  url: 'http://localhost/news/lighthouse-reopens',
  content: `<article>
<nav><a href="#news">News</a> <a href="#harbor">Harbor</a> <a href="#weather">Weather</a></nav>
<p>The lighthouse of Port Ellery opened its doors again on Saturday, March 14, 2026, twelve years after a winter storm
tore the roof off its lantern room. More than 1,800 people climbed the 211 steps on the first day, and by 3:30 p.m. the
line reached all the way to the fish market.</p>
<p>&ldquo;I came here with my grandfather when I was six,&rdquo; said Dr. Maria Alvarez, who teaches history at the
local college. &ldquo;You could see the whole bay, and he knew the name of every boat. I wanted my own children to stand
up there once.&rdquo;</p>
<h2>A repair nobody wanted to pay for</h2>
<p>For years it looked as if that would never happen. The first estimate, made in 2015, put the work at $4.6 million.
The county offered half. The state said no, twice. Then, in the spring of 2022, a group of retired shipbuilders began to
repair the staircase themselves, one step each weekend.</p>
<p>Their work changed the mood in town. A bakery sold bread in the shape of the tower; a school choir sang in the rain.
Within eighteen months the fund held $2.1 million, about 70% of it in gifts of less than $50. The state changed its mind,
and so did the insurance company.</p>
<figure><img src="demo/tower.svg" alt=""><figcaption>The tower on opening day. Photo: J. Lind</figcaption></figure>
<h2>What visitors will find</h2>
<p>The tower is open from Tuesday to Sunday. Three things are new:</p>
<ul>
<li>a lift to the second floor, for those who cannot take the stairs;</li>
<li>a small museum about the 1913 wreck of the <em>Eleanor</em>;</li>
<li>a telescope that shows the islands, 14 miles away.</li>
</ul>
<p>Tickets cost $6 for adults and nothing for children under 12. The old lamp, built in Paris in 1871, still works. It
will be lit on the first Friday of each month, at nine o&rsquo;clock in the evening.</p>
<blockquote><p>A lighthouse is a promise that somebody is awake. We are glad to keep it again.</p></blockquote>
<p>So reads the new plaque beside the door. Who wrote it? Nobody in Port Ellery will say. The shipbuilders, at least, are
not finished: next year they want to mend the keeper&rsquo;s garden, and after that, perhaps, the pier. &ldquo;We have
time,&rdquo; said Tom Okafor, 74, who laid the last step in January. &ldquo;We are only getting started.&rdquo;</p>
<script type="application/ld+json">{"@type": "NewsArticle"}</script>
</article>`,
};

const tower = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 300" role="img" aria-label="A lighthouse at dusk">
  <defs>
    <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="#1d3a5c"/>
      <stop offset="0.6" stop-color="#8a6f8f"/>
      <stop offset="1" stop-color="#f0b98a"/>
    </linearGradient>
    <linearGradient id="beam" x1="1" y1="0" x2="0" y2="0">
      <stop offset="0" stop-color="#fff3c4" stop-opacity="0.85"/>
      <stop offset="1" stop-color="#fff3c4" stop-opacity="0"/>
    </linearGradient>
  </defs>
  <rect width="640" height="300" fill="url(#sky)"/>
  <path d="M0 60 L424 92 L0 150 Z" fill="url(#beam)"/>
  <path d="M0 238 Q160 226 320 238 T640 238 V300 H0 Z" fill="#27425a"/>
  <path d="M0 256 Q160 246 320 256 T640 256 V300 H0 Z" fill="#1c3347"/>
  <path d="M360 262 Q420 214 500 222 Q580 228 640 214 V300 H350 Z" fill="#2b2a33"/>
  <path d="M420 224 L430 112 H458 L468 224 Z" fill="#f4efe6"/>
  <path d="M423.600 184 L426.800 148 H461.200 L464.400 184 Z" fill="#b5483f"/>
  <rect x="424" y="104" width="40" height="8" fill="#2b2a33"/>
  <rect x="432" y="82" width="24" height="22" fill="#ffe9a8"/>
  <path d="M428 82 L444 66 L460 82 Z" fill="#b5483f"/>
  <rect x="438" y="204" width="12" height="20" rx="6" fill="#2b2a33"/>
</svg>`;

const pageStyleAsset = { content: pageStyle, type: 'text/css; charset=utf-8' };
const towerAsset = { content: tower, type: 'image/svg+xml' };

/** The article with the player. @param postId of its post */
function createDemoRoutes(postId: string) {
  return (baseUrl: string) => {
    const page = renderDemoPage(getBasePath(baseUrl), postId);
    return new Elysia({ name: 'demo' })
      .get('/demo', () => htmlResponse(page))
      .get('/demo/page.css', ({ request }) => assetResponse(request, pageStyleAsset))
      .get('/demo/tower.svg', ({ request }) => assetResponse(request, towerAsset));
  };
}

function renderDemoPage(basePath: string, postId: string): string {
  return renderHtmlDocument({
    language: 'en',
    title: demoArticle.title,
    head: [
      ...renderBrandHead(basePath),
      `<link rel="stylesheet" href="${basePath}/assets/tokens.css">`,
      `<link rel="stylesheet" href="${basePath}/demo/page.css">`,
      `<script async src="${basePath}/v1/public/player.js"></script>`,
    ],
    body: `<header><span>Sample site: reader view</span> <a href="${basePath}/">Dashboard</a></header>
<main>
<h1>${demoArticle.title}</h1>
<lectern-player post-id="${postId}" domain="localhost" sticky></lectern-player>
${demoArticle.content}
</main>`,
  });
}

const demoSlug = 'lectern-demo';
/** Grows with each poll, so that a minute's polls stay below the rate limit of a key. */
const pollIntervalMs = { first: 200, growth: 1.1, max: 3_000 };
const demoTimeoutMs = 120_000;

/** The members of an audio record that the demo shows. */
interface AudioRecordResponse {
  readonly status: string;
  readonly progress_percent: number;
  readonly audio_url: string | null;
  readonly duration_seconds: number | null;
  readonly error?: string;
}

async function demo(options: ServeOptions): Promise<void> {
  const config = readServeConfig(options, { log_level: 'warn' });
  const postId = `lighthouse-${currentTimeMs().toString(36)}`;
  const server = await startServer(config, { morePages: createDemoRoutes(postId) });
  const stopping = stopOnSignal(server, config);
  try {
    await runDemo(server, postId, options);
  } catch (error) {
    // The server is stopping: missing responses are no failure.
    if (stopping.aborted) return;
    await server.stop();
    throw error;
  }
}

async function runDemo(server: RunningServer, postId: string, options: ServeOptions): Promise<void> {
  const say = (line = ''): boolean => getIo().stdout.write(`${line}\n`);
  if (options.json !== true) say(`Lectern is listening on ${server.localUrl}`);
  const key = await createDemoKey(server.database);
  const words = demoArticle.content.replace(/<[^>]*>/g, ' ').match(/\S+/g)?.length ?? 0;
  const generate = `${server.localUrl}/v1/audio/generate`;
  if (options.json !== true) {
    say(`Sample site "${demoSlug}" is ready. POST ${generate}`);
    say(`  post_id "${postId}": "${demoArticle.title}", ${words} words`);
  }

  const started = performance.now();
  await requestRecord(generate, key, {
    post_id: postId,
    post_title: demoArticle.title,
    post_url: demoArticle.url,
    content: demoArticle.content,
  });
  const status = `${server.localUrl}/v1/audio/${postId}/status`;
  const record = await pollUntilDone(status, key);
  const seconds = (performance.now() - started) / 1000;
  if (record.status !== 'ready') {
    throw operationFailed(`Generating the sample failed: ${record.error ?? record.status}`);
  }
  if (options.json === true) {
    say(JSON.stringify({ url: server.baseUrl, key, post_id: postId, ...record, took_seconds: seconds }));
    return;
  }
  say(`status    ${record.status}`);
  say(`MP3       ${record.audio_url}`);
  say(`duration  ${record.duration_seconds} s of speech, generated in ${seconds.toFixed(1)} s`);
  say();
  say(`Reader view:  ${server.baseUrl}/demo`);
  say(`Dashboard:    ${(await createSetupLink(server.database, server.baseUrl)) ?? server.baseUrl}`);
  say('Query the status as a CMS would:');
  say(`  curl -H 'X-API-Key: ${key}' ${status}`);
  say('Press Ctrl-C to stop.');
}

/** Creates the sample site at the first demo, and a new key each time: keys are not stored. */
async function createDemoKey(database: Database): Promise<string> {
  return database.write('server', async (db) => {
    const site = await findSite(db, demoSlug).catch(() =>
      insertSite(db, { name: 'Lectern demo', domains: ['localhost'], plan: 'enterprise', trial_ends_at: null }),
    );
    const { key } = await rotateKeys(db, null, site.id, 'demo');
    return key;
  });
}

async function pollUntilDone(status: string, key: string): Promise<AudioRecordResponse> {
  const bar = createProgressBar();
  const deadline = performance.now() + demoTimeoutMs;
  for (let pauseMs = pollIntervalMs.first; performance.now() < deadline; ) {
    const record = await requestRecord(status, key);
    bar.show(record.progress_percent / 100, record.status);
    if (record.status === 'ready' || record.status === 'failed') {
      bar.finish();
      return record;
    }
    await Bun.sleep(pauseMs);
    pauseMs = Math.min(pauseMs * pollIntervalMs.growth, pollIntervalMs.max);
  }
  throw operationFailed(`Generating the sample timed out after ${demoTimeoutMs / 1_000} s. Run: lectern check`);
}

async function requestRecord(url: string, key: string, body?: unknown): Promise<AudioRecordResponse> {
  const response = await fetch(url, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw operationFailed(`Connecting to ${url} failed: ${error.message}. Check that the loopback interface is up.`);
  });
  if (response.status === 429) {
    await Bun.sleep(Number(response.headers.get('retry-after')) * 1000);
    return requestRecord(url, key, body);
  }
  const { data, message } = (await response.json()) as { data?: AudioRecordResponse; message: string };
  if (data === undefined) throw operationFailed(`Request failed: ${message}`);
  return data;
}
