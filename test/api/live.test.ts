import { afterEach, expect, test } from 'bun:test';
import type { LiveAudio } from '../../src/audio/live-updates.ts';
import { LiveUpdates } from '../../src/audio/live-updates.ts';
import { Jobs } from '../../src/background.ts';
import { createLog } from '../../src/log.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSite, startServerForFile, startTestServer } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { Database } from '../fixtures/sqlite.ts';
import { buildArticle } from './articles.ts';

interface LiveEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
}

/** A client of a stream with the events received so far. */
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

async function createTestSite() {
  const { siteId, key } = await createSite(server.data);
  return {
    siteId,
    key,
    live: `/v1/sites/${siteId}/live`,
    posts: `/v1/sites/${siteId}/posts`,
    users: createSiteUsers(server, siteId),
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

const buildHeaders = ({ token }: SiteUsers['viewer']) => ({ authorization: `Bearer ${token}` });
const listEventData = ({ events }: Client, type: string) =>
  events.flatMap(({ event, data }) => (event === type ? [data] : []));

function listAudio(client: Client, postId: string): LiveAudio[] {
  return (listEventData(client, 'audio') as LiveAudio[]).filter(({ post_id }) => post_id === postId);
}

test('a user receives audio and counts of their site only', async () => {
  const { live, posts, users } = await createTestSite();
  const other = await createTestSite();
  const client = await listen(live, buildHeaders(users.viewer));
  expect(client.response.status).toBe(200);
  expect(client.response.headers.get('content-type')).toBe('text/event-stream');
  await eventually(() => listEventData(client, 'counts').length > 0, 'the first counts');
  expect(listEventData(client, 'counts')).toMatchObject([{ all: 0, generating: 0, ready: 0 }]);
  expect(client.comments[0]).toMatch(/^retry: \d+$/);

  await other.users.editor.request('POST', other.posts, { post_id: 'foreign', content: buildArticle('elsewhere') });
  await users.editor.request('POST', posts, { post_id: 'a', content: buildArticle('here') });
  await users.editor.request('POST', posts, { post_id: 'empty', content: '<p>🎈</p>'.repeat(10) });
  await eventually(() => listAudio(client, 'a').at(-1)?.status === 'ready', 'a is ready');
  await eventually(() => listAudio(client, 'empty').at(-1)?.status === 'failed', 'empty is failed');
  expect(listAudio(client, 'a').at(-1)).toMatchObject({
    ...{ post_id: 'a', language: 'en', main: true, status: 'ready', progress: 1 },
    ...{ queue_position: null, seconds_left: null, error: null },
  });
  expect(listAudio(client, 'empty').at(-1)).toMatchObject({ error: 'The content has no speakable text' });
  await eventually(
    () => Bun.deepMatch({ all: 2, generating: 0, ready: 1, failed: 1 }, listEventData(client, 'counts').at(-1) ?? {}),
    'the last counts',
  );
  expect(listAudio(client, 'foreign')).toEqual([]);

  await users.editor.request('DELETE', `${posts}/a`);
  await eventually(
    () => Bun.deepMatch({ all: 1, ready: 0, deleted: 1 }, listEventData(client, 'counts').at(-1) ?? {}),
    'the counts after the deletion',
  );
});

test('a key receives progress and queue positions', async () => {
  const { key, posts, users } = await createTestSite();
  const client = await listen('/v1/audio/events', { 'x-api-key': key });
  expect(client.response.status).toBe(200);
  // Updates are sent once a second.
  await users.editor.request('POST', posts, { post_id: 'long', content: buildArticle('a long one', 400) });
  const findRunning = () =>
    listAudio(client, 'long').find(({ status, progress }) => status === 'generating' && progress > 0);
  const running = await eventually(findRunning, 'long has progress');
  expect(running).toMatchObject({ queue_position: null, seconds_left: expect.any(Number) });
  const updates = listAudio(client, 'long').map((audio) => JSON.stringify(audio));
  expect(updates).toEqual([...new Set(updates)]);
  await users.editor.request('DELETE', `${posts}/long`);

  await users.admin.request('PATCH', '/v1/queue', { paused: true });
  // The shorter one is next.
  await users.editor.request('POST', posts, { post_id: 'second', content: buildArticle('the second', 20) });
  await users.editor.request('POST', posts, { post_id: 'first', content: buildArticle('the first') });
  await eventually(() => listAudio(client, 'second').at(-1)?.queue_position === 2, 'second is second');
  await eventually(() => listAudio(client, 'first').length > 0, 'first is first');
  expect(listAudio(client, 'first').at(-1)).toMatchObject({ status: 'pending', queue_position: 1, seconds_left: null });
  await users.editor.request('DELETE', `${posts}/first`);
  await eventually(() => listAudio(client, 'second').at(-1)?.queue_position === 1, 'second is next');
  await users.admin.request('PATCH', '/v1/queue', { paused: false });
  await eventually(() => listAudio(client, 'second').at(-1)?.status === 'ready', 'second is ready');
});

test('a client that reconnects is told to reload its data', async () => {
  const { live, users } = await createTestSite();
  const client = await listen(live, { ...buildHeaders(users.viewer), 'last-event-id': '17' });
  await eventually(() => client.events.length > 0, 'the first event');
  expect(client.events[0]).toMatchObject({ event: 'resync', id: expect.stringMatching(/^\d+$/) });
});

test('a stream ends with the session, the role or the key', async () => {
  const { siteId, live, key, users } = await createTestSite();
  const [viewer, editor, cms] = await Promise.all([
    listen(live, buildHeaders(users.viewer)),
    listen(live, buildHeaders(users.editor)),
    listen('/v1/audio/events', { 'x-api-key': key }),
  ]);
  for (const client of [viewer, editor, cms]) {
    await eventually(() => listEventData(client, 'counts').length > 0, 'the first counts');
  }
  const fourth = await users.admin.fetch(live);
  expect([fourth.status, fourth.headers.has('retry-after')]).toEqual([503, true]);

  await users.viewer.request('POST', '/v1/auth/logout');
  const database = new Database(`${server.data}/lectern.db`);
  database.run('delete from membership where user_id = ?', [users.editor.id]);
  database.close();
  await users.admin.request('POST', `/v1/sites/${siteId}/rotate-key`);
  for (const client of [viewer, editor, cms]) await eventually(client.isOver, 'the stream is over');
  const next = await listen(live, buildHeaders(users.admin));
  expect(next.response.status).toBe(200);
});

test('a stream requires a role on the site or a key of it', async () => {
  const { live, users } = await createTestSite();
  expect((await users.anonymous.fetch(live)).status).toBe(401);
  expect((await users.outsider.fetch(live)).status).toBe(404);
  expect((await fetch(`${server.url}/v1/audio/events`)).status).toBe(401);
});

test('a stream ends when the server stops', async () => {
  const stopping = await startTestServer({});
  const { siteId } = await createSite(stopping.data);
  const { viewer } = createSiteUsers(stopping, siteId);
  const response = await viewer.fetch(`/v1/sites/${siteId}/live`);
  const ended = response.text();
  expect(await stopping.stop()).toBe(0);
  expect(await ended).toStartWith('retry: ');
});

test('an update is sent among more changes than one statement can hold', async () => {
  const { siteId, users } = await createTestSite();
  const post = { post_id: 'among-many', content: buildArticle('many changes') };
  expect((await users.editor.request('POST', `/v1/sites/${siteId}/posts`, post)).status).toBe(202);
  const database = await openTestDatabase(server.data);
  const jobs = new Jobs(createLog('silent'));
  const updates = new LiveUpdates(database);
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
