import { afterEach, describe, expect, test } from 'bun:test';
import type { PostRecord } from '../../src/audio/posts/schema.ts';
import type { QueueItem, QueueState } from '../../src/system/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkersWhen } from '../fixtures/held-workers.ts';
import { watchSegments } from '../fixtures/segment-log.ts';
import {
  createSite,
  createTemporaryFolder,
  runCommand,
  startServerForFile,
  startTestServer,
  type TestServer,
  withNewSite,
} from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser, type SiteUsers } from '../fixtures/site-users.ts';
import { listVoices } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';

type Items = { items: QueueItem[]; next_cursor: string | null };

const short = '<p>The ferry was late again on Monday. Two hundred people waited on the pier.</p>';
const shared = await startServerForFile();
/** Empties and resumes the queue for the next test. */
afterEach(async () => {
  const { admin } = createSiteUsers(shared, shared.siteId);
  for (const { site, post_id } of await listItems(admin)) {
    await admin.request('DELETE', `/v1/sites/${site.id}/posts/${encodeURIComponent(post_id)}`);
  }
  await pause(admin, false);
});

async function pause(admin: SiteUser, paused: boolean): Promise<QueueState> {
  const { status, data } = await admin.request<QueueState>('PATCH', '/v1/queue', { paused });
  expect(status).toBe(200);
  return data;
}

async function listItems(user: SiteUser, query = ''): Promise<QueueItem[]> {
  const { status, data } = await user.request<Items>('GET', `/v1/queue/items${query}`);
  expect(status).toBe(200);
  return data.items;
}

/** @returns the ids of the posts on all pages */
async function listPages(user: SiteUser, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data }: { data: Items } = await user.request('GET', `/v1/queue/items?${query}${cursor}`);
    ids.push(...data.items.map(({ post_id }) => post_id));
    cursor = data.next_cursor && `&cursor=${data.next_cursor}`;
  }
  return ids;
}

async function getItem(user: SiteUser, postId: string): Promise<QueueItem> {
  const found = (await listItems(user)).find(({ post_id }) => post_id === postId);
  if (found === undefined) throw new Error(`${postId} is not in the queue`);
  return found;
}

async function submitPost(server: TestServer, post_id: string, more: Record<string, unknown> = {}) {
  const { status } = await server.generate({ post_id, content: short + post_id, ...more });
  expect(status).toBe(202);
}

