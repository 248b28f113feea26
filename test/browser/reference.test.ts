import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

let server: TestServer;
let browser: Browser;
/** With a path, as behind a proxy that keeps it. */
let baseUrl: string;

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}/speech`;
  server = await startTestServer({ flags: ['--port', `${port}`, '--base-url', baseUrl] });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** The page, with all that it asked for and complained about. */
async function openReference(options: BrowserContextOptions = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(`${baseUrl}/docs`);
  await page.locator('.opblock').first().waitFor();
  return { page, requests, complaints };
}

test('the reference shows every operation, asks nobody else, and breaks no rule of its own', async () => {
  const { page, requests, complaints } = await openReference();
  const answer = await fetch(`${baseUrl}/v1/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, object> };
  const operationCount = Object.values(paths).flatMap((item) => Object.keys(item)).length;

  expect(await page.locator('.opblock').count()).toBe(operationCount);
  // Unfolded, an operation shows what it takes and answers.
  await page.locator('#operations-Audio-postAudioGenerate .opblock-summary-control').click();
  const operation = page.locator('#operations-Audio-postAudioGenerate');
  await operation.getByText('Audio generation queued').first().waitFor();
  await operation.getByText('Monthly post quota exceeded').first().waitFor();

  expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(baseUrl))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('an operation can be tried out with a key', async () => {
  const { page, complaints } = await openReference();
  await page.locator('.auth-wrapper .authorize').first().click();
  await page.locator('#api_key_value').first().fill(server.key);
  await page.locator('.auth-btn-wrapper .authorize').first().click();
  await page.locator('.auth-btn-wrapper .btn-done').first().click();
  const operation = page.locator('#operations-Audio-postAudioGenerate');
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.execute').click();
  const status = operation.locator('.live-responses-table .response .response-col_status').first();
  await status.waitFor();

  expect(await status.textContent()).toStartWith('202');
  expect((await server.status('news/4711')).post_id).toBe('news/4711');
  expect(complaints).toEqual([]);
  await page.close();
});

test.each(['light', 'dark'] as const)('follows a %s system', async (colorScheme) => {
  const { page } = await openReference({ colorScheme });
  const [background, text] = await colours(page);

  if (colorScheme === 'dark') expect(background).toBeLessThan(text);
  else expect(background).toBeGreaterThan(text);
  await page.close();
});

/** Brightness of the page and of a heading, 0 to 255. */
async function colours(page: Page): Promise<[number, number]> {
  return page.evaluate(() => {
    const brightness = (colour: string) => {
      const parts = (colour.match(/\d+/g) ?? []).slice(0, 3).map(Number);
      return parts.reduce((sum, part) => sum + part, 0) / 3;
    };
    const heading = document.querySelector('.info .title') ?? document.body;
    const page = getComputedStyle(document.documentElement).backgroundColor;
    return [brightness(page), brightness(getComputedStyle(heading).color)];
  });
}

/** @returns a port below those that the system gives to whoever asks for any: nobody takes it meanwhile */
async function freePort(): Promise<number> {
  while (true) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const listening = createServer();
      listening.once('error', () => resolve(false));
      listening.listen(port, '127.0.0.1', () => listening.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
