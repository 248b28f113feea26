import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startPublicSite } from '../fixtures/public-site.ts';
import { selectCases } from '../fixtures/scale.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { noteMarks } from './transient.ts';

const title = 'The “lighthouse” & <its> keeper';
const folder = join(createTemporaryFolder(), 'a folder');

let browser: Browser;
let web: ReturnType<typeof Bun.serve>;
let feed: string;

beforeAll(async () => {
  const site = await startPublicSite(['www.news.example']);
  await site.generate({
    ...{ post_id: '../a/1 🦊', post_title: title, post_url: 'https://www.news.example/a' },
    content:
      '<p>The lighthouse is open again, after twelve years.</p><h2>What is new</h2><p>A lift was built for those who cannot climb. So was a caf&eacute; &amp; a shop.</p><ul><li>It opens on Monday.</li><li>It closes on Friday.</li></ul><blockquote>We are glad to keep it.</blockquote>',
  });
  await site.waitUntilFinished('../a/1 🦊');
  await site.generate({
    post_id: 'two',
    post_title: '\u0007\ufffe]]>',
    content: `<p>${'A second one is here. '.repeat(4)}${'Donaudampfschiff'.repeat(8)} is long.</p>`,
  });
  await site.waitUntilFinished('two');
  await site.runLectern('export', folder, '--site', '1', '--base-url', 'https://static.example/audio');
  feed = await (await site.open('feed.xml?domain=www.news.example')).text();
  await site.stop();
  web = Bun.serve({
    port: 0,
    fetch: async ({ url }) => {
      const path = decodeURIComponent(new URL(url).pathname).replace(/\/$/, '/index.html');
      // The strictest policy that the folder must support.
      const headers = { 'content-security-policy': "default-src 'self'" };
      const file = Bun.file(join(folder, path));
      if (!(await file.exists())) return new Response('Not found', { status: 404 });
      return new Response(file, { headers });
    },
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await web?.stop(true);
});

/** A page with its requests and console errors. */
async function open(address: string, options: BrowserContextOptions = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const isOurs = !message.location().url.endsWith('/favicon.ico');
    if (['error', 'warning'].includes(message.type()) && isOurs) complaints.push(message.text());
  });
  await page.goto(address);
  return { page, requests, complaints };
}

function getPosition(page: Page): Promise<number> {
  return page.evaluate(() => {
    const slider = document
      .querySelector('lectern-player')
      ?.shadowRoot?.querySelector<HTMLInputElement>('input[type=range]');
    return Number(slider?.value ?? 0);
  });
}

const places: [string, () => string][] = [
  ['a bare web server', () => `${web.url.href}index.html`],
  ['the folder itself', () => pathToFileURL(join(folder, 'index.html')).href],
];

describe.each(selectCases(places))('an exported folder, opened from %s', (_, address) => {
  test('lists its posts, plays one, and sends no other requests', async () => {
    const { page, requests, complaints } = await open(address());
    await page.getByRole('link', { name: title }).click();
    await page.waitForURL(/\/posts?\//);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(title);
    expect(await page.locator('article').textContent()).toContain(
      'A lift was built for those who cannot climb. So was a café & a shop.',
    );
    expect(await page.locator('article li').allTextContents()).toEqual(['It opens on Monday.', 'It closes on Friday.']);

    const marks = await noteMarks(page);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await eventually(async () => (await getPosition(page)) > 0, 'a position in the audio');

    // With the timings the spoken text is highlighted.
    await eventually(
      async () => (await marks()).includes('A lift was built for those who cannot climb.'),
      'a mark on what is spoken',
    );
    const timings = await page.evaluate(async () => {
      const url = document.querySelector('lectern-player')?.getAttribute('segments-url') ?? '';
      const { segments } = await (await fetch(new URL(url, document.baseURI))).json();
      return segments.map(({ text }: { text: string }) => text);
    });
    expect(timings.slice(0, 2)).toEqual([title, 'The lighthouse is open again, after twelve years.']);

    await page.goBack();
    await page.getByRole('link', { name: title }).waitFor();
    const base = address().replace('index.html', '');
    const others = requests.filter((url) => !url.startsWith(base) && !/^(blob|data):/.test(url));
    expect(others.filter((url) => !url.endsWith('/favicon.ico'))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('plays without JavaScript', async () => {
    const { page } = await open(address(), { javaScriptEnabled: false });
    await page.getByRole('link', { name: title }).click();
    const audio = page.locator('audio[controls]');
    await audio.waitFor();
    expect(await audio.boundingBox()).toMatchObject({ width: expect.any(Number) });
    expect((await audio.boundingBox())?.height ?? 0).toBeGreaterThan(20);
    await page.close();
  });

  test.each([
    { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
    { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  ] as const)('breaks no rule of accessibility: %j', async (options) => {
    const { page } = await open(address(), options);
    expect(await findViolations(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole('link', { name: title }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.close();
  });
});

test('the player causes no layout shift', async () => {
  const { page } = await open(places[0]?.[1]() ?? '');
  await page.addInitScript(() => {
    Object.assign(window, { moved: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        Object.assign(window, {
          moved: Reflect.get(window, 'moved') + Reflect.get(entry, 'value'),
        });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(places[0]?.[1]() ?? '');
    await page.getByRole('link', { name: title }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    const moved = await page.evaluate(() => Reflect.get(window, 'moved'));
    expect([width, moved]).toEqual([width, 0]);
  }
  await page.close();
});

test('served and exported feeds are well-formed XML', async () => {
  const page = await browser.newPage();
  for (const text of [feed, readFileSync(join(folder, 'feed.xml'), 'utf8')]) {
    const found = await page.evaluate((xml) => {
      const document = new DOMParser().parseFromString(xml, 'application/xml');
      const itunes = 'http://www.itunes.com/dtds/podcast-1.0.dtd';
      return {
        fault: document.querySelector('parsererror')?.textContent,
        titles: [...document.querySelectorAll('item > title')].map(({ textContent }) => textContent),
        explicit: document.getElementsByTagNameNS(itunes, 'explicit')[0]?.textContent,
      };
    }, text);
    expect(found).toEqual({ fault: undefined, titles: [']]>', title], explicit: 'false' });
  }
  await page.close();
});

function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}
