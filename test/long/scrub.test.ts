import { afterEach, expect, test } from 'bun:test';
import { basename } from 'node:path';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { checkScrub } from '../../src/cli/check.ts';
import { readConfig } from '../../src/config.ts';
import { readRows } from '../api/stored-rows.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, readSymbols } from '../fixtures/post.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';

const content = [
  'The harbor stayed open through the winter.',
  'Nobody had expected that.',
  'The ferries ran every hour.',
];
const off = { LECTERN_SCRUB_DAYS: '0' };
let server: TestServer;
afterEach(() => server.stop('SIGKILL'));

async function generate(postId: string, sentences: readonly string[]): Promise<void> {
  const response = await server.generate({
    post_id: postId,
    content: sentences.map((sentence) => `<p>${sentence}</p>`).join(''),
  });
  expect(response.status).toBe(202);
  expect((await server.waitUntilFinished(postId)).status).toBe('ready');
}

/** A server without scrubbing, with a separate folder. */
async function startWithoutScrub(): Promise<void> {
  const data = createTemporaryFolder();
  server = await startTestServer({ data, key: (await createSite(data)).key, env: off });
}

async function restart(env: Record<string, string> = {}): Promise<void> {
  await server.stop();
  server = await startTestServer({ data: server.data, key: server.key, env });
}

/** Overwrites the middle of the stored MP3 frames, like a bad disk. */
function damage(text: string): void {
  const changed = changeRows(
    server.data,
    `update segment set frames = cast(substr(frames, 1, 1000) || x'${'00'.repeat(500)}' || substr(frames, 1501) as blob)
      where hash in (select hash from planned_segment where text = ?)`,
    text,
  );
  expect(changed).toBe(1);
}

async function readMetrics(): Promise<string> {
  return (await fetch(`${server.url}/metrics`)).text();
}

function passFinished(): Promise<unknown> {
  return eventually(
    () => readRows(server.data, 'select finished_at from audio_scrub where finished_at is not null')[0],
    'a pass over the stored audio is finished',
  );
}

function getFileName({ audio_url }: AudioRecord): string {
  return basename(audio_url ?? '');
}

function waitForNewMp3(postId: string, before: AudioRecord): Promise<unknown> {
  return eventually(
    async () => getFileName(await server.waitUntilFinished(postId)) !== getFileName(before),
    'the damage is found',
  );
}

test('a damaged sentence is found, and only that one is synthesized again', async () => {
  await startWithoutScrub();
  await generate('damaged', content);
  await generate('intact', content.slice(0, 2));
  const before = await server.status('damaged');
  const recording = await listenTo(before);
  damage(content[2] ?? '');
  await restart();
  await waitForNewMp3('damaged', before);

  const repaired = await server.waitUntilFinished('damaged');
  expect(repaired).toMatchObject({ id: before.id, status: 'ready' });
  const again = await listenTo(repaired);
  expect(again.warnings).toBe('');
  expect(readSymbols(again)).toBe(readSymbols(recording));
  // Files that players have loaded before also play.
  const old = `${server.url}/v1/media/${getFileName(before)}`;
  expect((await listenTo({ ...before, audio_url: old })).warnings).toBe('');
  await passFinished();
  const metrics = await readMetrics();
  expect(metrics).toContain('lectern_segments_total{source="spoken"} 1');
  expect(metrics).toContain('lectern_scrub_damaged_segments_total{outcome="regenerating"} 1');
  expect(metrics).toMatch(/lectern_scrub_verified_bytes_total [1-9]/);
  expect(metrics).toMatch(/lectern_scrub_last_pass_timestamp_seconds [1-9]/);
  await server.waitForLogLine('stored audio damaged');
  const audios = await runCommand(['check', '--audios', '--data', server.data]);
  expect(audios.stdout).toContain('2 audio files match their certificates');
});

test('damage that cannot be repaired is reported: only a replaced version plays the sentence', async () => {
  await startWithoutScrub();
  await generate('post', content);
  await generate('post', content.slice(1));
  damage(content[0] ?? '');
  await restart();
  await passFinished();
  expect(await readMetrics()).toContain('lectern_scrub_damaged_segments_total{outcome="left"} 1');
  await expect(checkScrub(readConfig({ data: server.data }, {}))).rejects.toThrow(
    '1 of them damaged and not repairable',
  );
  expect((await server.status('post')).status).toBe('ready');
  const { data } = await createSiteUsers(server, 1).admin.request<Record<string, unknown>>('GET', '/v1/system');
  expect(data['stored_audio']).toEqual({ verified_at: expect.any(String), segments: 3, damaged: 1 });
});

test('audio of a deleted site is left alone until the site is restored', async () => {
  await startWithoutScrub();
  await generate('post', content);
  const before = await server.status('post');
  damage(content[1] ?? '');
  const { admin } = createSiteUsers(server, server.siteId);
  await admin.request('DELETE', `/v1/sites/${server.siteId}`);
  await restart();
  await passFinished();
  expect(await readMetrics()).toContain('lectern_scrub_damaged_segments_total{outcome="regenerating"} 0');
  expect(readRows(server.data, 'select status from audio')).toEqual([{ status: 'ready' }]);
  expect(readRows(server.data, 'select damaged_count from audio_scrub')).toEqual([{ damaged_count: 0 }]);

  await createSiteUsers(server, server.siteId).admin.request('POST', `/v1/sites/${server.siteId}/restore`);
  changeRows(server.data, `update audio_scrub set finished_at = '2026-01-01T00:00:00.000Z'`);
  await restart();
  await waitForNewMp3('post', before);
  expect((await server.waitUntilFinished('post')).status).toBe('ready');
});

test('a pass continues where the server stopped, and the next one starts after the interval', async () => {
  await startWithoutScrub();
  await generate('post', content);
  const before = await server.status('post');
  damage(content[1] ?? '');
  const [last] = readRows<{ hash: string }>(server.data, 'select max(hash) as hash from segment');
  changeRows(
    server.data,
    `insert into audio_scrub (id, position, started_at, segment_count) values (1, ?, '2026-01-01T00:00:00.000Z', 700)`,
    last?.hash ?? '',
  );
  await restart();
  await passFinished();
  expect(readRows(server.data, 'select segment_count, damaged_count from audio_scrub')).toEqual([
    { segment_count: 700, damaged_count: 0 },
  ]);
  expect(getFileName(await server.status('post'))).toBe(getFileName(before));

  changeRows(server.data, `update audio_scrub set finished_at = '2026-01-01T00:00:00.000Z'`);
  await restart();
  await waitForNewMp3('post', before);
  expect((await server.waitUntilFinished('post')).status).toBe('ready');
});
