import { afterAll, expect, test } from 'bun:test';
import type { PublicAudio } from '../../src/audio/schema.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import type { Envelope, TestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { buildArticle } from './articles.ts';

const running: TestServer[] = [];
afterAll(() => Promise.all(running.map((server) => server.stop('SIGKILL'))));

async function startSite(env: Record<string, string> = {}): Promise<PublicSite> {
  const site = await startPublicSite(['news.example'], { env });
  running.push(site);
  return site;
}

test('behind a proxy every URL has the base URL, whose pages have access', async () => {
  const baseUrl = 'https://audio.example.org/speech';
  const site = await startSite({ LECTERN_BASE_URL: baseUrl });
  await site.generate({ post_id: 'proxied', content: buildArticle('a post behind a proxy') });
  await site.waitUntilFinished('proxied');
  const headers = { origin: 'https://audio.example.org' };
  const query = 'domain=news.example&post_id=proxied';
  const response = await fetch(`${site.url}/speech/v1/public/audio?${query}`, { headers });
  expect(response.headers.get('access-control-allow-origin')).toBe(headers.origin);
  const { data } = (await response.json()) as Envelope<PublicAudio>;
  expect(data.audio_url).toStartWith(`${baseUrl}/v1/media/`);
  expect(data.segments_url).toStartWith(`${baseUrl}/v1/media/`);
  const stream = `${site.url}/speech/v1/public/audio/stream?${query}`;
  const redirect = await fetch(stream, { redirect: 'manual', headers });
  expect(redirect.headers.get('location')).toBe(data.audio_url);

  // The listener connects before synthesis starts; a ready post would redirect.
  const { admin } = createSiteUsers(site, site.siteId);
  await pauseQueue(admin, true);
  const streamed = site.generate({ post_id: 'live', content: buildArticle('another post') });
  expect((await streamed).status).toBe(202);
  const listening = fetch(stream.replace('proxied', 'live'), { headers });
  await pauseQueue(admin, false);
  const live = await listening;
  expect(live.headers.get('content-type')).toBe('audio/mpeg');
  expect((await live.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  // The listening address is not its base URL.
  const other = await site.open(`audio?${query}`, { headers: { origin: site.url } });
  expect(other.status).toBe(403);
});
