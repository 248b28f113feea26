import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Analytics, Event } from '../../src/analytics/schema.ts';
import { launchBrowser } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import type { Envelope } from '../fixtures/server.ts';
import { createSignedInClient, type SignedInClient } from '../fixtures/users.ts';

const entry = join(import.meta.dir, '../../src/player/browser/reporting/reporting.ts');
const speed = 6;
/** Playback rate while the test sends its next step, which takes long on a busy machine. */
const waitingSpeed = 0.1;
/** Tolerance of positions, in seconds of the audio: a browser updates the position four times a second. */
const toleranceS = 0.35 * speed;

let server: PublicSite;
let admin: SignedInClient;
let web: ReturnType<typeof Bun.serve>;
let browser: Browser;
/** Each test has a separate post. */
let postCount = 0;

beforeAll(async () => {
  server = await startPublicSite(['news.example']);
  admin = await createSignedInClient(server, '--role', 'admin');
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true });
  const script = (await outputs[0]?.text()) ?? '';
  const origin = `http://audio.example:${new URL(server.url).port}`;
  web = Bun.serve({
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/reporting.js'
        ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
        : new Response('<!doctype html><title>Article</title><audio controls></audio>', {
            headers: {
              'content-type': 'text/html; charset=utf-8',
              'content-security-policy': `default-src 'none'; script-src 'self'; media-src ${origin}; connect-src ${origin}`,
            },
          }),
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await web?.stop(true);
  await server?.stop();
});

interface Listening {
  report(type: string, value?: string | number): void;
  end(): void;
}

/** State of the scripts of the test page. */
interface ListeningWindow extends Window {
  audio: HTMLAudioElement;
  reporting: Listening;
  getPlayed(): Played;
}

interface Visit {
  readonly page: Page;
  readonly postId: string;
  readonly sent: {
    readonly url: string;
    readonly cookie: string | undefined;
    readonly events: Event[];
  }[];
}

const sentences = Array.from(
  { length: 20 },
  (_, index) => `<p>Item ${index + 1} of the morning is about the harbor and its boats.</p>`,
);

/** Opens a page of the site with a post whose playback is reported. */
async function visit(
  options: { consent?: 'none' | 'full'; eventsPath?: string; before?: (page: Page) => Promise<void> } = {},
): Promise<Visit> {
  postCount += 1;
  const postId = `post-${postCount}`;
  await server.generate({ post_id: postId, content: sentences.join('') });
  const { audio_url: given, voice_id: voiceId } = await server.waitUntilFinished(postId);
  const base = `http://audio.example:${new URL(server.url).port}`;
  const audioUrl = `${base}${new URL(given ?? '').pathname}`;
  const page = await browser.newPage();
  const sent: Visit['sent'] = [];
  page.on('request', (request) => {
    if (!request.url().includes('/v1/public/') || request.method() !== 'POST') return;
    const { events } = JSON.parse(request.postData() ?? '{}') as { events: Event[] };
    sent.push({ url: request.url(), cookie: request.headers()['cookie'], events });
  });
  await page.goto(`http://news.example:${web.port}/`);
  await options.before?.(page);
  const about = {
    url: `${base}${options.eventsPath ?? '/v1/public/events?domain=news.example'}`,
    ...{ postId, language: 'en', voiceId, consent: options.consent ?? 'none' },
  };
  await page.evaluate(
    async ([about, audioUrl, speed]) => {
      const state = window as unknown as ListeningWindow;
      const { createReporting } = (await import(`${location.origin}/reporting.js`)) as {
        createReporting(about: object, audio: HTMLAudioElement): Listening;
      };
      const audio = document.querySelector('audio');
      if (audio === null) throw new Error('no audio');
      state.audio = audio;
      state.getPlayed = () => ({
        durationS: audio.duration,
        positionS: audio.currentTime,
        ranges: Array.from({ length: audio.played.length }, (_, index) => [
          audio.played.start(index),
          audio.played.end(index),
        ]),
      });
      audio.src = audioUrl;
      audio.preload = 'auto';
      state.reporting = createReporting(about, audio);
      await new Promise((resolve) => audio.addEventListener('canplaythrough', resolve));
      audio.defaultPlaybackRate = speed;
      audio.playbackRate = speed;
    },
    [about, audioUrl, speed] as const,
  );
  return { page, postId, sent };
}

/** Plays to a position, and then on at a low speed. */
function playTo(page: Page, share: number): Promise<void> {
  return page.evaluate(
    async ([share, speed, waitingSpeed]) => {
      const { audio } = window as unknown as ListeningWindow;
      audio.playbackRate = speed;
      const hasEnded = new Promise((resolve) => audio.addEventListener('ended', resolve, { once: true }));
      await audio.play();
      // A pause event also occurs at the end.
      if (share === 1) {
        await hasEnded;
        return;
      }
      await new Promise<void>((resolve) => {
        const checkPosition = () => {
          if (!audio.ended && audio.currentTime < audio.duration * share) {
            setTimeout(checkPosition, 10);
            return;
          }
          audio.playbackRate = waitingSpeed;
          resolve();
        };
        checkPosition();
      });
    },
    [share, speed, waitingSpeed] as const,
  );
}

