import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { faultsInAnyLook, offered, openDashboard } from '../fixtures/dashboard.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';

const domain = 'www.harbor.example';
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Mobile';
const desktop = 'Mozilla/5.0 (X11; Linux x86_64)';
const dayMs = 86_400_000;
/** When all of it happens and is looked at, though it may be midnight meanwhile. */
const now = Date.now();

let server: PublicSite;
let people: People;
let browser: Browser;
/** Of the posts. */
let durationS: number;

beforeAll(async () => {
  server = await startPublicSite([domain]);
  people = peopleOf(server, 1);
  browser = await launchBrowser();
  for (const [postId, title] of [
    ['news/1', 'The lighthouse opens'],
    ['news/2', 'A winter without ferries'],
  ]) {
    await server.generate({
      post_id: postId,
      post_title: title,
      content: 'The lighthouse opens again on Saturday, and it stays open until dusk on every day.',
    });
    const { duration_seconds: duration } = await server.settled(String(postId));
    durationS = duration ?? 0;
  }
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('without events the page explains how to get analytics', async () => {
  const { page, complaints, close } = await openAnalytics(people.viewer);
  await page.getByRole('heading', { name: 'No plays in this period' }).waitFor();
  await page.getByText(`a domain of the site: ${domain}`).waitFor();

  expect(await offered(page, 'Embed code')).toContain(`src="${server.url}/v1/public/player.js"`);
  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('events appear in totals, charts and tables', async () => {
  const occurred_at = new Date(now).toISOString();
  // Two listen on a phone, one of them to the end; one on a desktop two days ago; one told by a server.
  await listen(phone, [
    ...heard('news/1', durationS),
    { type: 'complete', post_id: 'news/1', session_id: 'a', occurred_at },
    ...heard('news/1', durationS * 0.4),
  ]);
  await listen(desktop, heard('news/2', durationS / 4, now - 2 * dayMs));
  const tracked = await server.ask('/v1/events/track', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'play', post_id: 'news/2', occurred_at }),
  });
  expect(tracked.status).toBe(202);

  const { page, complaints, close } = await openAnalytics(people.viewer);
  expect(await figure(page, 'Plays')).toBe('4');
  expect(await figure(page, 'Completion')).toBe('25%');
  const seconds = Math.round(durationS * 1.65);
  expect(await figure(page, 'Listening time')).toBe(`${seconds} s`);
  expect(await page.getByText('None in the previous 30 days').count()).toBe(3);

  // Each chart has its figures in a table too.
  await page.getByText('Plays as a table').click();
  const days = await cells(page, 'Plays by day');
  expect(days).toHaveLength(30);
  expect(days.map(([, plays]) => plays).slice(-3)).toEqual(['1', '0', '3']);
  await page.getByText('Retention as a table').click();
  const parts = await cells(page, 'Share of plays by part of the audio');
  expect(parts).toHaveLength(20);
  expect(parts.at(0)).toEqual(['0–5%', '75%']);
  expect(parts.at(10)).toEqual(['50–55%', '25%']);

  expect(await cells(page, 'Analytics by post')).toEqual([
    ['The lighthouse opens', '2 50%', '1', `${Math.round(durationS * 1.4)} s`, '50%'],
    ['A winter without ferries', '2 50%', '1', `${Math.round(durationS / 4)} s`, '0%'],
  ]);
  await page.getByLabel('Devices').check();
  await page.getByRole('table', { name: 'Analytics by device' }).waitFor();
  expect((await cells(page, 'Analytics by device')).map(([name]) => name)).toEqual(['Phone', 'Computer', 'Other']);
  await page.getByLabel('Sources').check();
  await page.getByRole('table', { name: 'Analytics by source' }).waitFor();
  expect((await cells(page, 'Analytics by source')).map(([name, plays]) => [name, plays])).toEqual([
    ['Players on pages', '3 75%'],
    ['Servers, with an API key', '1 25%'],
  ]);
  expect(await cells(page, 'Events by type')).toContainEqual([
    'complete',
    'Reached the end without skipping to it',
    '1',
  ]);
  expect(await cells(page, 'Requests by key, route and status')).toContainEqual([
    'production',
    'POST /v1/events/track',
    '202',
    '1',
  ]);

  expect(await faultsInAnyLook(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('charts have the height of the values, and the colors of either scheme', async () => {
  const { page, close } = await openAnalytics(people.viewer);
  await figure(page, 'Plays');
  const drawn = async () => {
    const found = await painted(page, 0);
    return found.bars.length > 0 ? found : undefined;
  };
  const light = await eventually(drawn, 'the plays are drawn');
  // Today has three times the plays of the day before yesterday; nothing else has any.
  expect(light.bars).toHaveLength(2);
  const [earlier = 0, today = 0] = light.bars;
  expect(today / earlier).toBeWithin(2.8, 3.2);
  expect(light.color).toBe('rgb(11, 101, 87)');

  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await eventually(
    async () => {
      const found = await drawn();
      return found?.color === light.color ? undefined : found;
    },
    'the plays are drawn anew',
    // Before new figures would have them drawn anyway.
    15_000,
  );
  expect(dark.color).toBe('rgb(98, 205, 182)');

  // As wide as its place, whatever the window is.
  await page.setViewportSize({ width: 390, height: 900 });
  await eventually(async () => {
    const { width } = await painted(page, 0);
    return width > 200 && width < 390;
  }, 'the drawing fits a phone');
  await close();
});

test('pointing at a day shows its value', async () => {
  const { page, close } = await openAnalytics(people.viewer);
  await figure(page, 'Plays');
  const drawing = page.locator('.chart .u-over').first();
  const box = await drawing.boundingBox();
  await drawing.hover({ position: { x: (box?.width ?? 0) - 6, y: 40 } });
  const today = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
  await page.getByText(`${today.format(now)}: 3`).waitFor();
  await close();
});

test('another period is compared with the period before it', async () => {
  const { page, close } = await openAnalytics(people.viewer);
  await page.getByLabel('7 days').check();
  await page.getByText('None in the previous 7 days').first().waitFor();
  await page.getByLabel('Custom').check();
  const today = dayOf(now);
  await page.getByLabel('Start date').fill(today);
  await eventually(async () => (await figure(page, 'Plays')) === '3', 'the plays of today');
  await page.getByLabel('Start date').fill(dayOf(now - dayMs));
  await page.getByText('▲ 200% more than in the previous 2 days (1)').waitFor();
  await close();
});

test('a post has its own analytics, linked from the list and back', async () => {
  const { page, complaints, close } = await openAnalytics(people.editor);
  await page.getByRole('link', { name: 'The lighthouse opens' }).click();
  await page.getByRole('heading', { name: 'The lighthouse opens', level: 1 }).waitFor();
  expect(await figure(page, 'Plays')).toBe('2');
  expect(await page.getByText('Requests with API keys').count()).toBe(0);
  expect(await faultsInAnyLook(page)).toEqual([]);

  await page.getByRole('link', { name: 'Open post' }).click();
  await page.getByRole('heading', { name: 'Embed the player' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Analytics' }).click();
  await page.getByRole('heading', { name: 'Audience retention' }).waitFor();
  expect(await figure(page, 'Plays')).toBe('2');
  expect(complaints).toEqual([]);
  await close();
});

test('each breakdown can be downloaded as CSV', async () => {
  const { page, close } = await openAnalytics(people.viewer);
  await page.getByRole('table', { name: 'Analytics by post' }).waitFor();
  expect(await downloaded(page)).toEqual([
    'post,name,loads,plays,completes,completion,listeners,heard_seconds',
    `news/1,The lighthouse opens,0,2,1,0.5,1,${Math.round(durationS * 1.4)}`,
    `news/2,A winter without ferries,0,2,0,0,1,${Math.round(durationS / 4)}`,
  ]);
  await page.getByLabel('Days', { exact: true }).check();
  await page.getByRole('table', { name: 'Analytics by day' }).waitFor();
  const days = await downloaded(page);
  expect(days).toHaveLength(31);
  expect(days.at(-1)).toStartWith(`${dayOf(now)},0,3,1,0.333,1,`);
  await close();
});

async function openAnalytics(person: People['viewer']) {
  const opened = await openDashboard(browser, server, person, '/sites/1/analytics');
  await opened.page.clock.setFixedTime(now);
  await opened.page.reload();
  return opened;
}

/** What a player reports of a listener. */
function heard(postId: string, seconds: number, at = now): object[] {
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
  const answer = await server.open(`events?domain=${domain}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: `https://${domain}`,
      'user-agent': agent,
    },
    body: JSON.stringify({ events }),
  });
  expect(answer.status).toBe(202);
}

/** @returns the value under a name, once it is there */
async function figure(page: Page, name: string): Promise<string> {
  const value = page
    .locator('.figures > div')
    .filter({ has: page.getByRole('term').filter({ hasText: name }) })
    .locator('.value');
  await value.waitFor();
  return (await value.textContent()) ?? '';
}

/** @returns the rows of a table, each the text of its cells */
function cells(page: Page, caption: string): Promise<string[][]> {
  return page
    .getByRole('table', { name: caption, exact: true })
    .evaluate((table) =>
      [...table.querySelectorAll('tbody tr')].map((row) =>
        [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? ''),
      ),
    );
}

/** @returns what stands on the canvas of a chart: its full columns from left to right in pixels, and their colour */
function painted(page: Page, chart: number) {
  return page
    .locator('.chart canvas')
    .nth(chart)
    .evaluate((canvas) => {
      if (!(canvas instanceof HTMLCanvasElement)) throw new Error('no canvas');
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
      const at = (x: number, y: number) => data.slice((y * width + x) * 4, (y * width + x) * 4 + 4);
      // The bars are the only thing with a colour: all else is grey.
      const isColored = ([red = 0, green = 0, , alpha = 0]: ArrayLike<number> & Iterable<number>) =>
        alpha === 255 && Math.abs(red - green) > 40;
      const heights = Array.from({ length: width }, (_, x) => {
        let count = 0;
        for (let y = 0; y < height; y += 1) if (isColored(at(x, y))) count += 1;
        return count;
      });
      const bars: number[] = [];
      heights.forEach((count, x) => {
        if (count > 0 && heights[x - 1] === 0) bars.push(0);
        if (count > 0) bars[bars.length - 1] = Math.max(bars.at(-1) ?? 0, count);
      });
      const place = heights.indexOf(Math.max(...heights));
      const color = Array.from({ length: height }, (_, y) => at(place, y)).find(isColored) ?? [];
      return { width, bars, color: `rgb(${[...color].slice(0, 3).join(', ')})` };
    });
}

/** @returns the lines of the file that the button gives */
async function downloaded(page: Page): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^analytics-.+\.csv$/);
  const text = await Bun.file(await download.path()).text();
  return text.trimEnd().split('\r\n');
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
