import { beforeAll, describe, expect, test } from 'bun:test';
import type { PostDetail, PostRecord } from '../../src/audio/posts/schema.ts';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { installToneVoices } from '../fixtures/default-voice.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import { createSite, createTemporaryFolder, startServerForFile } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser, type SiteUsers } from '../fixtures/site-users.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';

type Posts = { items: PostRecord[]; next_cursor: string | null };

const unspeakable = '<p>🎈</p>'.repeat(10);
const german = '<p>Der Fluss ist ruhig, und die Brücke steht offen für alle Leute.</p>';

const data = createTemporaryFolder();
await installToneVoices(data, 'en_US', 'de_DE');
const server = await startServerForFile({ data, env: { LECTERN_QUOTA_POSTS: 'starter=2' } });
const germanVoice = await findVoiceId(data, 'de_DE-tones-low');

/** A separate site for each test. */
async function createTestSite(): Promise<{ siteId: number; path: string; users: SiteUsers; key: string }> {
  const { siteId, key } = await createSite(server.data);
  return { siteId, key, path: `/v1/sites/${siteId}/posts`, users: createSiteUsers(server, siteId) };
}

function buildBody(post_id: string, more: Record<string, unknown> = {}) {
  return { post_id, content: buildArticle(post_id), ...more };
}

function getPostPath(posts: string, postId: string): string {
  return `${posts}/${encodeURIComponent(postId)}`;
}

/** Polls until every audio of a post is ready or failed. */
function waitUntilFinished(user: SiteUser, path: string): Promise<PostDetail> {
  return eventually(async () => {
    const { data } = await user.request<PostDetail>('GET', path);
    return data.audio.every(({ status }) => status === 'ready' || status === 'failed') && data;
  }, `${path} is finished`);
}

