import { expect, test } from 'bun:test';
import type { Overview } from '../../src/system/schema.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import { startServerForFile } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers } from '../fixtures/site-users.ts';
import { buildArticle } from './articles.ts';

/** Nothing listens there. */
const deadUrl = 'http://127.0.0.1:9/T0KEN';

await passMidnight();
const server = await startServerForFile({
  env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1/32', LECTERN_WEBHOOK_RETRY_S: '1', LECTERN_FEED_ALLOW: '127.0.0.1/32' },
});
const users = createSiteUsers(server, server.siteId);
const site = `/v1/sites/${server.siteId}`;

async function getOverview(user = users.admin): Promise<Overview> {
  const { status, data } = await user.request<Overview>('GET', `${site}/overview`);
  expect(status).toBe(200);
  return data;
}

const listKinds = ({ needs }: Overview) => needs.map(({ kind }) => kind);

test('the overview of an empty site lists no tasks', async () => {
  const overview = await getOverview();
  expect(overview).toMatchObject({ needs: [], top_today: [], player_seen_on: null, generating: [], latest: [] });
  const { days } = overview.listening;
  expect([days.length, days.at(-1)]).toEqual([
    60,
    {
      ...{ day: new Date().toISOString().slice(0, 10), loads: 0, plays: 0, completes: 0, completion: null },
      ...{ listeners: 0, heard_seconds: 0 },
    },
  ]);
  expect(await collectStatuses(users, (user) => user.request('GET', `${site}/overview`))).toEqual([
    401, 404, 200, 200, 200,
  ]);
});

test('the overview lists tasks for users who have the permission', async () => {
  await users.admin.request('POST', `${site}/webhooks`, { url: deadUrl });
  await users.admin.request('POST', `${site}/sources`, { url: `${deadUrl}?feed` });
  await users.editor.request('POST', `${site}/domains`, { domain: 'wanted.example' });
  await server.generate({ post_id: 'mute', content: '🙂'.repeat(60) });
  const overview = await eventually(async () => {
    const overview = await getOverview();
    return listKinds(overview).length === 4 && overview;
  }, 'four needs');
  expect(overview.needs).toEqual([
    {
      ...{ kind: 'failed_posts', id: null, name: null, count: 1, since: expect.any(String) },
      details: [expect.stringContaining('no speakable text')],
    },
    {
      ...{ kind: 'webhook_failing', id: expect.any(Number), name: '127.0.0.1:9', count: 1 },
      ...{ since: expect.any(String), details: [expect.stringContaining('ECONNREFUSED')] },
    },
    {
      ...{ kind: 'source_failing', id: expect.any(Number), name: '127.0.0.1:9', count: expect.any(Number) },
      ...{ since: null, details: [expect.stringContaining('ECONNREFUSED')] },
    },
    {
      ...{ kind: 'domain_pending', id: null, name: null, count: 1 },
      ...{ since: expect.any(String), details: ['wanted.example'] },
    },
  ]);
  expect(JSON.stringify(overview)).not.toContain('T0KEN');
  const viewerOverview = await getOverview(users.viewer);
  expect(listKinds(viewerOverview)).toEqual(['failed_posts', 'webhook_failing', 'source_failing']);
  await users.admin.request('PATCH', '/v1/queue', { paused: true });
  expect((await getOverview(users.viewer)).needs[0]).toMatchObject({ kind: 'queue_paused', count: 1 });
});

test("the overview shows the queue, the newest posts, and today's plays", async () => {
  for (const postId of ['one', 'two', 'three', 'four', 'five', 'six']) {
    await server.generate({ post_id: postId, post_title: `Title ${postId}`, content: buildArticle(postId) });
  }
  const { generating, latest, counts } = await getOverview();
  expect(generating.map(({ post_id }) => post_id)).toEqual(['one', 'two', 'three', 'four', 'five']);
  expect(latest.map(({ post_id }) => post_id)).toEqual(['six', 'five', 'four', 'three']);
  expect(counts).toMatchObject({ all: 7, generating: 6, failed: 1 });
  await users.admin.request('PATCH', '/v1/queue', { paused: false });

  const play = (post_id: string) => ({ type: 'play', post_id, language: 'en' });
  const events = [{ type: 'load', post_id: 'one' }, play('two'), play('one'), play('two')];
  const headers = { 'content-type': 'application/json', 'x-api-key': server.key };
  const response = await server.request('/v1/events/track', {
    method: 'POST',
    headers,
    body: JSON.stringify({ events }),
  });
  expect(response.status).toBe(202);
  const overviewWithPlays = await eventually(async () => {
    const overview = await getOverview();
    return overview.top_today.length === 2 && overview;
  }, 'plays');
  const day = new Date().toISOString().slice(0, 10);
  expect(overviewWithPlays.top_today).toEqual([
    { post_id: 'two', post_title: 'Title two', language: 'en', plays: 2 },
    { post_id: 'one', post_title: 'Title one', language: 'en', plays: 1 },
  ]);
  expect(overviewWithPlays.listening.days.at(-1)).toMatchObject({ day, loads: 1, plays: 3 });
  expect(overviewWithPlays.player_seen_on).toBe(day);
});
