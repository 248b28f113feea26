import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { SiteDetail } from '../../src/sites/schema.ts';
import { buildArticle } from '../api/articles.ts';
import { launchBrowser } from '../fixtures/browser.ts';
import { findViolationsInNextLook, openDashboard, readRegion } from '../fixtures/dashboard.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';

let server: TestServer;
let users: SiteUsers;
let browser: Browser;
let sitePath: string;

beforeAll(async () => {
  server = await startTestServer();
  users = createSiteUsers(server, server.siteId);
  browser = await launchBrowser();
  sitePath = `/sites/${server.siteId}`;
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an editor renames the site, requests a domain, makes it primary after its approval, and removes the other one', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, users.editor, `${sitePath}/settings`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Harbor News');
  await save(page, 'Name');
  await page.getByRole('navigation', { name: 'Main' }).getByText('Harbor News').waitFor();

  await page.getByLabel('New domain').fill('no host/');
  await page.getByRole('button', { name: 'Request domain' }).click();
  await page.getByText('is not a valid host name').waitFor();
  const domains = page.getByRole('list', { name: 'Domains' });
  for (const [typed, host] of [
    ['https://www.harbor.example/news', 'www.harbor.example'],
    ['other.example', 'other.example'],
  ] as const) {
    await page.getByLabel('New domain').fill(typed);
    await page.getByRole('button', { name: 'Request domain' }).click();
    await page.getByText(`${host} requested: an admin must approve it`).waitFor();
    await domains.getByRole('listitem').filter({ hasText: host }).getByText('Waiting').waitFor();
  }
  expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await decideRequests();
  await page.reload();
  await choose(page, 'www.harbor.example', 'Make primary');
  await page.getByText('www.harbor.example is the primary domain').waitFor();
  // The list has its new order: a row that moves closes its menu.
  await domains.getByRole('listitem').first().filter({ hasText: 'www.harbor.example' }).waitFor();
  const [, former = ''] = (await getSite()).domains;
  await choose(page, former, 'Remove domain');
  await page.getByText(`Players on pages of ${former} stop working`).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click();
  await page.getByText(`${former} removed`).waitFor();
  expect(await getSite()).toMatchObject({ name: 'Harbor News', domains: ['www.harbor.example'] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => (await getSite()).domains.join() === `www.harbor.example,${former}`, 'both domains');
  await domains.getByText(former, { exact: true }).waitFor();

  // Only for admins.
  expect(await page.getByRole('button', { name: 'Delete site' }).count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Users', exact: true }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('times are in the time zone of the site, not of the browser', async () => {
  const post = { post_id: 'later', content: buildArticle('later'), publish_at: '2026-07-01T04:00:00Z' };
  expect((await users.editor.request('POST', `/v1${sitePath}/posts`, post)).status).toBe(202);
  const path = `${sitePath}/settings`;
  const { page, complaints, go, close } = await openDashboard(browser, server, users.editor, path, {
    timezoneId: 'America/Los_Angeles',
  });
  await page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Berlin');
  await save(page, 'Time zone');
  expect((await getSite()).time_zone).toBe('Europe/Berlin');
  await go(`${sitePath}/posts/later`);
  await page.getByText('public since Jul 1, 2026, 6:00').waitFor();
  const publishAt = page.getByLabel('Publish at');
  // In winter; in the repeated hour; in the skipped hour.
  const times = [
    ['2026-12-24T06:00', '2026-12-24T05:00:00.000Z', '2026-12-24T06:00'],
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z', '2026-10-25T02:30'],
    ['2027-03-28T02:30', '2027-03-28T01:30:00.000Z', '2027-03-28T03:30'],
  ] as const;
  for (const [typed, stored, shown] of times) {
    await openSettings(page);
    await publishAt.fill(typed);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await publishAt.waitFor({ state: 'detached' });
    const { data } = await users.viewer.request<{ publish_at: string }>('GET', `/v1${sitePath}/posts/later`);
    expect(data.publish_at).toBe(stored);
    await page.reload();
    await openSettings(page);
    await page.getByText('Time in Europe/Berlin.').waitFor();
    expect(await publishAt.inputValue()).toBe(shown);
    await page.keyboard.press('Escape');
  }
  await users.editor.request('DELETE', `/v1${sitePath}/posts/later?permanently=true`);
  expect(complaints).toEqual([]);
  await close();
});

async function openSettings(page: Page): Promise<void> {
  await page.getByRole('main').locator('[aria-haspopup=menu]').first().click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
}

async function choose(page: Page, domain: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `More: ${domain}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Saves the changes of a page. @param changed their names in the bar */
async function save(page: Page, changed: string, button = 'Save'): Promise<void> {
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText(changed, { exact: true }).waitFor();
  await bar.getByRole('button', { name: button }).click();
  await bar.waitFor({ state: 'detached' });
}

async function decideRequests(): Promise<void> {
  const { page, complaints, close } = await openDashboard(browser, server, users.admin, `${sitePath}/settings`);
  await page.getByRole('button', { name: 'Approve: www.harbor.example' }).waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Approve: www.harbor.example' }).click();
  await page.getByText('www.harbor.example approved').waitFor();
  await page.getByRole('button', { name: 'Reject: other.example' }).click();
  await page.getByText('other.example rejected').waitFor();
  expect((await getSite()).domains).toContain('www.harbor.example');
  expect((await getSite()).domains).not.toContain('other.example');
  await page.getByLabel('New domain').fill('www.third.example');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('www.third.example added').waitFor();
  await choose(page, 'www.third.example', 'Remove domain');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click();
  await page.getByText('www.third.example removed').waitFor();
  expect(complaints).toEqual([]);
  await close();
}

test('plans are shown if enabled; an admin sees the effect of a change before saving it', async () => {
  const settings = await openDashboard(browser, server, users.admin, `${sitePath}/settings`);
  await settings.page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
  expect(await settings.page.getByRole('heading', { name: 'Plan' }).count()).toBe(0);
  await settings.close();
  await users.admin.request('PATCH', '/v1/settings', { show_plans: true });
  const { page, close } = await openDashboard(browser, server, users.admin, `${sitePath}/settings`);
  await page.getByLabel('Subscription').selectOption({ label: 'Inactive' });
  await page.getByText('With this choice: Players get 402, API keys get 401').waitFor();
  await page.getByLabel('Subscription').selectOption({ label: 'Trial' });
  await page.getByLabel('Last day of the trial').fill('2099-12-31');
  await page.getByRole('combobox', { name: 'Plan' }).selectOption({ label: 'Growth' });
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await save(page, 'Subscription, Last day of the trial, Plan');
  const { plan, subscription, trial_ends_at } = await getSite();
  expect({ plan, subscription }).toEqual({ plan: 'growth', subscription: 'trialing' });
  expect(Date.parse(String(trial_ends_at))).toBeGreaterThan(Date.parse('2099-12-30'));
  await users.admin.request('PATCH', `/v1/sites/${server.siteId}`, {
    ...{ plan: 'enterprise', subscription: 'active', trial_ends_at: null },
  });
  await users.admin.request('PATCH', '/v1/settings', { show_plans: false });
  await close();
});

test('an admin limits audio retention, and sees what is removed', async () => {
  const { page, close } = await openDashboard(browser, server, users.admin, `${sitePath}/settings`);
  await page.getByLabel('Keep audio for (days)').fill('99999');
  await page.getByText('Audio beyond these limits is removed within seconds').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be at most 36500').waitFor();
  await page.getByLabel('Keep audio for (days)').fill('365');
  await save(page, 'Keep audio for (days)');
  expect(await getSite()).toMatchObject({ audio_retention_days: 365, audio_retention_mb: 0 });
  await users.admin.request('PATCH', `/v1/sites/${server.siteId}`, { audio_retention_days: 0 });
  await close();
});

test('one bar saves or discards all changes of the page; an invalid selector is reported at its field', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, users.editor, `${sitePath}/settings`);
  const leaveOut = page.getByLabel('Always leave out');
  await page.getByLabel('Intro').fill('You are listening.');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  expect(await page.getByLabel('Intro').inputValue()).toBe('');
  await leaveOut.fill('.promo\nh2 + p');
  await page.getByLabel('Disclosure').fill('Read by a synthetic voice.');
  await page.getByLabel('Speed').fill('1.1');
  await page.getByLabel('Tables').selectOption({ label: 'Left out' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/"h2 \+ p"/).waitFor();
  expect(await leaveOut.getAttribute('aria-invalid')).toBe('true');
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await leaveOut.fill('.promo');
  await page.getByLabel('MP3 bit rate').selectOption('96');
  await save(page, 'Always leave out, Disclosure, Speed, Tables, MP3 bit rate');
  const { reading, bit_rate_kbps } = await getSite();
  expect(bit_rate_kbps).toBe(96);
  expect(reading).toMatchObject({
    ...{ leave_out: ['.promo'], tables: 'none', speed: 1.1 },
    disclosure: 'Read by a synthetic voice.',
  });

  const post = { post_id: 'before', content: 'The lighthouse opened its doors again on Saturday.' };
  await users.editor.request('PATCH', `/v1/sites/${server.siteId}`, { reading: { disclosure: '' } });
  await server.generate(post);
  const before = (await server.waitUntilFinished('before')).audio_url;
  await users.editor.request('PATCH', `/v1/sites/${server.siteId}`, {
    reading: { disclosure: 'Read by a synthetic voice.' },
  });
  await page.getByRole('button', { name: 'Regenerate all' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Regenerate all' }).click();
  await page.getByText('1 audio file of 1 post is queued.').waitFor();
  expect((await server.waitUntilFinished('before')).audio_url).not.toBe(before);
  expect(complaints).toEqual([]);
  await close();
});

test('player settings are previewed with the newest article and published for every page', async () => {
  await passMidnight();
  await server.generate({
    post_id: 'news/"1"',
    post_title: 'Lighthouse',
    content: 'The lighthouse of Port Ellery opened its doors again on Saturday.',
  });
  await server.waitUntilFinished('news/"1"');
  const { page, complaints, close } = await openDashboard(browser, server, users.editor, `${sitePath}/player`);
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByRole('button', { name: 'Play' }).waitFor();
  expect(await readRegion(page, 'Embed code')).toEndWith('\n<lectern-player></lectern-player>');
  expect(await preview.getByRole('button', { name: 'Back 15 seconds' }).count()).toBe(0);
  await page.getByLabel('Large').check({ force: true });
  await preview.getByRole('button', { name: /15/ }).first().waitFor();
  await page.getByLabel('Accent', { exact: true }).fill('#8c1d2');
  await page.getByText('A color is a # and six digits').waitFor();
  await page.getByLabel('Accent', { exact: true }).fill('#8c1d2c');
  await page.getByText('9.0 : 1 on white').waitFor();
  await page.getByRole('button', { name: 'Accent: Dark red, #8c1d2c', pressed: true }).waitFor();
  const play = preview.getByRole('button', { name: 'Play' });
  const readColor = () => play.evaluate((button) => getComputedStyle(button).backgroundColor);
  await eventually(async () => (await readColor()).startsWith('oklch(0.42'), 'enough contrast on a light page');
  await page.getByLabel('Download').check();
  await page.getByRole('radio', { name: 'Phone' }).check();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await save(page, 'Layout, Accent, Download', 'Publish');
  expect((await getSite()).player).toMatchObject({ layout: 'large', accent: '#8c1d2c', download: true, corners: 4 });
  const response = await fetch(
    `${server.url}/v1/public/audio?domain=${(await getSite()).domains[0]}&post_id=${encodeURIComponent('news/"1"')}`,
  );
  expect(await response.json()).toMatchObject({ data: { player: { layout: 'large', accent: '#8c1d2c' } } });

  // A page has loaded the player.
  await page.getByText('Open your page: this turns green').waitFor();
  const host = (await getSite()).domains[0];
  await fetch(`${server.url}/v1/public/events?domain=${host}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: `https://${host}` },
    body: JSON.stringify({ type: 'load', post_id: 'news/"1"' }),
  });
  await page.getByText('On your pages: loaded 1 × today').waitFor();

  await page.getByRole('button', { name: 'Other ways to embed' }).click();
  const { origin } = new URL(server.url);
  expect(await readRegion(page, 'Policy')).toBe(`script-src ${origin}; connect-src ${origin}; media-src ${origin}`);
  const frame = /src="([^"]*)"/.exec(await readRegion(page, 'Iframe code'))?.[1] ?? '';
  expect(frame).toContain(`${server.url}/v1/public/embed?`);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('snippets contain the public URL with its path, even if the dashboard is opened at another URL', async () => {
  const behind = await startTestServer({
    env: { LECTERN_BASE_URL: 'https://audio.example.org/lectern' },
  });
  const { page, complaints, close } = await openDashboard(
    browser,
    { url: `${behind.url}/lectern` },
    createSiteUsers(behind, behind.siteId).admin,
    `/sites/${behind.siteId}/player`,
  );
  await page.getByText('No audio yet').waitFor();
  const server = 'https://audio.example.org/lectern';
  expect(await readRegion(page, 'Embed code')).toContain(`src="${server}/v1/public/player.js"`);
  await page.getByRole('button', { name: 'Other ways to embed' }).click();
  expect(await readRegion(page, 'Iframe code')).toContain(`src="${server}/v1/public/embed?`);
  expect(await readRegion(page, 'Policy')).toStartWith('script-src https://audio.example.org;');
  await page.getByRole('dialog').locator('header').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Generate the first audio' }).click();
  await page.getByRole('heading', { name: 'What shall be heard first?' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
  await behind.stop();
});

test('the podcast feed is available at the shown URL and contains the settings', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, users.editor, `${sitePath}/sources`);
  await page.getByText('Author, e-mail address, website, copyright').click();
  await page.getByLabel('E-mail address').fill('nobody');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be an e-mail address').waitFor();
  await page.getByLabel('E-mail address').fill('');
  await page.getByLabel('Title').fill('Harbor News, read aloud');
  await page.getByLabel('Category').selectOption('Technology');
  await page.getByRole('region', { name: 'In a podcast app' }).getByText('Harbor News, read aloud').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await save(page, 'Title, Category');
  const feed = await (await fetch(await readRegion(page, 'Feed URL'))).text();
  expect(feed).toContain('<title>Harbor News, read aloud</title>');
  expect(feed).toContain('<itunes:category text="Technology"');
  expect(complaints).toEqual([]);
  await close();
});

