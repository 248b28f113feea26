import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { openDashboard, readRegion } from '../fixtures/dashboard.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUser } from '../fixtures/site-users.ts';
import { requireTool } from '../fixtures/tools.ts';

const host = 'paper.example';
const content = '<p>The ferry to Bray is late again, said the harbor office on Monday morning.</p>';
const folder = createTemporaryFolder();
let server: PublicSite;
let browser: Browser;
let admin: SiteUser;
let plugin: string;
let state: State;

/** Stored state of WordPress. */
interface State {
  key: string;
  home: string;
  posts: Record<number, object>;
  meta: object;
  events: unknown[];
}

beforeAll(async () => {
  server = await startPublicSite([host]);
  browser = await launchBrowser();
  ({ admin } = createSiteUsers(server, server.siteId));
  const { page, close } = await openDashboard(browser, server, admin, `/sites/${server.siteId}/developers`);
  await page.getByRole('link', { name: 'WordPress and others' }).click();
  await page.getByRole('dialog', { name: 'Other ways to embed' }).waitFor();
  plugin = await readRegion(page, 'WordPress plugin');
  await close();
  const post = { post_type: 'post', post_status: 'draft', post_password: '', post_title: 'Ferry &amp; tide' };
  state = {
    key: server.key,
    home: `http://${host}`,
    posts: { 4711: { ...post, post_content: content } },
    meta: {},
    events: [],
  };
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Runs an action of WordPress. @returns the page that it outputs */
async function runWordPress(action: 'save' | 'cron' | 'delete' | 'view', code = plugin): Promise<string> {
  await Bun.write(join(folder, 'lectern.php'), code);
  await Bun.write(join(folder, 'state.json'), JSON.stringify(state));
  const script = join(import.meta.dir, '../fixtures/wordpress.php');
  const child = Bun.spawn(
    [requireTool('php'), '-d', 'error_reporting=-1', script, 'lectern.php', 'state.json', action, '4711'],
    {
      ...{ cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
    },
  );
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  if (action !== 'view') expect(output).toBe('');
  state = await Bun.file(join(folder, 'state.json')).json();
  return output;
}

function change(changes: object): void {
  state.posts[4711] = { ...state.posts[4711], ...changes };
}

test('the WordPress plugin submits published posts, shows the player, and deletes posts that are no longer public', async () => {
  await runWordPress('save');
  expect((await server.request('/v1/audio/4711/status')).status).toBe(404);

  change({ post_status: 'publish' });
  await runWordPress('save');
  expect(await server.waitUntilFinished('4711')).toMatchObject({ status: 'ready', language: 'en' });
  const { data } = await admin.request('GET', '/v1/sites/1/posts/4711');
  expect(data).toMatchObject({ post_title: 'Ferry & tide', post_url: `http://${host}/?p=4711` });
  const output = await runWordPress('view');
  const web = Bun.serve({ port: 0, fetch: () => new Response(output, { headers: { 'content-type': 'text/html' } }) });
  const page = await browser.newPage();
  await page.goto(`http://${host}:${web.port}/?p=4711`);
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.close();
  await web.stop(true);

  change({ post_status: 'trash' });
  await runWordPress('save');
  expect((await server.request('/v1/audio/4711/status')).status).toBe(404);
  expect(state.events).toEqual([]);
});

test('the WordPress plugin retries requests without a response later', async () => {
  change({ post_status: 'publish', post_content: `${content}<p>The next one leaves at noon.</p>` });
  const unreachable = plugin.replaceAll(server.url, 'http://127.0.0.1:9');
  await runWordPress('save', unreachable);
  expect(state.events).toEqual([['lectern_retry', [4711]]]);
  await runWordPress('cron');
  expect(state.events).toEqual([]);
  expect((await server.request('/v1/audio/4711/status')).status).toBe(200);
  await runWordPress('delete');
  expect((await server.request('/v1/audio/4711/status')).status).toBe(404);
});
