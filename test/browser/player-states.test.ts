import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page, Response } from 'playwright-core';
import { buildArticle } from '../api/articles.ts';
import { stopClock } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers, holdWorkersWhen } from '../fixtures/held-workers.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { listEvents, type PlayerPages, readPlayer, startPlayerPages, waitUntilPlayedBeyond } from './player-page.ts';

let server: PublicSite;
let pages: PlayerPages;

beforeAll(async () => {
  const data = createTemporaryFolder();
  const german = createToneVoice({ sampleRateHz: 16_000, language: 'de_DE' });
  await writeVoice(join(data, 'voices'), 'de_DE-birke-low', german);
  server = await startPublicSite(['news.example'], { data, isPreloading: true });
  pages = await startPlayerPages(server.url);
  await server.generate({ post_id: 'read', content: buildArticle('a post', 6) });
  await server.waitUntilFinished('read');
});

afterAll(async () => {
  await pages?.stop();
  await server?.stop();
});

/** Position of the player, in seconds of the audio and of the clock. */
interface Recording {
  readonly position: number;
  readonly at: number;
}

const buildPage = (postId: string, attributes = '') =>
  `<lectern-player post-id="${postId}" ${attributes}></lectern-player><p>What follows.</p>`;
const getHeight = (page: Page) =>
  page.locator('lectern-player').evaluate((element) => element.getBoundingClientRect().height);
/** Stops the workers when some sentences of a post are synthesized. */
const holdWhenBegun = (of: PublicSite, postId: string) =>
  holdWorkersWhen(of, async () => (await of.status(postId)).progress_percent >= 10, `${postId} is begun`);
const filterAudioRequests = (requests: readonly string[]) =>
  requests.filter((url) => url.includes('/v1/public/audio?'));

describe('a player of a post in synthesis', () => {
  test('plays, and continues with the finished file without a jump', async () => {
    await server.generate({ post_id: 'live', content: buildArticle('a live post', 40) });
    const letGo = await holdWhenBegun(server, 'live');
    const { page, complaints } = await pages.open(buildPage('live'));
    await page.locator('[part=status]').getByText('Generating').waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.5);
    expect((await server.status('live')).status).toBe('generating');
    expect(await page.getByRole('slider').isDisabled()).toBe(true);
    // Positions of the player, recorded ten times a second if the machine is fast enough.
    await page.locator('lectern-player').evaluate((element) => {
      const positions: Recording[] = [];
      Object.assign(window, { heard: positions });
      setInterval(() => {
        const { currentTime: position } = element as HTMLMediaElement;
        positions.push({ position, at: performance.now() / 1000 });
      }, 100);
    });
    letGo();
    await page.locator('lectern-player input:enabled').waitFor();
    const { currentTime } = await readPlayer(page);
    await waitUntilPlayedBeyond(page, currentTime + 0.5);
    const positions = await page.evaluate(() => (window as unknown as { heard: Recording[] }).heard);
    const steps = positions.slice(1).map(({ position, at }, index) => {
      const before = positions[index] ?? { position, at };
      return { heardS: position - before.position, passedS: at - before.at };
    });
    expect(Math.min(...steps.map(({ heardS }) => heardS))).toBeGreaterThan(-0.3);
    // No jump: the position advances no faster than the clock.
    expect(Math.max(...steps.map(({ heardS, passedS }) => heardS - passedS))).toBeLessThan(2);
    expect((await readPlayer(page)).paused).toBe(false);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('that is paused switches to the file and stops polling', async () => {
    const letGo = holdWorkers(server);
    await server.generate({ post_id: 'shown', content: buildArticle('a shown post', 3) });
    const { page, requests } = await pages.open(buildPage('shown'));
    await page.locator('[part=status]').getByText('Generating').waitFor();
    letGo();
    await page.locator('[part=status]').getByText(', a synthetic voice').waitFor();
    const count = filterAudioRequests(requests).length;
    expect(count).toBeGreaterThan(1);
    expect(requests.some((url) => url.includes('/stream'))).toBe(false);
    await page.close();
  });

  test('waits for the file if the limit of listeners is reached', async () => {
    const env = { LECTERN_LISTENERS_PER_SITE_MAX: '1' };
    const full = await startPublicSite(['news.example'], { env });
    const fullPages = await startPlayerPages(full.url, pages.browser);
    await full.generate({ post_id: 'wanted', content: buildArticle('a wanted post', 40) });
    const stream = 'audio/stream?domain=news.example&post_id=wanted';
    const letGo = await holdWhenBegun(full, 'wanted');
    const first = await full.open(stream);
    expect((await full.status('wanted')).status).toBe('generating');
    const { page } = await fullPages.open(buildPage('wanted'));
    const refusal = page.waitForEvent('requestfailed', (request) => request.url().includes('/audio/stream'));
    await page.getByRole('button', { name: 'Play' }).click();
    await refusal;
    await eventually(async () => (await page.locator('lectern-player .waiting').count()) > 0, 'the listener waits');
    letGo();
    expect((await full.waitUntilFinished('wanted')).status).toBe('ready');
    await waitUntilPlayedBeyond(page, 0.1);
    expect(await page.getByRole('slider').isEnabled()).toBe(true);
    await first.body?.cancel();
    await page.close();
    await fullPages.stop();
    await full.stop();
  });

  test('plays the last version', async () => {
    await server.generate({ post_id: 'renewed', content: buildArticle('the old version', 6) });
    await server.waitUntilFinished('renewed');
    const letGo = holdWorkers(server);
    await server.generate({ post_id: 'renewed', content: buildArticle('the new version') });
    const { page, requests } = await pages.open(buildPage('renewed'));
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.2);
    expect((await readPlayer(page)).duration).toBeLessThan(60);
    expect(requests.some((url) => url.includes('/stream'))).toBe(false);
    letGo();
    await page.close();
  });
});

