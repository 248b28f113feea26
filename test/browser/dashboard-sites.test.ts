import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { findViolationsInNextLook, readRegion, startDashboard } from '../fixtures/dashboard.ts';
import { passMidnight } from '../fixtures/eventually.ts';
import { createSite, startTestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { createSetupToken } from '../fixtures/users.ts';

const { server, browser, users, open, slug } = await startDashboard();

test('four clicks lead from the setup link to a playing article and its embed code, until a page uses it', async () => {
  await passMidnight();
  // As in production, its worker is ready before the first article.
  const first = await startTestServer({ key: 'none', voices: 'built-in', isPreloading: true });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  let clicks = 0;
  const click = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  await page.goto(`${first.url}/#setup=${createSetupToken(first)}`);
  await page.getByLabel('E-mail address').fill('ada@example.org');
  await page.getByLabel('Password').fill('correct horse battery staple');
  await click(page.getByRole('button', { name: 'Create account' }));

  await page.getByRole('heading', { name: 'Which paper is this for?' }).waitFor();
  await page.getByLabel('Name of the paper').fill('Harbor News');
  await page.getByLabel('Where its articles are').fill('no host/');
  await page.getByLabel('Where its articles are').press('Enter');
  await page.getByText('is not a valid host name').first().waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  // A URL copied from the browser is accepted.
  await page.getByLabel('Where its articles are').fill('https://www.harbor.example/news/');
  await page.getByText('Also on harbor.example, and on localhost for trying out.').waitFor();
  await click(page.getByRole('button', { name: 'Continue' }));

  await page.getByRole('heading', { name: 'What shall be heard first?' }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await click(page.getByRole('button', { name: 'Use the sample' }));
  await page.getByRole('heading', { name: 'Put it on your page' }).waitFor();
  await click(page.getByRole('button', { name: 'Play' }));
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect(clicks).toBe(4);
  const line = await readRegion(page, 'Embed code');
  expect(line).toContain(`src="${first.url}/v1/public/player.js"`);
  expect(line).toContain('post-id="harbor-town-reopens-its-lighthouse-after-12-years"');
  await page.getByRole('button', { name: 'Pause' }).click();
  expect(await findViolationsInNextLook(page)).toEqual([]);

  await page.getByText('Open your page: this turns green').waitFor();
  const reported = await fetch(`${first.url}/v1/public/events?domain=harbor.example`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://harbor.example' },
    body: JSON.stringify({ type: 'load', post_id: 'harbor-town-reopens-its-lighthouse-after-12-years' }),
  });
  expect(reported.status).toBe(202);
  await page.getByText('On your pages: loaded 1 × today').waitFor();
  await page.getByRole('link', { name: 'Open the dashboard' }).click();
  await page.getByRole('link', { name: 'New post' }).waitFor();
  await page.close();
  await first.stop();
});

test('another site starts with a pasted article or with its feed', async () => {
  const { page, complaints, close } = await open(users.admin, '/server/sites');
  await page.getByRole('button', { name: 'Add site' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add site' });
  await dialog.getByLabel('Name').fill('Harbor News');
  await dialog.getByLabel('Domains').fill('https://harbor.example/news/\nwww.harbor.example');
  expect(await dialog.getByText('Plan').count()).toBe(0);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add site' }).click();
  await page.getByRole('heading', { name: 'What shall be heard first?' }).waitFor();
  const added = await users.admin.request('GET', '/v1/sites/harbor-news');
  expect(added.data).toMatchObject({ plan: 'enterprise', subscription: 'active' });
  await page.getByRole('radio', { name: 'Feed address' }).check();
  await page.getByRole('textbox', { name: 'Feed address' }).fill('nowhere');
  await page.getByRole('button', { name: 'Read the newest' }).click();
  await page.locator('.wrong').waitFor();
  await page.getByRole('radio', { name: 'Paste an article' }).check();
  await page.getByLabel('Headline').fill('The ferry');
  await page.getByLabel('Text', { exact: true }).fill('Too short.');
  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByText('must be at least 50 characters').waitFor();
  const text = 'The ferry of Port Ellery leaves every hour, from six in the morning until dusk.';
  await page.getByLabel('Text', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Generate audio' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.getByText(text).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('the overview shows what prevents playback', async () => {
  const site = `/v1/sites/${server.siteId}`;
  await users.admin.request('PATCH', site, { subscription: 'inactive' });
  const { page, close } = await open(users.editor);
  await page.getByText('Subscription inactive.').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);

  await users.admin.request('PATCH', site, {
    subscription: 'trialing',
    trial_ends_at: '2020-01-01T00:00:00Z',
  });
  await page.reload();
  await page.getByText('Trial expired.').waitFor();

  await users.admin.request('PATCH', site, { subscription: 'active', trial_ends_at: null });
  await server.generate({ post_id: 'silent', content: '<div></div>'.repeat(10) });
  await server.waitUntilFinished('silent');
  await page.reload();
  await page.getByText('1 post has no audio.').waitFor();
  await close();
});

test('the overview shows admins that the queue is paused', async () => {
  await users.admin.request('PATCH', '/v1/queue', { paused: true });
  const { page, close } = await open(users.admin, `/sites/${server.siteId}`);
  await page.getByText('The queue is paused').waitFor();
  await users.admin.request('PATCH', '/v1/queue', { paused: false });
  await close();
});

test('the overview of an empty site links editors to the first article, and has no controls for viewers', async () => {
  const { siteId } = await createSite(server.data);
  const { editor, viewer } = createSiteUsers(server, siteId);
  const overview = `/sites/${siteId}`;
  const viewerPage = await open(viewer, overview);
  await viewerPage.page.getByText(/^Nothing to hear/).waitFor();
  expect(await viewerPage.page.locator('main').getByRole('link').count()).toBe(0);
  await viewerPage.close();
  const { page, complaints, close } = await open(editor, overview);
  await page.getByRole('link', { name: 'Hear the first article' }).click();
  await page.getByRole('heading', { name: 'What shall be heard first?' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('the URL of a site that does not exist redirects to an existing one', async () => {
  const { page, close } = await open(users.admin, '/sites/nope/posts');
  await page.getByRole('heading', { name: 'This site does not exist' }).waitFor();
  // No navigation for a missing site.
  await page.getByRole('link', { name: 'Analytics' }).first().waitFor({ state: 'detached' });
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('link', { name: 'Open your last site' }).click();
  await page.waitForURL(`**/#/sites/${slug}`);
  await close();
});

test.each([
  ['a page of the server that does not exist', 'admin', (): string => '/server/nope'],
  ['a page of the server, for an editor', 'editor', (): string => '/server/queue'],
  ['a page of a site that does not exist', 'admin', (): string => `/sites/${slug}/nope`],
] as const)('%s is not found', async (_, role, buildPath) => {
  const path = buildPath();
  const { page, close } = await open(users[role], path);
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await page.getByText(`Nothing at “${path}”`).waitFor();
  if (role === 'editor') expect(await page.getByRole('link', { name: 'Backups' }).count()).toBe(0);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('link', { name: 'Open your last site' }).click();
  await page.waitForURL(`**/#/sites/${slug}`);
  await close();
});
