import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { findViolationsInNextLook, openDashboard, readRegion } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';

const domain = 'www.harbor.example';
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Mobile';
const desktop = 'Mozilla/5.0 (X11; Linux x86_64)';
const dayMs = 86_400_000;
/** Time of the events and of the page, even if midnight passes during the test. */
const now = Date.now();

let server: PublicSite;
let users: SiteUsers;
let browser: Browser;
/** Of the posts. */
let durationS: number;

beforeAll(async () => {
  server = await startPublicSite([domain]);
  users = createSiteUsers(server, 1);
  browser = await launchBrowser();
  for (const [postId, title] of [
    ['news/1', 'The lighthouse opens'],
    ['news/2', 'A winter without ferries'],
  ]) {
    await server.generate({
      post_id: postId,
      post_title: title,
      post_url: `https://${domain}/${postId}`,
      content: 'The lighthouse opens again on Saturday, and it stays open until dusk on every day.',
    });
    const { duration_seconds: duration } = await server.waitUntilFinished(String(postId));
    durationS = duration ?? 0;
  }
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('without events the page explains how to get analytics', async () => {
  const { page, complaints, go, close } = await openAnalytics(users.viewer);
  await page.getByRole('heading', { name: 'No plays in this period' }).waitFor();
  await page.getByText(`a domain of the site: ${domain}`).waitFor();

  expect(await readRegion(page, 'Embed code')).toContain(`src="${server.url}/v1/public/player.js"`);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await go('/sites/1/analytics/news%252F1');
  await page.getByRole('heading', { name: 'The lighthouse opens', level: 1 }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('events appear in totals, charts and tables', async () => {
  const occurred_at = new Date(now).toISOString();
  // Two listeners on a phone, one of them to the end; one on a desktop two days ago; one reported by a server.
  await listen(phone, [
    ...buildEvents('news/1', durationS),
    { type: 'complete', post_id: 'news/1', session_id: 'a', occurred_at },
    ...buildEvents('news/1', durationS * 0.4),
  ]);
  await listen(desktop, buildEvents('news/2', durationS / 4, now - 2 * dayMs));
  const tracked = await server.request('/v1/events/track', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'play', post_id: 'news/2', occurred_at }),
  });
  expect(tracked.status).toBe(202);

  const { page, complaints, close } = await openAnalytics(users.viewer);
  expect(await readFigure(page, 'Plays')).toBe('4');
  expect(await readFigure(page, 'Heard to the end')).toBe('25%');
  expect(await readFigure(page, 'Time listened')).toBe(`${Math.round(durationS * 1.65)} s`);
  expect((await readChart(page, 'Plays')).slice(-3)).toEqual([1, 0, 3]);
  expect(await readChart(page, 'Plays')).toHaveLength(30);
  await page.getByRole('button', { name: 'Heard to the end' }).click();
  expect((await readChart(page, 'Heard to the end')).at(-1)).toBe(33);
  const parts = await readChart(page, 'Plays that heard each part');
  expect(parts).toHaveLength(20);
  expect(parts.at(0)).toBe(75);
  expect(parts.at(10)).toBe(25);

  expect(await listBars(page, 'Articles')).toEqual(['The lighthouse opens 2', 'A winter without ferries 2']);
  expect(await listBars(page, 'Devices')).toEqual(['Phone 2', 'Computer 1', 'Other 1']);
  expect(await listBars(page, 'Sources')).toEqual(['Players on pages 3', 'Servers, with an API key 1']);
  await page.getByRole('button', { name: 'Sections' }).click();
  await eventually(async () => (await listBars(page, 'Sections')).length === 1, 'sections');
  expect(await listBars(page, 'Sections')).toEqual(['news2 listeners · 25% heard to the end 4']);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('button', { name: 'Articles' }).click();
  await page.getByRole('button', { name: 'Events' }).click();
  const reached = 'Reached the end without skipping to it 1';
  await eventually(async () => (await listBars(page, 'Events')).includes(reached), reached);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('the pointer on a day shows its value', async () => {
  const { page, close } = await openAnalytics(users.viewer);
  const drawing = page.locator('.plot svg').first();
  const box = await drawing.boundingBox();
  await drawing.hover({ position: { x: (box?.width ?? 0) - 10, y: 40 } });
  const today = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  await page.locator('.tip').getByText('3', { exact: true }).waitFor();
  await page.locator('.tip').getByText(today.format(now)).waitFor();
  await close();
});

test('the selected period is compared with the previous one, and is part of the URL', async () => {
  const { page, close } = await openAnalytics(users.viewer);
  await page.getByLabel('7 days').check();
  await eventually(async () => (await readChart(page, 'Plays')).length === 7, 'seven days');
  await page.getByLabel('Custom').check();
  const today = formatDay(now);
  await page.getByLabel('First day').fill(today);
  await eventually(async () => (await readFigure(page, 'Plays')) === '3', 'the plays of today');
  await page.getByLabel('First day').fill(formatDay(now - dayMs));
  await page.getByText('+200%').first().waitFor();
  await page.getByRole('button', { name: 'Sections' }).click();
  await page.getByText('+200% plays').waitFor();
  await page.reload();
  await page.getByText('+200%').first().waitFor();
  await page.getByLabel('First day').fill(formatDay(now + dayMs));
  await page.getByText('The start date must not be after the end date.').waitFor();
  await close();
});

test('a refresh fetches the previous period only once', async () => {
  const { page, close } = await openDashboard(browser, server, users.viewer, '/sites/1/analytics');
  await page.clock.install({ time: now });
  await page.reload();
  await page.getByRole('button', { name: 'Sections' }).click();
  await listBars(page, 'Sections');
  const periods: string[] = [];
  page.on('request', (request) => {
    const query = new URL(request.url()).searchParams;
    if (query.has('group_by')) periods.push(String(query.get('to')));
  });
  await page.clock.runFor(30_000);
  // Totals, sections, devices and sources.
  await eventually(() => periods.length >= 4, 'the refresh');
  await page.waitForLoadState('networkidle');
  expect([...new Set(periods)]).toEqual([formatDay(now)]);
  await close();
});

test('a post has its own analytics, with links from and to the list', async () => {
  const { page, complaints, close } = await openAnalytics(users.editor);
  await page.getByRole('link', { name: 'The lighthouse opens' }).click();
  await page.getByRole('heading', { name: 'The lighthouse opens', level: 1 }).waitFor();
  expect(await readFigure(page, 'Plays')).toBe('2');
  expect(await page.getByRole('region', { name: 'Articles' }).count()).toBe(0);
  expect(await findViolationsInNextLook(page)).toEqual([]);
  await page.getByRole('link', { name: 'Open post' }).click();
  await eventually(async () => page.url().includes('/posts/'), 'the post');
  await page.goBack();
  await page.getByRole('link', { name: 'Analytics', exact: true }).first().click();
  await page.getByRole('region', { name: 'Articles' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('each breakdown can be downloaded as CSV', async () => {
  const { page, close } = await openAnalytics(users.viewer);
  expect(await downloadLines(page, 'Articles')).toEqual([
    'post,name,loads,plays,completes,completion,listeners,heard_seconds',
    `news/1,The lighthouse opens,0,2,1,0.5,1,${Math.round(durationS * 1.4)}`,
    `news/2,A winter without ferries,0,2,0,0,1,${Math.round(durationS / 4)}`,
  ]);
  await page.getByRole('button', { name: 'Days', exact: true }).click();
  const days = await downloadLines(page, 'Days');
  expect(days).toHaveLength(31);
  expect(days.at(-1)).toStartWith(`${formatDay(now)},0,3,1,0.333,1,`);
  await close();
});

async function openAnalytics(user: SiteUsers['viewer']) {
  const opened = await openDashboard(browser, server, user, '/sites/1/analytics');
  await opened.page.clock.setFixedTime(now);
  await opened.page.reload();
  return opened;
}

/** Events that a player reports of a listener. */
function buildEvents(postId: string, seconds: number, at = now): object[] {
  const common = {
    post_id: postId,
    session_id: 'a',
    occurred_at: new Date(at).toISOString(),
  };
  return [
    { ...common, type: 'play' },
    { ...common, type: 'progress', position_seconds: seconds, heard_seconds: seconds },
  ];
}

async function listen(agent: string, events: readonly object[]): Promise<void> {
  const response = await server.open(`events?domain=${domain}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: `https://${domain}`,
      'user-agent': agent,
    },
    body: JSON.stringify({ events }),
  });
  expect(response.status).toBe(202);
}

/** @returns the value under a name as soon as it is shown */
async function readFigure(page: Page, name: string): Promise<string> {
  const value = page.getByRole('button', { name }).locator('.value');
  await value.waitFor();
  return (await value.textContent()) ?? '';
}

/** @returns the values of a chart, which screen readers have as a list */
async function readChart(page: Page, chart: string): Promise<number[]> {
  const items = page.getByRole('list', { name: chart, exact: true }).getByRole('listitem');
  await items.first().waitFor();
  return (await items.allTextContents()).map((text) => Number(/: (\d+)(?:%| min)?$/.exec(text)?.[1]));
}

/** @returns the lines of a breakdown */
async function listBars(page: Page, name: string): Promise<string[]> {
  const lines = page.getByRole('region', { name }).getByRole('listitem');
  await lines.first().waitFor();
  return lines.evaluateAll((items) =>
    items.map((item) =>
      [...item.children]
        .map((part) => part.textContent)
        .filter(Boolean)
        .join(' '),
    ),
  );
}

/** @returns the lines of the file that the button of a breakdown downloads */
async function downloadLines(page: Page, name: string): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: `Download CSV: ${name}` }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^analytics-.+\.csv$/);
  const text = await Bun.file(await download.path()).text();
  return text.trimEnd().split('\r\n');
}

function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
