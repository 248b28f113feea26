import { beforeAll, describe, expect, test } from 'bun:test';
import type { PostDetail, PostListItem } from '../../src/audio/posts/schema.ts';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { installToneVoices } from '../fixtures/default-voice.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import { createSite, createTemporaryFolder, startServerForFile } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser, type SiteUsers } from '../fixtures/site-users.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

interface Posts {
  readonly items: PostListItem[];
  readonly next_cursor: string | null;
  readonly counts: Record<string, number>;
}

const pictures = `<figure><img src="flood.jpg" alt=""></figure>${'<p>🎈</p>'.repeat(10)}`;
const german = '<p>Der Fluss ist ruhig, und die Brücke steht offen für alle Leute.</p>';
const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString();

const data = createTemporaryFolder();
await installToneVoices(data, 'en_US', 'de_DE');
const server = await startServerForFile({ data });
const germanVoice = await findVoiceId(data, 'de_DE-tones-low');

/** A separate site for each test. */
async function createTestSite() {
  const { siteId, key } = await createSite(server.data);
  return { siteId, key, path: `/v1/sites/${siteId}/posts`, users: createSiteUsers(server, siteId) };
}

async function submit(user: SiteUser, path: string, post_id: string, more: Record<string, unknown> = {}) {
  const { status } = await user.request('POST', path, { post_id, content: buildArticle(post_id), ...more });
  expect(status).toBe(202);
}

/** Polls until every audio of a post is ready or failed. */
function waitUntilFinished(user: SiteUser, path: string, postId: string): Promise<PostDetail> {
  return eventually(async () => {
    const { data } = await user.request<PostDetail>('GET', `${path}/${encodeURIComponent(postId)}`);
    return data.audio.every(({ status }) => status === 'ready' || status === 'failed') && data;
  }, `${postId} is finished`);
}

async function list({ viewer }: SiteUsers, path: string, query = ''): Promise<Posts> {
  const { status, data } = await viewer.request<Posts>('GET', `${path}?${query}`);
  expect(status).toBe(200);
  return data;
}

async function listIds(users: SiteUsers, path: string, query = ''): Promise<string[]> {
  return (await list(users, path, query)).items.map(({ post_id }) => post_id);
}

