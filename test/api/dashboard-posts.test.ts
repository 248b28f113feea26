import { beforeAll, describe, expect, test } from 'bun:test';
import type { PostDetail, PostRecord } from '../../src/audio/posts/schema.ts';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { lastEntry } from '../fixtures/audit-log.ts';
import { installToneVoices } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, type Person, peopleOf, statusesFor } from '../fixtures/people.ts';
import { createSite, startServerForFile, temporaryFolder } from '../fixtures/server.ts';
import { voiceIdOf } from '../fixtures/voice-list.ts';
import { article } from './articles.ts';

type Posts = { items: PostRecord[]; next_cursor: string | null };

const unspeakable = '<p>🎈</p>'.repeat(10);
const german = '<p>Der Fluss ist ruhig, und die Brücke steht offen für alle Leute.</p>';

const data = temporaryFolder();
await installToneVoices(data, 'en_US', 'de_DE');
const server = await startServerForFile({ data, env: { LECTERN_QUOTA_POSTS: 'starter=2' } });
const germanVoice = await voiceIdOf(data, 'de_DE-tones-low');

/** A site of its own for each test. */
async function freshSite(): Promise<{ siteId: number; path: string; people: People; key: string }> {
  const { siteId, key } = await createSite(server.data);
  return { siteId, key, path: `/v1/sites/${siteId}/posts`, people: peopleOf(server, siteId) };
}

function body(post_id: string, more: Record<string, unknown> = {}) {
  return { post_id, content: article(post_id), ...more };
}

function pathOf(posts: string, postId: string): string {
  return `${posts}/${encodeURIComponent(postId)}`;
}

/** Polls until every audio of a post is ready or failed. */
function waitUntilFinished(person: Person, path: string): Promise<PostDetail> {
  return eventually(async () => {
    const { data } = await person.request<PostDetail>('GET', path);
    return data.audio.every(({ status }) => status === 'ready' || status === 'failed') && data;
  }, `${path} is finished`);
}