describe('a post', () => {
  test('is submitted by an editor and returned with all its fields', async () => {
    const { siteId, path, users } = await createTestSite();
    const body = buildBody('news/4711: a', {
      post_title: 'Harbor',
      post_url: 'https://a.example/4711',
    });
    const response = await users.editor.request<AudioRecord>('POST', path, body);
    expect([response.status, response.message]).toEqual([202, 'Audio generation queued']);
    expect(response.data).toMatchObject({
      post_id: 'news/4711: a',
      status: 'pending',
      audio_url: null,
    });
    const itemPath = getPostPath(path, 'news/4711: a');
    expect(response.headers.get('location')).toBe(`${server.url}${itemPath}`);
    expect(readLastEntry(server.data, 'post.queued')).toMatchObject({
      ...{ actor: users.editor.email, site_id: siteId, subject: 'news/4711: a' },
      after: { language: 'en', title: 'Harbor' },
    });
    await users.editor.request('POST', path, { ...body, content: german, voice_id: germanVoice });
    const detail = await waitUntilFinished(users.viewer, itemPath);
    expect(detail).toMatchObject({
      ...{ post_id: 'news/4711: a', post_title: 'Harbor', post_url: 'https://a.example/4711' },
      ...{ visibility: 'public', publish_at: null },
    });
    expect(detail.audio.map(({ language, main }) => [language, main])).toEqual([
      ['de', true],
      ['en', true],
    ]);
    const [, english] = detail.audio;
    expect(english).toMatchObject({
      ...{ status: 'ready', title: 'Harbor', content: body.content, last_ready: null },
      voice: { id: english?.voice_id, name: expect.any(String), language: 'en' },
    });
    expect((await fetch(english?.audio_url ?? '')).status).toBe(200);
    expect((await fetch(english?.segments_url ?? '')).status).toBe(200);

    const again = await users.editor.request('POST', path, body);
    expect([again.status, again.message]).toEqual([200, 'Audio already ready']);
    const changed = { ...body, content: buildArticle('a correction') };
    expect((await users.editor.request('POST', path, changed)).status).toBe(202);
    const meanwhile = await users.viewer.request<PostDetail>('GET', itemPath);
    const [, corrected] = meanwhile.data.audio;
    if (corrected?.status !== 'ready') {
      expect(corrected?.last_ready?.audio_url).toBe(english?.audio_url ?? '');
    }
  });

  test('is validated by the rules of a generate request', async () => {
    const { path, users } = await createTestSite();
    const rejection = await users.editor.request('POST', path, { post_id: '..', content: 'short' });
    expect([rejection.status, rejection.message]).toEqual([422, 'Validation failed']);
    expect(Object.keys(rejection.errors ?? {}).sort()).toEqual(['content', 'post_id']);
    const voice = await users.editor.request('POST', path, buildBody('a', { voice_id: 99 }));
    expect([voice.status, Object.keys(voice.errors ?? {})]).toEqual([422, ['voice_id']]);
    const plain = await users.editor.fetch(path, { method: 'POST', body: 'text' });
    expect(plain.status).toBe(415);
    const json = { 'content-type': 'application/json' };
    const broken = await users.editor.fetch(path, { method: 'POST', body: '{', headers: json });
    expect(broken.status).toBe(400);
    expect((await users.viewer.request<Posts>('GET', path)).data.items).toEqual([]);
  });

  test('can be submitted on every plan, within its monthly quota', async () => {
    await passMidnight();
    const { siteId, path, users } = await createTestSite();
    await users.admin.request('PATCH', `/v1/sites/${siteId}`, { plan: 'starter' });
    for (const id of ['a', 'b']) {
      expect((await users.editor.request('POST', path, buildBody(id))).status).toBe(202);
    }
    const third = await users.editor.request('POST', path, buildBody('c'));
    expect([third.status, third.message]).toEqual([403, 'Monthly post quota exceeded']);
    expect(third.errors?.['quota']?.[0]).toStartWith('2 of 2 posts used in ');
    const { data } = await users.viewer.request('GET', `/v1/sites/${siteId}`);
    expect(data).toMatchObject({ quota: { posts_used: 2, posts_limit: 2 } });
  });

  test.each([
    [{ active: false }, 'Site inactive'],
    [{ subscription: 'inactive' }, 'Subscription inactive'],
    [{ subscription: 'trialing', trial_ends_at: '2026-01-01T00:00:00Z' }, 'Trial expired'],
  ])('is not made for a site that is %j', async (change, message) => {
    const { siteId, path, users } = await createTestSite();
    await users.editor.request('POST', path, buildBody('before', { content: unspeakable }));
    await users.admin.request('PATCH', `/v1/sites/${siteId}`, change);
    const refused = await users.editor.request('POST', path, buildBody('a'));
    expect([refused.status, refused.message]).toEqual([403, message]);
    const retry = await users.editor.request('POST', `${path}/before/retry`);
    expect([retry.status, retry.message]).toEqual([403, message]);
    // Existing posts remain visible.
    expect((await users.viewer.request<Posts>('GET', path)).data.items).toHaveLength(1);
  });

  test('can be retried only if it has failed', async () => {
    const { siteId, path, users } = await createTestSite();
    await users.editor.request('POST', path, buildBody('empty', { content: unspeakable }));
    const failed = await waitUntilFinished(users.viewer, `${path}/empty`);
    expect(failed.audio).toMatchObject([
      { status: 'failed', error: 'The content has no speakable text', segments_url: null },
    ]);
    const again = await users.editor.request<{ items: AudioRecord[] }>('POST', `${path}/empty/retry`);
    expect([again.status, again.message]).toEqual([202, 'Audio generation queued']);
    expect(again.data.items).toMatchObject([{ id: failed.audio[0]?.id, status: 'pending' }]);
    expect(readLastEntry(server.data, 'post.retried')).toMatchObject({
      ...{ actor: users.editor.email, site_id: siteId, subject: 'empty' },
      before: { language: 'en', error: 'The content has no speakable text' },
    });
    await waitUntilFinished(users.viewer, `${path}/empty`);
    const inGerman = await users.editor.request('POST', `${path}/empty/retry?language=de`);
    expect([inGerman.status, inGerman.message]).toEqual([409, 'No failed audio for this post']);

    await users.editor.request('POST', path, buildBody('fine'));
    await waitUntilFinished(users.viewer, `${path}/fine`);
    expect((await users.editor.request('POST', `${path}/fine/retry`)).status).toBe(409);
    expect((await users.editor.request('POST', `${path}/none/retry`)).status).toBe(404);
  });

  test('can be deleted in one language or in all', async () => {
    const { siteId, path, users } = await createTestSite();
    await users.editor.request('POST', path, buildBody('two'));
    await users.editor.request('POST', path, buildBody('two', { content: german, voice_id: germanVoice }));
    const { audio } = await waitUntilFinished(users.viewer, `${path}/two`);
    const deletion = await users.editor.request('DELETE', `${path}/two?language=de`);
    expect([deletion.status, deletion.data]).toEqual([200, { post_id: 'two', languages: ['de'] }]);
    expect(readLastEntry(server.data, 'post.deleted')).toMatchObject({
      ...{ actor: users.editor.email, site_id: siteId, subject: 'two' },
      before: { languages: ['de'] },
    });
    expect((await fetch(audio[0]?.audio_url ?? '')).status).toBe(410);
    expect((await fetch(audio[1]?.audio_url ?? '')).status).toBe(200);
    expect((await users.editor.request('DELETE', `${path}/two`)).status).toBe(200);
    expect((await users.editor.request('GET', `${path}/two`)).status).toBe(404);
    expect((await users.editor.request('DELETE', `${path}/two`)).status).toBe(404);
  });

  test('can be read by viewers and changed by editors of its own site only', async () => {
    const { path, users } = await createTestSite();
    const checkAccess = (method: string, to: string, body?: unknown) =>
      collectStatuses(users, (user) => user.request(method, to, body));
    expect(await checkAccess('POST', path, buildBody('a'))).toEqual([401, 404, 403, 202, 200]);
    expect(await checkAccess('GET', path)).toEqual([401, 404, 200, 200, 200]);
    expect(await checkAccess('GET', `${path}/a`)).toEqual([401, 404, 200, 200, 200]);
    await waitUntilFinished(users.viewer, `${path}/a`);
    expect(await checkAccess('POST', `${path}/a/retry`)).toEqual([401, 404, 403, 409, 409]);
    const other = await createTestSite();
    expect((await other.users.editor.request('GET', `${path}/a`)).status).toBe(404);
    expect((await other.users.editor.request('GET', `${other.path}/a`)).status).toBe(404);
    expect(await checkAccess('DELETE', `${path}/a`)).toEqual([401, 404, 403, 200, 404]);
  });
});

