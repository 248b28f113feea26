import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import type { SiteDetail } from '../../src/sites/schema.ts';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, offered, openDashboard } from '../fixtures/dashboard.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

let server: TestServer;
let people: People;
let browser: Browser;
let configuration: string;

beforeAll(async () => {
  server = await startTestServer();
  people = peopleOf(server, server.siteId);
  browser = await launchBrowser();
  configuration = `/sites/${server.siteId}/configuration`;
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('an editor renames the site, requests a domain, makes it the primary one once approved, and removes the other', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.editor, `${configuration}/general`);
  await page.getByLabel('Site name').fill('Harbor News');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved').waitFor();
  await page.getByRole('combobox', { name: 'Site' }).getByText('Harbor News').waitFor({ state: 'attached' });

  await page.getByLabel('New domain').fill('no host/');
  await page.getByRole('button', { name: 'Request domain' }).click();
  await page.getByText('is not a valid host name').waitFor();
  for (const host of ['https://www.harbor.example/news', 'other.example']) {
    await page.getByLabel('New domain').fill(host);
    await page.getByRole('button', { name: 'Request domain' }).click();
    await page.getByText('requested: an admin must approve it').last().waitFor();
  }
  const request = page.getByRole('row', { name: 'www.harbor.example' });
  await request.getByText('Waiting for approval').waitFor();
  expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  expect(await faultsInAnyLook(page)).toEqual([]);
  await decideRequests();
  await page.reload();
  await page.getByRole('button', { name: 'Make primary: www.harbor.example' }).click();
  await page.getByText('www.harbor.example is the primary domain').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  const [, former = ''] = (await siteNow()).domains;
  await page.getByRole('button', { name: `Remove ${former}` }).click();
  await page.getByText(`Players on pages of ${former} stop working`).waitFor();
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await page.getByText(`${former} removed`).waitFor();
  expect(await siteNow()).toMatchObject({ name: 'Harbor News', domains: ['www.harbor.example'] });

  // Plan and deletion are the admins'.
  await page.getByText('An admin of this installation can change these.').waitFor();
  expect(await page.getByRole('button', { name: /^Delete site/ }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

/** An admin finds the requests by the system page. */
async function decideRequests(): Promise<void> {
  const { page, complaints, close } = await openDashboard(browser, server, people.admin, '/system');
  await page.getByText('2 requested domains waiting for approval').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('main').getByRole('listitem').getByRole('link').first().click();
  await page.getByRole('button', { name: 'Approve www.harbor.example' }).waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Approve www.harbor.example' }).click();
  await page.getByText('www.harbor.example approved').waitFor();
  await page.getByRole('button', { name: 'Reject other.example' }).click();
  await page.getByText('other.example rejected').waitFor();
  expect((await siteNow()).domains).toContain('www.harbor.example');
  expect((await siteNow()).domains).not.toContain('other.example');
  await page.getByLabel('New domain').fill('www.third.example');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('www.third.example added').waitFor();
  await page.getByRole('button', { name: 'Remove www.third.example' }).click();
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await page.getByText('www.third.example removed').waitFor();
  expect(complaints).toEqual([]);
  await close();
}

test('an admin sees the effect of a subscription change before saving it', async () => {
  const { page, close } = await openDashboard(browser, server, people.admin, `${configuration}/general`);
  await page.getByLabel('Subscription', { exact: true }).selectOption({ label: 'Inactive' });
  await page.getByText('With this choice: Players get 402, API keys get 401').waitFor();
  await page.getByLabel('Subscription', { exact: true }).selectOption({ label: 'Trial' });
  await page.getByLabel('Trial ends').fill('2099-12-31');
  await page.getByLabel('Plan', { exact: true }).selectOption({ label: 'Growth' });
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save plan' }).click();
  await page.getByText('Plan and subscription saved').waitFor();
  const { plan, subscription, trial_ends_at } = await siteNow();
  expect({ plan, subscription }).toEqual({ plan: 'growth', subscription: 'trialing' });
  expect(Date.parse(String(trial_ends_at))).toBeGreaterThan(Date.parse('2099-12-30'));
  await people.admin.ask('PATCH', `/v1/sites/${server.siteId}`, {
    ...{ plan: 'enterprise', subscription: 'active', trial_ends_at: null },
  });
  await close();
});

test('an admin limits how long audio is kept, and sees what that removes', async () => {
  const { page, close } = await openDashboard(browser, server, people.admin, `${configuration}/general`);
  await page.getByLabel('Keep audio for (days)').fill('99999');
  await page.getByText('Audio beyond these limits is removed within seconds').waitFor();
  await page.getByRole('button', { name: 'Save audio retention' }).click();
  await page.getByText('must be at most 36500').waitFor();
  await page.getByLabel('Keep audio for (days)').fill('365');
  await page.getByRole('button', { name: 'Save audio retention' }).click();
  await page.getByText('Audio retention saved').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(await siteNow()).toMatchObject({ audio_retention_days: 365, audio_retention_mb: 0 });
  await people.admin.ask('PATCH', `/v1/sites/${server.siteId}`, { audio_retention_days: 0 });
  await close();
});

test('narration settings are saved; an invalid selector is reported at its field', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.editor, `${configuration}/reading`);
  await page.getByLabel('Always exclude', { exact: true }).fill('.promo\nh2 + p');
  await page.getByLabel('Closing disclosure').fill('Read by a synthetic voice.');
  await page.getByLabel('Speed').fill('1.1');
  await page.getByLabel('Tables').selectOption({ label: 'Excluded' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/"h2 \+ p"/).waitFor();
  expect(await page.getByLabel('Always exclude', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByLabel('Always exclude', { exact: true }).fill('.promo');
  await page.getByLabel('MP3 bit rate').selectOption('96');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved. They apply to audio generated from now on.').waitFor();
  const { reading, bit_rate_kbps } = await siteNow();
  expect(bit_rate_kbps).toBe(96);
  expect(reading).toMatchObject({
    ...{ leave_out: ['.promo'], tables: 'none', speed: 1.1 },
    disclosure: 'Read by a synthetic voice.',
  });

  const post = { post_id: 'before', content: 'The lighthouse opened its doors again on Saturday.' };
  await people.editor.ask('PATCH', `/v1/sites/${server.siteId}`, { reading: { disclosure: '' } });
  await server.generate(post);
  const before = (await server.settled('before')).audio_url;
  await people.editor.ask('PATCH', `/v1/sites/${server.siteId}`, {
    reading: { disclosure: 'Read by a synthetic voice.' },
  });
  await page.getByRole('button', { name: 'Regenerate all audio…' }).click();
  await page.getByRole('button', { name: 'Regenerate all', exact: true }).click();
  await page.getByText('1 audio file of 1 post is queued for regeneration.').waitFor();
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect((await server.settled('before')).audio_url).not.toBe(before);
  expect(complaints).toEqual([]);
  await close();
});

test('the embed code and the preview follow the options', async () => {
  await server.generate({
    post_id: 'news/"1"',
    post_title: 'Lighthouse',
    content: 'The lighthouse of Port Ellery opened its doors again on Saturday.',
  });
  await server.settled('news/"1"');
  const { page, complaints, close } = await openDashboard(browser, server, people.viewer, `${configuration}/player`);
  await page.getByRole('button', { name: 'Play' }).waitFor();
  expect(await offered(page, 'Embed code')).toEndWith('\n<lectern-player></lectern-player>');
  await page.getByLabel('Article', { exact: true }).selectOption('post');
  await page.getByLabel('Color scheme').selectOption('dark');
  await page.getByLabel('Sticky player').check();
  await page.getByLabel('Allow MP3 download').check();
  const line = '<lectern-player post-id="news/&quot;1&quot;" theme="dark" download sticky>';
  expect(await offered(page, 'Embed code')).toContain(line);
  await page.getByRole('button', { name: /Download/ }).waitFor();
  const { origin } = new URL(server.url);
  expect(await offered(page, 'Policy')).toBe(`script-src ${origin}; connect-src ${origin}; media-src ${origin}`);
  const frame = /src="([^"]*)"/.exec(await offered(page, 'Iframe code'))?.[1] ?? '';
  const framed = await fetch(frame.replaceAll('&amp;', '&'));
  expect(framed.status).toBe(200);
  expect(await framed.text()).toContain('<audio');
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('snippets contain the public URL with its path, even if the dashboard was opened at another one', async () => {
  const behind = await startTestServer({
    env: { LECTERN_BASE_URL: 'https://audio.example.org/lectern' },
  });
  const { page, complaints, close } = await openDashboard(
    browser,
    { url: `${behind.url}/lectern` },
    peopleOf(behind, behind.siteId).admin,
    `/sites/${behind.siteId}/configuration/player`,
  );
  await page.getByText('No audio yet').waitFor();
  const server = 'https://audio.example.org/lectern';
  expect(await offered(page, 'Embed code')).toContain(`src="${server}/v1/public/player.js"`);
  expect(await offered(page, 'Iframe code')).toContain(`src="${server}/v1/public/embed?`);
  expect(await offered(page, 'Policy')).toStartWith('script-src https://audio.example.org;');
  await page.getByRole('link', { name: 'Generate the first audio' }).click();
  await page.getByLabel('Send with curl').check();
  expect(await offered(page, 'curl command')).toContain(`curl ${server}/v1/audio/generate`);
  expect(complaints).toEqual([]);
  await close();
  await behind.stop();
});

test('the podcast feed is at the shown URL and contains the settings', async () => {
  const { page, complaints, close } = await openDashboard(browser, server, people.editor, `${configuration}/podcast`);
  await page.getByLabel('E-mail address').fill('nobody');
  await page.getByRole('button', { name: 'Save feed' }).click();
  await page.getByText('must be an e-mail address').waitFor();
  await page.getByLabel('E-mail address').fill('');
  await page.getByLabel('Title').fill('Harbor News, read aloud');
  await page.getByLabel('Category').selectOption('Technology');
  expect(await faultsInAnyLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save feed' }).click();
  await page.getByText('Podcast feed saved').waitFor();
  const feed = await (await fetch(await offered(page, 'Feed URL'))).text();
  expect(feed).toContain('<title>Harbor News, read aloud</title>');
  expect(feed).toContain('<itunes:category text="Technology"');
  expect(complaints).toEqual([]);
  await close();
});

test('a viewer sees every section except that of admins, and can change nothing', async () => {
  const { page, go, close } = await openDashboard(browser, server, people.viewer, configuration);
  const chapters = page.getByRole('navigation', { name: 'Configuration sections' });
  await chapters.waitFor();
  expect(await chapters.getByRole('link').allTextContents()).toEqual([
    ...['General', 'API keys', 'Player', 'Narration', 'Podcast feed', 'Sources'],
  ]);
  for (const chapter of ['general', 'reading', 'podcast', 'sources']) {
    await go(`${configuration}/${chapter}`);
    await page.locator(`.chapters [aria-current=page][href$="${chapter}"]`).waitFor();
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    const main = page.locator('main');
    const buttons = await main.getByRole('button').allTextContents();
    expect(buttons.filter((name) => name !== 'Copy')).toEqual([]);
    expect(await main.locator('input:enabled, textarea:enabled, select:enabled').count()).toBe(0);
    expect(await faultsInAnyLook(page)).toEqual([]);
  }
  await close();
});

test('an admin deletes a site by typing its name', async () => {
  const { data: site } = await people.admin.ask<{ slug: string }>('POST', '/v1/sites', {
    name: 'Short Lived',
    domains: ['short.example'],
  });
  const { page, close } = await openDashboard(browser, server, people.admin, `/sites/${site.slug}/configuration`);
  await page.getByRole('button', { name: 'Delete site…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Short Lived?' });
  const submit = dialog.getByRole('button', { name: 'Delete site' });
  expect(await submit.isDisabled()).toBe(true);
  await dialog.getByLabel('Type the site').fill('Short Live');
  expect(await submit.isDisabled()).toBe(true);
  expect(await faultsInAnyLook(page)).toEqual([]);
  await dialog.getByLabel('Type the site').fill('Short Lived');
  await submit.click();
  await page.getByRole('heading', { name: 'Sites', exact: true }).waitFor();
  expect((await people.admin.ask('GET', `/v1/sites/${site.slug}`)).status).toBe(404);
  await close();
});

async function siteNow(): Promise<SiteDetail> {
  const { data } = await people.admin.ask<SiteDetail>('GET', `/v1/sites/${server.siteId}`);
  return data;
}