/** Seeks from position to position as fast as the audio allows. @returns the positions before each seek, in seconds */
function seek(page: Page, ...shares: readonly number[]): Promise<number> {
  return page.evaluate(async (shares) => {
    const { audio } = window as unknown as ListeningWindow;
    const waitForEvent = (event: string) =>
      new Promise((resolve) => audio.addEventListener(event, resolve, { once: true }));
    // Reads the current position: on a busy machine an earlier one would be outdated.
    if (!audio.paused) await waitForEvent('timeupdate');
    const leftS = audio.currentTime;
    for (const share of shares) {
      const sought = waitForEvent('seeked');
      audio.currentTime = audio.duration * share;
      await sought;
    }
    return leftS;
  }, shares);
}

/** Played ranges and position according to the browser. */
interface Played {
  readonly durationS: number;
  readonly positionS: number;
  readonly ranges: readonly (readonly [number, number])[];
}

function getPlayed(page: Page): Promise<Played> {
  return page.evaluate(() => (window as unknown as ListeningWindow).getPlayed());
}

/** Closes the page. @returns the ranges played until that moment */
async function leave(page: Page): Promise<Played> {
  await page.evaluate(() => {
    const { getPlayed: played } = window as unknown as ListeningWindow;
    addEventListener('pagehide', () => sessionStorage.setItem('played', JSON.stringify(played())));
  });
  await page.goto('about:blank');
  await page.goto(`http://news.example:${web.port}/`);
  return JSON.parse(await page.evaluate(() => sessionStorage.getItem('played') ?? ''));
}

function pause(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const { audio } = window as unknown as ListeningWindow;
        audio.addEventListener('pause', () => resolve(), { once: true });
        audio.pause();
      }),
  );
}

async function getAnalytics(postId: string): Promise<Analytics> {
  const response = await admin.request('GET', `/v1/sites/1/analytics?post_id=${postId}`);
  return ((await response.json()) as Envelope<Analytics>).data;
}

/** @returns the analytics of a post when they contain an event of a type */
function waitForAnalytics(postId: string, type: string): Promise<Analytics> {
  return eventually(async () => {
    const figures = await getAnalytics(postId);
    return (figures.events[type] ?? 0) > 0 && figures;
  }, `a ${type} of ${postId} is counted`);
}

/** @returns all sent events when one of a type has been sent */
function waitForEvents({ sent }: Visit, type: string): Promise<readonly Event[]> {
  return eventually(() => {
    const all = sent.flatMap(({ events }) => events);
    return all.some((event) => event.type === type) && all;
  }, `a ${type} is sent`);
}

test('the analytics of the site show the heard and skipped parts and the position at the end', async () => {
  const visitor = await visit();
  const { page, postId } = visitor;
  await playTo(page, 0.2);
  await seek(page, 0.5);
  await playTo(page, 0.7);
  await pause(page);
  await playTo(page, 0.8);
  // During playback.
  const { durationS, ranges } = await leave(page);
  const figures = await waitForAnalytics(postId, 'progress');

  expect(ranges).toHaveLength(2);
  const heardS = ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  expect(figures.totals).toMatchObject({ plays: 1, completes: 0, listeners: 0 });
  expect(Math.abs(figures.totals.heard_seconds - heardS)).toBeLessThan(2 * toleranceS);
  const partS = durationS / figures.retention.length;
  for (const [part, { times }] of figures.retention.entries()) {
    const expected = ranges.reduce((sum, [start, end]) => {
      const common = Math.min(end, (part + 1) * partS) - Math.max(start, part * partS);
      return sum + Math.max(0, common) / partS;
    }, 0);
    expect(Math.abs(times - expected)).toBeLessThan(toleranceS / partS);
  }
  expect(figures.events).toMatchObject({ play: 1, seek: 1, pause: 1 });
  await page.close();
});

test('a repeated part counts twice', async () => {
  const { page, postId } = await visit();
  await playTo(page, 0.3);
  const leftS = await seek(page, 0);
  await playTo(page, 0.3);
  await pause(page);
  const { positionS } = await getPlayed(page);
  // A page that is closed at once may lose its last report.
  await page.goto('about:blank');
  const figures = await waitForAnalytics(postId, 'pause');
  await page.close();
  const heardS = leftS + positionS;
  expect(Math.abs(figures.totals.heard_seconds - heardS)).toBeLessThan(2 * toleranceS);
  expect(figures.retention[2]?.times).toBeCloseTo(2, 1);
  expect(figures.retention[10]?.times).toBe(0);
});

test('the end is counted once and only when played; a second start is not a second play', async () => {
  const visitor = await visit();
  const { page, postId } = visitor;
  await seek(page, 0.9);
  await playTo(page, 1);
  await seek(page, 0.9);
  await playTo(page, 1);
  await page.goto('about:blank');
  const figures = await waitForAnalytics(postId, 'complete');
  expect(figures.totals).toMatchObject({ plays: 1, completes: 1 });
  expect(figures.events['pause']).toBe(0);
  await page.close();
});

