import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { buildArticle, buildLongArticle } from '../api/articles.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { readRegion } from '../fixtures/dashboard.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers, holdWorkersDuring } from '../fixtures/held-workers.ts';
import type { Look } from '../fixtures/scale.ts';
import { type Envelope, startTestServer, type TestServer } from '../fixtures/server.ts';
import {
  createSignedInClient,
  password,
  type SignedInClient,
  sendLogin,
  signIn as startSession,
} from '../fixtures/users.ts';

let server: TestServer;
let browser: Browser;
let admin: SignedInClient;
/** Of the admin: a new context takes as much CPU time as a page load. */
let adminPage: Page;

beforeAll(async () => {
  server = await startTestServer({ isPreloading: true });
  browser = await launchBrowser();
  admin = await createSignedInClient(server, '--role', 'admin');
  adminPage = await openSignedIn();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop('SIGKILL');
});

/** A page of the dashboard, with a session of the user. */
async function openSignedIn(
  { session }: SignedInClient = admin,
  { colorScheme, width }: Look = { colorScheme: 'light', width: 1280 },
): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } });
  await context.addCookies([{ name: 'lectern_session', value: session.token, url: server.url, httpOnly: true }]);
  const page = await context.newPage();
  await page.goto(`${server.url}/`);
  return page;
}

async function signIn(page: Page, email: string, input = password): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(input);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ state: 'detached' });
}

/** Loads the dashboard again, without what an earlier test left in the page. */
async function openAsAdmin(): Promise<Page> {
  await adminPage.goto('about:blank');
  await adminPage.goto(`${server.url}/`);
  return adminPage;
}

async function waitForSite(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name }).waitFor();
}

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${server.url}/#${path}`);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

function close(page: Page): Promise<void> {
  const context: BrowserContext = page.context();
  return context.close();
}

async function submitPost(post_id: string, more: Record<string, unknown> = {}): Promise<void> {
  const { status } = await server.generate({ post_id, content: buildArticle(post_id), ...more });
  expect(status).toBe(202);
}

describe('the pages of the server', () => {
  test('are hidden from users without the role admin', async () => {
    const viewer = await createSignedInClient(server, '--role', 'viewer', '--site', String(server.siteId));
    const page = await openSignedIn(viewer);
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Posts' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Server' }).count()).toBe(0);
    await page.goto(`${server.url}/#/server/users`);
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    await close(page);
  });
});

/** Selects an action of a row. */
async function choose(row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: 'More' }).click();
  await row.page().getByRole('menuitem', { name: action }).click();
}

/** A hidden page does not poll. */
function hide(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
  }, isHidden);
}

describe('the queue', () => {
  test('can be paused with a notice, reordered and resumed', async () => {
    const page = await openAsAdmin();
    await open(page, '/server/queue', 'Queue');
    await page.getByText('All caught up').waitFor();
    await page.getByRole('button', { name: 'Pause queue' }).click();
    await page.getByText('The queue is paused').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await submitPost('news/1', { post_title: 'Ferries run again' });
    // Updated without an action of the user.
    const priority = page.getByLabel('Priority of Ferries run again');
    await priority.waitFor();
    expect(await priority.inputValue()).toBe('normal');
    // Shown at once, before the next poll.
    await hide(page, true);
    await priority.selectOption('high');
    await page.getByText('1 high · 0 normal · 0 low').waitFor();
    await hide(page, false);
    expect(readLastEntry(server.data, 'post.prioritized')).toMatchObject({
      ...{ subject: 'news/1', after: { priority: 'high' } },
    });
    await page.getByRole('button', { name: 'Resume queue' }).click();
    await page.getByText('The queue is paused').waitFor({ state: 'detached' });
    await page.getByText('All caught up').waitFor();
    expect((await server.waitUntilFinished('news/1')).status).toBe('ready');
  });

  test('shows progress, and is not polled in a hidden page', async () => {
    let release = holdWorkers(server);
    await submitPost('long', { content: buildLongArticle('long'), post_title: 'A long story' });
    const page = await openSignedIn();
    await open(page, '/server/machines', 'Machines');
    const machine = page.getByRole('row').filter({ hasText: `:${server.process.pid}` });
    await machine.getByRole('link', { name: 'A long story' }).waitFor();
    // Only a page loaded after this has no timers of the real clock.
    await page.clock.install();
    await page.reload();
    await open(page, '/server/queue', 'Queue');
    const progress = page.getByRole('progressbar', { name: 'Progress of A long story' });
    release();
    release = await holdWorkersDuring(server, 'long');
    await progress.waitFor();
    const before = Number(await progress.getAttribute('value'));
    release();
    release = await holdWorkersDuring(server, 'long', 50);
    await page.waitForFunction((least) => Number(document.querySelector('progress')?.value) > least, before);
    let requestCount = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/queue')) requestCount += 1;
    });
    await hide(page, true);
    // Pending responses can still arrive.
    await page.evaluate(async () => (await fetch('healthz')).text());
    requestCount = 0;
    await page.clock.runFor(60_000);
    expect(requestCount).toBe(0);
    await hide(page, false);
    const again = page.waitForRequest((request) => request.url().includes('/v1/queue'));
    await page.clock.runFor(60_000);
    await again;
    await admin.request('DELETE', `/v1/sites/${server.siteId}/posts/long`);
    release();
    await close(page);
  });
});

