import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, offered, openDashboard } from '../fixtures/dashboard.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { tool } from '../fixtures/tools.ts';

let server: TestServer;
let people: People;
let browser: Browser;

beforeAll(async () => {
  server = await startTestServer();
  people = peopleOf(server, server.siteId);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an admin adds a site, plays an article and gets the embed code, until a page uses it', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.admin, '/server/sites');
  await page.getByRole('button', { name: 'Add site' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add site' });
  await dialog.getByLabel('Name').fill('Harbor News');
  await dialog.getByLabel('Domains').fill('not a host/');
  await dialog.getByRole('button', { name: 'Add site' }).click();
  await dialog.getByText('is not a valid host name').first().waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  // A URL copied from the browser is accepted.
  await dialog.getByLabel('Domains').fill('https://harbor.example/news/\nwww.harbor.example');
  await dialog.getByRole('button', { name: 'Add site' }).click();

  await page.getByRole('heading', { name: 'Set up Harbor News' }).waitFor();
  await page.getByText('harbor.example and www.harbor.example').waitFor();
  const added = await people.admin.ask('GET', '/v1/sites/harbor-news');
  expect(added.data).toMatchObject({ plan: 'enterprise', subscription: 'active' });
  expect(await faultsInAnyLook(page)).toEqual([]);

  // The command contains the key.
  await page.getByLabel('Send with curl').check();
  expect(await offered(page, 'curl command')).toContain('YOUR_API_KEY');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const key = await offered(page, 'API key');
  expect(key).toMatch(/^svc_live_/);
  const said = await offered(page, 'curl command');
  expect(said).toContain(`X-API-Key: ${key}`);
  expect(said).toContain(`${server.url}/v1/audio/generate`);

  await page.getByLabel('Paste text').check();
  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByText('must be at least 50 characters').waitFor();
  await page.getByRole('button', { name: 'Use sample text' }).click();
  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByText('Waiting for the first page view').waitFor();
  await page.getByText('Player not visible?').waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  const line = await offered(page, 'Embed code');
  expect(line).toContain(`src="${server.url}/v1/public/player.js"`);
  expect(line).toContain('post-id="harbor-town-reopens-its-lighthouse"');
  expect(await faultsInAnyLook(page)).toEqual([]);

  // A page of the site has loaded the player: figures replace the setup steps.
  const reported = await fetch(`${server.url}/v1/public/events?domain=harbor.example`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://harbor.example' },
    body: JSON.stringify({ type: 'load', post_id: 'harbor-town-reopens-its-lighthouse' }),
  });
  expect(reported.status).toBe(202);
  await page.getByRole('heading', { name: 'Set up Harbor News' }).waitFor({ state: 'detached' });
  await page.getByText('New posts').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('the curl command of the overview generates the first audio', async () => {
  const { data: site } = await people.admin.ask<{ slug: string }>('POST', '/v1/sites', {
    name: 'By Terminal',
    domains: ['terminal.example'],
  });
  const { page, close } = await openDashboard(browser, server, people.admin, `/sites/${site.slug}`);
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByLabel('Send with curl').check();
  await page.getByText('The command contains the key you just created.').waitFor();
  const command = (await offered(page, 'curl command')).replace(/^curl/, tool('curl'));
  const ran = Bun.spawnSync([tool('sh'), '-c', `${command} --silent`]);
  expect(JSON.parse(ran.stdout.toString())).toMatchObject({ message: 'Audio generation queued' });
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await close();
});

test('the overview shows what prevents playback', async () => {
  const site = `/v1/sites/${server.siteId}`;
  await people.admin.ask('PATCH', site, { subscription: 'inactive' });
  const { page, close } = await openDashboard(browser, server, people.editor);
  await page.getByText('Subscription inactive.').waitFor();
  await page.getByText('An admin of this installation can change it.').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);

  await people.admin.ask('PATCH', site, {
    subscription: 'trialing',
    trial_ends_at: '2020-01-01T00:00:00Z',
  });
  await page.reload();
  await page.getByText('Trial expired.').waitFor();

  await people.admin.ask('PATCH', site, { subscription: 'active', trial_ends_at: null });
  await server.generate({ post_id: 'silent', content: '<div></div>'.repeat(10) });
  await server.settled('silent');
  await page.reload();
  await page.getByText('1 post has failed.').waitFor();
  await close();
});

test('the overview shows admins that the queue is paused; the setup steps can be hidden', async () => {
  await people.admin.ask('PATCH', '/v1/queue', { paused: true });
  const { page, close } = await openDashboard(browser, server, people.admin, `/sites/${server.siteId}`);
  await page.getByText('The queue is paused').waitFor();
  await people.admin.ask('PATCH', '/v1/queue', { paused: false });
  await server.generate({
    post_id: 'heard',
    content: 'The lighthouse of Port Ellery opened its doors again on Saturday.',
  });
  await page.getByRole('button', { name: 'Hide setup steps' }).click();
  await page.getByRole('link', { name: 'New post' }).waitFor();
  await page.reload();
  await page.getByText('New posts').waitFor();
  expect(await page.getByText('Set up Test Site').count()).toBe(0);
  await close();
});

test('a viewer sees the setup steps, and no controls', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.viewer);
  await page.getByRole('heading', { name: 'Test Site', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Set up Test Site' }).waitFor();
  const main = page.locator('main');
  const buttons = await main.getByRole('button', { name: /create|make|add|new/i }).count();
  expect(buttons).toBe(0);
  expect(await main.locator('form').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});