describe('a player without audio', () => {
  test('is hidden after one request', async () => {
    const { page, requests, complaints } = await pages.open(buildPage('nothing'));
    await eventually(async () => (await getHeight(page)) === 0, 'the player is removed');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
    expect(filterAudioRequests(requests)).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('keeps its place if the page wants that', async () => {
    const { page } = await pages.open(buildPage('nothing', 'hidden-when-empty="off"'));
    await page.getByText('No audio').waitFor();
    expect(await getHeight(page)).toBe(76);
    await page.close();
  });

  test('treats a failed post like a missing one', async () => {
    await server.generate({ post_id: 'mute', content: `<p>${'🙂 '.repeat(60)}</p>` });
    await server.waitUntilFinished('mute');
    const { page } = await pages.open(buildPage('mute'));
    await eventually(async () => (await getHeight(page)) === 0, 'the player is removed');
    await page.close();
  });
});

describe('a file that cannot be played', () => {
  test('is looked up again if it was deleted', async () => {
    await server.generate({ post_id: 'moved', content: buildArticle('the first version') });
    await server.waitUntilFinished('moved');
    const { page, requests } = await pages.open(buildPage('moved'));
    await page.locator('lectern-player .play:enabled').first().waitFor();
    await server.request('/v1/audio/moved', { method: 'DELETE' });
    await server.generate({ post_id: 'moved', content: buildArticle('the second version') });
    await server.waitUntilFinished('moved');
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.2);
    expect(filterAudioRequests(requests)).toHaveLength(2);
    await page.close();
  });

  test('is reported as deleted with its post', async () => {
    await server.generate({ post_id: 'gone', content: buildArticle('a post that goes') });
    await server.waitUntilFinished('gone');
    const { page } = await pages.open(buildPage('gone'));
    await page.locator('lectern-player .play:enabled').first().waitFor();
    await server.request('/v1/audio/gone', { method: 'DELETE' });
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByText('The audio cannot be reached').first().waitFor();
    await page.close();
  });

  test('causes an error, and can be retried', async () => {
    let isThere = false;
    const mp3 = await (await fetch((await server.status('read')).audio_url ?? '')).bytes();
    const files = Bun.serve({
      port: 0,
      fetch: () =>
        isThere ? new Response(mp3, { headers: { 'content-type': 'audio/mpeg' } }) : new Response('', { status: 503 }),
    });
    const { page } = await pages.open(
      `<lectern-player audio-url="http://files.example:${files.port}/a.mp3"></lectern-player>`,
      // Without the clock it does not try again by itself.
      { media: `http://files.example:${files.port}`, beforehand: stopClock },
    );
    const retry = page.getByRole('button', { name: 'Try again' });
    await page.getByText('The audio cannot be reached').first().waitFor();
    isThere = true;
    await retry.click();
    await waitUntilPlayedBeyond(page, 0.1);
    await retry.waitFor({ state: 'hidden' });
    expect(await listEvents(page)).toContain('play ');
    await page.close();
    await files.stop(true);
  });
});

test('a player over the rate limit sends no requests for the time of Retry-After', async () => {
  const busy = await startPublicSite(['news.example'], { env: { LECTERN_RATE_PAGE: '1' } });
  const busyPages = await startPlayerPages(busy.url, pages.browser);
  await busy.open('audio?domain=news.example&post_id=read');
  let received: Promise<Response> | undefined;
  const { page, requests } = await busyPages.open(buildPage('read'), {
    // The clock of the server hardly advances meanwhile.
    beforehand: async (page) => {
      await stopClock(page);
      received = page.waitForResponse((response) => filterAudioRequests([response.url()]).length > 0);
    },
  });
  const refusal = await received;
  expect(refusal?.status()).toBe(429);
  const restS = Number(refusal?.headers()['retry-after']);
  expect(restS).toBeWithin(1, 61);
  await page.waitForLoadState('networkidle');
  await page.clock.runFor((restS - 1) * 1_000);
  expect(filterAudioRequests(requests)).toHaveLength(1);
  // With up to 50 % of random delay.
  await page.clock.runFor((restS / 2 + 2) * 1_000);
  await eventually(() => filterAudioRequests(requests).length === 2, 'the second request');
  // No error and no layout shift.
  expect(await getHeight(page)).toBe(76);
  expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false);
  await page.close();
  await busyPages.stop();
  await busy.stop();
});

