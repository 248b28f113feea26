import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { PlayerSettings } from '../../src/sites/player-settings.ts';
import { findViolations } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { selectCases, usualLooks } from '../fixtures/scale.ts';
import { createSignedInClient, type SignedInClient } from '../fixtures/users.ts';
import {
  type PlayerPages,
  readLayoutShifts,
  readPlayer,
  recordLayoutShifts,
  startPlayerPages,
  waitForEvent,
  waitUntilPlayedBeyond,
} from './player-page.ts';

const title = 'Harbor town reopens its lighthouse after eleven years of repairs';
const buildParagraph = (name: string) =>
  `<p>The ${name} of the harbor is open on Saturday morning. Boats arrive with herring and news from the islands.</p>`;
const content = `${buildParagraph('tower')}${buildParagraph('market')}<h2>The long repair</h2>${buildParagraph('staircase')}
<h2>Opening day</h2>${buildParagraph('lamp')}${buildParagraph('café')}`;
let server: PublicSite;
let pages: PlayerPages;
let admin: SignedInClient;

beforeAll(async () => {
  server = await startPublicSite(['news.example']);
  pages = await startPlayerPages(server.url);
  admin = await createSignedInClient(server, '--role', 'admin');
  await server.generate({ post_id: 'read', post_title: title, content });
  await server.waitUntilFinished('read');
});

afterAll(async () => {
  await pages?.stop();
  await server?.stop();
});

const buildPage = (attributes = '') =>
  `<h1>The article</h1><lectern-player post-id="read" ${attributes}></lectern-player>`;
const waitUntilReady = (page: Page) => page.locator('lectern-player .card .play:enabled').first().waitFor();
const getStyle = (page: Page, selector: string, property: string) =>
  page
    .locator(`lectern-player ${selector}`)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

async function setPlayer(settings: Partial<PlayerSettings>): Promise<void> {
  const response = await admin.request('PATCH', '/v1/sites/1', { player: settings });
  expect(response.status).toBe(200);
}

/** Contrast by WCAG 2.2 of two colors as the browser draws them. */
function measureContrast(page: Page, first: string, second: string): Promise<number> {
  return page.evaluate(
    (colors) => {
      const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const [a = 0, b = 0] = colors.map((color) => {
        if (context === null) throw new Error('no canvas');
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
          const share = byte / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      });
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    },
    [first, second],
  );
}

test('in a column of twelve ems no layout is wider than its card', async () => {
  const { page } = await pages.open(
    ['pill', 'compact', 'large'].map((layout) => buildPage(`layout="${layout}"`)).join(''),
    { viewport: { width: 224, height: 900 } },
  );
  const cards = page.locator('lectern-player .card');
  await cards.locator('.play:enabled').nth(2).waitFor();
  for (const card of await cards.all()) await card.locator('.play').click();
  // The look of the large layout is loaded by itself.
  await eventually(async () => (await getStyle(page, '.large .card', 'display')) === 'grid', 'the large layout');
  const widths = await cards.evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  expect(widths).toEqual([0, 0, 0]);
  await page.close();
});

describe('the settings of the site', () => {
  test('define layout and corners on every page; attributes of an element take precedence', async () => {
    await setPlayer({ layout: 'large', corners: 13, transcript: false });
    const { page } = await pages.open(buildPage());
    await waitUntilReady(page);
    expect(await page.locator('[part=title]').textContent()).toBe(title);
    await page.getByRole('button', { name: 'Forward 15 seconds' }).waitFor();
    expect(await getStyle(page, '[part=player]', 'border-top-left-radius')).toBe('13px');
    expect(await page.getByRole('button', { name: 'Transcript' }).isVisible()).toBe(false);
    const named = await pages.open(buildPage('layout="pill" transcript'));
    await waitUntilReady(named.page);
    expect(await named.page.locator('[part=title]').textContent()).toBe('Listen');
    await page.close();
    await named.page.close();
  });

  test.each(['#ffe100', '#8c1d2c', '#0a0a0a', '#00ff66'])(
    'the accent %s is legible on light and dark',
    async (accent) => {
      await setPlayer({ layout: 'compact', corners: 4, accent, transcript: true });
      for (const [look, ground] of [
        ['light', '#fff'],
        ['dark', '#111'],
      ] as const) {
        const { page } = await pages.open(buildPage(), { html: `lang="en" data-look="${look}"` });
        await waitUntilReady(page);
        const button = await getStyle(page, '.play', 'background-color');
        expect(await measureContrast(page, button, ground)).toBeGreaterThanOrEqual(4.5);
        expect(await measureContrast(page, button, await getStyle(page, '.play svg', 'color'))).toBeGreaterThanOrEqual(
          4.5,
        );
        await page.close();
      }
      await setPlayer({ accent: null });
    },
  );
});

