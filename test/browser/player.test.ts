import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { buildArticle } from '../api/articles.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import {
  listEvents,
  type PlayerPages,
  readPlayer,
  startPlayerPages,
  waitForEvent,
  waitUntilPlayedBeyond,
} from './player-page.ts';

const sizeMax = 15 * 1024;
let server: PublicSite;
let pages: PlayerPages;
/** Of the MP3 of `read`. */
let readUrl: string;

beforeAll(async () => {
  server = await startPublicSite(['news.example']);
  pages = await startPlayerPages(server.url);
  for (const post of ['read', 'second, with a comma']) {
    await server.generate({
      post_id: post,
      post_title: `About ${post}`,
      content: buildArticle(post, 12),
    });
  }
  readUrl = (await server.waitUntilFinished('read')).audio_url ?? '';
  await server.waitUntilFinished('second, with a comma');
});

afterAll(async () => {
  await pages?.stop();
  await server?.stop();
});

const player = '<lectern-player post-id="read"></lectern-player>';
/** Its controls exist before playback. */
const large = '<lectern-player post-id="read" layout="large"></lectern-player>';

test('the script is small', async () => {
  const response = await fetch(`${server.url}/v1/public/player.js`, {
    headers: { 'accept-encoding': 'gzip' },
    decompress: false,
  });
  const { byteLength } = await response.arrayBuffer();
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(byteLength).toBeLessThanOrEqual(sizeMax);
});