describe('a paused queue', () => {
  test('starts no audio but accepts posts and previews, and continues when it is resumed', async () => {
    const server = await withNewSite(shared);
    const { admin } = createSiteUsers(server, server.siteId);
    const state = await pause(admin, true);
    expect(state.paused).toEqual({ since: expect.any(String), by: admin.email });
    expect(readLastEntry(server.data, 'queue.paused')).toMatchObject({
      ...{ actor: admin.email, site_id: null, after: state.paused },
    });
    await submitPost(server, 'a');
    await submitPost(server, 'b', { priority: 'high' });
    const spoken = await server.request('/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'The queue stands still.', model: 'lectern', voice: 'aspen' }),
    });
    expect([spoken.status, (await spoken.bytes()).byteLength > 1_000]).toEqual([200, true]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    // The worker processed the request above and none of these.
    const { data } = await admin.request<QueueState>('GET', '/v1/queue');
    expect(data).toMatchObject({
      ...{ waiting: 2, generating: 0, paused: state.paused },
      waiting_by_priority: { high: 1, normal: 1, low: 0, further: 0 },
    });
    expect(await pause(admin, true)).toMatchObject({ paused: state.paused });
    expect((await pause(admin, false)).paused).toBeNull();
    expect(readLastEntry(server.data, 'queue.resumed')).toMatchObject({ before: state.paused });
    expect((await server.waitUntilFinished('a')).status).toBe('ready');
    expect((await server.waitUntilFinished('b')).status).toBe('ready');
  });

  test('finishes the current sentence and starts no other one, even after a restart', async () => {
    const data = createTemporaryFolder();
    const { key } = await createSite(data);
    const log = watchSegments(data);
    const server = await startTestServer({ data, key });
    const { admin } = createSiteUsers(server, server.siteId);
    await submitPost(server, 'long', { content: buildArticle('long', 60) });
    const countSegments = () => log.listWritings().length;
    const release = await holdWorkersWhen(server, () => countSegments() > 1, 'some sentences are spoken');
    await pause(admin, true);
    release();
    const before = countSegments();
    await submitPost(server, 'other');
    const making = await eventually(async () => {
      const item = await getItem(admin, 'long');
      return (item.segments?.done ?? 0) >= countSegments() && item;
    }, 'what was in hand is counted');
    expect(making).toMatchObject({ status: 'generating', main: true, priority: 'normal' });
    expect(making.segments?.planned).toBeGreaterThan(making.segments?.done ?? Infinity);
    expect(await listPages(admin, 'limit=1')).toEqual(['long', 'other']);
    await server.stop();

    const again = await startTestServer({ data, key });
    const after = await again.request('/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'After the restart.', model: 'lectern', voice: 'aspen' }),
    });
    expect(after.status).toBe(200);
    // The only worker had one sentence in progress.
    expect(countSegments() - before).toBeLessThanOrEqual(1);
    const { admin: sameAdmin } = createSiteUsers(again, again.siteId);
    const state = await sameAdmin.request<QueueState>('GET', '/v1/queue');
    expect(state.data).toMatchObject({ waiting: 2, generating: 0, paused: { by: admin.email } });
    await pause(sameAdmin, false);
    expect((await again.waitUntilFinished('long')).status).toBe('ready');
    await again.stop('SIGKILL');
  });

  test('can be paused and resumed by a command', async () => {
    const server = await withNewSite(shared);
    const { admin } = createSiteUsers(server, server.siteId);
    const runQueueCommand = async (name: string) => {
      const { code, stdout } = await runCommand(['queue', name, '--data', server.data, '--json']);
      expect(code).toBe(0);
      return JSON.parse(stdout) as QueueState;
    };
    expect((await runQueueCommand('show')).paused).toBeNull();
    expect((await runQueueCommand('pause')).paused?.by).toBe('command line');
    expect(readLastEntry(server.data, 'queue.paused')).toMatchObject({ actor: 'command line' });
    // The server polls for it and may start a post until then.
    const halted = await eventually(async () => {
      const postId = crypto.randomUUID();
      await submitPost(server, postId);
      const speech = await server.request('/v1/audio/speech', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'Is it still?', model: 'lectern', voice: 'aspen' }),
      });
      expect(speech.status).toBe(200);
      return (await server.status(postId)).status === 'pending' && postId;
    }, 'the server has seen the pause');
    const { data } = await admin.request<QueueState>('GET', '/v1/queue');
    expect(data.paused?.by).toBe('command line');
    const text = await runCommand(['queue', 'show', '--data', server.data]);
    expect(text.stdout).toContain('Queue paused since');
    expect((await runQueueCommand('resume')).paused).toBeNull();
    expect((await server.waitUntilFinished(halted)).status).toBe('ready');
  });
});