describe('posts', () => {
  let path: string;
  let viewer: SiteUser;

  beforeAll(async () => {
    const site = await createTestSite();
    path = site.path;
    viewer = site.users.viewer;
    const { editor } = site.users;
    const titles = ['Winter storm at the Küste', 'Harbor lights', 'The harbor in winter'];
    for (const [index, post_title] of titles.entries()) {
      await editor.request('POST', path, buildBody(`news/${index + 1}`, { post_title }));
    }
    await editor.request('POST', path, buildBody('empty', { content: unspeakable }));
    await editor.request('POST', path, buildBody('draft', { visibility: 'private' }));
    await editor.request('POST', path, buildBody('de', { content: german, voice_id: germanVoice }));
    for (const id of ['news/1', 'news/2', 'news/3', 'empty', 'draft', 'de']) {
      await waitUntilFinished(viewer, getPostPath(path, id));
    }
    // Posts of other sites are never found.
    const other = await createTestSite();
    await other.users.editor.request('POST', other.path, buildBody('news/1', { post_title: 'Harbor' }));
  });

  async function findPostIds(query: string): Promise<string[]> {
    const { status, data } = await viewer.request<Posts>('GET', `${path}?${query}`);
    expect(status).toBe(200);
    return data.items.map(({ post_id }) => post_id);
  }

  test('are listed newest first, in pages', async () => {
    expect(await findPostIds('')).toEqual(['de', 'draft', 'empty', 'news/3', 'news/2', 'news/1']);
    const first = await viewer.request<Posts>('GET', `${path}?limit=4`);
    expect(first.data.items).toHaveLength(4);
    expect(await findPostIds(`limit=4&cursor=${first.data.next_cursor}`)).toEqual(['news/2', 'news/1']);
    expect(first.data.items[3]).toMatchObject({
      ...{ title: 'The harbor in winter', audio: [{ language: 'en', status: 'ready' }] },
    });
  });

  test.each([
    ['harbor', ['news/3', 'news/2']],
    ['HARBOR winter', ['news/3']],
    ['arbo', ['news/3', 'news/2']],
    ['kuste', ['news/1']],
    ['news/2', ['news/2']],
    ['ne', ['news/3', 'news/2', 'news/1']],
    ['d', ['de', 'draft']],
    ['"harbor" OR x*', []],
    ['%', []],
    ['har\0bor', ['news/3', 'news/2']],
    ['\0', []],
    ['"""', []],
    ['lighthouse', []],
  ])('are found by %j', async (search, postIds) => {
    expect(await findPostIds(`q=${encodeURIComponent(search)}`)).toEqual(postIds);
  });

  test.each([
    ['status=failed', ['empty']],
    ['status=ready&q=harbor', ['news/3', 'news/2']],
    ['status=pending', []],
    ['language=de', ['de']],
    ['language=de-AT&status=ready', ['de']],
    ['visibility=private', ['draft']],
    ['visibility=public&q=draft', []],
  ])('are chosen by %s', async (query, postIds) => {
    expect(await findPostIds(query)).toEqual(postIds);
  });

  test('are searched in pages', async () => {
    const first = await viewer.request<Posts>('GET', `${path}?q=harbor&limit=1`);
    expect(first.data.items.map(({ post_id }) => post_id)).toEqual(['news/3']);
    expect(await findPostIds(`q=harbor&limit=1&cursor=${first.data.next_cursor}`)).toEqual(['news/2']);
  });

  test('are found by their new title, not by the old one', async () => {
    const { path, users } = await createTestSite();
    await users.editor.request('POST', path, buildBody('a', { post_title: 'Before dawn' }));
    await users.editor.request('POST', path, buildBody('a', { post_title: 'After dusk' }));
    const search = (q: string) => users.viewer.request<Posts>('GET', `${path}?q=${q}`);
    expect((await search('before')).data.items).toHaveLength(0);
    expect((await search('dusk')).data.items).toHaveLength(1);
    await users.editor.request('DELETE', `${path}/a`);
    expect((await search('dusk')).data.items).toHaveLength(0);
  });

  test('are found by their URL if the query looks like one', async () => {
    const { path, users } = await createTestSite();
    const [before, after] = ['https://harbor.example/sea/tides', 'https://harbor.example/sea/moon'];
    await users.editor.request('POST', path, buildBody('a', { post_title: 'Low water', post_url: before }));
    const search = async (q: string) => {
      const query = `${path}?q=${encodeURIComponent(q)}`;
      return (await users.viewer.request<Posts>('GET', query)).data.items.length;
    };
    expect(await search('harbor.example')).toBe(1);
    expect(await search(before)).toBe(1);
    expect(await search('water /sea/')).toBe(1);
    expect(await search('harbor')).toBe(0);
    await users.editor.request('PATCH', `${path}/a`, { post_url: after });
    expect([await search(before), await search(after)]).toEqual([0, 1]);
    await users.editor.request('PATCH', `${path}/a`, { url: null });
    expect(await search(after)).toBe(0);
  });

  test.each(['status=done', 'visibility=hidden', 'language=!', 'limit=0', 'cursor=x'])(
    'are not listed by %s',
    async (query) => {
      const { status, errors } = await viewer.request('GET', `${path}?${query}`);
      expect([status, Object.keys(errors ?? {})]).toEqual([422, [query.split('=')[0] ?? '']]);
    },
  );
});