describe('a page of another origin with the strictest Content-Security-Policy', () => {
  test('plays its post and receives events', async () => {
    const { page, complaints, requests } = await pages.open(player, { scriptDelayMs: 300 });
    await page.locator('lectern-player .play:enabled').first().waitFor();
    const setRate = (rate: number) =>
      page.locator('lectern-player').evaluate((element, playbackRate) => {
        Object.assign(element, { playbackRate });
      }, rate);
    // The first sentence is long enough to load the timings on any machine.
    await setRate(0.1);
    await page.getByRole('button', { name: 'Play' }).click();
    await waitForEvent(page, 'segment read 0');
    await setRate(1);
    await waitForEvent(page, 'segment read 1');
    expect(await page.evaluate(() => navigator.mediaSession.metadata?.title)).toBe('About read');
    expect(await page.evaluate(() => navigator.mediaSession.playbackState)).toBe('playing');
    await page.getByRole('button', { name: 'Pause' }).click();
    expect((await readPlayer(page)).paused).toBe(true);
    // The browser reports a pause with a delay.
    const events = await waitForEvent(page, 'pause read');
    expect(events.slice(0, 4)).toEqual([...['ready read', 'play read', 'segment read 0', 'segment read 1']]);
    expect(events.at(-1)).toBe('pause read');
    expect(requests.filter((url) => url.includes('/v1/public/audio?'))).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('without post-id finds its post by its URL', async () => {
    const address = `http://news.example:${pages.port}/by-address`;
    const post = { post_id: 'addressed', post_url: address, content: buildArticle('an address') };
    await server.generate(post);
    await server.waitUntilFinished('addressed');
    const { page } = await pages.open('<lectern-player></lectern-player>', {
      head: `<link rel="canonical" href="${address}?from=feed">`,
    });
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.2);
    await page.close();
  });

  test('lets scripts play, seek and set the speed', async () => {
    const { page } = await pages.open(player);
    await page.locator('lectern-player').evaluate(async (element) => {
      const player = element as HTMLElement & { play(): Promise<void> } & Record<string, number>;
      // Before any audio is loaded.
      await player.play();
    });
    await waitUntilPlayedBeyond(page, 0.2);
    await page.locator('lectern-player').evaluate((element) => {
      (element as HTMLElement & { pause(): void }).pause();
      Object.assign(element, { playbackRate: 1.3, currentTime: 20 });
    });
    const { currentTime, playbackRate, duration, paused } = await readPlayer(page);
    expect({ currentTime, playbackRate, paused }).toEqual({
      currentTime: 20,
      playbackRate: 1.3,
      paused: true,
    });
    expect(duration).toBeGreaterThan(30);
    await eventually(async () => (await page.getByLabel('Speed').inputValue()) === '1.3×', 'the speed is shown');
    await page.close();
  });
});

describe('the controls', () => {
  test('seek and play by keys while the player is focused', async () => {
    const { page } = await pages.open(`<button id="outside">Outside</button>${large}`);
    const slider = page.getByRole('slider', { name: 'Position' });
    await page.locator('lectern-player .play:enabled').first().waitFor();
    const readPosition = async () => Math.round((await readPlayer(page)).currentTime);
    const { duration } = await readPlayer(page);

    await page.focus('#outside');
    await page.keyboard.press('l');
    expect(await readPosition()).toBe(0);
    await slider.focus();
    for (const [key, expected] of [
      ['ArrowRight', 5],
      ['ArrowUp', 10],
      ['ArrowLeft', 5],
      ['PageUp', 35],
      ['j', 20],
      ['l', 35],
      ['PageDown', 5],
      ['Home', 0],
      ['End', Math.round(duration)],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await readPosition()]).toEqual([key, expected]);
    }
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const say = (value: number, unit: string) => `${value} ${unit}${value === 1 ? '' : 's'}`;
    const length = `${say(Math.floor(duration / 60), 'minute')} ${say(Math.floor(duration % 60), 'second')}`;
    const position = `0 minutes 5 seconds of ${length}`;
    await eventually(async () => (await slider.getAttribute('aria-valuetext')) === position, position);
    await page.keyboard.press('Space');
    await waitUntilPlayedBeyond(page, 5.1);
    await page.keyboard.press('k');
    expect((await readPlayer(page)).paused).toBe(true);
    await page.keyboard.press('m');
    await page.locator('[part=status]').getByText('Sound off').waitFor();
    await page.locator('lectern-player').evaluate((element) => element.setAttribute('layout', 'pill'));
    await page.locator('.pill [part=status]').getByText('Sound off').waitFor();
    await page.close();
  });

  test('jump 15 s by buttons, and offer speeds in a list', async () => {
    const { page } = await pages.open(large);
    await page.getByRole('button', { name: 'Forward 15 seconds' }).click();
    expect((await readPlayer(page)).currentTime).toBe(15);
    await page.getByRole('button', { name: 'Back 15 seconds' }).click();
    expect((await readPlayer(page)).currentTime).toBe(0);
    const speed = page.getByLabel('Speed');
    expect(await speed.locator('option').allTextContents()).toEqual([
      '0.8×',
      '0.9×',
      '1×',
      '1.1×',
      '1.25×',
      '1.5×',
      '1.75×',
      '2×',
    ]);
    await speed.selectOption('2×');
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 0.3);
    expect((await readPlayer(page)).playbackRate).toBe(2);
    await page.close();
  });

  test('offer the MP3 as a download if the page allows it', async () => {
    const { page } = await pages.open(player.replace('>', ' download>'));
    await page.getByRole('button', { name: 'More' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('About read.mp3');
    const path = await saved.path();
    const original = await (await fetch(readUrl)).bytes();
    expect(new Uint8Array(readFileSync(path))).toEqual(original);
    rmSync(path);
    await page.close();
  });
});

test('with a file URL it sends no API requests', async () => {
  const { page, requests } = await pages.open(
    `<lectern-player audio-url="${readUrl}" segments-url="${readUrl.replace('mp3', 'json')}" title="Named by the page" events="off"></lectern-player>`,
  );
  await page.getByText('Named by the page').first().waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await eventually(async () => (await listEvents(page)).some((event) => event.startsWith('segment ')), 'a segment');
  await page.goto('about:blank');
  const api = requests.filter((url) => url.includes('/v1/public/'));
  // Two scripts, no more.
  expect(api).toEqual([`${server.url}/v1/public/player.js`, expect.stringContaining('/v1/public/player-extras/')]);
  await page.close();
});

describe('a playlist', () => {
  const list = `<lectern-player>
    <lectern-item post-id="nothing">Not there</lectern-item>
    <lectern-item post-id="read">The first</lectern-item>
    <lectern-item post-id="second, with a comma"></lectern-item>
  </lectern-player>`;

  test('is shown, and skips missing posts', async () => {
    const { page } = await pages.open(list);
    const rows = page.locator('lectern-player li button');
    await page.getByText('1 of 3 · No audio').waitFor();
    expect(await rows.allTextContents()).toEqual(['Not there', 'The first', 'Article 3']);
    await rows.nth(1).click();
    await waitUntilPlayedBeyond(page, 0.2);
    await page.getByRole('slider').press('End');
    await waitForEvent(page, 'play second, with a comma');
    await page
      .locator('lectern-player li button[aria-current=true]', { hasText: 'About second, with a comma' })
      .waitFor();
    expect(await rows.allTextContents()).toEqual([...['Not there', 'The first', 'About second, with a comma']]);
    await eventually(() => page.getByRole('button', { name: 'Next' }).isDisabled(), 'it is the last one');
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('2 of 3').waitFor();
    await page.close();
  });
});

describe('the position of a listener', () => {
  const listenUpTo = async (attributes: string, beforehand?: Parameters<PlayerPages['open']>[1]) => {
    const opened = await pages.open(large.replace('>', ` ${attributes}>`), beforehand);
    const { page } = opened;
    await page.locator('lectern-player .play:enabled').first().waitFor();
    await page.getByRole('slider').press('PageUp');
    await page.getByRole('button', { name: 'Play' }).click();
    await waitUntilPlayedBeyond(page, 30.2);
    await page.getByRole('button', { name: 'Pause' }).click();
    // The position is stored at this moment.
    await waitForEvent(page, 'pause read');
    const keptS = Math.floor((await readPlayer(page)).currentTime);
    const stored = await page.evaluate(() => {
      try {
        return Object.entries({ ...localStorage });
      } catch {
        return [];
      }
    });
    await page.reload();
    await page.locator('lectern-player .play:enabled').first().waitFor();
    const { currentTime } = await readPlayer(page);
    await page.close();
    return { stored, keptS, currentTime, complaints: opened.complaints };
  };

  test('is restored; no other data is stored', async () => {
    const { stored, keptS, currentTime } = await listenUpTo('');
    expect(currentTime).toBe(keptS);
    expect(stored).toEqual([[`lectern:${server.url} news.example read en`, `${keptS}`]]);
  });

  test('is not stored if the page or the browser forbids it', async () => {
    expect(await listenUpTo('resume="off"')).toMatchObject({ stored: [], currentTime: 0 });
    const without = await listenUpTo('', {
      beforehand: (page) =>
        page.addInitScript(() => {
          Object.defineProperty(window, 'localStorage', {
            get: () => {
              throw new DOMException('denied', 'SecurityError');
            },
          });
        }),
    });
    expect(without).toMatchObject({ stored: [], currentTime: 0, complaints: [] });
  });
});

test('one of several players plays at a time', async () => {
  const { page } = await pages.open(
    `<lectern-player id="a" post-id="read"></lectern-player><lectern-player id="b" post-id="read"></lectern-player>`,
  );
  await page.locator('#a .play').first().click();
  await waitUntilPlayedBeyond(page, 0.1, '#a');
  await page.locator('#b .play').first().click();
  await waitUntilPlayedBeyond(page, 0.1, '#b');
  expect((await readPlayer(page, '#a')).paused).toBe(true);
  expect((await readPlayer(page, '#b')).paused).toBe(false);
  await page.close();
});

test('moving the player in the page does not interrupt playback', async () => {
  const { page } = await pages.open(`${player}<aside></aside>`);
  await page.getByRole('button', { name: 'Play' }).click();
  await waitUntilPlayedBeyond(page, 0.5);
  await page.locator('lectern-player').evaluate((element) => {
    element.remove();
    document.querySelector('aside')?.append(element);
  });
  await waitUntilPlayedBeyond(page, 1.5);
  expect(await listEvents(page)).not.toContain('pause read');
  const isPaused = await page.locator('lectern-player').evaluate(async (element) => {
    element.remove();
    await Promise.resolve();
    return Reflect.get(element, 'paused');
  });
  expect(isPaused).toBe(true);
  await page.close();
});

test('a new post-id loads another post', async () => {
  const { page } = await pages.open(player);
  await page.locator('lectern-player .play:enabled').first().waitFor();
  await page.locator('lectern-player').evaluate((element) => {
    element.setAttribute('post-id', 'second, with a comma');
  });
  await waitForEvent(page, 'ready second, with a comma');
  await page.close();
});

test('an audio element on a page of another origin knows the length of the MP3 and seeks in it', async () => {
  const timings = await fetch(readUrl.replace(/mp3$/, 'json'));
  const { segments } = (await timings.json()) as { segments: { end_ms: number }[] };
  const { page } = await pages.open('<audio controls></audio>');
  const played = await page.evaluate(async (url) => {
    const audio = document.querySelector('audio');
    if (audio === null) throw new Error('no audio element');
    const waitForEvent = (name: string) =>
      new Promise((resolve) => audio.addEventListener(name, resolve, { once: true }));
    const playable = waitForEvent('canplaythrough');
    audio.src = url;
    await playable;
    const { duration } = audio;
    const sought = waitForEvent('seeked');
    audio.currentTime = duration * 0.75;
    await sought;
    const from = audio.currentTime;
    await audio.play();
    while (audio.currentTime <= from + 0.3) await waitForEvent('timeupdate');
    return { duration, from, seekable: audio.seekable.end(0) };
  }, readUrl);
  expect(segments).toHaveLength(13);
  expect(played.duration).toBeCloseTo((segments.at(-1)?.end_ms ?? 0) / 1000, 1);
  expect(played.from).toBeCloseTo(played.duration * 0.75, 1);
  expect(played.seekable).toBeCloseTo(played.duration, 1);
  await page.close();
});