test('a jump to the end does not count as heard', async () => {
  const visitor = await visit();
  const { page, postId } = visitor;
  await playTo(page, 0.1);
  await seek(page, 0.99);
  await playTo(page, 1);
  await page.goto('about:blank');
  const figures = await waitForAnalytics(postId, 'seek');
  expect(figures.totals).toMatchObject({ plays: 1, completes: 0 });
  await page.close();
});

test('a drag of the seek bar is one jump', async () => {
  const visitor = await visit();
  const { page, postId } = visitor;
  await playTo(page, 0.1);
  const leftS = await seek(page, 0.2, 0.3, 0.4, 0.5);
  await playTo(page, 0.6);
  await pause(page);
  await waitForAnalytics(postId, 'pause');
  const events = await waitForEvents(visitor, 'pause');
  expect(events.map(({ type }) => type)).toEqual(['play', 'seek', 'pause']);
  const [, jump] = events;
  const { durationS } = await getPlayed(page);
  expect(Number(jump?.value)).toBeCloseTo(durationS * 0.5, 0);
  expect(Math.abs(Number(jump?.position_seconds) - leftS)).toBeLessThan(toleranceS);
  await page.close();
});

test('a restored position is not a jump and does not count as heard', async () => {
  const visitor = await visit();
  await seek(visitor.page, 0.5);
  await playTo(visitor.page, 0.6);
  await pause(visitor.page);
  const figures = await waitForAnalytics(visitor.postId, 'pause');
  const events = await waitForEvents(visitor, 'pause');
  expect(events.map(({ type }) => type)).toEqual(['play', 'pause']);
  expect(figures.retention[4]?.times).toBe(0);
  await visitor.page.close();
});

test('a view without playback counts only if the page reports it', async () => {
  const silent = await visit();
  await silent.page.goto('about:blank');
  const visitor = await visit();
  await visitor.page.evaluate(() => (window as unknown as ListeningWindow).reporting.report('load'));
  await visitor.page.goto('about:blank');
  const figures = await waitForAnalytics(visitor.postId, 'load');
  expect(figures.totals).toMatchObject({ loads: 1, plays: 0, heard_seconds: 0 });
  const { events } = await getAnalytics(silent.postId);
  expect(Object.values(events).every((count) => count === 0)).toBe(true);
  await visitor.page.close();
  await silent.page.close();
});

test('without consent events have no identifier, and nothing is stored', async () => {
  const visitor = await visit();
  await playTo(visitor.page, 0.1);
  await pause(visitor.page);
  await waitForAnalytics(visitor.postId, 'pause');
  const events = await waitForEvents(visitor, 'pause');
  expect(events.map((event) => 'session_id' in event)).toEqual([false, false]);
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(2);
  expect(new Set(visitor.sent.map(({ cookie }) => cookie))).toEqual(new Set([undefined]));
  const storage = await visitor.page.evaluate(() => [...[localStorage.length, sessionStorage.length, document.cookie]]);
  expect(storage).toEqual([0, 0, '']);
  await visitor.page.close();
});

test('with full consent a tab is one listener on all its pages', async () => {
  const visitor = await visit({ consent: 'full' });
  await playTo(visitor.page, 0.1);
  await pause(visitor.page);
  await visitor.page.reload();
  const storage = await visitor.page.evaluate(() => Object.values(sessionStorage));
  const figures = await waitForAnalytics(visitor.postId, 'pause');
  expect(figures.totals).toMatchObject({ plays: 1, listeners: 1 });
  const sessions = (await waitForEvents(visitor, 'pause')).map((event) => event.session_id);
  expect(sessions).toEqual([...storage, ...storage]);
  await visitor.page.close();
});

test('playback continues without errors when reports are rejected', async () => {
  const complaints: string[] = [];
  const visitor = await visit({
    eventsPath: '/v1/public/events?domain=nobody.example',
    before: async (page) => {
      page.on('pageerror', (error) => complaints.push(error.message));
    },
  });
  await playTo(visitor.page, 0.1);
  await pause(visitor.page);
  await eventually(() => visitor.sent.length > 0, 'a report was sent');
  await playTo(visitor.page, 0.2);
  expect(complaints).toEqual([]);
  await visitor.page.close();
});

test('without beacons and during a network outage no event is lost or counted twice', async () => {
  const visitor = await visit({
    before: (page) =>
      page.evaluate(() => {
        Object.defineProperty(navigator, 'sendBeacon', { value: undefined });
      }),
  });
  await playTo(visitor.page, 0.1);
  await visitor.page.route('**/v1/public/events**', (route) => route.abort());
  await pause(visitor.page);
  await eventually(() => visitor.sent.length > 0, 'a report was tried');
  await visitor.page.unroute('**/v1/public/events**');
  await playTo(visitor.page, 0.2);
  await pause(visitor.page);
  const figures = await eventually(async () => {
    const figures = await getAnalytics(visitor.postId);
    return figures.events['pause'] === 2 && figures;
  }, 'both pauses are counted');
  expect(figures.totals.plays).toBe(1);
  await visitor.page.close();
});