/** Opens an invitation or a reset link, and chooses a password, which leads to a site. */
async function accept(link: string, chosen: string, site: string): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByText('grace@example.org').waitFor();
  await page.getByLabel('Password').fill(chosen);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await waitForSite(page, site);
  await context.close();
}

describe('users', () => {
  test('can be invited with a role on a site, edited, disabled and deleted, and get a reset link', async () => {
    const page = await openAsAdmin();
    await open(page, '/server/users', 'Users');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').and(page.locator(':focus')).waitFor();
    await dialog.getByLabel('E-mail address').fill('nobody');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('must be an e-mail address').waitFor();
    await dialog.getByLabel('E-mail address').fill('grace@example.org');
    await dialog.getByLabel('Test Site').selectOption('editor');
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    const invitation = await readRegion(page, 'link');
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /grace@example\.org/ });
    await row.getByText('Test Site').waitFor();
    await accept(invitation, 'four other words entirely', 'Test Site');
    expect((await sendLogin(server, 'grace@example.org', 'four other words entirely')).status).toBe(200);

    await choose(row, 'Reset link');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const reset = await readRegion(page, 'link');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await accept(reset, 'again some other words', 'Test Site');
    expect((await sendLogin(server, 'grace@example.org', 'four other words entirely')).status).toBe(401);
    expect((await sendLogin(server, 'grace@example.org', 'again some other words')).status).toBe(200);

    await choose(row, 'Edit');
    await page.getByRole('dialog').getByLabel('Test Site').selectOption('viewer');
    await page.getByLabel('Disabled').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('disabled').waitFor();
    await row.getByText('viewer').waitFor();
    expect((await sendLogin(server, 'grace@example.org', 'again some other words')).status).toBe(401);

    await choose(row, 'Delete user');
    await page.getByRole('button', { name: 'Delete user', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    expect(readLastEntry(server.data, 'user.removed')).toMatchObject({ subject: 'grace@example.org' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.getByText('viewer').waitFor();
  });

  test('can end their other sessions, and change e-mail address and password', async () => {
    const { user, request } = await createSignedInClient(server, '--role', 'viewer', '--site', '1');
    await startSession(server, user, { 'user-agent': 'curl/8.14.1' });
    await startSession(server, user, { 'user-agent': 'Wget/1.25.0' });
    const page = await browser.newPage();
    await page.goto(`${server.url}/`);
    await signIn(page, user.email);
    await open(page, '/account', 'Account');
    const sessions = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await sessions.filter({ hasText: 'Chrome on Linux' }).getByText('This session').waitFor();
    const curl = sessions.filter({ hasText: 'curl' });
    await choose(curl, 'Sign out');
    await curl.waitFor({ state: 'detached' });
    expect((await request('GET', '/v1/me')).status).toBe(200);
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await sessions.filter({ hasText: 'Wget' }).waitFor({ state: 'detached' });
    expect((await request('GET', '/v1/me')).status).toBe(401);

    await page.getByRole('textbox', { name: 'E-mail address' }).fill('ada@new.example');
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('button', { name: 'Change e-mail address' }).click();
    await page.getByRole('main').getByText('ada@new.example').waitFor();
    await eventually(async () => (await page.getByLabel('Your password').inputValue()) === '', 'the form is empty');

    await page.getByLabel('Current password').fill('not this one, surely');
    await page.getByLabel('New password').fill('four other words entirely');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('is not your current password').waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, 'ada@new.example', 'four other words entirely');
    await close(page);
  });
});

test('the audit log can be filtered by actor, action and date', async () => {
  await admin.request('PATCH', `/v1/sites/${server.siteId}`, { bit_rate_kbps: 96 });
  await admin.request('POST', `/v1/sites/${server.siteId}/pronunciations`, { word: 'Ellery', alias: '[[ˈɛləɹi]]' });
  const content = 'The lighthouse of Port Ellery opened its doors again on Saturday, for everybody.';
  await admin.request('POST', `/v1/sites/${server.siteId}/posts`, { post_id: 'audited', content });
  const page = await openAsAdmin();
  await open(page, '/server/audit', 'Audit log');
  const submitted = page.getByRole('row', { name: /Submitted a post.*audited/ });
  await submitted.getByText('English').waitFor();
  const { data } = await (await admin.request('GET', '/v1/voices')).json();
  const names: string[] = data.voices.map(({ name }: { name: string }) => name);
  await submitted.getByText(new RegExp(`^(${names.join('|')})$`)).waitFor();
  // In the font with phonetic symbols.
  await page
    .getByRole('row', { name: /Ellery/ })
    .getByRole('code')
    .getByText('[[ˈɛləɹi]]')
    .waitFor();
  const entry = page.getByRole('row', { name: /Updated a site/ }).first();
  // Midnight may have passed.
  await page
    .getByRole('columnheader', { name: /^(Today|Yesterday)$/ })
    .first()
    .waitFor();
  await entry.getByText('bit rate kbps').waitFor();
  expect(await entry.locator('del').textContent()).toContain('64');
  expect(await entry.locator('ins').textContent()).toContain('96');

  await page.getByLabel('Action', { exact: true }).selectOption('key');
  await entry.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Created an API key/ }).waitFor();
  // The URL contains the filter, for reloads and links.
  await page.reload();
  await page.getByRole('row', { name: /Created an API key/ }).waitFor();
  expect(await page.getByLabel('Action', { exact: true }).inputValue()).toBe('key');
  await page.getByLabel('Actor').fill('nobody@example.org');
  await page.getByText('Nothing found').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await entry.waitFor();
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByText('Nothing found').waitFor();
});

