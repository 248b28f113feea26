import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Frame, Page } from 'playwright-core';
import type { Oembed } from '../../src/player/oembed-routes.ts';
import { buildArticle } from '../api/articles.ts';
import { findViolations, launchBrowser } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';

const title = 'Harbor town reopens its lighthouse after eleven years of repairs';
const address = 'https://news.example/lighthouse';
const embed = 'embed?domain=news.example&post_id=lighthouse';
let server: PublicSite;
let browser: Browser;
/** A page that embeds the response of oEmbed. */
let reader: ReturnType<typeof Bun.serve>;
let frames = '';

beforeAll(async () => {
  server = await startPublicSite(['news.example']);
  await server.generate({
    ...{ post_id: 'lighthouse', post_title: title, post_url: address },
    content: buildArticle('the lighthouse', 6),
  });
  await server.waitUntilFinished('lighthouse');
  reader = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(`<!doctype html><title>Reader</title>${frames}`, {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await reader?.stop(true);
  await server?.stop();
});

async function getOembed(more = ''): Promise<Oembed> {
  const response = await server.open(`oembed?url=${encodeURIComponent(address)}${more}`);
  return (await response.json()) as Oembed;
}

function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return complaints;
}

async function openReader(options: { javaScriptEnabled?: boolean } = {}) {
  frames = (await getOembed()).html;
  const page = await browser.newPage(options);
  const complaints = watch(page);
  await page.goto(reader.url.href);
  const frame = await eventually(
    () => page.frames().find((frame) => frame.url().startsWith(server.url)),
    'the frame is there',
  );
  return { page, frame, complaints };
}

function getCurrentTime(frame: Frame, audio: string): Promise<number> {
  return frame.evaluate(`${audio}.currentTime`);
}

describe('in a page of another site', () => {
  test('the player plays without using the rate limit of the site', async () => {
    const { page, frame, complaints } = await openReader();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await frame.getByRole('button', { name: 'Play' }).click();
    expect(await frame.locator('audio.plain').isVisible()).toBe(false);
    await eventually(
      async () => (await getCurrentTime(frame, "document.querySelector('lectern-player')")) > 0.3,
      'audio is playing',
    );
    expect(requests.filter((path) => /\/public\/(audio|voices)/.test(path))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('without JavaScript the audio element plays', async () => {
    const { page, frame } = await openReader({ javaScriptEnabled: false });
    expect(await frame.locator('h1').textContent()).toBe(title);
    const audio = frame.locator('audio');
    const box = await audio.boundingBox();
    if (box === null) throw new Error('not there');
    // On the button of the native controls.
    await page.mouse.click(box.x + 25, box.y + box.height / 2);
    await eventually(
      () => audio.evaluate((element) => (element as HTMLAudioElement).currentTime > 0.3),
      'audio is playing',
    );
    expect(await frame.getByText('Read the article').getAttribute('href')).toBe(address);
    await page.close();
  });
});

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each([
    ['with', true],
    ['without', false],
  ])('%s scripts nothing is wrong with the page, and it fits into its frame', async (_, javaScriptEnabled) => {
    for (const maxwidth of [320, 600]) {
      const { width, height } = await getOembed(`&maxwidth=${maxwidth}`);
      const page = await browser.newPage({ colorScheme, viewport: { width, height } });
      // Page scripts only; the test itself evaluates scripts.
      if (!javaScriptEnabled) await page.route('**/player.js', (route) => route.abort());
      await page.goto(`${server.url}/v1/public/${embed}`);
      await page.locator(javaScriptEnabled ? 'lectern-player' : 'audio').waitFor();
      expect(await findViolations(page)).toEqual([]);
      const room = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
      expect(room).toBeLessThanOrEqual(0);
      await page.close();
    }
  });
});

test('the embed page opened directly is a card with site name, headline, text and a link to the article', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${server.url}/v1/public/${embed}`);
  await page.locator('lectern-player .play:enabled').first().waitFor();
  const box = await page.locator('main').boundingBox();
  expect(box?.width).toBe(640);
  expect((box?.x ?? 0) * 2 + 640).toBe(1440);
  await page.getByText('Public Site', { exact: true }).first().waitFor();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.locator('article').getByText('Line 6 of the lighthouse').waitFor();
  expect(await page.getByText('Read the article').getAttribute('href')).toBe(address);
  expect(await findViolations(page)).toEqual([]);
  const getFont = (selector: string) =>
    page.locator(selector).evaluate((element) => getComputedStyle(element).fontFamily);
  expect(await getFont('main')).toStartWith('"Instrument Sans"');
  expect([await getFont('h1'), await getFont('article')]).toEqual(
    Array(2).fill(expect.stringMatching(/^"?Newsreader/)),
  );
  // The read-along follows the voice.
  await page.getByRole('button', { name: 'Play' }).click();
  await eventually(
    () => page.evaluate(() => [...((CSS.highlights.get('lectern-spoken') ?? []) as Iterable<Range>)].length > 0),
    'a sentence is marked',
  );
  await page.close();
});

test('the embed page can match the color scheme of the embedding page', async () => {
  const page = await browser.newPage({ colorScheme: 'dark' });
  await page.goto(`${server.url}/v1/public/${embed}&theme=light`);
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(background).toBe('rgb(250, 249, 246)');
  await page.close();
});
