import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Analytics } from '../../src/analytics/schema.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import { createSite, type Envelope, startTestServer, type TestServer } from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';
import { createSignedInClient, type SignedInClient, signIn } from '../fixtures/users.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const env = { LECTERN_EVENT_DAYS: '10', LECTERN_QUOTA_EVENTS: 'enterprise=5000' };
let server: TestServer;
let admin: SignedInClient;

const dayMs = 86_400_000;
let today: string;

beforeAll(async () => {
  await passMidnight();
  today = new Date().toISOString().slice(0, 10);
  server = await startTestServer({ env });
  admin = await createSignedInClient(server, '--role', 'admin');
});
afterAll(() => server.stop('SIGKILL'));

function request(path: string): Promise<Response> {
  return admin.request('GET', path);
}

async function getAnalytics(siteId: number, query = ''): Promise<Analytics> {
  const response = await request(`/v1/sites/${siteId}/analytics?${query}`);
  const { message, data } = (await response.json()) as Envelope<Analytics>;
  expect([response.status, message]).toEqual([200, 'OK']);
  return data;
}

async function track(key: string, ...events: object[]): Promise<void> {
  const response = await fetch(`${server.url}/v1/events/track`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ events }),
  });
  expect(response.status).toBe(202);
}

async function generateAndWait(key: string, postId: string, title: string, url?: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  await fetch(`${server.url}/v1/audio/generate`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({
      post_id: postId,
      post_title: title,
      content: buildArticle(title),
      ...(url && { post_url: url }),
    }),
  });
  await eventually(async () => {
    const path = `/v1/audio/${encodeURIComponent(postId)}/status`;
    const response = await fetch(`${server.url}${path}`, { headers });
    const { data } = (await response.json()) as Envelope<{ status: string }>;
    return data.status === 'ready';
  }, `${postId} is ready`);
}

