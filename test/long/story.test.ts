import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import type { Browser, Page } from 'playwright-core';
import { demoArticle } from '../../src/cli/serve.ts';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';

// The complete workflow with the executable, without sources: setup link → site → key → post by API → player on a page of
// another origin → listening → analytics. `bun run docs:screenshots` saves a screenshot of each step in docs/images/story.
const projectFolder = join(import.meta.dir, '../..');
const pictures = join(projectFolder, 'docs/images/story');
const isTakingPictures = process.env['REWRITE_DOCS'] !== undefined;
const siteHost = 'www.harbor.example';
const email = 'ada@harbor.example';
const password = 'correct horse battery staple';
const heardS = 12;

let folder: string;
let server: Subprocess<'ignore', 'pipe', 'inherit'>;
let started: { url: string; setup_url: string };
let newspaper: ReturnType<typeof Bun.serve>;
let browser: Browser;
let dashboard: Page;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-story-'));
  await build(join(folder, 'lectern'));
  server = Bun.spawn(['./lectern', 'serve', '--data', 'data', '--port', '0', '--json'], {
    cwd: folder,
    env: { LECTERN_LOG_LEVEL: 'warn', LECTERN_OPTIMIZE_VOICES: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { value } = await server.stdout.getReader().read();
  started = JSON.parse(new TextDecoder().decode(value).split('\n')[0] ?? '');
  newspaper = Bun.serve({ port: 0, fetch: () => renderArticle() });
  browser = await launchBrowser();
  dashboard = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  if (isTakingPictures) mkdirSync(pictures, { recursive: true });
});

afterAll(async () => {
  await browser?.close();
  await newspaper?.stop(true);
  server?.kill();
  await server?.exited;
  rmSync(folder, { recursive: true, force: true });
});

test('from the setup link to the analytics of a play', async () => {
  await dashboard.goto(started.setup_url);
  await dashboard.getByLabel('E-mail address').fill(email);
  await dashboard.getByLabel('Password').fill(password);
  await takeScreenshot('1-setup');
  await dashboard.getByRole('button', { name: 'Create account' }).click();

  await dashboard.getByLabel('Name of the paper').fill('Harbor News');
  await dashboard.getByLabel('Where its articles are').fill(siteHost);
  await takeScreenshot('2-paper');
  await dashboard.getByRole('button', { name: 'Continue' }).click();
  await dashboard.getByRole('heading', { name: 'What shall be heard first?' }).waitFor();
  await dashboard.getByRole('link', { name: 'Go to the dashboard' }).click();

  await dashboard.getByRole('link', { name: 'Developers', exact: true }).click();
  await dashboard.getByRole('heading', { name: 'Developers', level: 1 }).waitFor();
  await dashboard.getByRole('button', { name: 'Create key' }).click();
  const creation = dashboard.getByRole('dialog', { name: 'Create API key' });
  await creation.getByLabel('Name').fill('production');
  await creation.getByRole('button', { name: 'Create key' }).click();
  const key = (await dashboard.getByLabel('API key', { exact: true }).textContent()) ?? '';
  expect(key).toStartWith('svc_live_');
  await takeScreenshot('3-key');
  await dashboard.keyboard.press('Escape');

  const response = await fetch(`${started.url}/v1/audio/generate`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      post_id: 'lighthouse',
      post_title: demoArticle.title,
      post_url: `http://${siteHost}:${newspaper.port}/lighthouse`,
      content: demoArticle.content,
    }),
  });
  expect(response.status).toBe(202);
  await goTo('/posts');
  await dashboard.getByRole('button', { name: `Play: ${demoArticle.title}` }).waitFor({ timeout: 60_000 });
  await takeScreenshot('4-posts');

  // A separate context: closing a page created by the browser also closes its context with pending reports.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const reader = await context.newPage();
  const complaints: string[] = [];
  reader.on('console', (message) => complaints.push(message.text()));
  await reader.goto(`http://${siteHost}:${newspaper.port}/lighthouse`);
  await reader.getByRole('button', { name: 'Play' }).click();
  await eventually(async () => (await getPosition(reader)) > heardS, `${heardS} s heard`, 60_000);
  await takeScreenshot('5-page', reader);
  expect(await findViolations(reader)).toEqual([]);
  await reader.getByRole('button', { name: 'Pause' }).click();
  const place = await getPosition(reader);
  // The page sends its remaining reports when it is closed.
  await reader.close({ runBeforeUnload: true });
  expect(complaints).toEqual([]);

  const figures = await eventually(async () => {
    const found = await getAnalytics();
    return found.totals.heard_seconds >= heardS ? found : undefined;
  }, 'what was heard is counted');
  expect(figures.totals).toMatchObject({ loads: 1, plays: 1, completes: 0 });
  expect(Math.abs(figures.totals.heard_seconds - place)).toBeLessThanOrEqual(2);

  await goTo('/analytics');
  await dashboard.getByRole('list', { name: 'Plays', exact: true }).waitFor();
  expect(await findViolations(dashboard)).toEqual([]);
  await takeScreenshot('6-analytics');
  if (isTakingPictures) await takeGallery(key);
});

const articles = [
  ['Council votes 7–4 to close the Third Street bridge', 'Snodsbury'],
  ['Storm Ída: everything you need to know', 'Wraxleigh'],
  ['What the new ferry timetable means', 'Qaqortoq'],
  ['Inside the library that stays open until midnight', 'Snodsbury'],
  ['Budget puts $14.2m into flood walls', 'Thrybergh'],
  ['Sunday read: the quiet coast', 'Eastnewydd'],
] as const;

