import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page, Route } from 'playwright-core';
import { findTreeFaults } from '../fixtures/accessibility-tree.ts';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSetupToken, createSignedInClient, password as testPassword } from '../fixtures/users.ts';

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
  await page.goto(`${server.url}/#setup=${createSetupToken(server)}`);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect([...(await findViolations(page)), ...(await findTreeFaults(page))]).toEqual([]);

  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill('too short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('must be at least 12 characters').waitFor();
  await page.locator('input[type=password]:focus').waitFor();

  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  // The token is removed from the URL and from the history.
  expect(page.url()).not.toContain('setup');

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect([...(await findViolations(page)), ...(await findTreeFaults(page))]).toEqual([]);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill('wrong horse battery staple');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Wrong e-mail address or password').waitFor();

  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.close();
});

test('the setup link works in a tab that shows the sign-in page', async () => {
  const page = await browser.newPage();
  await page.goto(`${server.url}/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.evaluate(() => location.replace('#setup=whatever'));
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await page.close();
});

test('an ended session is renewed in a dialog, and the request is sent again', async () => {
  const user = await createSignedInClient(server, '--role', 'admin');
  const page = await browser.newPage();
  await page.goto(`${server.url}/#/server/users`);
  await signIn(page, user.user.email);
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('E-mail address').fill('grace@example.org');
  // In another browser, after the click: else an earlier request of the page could open the dialog over the button.
  const signOut = async (route: Route) => {
    await user.request('POST', '/v1/auth/logout', { everywhere: true });
    await route.continue();
  };
  await page.route((url) => url.pathname === '/v1/users/invitations', signOut, { times: 1 });
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByLabel('E-mail address').fill(user.user.email);
  await again.getByLabel('Password').fill(testPassword);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Send this link to grace@example.org').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /grace@example\.org/ }).waitFor();
  await page.close();
});

test('an unreachable server is reported, the shown data stays, and the page recovers automatically', async () => {
  const user = await createSignedInClient(server, '--role', 'admin');
  const page = await browser.newPage();
  await page.goto(`${server.url}/#/server/system`);
  await signIn(page, user.user.email);
  await page.getByText('Running for').waitFor();
  await page.context().setOffline(true);
  await page.getByText("Can't reach the server").waitFor();
  await page.getByText('Running for').waitFor();
  await page.context().setOffline(false);
  await page.getByText("Can't reach the server").waitFor({ state: 'detached' });
  await page.close();
});

test('the first field is focused', async () => {
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
  const requests: string[] = [];
  const broken: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).origin));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) broken.push(message.text());
  });
  const response = await page.goto(`${server.url}/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'");
  expect([...new Set(requests)]).toEqual([server.url]);
  expect(broken).toEqual([]);
  await page.evaluate(() => document.fonts.ready);
  const loaded = await page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded'));
  expect(loaded.length).toBeGreaterThan(0);
  await page.close();
});

async function signIn(page: Page, address: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(address);
  await page.getByLabel('Password').fill(testPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