test('a viewer sees the settings of a site without controls that change them', async () => {
  const { page, go, close } = await openDashboard(browser, server, users.viewer, sitePath);
  for (const [path, heading, group] of [
    ['/player', 'Player', 'Look'],
    ['/sources', 'Sources and feed', 'Podcast feed'],
    ['/settings', 'Settings', 'Reading'],
  ] as const) {
    await go(`${sitePath}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    const main = page.locator('main');
    // The controls of the previewed player are not part of the page.
    expect(await main.getByRole('button', { name: /add|save|publish|regenerate|delete|request/i }).count()).toBe(0);
    const names = await main.evaluate((part) =>
      [...part.querySelectorAll('input:enabled, textarea:enabled, select:enabled')].map((field) =>
        field.getAttribute('value'),
      ),
    );
    // The previewed settings now apply to every page.
    expect(names).toEqual(path === '/player' ? ['desktop', 'phone', 'light', 'dark'] : []);
    await page.getByRole('group', { name: group, exact: true }).waitFor();
    expect(await findViolationsInNextLook(page)).toEqual([]);
  }
  await close();
});

test('an admin deletes a site, restores it with Undo and from the deleted ones, and deletes it for good', async () => {
  const { data: site } = await users.admin.request<{ slug: string }>('POST', '/v1/sites', {
    name: 'Short Lived',
    domains: ['short.example'],
  });
  const path = `/sites/${site.slug}/settings`;
  const { page, complaints, close } = await openDashboard(browser, server, users.admin, path);
  const isThere = async () => (await users.admin.request('GET', `/v1/sites/${site.slug}`)).status === 200;
  const row = page.getByRole('row', { name: /Short Lived/ });
  const tab = (name: string) => page.getByRole('navigation', { name: 'Sites' }).getByRole('button', { name });
  const act = async (label: string) => {
    await row.locator('[aria-haspopup=menu]').click();
    await page.getByRole('menuitem', { name: label }).click();
  };
  const confirm = async (title: string, button: string) => {
    await page.getByRole('dialog', { name: title }).getByRole('button', { name: button }).click();
  };
  await page.getByRole('button', { name: 'Delete site' }).click();
  await page.getByText('players on short.example show no audio').waitFor();
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await confirm('Delete Short Lived?', 'Delete site');
  await page.getByRole('heading', { name: 'Sites', exact: true }).waitFor();
  await page.getByText('Short Lived deleted').waitFor();
  expect(await isThere()).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByRole('link', { name: 'Short Lived' }).waitFor();
  expect(await isThere()).toBe(true);

  await act('Delete site');
  await confirm('Delete Short Lived?', 'Delete site');
  await row.waitFor({ state: 'detached' });
  await tab('Deleted').click();
  await row.getByText('Deleted for good in 30 days').waitFor();
  expect(await row.getByRole('link').count()).toBe(0);
  await act('Restore');
  await page.getByText('Short Lived restored').waitFor();
  expect(await isThere()).toBe(true);

  // A list shows its rows until others have loaded.
  await row.waitFor({ state: 'detached' });
  await tab('All').click();
  await act('Delete site');
  await confirm('Delete Short Lived?', 'Delete site');
  await row.waitFor({ state: 'detached' });
  await tab('Deleted').click();
  await act('Delete for good');
  await confirm('Delete Short Lived for good?', 'Delete for good');
  await page.getByText('Nothing deleted').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

async function getSite(): Promise<SiteDetail> {
  const { data } = await users.admin.request<SiteDetail>('GET', `/v1/sites/${server.siteId}`);
  return data;
}