describe('the queue list', () => {
  test('is ordered by priority and time, in pages, with the details of each audio', async () => {
    const server = await withNewSite(shared);
    const { admin } = createSiteUsers(server, server.siteId);
    await pause(admin, true);
    await submitPost(server, 'first', { post_title: 'The first one' });
    await submitPost(await withNewSite(shared), 'of another');
    await submitPost(server, 'second');
    await submitPost(server, 'last', { priority: 'low' });
    await submitPost(server, 'urgent', { priority: 'high' });
    const all = await listItems(admin);
    expect(all.map(({ post_id }) => post_id)).toEqual(['urgent', 'first', 'of another', 'second', 'last']);
    expect(all[1]).toEqual({
      ...{ audio_id: expect.any(Number), post_id: 'first' },
      ...{ post_title: 'The first one', title: 'The first one' },
      site: { id: server.siteId, slug: expect.stringMatching(/^test-site/), name: 'Test Site' },
      ...{
        language: 'en',
        main: true,
        voice: { id: expect.any(Number), name: expect.any(String) },
      },
      ...{ status: 'pending', priority: 'normal', progress_percent: 0, segments: null },
      ...{ created_at: expect.any(String), since: expect.any(String) },
    });
    for (const limit of [1, 3]) {
      expect(await listPages(admin, `limit=${limit}`)).toEqual(['urgent', 'first', 'of another', 'second', 'last']);
      const ofSite = await listPages(admin, `limit=${limit}&site=${server.siteId}`);
      expect(ofSite).toEqual(['urgent', 'first', 'second', 'last']);
    }
    expect((await admin.request('GET', '/v1/queue/items?cursor=abc')).status).toBe(422);
  });

  test('lists extra voices separately', async () => {
    const server = await withNewSite(shared);
    const { admin } = createSiteUsers(server, server.siteId);
    const voices = (await listVoices(server.data)).voices.filter(({ language }) => language === 'en');
    const [firstVoice, secondVoice] = voices.map(({ id }) => id);
    const site = `/v1/sites/${server.siteId}`;
    await admin.request('PATCH', site, { default_voice_id: firstVoice });
    await submitPost(server, 'a');
    await server.waitUntilFinished('a');
    await pause(admin, true);
    await admin.request('PATCH', site, { allow_switch: true, extra_voices: [secondVoice] });
    const item = await eventually(async () => {
      const found = (await listItems(admin)).find(({ main }) => !main);
      return found !== undefined && found;
    }, 'a further voice is in the queue');
    expect(item).toMatchObject({ post_id: 'a', priority: null, voice: { id: secondVoice } });
    const { data } = await admin.request<QueueState>('GET', '/v1/queue');
    expect(data.waiting_by_priority).toEqual({ high: 0, normal: 0, low: 0, further: 1 });
    const moved = await admin.request('PATCH', `/v1/queue/items/${item.audio_id}`, {
      priority: 'high',
    });
    expect([moved.status, moved.message]).toEqual([
      409,
      'Priority not changed: extra voices always have the lowest priority',
    ]);
  });

  test('is available to admins, and the part of a site to its users', async () => {
    const server = await withNewSite(shared);
    const users = createSiteUsers(server, server.siteId);
    await pause(users.admin, true);
    await submitPost(server, 'a');
    const other = await createSite(server.data);
    await server.request('/v1/audio/generate', {
      method: 'POST',
      headers: { 'x-api-key': other.key, 'content-type': 'application/json' },
      body: JSON.stringify({ post_id: 'of another', content: short }),
    });
    const siteQuery = `?site=${server.siteId}`;
    expect((await listItems(users.admin)).map(({ post_id }) => post_id)).toEqual(['a', 'of another']);
    expect((await listItems(users.viewer, siteQuery)).map(({ post_id }) => post_id)).toEqual(['a']);
    const checkAccess = (method: string, path: string, body?: unknown) =>
      collectStatuses(users, (user) => user.request(method, path, body));
    const admins = [401, 403, 403, 403, 200];
    expect(await checkAccess('GET', '/v1/queue')).toEqual(admins);
    expect(await checkAccess('GET', '/v1/queue/items')).toEqual(admins);
    expect(await checkAccess('GET', `/v1/queue/items${siteQuery}`)).toEqual([401, 404, 200, 200, 200]);
    expect(await checkAccess('PATCH', '/v1/queue', { paused: true })).toEqual(admins);
    const [item] = await listItems(users.admin);
    const path = `/v1/queue/items/${item?.audio_id}`;
    expect(await checkAccess('PATCH', path, { priority: 'low' })).toEqual(admins);
  });
});

describe('a changed priority', () => {
  let server: TestServer;
  let users: SiteUsers;

  async function pauseNewSite(): Promise<void> {
    server = await withNewSite(shared);
    users = createSiteUsers(server, server.siteId);
    await pause(users.admin, true);
  }

  test('takes effect at once: the audio of higher priority is synthesized first', async () => {
    await pauseNewSite();
    await submitPost(server, 'first');
    await submitPost(server, 'second');
    await submitPost(server, 'third');
    const third = await getItem(users.admin, 'third');
    const path = `/v1/queue/items/${third.audio_id}`;
    const { data } = await users.admin.request<QueueItem>('PATCH', path, { priority: 'high' });
    expect(data).toEqual({ ...third, priority: 'high' });
    expect(readLastEntry(server.data, 'post.prioritized')).toMatchObject({
      ...{ actor: users.admin.email, site_id: server.siteId, subject: 'third' },
      ...{ before: { language: 'en', priority: 'normal' } },
      after: { language: 'en', priority: 'high' },
    });
    const log = watchSegments(server.data);
    await pause(users.admin, false);
    for (const id of ['first', 'second', 'third']) await server.waitUntilFinished(id);
    const [begun] = log.readRows<{ post: string }>(
      `select post.external_id as post from writing
        join planned_segment using (hash)
        join version on version.id = planned_segment.version_id
        join audio on audio.id = audio_id
        join post on post.id = post_id
        order by number limit 1`,
    );
    expect(begun?.post).toBe('third');
  });

  test('is rejected for an audio that is not in the queue', async () => {
    await pauseNewSite();
    const request = (id: string, body: unknown) => users.admin.request('PATCH', `/v1/queue/items/${id}`, body);
    expect((await request('999', { priority: 'high' })).status).toBe(404);
    expect((await request('x', { priority: 'high' })).status).toBe(404);
    expect((await request('1', { priority: 'urgent' })).status).toBe(422);
  });
});

