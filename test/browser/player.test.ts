import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { article } from '../api/articles.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PlayerPages, startPlayerPages } from '../fixtures/player-page.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';

setDefaultTimeout(60_000);
const sizeMax = 15 * 1024;
let server: PublicSite;
let pages: PlayerPages;

beforeAll(async () => {
  server = await startPublicSite(['news.example', 'bücher.example']);
  pages = await startPlayerPages(server.url);
  for (const post of ['read', 'second']) {
    await server.generate({
      post_id: post,
      post_title: `About ${post}`,
      content: article(post, 12),
    });
  }
  await server.settled('read');
  await server.settled('second');
});

afterAll(async () => {
  await pages?.stop();
  await server?.stop();
});

/** What the element tells scripts of a page. */
function facts(page: Page) {
  return page.locator('lectern-player').evaluate((element) => {
    const { currentTime, duration, paused, playbackRate } = element as HTMLElement & {
      readonly currentTime: number;
      readonly duration: number;
      readonly paused: boolean;
      readonly playbackRate: number;
    };
    return { currentTime, duration, paused, playbackRate };
  });
}

function reaches(page: Page, seconds: number) {
  return eventually(
    async () => (await facts(page)).currentTime > seconds,
    `playing beyond ${seconds} s`,
  );
}

test('the script is small', async () => {
  const answer = await fetch(`${server.url}/v1/public/player.js`, {
    headers: { 'accept-encoding': 'gzip' },
    decompress: false,
  });
  const { byteLength } = await answer.arrayBuffer();
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(byteLength).toBeLessThan(sizeMax);
});

test('a page of another origin with the strictest policy plays its post', async () => {
  const { page, complaints } = await pages.open('<lectern-player post-id="read"></lectern-player>');
  await page.getByRole('button', { name: 'Play' }).click();
  await reaches(page, 0.3);
  await page.getByRole('button', { name: 'Pause' }).click();
  expect((await facts(page)).paused).toBe(true);
  expect(complaints).toEqual([]);
  await page.close();
});