test('a player retries an unreachable server automatically, not before Retry-After', async () => {
  const requestedAtMs: number[] = [];
  const restS = 4;
  const proxy = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/v1/public/audio') requestedAtMs.push(performance.now());
      if (requestedAtMs.length === 1) {
        const headers = { 'retry-after': `${restS}`, 'access-control-allow-origin': '*' };
        return new Response('{}', {
          status: 503,
          headers: { ...headers, 'access-control-expose-headers': 'Retry-After' },
        });
      }
      return fetch(`${server.url}${pathname}${search}`, { headers: request.headers, decompress: false });
    },
  });
  const proxyPages = await startPlayerPages(`http://127.0.0.1:${proxy.port}`, pages.browser);
  const { page } = await proxyPages.open(buildPage('read'), { media: server.url });
  await page.getByText(/The audio cannot be reached.* in \d s/).waitFor();
  await page.locator('[part=status]').getByText(', a synthetic voice').waitFor();
  expect(requestedAtMs).toHaveLength(2);
  const [first = 0, second = 0] = requestedAtMs;
  expect(second - first).toBeGreaterThanOrEqual(restS * 1_000);
  await page.close();
  await proxyPages.stop();
  await proxy.stop(true);
});

test('a player over the limit of its address shows no change, and gets the file after the pause', async () => {
  // Readers use a proxy, which forwards their address.
  let reader = '192.0.2.1';
  let upstream = '';
  const proxy = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set('x-forwarded-for', reader);
      return fetch(`${upstream}${pathname}${search}`, { method: request.method, headers, decompress: false });
    },
  });
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  const shared = await startPublicSite(['news.example'], {
    flags: ['--base-url', proxyUrl],
    isPreloading: true,
    env: {
      ...{ LECTERN_PUBLIC_REQUESTS_PER_ADDRESS: '2', LECTERN_RATE_PAGE: '60' },
      LECTERN_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  upstream = shared.url;
  const sharedPages = await startPlayerPages(proxyUrl, pages.browser);
  const letGo = holdWorkers(shared);
  await shared.generate({ post_id: 'shared', content: buildArticle('a shared budget') });
  // An address can use only its share of the rate limit.
  const stranger = { headers: { 'x-forwarded-for': '203.0.113.9' } };
  const strangers = await Promise.all(
    Array.from({ length: 100 }, () => shared.open('audio?domain=news.example&post_id=shared', stranger)),
  );
  expect(strangers.filter(({ status }) => status === 200)).toHaveLength(2);

  const { page, requests } = await sharedPages.open(buildPage('shared'), {
    beforehand: stopClock,
  });
  const status = page.locator('[part=status]');
  await status.getByText('Generating').waitFor();
  const earlier = filterAudioRequests(requests).length;
  const statuses: number[] = [];
  let restS = 0;
  page.on('response', (response) => {
    if (filterAudioRequests([response.url()]).length === 0) return;
    statuses.push(response.status());
    restS = Number(response.headers()['retry-after'] ?? 0);
  });
  // The clock is stopped until the response arrives, so that the pause starts with it.
  while (statuses.at(-1) !== 429) {
    await page.clock.runFor(1_000);
    await eventually(
      () => statuses.length === filterAudioRequests(requests).length - earlier,
      'each request has its response',
    );
  }
  expect(restS).toBeWithin(1, 61);
  expect(await status.textContent()).toContain('Generating');
  expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false);

  letGo();
  await shared.waitUntilFinished('shared');
  const count = filterAudioRequests(requests).length;
  await page.clock.runFor((restS - 1) * 1_000);
  expect(filterAudioRequests(requests)).toHaveLength(count);
  // The minute has passed for the page only; another address simulates it on the server.
  reader = '192.0.2.2';
  // With up to 50 % of random delay.
  await page.clock.runFor((restS / 2 + 2) * 1_000);
  await status.getByText(', a synthetic voice').waitFor();
  await page.close();
  await sharedPages.stop();
  await proxy.stop(true);
  await shared.stop();
});