describe('a post', () => {
  test('can be changed without sending its text again', async () => {
    const server = await withNewSite(shared);
    const users = createSiteUsers(server, server.siteId);
    await pause(users.admin, true);
    await submitPost(server, 'news/1', { post_url: 'https://a.example/one' });
    const path = `/v1/sites/${server.siteId}/posts/news%2F1`;
    const changes = {
      ...{ url: 'https://a.example/two', visibility: 'private', priority: 'low' },
      publish_at: '2030-01-01T00:00:00+01:00',
    };
    const { status, data } = await users.editor.request<PostRecord>('PATCH', path, changes);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      ...{ post_id: 'news/1', url: 'https://a.example/two', visibility: 'private' },
      ...{ publish_at: '2029-12-31T23:00:00.000Z', audio: [{ status: 'pending' }] },
    });
    expect(await getItem(users.admin, 'news/1')).toMatchObject({ priority: 'low' });
    expect(readLastEntry(server.data, 'post.updated')).toMatchObject({
      ...{ actor: users.editor.email, site_id: server.siteId, subject: 'news/1' },
      before: {
        ...{ url: 'https://a.example/one', visibility: 'public', publish_at: null },
        priority: 'normal',
      },
      after: { ...changes, publish_at: '2029-12-31T23:00:00.000Z' },
    });
    const cleared = await users.editor.request<PostRecord>('PATCH', path, {
      ...{ url: null, publish_at: null },
    });
    expect(cleared.data).toMatchObject({ url: null, publish_at: null, visibility: 'private' });
  });

  test('is found by its new URL on the pages of the site', async () => {
    const server = await withNewSite(shared);
    const { admin, editor } = createSiteUsers(server, server.siteId);
    type Site = { domains: string[] };
    const { data: site } = await admin.request<Site>('GET', `/v1/sites/${server.siteId}`);
    const [domain = ''] = site.domains;
    await submitPost(server, 'a');
    await server.waitUntilFinished('a');
    const path = `/v1/sites/${server.siteId}/posts/a`;
    await editor.request('PATCH', path, { url: `https://${domain}/new-place` });
    const found = await fetch(`${server.url}/v1/public/audio?domain=${domain}&url=https://${domain}/new-place/`);
    expect(found.status).toBe(200);
    await editor.request('PATCH', path, { visibility: 'private' });
    const hidden = await fetch(`${server.url}/v1/public/audio?domain=${domain}&post_id=a`);
    expect(hidden.status).toBe(404);
    const urgent = await editor.request('PATCH', path, { priority: 'high' });
    expect([urgent.status, urgent.message]).toEqual([409, 'No queued audio for this post']);
  });

  test('can be changed only by editors of its site, with valid values', async () => {
    const server = await withNewSite(shared);
    const users = createSiteUsers(server, server.siteId);
    await pause(users.admin, true);
    await submitPost(server, 'a');
    const path = `/v1/sites/${server.siteId}/posts/a`;
    const change = (body: unknown) => collectStatuses(users, (user) => user.request('PATCH', path, body));
    expect(await change({ visibility: 'public' })).toEqual([401, 404, 403, 200, 200]);
    const rejection = await users.editor.request('PATCH', path, { url: 'nowhere', publish_at: 'soon' });
    expect([rejection.status, Object.keys(rejection.errors ?? {}).sort()]).toEqual([422, ['publish_at', 'url']]);
    expect((await users.editor.request('PATCH', path, { visibility: 'secret' })).status).toBe(422);
    const none = await users.editor.request('PATCH', path.replace(/a$/, 'none'), { url: null });
    expect([none.status, none.message]).toEqual([404, 'Post not found']);
  });
});
