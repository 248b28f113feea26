import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parseRssFeed } from 'feedsmith';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo } from '../fixtures/post.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { type Envelope, runCommand } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { startReceiver } from '../fixtures/webhook-receiver.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const domain = 'www.news.example';
const env = { LECTERN_WEBHOOK_ALLOW: '127.0.0.1/32' };
const receiver = startReceiver();
let site: PublicSite;
let users: SiteUsers;

beforeAll(async () => {
  site = await startPublicSite([domain], { env });
  users = createSiteUsers(site, 1);
});
afterAll(async () => {
  await site.stop('SIGKILL');
  await receiver.stop();
});

async function generate(postId: string, content: string): Promise<AudioRecord> {
  const response = await site.generate({ post_id: postId, post_title: postId, content });
  expect(response.status).toBe(202);
  const record = await site.waitUntilFinished(postId);
  expect(record.status).toBe('ready');
  return record;
}

function waitUntilRemoved(postId: string): Promise<AudioRecord> {
  return eventually(async () => {
    const record = await site.status(postId);
    return record.removed_at !== undefined && record;
  }, `the audio of ${postId} is removed`);
}

async function listIds(status: string): Promise<string[]> {
  const { data } = await users.viewer.request<{ items: { post_id: string }[] }>(
    'GET',
    `/v1/sites/1/posts?status=${status}`,
  );
  return data.items.map(({ post_id }) => post_id);
}

const shared = '<p>The harbor stayed open through the long winter of that year.</p>';

test('audio older than the limit is removed with a reason; a repeated request generates it again', async () => {
  const words = ['webhook', 'create', '--data', site.data, '--site', '1', '--url', receiver.url];
  expect((await runCommand(words, { env })).code).toBe(0);
  const content = `${shared}<p>Nobody had expected the ice to last.</p>`;
  const before = await generate('old', content);
  await generate('new', `${shared}<p>The ferries ran every hour.</p>`);
  changeRows(site.data, `update version set ready_at = '2020-01-01T00:00:00.000Z' where audio_id = ?`, before.id);
  expect((await users.editor.request('PATCH', '/v1/sites/1', { audio_retention_days: 30 })).status).toBe(403);

  await site.runLectern('site', 'update', '1', '--audio-retention-days', '30');
  const record = await waitUntilRemoved('old');

  expect(record).toMatchObject({
    ...{ id: before.id, status: 'failed', audio_url: null, duration_seconds: null },
    error: 'Audio removed: the site keeps audio for 30 days. Generate it again to restore it',
  });
  for (const url of [before.audio_url ?? '', (before.audio_url ?? '').replace(/mp3$/, 'json')]) {
    expect((await fetch(url)).status).toBe(410);
  }
  const { data: shown } = (await (await site.open(`audio?domain=${domain}&post_id=old`)).json()) as Envelope<object>;
  expect(shown).toMatchObject({ status: 'failed', audio_url: null, last_ready: null, variants: [] });
  const feed = parseRssFeed(await (await site.open(`feed.xml?domain=${domain}`)).text());
  expect((feed.items ?? []).map(({ title }) => title)).toEqual(['new']);
  expect(await listIds('removed')).toEqual(['old']);
  expect(await listIds('failed')).toEqual([]);
  expect(readRows(site.data, `select * from segment where hash not in (select hash from planned_segment)`)).toEqual([]);
  // It shares a sentence with the removed one.
  expect((await listenTo(await site.status('new'))).warnings).toBe('');
  const message = await eventually(
    () => receiver.received.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'audio.deleted'),
    'the webhook is sent',
  );
  expect(message.data).toMatchObject({ post_id: 'old', status: 'deleted', error: record.error });
  expect(await (await fetch(`${site.url}/metrics`)).text()).toContain('lectern_audio_removed_total 1');

  const after = await generate('old', content);
  expect(after).toMatchObject({ id: before.id, status: 'ready' });
  expect(after).not.toContainAnyKeys(['error', 'removed_at']);
  expect((await listenTo(after)).warnings).toBe('');
  await site.runLectern('site', 'update', '1', '--audio-retention-days', '0');
});

test('audio beyond the size limit of the site is removed, oldest first; an editor can regenerate it', async () => {
  await site.runLectern('site', 'update', '1', '--bit-rate', '160');
  const first = await generate('first', buildArticle('one', 8));
  const second = await generate('second', buildArticle('two', 8));
  const [sizes] = readRows<{ total: number }>(site.data, 'select sum(byte_count) as total from version');
  expect(sizes?.total).toBeGreaterThan(1024 * 1024);

  expect((await users.admin.request('PATCH', '/v1/sites/1', { audio_retention_mb: -1 })).status).toBe(422);
  expect((await users.admin.request('PATCH', '/v1/sites/1', { audio_retention_mb: 1 })).status).toBe(200);
  expect(await waitUntilRemoved('first')).toMatchObject({ id: first.id, status: 'failed' });
  expect(await site.status('second')).toMatchObject({ id: second.id, status: 'ready' });
  const [kept] = readRows<{ total: number }>(site.data, 'select sum(byte_count) as total from version');
  expect(kept?.total).toBeLessThanOrEqual(1024 * 1024);

  await users.admin.request('PATCH', '/v1/sites/1', { audio_retention_mb: 0 });
  expect((await users.editor.request('POST', '/v1/sites/1/posts/first/remake')).data).toMatchObject({ audios: 1 });
  expect((await site.waitUntilFinished('first')).status).toBe('ready');
});