describe('a post', () => {
  test('is submitted by an editor and returned with all its fields', async () => {
    const { siteId, path, people } = await freshSite();
    const asked = body('news/4711: a', {
      post_title: 'Harbor',
      post_url: 'https://a.example/4711',
    });
    const made = await people.editor.request<AudioRecord>('POST', path, asked);
    expect([made.status, made.message]).toEqual([202, 'Audio generation queued']);
    expect(made.data).toMatchObject({
      post_id: 'news/4711: a',
      status: 'pending',
      audio_url: null,
    });
    const own = pathOf(path, 'news/4711: a');
    expect(made.headers.get('location')).toBe(`${server.url}${own}`);
    expect(lastEntry(server.data, 'post.queued')).toMatchObject({
      ...{ actor: people.editor.email, site_id: siteId, subject: 'news/4711: a' },
      after: { language: 'en', title: 'Harbor' },
    });
    await people.editor.request('POST', path, { ...asked, content: german, voice_id: germanVoice });
    const detail = await waitUntilFinished(people.viewer, own);
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
      ...{ status: 'ready', title: 'Harbor', content: asked.content, last_ready: null },
      voice: { id: english?.voice_id, name: expect.any(String), language: 'en' },
    });
    expect((await fetch(english?.audio_url ?? '')).status).toBe(200);
    expect((await fetch(english?.segments_url ?? '')).status).toBe(200);

    const again = await people.editor.request('POST', path, asked);
    expect([again.status, again.message]).toEqual([200, 'Audio already ready']);
    const changed = { ...asked, content: article('a correction') };
    expect((await people.editor.request('POST', path, changed)).status).toBe(202);
    const meanwhile = await people.viewer.request<PostDetail>('GET', own);
    const [, corrected] = meanwhile.data.audio;
    if (corrected?.status !== 'ready') {
      expect(corrected?.last_ready?.audio_url).toBe(english?.audio_url ?? '');
    }
  });

  test('is validated by the rules of a generate request', async () => {
    const { path, people } = await freshSite();
    const wrong = await people.editor.request('POST', path, { post_id: '..', content: 'short' });
    expect([wrong.status, wrong.message]).toEqual([422, 'Validation failed']);
    expect(Object.keys(wrong.errors ?? {}).sort()).toEqual(['content', 'post_id']);
    const voice = await people.editor.request('POST', path, body('a', { voice_id: 99 }));
    expect([voice.status, Object.keys(voice.errors ?? {})]).toEqual([422, ['voice_id']]);
    const plain = await people.editor.fetch(path, { method: 'POST', body: 'text' });
    expect(plain.status).toBe(415);
    const json = { 'content-type': 'application/json' };
    const broken = await people.editor.fetch(path, { method: 'POST', body: '{', headers: json });
    expect(broken.status).toBe(400);
    expect((await people.viewer.request<Posts>('GET', path)).data.items).toEqual([]);
  });

  test('can be submitted on every plan, within its monthly quota', async () => {
    const { siteId, path, people } = await freshSite();
    await people.admin.request('PATCH', `/v1/sites/${siteId}`, { plan: 'starter' });
    for (const id of ['a', 'b']) {
      expect((await people.editor.request('POST', path, body(id))).status).toBe(202);
    }
    const third = await people.editor.request('POST', path, body('c'));
    expect([third.status, third.message]).toEqual([403, 'Monthly post quota exceeded']);
    expect(third.errors?.['quota']?.[0]).toStartWith('2 of 2 posts used in ');
    const { data } = await people.viewer.request('GET', `/v1/sites/${siteId}`);
    expect(data).toMatchObject({ quota: { posts_used: 2, posts_limit: 2 } });
  });

  test.each([
    [{ active: false }, 'Site inactive'],
    [{ subscription: 'inactive' }, 'Subscription inactive'],
    [{ subscription: 'trialing', trial_ends_at: '2026-01-01T00:00:00Z' }, 'Trial expired'],
  ])('is not made for a site that is %j', async (change, message) => {
    const { siteId, path, people } = await freshSite();
    await people.editor.request('POST', path, body('before', { content: unspeakable }));
    await people.admin.request('PATCH', `/v1/sites/${siteId}`, change);
    const refused = await people.editor.request('POST', path, body('a'));
    expect([refused.status, refused.message]).toEqual([403, message]);
    const retry = await people.editor.request('POST', `${path}/before/retry`);
    expect([retry.status, retry.message]).toEqual([403, message]);
    // What is there, is still seen.
    expect((await people.viewer.request<Posts>('GET', path)).data.items).toHaveLength(1);
  });

  test('can be retried only if it has failed', async () => {
    const { siteId, path, people } = await freshSite();
    await people.editor.request('POST', path, body('empty', { content: unspeakable }));
    const failed = await waitUntilFinished(people.viewer, `${path}/empty`);
    expect(failed.audio).toMatchObject([
      { status: 'failed', error: 'The content has no speakable text', segments_url: null },
    ]);
    const again = await people.editor.request<{ items: AudioRecord[] }>('POST', `${path}/empty/retry`);
    expect([again.status, again.message]).toEqual([202, 'Audio generation queued']);
    expect(again.data.items).toMatchObject([{ id: failed.audio[0]?.id, status: 'pending' }]);
    expect(lastEntry(server.data, 'post.retried')).toMatchObject({
      ...{ actor: people.editor.email, site_id: siteId, subject: 'empty' },
      before: { language: 'en', error: 'The content has no speakable text' },
    });
    await waitUntilFinished(people.viewer, `${path}/empty`);
    const inGerman = await people.editor.request('POST', `${path}/empty/retry?language=de`);
    expect([inGerman.status, inGerman.message]).toEqual([409, 'No failed audio for this post']);

    await people.editor.request('POST', path, body('fine'));
    await waitUntilFinished(people.viewer, `${path}/fine`);
    expect((await people.editor.request('POST', `${path}/fine/retry`)).status).toBe(409);
    expect((await people.editor.request('POST', `${path}/none/retry`)).status).toBe(404);
  });

  test('can be deleted in one language or in all', async () => {
    const { siteId, path, people } = await freshSite();
    await people.editor.request('POST', path, body('two'));
    await people.editor.request('POST', path, body('two', { content: german, voice_id: germanVoice }));
    const { audio } = await waitUntilFinished(people.viewer, `${path}/two`);
    const one = await people.editor.request('DELETE', `${path}/two?language=de`);
    expect([one.status, one.data]).toEqual([200, { post_id: 'two', languages: ['de'] }]);
    expect(lastEntry(server.data, 'post.deleted')).toMatchObject({
      ...{ actor: people.editor.email, site_id: siteId, subject: 'two' },
      before: { languages: ['de'] },
    });
    expect((await fetch(audio[0]?.audio_url ?? '')).status).toBe(410);
    expect((await fetch(audio[1]?.audio_url ?? '')).status).toBe(200);
    expect((await people.editor.request('DELETE', `${path}/two`)).status).toBe(200);
    expect((await people.editor.request('GET', `${path}/two`)).status).toBe(404);
    expect((await people.editor.request('DELETE', `${path}/two`)).status).toBe(404);
  });

  test('can be read by viewers and changed by editors of its own site only', async () => {
    const { path, people } = await freshSite();
    const rights = (method: string, to: string, sent?: unknown) =>
      statusesFor(people, (user) => user.request(method, to, sent));
    expect(await rights('POST', path, body('a'))).toEqual([401, 404, 403, 202, 200]);
    expect(await rights('GET', path)).toEqual([401, 404, 200, 200, 200]);
    expect(await rights('GET', `${path}/a`)).toEqual([401, 404, 200, 200, 200]);
    await waitUntilFinished(people.viewer, `${path}/a`);
    expect(await rights('POST', `${path}/a/retry`)).toEqual([401, 404, 403, 409, 409]);
    const other = await freshSite();
    expect((await other.people.editor.request('GET', `${path}/a`)).status).toBe(404);
    expect((await other.people.editor.request('GET', `${other.path}/a`)).status).toBe(404);
    expect(await rights('DELETE', `${path}/a`)).toEqual([401, 404, 403, 200, 404]);
  });
});

