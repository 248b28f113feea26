import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Source } from '../../src/sources/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { buildRss, createFeedResponse, type FeedServer, startFeedServer } from '../fixtures/feed-server.ts';
import { runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';

const env = { LECTERN_FEED_ALLOW: '127.0.0.1' };
const items = [{ guid: 'one', content: 'The ferry to the islands is late again this morning, they say.' }];
let server: TestServer;
let feeds: FeedServer;

beforeAll(async () => {
  feeds = startFeedServer();
  server = await startTestServer({ env });
});
afterAll(async () => {
  await server.stop('SIGKILL');
  await feeds.stop();
});

async function run(...words: string[]) {
  const flags = ['--site', String(server.siteId), '--data', server.data, '--json'];
  const { code, stdout, stderr } = await runCommand(['source', ...words, ...flags], { env });
  return { code, stderr, value: stdout === '' ? undefined : JSON.parse(stdout) };
}

test('a feed can be added, is fetched by the running server, and can be fetched again and removed', async () => {
  feeds.serve('/feed', () => createFeedResponse(buildRss(items)));
  const added = await run('add', `${feeds.url}/feed`, '--backfill', '3', '--interval', '30');
  expect(added).toMatchObject({
    ...{ code: 0, value: { backfill: 3, interval_minutes: 30, enabled: true } },
  });
  const id = String(added.value.id);
  const listed = await eventually(async () => {
    const [source] = (await run('list')).value as Source[];
    return source?.items.posts === 1 && source;
  }, 'its post');
  expect(listed).toMatchObject({ title: 'The Daily Example', problem: null });

  expect((await run('fetch', id)).value).toEqual({ id: Number(id), queued: true });
  await eventually(() => feeds.requests.length === 2, 'fetched again');

  // Manual fetches have a limit.
  const { editor } = createSiteUsers(server, server.siteId);
  const path = `/v1/sites/${server.siteId}/sources/${id}/fetch`;
  const again = await eventually(async () => {
    const response = await editor.request('POST', path);
    return response.status === 409 && response;
  }, 'refused');
  expect(Number(again.headers.get('retry-after'))).toBeWithin(1, 61);

  expect((await run('remove', id)).value).toEqual({ id: Number(id), removed: true });
  expect((await run('list')).value).toEqual([]);
  expect((await server.waitUntilFinished('one')).status).toBe('ready');
});

test('invalid input is rejected in one line', async () => {
  const runFailing = async (...words: string[]) => {
    const { code, stderr } = await run(...words);
    return [code, stderr.trim()];
  };
  expect(await runFailing('add', 'http://10.0.0.1/feed')).toEqual([
    2,
    'lectern: the url must not point to 10.0.0.1 (private): add it to LECTERN_FEED_ALLOW to allow it',
  ]);
  expect(await runFailing('add', feeds.url, '--interval', '1')).toEqual([
    2,
    "lectern: option '--interval <minutes>' argument '1' is invalid. must be at least 5",
  ]);
  expect(await runFailing('fetch', '99')).toEqual([1, 'lectern: Source 99 not found']);
});
