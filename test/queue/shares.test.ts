import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { findAffectedAudio } from '../../src/pronunciations/affected-posts.ts';
import { readRows } from '../api/stored-rows.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { addDefaultVoice, installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers } from '../fixtures/held-workers.ts';
import { readMetrics } from '../fixtures/metrics.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
  withNewSite,
} from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { createStallingVoice } from '../fixtures/stalling-voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

setDefaultTimeout(300_000);

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  running.push(server);
  return server;
}

function buildLongSentences(count: number): string {
  const buildLine = (number: number) =>
    `In the year ${1_000 + number} the river rose again, so the people of the valley carried their furniture uphill.`;
  return Array.from({ length: count }, (_, index) => buildLine(index)).join(' ');
}

describe('a queue of many posts', () => {
  test('is generated to the end, in the order of each site and priority, also after changes and a restart', async () => {
    const server = await start();
    const other = await withNewSite(server);
    const { admin } = createSiteUsers(server, server.siteId);
    await admin.request('PATCH', '/v1/queue', { paused: true });
    const submit = async (site: TestServer, post_id: string, more: Record<string, unknown> = {}) =>
      expect((await site.generate({ post_id, content: buildLongSentences(1), ...more })).status).toBe(202);
    const names = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index));
    for (const name of names) {
      await submit(server, `normal ${name}`);
      await submit(server, `low ${name}`, { priority: 'low' });
      await submit(other, `other ${name}`);
    }
    const path = (postId: string) => `/v1/sites/${server.siteId}/posts/${encodeURIComponent(postId)}`;
    await admin.request('DELETE', path('normal a'));
    await admin.request('PATCH', path('normal l'), { priority: 'high' });
    await submit(server, 'low b', { content: buildLongSentences(1).replace('river', 'water') });
    await server.stop('SIGKILL');
    const again = await start({ data: server.data, key: server.key });
    const { admin: sameAdmin } = createSiteUsers(again, again.siteId);
    await sameAdmin.request('PATCH', '/v1/queue', { paused: false });
    const listStarted = () =>
      readRows<{ name: string; status: string }>(
        server.data,
        `select external_id as name, status from version join audio on audio.id = audio_id
          join post on post.id = post_id order by version.id`,
      );
    const count = 3 * names.length - 1;
    await eventually(() => listStarted().filter(({ status }) => status === 'ready').length === count, 'all are ready');
    const order = listStarted().map(({ name }) => name);
    const listOf = (kind: string) => order.filter((name) => name.startsWith(kind));
    expect(listOf('normal')).toEqual(['l', ...names.slice(1, -1)].map((name) => `normal ${name}`));
    expect(listOf('low')).toEqual(names.map((name) => `low ${name}`));
    expect(listOf('other')).toEqual(names.map((name) => `other ${name}`));
  });
});

describe('the texts of one site', () => {
  test('do not occupy every worker at once', async () => {
    const server = await start({ flags: ['--workers', '2'], isPreloading: true });
    const other = await withNewSite(server);
    const release = holdWorkers(server);
    for (const post_id of ['a', 'b', 'c']) await server.generate({ post_id, content: buildLongSentences(3) });
    await other.generate({ post_id: 'other', content: buildLongSentences(3) });
    await eventually(async () => (await other.status('other')).status === 'generating', 'the other site has a worker');
    const statuses = await Promise.all(['a', 'b', 'c'].map(async (id) => (await server.status(id)).status));
    release();
    expect(statuses).toEqual(['generating', 'pending', 'pending']);
  });
});

describe('the pronunciation searches of one site', () => {
  test('do not delay other sites', async () => {
    const server = await start();
    const other = await withNewSite(server);
    const search = (siteId: number) =>
      createSiteUsers(server, siteId).admin.request('POST', `/v1/sites/${siteId}/pronunciations/preview`, {
        word: 'river',
      });
    await other.generate({ post_id: 'other', content: buildLongSentences(3) });
    expect((await other.waitUntilFinished('other')).status).toBe('ready');
    // Its extraction needs a worker.
    const release = holdWorkers(server);
    await server.generate({ post_id: 'held', content: buildLongSentences(3) });
    let received = 0;
    const searches = Array.from({ length: 6 }, async () => {
      const { status } = await search(server.siteId);
      received += 1;
      return status;
    });
    expect(await Promise.race(searches)).toBe(503);
    expect((await search(other.siteId)).status).toBe(200);
    expect(received).toBe(1);
    release();
    expect((await Promise.all(searches)).toSorted()).toEqual([200, 200, 200, 200, 200, 503]);
  });
});

describe('a client that disconnects', () => {
  test('ends its pronunciation search, even if that needs no worker', async () => {
    const { read, close } = await openTestDatabase(createTemporaryFolder());
    const workers = { call: () => Promise.reject(new Error('no body to read')) };
    const search = { owner: null, language: '', onlyOutdated: false, changedAt: '', matches: () => true };
    expect(await findAffectedAudio(read, workers, search).next()).toEqual({ done: true, value: undefined });
    const left = findAffectedAudio(read, workers, search, AbortSignal.abort()).next();
    await expect(left).rejects.toThrow('Client disconnected');
    await close();
  });

  test('frees its worker', async () => {
    const data = createTemporaryFolder();
    await addDefaultVoice(data);
    await installVoice(data, 'en_US-stalling-low', createStallingVoice({ symbols: 'ə', stall: 'endless' }), 0);
    const { key } = await createSite(data);
    const voice_id = await findVoiceId(data, 'en_US-stalling-low');
    const server = await start({ data, key });
    const leaving = new AbortController();
    const reply = server.request('/v1/speech/say', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'The ferry is about to sail.', voice_id }),
      signal: leaving.signal,
    });
    const left = reply.then(
      () => false,
      () => true,
    );
    const planned = 'lectern_worker_tasks_total{task="plan",outcome="done"}';
    await eventually(async () => (await readMetrics(server))(planned) === 1, 'the sentence is planned');
    leaving.abort();
    expect(await left).toBe(true);
    await server.generate({ post_id: 'next', content: buildLongSentences(2) });
    expect((await server.waitUntilFinished('next')).status).toBe('ready');
    expect((await readMetrics(server))('lectern_worker_restarts_total{reason="cancelled"}')).toBe(1);
  });
});

describe('a text over a limit', () => {
  const requestPreview = async (server: TestServer, content: string) => {
    const response = await server.request('/v1/speech/preview', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content }),
    });
    return [response.status, ((await response.json()) as Envelope<never>).message];
  };

  test('of CPU time gets an error that says so', async () => {
    const server = await start({ env: { LECTERN_TEXT_CPU_S: '1' } });
    const message = expect.stringContaining('CPU time limit of 1 s exceeded). Shorten');
    expect(await requestPreview(server, '<li>XIV'.repeat(70_000))).toEqual([422, message]);
  });

  test('of work for selectors gets an error that names the settings', async () => {
    const server = await start();
    const selectors = Array.from({ length: 100 }, (_, index) => `:is(${Array(40).fill(`[q*=ab${index}]`).join(',')})`);
    const reading = ['--reading', JSON.stringify({ leave_out: selectors })];
    const updated = await runCommand(['site', 'update', '1', '--data', server.data, ...reading]);
    expect([updated.code, updated.stderr]).toEqual([0, '']);
    const message = expect.stringContaining('(`leave_out`, `keep`) take too much time on this article');
    expect(await requestPreview(server, `<p q="${'ab'.repeat(100_000)}">One</p>`)).toEqual([422, message]);
  });
});
