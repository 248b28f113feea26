import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { buildArticle } from '../api/articles.ts';
import { findViolations } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { looks, selectCases } from '../fixtures/scale.ts';
import {
  type PlayerPages,
  readLayoutShifts,
  recordLayoutShifts,
  startPlayerPages,
  waitUntilPlayedBeyond,
} from './player-page.ts';

let server: PublicSite;
let pages: PlayerPages;

beforeAll(async () => {
  server = await startPublicSite(['news.example']);
  pages = await startPlayerPages(server.url);
  for (const post of ['read', 'second']) {
    await server.generate({
      post_id: post,
      post_title: `About ${post}`,
      content: buildArticle(post, 8),
    });
    await server.waitUntilFinished(post);
  }
});

afterAll(async () => {
  await pages?.stop();
  await server?.stop();
});

const heading = '<h1>The article</h1>';
const single = '<lectern-player post-id="read" download></lectern-player>';
const list = `<lectern-player><lectern-item post-id="read">The first</lectern-item>
  <lectern-item post-id="second">The second, with a title that is much longer than a phone is wide</lectern-item></lectern-player>`;
const paragraphs = '<p>What the article says, at some length.</p>'.repeat(60);
const waitUntilReady = (page: Page) => page.locator('lectern-player .play:enabled').first().waitFor();

// Light on a phone is in player-layouts.test.ts.
describe.each(selectCases(looks, 1))('at $width px, $colorScheme', ({ width, colorScheme }) => {
  // Checked after the transition.
  const options = {
    viewport: { width, height: 800 },
    colorScheme,
    reducedMotion: 'reduce' as const,
  };

  test.each([
    ['a post', single],
    ['a list', list],
    ['what cannot be played', '<lectern-player audio-url="nothing.mp3"></lectern-player>'],
  ])('%s has nothing that axe-core finds', async (_, body) => {
    const { page } = await pages.open(heading + body, options);
    await eventually(
      async () => (await page.locator('[part=status]').textContent()) !== '',
      'something to be known of it',
    );
    expect(await findViolations(page)).toEqual([]);
    // No overflow.
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.close();
  });

  test('the mini player has no accessibility violations', async () => {
    const sticky = single.replace('download', 'sticky');
    const { page } = await pages.open(heading + sticky + paragraphs, options);
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.1);
    await page.evaluate(() => window.scrollTo(0, 1500));
    await page.locator('lectern-player .mini').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });

  test('the page does not shift while the player loads', async () => {
    const { page } = await pages.open(heading + single + paragraphs, {
      ...options,
      scriptDelayMs: 500,
      beforehand: recordLayoutShifts,
    });
    await waitUntilReady(page);
    await page.locator('[part=status]').getByText('synthetic voice').waitFor();
    // After two frames all layout shifts are recorded.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await readLayoutShifts(page)).toEqual([]);
    await page.close();
  });
});

describe('the color scheme', () => {
  const isDark = (page: Page) =>
    page.locator('lectern-player').evaluate((element) => {
      const title = element.shadowRoot?.querySelector('[part=title]') ?? element;
      const [red = 0] = (getComputedStyle(title).color.match(/\d+/g) ?? []).map(Number);
      return red > 128;
    });

  test.each([
    ['a page that stays light on a dark system', 'data-look="light"', '', 'dark', false],
    ['a page that is dark on a light system', 'data-look="dark"', '', 'light', true],
    ['a page that follows the system', '', '', 'dark', true],
    ['a player that is told to be light', '', 'theme="light"', 'dark', false],
    ['a player that is told to be dark', '', 'theme="dark"', 'light', true],
  ] as const)('%s', async (_, look, attributes, colorScheme, expected) => {
    const body = `<lectern-player post-id="read" ${attributes}></lectern-player>`;
    const { page } = await pages.open(body, { html: `lang="en" ${look}`, colorScheme });
    await waitUntilReady(page);
    // The theme is applied after the post has loaded.
    await eventually(async () => (await isDark(page)) === expected, `the player is ${expected ? 'dark' : 'light'}`);
    await page.close();
  });

  test('follows a switch of the page', async () => {
    const { page } = await pages.open(single, { html: 'lang="en" data-look="light"' });
    await waitUntilReady(page);
    expect(await isDark(page)).toBe(false);
    await page.evaluate(() => document.documentElement.setAttribute('data-look', 'dark'));
    await eventually(() => isDark(page), 'the player is dark');
    await page.close();
  });
});

