import { afterEach, expect, test } from 'bun:test';
import { LiveUpdates } from '../../src/audio/live/live-updates.ts';
import type { LiveAudio } from '../../src/audio/live/schema.ts';
import { Jobs } from '../../src/background.ts';
import { createLog } from '../../src/log.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, peopleOf } from '../fixtures/people.ts';
import { createSite, startServerForFile, startTestServer } from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';
import { article } from './articles.ts';

interface LiveEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
}

/** A client of a stream, as it is read. */
interface Client {
  readonly response: Response;
  readonly events: LiveEvent[];
  readonly comments: string[];
  readonly isOver: () => boolean;
}

const open = new Set<AbortController>();

const server = await startServerForFile({ env: { LECTERN_LISTENERS_PER_SITE_MAX: '3', LECTERN_WORKERS: '1' } });
afterEach(() => {
  for (const controller of open) controller.abort();
  open.clear();
});

async function freshSite() {
  const { siteId, key } = await createSite(server.data);
  return {
    siteId,
    key,
    live: `/v1/sites/${siteId}/live`,
    posts: `/v1/sites/${siteId}/posts`,
    people: peopleOf(server, siteId),
  };
}

async function listen(path: string, headers: Record<string, string>): Promise<Client> {
  const controller = new AbortController();
  open.add(controller);
  const response = await fetch(`${server.url}${path}`, { headers, signal: controller.signal });
  const events: LiveEvent[] = [];
  const comments: string[] = [];
  let isOver = false;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const fields = new Map(
          message.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) as [string, string]),
        );
        const [id, event, data] = ['id', 'event', 'data'].map((name) => fields.get(name));
        if (data === undefined) comments.push(message);
        else events.push({ id, event, data: JSON.parse(data) });
      }
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  return { response, events, comments, isOver: () => isOver };
}

const byToken = ({ token }: People['viewer']) => ({ authorization: `Bearer ${token}` });
const ofType = ({ events }: Client, type: string) =>
  events.flatMap(({ event, data }) => (event === type ? [data] : []));

function audiosOf(client: Client, postId: string): LiveAudio[] {
  return (ofType(client, 'audio') as LiveAudio[]).filter(({ post_id }) => post_id === postId);
}

test('a user receives audio and counts of their site only', async () => {
  const { live, posts, people } = await freshSite();
  const other = await freshSite();
  const client = await listen(live, byToken(people.viewer));
  expect(client.response.status).toBe(200);
  expect(client.response.headers.get('content-type')).toBe('text/event-stream');
  await eventually(() => ofType(client, 'counts').length > 0, 'the first counts');
  expect(ofType(client, 'counts')).toMatchObject([{ all: 0, generating: 0, ready: 0 }]);
  expect(client.comments[0]).toMatch(/^retry: \d+$/);

  await other.people.editor.request('POST', other.posts, { post_id: 'foreign', content: article('elsewhere') });
  await people.editor.request('POST', posts, { post_id: 'a', content: article('here') });
  await people.editor.request('POST', posts, { post_id: 'empty', content: '<p>🎈</p>'.repeat(10) });
  await eventually(() => audiosOf(client, 'a').at(-1)?.status === 'ready', 'a is ready');
  await eventually(() => audiosOf(client, 'empty').at(-1)?.status === 'failed', 'empty is failed');
  expect(audiosOf(client, 'a').at(-1)).toMatchObject({
    ...{ post_id: 'a', language: 'en', main: true, status: 'ready', progress: 1 },
    ...{ queue_position: null, seconds_left: null, error: null },
  });
  expect(audiosOf(client, 'empty').at(-1)).toMatchObject({ error: 'The content has no speakable text' });
  await eventually(
    () => Bun.deepMatch({ all: 2, generating: 0, ready: 1, failed: 1 }, ofType(client, 'counts').at(-1) ?? {}),
    'the last counts',
  );
  expect(audiosOf(client, 'foreign')).toEqual([]);

  await people.editor.request('DELETE', `${posts}/a`);
  await eventually(
    () => Bun.deepMatch({ all: 1, ready: 0, deleted: 1 }, ofType(client, 'counts').at(-1) ?? {}),
    'the counts after the deletion',
  );
});