describe('posts', () => {
  let path: string;
  let viewer: Person;

  beforeAll(async () => {
    const site = await freshSite();
    path = site.path;
    viewer = site.people.viewer;
    const { editor } = site.people;
    const titles = ['Winter storm at the Küste', 'Harbor lights', 'The harbor in winter'];
    for (const [index, post_title] of titles.entries()) {
      await editor.request('POST', path, body(`news/${index + 1}`, { post_title }));
    }
    await editor.request('POST', path, body('empty', { content: unspeakable }));
    await editor.request('POST', path, body('draft', { visibility: 'private' }));
    await editor.request('POST', path, body('de', { content: german, voice_id: germanVoice }));
    for (const id of ['news/1', 'news/2', 'news/3', 'empty', 'draft', 'de']) {
      await waitUntilFinished(viewer, pathOf(path, id));
    }
    // Nothing of another site is ever found.
    const other = await freshSite();
    await other.people.editor.request('POST', other.path, body('news/1', { post_title: 'Harbor' }));
  });

  async function found(query: string): Promise<string[]> {
    const { status, data } = await viewer.request<Posts>('GET', `${path}?${query}`);
    expect(status).toBe(200);
    return data.items.map(({ post_id }) => post_id);
  }

  test('are listed newest first, in pages', async () => {
    expect(await found('')).toEqual(['de', 'draft', 'empty', 'news/3', 'news/2', 'news/1']);
    const first = await viewer.request<Posts>('GET', `${path}?limit=4`);
    expect(first.data.items).toHaveLength(4);
    expect(await found(`limit=4&cursor=${first.data.next_cursor}`)).toEqual(['news/2', 'news/1']);
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
    expect(await found(`q=${encodeURIComponent(search)}`)).toEqual(postIds);
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
    expect(await found(query)).toEqual(postIds);
  });

  test('are searched in pages', async () => {
    const first = await viewer.request<Posts>('GET', `${path}?q=harbor&limit=1`);
    expect(first.data.items.map(({ post_id }) => post_id)).toEqual(['news/3']);
    expect(await found(`q=harbor&limit=1&cursor=${first.data.next_cursor}`)).toEqual(['news/2']);
  });

  test('are found by their new title, not by the old one', async () => {
    const { path, people } = await freshSite();
    await people.editor.request('POST', path, body('a', { post_title: 'Before dawn' }));
    await people.editor.request('POST', path, body('a', { post_title: 'After dusk' }));
    const search = (q: string) => people.viewer.request<Posts>('GET', `${path}?q=${q}`);
    expect((await search('before')).data.items).toHaveLength(0);
    expect((await search('dusk')).data.items).toHaveLength(1);
    await people.editor.request('DELETE', `${path}/a`);
    expect((await search('dusk')).data.items).toHaveLength(0);
  });

  test('are found by their URL if the query looks like one', async () => {
    const { path, people } = await freshSite();
    const [before, after] = ['https://harbor.example/sea/tides', 'https://harbor.example/sea/moon'];
    await people.editor.request('POST', path, body('a', { post_title: 'Low water', post_url: before }));
    const search = async (q: string) => {
      const query = `${path}?q=${encodeURIComponent(q)}`;
      return (await people.viewer.request<Posts>('GET', query)).data.items.length;
    };
    expect(await search('harbor.example')).toBe(1);
    expect(await search(before)).toBe(1);
    expect(await search('water /sea/')).toBe(1);
    expect(await search('harbor')).toBe(0);
    await people.editor.request('PATCH', `${path}/a`, { post_url: after });
    expect([await search(before), await search(after)]).toEqual([0, 1]);
    await people.editor.request('PATCH', `${path}/a`, { url: null });
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