const layoutLooks = ['pill', 'compact', 'large'].flatMap((layout, index) =>
  selectCases(usualLooks, index).map((look) => ({ layout, ...look })),
);
test.each(layoutLooks)(
  'the layout $layout at $width px, $colorScheme: nothing that axe-core finds, nothing moves, controls of 40 px',
  async ({ layout, width, colorScheme }) => {
    const options = { viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' } as const;
    const { page, complaints } = await pages.open(`${buildPage(`layout="${layout}"`)}<p>What follows.</p>`, {
      ...options,
      scriptDelayMs: 300,
      beforehand: recordLayoutShifts,
    });
    await waitUntilReady(page);
    const expectAccessible = async () => {
      expect(await findViolations(page)).toEqual([]);
      const small = await page
        .locator('lectern-player .card')
        .locator('button:visible,select:visible')
        .evaluateAll((all) =>
          all
            .filter((element) => Math.min(element.clientWidth, element.clientHeight) < 40)
            .map((element) => element.className),
        );
      expect(small).toEqual([]);
    };
    await expectAccessible();
    await page.getByRole('button', { name: 'Play' }).click();
    await waitForEvent(page, 'segment read 0');
    await expectAccessible();
    expect(await readLayoutShifts(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  },
);

describe('the seek bar', () => {
  test('shows paragraphs and the sentence at the pointer; a click plays from its start', async () => {
    const { page } = await pages.open(buildPage('layout="large"'));
    await waitUntilReady(page);
    const timings = await page.evaluate(async (address) => (await fetch(address)).json(), await getTimingsUrl());
    const bar = page.locator('lectern-player .bar');
    const box = await bar.boundingBox();
    if (box === null) throw new Error('no bar');
    const { segments } = timings as { segments: { start_ms: number; end_ms: number; text: string }[] };
    const durationMs = segments.at(-1)?.end_ms ?? 0;
    const chosen = segments[5] ?? segments[0];
    if (chosen === undefined) throw new Error('no segments');
    const x = box.x + (box.width * (chosen.start_ms + chosen.end_ms)) / 2 / durationMs;
    await page.mouse.move(x, box.y + box.height / 2);
    await eventually(async () => {
      // The timings load after the first pointer move.
      await page.mouse.move(x + 1, box.y + box.height / 2);
      return (await page.locator('lectern-player .bubble').textContent())?.includes(chosen.text);
    }, 'the sentence is told');
    // The title, five paragraphs and two short headings, which are merged with their neighbors.
    const parts = await page
      .locator('lectern-player .track i')
      .evaluateAll((all) => all.map((element) => element.clientWidth));
    expect(parts.length).toBeWithin(5, 9);
    expect(Math.min(...parts)).toBeGreaterThan(box.width * 0.03);
    await page.mouse.click(x, box.y + box.height / 2);
    expect((await readPlayer(page)).currentTime).toBeCloseTo(chosen.start_ms / 1000, 1);
    await page.close();
  });

  test('shows a position and a remaining time whose sum is the duration', async () => {
    const { page } = await pages.open(buildPage('layout="large"'));
    await waitUntilReady(page);
    const readSeconds = async (part: string) => {
      const [minutes = 0, rest = 0] = ((await page.locator(`[part=${part}]`).textContent()) ?? '')
        .replace('−', '')
        .split(':')
        .map(Number);
      return minutes * 60 + rest;
    };
    const length = await readSeconds('total');
    expect(await page.locator('[part=status]').textContent()).toContain(`${length} s · read by `);
    await page.getByRole('button', { name: 'Forward 15 seconds' }).click();
    const isSum = async () => (await readSeconds('elapsed')) + (await readSeconds('total')) === length;
    await eventually(async () => (await readSeconds('elapsed')) > 0 && isSum(), 'position and rest are the duration');
    await page.close();
  });
});

async function getTimingsUrl(): Promise<string> {
  return ((await server.status('read')).audio_url ?? '').replace(/mp3$/, 'json');
}

describe('the transcript', () => {
  test.each(['compact', 'large'])('of the layout %s marks the sentence, and a click plays from one', async (layout) => {
    const { page, complaints } = await pages.open(buildPage(`layout="${layout}"`));
    await page.getByRole('button', { name: 'Play' }).click();
    await waitForEvent(page, 'segment read 0');
    await page.getByRole('button', { name: 'Transcript' }).click();
    const text = page.locator('lectern-player .text');
    await text.locator('.now').waitFor();
    expect(await text.getAttribute('lang')).toBe('en');
    const sentence = text.getByText('The lamp of the harbor');
    await sentence.click();
    await eventually(async () => (await sentence.getAttribute('class')) === 'now', 'the sentence is marked');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    if (layout === 'compact') await text.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('has chapters for its headings in the menu', async () => {
    const { page } = await pages.open(buildPage());
    await page.getByRole('button', { name: 'Play' }).click();
    await waitForEvent(page, 'segment read 0');
    const more = page.getByRole('button', { name: 'More' });
    await more.click();
    await page.getByRole('button', { name: 'More', expanded: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const before = (await readPlayer(page)).currentTime;
    await page.getByRole('button', { name: 'Opening day' }).click();
    expect((await readPlayer(page)).currentTime).toBeGreaterThan(before + 10);
    await page.close();
  });
});

test('on a right-to-left page the player is mirrored, and the left arrow seeks forward', async () => {
  const { page } = await pages.open(buildPage('layout="large"'), { html: 'lang="ar" dir="rtl"' });
  await waitUntilReady(page);
  const getX = async (name: string) => (await page.getByRole('button', { name }).boundingBox())?.x ?? 0;
  expect(await getX('Forward 15 seconds')).toBeLessThan(await getX('Back 15 seconds'));
  await page.getByRole('slider').press('ArrowLeft');
  expect((await readPlayer(page)).currentTime).toBe(5);
  expect(await findViolations(page)).toEqual([]);
  // An English sentence reads from left to right, with its full stop at the end.
  await page.getByRole('button', { name: 'Play' }).click();
  await waitForEvent(page, 'segment read 0');
  await page.getByRole('slider').hover();
  const bubble = page.locator('lectern-player .bubble');
  await bubble.getByText(/\.$/).waitFor();
  const [first = 0, last = 0] = await bubble.evaluate(({ firstChild }) => {
    const { length = 0 } = firstChild?.textContent ?? '';
    return [0, length - 1].map((at) => {
      const character = document.createRange();
      character.setStart(firstChild as Node, at);
      character.setEnd(firstChild as Node, at + 1);
      return character.getBoundingClientRect().x;
    });
  });
  expect(first).toBeLessThan(last);
  await page.close();
});

test('player and highlight are not printed, and the player is visible in forced colors', async () => {
  const { page } = await pages.open(`${buildPage()}${content}`);
  await waitUntilReady(page);
  await page.getByRole('button', { name: 'Play' }).click();
  await waitForEvent(page, 'segment read 0');
  const getMark = () =>
    page.evaluate(() => getComputedStyle(document.body, '::highlight(lectern-spoken)').backgroundColor);
  expect(await getMark()).not.toBe('rgba(0, 0, 0, 0)');
  await page.emulateMedia({ media: 'print' });
  expect(await getMark()).toBe('rgba(0, 0, 0, 0)');
  expect(await page.locator('lectern-player').isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen', forcedColors: 'active' });
  expect(await getStyle(page, '.play', 'background-color')).not.toBe(await getStyle(page, '.play svg', 'color'));
  await page.close();
});

test('an unreachable file plays as soon as it is reachable', async () => {
  let isThere = false;
  const mp3 = await (await fetch((await server.status('read')).audio_url ?? '')).bytes();
  const files = Bun.serve({
    port: 0,
    fetch: () =>
      isThere ? new Response(mp3, { headers: { 'content-type': 'audio/mpeg' } }) : new Response('', { status: 503 }),
  });
  const { page } = await pages.open(
    `<lectern-player audio-url="http://files.example:${files.port}/a.mp3" duration="40"></lectern-player>`,
    { media: `http://files.example:${files.port}` },
  );
  await page.getByRole('button', { name: 'Play' }).click();
  await page.locator('[part=status]').getByText('Trying again in').waitFor();
  isThere = true;
  await waitUntilPlayedBeyond(page, 0.1);
  await page.close();
  await files.stop(true);
});
