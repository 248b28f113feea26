import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../fixtures/browser.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

let server: TestServer;
let site: ReturnType<typeof Bun.serve>;
let browser: Browser;

beforeAll(async () => {
  server = await startTestServer({ voices: 'built-in' });
  // A page of another origin, like an article of a newspaper.
  site = Bun.serve({
    port: 0,
    fetch: () =>
      new Response('<!doctype html><title>Article</title><audio controls></audio>', {
        headers: { 'content-type': 'text/html' },
      }),
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await site?.stop(true);
  await server?.stop();
});

async function openWith(audioUrl: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(site.url.href);
  await page.evaluate(async (url) => {
    const audio = document.querySelector('audio');
    if (audio === null) throw new Error('no audio element');
    audio.src = url;
    await new Promise((resolve, reject) => {
      audio.oncanplaythrough = resolve;
      audio.onerror = () => reject(new Error(audio.error?.message));
    });
  }, audioUrl);
  return page;
}

test('Chromium plays an MP3 from another origin, knows its length and seeks in it', async () => {
  const sentences = Array.from(
    { length: 30 },
    (_, index) => `<p>Item ${index + 1} of the morning is about the harbor and its boats.</p>`,
  );
  await server.generate({ post_id: 'played', content: sentences.join('') });
  const { audio_url: url } = await server.waitUntilFinished('played');
  const timings = await fetch((url ?? '').replace(/mp3$/, 'json'));
  const { segments } = (await timings.json()) as {
    segments: { start_ms: number; end_ms: number }[];
  };
  const page = await openWith(url ?? '');

  const played = await page.evaluate(async () => {
    const audio = document.querySelector('audio');
    if (audio === null) throw new Error('no audio element');
    const duration = audio.duration;
    const sought = new Promise((resolve) => {
      audio.onseeked = resolve;
    });
    audio.currentTime = duration * 0.75;
    await sought;
    const from = audio.currentTime;
    await audio.play();
    await new Promise<void>((resolve) => {
      audio.ontimeupdate = () => {
        if (audio.currentTime > from + 0.3) resolve();
      };
    });
    return { duration, from, seekable: audio.seekable.end(0) };
  });

  const lengthS = (segments.at(-1)?.end_ms ?? 0) / 1000;
  expect(segments).toHaveLength(30);
  expect(played.duration).toBeCloseTo(lengthS, 1);
  expect(played.from).toBeCloseTo(played.duration * 0.75, 1);
  expect(played.seekable).toBeCloseTo(played.duration, 1);
  await page.close();
});
