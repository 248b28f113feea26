import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Analytics } from '../../../src/analytics/schema.ts';
import type { Timings } from '../../../src/audio/schema.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../../fixtures/public-site.ts';
import type { Envelope } from '../../fixtures/server.ts';
import { createSignedInClient, type SignedInClient } from '../../fixtures/users.ts';
import { type PlayerPages, startPlayerPages } from '../player-page.ts';
import { noteMarks, noteWords } from '../transient.ts';

const sentences = Array.from(
  { length: 12 },
  (_, index) => `Boat ${index + 1} of the morning brings herring, cod and news from the islands.`,
);
const spoken = sentences.map((sentence) => `<p>${sentence}</p>`).join('');
/** Text of the page, with unspoken text between. */
const article = sentences
  .map((sentence, index) => `<p><em>${sentence}</em></p>${index === 2 ? '<aside>Read more</aside>' : ''}`)
  .join('');

let server: PublicSite;
let pages: PlayerPages;
let admin: SignedInClient;

beforeAll(async () => {
  server = await startPublicSite(['news.example'], { voices: 'built-in' });
  pages = await startPlayerPages(server.url);
  admin = await createSignedInClient(server, '--role', 'admin');
});

afterAll(async () => {
  await pages?.stop();
  await server?.stop();
});

async function publishPost(postId: string): Promise<Timings['segments']> {
  await server.generate({ post_id: postId, post_title: 'Boats', content: spoken });
  const { audio_url: audioUrl } = await server.waitUntilFinished(postId);
  const timings = await fetch((audioUrl ?? '').replace(/mp3$/, 'json'));
  return ((await timings.json()) as Timings).segments;
}

function getMarkedText(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const [mark] = (CSS.highlights.get('lectern-spoken') ?? []) as Iterable<Range>;
    return mark?.toString();
  });
}

function getPosition(page: Page): Promise<number> {
  return page
    .locator('lectern-player')
    .evaluate((player) => (player as HTMLElement & { currentTime: number }).currentTime);
}

async function getAnalytics(postId: string): Promise<Analytics> {
  const response = await admin.request('GET', `/v1/sites/1/analytics?post_id=${postId}`);
  return ((await response.json()) as Envelope<Analytics>).data;
}

test('the analytics show that a listener reads along, clicks on a sentence and closes the page', async () => {
  const segments = await publishPost('boats');
  const { page, complaints } = await pages.open(`<lectern-player post-id="boats"></lectern-player>${article}`);
  expect(await getMarkedText(page)).toBeUndefined();
  const marks = await noteMarks(page);
  await page.getByRole('button', { name: 'Play' }).click();
  await eventually(async () => (await marks()).includes(sentences[0] ?? ''), 'the first sentence is marked');
  // The first segment is the title, which the text does not contain.
  const startS = (segments[9]?.start_ms ?? 0) / 1000;
  await page.getByText('Boat 9 ').click();
  await eventually(async () => (await marks()).includes(sentences[8] ?? ''), 'the ninth is marked');
  // No sentence between: it jumped.
  expect(await marks()).not.toContain(sentences[7]);
  await eventually(async () => (await getPosition(page)) > startS + 1, 'a second of it is heard');
  await page.goto('about:blank');

  const figures = await eventually(async () => {
    const figures = await getAnalytics('boats');
    return (figures.events['progress'] ?? 0) > 0 && figures;
  }, 'what was heard last has arrived');
  const durationS = (segments.at(-1)?.end_ms ?? 0) / 1000;
  expect(figures.totals).toMatchObject({ loads: 1, plays: 1, completes: 0, listeners: 0 });
  expect(figures.events).toMatchObject({ click: 1, seek: 1 });
  // The beginning and a part of the ninth sentence, nothing between them.
  expect(figures.totals.heard_seconds).toBeLessThan(durationS / 2);
  expect(figures.retention[0]?.times).toBeGreaterThan(0.5);
  expect(figures.retention[10]?.times).toBe(0);
  const clickedPart = Math.floor(((startS + 0.5) / durationS) * figures.retention.length);
  expect(figures.retention[clickedPart]?.times).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
  await page.close();
});

test('each word is highlighted while it is spoken, if the voice has word timings', async () => {
  const segments = await publishPost('words');
  const { page, complaints } = await pages.open(`<lectern-player post-id="words"></lectern-player>${article}`);
  const words = await noteWords(page);
  // A busy machine would miss words at full speed.
  await page.locator('lectern-player .play:enabled').first().waitFor();
  await page.locator('lectern-player').evaluate((player) => Object.assign(player, { playbackRate: 0.5 }).localName);
  await page.getByRole('button', { name: 'Play' }).click();
  const [, first, second] = segments;
  const expected = [first, second].flatMap(({ text = '', words: own = [] } = {} as Timings['segments'][number]) =>
    own.map(({ start, end }) => text.slice(start, end)),
  );
  expect(expected).toHaveLength(26);
  const records = await eventually(async () => {
    const records = await words();
    return records.length >= expected.length && records;
  }, 'the words of two sentences are marked');
  expect(records.slice(0, expected.length)).toEqual(expected);
  expect(complaints).toEqual([]);
  await page.close();
});

test('an attribute disables read-along and clicks', async () => {
  await publishPost('plain');
  const { page, requests } = await pages.open(
    `<lectern-player post-id="plain" read-along="off" events="off"></lectern-player>${article}`,
  );
  await page.getByRole('button', { name: 'Play' }).click();
  await eventually(async () => (await getPosition(page)) > 3, 'audio is playing');
  expect(await getMarkedText(page)).toBeUndefined();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Boat 9 ').click();
  await page.close();
  expect(requests.filter((url) => url.includes('/events'))).toEqual([]);
  expect((await getAnalytics('plain')).totals).toMatchObject({ loads: 0, plays: 0 });
});