describe('a player in several languages', () => {
  test.each([
    ['de', '', 'Abspielen'],
    ['fr-CA', '', 'Lire'],
    ['en', 'lang="es"', 'Reproducir'],
    ['tlh', '', 'Play'],
  ])('a page in %s, with %p, has the button %s', async (lang, attributes, name) => {
    const { page } = await pages.open(buildPage('read', attributes), {
      html: `lang="${lang}"`,
      locale: 'en-GB',
    });
    // The English post is the fallback.
    await page.locator('lectern-player .play:enabled').first().waitFor();
    await page.getByRole('button', { name }).waitFor();
    await page.close();
  });

  test('loads the texts of the page without a request', async () => {
    const texts = JSON.stringify({ play: 'Los' }).replaceAll('"', '&quot;');
    const { page, requests } = await pages.open(buildPage('read', `texts="${texts}"`), { html: 'lang="de"' });
    await page.getByRole('button', { name: 'Los', exact: true }).waitFor();
    expect(requests.filter((request) => request.includes('player-texts'))).toEqual([]);
    await page.close();
  });

  test('prefers the language of the page, and offers the other', async () => {
    const both = { post_id: 'both', content: buildArticle('two languages', 6) };
    await server.generate(both);
    await server.waitUntilFinished('both');
    await server.generate({ ...both, language: 'de' });
    await eventually(async () => (await server.status('both', 'de')).status === 'ready', 'German is ready');
    const { page } = await pages.open(buildPage('both', 'layout="large"'), { html: 'lang="de"' });
    await page.getByRole('button', { name: 'Mehr' }).click();
    const voice = page.getByLabel('Stimme');
    await voice.waitFor();
    expect(await voice.locator('option').allTextContents()).toEqual([
      expect.stringMatching(/^Deutsch – /),
      expect.stringMatching(/^Englisch – /),
    ]);
    const german = (await readPlayer(page)).duration;
    await page.getByRole('slider').press('PageUp');
    const share = (await readPlayer(page)).currentTime / german;
    await voice.selectOption({ index: 1 });
    const { duration, currentTime } = await readPlayer(page);
    expect(duration).not.toBe(german);
    expect(currentTime / duration).toBeCloseTo(share, 1);
    await page.close();
  });
});
