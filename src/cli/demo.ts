import type { Command } from 'commander';
import { Elysia } from 'elysia';
import { rotateKeys } from '../auth/api-keys.ts';
import { createSetupLink } from '../auth/users.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { basePathOf, htmlDocument, noIcon, pageAnswer } from '../http/html.ts';
import { assetAnswer } from '../http/static-assets.ts';
import { findSite, insertSite } from '../sites/store.ts';
import { command } from './commands.ts';
import pageStyle from './demo/page.css' with { type: 'text' };
import { demoArticle } from './demo-article.ts';
import { progressBar } from './output.ts';
import { type ServeOptions, serveFlags, stopOnSignal, withServeOptions } from './serve.ts';
import type { RunningServer } from './start-server.ts';
import tower from './tower.svg' with { type: 'text' };

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };
const picture = { content: tower, type: 'image/svg+xml' };

/**
 * The article as its readers would see it, with the player. It stands only where `lectern demo` runs.
 * @param postId of the post that is made of it
 */
function demoPage(postId: string) {
  return (baseUrl: string) => {
    const page = pageOf(basePathOf(baseUrl), postId);
    return new Elysia({ name: 'demo' })
      .get('/demo', () => pageAnswer(page))
      .get('/demo/page.css', ({ request }) => assetAnswer(request, style))
      .get('/demo/tower.svg', ({ request }) => assetAnswer(request, picture));
  };
}

function pageOf(basePath: string, postId: string): string {
  return htmlDocument({
    language: 'en',
    title: demoArticle.title,
    head: [
      noIcon,
      `<link rel="stylesheet" href="${basePath}/demo/page.css">`,
      `<script async src="${basePath}/v1/public/player.js"></script>`,
    ],
    body: `<header><span>A page of the sample site, as its readers see it</span> <a href="${basePath}/">The dashboard</a></header>
<main>
<h1>${demoArticle.title}</h1>
<lectern-player post-id="${postId}" domain="localhost" sticky></lectern-player>
${demoArticle.content}
</main>`,
  });
}

const demoSlug = 'lectern-demo';
/** A minute's polls stay below what a key may ask: the pause grows with each. */
const pollPauseMs = { first: 200, growth: 1.1, most: 3_000 };
const patienceMs = 120_000;

/** `lectern demo` */
export function demoCommand(): Command {
  return withServeOptions(
    command('demo', 'sample site, key and article, then serves: to see the whole thing once'),
  ).action(demo);
}

/** The audio record of an answer, as far as the demo shows it. */
interface ShownRecord {
  readonly status: string;
  readonly progress_percent: number;
  readonly audio_url: string | null;
  readonly duration_seconds: number | null;
  readonly error?: string;
}

async function demo(options: ServeOptions): Promise<void> {
  const config = readConfig({ log_level: 'warn', ...serveFlags(options) });
  const { startServer } = await import('./start-server.ts');
  const postId = `lighthouse-${Date.now().toString(36)}`;
  const server = await startServer(config, demoPage(postId));
  const stopping = stopOnSignal(server);
  try {
    await present(server, postId, options);
  } catch (error) {
    // The server is going: that its answers stay away is nobody's failure.
    if (stopping.aborted) return;
    await server.stop();
    throw error;
  }
}

async function present(
  server: RunningServer,
  postId: string,
  options: ServeOptions,
): Promise<void> {
  const say = (line = ''): boolean => process.stdout.write(`${line}\n`);
  if (options.json !== true) say(`Lectern listens on ${server.localUrl}`);
  const key = await demoKey(server.database);
  const words = demoArticle.content.replace(/<[^>]*>/g, ' ').match(/\S+/g)?.length ?? 0;
  const generate = `${server.localUrl}/v1/audio/generate`;
  if (options.json !== true) {
    say(`Sample site "${demoSlug}" is ready. POST ${generate}`);
    say(`  post_id "${postId}": "${demoArticle.title}", ${words} words`);
  }

  const started = performance.now();
  await ask(generate, key, {
    post_id: postId,
    post_title: demoArticle.title,
    post_url: demoArticle.url,
    content: demoArticle.content,
  });
  const status = `${server.localUrl}/v1/audio/${postId}/status`;
  const record = await follow(status, key);
  const seconds = (performance.now() - started) / 1000;
  if (record.status !== 'ready') {
    throw new AppError('operation_failed', `The sample failed: ${record.error ?? record.status}`);
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
  say(`duration  ${record.duration_seconds} s of speech, made in ${seconds.toFixed(1)} s`);
  say();
  say(`Read and hear it as its readers do:  ${server.baseUrl}/demo`);
  say(
    `The dashboard:  ${(await createSetupLink(server.database, server.baseUrl)) ?? server.baseUrl}`,
  );
  say('Or ask for the status as a CMS would:');
  say(`  curl -H 'X-API-Key: ${key}' ${status}`);
  say('Serving until Ctrl-C.');
}

/** The sample site, made at the first demo, with a fresh key each time: keys are not stored. */
async function demoKey(database: Database): Promise<string> {
  return database.write(async (db) => {
    const site = await findSite(db, demoSlug).catch(() =>
      insertSite(db, {
        name: 'Lectern demo',
        domains: ['localhost'],
        plan: 'enterprise',
        trialEndsAt: null,
      }),
    );
    const { key } = await rotateKeys(db, site.id, 'demo');
    return key;
  });
}

async function follow(status: string, key: string): Promise<ShownRecord> {
  const bar = progressBar();
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = pollPauseMs.first; performance.now() < deadline; ) {
    const record = await ask(status, key);
    bar.show(record.progress_percent / 100, record.status);
    if (record.status === 'ready' || record.status === 'failed') {
      bar.done();
      return record;
    }
    await Bun.sleep(pauseMs);
    pauseMs = Math.min(pauseMs * pollPauseMs.growth, pollPauseMs.most);
  }
  throw new AppError('operation_failed', 'The sample is not ready in time');
}

async function ask(url: string, key: string, body?: unknown): Promise<ShownRecord> {
  const answer = await fetch(url, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new AppError(
      'operation_failed',
      `${url} can't be reached from this machine (${error.message}). Is its loopback interface up?`,
    );
  });
  if (answer.status === 429) {
    await Bun.sleep(Number(answer.headers.get('retry-after')) * 1000);
    return ask(url, key, body);
  }
  const { data, message } = (await answer.json()) as { data?: ShownRecord; message: string };
  if (data === undefined) throw new AppError('operation_failed', `The server answers: ${message}`);
  return data;
}
