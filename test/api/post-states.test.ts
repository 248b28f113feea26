import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { PostDetail, PostListItem } from '../../src/audio/posts/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, type Person, peopleOf } from '../fixtures/people.ts';
import { createSite, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';
import { toneVoice, writeVoice } from '../fixtures/voice.ts';
import { voiceIdOf } from '../fixtures/voice-list.ts';
import { article } from './articles.ts';

interface Posts {
  readonly items: PostListItem[];
  readonly next_cursor: string | null;
  readonly counts: Record<string, number>;
}

const pictures = `<figure><img src="flood.jpg" alt=""></figure>${'<p>🎈</p>'.repeat(10)}`;
const german = '<p>Der Fluss ist ruhig, und die Brücke steht offen für alle Leute.</p>';
const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
let server: TestServer;
let germanVoice: number;

beforeAll(async () => {
  const data = temporaryFolder();
  for (const language of ['en_US', 'de_DE']) {
    const voice = toneVoice({ sampleRateHz: 16_000, language });
    await writeVoice(join(data, 'voices'), `${language}-tones-low`, voice);
  }
  server = await startTestServer({ data });
  germanVoice = await voiceIdOf(data, 'de_DE-tones-low');
});
afterAll(() => server.stop('SIGKILL'));

/** A site of its own for each test. */
async function freshSite() {
  const { siteId, key } = await createSite(server.data);
  return { siteId, key, path: `/v1/sites/${siteId}/posts`, people: peopleOf(server, siteId) };
}

async function submit(person: Person, path: string, post_id: string, more: Record<string, unknown> = {}) {
  const { status } = await person.ask('POST', path, { post_id, content: article(post_id), ...more });
  expect(status).toBe(202);
}

/** Polls until every audio of a post is ready or failed. */
function finished(person: Person, path: string, postId: string): Promise<PostDetail> {
  return eventually(async () => {
    const { data } = await person.ask<PostDetail>('GET', `${path}/${encodeURIComponent(postId)}`);
    return data.audio.every(({ status }) => status === 'ready' || status === 'failed') && data;
  }, `${postId} is finished`);
}

async function list({ viewer }: People, path: string, query = ''): Promise<Posts> {
  const { status, data } = await viewer.ask<Posts>('GET', `${path}?${query}`);
  expect(status).toBe(200);
  return data;
}

async function listIds(people: People, path: string, query = ''): Promise<string[]> {
  return (await list(people, path, query)).items.map(({ post_id }) => post_id);
}

describe('the list of posts', () => {
  let path: string;
  let people: People;
  let key: string;

  beforeAll(async () => {
    const site = await freshSite();
    ({ path, people, key } = site);
    const { editor } = people;
    await submit(editor, path, 'b', { post_title: 'beacon' });
    await submit(editor, path, 'z', { post_title: 'Anchor' });
    await submit(editor, path, 'gallery', { content: pictures });
    await submit(editor, path, 'later', { publish_at: nextYear });
    await submit(editor, path, 'draft', { visibility: 'private', publish_at: nextYear });
    await submit(editor, path, 'two', { post_title: 'Two languages' });
    await submit(editor, path, 'two', { content: german, voice_id: germanVoice, post_title: 'Zwei' });
    for (const id of ['b', 'z', 'gallery', 'later', 'draft', 'two']) await finished(people.viewer, path, id);
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
    // Without a title by id, whatever the case.
    ['sort=title', ['z', 'b', 'draft', 'gallery', 'later', 'two']],
    ['sort=title&q=anch', ['z']],
  ])('has for %j the posts %j', async (query, postIds) => {
    expect(await listIds(people, path, query)).toEqual(postIds);
  });

  test('counts the posts of the site in each state, whatever the query', async () => {
    const counts = { all: 6, ready: 5, generating: 0, failed: 1, scheduled: 1, private: 1, deleted: 0 };
    expect((await list(people, path)).counts).toEqual(counts);
    expect((await list(people, path, 'state=failed&q=none')).counts).toEqual(counts);
  });

  test('has posts with a voice', async () => {
    expect(await listIds(people, path, `voice_id=${germanVoice}`)).toEqual(['two']);
  });

  test.each(['newest', 'oldest', 'title', 'plays'])('has each post once in pages by %s', async (sort) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Posts = await list(people, path, `sort=${sort}&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      ids.push(...page.items.map(({ post_id }) => post_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(ids).toEqual(await listIds(people, path, `sort=${sort}`));
    expect(ids.toSorted()).toEqual(['b', 'draft', 'gallery', 'later', 'two', 'z']);
  });

  test('shows the plays of the last seven days and sorts by them', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const play = (post_id: string, days: number) => ({ type: 'play', post_id, occurred_at: daysAgo(days) });
    const events = [play('b', 0), play('z', 0), play('z', 0), play('z', 6), play('later', 2)];
    const tracked = await fetch(`${server.url}/v1/events/track`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
    });
    expect(tracked.status).toBe(202);
    const { items } = await list(people, path, 'sort=plays');
    expect(items.map(({ post_id, plays }) => [post_id, plays.join(' ')])).toEqual([
      ['z', '1 0 0 0 0 0 2'],
      ['later', '0 0 0 0 1 0 0'],
      ['b', '0 0 0 0 0 0 1'],
      ['two', '0 0 0 0 0 0 0'],
      ['draft', '0 0 0 0 0 0 0'],
      ['gallery', '0 0 0 0 0 0 0'],
    ]);
    expect(await listIds(people, path, 'sort=plays&state=ready&limit=4')).toEqual(['z', 'later', 'b', 'two']);
  });

  test('does not take the cursor of another order', async () => {
    const { next_cursor } = await list(people, path, 'sort=title&limit=1');
    const { status, errors } = await people.viewer.ask('GET', `${path}?sort=newest&cursor=${next_cursor}`);
    expect([status, Object.keys(errors ?? {})]).toEqual([422, ['cursor']]);
  });
});