describe('the list of posts', () => {
  let path: string;
  let users: SiteUsers;
  let key: string;

  beforeAll(async () => {
    const site = await createTestSite();
    ({ path, users, key } = site);
    const { editor } = users;
    await submit(editor, path, 'b', { post_title: 'beacon' });
    await submit(editor, path, 'z', { post_title: 'Anchor' });
    await submit(editor, path, 'gallery', { content: pictures });
    await submit(editor, path, 'later', { publish_at: nextYear });
    await submit(editor, path, 'draft', { visibility: 'private', publish_at: nextYear });
    await submit(editor, path, 'two', { post_title: 'Two languages' });
    await submit(editor, path, 'two', { content: german, voice_id: germanVoice, post_title: 'Zwei' });
    for (const id of ['b', 'z', 'gallery', 'later', 'draft', 'two']) await waitUntilFinished(users.viewer, path, id);
  });

  test.each([
    ['', ['two', 'draft', 'later', 'gallery', 'z', 'b']],
    ['state=ready', ['two', 'draft', 'later', 'z', 'b']],
    ['state=failed', ['gallery']],
    ['state=generating', []],
    ['state=scheduled', ['later']],
    ['state=private', ['draft']],
    ['state=deleted', []],
    ['state=ready&q=anchor', ['z']],
    ['voice_id=1&language=de', []],
    ['sort=oldest', ['b', 'z', 'gallery', 'later', 'draft', 'two']],
    // Posts without a title are sorted by id, ignoring case.
    ['sort=title', ['z', 'b', 'draft', 'gallery', 'later', 'two']],
    ['sort=title&q=anch', ['z']],
  ])('has for %j the posts %j', async (query, postIds) => {
    expect(await listIds(users, path, query)).toEqual(postIds);
  });

  test('counts the posts of the site in each state, regardless of the filter', async () => {
    const counts = { all: 6, ready: 5, generating: 0, failed: 1, scheduled: 1, private: 1, deleted: 0 };
    expect((await list(users, path)).counts).toEqual(counts);
    expect((await list(users, path, 'state=failed&q=none')).counts).toEqual(counts);
  });

  test('can be filtered by voice', async () => {
    expect(await listIds(users, path, `voice_id=${germanVoice}`)).toEqual(['two']);
  });

  test.each(['newest', 'oldest', 'title', 'plays'])('has each post once in pages by %s', async (sort) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Posts = await list(users, path, `sort=${sort}&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      ids.push(...page.items.map(({ post_id }) => post_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(ids).toEqual(await listIds(users, path, `sort=${sort}`));
    expect(ids.toSorted()).toEqual(['b', 'draft', 'gallery', 'later', 'two', 'z']);
  });

  test('has the plays of the last seven days and can be sorted by them', async () => {
    await passMidnight();
    const formatDaysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const play = (post_id: string, days: number) => ({ type: 'play', post_id, occurred_at: formatDaysAgo(days) });
    const events = [play('b', 0), play('z', 0), play('z', 0), play('z', 6), play('later', 2)];
    const tracked = await fetch(`${server.url}/v1/events/track`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
    });
    expect(tracked.status).toBe(202);
    const { items } = await list(users, path, 'sort=plays');
    expect(items.map(({ post_id, plays }) => [post_id, plays.join(' ')])).toEqual([
      ['z', '1 0 0 0 0 0 2'],
      ['later', '0 0 0 0 1 0 0'],
      ['b', '0 0 0 0 0 0 1'],
      ['two', '0 0 0 0 0 0 0'],
      ['draft', '0 0 0 0 0 0 0'],
      ['gallery', '0 0 0 0 0 0 0'],
    ]);
    expect(await listIds(users, path, 'sort=plays&state=ready&limit=4')).toEqual(['z', 'later', 'b', 'two']);
  });

  test('rejects the cursor of another order', async () => {
    const { next_cursor } = await list(users, path, 'sort=title&limit=1');
    const { status, errors } = await users.viewer.request('GET', `${path}?sort=newest&cursor=${next_cursor}`);
    expect([status, Object.keys(errors ?? {})]).toEqual([422, ['cursor']]);
  });
});

describe('failed posts', () => {
  test('are grouped by reason', async () => {
    const { path, users } = await createTestSite();
    for (const id of ['gallery', 'video', 'failures']) await submit(users.editor, path, id, { content: pictures });
    await submit(users.editor, path, 'chinese', {
      content: '北京市政府星期一宣布，新的大桥将于下个月通车。'.repeat(4),
    });
    await submit(users.editor, path, 'fine');
    for (const id of ['gallery', 'video', 'chinese', 'fine']) await waitUntilFinished(users.viewer, path, id);
    // The path of the list of failures is also an id.
    const response = await eventually(async () => {
      const { data } = await users.viewer.request<PostDetail>('GET', `${path}/%66ailures`);
      return data.audio[0]?.status === 'failed' && data;
    }, 'failures is finished');
    expect(response.audio).toMatchObject([{ error_code: 'no_text', content_counts: { pictures: 1, words: 0 } }]);
    const { status, data } = await users.viewer.request('GET', `${path}/failures`);
    expect(status).toBe(200);
    expect(data).toEqual({
      items: [
        {
          ...{ reason: 'The content has no speakable text', code: 'no_text', retryable: false },
          ...{ count: 3, post_ids: ['failures', 'video', 'gallery'] },
        },
        {
          reason: expect.stringContaining('a voice for English cannot speak'),
          ...{ code: 'language', retryable: false, count: 1, post_ids: ['chinese'] },
        },
      ],
    });
  });

  test('can be dismissed until they are submitted again', async () => {
    const { siteId, path, users } = await createTestSite();
    await submit(users.editor, path, 'gallery', { content: pictures });
    await waitUntilFinished(users.viewer, path, 'gallery');
    expect(await change(users.editor, path, 'dismiss', ['gallery'])).toEqual({ done: ['gallery'], refused: [] });
    expect(readLastEntry(server.data, 'post.dismissed')).toMatchObject({
      ...{ actor: users.editor.email, site_id: siteId, subject: 'gallery', before: { languages: ['en'] } },
    });
    const { items, counts } = await list(users, path);
    expect(items[0]?.audio).toMatchObject([{ status: 'failed', dismissed_at: expect.any(String) }]);
    expect(counts).toMatchObject({ all: 1, failed: 0 });
    expect(await listIds(users, path, 'state=failed')).toEqual([]);
    expect((await users.viewer.request('GET', `${path}/failures`)).data).toEqual({ items: [] });
    expect(await change(users.editor, path, 'dismiss', ['gallery'])).toEqual({
      ...{ done: [], refused: [{ post_id: 'gallery', reason: 'No failed audio for this post' }] },
    });

    await submit(users.editor, path, 'gallery', { content: pictures });
    const [audio] = (await waitUntilFinished(users.viewer, path, 'gallery')).audio;
    expect(audio).not.toHaveProperty('dismissed_at');
    expect((await list(users, path)).counts).toMatchObject({ all: 1, failed: 1 });
  });
});

describe('many posts', () => {
  test('are changed by one request, each independently', async () => {
    const { path, users } = await createTestSite();
    const { editor, viewer } = users;
    for (const id of ['a', 'b']) await submit(editor, path, id);
    await submit(editor, path, 'gallery', { content: pictures });
    for (const id of ['a', 'b', 'gallery']) await waitUntilFinished(viewer, path, id);
    const none = { post_id: 'none', reason: 'Post not found' };

    expect(await change(editor, path, 'make_private', ['a', 'none', 'b'])).toEqual({
      done: ['a', 'b'],
      refused: [none],
    });
    expect((await list(users, path)).counts).toMatchObject({ private: 2 });
    expect(await change(editor, path, 'make_public', ['a', 'b'])).toEqual({ done: ['a', 'b'], refused: [] });
    expect((await list(users, path)).counts).toMatchObject({ private: 0 });
    expect(await change(editor, path, 'retry', ['gallery', 'a'])).toEqual({
      ...{ done: ['gallery'], refused: [{ post_id: 'a', reason: 'No failed audio for this post' }] },
    });
    await waitUntilFinished(viewer, path, 'gallery');
    expect(await change(editor, path, 'regenerate', ['gallery', 'a'])).toEqual({
      ...{ done: ['a'], refused: [{ post_id: 'gallery', reason: 'No audio to regenerate' }] },
    });
    await waitUntilFinished(viewer, path, 'a');
    expect(await change(editor, path, 'delete', ['a', 'none', 'a'])).toEqual({ done: ['a'], refused: [none] });
    expect(await change(editor, path, 'restore', ['a', 'b'])).toEqual({
      ...{ done: ['a'], refused: [{ post_id: 'b', reason: 'Post not found' }] },
    });
    expect((await list(users, path)).counts).toMatchObject({ all: 3, deleted: 0 });
  });

  test('can be changed by editors of an active site', async () => {
    const { siteId, path, users } = await createTestSite();
    const body = { action: 'delete', post_ids: ['a'] };
    expect(await collectStatuses(users, (user) => user.request('POST', `${path}/bulk`, body))).toEqual([
      401, 404, 403, 200, 200,
    ]);
    for (const invalidInputs of [
      { action: 'delete', post_ids: [] },
      { action: 'burn', post_ids: ['a'] },
      { action: 'delete', post_ids: Array.from({ length: 201 }, String) },
    ]) {
      expect((await users.editor.request('POST', `${path}/bulk`, invalidInputs)).status).toBe(422);
    }
    await users.admin.request('PATCH', `/v1/sites/${siteId}`, { subscription: 'inactive' });
    const statuses = await Promise.all(
      ['retry', 'dismiss'].map(async (action) => {
        return (await users.editor.request('POST', `${path}/bulk`, { action, post_ids: ['a'] })).status;
      }),
    );
    expect(statuses).toEqual([403, 200]);
  });
});

describe('a deleted post', () => {
  test('is restored with its languages and its place in the list, under new URLs', async () => {
    const { siteId, path, users } = await createTestSite();
    const { editor, viewer } = users;
    const url = 'https://www.example.org/tides';
    await submit(editor, path, 'tides', { post_title: 'Tides', post_url: url, publish_at: nextYear });
    await submit(editor, path, 'tides', { content: german, voice_id: germanVoice });
    await submit(editor, path, 'newer');
    const before = await waitUntilFinished(viewer, path, 'tides');
    const urls = before.audio.map(({ audio_url }) => audio_url ?? '');

    expect((await editor.request('DELETE', `${path}/tides`)).status).toBe(200);
    expect((await viewer.request('GET', `${path}/tides`)).status).toBe(404);
    for (const old of urls) expect((await editor.fetch(new URL(old).pathname)).status).toBe(410);
    const { items, counts } = await list(users, path, 'state=deleted');
    expect(counts).toMatchObject({ all: 1, scheduled: 0, deleted: 1 });
    expect(items).toMatchObject([
      { post_id: 'tides', post_title: 'Tides', post_url: url, publish_at: before.publish_at, audio: [] },
    ]);
    const [{ deleted_at, purge_at } = { deleted_at: null, purge_at: null }] = items;
    expect(Date.parse(purge_at ?? '') - Date.parse(deleted_at ?? '')).toBe(30 * 86_400_000);
    for (const [query, ids] of [
      ['q=tides', ['tides']],
      ['q=harbor', []],
      ['q=ti', ['tides']],
      ['language=de', ['tides']],
      ['language=fr', []],
      [`voice_id=${germanVoice}`, ['tides']],
      ['visibility=private', []],
      ['status=ready', []],
      ['sort=title', ['tides']],
      ['sort=plays', ['tides']],
    ] as const) {
      expect([query, await listIds(users, path, `state=deleted&${query}`)]).toEqual([query, [...ids]]);
    }
    expect(await listIds(users, path, 'q=tides')).toEqual([]);

    const restored = await editor.request<{ items: AudioRecord[] }>('POST', `${path}/tides/restore`);
    expect(restored.status).toBe(202);
    expect(restored.data.items.map(({ language, status }) => [language, status])).toEqual([
      ['de', 'pending'],
      ['en', 'pending'],
    ]);
    expect(readLastEntry(server.data, 'post.restored')).toMatchObject({
      ...{ actor: editor.email, site_id: siteId, subject: 'tides', after: { languages: ['de', 'en'] } },
    });
    const after = await waitUntilFinished(viewer, path, 'tides');
    const { post_title, post_url, publish_at, created_at } = before;
    expect(after).toMatchObject({ post_title, post_url, publish_at, created_at });
    for (const { status, audio_url } of after.audio) {
      expect([status, urls.includes(audio_url ?? '')]).toEqual(['ready', false]);
    }
    for (const old of urls) expect((await editor.fetch(new URL(old).pathname)).status).toBe(410);
    expect(await listIds(users, path)).toEqual(['newer', 'tides']);
    expect(await listIds(users, path, 'q=tides')).toEqual(['tides']);
    expect((await list(users, path)).counts).toMatchObject({ all: 2, deleted: 0 });
    expect((await editor.request('POST', `${path}/tides/restore`)).status).toBe(404);
  });

  test('that had failed is restored as failed', async () => {
    const { path, users } = await createTestSite();
    await submit(users.editor, path, 'gallery', { content: pictures });
    const caption = '<figure><img src="a.jpg"><img src="b.jpg"><figcaption>The flooded street</figcaption></figure>';
    await submit(users.editor, path, 'gallery', { content: `${caption}${pictures}` });
    await waitUntilFinished(users.viewer, path, 'gallery');
    await users.editor.request('DELETE', `${path}/gallery`);
    const { data } = await users.editor.request('POST', `${path}/gallery/restore`);
    const content_counts = { pictures: 3, words: 3 };
    expect(data).toMatchObject({ items: [{ status: 'failed', error_code: 'no_text', content_counts }] });
    expect((await list(users, path)).counts).toMatchObject({ all: 1, failed: 1 });
  });

  test('is kept after a deletion by a key, and becomes a new post when it is submitted again', async () => {
    const { path, users, key } = await createTestSite();
    const send = (method: string, to: string, body?: unknown) =>
      fetch(`${server.url}${to}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
    const post = { post_id: 'a', content: buildArticle('a first text') };
    const first = (await (await send('POST', '/v1/audio/generate', post)).json()) as { data: AudioRecord };
    await waitUntilFinished(users.viewer, path, 'a');
    expect((await send('DELETE', '/v1/audio/a')).status).toBe(200);
    expect((await send('DELETE', '/v1/audio/a')).status).toBe(404);
    expect((await send('GET', '/v1/audio/a/status')).status).toBe(404);
    expect(await listIds(users, path, 'state=deleted')).toEqual(['a']);
    const again = (await (await send('POST', '/v1/audio/generate', post)).json()) as { data: AudioRecord };
    expect([again.data.status, again.data.id === first.data.id]).toEqual(['pending', false]);
    expect(await listIds(users, path, 'state=deleted')).toEqual([]);
    expect((await users.editor.request('POST', `${path}/a/restore`)).status).toBe(404);
  });

  test('can be deleted permanently', async () => {
    const { path, users } = await createTestSite();
    for (const id of ['a', 'b']) await submit(users.editor, path, id);
    expect((await users.editor.request('DELETE', `${path}/a`)).status).toBe(200);
    for (const id of ['a', 'b']) {
      const { status, data } = await users.editor.request('DELETE', `${path}/${id}?permanently=true`);
      expect([status, data]).toEqual([200, { post_id: id, languages: ['en'] }]);
      expect((await users.editor.request('DELETE', `${path}/${id}?permanently=true`)).status).toBe(404);
    }
    expect((await list(users, path)).counts).toMatchObject({ all: 0, deleted: 0 });
    expect(readRows(server.data, `select 1 from deleted_post where external_id in ('a', 'b')`)).toEqual([]);
  });

  test('can be deleted permanently in one language; the others can still be restored', async () => {
    const { path, users } = await createTestSite();
    const { editor } = users;
    await submit(editor, path, 'a');
    await submit(editor, path, 'a', { content: german, voice_id: germanVoice });
    expect((await editor.request('DELETE', `${path}/a`)).status).toBe(200);
    const purge = (language: string) => editor.request('DELETE', `${path}/a?language=${language}&permanently=true`);
    expect((await purge('fr')).status).toBe(404);
    expect((await purge('de')).data).toEqual({ post_id: 'a', languages: ['de'] });
    expect((await purge('de')).status).toBe(404);
    const restored = await editor.request<{ items: { language: string }[] }>('POST', `${path}/a/restore`);
    expect(restored.data.items.map(({ language }) => language)).toEqual(['en']);
    expect((await purge('en')).status).toBe(200);
    expect((await list(users, path)).counts).toMatchObject({ all: 0, deleted: 0 });
  });
});

async function change(user: SiteUser, path: string, action: string, post_ids: readonly string[]): Promise<unknown> {
  const { status, data } = await user.request('POST', `${path}/bulk`, { action, post_ids });
  expect(status).toBe(200);
  return data;
}