test('the backups page creates, downloads, deletes and restores a backup', async () => {
  const page = await openAsAdmin();
  await open(page, '/server/backups', 'Backups');
  await page.getByText('No backups yet').waitFor();
  const create = page.getByRole('button', { name: 'Back up now' });
  if (isOnPostgres) {
    await page.getByText('The database is PostgreSQL: back it up and restore it with its own tools').waitFor();
    expect(await create.count()).toBe(0);
    return;
  }
  await create.click();
  const row = page.getByRole('row', { name: /lectern-/ });
  await row.waitFor();
  await row.getByText('Running').waitFor({ state: 'detached' });
  const downloading = page.waitForEvent('download');
  await choose(row, 'Download');
  const download = await downloading;
  const name = download.suggestedFilename();
  expect(name).toMatch(/^lectern-.*\.tar$/);
  expect(await download.failure()).toBeNull();
  const file = join(server.data, 'backups', name);
  expect(existsSync(file)).toBe(true);

  const older = 'lectern-2020-01-01T00-00-00-000Z.tar';
  copyFileSync(file, join(server.data, 'backups', older));
  await page.reload();
  await row.nth(1).waitFor();
  const names = await row.evaluateAll((all) =>
    all.map((element) => /lectern-\S*\.tar/.exec(element.textContent ?? '')?.[0]),
  );
  expect(names).toEqual([name, older]);
  rmSync(join(server.data, 'backups', older));
  await page.reload();

  await row.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await choose(row, 'Delete backup');
  await page.getByText('No backups yet').waitFor();
  expect(existsSync(file)).toBe(false);
  // Offered for ten seconds.
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  expect(existsSync(file)).toBe(true);
});

test('the system page lists invalid voice files and links to the licenses', async () => {
  const voices = join(server.data, 'voices');
  mkdirSync(voices, { recursive: true });
  writeFileSync(join(voices, 'broken.onnx'), 'no voice');
  const page = await openAsAdmin();
  await open(page, '/server/system', 'System');
  await page.getByText('broken.onnx').waitFor();
  await page.getByRole('link', { name: 'Third-party licenses' }).click();
  await page.getByText('Third-party notices').waitFor();
});

