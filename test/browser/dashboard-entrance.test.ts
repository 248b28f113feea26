import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, violations } from '../fixtures/browser.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';

const email = 'ada@example.org';
const password = 'correct horse battery staple';

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  server = await startTestServer();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('the setup link creates the first admin, who signs out and in again', async () => {
  const page = await browser.newPage();
  await page.goto(`${server.url}/#setup=${newSetupToken()}`);
  await page.getByRole('heading', { name: 'Welcome to Lectern' }).waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill('too short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('must be at least 12 characters').waitFor();

  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  // The token is gone from the address, and from the history that "back" goes through.
  expect(page.url()).not.toContain('setup');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill('wrong horse battery staple');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Wrong e-mail address or password').waitFor();

  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sites' }).waitFor();
  await page.close();
});

test('the first field has the focus', async () => {
  const page = await browser.newPage();
  await page.goto(`${server.url}/#setup=whatever`);
  const focused = page.locator('input:focus');
  await focused.waitFor();
  expect(await focused.getAttribute('name')).toBe('email');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.locator('input[type=email]:focus').waitFor();
  await page.close();
});

test('the page loads nothing from other servers and complies with its Content-Security-Policy', async () => {
  const page = await browser.newPage();
  const asked: string[] = [];
  const broken: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) broken.push(message.text());
  });
  const answer = await page.goto(`${server.url}/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'");
  expect([...new Set(asked)]).toEqual([server.url]);
  expect(broken).toEqual([]);
  await page.close();
});

function newSetupToken(): string {
  const token = crypto.randomUUID();
  const hash = createHash('sha256').update(token).digest('hex');
  const database = new Database(join(server.data, 'lectern.db'));
  database.run('pragma busy_timeout = 5000');
  database.run('update setup_token set hash = ?', [hash]);
  database.close();
  return token;
}
