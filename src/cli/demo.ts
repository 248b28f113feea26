import type { Command } from 'commander';
import { Elysia } from 'elysia';
import { replaceKeyRows } from '../auth/api-keys.ts';
import { createSetupLink } from '../auth/users.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { emptyIconLink, getBasePath, htmlResponse, renderHtmlDocument } from '../http/html.ts';
import { assetResponse } from '../http/static-assets.ts';
import { findSite, insertSite } from '../sites/store.ts';
import { createCommand } from './commands.ts';
import pageStyle from './demo/page.css' with { type: 'text' };
import { demoArticle } from './demo-article.ts';
import { createProgressBar, getIo } from './output.ts';
import { addServeOptions, buildServeFlags, type ServeOptions, stopOnSignal } from './serve.ts';
import type { RunningServer } from './start-server.ts';
import tower from './tower.svg' with { type: 'text' };

const pageStyleAsset = { content: pageStyle, type: 'text/css; charset=utf-8' };
const towerAsset = { content: tower, type: 'image/svg+xml' };

/**
 * The article as its readers would see it, with the player. It stands only where `lectern demo` runs.
 * @param postId of the post that is made of it
 */
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
      emptyIconLink,
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
/** A minute's polls stay below what a key may ask: the pause grows with each. */
const pollIntervalMs = { first: 200, growth: 1.1, most: 3_000 };
const demoTimeoutMs = 120_000;

/** `lectern demo` */
export function demoCommand(): Command {
  return addServeOptions(createCommand('demo', 'start a server with a sample site, API key and article')).action(demo);
}

/** The audio record of an answer, as far as the demo shows it. */
interface AudioRecordResponse {
  readonly status: string;
  readonly progress_percent: number;
  readonly audio_url: string | null;
  readonly duration_seconds: number | null;
  readonly error?: string;
}

async function demo(options: ServeOptions): Promise<void> {
  const config = readConfig({ log_level: 'warn', ...buildServeFlags(options) }, getIo().env);
  const { startServer } = await import('./start-server.ts');
  const postId = `lighthouse-${Date.now().toString(36)}`;
  const server = await startServer(config, createDemoRoutes(postId));
  const stopping = stopOnSignal(server);
  try {
    await runDemo(server, postId, options);
  } catch (error) {
    // The server is going: that its answers stay away is nobody's failure.
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
    throw new AppError('operation_failed', `Generating the sample failed: ${record.error ?? record.status}`);
  }
  if (options.json === true) {
    say(
      JSON.stringify({
        url: server.baseUrl,
        key,
        post_id: postId,
        ...record,
        took_seconds: seconds,
      }),
    );
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

/** The sample site, made at the first demo, with a fresh key each time: keys are not stored. */
async function createDemoKey(database: Database): Promise<string> {
  return database.write(async (db) => {
    const site = await findSite(db, demoSlug).catch(() =>
      insertSite(db, {
        name: 'Lectern demo',
        domains: ['localhost'],
        plan: 'enterprise',
        trial_ends_at: null,
      }),
    );
    const { key } = await replaceKeyRows(db, site.id, 'demo');
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
    pauseMs = Math.min(pauseMs * pollIntervalMs.growth, pollIntervalMs.most);
  }
  throw new AppError(
    'operation_failed',
    `Generating the sample timed out after ${demoTimeoutMs / 1_000} s. Run: lectern check`,
  );
}

async function requestRecord(url: string, key: string, body?: unknown): Promise<AudioRecordResponse> {
  const answer = await fetch(url, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new AppError(
      'operation_failed',
      `Connecting to ${url} failed: ${error.message}. Check that the loopback interface is up.`,
    );
  });
  if (answer.status === 429) {
    await Bun.sleep(Number(answer.headers.get('retry-after')) * 1000);
    return requestRecord(url, key, body);
  }
  const { data, message } = (await answer.json()) as {
    data?: AudioRecordResponse;
    message: string;
  };
  if (data === undefined) throw new AppError('operation_failed', `Request failed: ${message}`);
  return data;
}