/** Posts of a day of a newspaper, with listening events. */
async function fillSite(key: string): Promise<void> {
  const send = (path: string, body: unknown) =>
    fetch(`${started.url}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const [at, [post_title, town]] of articles.entries()) {
    const content = `<p>The mayor of ${town} spoke for an hour on Saturday.</p><p>“Everybody knows the way,” she said. The repairs cost $4.6 million.</p>`;
    await send('/audio/generate', { post_id: `news/${at + 1}`, post_title, content });
  }
  await send('/audio/generate', {
    post_id: 'gallery',
    post_title: 'The flood in pictures',
    content: '<figure><img src="flood.jpg" alt=""></figure><p>🎈</p>',
  });
  await eventually(async () => {
    const { data } = await (await dashboard.request.get(`${started.url}/v1/sites/harbor-news/posts`)).json();
    return data.counts.ready === articles.length + 1 && data.counts.failed === 1;
  }, 'every post has audio');
  const dayMs = 86_400_000;
  const events = articles.flatMap((_, at) =>
    Array.from({ length: 8 - at }, (_, play) => {
      const occurred_at = new Date(Date.now() - ((at + play) % 6) * dayMs).toISOString();
      const of = { post_id: `news/${at + 1}`, session_id: `${at} ${play}`, occurred_at };
      const progress = { type: 'progress', position_seconds: 4 + play, heard_seconds: 4 + play };
      const parts = [{ type: 'play' }, progress, ...(play % 3 === 0 ? [{ type: 'complete' }] : [])];
      return parts.map((part) => ({ ...of, ...part }));
    }).flat(),
  );
  expect((await send('/events/track', { events })).status).toBe(202);
}

/** Pages of the dashboard for the documents: on a desktop and a phone, some in dark mode. */
async function takeGallery(key: string): Promise<void> {
  await fillSite(key);
  const shots: readonly (readonly [name: string, path: string, look?: 'dark' | 'phone'])[] = [
    ['sites', '/server/sites'],
    ['overview', ''],
    ['overview-phone', '', 'phone'],
    ['posts-dark', '/posts', 'dark'],
    ['post', '/posts/lighthouse'],
    ['new-post', '/new'],
    ['pronunciation', '/pronunciation?tab=new'],
    ['voices', '/voices'],
    ['analytics', '/analytics'],
    ['player', '/player'],
    ['developers', '/developers'],
    ['settings-phone-dark', '/settings', 'phone'],
  ];
  for (const [name, path, look] of shots) {
    await dashboard.setViewportSize(look === 'phone' ? { width: 390, height: 844 } : { width: 1440, height: 900 });
    await dashboard.emulateMedia({ colorScheme: name.endsWith('dark') ? 'dark' : 'light' });
    await goTo(path);
    if (path === '/new') await writePost();
    if (path === '/voices') await playVoice();
    await dashboard.waitForLoadState('networkidle');
    await dashboard.locator('.waiting').first().waitFor({ state: 'detached' });
    await dashboard.screenshot({ path: join(projectFolder, 'docs/images/dashboard', `${name}.png`) });
  }
}

/** A text whose preview shows every feature: replaced words, excluded text, a new name. */
async function writePost(): Promise<void> {
  await dashboard.getByRole('textbox', { name: 'Title' }).fill('Tide gate stuck open at the old pier');
  await dashboard
    .getByRole('textbox', { name: 'Text' })
    .fill(
      '<p>The tide gate at Snodsbury has been stuck open since Nov. 20, 2026, said the harbor office.</p><p>Repairs cost $1.2m and will take until 3:45 p.m. on Friday, Dec. 4.</p><figure><img src="gate.jpg"><figcaption>Photo: J. Lind</figcaption></figure>',
    );
  await dashboard.getByText('Snodsbury').last().waitFor();
}

/** One voice has played, so that its waveform is shown. */
async function playVoice(): Promise<void> {
  await dashboard.getByRole('button', { name: 'Play: Aspen' }).click();
  await dashboard.locator('.wave i[style*="100%"]').first().waitFor();
}

async function goTo(path: string): Promise<void> {
  await dashboard.goto(`${started.url}/#${path.startsWith('/server/') ? '' : '/sites/harbor-news'}${path}`);
  await dashboard.reload();
  await dashboard.getByRole('main').waitFor();
}

async function build(outfile: string): Promise<void> {
  const script = join(projectFolder, 'src/build/build.ts');
  const child = Bun.spawn([process.execPath, script, '--target', 'native', '--outfile', outfile], {
    stderr: 'pipe',
  });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(errors);
}

/** The page of the newspaper with the one embedded line. */
function renderArticle(): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${demoArticle.title}</title>
<style>
body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1.125rem/1.6 Georgia, "DejaVu Serif", serif; }
nav, figure { display: none; }
</style>
</head>
<body>
<main>
<h1>${demoArticle.title}</h1>
<script async src="${started.url}/v1/public/player.js"></script><lectern-player post-id="lighthouse"></lectern-player>
${demoArticle.content}
</main>
</body>
</html>`;
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

function getPosition(page: Page): Promise<number> {
  return page.locator('lectern-player').evaluate((element) => (element as { currentTime: number }).currentTime);
}

/** With the session of the dashboard. */
async function getAnalytics() {
  const response = await dashboard.request.get(`${started.url}/v1/sites/harbor-news/analytics`);
  const { data } = (await response.json()) as {
    data: {
      totals: { loads: number; plays: number; completes: number; heard_seconds: number };
    };
  };
  return data;
}

async function takeScreenshot(name: string, page = dashboard): Promise<void> {
  if (isTakingPictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}