test('a key receives progress and queue positions', async () => {
  const { key, posts, people } = await freshSite();
  const client = await listen('/v1/audio/events', { 'x-api-key': key });
  expect(client.response.status).toBe(200);
  await people.editor.request('POST', posts, { post_id: 'long', content: article('a long one', 150) });
  await eventually(() => audiosOf(client, 'long').some(({ progress }) => progress > 0), 'long has progress');
  const running = audiosOf(client, 'long').find(({ progress }) => progress > 0);
  expect(running).toMatchObject({ status: 'generating', queue_position: null, seconds_left: expect.any(Number) });
  const told = audiosOf(client, 'long').map((audio) => JSON.stringify(audio));
  expect(told).toEqual([...new Set(told)]);
  await people.editor.request('DELETE', `${posts}/long`);

  await people.admin.request('PATCH', '/v1/queue', { paused: true });
  // The shorter one is next.
  await people.editor.request('POST', posts, { post_id: 'second', content: article('the second', 20) });
  await people.editor.request('POST', posts, { post_id: 'first', content: article('the first') });
  await eventually(() => audiosOf(client, 'second').at(-1)?.queue_position === 2, 'second is second');
  expect(audiosOf(client, 'first').at(-1)).toMatchObject({ status: 'pending', queue_position: 1, seconds_left: null });
  await people.editor.request('DELETE', `${posts}/first`);
  await eventually(() => audiosOf(client, 'second').at(-1)?.queue_position === 1, 'second is next');
  await people.admin.request('PATCH', '/v1/queue', { paused: false });
  await eventually(() => audiosOf(client, 'second').at(-1)?.status === 'ready', 'second is ready');
});

test('a client that reconnects is told to reload its data', async () => {
  const { live, people } = await freshSite();
  const client = await listen(live, { ...byToken(people.viewer), 'last-event-id': '17' });
  await eventually(() => client.events.length > 0, 'the first event');
  expect(client.events[0]).toMatchObject({ event: 'resync', id: expect.stringMatching(/^\d+$/) });
});

test('a stream ends with the session, the role or the key', async () => {
  const { siteId, live, key, people } = await freshSite();
  const [viewer, editor, cms] = await Promise.all([
    listen(live, byToken(people.viewer)),
    listen(live, byToken(people.editor)),
    listen('/v1/audio/events', { 'x-api-key': key }),
  ]);
  for (const client of [viewer, editor, cms]) {
    await eventually(() => ofType(client, 'counts').length > 0, 'the first counts');
  }
  const fourth = await people.admin.fetch(live);
  expect([fourth.status, fourth.headers.has('retry-after')]).toEqual([503, true]);

  await people.viewer.request('POST', '/v1/auth/logout');
  const database = new Database(`${server.data}/lectern.db`);
  database.run('delete from membership where user_id = ?', [people.editor.id]);
  database.close();
  await people.admin.request('POST', `/v1/sites/${siteId}/rotate-key`);
  for (const client of [viewer, editor, cms]) await eventually(client.isOver, 'the stream is over');
  const next = await listen(live, byToken(people.admin));
  expect(next.response.status).toBe(200);
});

test('a stream requires a role on the site or a key of it', async () => {
  const { live, people } = await freshSite();
  expect((await people.nobody.fetch(live)).status).toBe(401);
  expect((await people.foreigner.fetch(live)).status).toBe(404);
  expect((await fetch(`${server.url}/v1/audio/events`)).status).toBe(401);
});

test('a stream ends when the server stops', async () => {
  const stopping = await startTestServer({});
  const { siteId } = await createSite(stopping.data);
  const { viewer } = peopleOf(stopping, siteId);
  const response = await viewer.fetch(`/v1/sites/${siteId}/live`);
  const ended = response.text();
  expect(await stopping.stop()).toBe(0);
  expect(await ended).toStartWith('retry: ');
});

test('an update is sent among more changes than one statement can hold', async () => {
  const { siteId, people } = await freshSite();
  const post = { post_id: 'among-many', content: article('many changes') };
  expect((await people.editor.request('POST', `/v1/sites/${siteId}/posts`, post)).status).toBe(202);
  const database = await openTestDatabase(server.data);
  const jobs = new Jobs(createLog('silent'));
  const updates = new LiveUpdates(database, { listWaiting: () => [] });
  updates.start(jobs);
  const listener = updates.subscribe(siteId, async () => true);
  for (let id = 40_000; id > 0; id -= 1) updates.notify(id);
  let text = '';
  for await (const chunk of listener.read()) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('event: audio')) break;
  }
  expect(text).toContain('"post_id":"among-many"');
  listener.end();
  await jobs.stop();
  await database.close();
});