describe('analytics', () => {
  test('total events by day, post, language, voice, device and source', async () => {
    const { siteId, key } = await createSite(server.data);
    await generateAndWait(key, 'first', 'The first title');
    await generateAndWait(key, 'second', 'The second title');
    const listener = { session_id: 'one', post_id: 'first' };
    await track(
      key,
      { type: 'load', ...listener },
      { type: 'play', ...listener },
      { type: 'progress', ...listener, position_seconds: 100_000, heard_seconds: 86_400 },
      { type: 'complete', ...listener },
      { type: 'play', session_id: 'two', post_id: 'first', language: 'en-US' },
      { type: 'play', session_id: 'two', post_id: 'second' },
      { type: 'progress', post_id: 'second', position_seconds: 0.5, heard_seconds: 0.5 },
      { type: 'play', session_id: 'two', post_id: 'nowhere' },
    );
    const all = await getAnalytics(siteId);
    const totals = {
      ...{ loads: 1, plays: 4, completes: 1, completion: 0.25, listeners: 2 },
      heard_seconds: 86_401,
    };
    expect(all).toMatchObject({ to: today, group_by: 'day', totals, groups: [] });
    expect(all.events).toMatchObject({ load: 1, play: 4, progress: 2, complete: 1, share: 0 });
    expect(all.series).toHaveLength(30);
    expect(all.series.at(-1)).toEqual({ day: today, ...totals });
    expect(all.series[0]).toMatchObject({ plays: 0, completion: null });
    expect(all.quota).toMatchObject({
      ...{ public: { used: 0, limit: 5_000 }, key: { used: 8, limit: 5_000 } },
    });

    const listGroups = async (dimension: string, more = '') =>
      (await getAnalytics(siteId, `group_by=${dimension}${more}`)).groups.map((group) => [
        ...[group.value, group.name, group.plays, group.listeners],
      ]);
    expect(await listGroups('post')).toEqual([
      ['first', 'The first title', 2, 2],
      ['second', 'The second title', 1, 1],
      [null, null, 1, 1],
    ]);
    expect(await listGroups('post', '&limit=1')).toEqual([['first', 'The first title', 2, 2]]);
    expect(await listGroups('post', '&post_id=second')).toEqual([['second', 'The second title', 1, 1]]);
    expect(await listGroups('language')).toEqual([
      ['en', null, 3, 2],
      [null, null, 1, 1],
    ]);
    const [[voice, name] = []] = await listGroups('voice', '&post_id=first');
    expect([voice, name]).toEqual(['1', expect.any(String)]);
    expect(await listGroups('device')).toEqual([['other', null, 4, 2]]);
    expect(await listGroups('source')).toEqual([['key', null, 4, 2]]);

    const second = await getAnalytics(siteId, 'post_id=second');
    expect(second.totals).toMatchObject({ plays: 1, listeners: 1, heard_seconds: 1 });
  });

  test('sum up sections, in which a session counts once a day', async () => {
    const { siteId, key } = await createSite(server.data);
    const folders = {
      ...{ a: 'Politics/a?from=feed', b: 'politics/b', c: 'k%C3%B6ln/stadt/c', d: '2026/11/27/d', e: 'e/', f: '' },
    };
    for (const [post, path] of Object.entries(folders)) {
      await generateAndWait(key, post, `Title ${post}`, path && `https://www.example.org/${path}`);
    }
    const play = (post_id: string, session_id: string) => ({ type: 'play', post_id, session_id });
    await track(key, play('a', 'one'), play('b', 'one'), play('b', 'two'), { type: 'complete', post_id: 'a' });
    // In another batch: the sessions are known already.
    await track(key, play('a', 'two'), play('c', 'one'));
    await track(key, play('d', 'one'), play('e', 'one'), play('f', 'three'), play('nowhere', 'three'));
    const { totals, groups } = await getAnalytics(siteId, 'group_by=section');
    expect(
      groups.map(({ value, name, plays, listeners, completion }) => [value, name, plays, listeners, completion]),
    ).toEqual([
      [null, null, 4, 2, 0],
      ['politics', 'politics', 4, 2, 0.25],
      ['k%c3%b6ln', 'köln', 1, 1, 0],
    ]);
    expect(totals).toMatchObject({ plays: 9, listeners: 3 });
    const table = await request(`/v1/sites/${siteId}/analytics?group_by=section&format=csv`);
    expect((await table.text()).split('\r\n').slice(0, 3)).toEqual([
      'section,name,loads,plays,completes,completion,listeners,heard_seconds',
      ',,0,4,0,0,2,0',
      'politics,politics,0,4,1,0.25,2,0',
    ]);
    // What was counted stays in its section.
    await admin.request('DELETE', `/v1/sites/${siteId}/posts/b`);
    expect((await getAnalytics(siteId, 'group_by=section')).groups).toEqual(groups);
  });

  test('show how often each part of an audio was played', async () => {
    const { siteId, key } = await createSite(server.data);
    await generateAndWait(key, 'heard', 'What is heard');
    const progress = { type: 'progress', post_id: 'heard' };
    await track(
      key,
      { type: 'play', post_id: 'heard' },
      { type: 'play', post_id: 'heard' },
      { ...progress, position_seconds: 100_000, heard_seconds: 86_400 },
      // Beyond the end of a post only the existing part counts.
      { ...progress, position_seconds: 0.1, heard_seconds: 0.1 },
      // Without a position the part is unknown.
      { ...progress, heard_seconds: 5 },
    );
    const { retention } = await getAnalytics(siteId, 'post_id=heard');
    expect(retention.map(({ percent }) => percent)).toEqual(Array.from({ length: 20 }, (_, part) => part * 5));
    const [first, ...others] = retention;
    expect(first?.times).toBeGreaterThan(0);
    expect(others.slice(1).every(({ times }) => times === others.at(-1)?.times)).toBe(true);
    expect(first?.times).toBeGreaterThan(others.at(-1)?.times ?? 0);
  });

  test('count the requests of each key', async () => {
    const { siteId, key } = await createSite(server.data);
    const headers = { 'x-api-key': key };
    for (const path of ['a', 'b', 'c%2Fd']) {
      await (await fetch(`${server.url}/v1/audio/${path}/status`, { headers })).bytes();
    }
    await (await fetch(`${server.url}/v1/audio/status?post_id=a`, { headers })).bytes();
    await (await fetch(`${server.url}/v1/audio/generate`, { method: 'POST', headers, body: '{' })).bytes();
    const { requests } = await getAnalytics(siteId);
    expect(requests.total).toBe(5);
    expect(requests.items.map(({ route, status, count }) => [route, status, count])).toEqual(
      expect.arrayContaining([
        ['GET /v1/audio/{post_id}/status', 404, 3],
        ['GET /v1/audio/status', 200, 1],
        ['POST /v1/audio/generate', 415, 1],
      ]),
    );
    expect((await getAnalytics(siteId, `to=2020-01-01`)).requests).toEqual({ total: 0, items: [] });
  });

  test('export as CSV, in which a title cannot become a formula', async () => {
    const { siteId, key } = await createSite(server.data);
    const formula = `=cmd|' /C calc'!A0, "quoted"`;
    await generateAndWait(key, formula, '+Sum of all titles');
    await track(key, { type: 'play', post_id: formula, session_id: '@one' });
    const response = await request(`/v1/sites/${siteId}/analytics?group_by=post&format=csv`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.csv"$/);
    expect(await response.text()).toBe(
      [
        'post,name,loads,plays,completes,completion,listeners,heard_seconds\r\n',
        `"'=cmd|' /C calc'!A0, ""quoted""",'+Sum of all titles,0,1,0,0,1,0\r\n`,
      ].join(''),
    );
    const days = await request(`/v1/sites/${siteId}/analytics?format=csv&from=${today}`);
    expect((await days.text()).split('\r\n')[1]).toBe(`${today},0,1,0,0,1,0`);
  });

  test.each([
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-03-01&to=2026-02-01', 'from'],
    ['from=2020-01-01&to=2026-01-01', 'from'],
    ['to=2026-13-01', 'to'],
    ['group_by=city', 'group_by'],
    ['group_by=section&post_id=first', 'group_by'],
    ['limit=0', 'limit'],
    ['format=xml', 'format'],
  ])('refuse %s', async (query, field) => {
    const response = await request(`/v1/sites/${server.siteId}/analytics?${query}`);
    const { message, errors } = (await response.json()) as Envelope<undefined>;
    expect([response.status, message, Object.keys(errors ?? {})]).toEqual([...[422, 'Validation failed', [field]]]);
  });

  test('require a session', async () => {
    const path = `/v1/sites/${server.siteId}/analytics`;
    expect((await fetch(`${server.url}${path}`)).status).toBe(401);
    expect((await server.request(path)).status).toBe(401);
    expect((await request('/v1/sites/999/analytics')).status).toBe(404);
    const { siteId } = await createSite(server.data);
    const viewer = await createSignedInClient(server, '--role', 'viewer', '--site', `${siteId}`);
    expect((await viewer.request('GET', `/v1/sites/${siteId}/analytics`)).status).toBe(200);
    expect((await viewer.request('GET', path)).status).toBe(404);
  });
});

test('deletion of a site removes its analytics', async () => {
  const { siteId, key } = await createSite(server.data);
  await generateAndWait(key, 'gone', 'A post that goes');
  await track(key, { type: 'play', post_id: 'gone', session_id: 'one', heard_seconds: 1 });
  await getAnalytics(siteId);
  const tables = ['event', 'event_day', 'event_listener', 'event_quota', 'key_request_day'];
  const listTablesWithRows = () =>
    tables.filter((table) => {
      const rows = `select 1 from ${table} where site_id = ${siteId} limit 1`;
      return readRows(server.data, rows).length > 0;
    });
  expect(listTablesWithRows()).toEqual(tables);
  expect((await admin.request('DELETE', `/v1/sites/${siteId}?permanently=true`)).status).toBe(200);
  await eventually(() => listTablesWithRows().length === 0, 'all rows of the site are deleted');
});

test('daily totals remain after their events are purged', async () => {
  const { siteId, key } = await createSite(server.data);
  await generateAndWait(key, 'old', 'An old post');
  const listen = (count: number, start: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ type: 'play', post_id: 'old', session_id: `s${start + index}` },
      ...{ event_id: `e${start + index}`, heard_seconds: 2 },
    }));
  for (let start = 0; start < 1_300; start += 100) await track(key, ...listen(100, start));
  await server.stop();
  const old = new Date(Date.now() - 20 * dayMs).toISOString();
  const database = new Database(join(server.data, 'lectern.db'));
  database.run('delete from event where site_id <> ?', [siteId]);
  database.run('update event set received_at = ?, occurred_at = ?', [old, old]);
  for (const table of ['event_day', 'event_listener']) {
    database.run(`update ${table} set day = ? where site_id = ?`, [old.slice(0, 10), siteId]);
  }
  database.close();
  server = await startTestServer({ env, data: server.data, key: server.key });
  admin = await signIn(server, admin.user);
  await track(key, { type: 'play', post_id: 'old', session_id: 's1', event_id: 'new' });
  const countRows = (table: string) =>
    readRows<{ count: number }>(server.data, `select count(*) as count from ${table} where site_id = ${siteId}`)[0]
      ?.count;
  await eventually(() => countRows('event') === 1 && countRows('event_listener') === 1, 'only new rows remain');
  const { totals, series } = await getAnalytics(siteId);
  expect(totals).toMatchObject({ plays: 1_301, listeners: 1_301, heard_seconds: 2_600 });
  expect(series.find(({ day }) => day === old.slice(0, 10))).toMatchObject({ listeners: 1_300 });
});
