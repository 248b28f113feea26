import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { findTreeFaults } from '../fixtures/accessibility-tree.ts';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { listRoutes, type OpenApiDocument } from '../fixtures/openapi.ts';
import { findFreePort } from '../fixtures/processes.ts';
import { selectCases } from '../fixtures/scale.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { createUser, password } from '../fixtures/users.ts';

let server: TestServer;
let browser: Browser;
/** With a path, as behind a proxy that does not strip it. */
let baseUrl: string;

beforeAll(async () => {
  const port = findFreePort();
  baseUrl = `http://127.0.0.1:${port}/speech`;
  server = await startTestServer({ flags: ['--port', `${port}`, '--base-url', baseUrl] });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** The page with its requests and console errors. */
async function openReference(options: BrowserContextOptions = {}, hash = '') {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(`${baseUrl}/docs${hash}`);
  await page.locator('#key').waitFor();
  return { page, requests, complaints };
}

async function listOperationIds(): Promise<string[]> {
  const response = await fetch(`${baseUrl}/v1/openapi.json`);
  return listRoutes((await response.json()) as OpenApiDocument).map(({ operation }) => operation.operationId);
}

test('every operation has an anchor and a link, even without scripts; the page sends no requests to other servers', async () => {
  const { page, requests, complaints } = await openReference();
  const ids = await listOperationIds();
  const html = await (await fetch(`${baseUrl}/docs`)).text();

  expect(await page.locator('section.operation[id]:not(#introduction)').count()).toBe(ids.length);
  expect(ids.filter((id) => !html.includes(`<section class="operation" id="${id}"`))).toEqual([]);
  expect(ids.filter((id) => !html.includes(`href="#${id}" data-text`))).toEqual([]);
  const operation = page.locator('#postAudioGenerate');
  expect(await operation.textContent()).toContain('Audio generation queued');
  await operation.getByText('Errors 400').click();
  expect(await operation.textContent()).toContain('Monthly post quota exceeded');
  expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(baseUrl))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('every link of the page has a target', async () => {
  const html = await (await fetch(`${baseUrl}/docs`)).text();
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  const targets = new Set([...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id));

  expect(ids).toEqual([...new Set(ids)]);
  expect([...targets].filter((target) => !ids.includes(target))).toEqual([]);
});

test('an operation can be sent with a key, and is shown as a command with it', async () => {
  const { page, complaints } = await openReference();
  await page.locator('#key').fill(server.key);
  const operation = page.locator('#postAudioGenerate');
  await operation.getByText('Try it').click();
  const body = {
    post_id: "o'clock",
    content: '<p>The old bridge reopens on Monday. It was closed for three years.</p>',
  };
  await operation.getByLabel('Body').fill(JSON.stringify(body));
  const command = await operation.locator('.command code').textContent();
  await operation.getByRole('button', { name: 'Send request' }).click();
  await operation.locator('.result .status').waitFor();

  expect(await operation.locator('.result .status').textContent()).toBe('202');
  expect((await server.status(body.post_id)).post_id).toBe(body.post_id);
  expect(command).toContain(`-H "X-API-Key: ${server.key}"`);
  // Parsed like a shell does.
  expect(command).toContain(`-d '${JSON.stringify(body).replace("'", "'\\''")}'`);
  expect(complaints).toEqual([]);
  await page.close();
});

test('path and query of a request contain the parameters', async () => {
  const { page } = await openReference();
  await page.locator('#key').fill(server.key);
  const operation = page.locator('#getAudioByPostIdStatus');
  await operation.getByText('Try it').click();
  await operation.getByLabel('post_id').fill('a/b c');
  await operation.getByLabel(/^language/).fill('en');
  await operation.getByRole('button', { name: 'Send request' }).click();
  await operation.locator('.result .status').waitFor();

  expect(await operation.locator('.result .status').textContent()).toBe('404');
  expect(await operation.locator('.result pre').textContent()).toContain('Post not found');
  expect(await operation.locator('.command code').textContent()).toContain('/v1/audio/a%2Fb%20c/status?language=en"');
  await page.close();
});

test('requests use the session of the dashboard', async () => {
  const user = await createUser(server.data, '--role', 'admin');
  const { page, complaints } = await openReference();
  const login = await page
    .context()
    .request.post(`${baseUrl}/v1/auth/login`, { data: { email: user.email, password } });
  expect(login.status()).toBe(200);
  await page.reload();
  await page.getByText(`Signed in as ${user.email}`).waitFor();
  const operation = page.locator('#postSites');
  await operation.getByText('Try it').click();
  await operation.getByRole('button', { name: 'Send request' }).click();
  await operation.locator('.result .status').waitFor();

  expect(await operation.locator('.result .status').textContent()).toBe('201');
  expect(complaints).toEqual([]);
  await page.close();
});

test('events are shown as they arrive', async () => {
  const { page } = await openReference();
  await page.locator('#key').fill(server.key);
  const operation = page.locator('#getAudioEvents');
  await operation.getByText('Try it').click();
  const send = operation.getByRole('button', { name: 'Send request' });
  await send.click();
  await operation.locator('.result pre', { hasText: /^(event|data|retry|id):/m }).waitFor();

  // It can be sent again although the response is endless.
  await send.click();
  await operation.locator('.result pre', { hasText: /^(event|data|retry|id):/m }).waitFor();
  expect(await operation.locator('.command code').textContent()).toStartWith('curl -N ');
  await page.close();
});

test('search shows the operations with all words; links of the previous reference work', async () => {
  const { page } = await openReference({}, '#/Audio/postAudioGenerate');
  await page.waitForURL((url) => url.hash === '#postAudioGenerate');
  await page.keyboard.press('/');
  await page.keyboard.type('delete webhook');
  const links = page.locator('#contents li a:visible');

  expect(await links.allTextContents()).toEqual(['DEL Delete a webhook']);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash === '#deleteSitesBySiteWebhooksByWebhook');
  await page.close();
});

test.each(
  selectCases([
    ['dark', 390],
    ['light', 390],
    ['light', 1440],
  ] as const),
)('is accessible in a %s window of %d pixels, without sideways scrolling', async (colorScheme, width) => {
  const { page } = await openReference({ colorScheme, viewport: { width, height: 844 } });
  if (width === 390) {
    await page.getByRole('button', { name: 'Contents' }).click();
    await page.locator('#contents').getByText('Audio', { exact: true }).click();
    await page.locator('#contents').getByText('Generate audio for a post').click();
    await page.locator('#contents').waitFor({ state: 'hidden' });
  }
  await page.locator('#postAudioGenerate').getByText('Try it').click();
  const [scheme, scrollWidth] = await page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor === 'rgb(18, 20, 18)' ? 'dark' : 'light',
    document.documentElement.scrollWidth,
  ]);

  expect(scheme).toBe(colorScheme);
  expect(scrollWidth).toBe(width);
  // Checking all operations takes half a minute.
  if (width === 390) {
    await page.locator('.operation').evaluateAll((all) => {
      for (const section of all.slice(12)) section.remove();
    });
  }
  expect([...(await findViolations(page)), ...(await findTreeFaults(page))]).toEqual([]);
  await page.close();
});
