import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { buildArticle, buildLongArticle } from '../api/articles.ts';
import { launchBrowser } from '../fixtures/browser.ts';
import { holdWorkersDuring } from '../fixtures/held-workers.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';

let server: PublicSite;
let web: ReturnType<typeof Bun.serve>;
let browser: Browser;

beforeAll(async () => {
  server = await startPublicSite(['news.example', 'bücher.example']);
  await server.generate({ post_id: 'read', content: buildArticle('a page that is read') });
  await server.waitUntilFinished('read');
  // One web server for all hosts.
  web = Bun.serve({
    port: 0,
    fetch: () =>
      new Response('<!doctype html><title>Article</title>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await web?.stop(true);
  await server?.stop();
});

async function openPage(host: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://${host}:${web.port}/`);
  return page;
}

interface Init {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The result of a request that a script of the page can read. */
async function fetchInPage(page: Page, path: string, init: Init = {}) {
  const address = `http://audio.example:${new URL(server.url).port}/v1/public/${path}`;
  return page.evaluate(
    async ([address, init]) => {
      try {
        const response = await fetch(address, init);
        const { message } = (await response.json()) as { message: string };
        return {
          status: response.status,
          message,
          etag: response.headers.get('etag'),
          limit: response.headers.get('x-ratelimit-limit'),
          // Not an exposed header: the browser hides it.
          hidden: response.headers.get('x-request-id'),
        };
      } catch (error) {
        return { blocked: error instanceof TypeError };
      }
    },
    [address, init] as const,
  );
}

const status = 'audio/status?domain=news.example&post_id=read';
/** A header that requires a preflight. */
const conditional = { headers: { 'if-none-match': '"something else"' } };
const blocked = { blocked: true };

describe.each(['news.example', 'bücher.example'])('a page of the site, %s', (host) => {
  test('reads responses with the exposed headers', async () => {
    const page = await openPage(host);
    const response = await fetchInPage(page, status);
    expect(response).toMatchObject({ status: 200, message: 'OK', hidden: null });
    expect(response.etag).toMatch(/^".+"$/);
    expect(Number(response.limit)).toBeGreaterThan(0);
    expect(await fetchInPage(page, status, conditional)).toMatchObject({ status: 200 });
    await page.close();
  });

  test('sends events', async () => {
    const page = await openPage(host);
    const event = { type: 'play', post_id: 'read' };
    const init = { method: 'POST', body: JSON.stringify({ domain: 'news.example', ...event }) };
    const json = { ...init, headers: { 'content-type': 'application/json' } };
    expect(await fetchInPage(page, 'events', json)).toMatchObject({ status: 202 });
    expect(await fetchInPage(page, 'events', init)).toMatchObject({ status: 202 });
    await page.close();
  });

  test('reads errors', async () => {
    const page = await openPage(host);
    const nothing = await fetchInPage(page, 'audio?domain=news.example&post_id=nothing');
    expect(nothing).toMatchObject({ status: 404, message: 'Post not found' });
    const anonymous = await fetchInPage(page, 'audio?domain=nobody.example&post_id=read', conditional);
    expect(anonymous).toMatchObject({ status: 404, message: 'Unknown domain' });
    await page.close();
  });
});

test('a page of another site can read neither responses nor errors', async () => {
  const page = await openPage('other.example');
  expect(await fetchInPage(page, status)).toEqual(blocked);
  expect(await fetchInPage(page, status, conditional)).toEqual(blocked);
  expect(await fetchInPage(page, 'voices?domain=news.example')).toEqual(blocked);
  expect(await fetchInPage(page, 'audio?domain=news.example&post_id=nothing')).toEqual(blocked);
  await page.close();
});

test('a frame without an origin in a page of the site can read nothing either', async () => {
  const page = await openPage('news.example');
  await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<p>framed"></iframe>');
  const frame = page.frames().at(-1);
  if (frame === undefined || frame === page.mainFrame()) throw new Error('no frame');
  const address = `http://audio.example:${new URL(server.url).port}/v1/public/${status}`;
  const read = await frame.evaluate(
    (address) =>
      fetch(address).then(
        () => 'read',
        () => 'blocked',
      ),
    address,
  );
  expect(read).toBe('blocked');
  await page.close();
});

test('Chromium plays a post in synthesis', async () => {
  await server.generate({ post_id: 'live', content: buildLongArticle('a live post') });
  // Chromium plays no live stream before it has some seconds of it.
  const release = await holdWorkersDuring(server, 'live', 20);
  const page = await openPage('news.example');
  const address = `${server.url}/v1/public/audio/stream?domain=news.example&post_id=live`;
  await page.evaluate(async (address) => {
    const audio = new Audio(address);
    document.body.append(audio);
    await audio.play();
    await new Promise<void>((resolve) => {
      audio.ontimeupdate = () => {
        if (audio.currentTime > 0.5) resolve();
      };
    });
  }, address);
  expect((await server.status('live')).status).toBe('generating');
  release();
  await page.close();
});