describe('lists', () => {
  test('can be navigated and opened by keyboard', async () => {
    const page = await openAsAdmin();
    await open(page, '/server/sites', 'Sites');
    await page.getByRole('button', { name: 'More Test Site' }).press('k');
    await page.getByRole('link', { name: 'Test Site' }).and(page.locator(':focus')).press('Enter');
    await waitForSite(page, 'Test Site');
  });
});

describe('the command palette', () => {
  test('opens by its shortcut and finds pages and posts', async () => {
    await submitPost('found', { post_title: 'Lighthouse keeper retires' });
    const page = await openAsAdmin();
    await open(page, '/server/system', 'System');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Search or jump to' });
    await search.fill('users');
    await page.getByRole('option', { name: 'Users', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();

    await page.goto(`${server.url}/#/sites/${server.siteId}/posts`);
    await page.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
    await page.keyboard.press('Control+k');
    await search.fill('keeper');
    await page.getByRole('option', { name: 'Lighthouse keeper retires' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lighthouse keeper retires' }).waitFor();
  });

  test('finds sites, voices, actions and post IDs on a phone, by keyboard only', async () => {
    await submitPost('news/815', { post_title: 'Ferry late' });
    const page = await openSignedIn(admin, { colorScheme: 'dark', width: 390 });
    await open(page, `/sites/${server.siteId}/posts`, 'Posts');
    const opener = page.getByRole('button', { name: 'Search', exact: true });
    const search = page.getByRole('combobox', { name: 'Search or jump to' });
    const find = async (text: string, option: string) => {
      await opener.focus();
      await page.keyboard.press('Enter');
      await search.fill(text);
      await page.getByRole('option', { name: option, selected: true }).waitFor();
    };
    await find('news/815', 'Ferry late news/815');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
    await opener.and(page.locator(':focus')).waitFor();
    await find('site test', 'Test Site host');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.hash.endsWith('/test-site'));
    // The heading of a new page takes the focus.
    await page.locator('h1:focus').waitFor();
    const { data } = (await (await admin.request('GET', `/v1/sites/${server.siteId}/voices`)).json()) as Envelope<{
      voices: { name: string }[];
    }>;
    await find(`${data.voices[0]?.name} english`, `${data.voices[0]?.name} English`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Voices' }).waitFor();
    await find('api', 'Create API key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create API key' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.hash.endsWith('/developers'));
    await close(page);
  });
});

describe('sites', () => {
  test('are listed with their state and a link to their overview', async () => {
    const page = await openAsAdmin();
    await open(page, '/server/sites', 'Sites');
    const row = page.getByRole('row', { name: /Test Site/ });
    await row.getByText(/^\d+ posts?$/).waitFor();
    await admin.request('PATCH', `/v1/sites/${server.siteId}`, { subscription: 'inactive', plan: 'growth' });
    await page.reload();
    await row.getByText('Subscription inactive').waitFor();
    await row.getByText(/^\d+ of 500 count this month \(English only\)$/).waitFor();
    await admin.request('PATCH', `/v1/sites/${server.siteId}`, { subscription: 'active', plan: 'enterprise' });
    await row.getByRole('link', { name: 'Test Site' }).click();
    await waitForSite(page, 'Test Site');
  });

  test('can be switched, and the last one is opened again', async () => {
    await admin.request('POST', '/v1/sites', { name: 'The Second', domains: ['second.example'] });
    const page = await openAsAdmin();
    await page.goto(`${server.url}/#/sites/${server.siteId}`);
    await waitForSite(page, 'Test Site');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('button', { name: 'Test Site' }).click();
    await page.getByRole('menuitem', { name: 'The Second' }).click();
    await page.waitForURL((url) => url.hash.includes('the-second'));
    await waitForSite(page, 'The Second');
    await page.waitForFunction(() => Object.values(localStorage).includes('the-second'));
    await page.goto('about:blank');
    await page.goto(`${server.url}/`);
    await navigation.getByRole('button', { name: 'The Second' }).waitFor();
  });

  test('a user without a role is told whom to ask', async () => {
    const viewer = await createSignedInClient(server, '--role', 'viewer', '--site', String(server.siteId));
    await admin.request('PATCH', `/v1/users/${viewer.user.id}`, { sites: [] });
    const page = await openSignedIn(viewer);
    await page.getByText('No sites yet').waitFor();
    expect(await page.getByRole('button', { name: 'Add' }).count()).toBe(0);
    await close(page);
  });
});
