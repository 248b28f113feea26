import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parseRssFeed } from 'feedsmith';
import type { PublicAudio } from '../../src/audio/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import type { Envelope } from '../fixtures/server.ts';
import { buildArticle } from './articles.ts';

let site: PublicSite;

beforeAll(async () => {
  site = await startPublicSite(['news.example'], { voices: 'built-in' });
  await site.runLectern('site', 'update', '1', '--allow-switch', 'true', '--extra-voices', '2');
  await site.generate({ post_id: 'switched', content: buildArticle('a post in two voices') });
  await site.waitUntilFinished('switched');
});
afterAll(() => site.stop('SIGKILL'));

const request = (query: string) => site.open(`audio?domain=news.example&post_id=switched${query}`);
const getPublicAudio = async (query = '') => ((await (await request(query)).json()) as Envelope<PublicAudio>).data;

test('each voice of a post lists the others as variants', async () => {
  await eventually(async () => (await getPublicAudio()).variants.length === 1, 'another voice is available');
  const main = await getPublicAudio();
  const further = await getPublicAudio('&voice_id=2');
  expect(main.voice.name).toBe('Aspen');
  expect(further).toMatchObject({ status: 'ready', voice: { id: 2, name: 'Cedar' } });
  expect(further.audio_url).not.toBe(main.audio_url);
  expect(main.variants).toEqual([
    {
      language: 'en',
      voice: further.voice,
      audio_url: further.audio_url ?? '',
      duration_seconds: further.duration_seconds ?? 0,
      segments_url: further.segments_url ?? '',
    },
  ]);
  expect(further.variants.map(({ audio_url }) => audio_url)).toEqual([main.audio_url ?? '']);
  expect((await getPublicAudio('&voice_id=1')).id).toBe(main.id);
  // The status has the main audio only.
  const status = await site.open('audio/status?domain=news.example&post_id=switched');
  expect(((await status.json()) as Envelope<PublicAudio>).data.id).toBe(main.id);
});

test('an extra voice is not a separate episode in the podcast feed', async () => {
  await eventually(async () => (await getPublicAudio()).variants.length === 1, 'another voice is available');
  const { audio_url } = await getPublicAudio();
  const feed = parseRssFeed(await (await site.open('feed.xml?domain=news.example')).text());
  expect(feed.items?.map(({ enclosures }) => enclosures?.map(({ url }) => url))).toEqual([[audio_url ?? '']]);
});

test('a site without voice selection lists no variants', async () => {
  await site.runLectern('site', 'update', '1', '--allow-switch', 'false');
  expect((await getPublicAudio()).variants).toEqual([]);
  expect((await request('&voice_id=2')).status).toBe(404);
  expect((await request('&voice_id=1')).status).toBe(200);
});