test('a page can style the player with custom properties and parts', async () => {
  const { page } = await pages.open(`<div class="branded">${single}</div>`);
  await waitUntilReady(page);
  const colours = await page.locator('lectern-player').evaluate((element) =>
    ['[part=player]', '[part=play-button]', '[part=title]'].map((selector) => {
      const part = element.shadowRoot?.querySelector(selector) ?? element;
      const { backgroundColor, borderRadius, fontStyle } = getComputedStyle(part);
      return { backgroundColor, borderRadius, fontStyle };
    }),
  );
  expect(colours[0]).toMatchObject({ backgroundColor: 'rgb(255, 240, 230)', borderRadius: '3px' });
  expect(colours[1]).toMatchObject({ backgroundColor: 'rgb(160, 0, 80)' });
  expect(colours[2]).toMatchObject({ fontStyle: 'italic' });
  await page.close();
});

describe('a player scrolled out of view', () => {
  const open = async (html = 'lang="en"') => {
    const { page } = await pages.open(
      `${single.replace('download', 'sticky')}${paragraphs}<a id="last" href="#">The last link</a>`,
      { html },
    );
    await waitUntilReady(page);
    return page;
  };
  const getMiniPlayer = (page: Page) => page.locator('lectern-player .mini');
  const scrollAway = (page: Page) => page.evaluate(() => window.scrollTo(0, 1500));

  test('is shown in a corner during playback, until it is closed or scrolled into view', async () => {
    const page = await open();
    await scrollAway(page);
    await eventually(
      () => page.locator('lectern-player').evaluate((e) => e.getBoundingClientRect().bottom < 0),
      'it is out of view',
    );
    expect(await getMiniPlayer(page).isVisible()).toBe(false);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.1);
    await scrollAway(page);
    await getMiniPlayer(page).waitFor();
    expect(await getMiniPlayer(page).textContent()).toContain('About read');
    await getMiniPlayer(page).getByRole('button', { name: 'About read' }).click();
    await getMiniPlayer(page).waitFor({ state: 'hidden' });
    await scrollAway(page);
    await getMiniPlayer(page).getByRole('button', { name: 'Close' }).click();
    await getMiniPlayer(page).waitFor({ state: 'hidden' });
    const player = page.locator('lectern-player');
    expect(await player.evaluate((element) => 'paused' in element && element.paused)).toBe(false);
    await page.close();
  });

  test('is at the end of the lines, which on a right-to-left page is the left', async () => {
    const page = await open('lang="ar" dir="rtl"');
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.1);
    await scrollAway(page);
    await getMiniPlayer(page).waitFor();
    expect((await getMiniPlayer(page).boundingBox())?.x).toBe(16);
    await page.close();
  });

  test('does not cover the focused element', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.1);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await getMiniPlayer(page).waitFor();
    // To the position of the mini player.
    await page.evaluate(() => {
      const link = document.querySelector<HTMLElement>('#last');
      link?.style.setProperty('position', 'fixed');
      link?.style.setProperty('bottom', '30px');
      link?.style.setProperty('right', '30px');
    });
    await page.focus('#last');
    await eventually(async () => {
      const [link, box] = [await page.locator('#last').boundingBox(), await getMiniPlayer(page).boundingBox()];
      return link !== null && box !== null && box.y + box.height < link.y;
    }, 'the mini player is above the link');
    await page.close();
  });
});
