import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { installToneVoices, installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers, holdWorkersWhen } from '../fixtures/held-workers.ts';
import { listenTo, planPost, readSymbols, toSymbols } from '../fixtures/post.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { findVoiceIds } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const data = createTemporaryFolder();
/** Enough sentences to keep an extra voice unfinished during a test. */
const lasting = 25;
const british = createToneVoice({ sampleRateHz: 22_050, language: 'en_GB' });
let server: TestServer;
let key: string;
let first: number;
let second: number;
let german: number;

beforeAll(async () => {
  await installToneVoices(data, 'en_US', 'de_DE');
  await installVoice(data, 'en_GB-tones-low', british);
  ({ key } = await createSite(data));
  const files = ['en_US-tones-low', 'en_GB-tones-low', 'de_DE-tones-low'];
  [first = 0, second = 0, german = 0] = await findVoiceIds(data, files);
  server = await startTestServer({ data, key });
});
beforeEach(() => update('--allow-switch', 'true', '--extra-voices', `${second},${german}`));
afterAll(() => server.stop('SIGKILL'));

async function update(...words: string[]): Promise<void> {
  const { code, stderr } = await runCommand(['site', 'update', '1', '--data', data, ...words]);
  if (code !== 0) throw new Error(stderr);
}

interface Row {
  readonly id: number;
  readonly voice_id: number;
  readonly is_main: number;
  readonly status: AudioRecord['status'];
  readonly content: string;
  readonly media_key: string | null;
}

function listAudio(postId: string): Row[] {
  return readRows<Row>(
    data,
    `select audio.id, audio.voice_id, is_main, status, content, media_key from audio
      join post on post.id = audio.post_id left join version on version.id = audio.version_id
      where external_id = '${postId}' order by is_main desc, audio.voice_id`,
  );
}

const listExtraVoices = (postId: string) => listAudio(postId).filter(({ is_main }) => is_main === 0);

/** Waits until a post has exactly these extra voices, all ready. */
function waitForExtraVoices(postId: string, ...voiceIds: number[]): Promise<Row[]> {
  return eventually(() => {
    const rows = listExtraVoices(postId);
    const ready = rows.filter(({ status }) => status === 'ready').map(({ voice_id }) => voice_id);
    return rows.length === ready.length && Bun.deepEquals(ready, voiceIds) && rows;
  }, `${postId} is ready in ${voiceIds.length} further voices`);
}

async function generateAndWait(postId: string, content: string, voice_id = first): Promise<AudioRecord> {
  const response = await server.generate({ post_id: postId, content, voice_id });
  expect(response.status).toBe(202);
  return server.waitUntilFinished(postId);
}

function getUrl(row: Row | undefined): string {
  return `${server.url}/v1/media/${row?.media_key}.mp3`;
}

function listUnusedSegments(): unknown[] {
  const named = 'select hash from planned_segment';
  return readRows(data, `select hash from segment where hash not in (${named}) order by hash`);
}

const getStatusCode = (url: string) => fetch(url).then((response) => response.status);

describe('the extra voices of a post', () => {
  test('speak the same text after the main voice, without effect on status and quota', async () => {
    const content = buildArticle('the harbor');
    const main = await generateAndWait('harbor', content);
    const [extra] = await waitForExtraVoices('harbor', second);
    expect(await server.status('harbor')).toEqual(main);
    const recording = await listenTo({ ...main, audio_url: getUrl(extra) });
    const plan = await planPost({ content }, british.config ?? '');
    expect(recording.sampleRateHz).toBe(22_050);
    expect(readSymbols(recording)).toBe(plan.flatMap(({ ids }) => toSymbols(ids, british.config ?? '')).join(''));
    const counted = readRows(data, "select * from post_quota where external_id = 'harbor'");
    expect(counted).toHaveLength(1);
  });

  test('are discarded when the text changes, and generated from the new text', async () => {
    await generateAndWait('changing', buildArticle('the old way'));
    const [old] = await waitForExtraVoices('changing', second);
    const release = holdWorkers(server);
    await server.generate({ post_id: 'changing', content: buildArticle('the way on'), voice_id: first });
    expect(listExtraVoices('changing')).toEqual([]);
    expect(await getStatusCode(getUrl(old))).toBe(410);
    release();
    const content = buildArticle('the new way');
    const main = await generateAndWait('changing', content);
    const [extra] = await waitForExtraVoices('changing', second);
    expect(extra?.content).toBe(content);
    expect(await getStatusCode(main.audio_url ?? '')).toBe(200);
    expect(await getStatusCode(getUrl(extra))).toBe(200);
  });

  test('exchange audio with the main record when a request names their voice', async () => {
    await update('--extra-voices', `${first},${second}`);
    const content = buildArticle('the exchange');
    const before = await generateAndWait('exchange', content);
    const [extra] = await waitForExtraVoices('exchange', second);
    const after = await generateAndWait('exchange', content, second);
    expect(after).toMatchObject({ id: before.id, voice_id: second });
    expect(await getStatusCode(getUrl(extra))).toBe(410);
    await waitForExtraVoices('exchange', first);
    expect(listAudio('exchange')).toHaveLength(2);
  });

  test('are not generated for a text that failed', async () => {
    const failed = await generateAndWait('unspeakable', '<p>🎈</p>'.repeat(10));
    expect(failed.status).toBe('failed');
    await generateAndWait('speakable', buildArticle('the speakable'));
    await waitForExtraVoices('speakable', second);
    expect(listExtraVoices('unspeakable')).toEqual([]);
  });

  test('are deleted with their post', async () => {
    await generateAndWait('short-lived', buildArticle('the short life'));
    const [extra] = await waitForExtraVoices('short-lived', second);
    expect((await server.request('/v1/audio/short-lived', { method: 'DELETE' })).status).toBe(200);
    expect(listAudio('short-lived')).toEqual([]);
    expect(await getStatusCode(getUrl(extra))).toBe(410);
  });
});

describe('voices of a site on a running server', () => {
  test('are removed from all posts when deselected, and generated when selected again', async () => {
    const unnamed = listUnusedSegments();
    await generateAndWait('on-and-off', buildArticle('the switch'));
    const [extra] = await waitForExtraVoices('on-and-off', second);
    await update('--allow-switch', 'false');
    await eventually(() => listExtraVoices('on-and-off').length === 0, 'extra voices are deleted');
    expect(await getStatusCode(getUrl(extra))).toBe(410);
    await generateAndWait('meanwhile', buildArticle('the meantime'));
    await update('--allow-switch', 'true');
    await waitForExtraVoices('on-and-off', second);
    await waitForExtraVoices('meanwhile', second);
    await update('--extra-voices', '');
    await eventually(() => listExtraVoices('meanwhile').length === 0, 'extra voices are deleted');
    expect((await server.status('meanwhile')).status).toBe('ready');
    // Earlier segments may have been deleted.
    expect(unnamed).toEqual(expect.arrayContaining(listUnusedSegments()));
  });

  test('must exist', async () => {
    await expect(update('--extra-voices', '4711')).rejects.toThrow('Voice 4711 not found');
    await expect(update('--extra-voices', 'two')).rejects.toThrow('two must be an integer');
  });
});

test('missing audio is generated after a crash, with the changes made meanwhile', async () => {
  const content = buildArticle('the crash', lasting);
  await generateAndWait('crashed', content);
  const isQueued = () => listExtraVoices('crashed').length === 1;
  const release = await holdWorkersWhen(server, isQueued, 'the extra voice is queued');
  await server.stop('SIGKILL');
  release();
  expect(listExtraVoices('crashed')[0]?.status).not.toBe('ready');
  server = await startTestServer({ data, key });
  await waitForExtraVoices('crashed', second);
  await server.stop();
  await update('--allow-switch', 'false');
  server = await startTestServer({ data, key });
  await eventually(() => listExtraVoices('crashed').length === 0, 'extra voices are deleted');
});

test('extra voices do not count in the queue of posts', async () => {
  await server.stop();
  server = await startTestServer({ data, key, env: { LECTERN_QUEUED_POSTS_MAX: '1' } });
  await generateAndWait('long', buildArticle('the long one', 4 * lasting));
  const isBegun = () => listExtraVoices('long')[0]?.status === 'generating';
  const release = await holdWorkersWhen(server, isBegun, 'the extra voice is generated');
  const response = await server.generate({ post_id: 'short', content: buildArticle('the short one'), voice_id: first });
  expect(response.status).toBe(202);
  release();
  expect(await server.waitUntilFinished('short')).toMatchObject({ status: 'ready' });
  expect(listExtraVoices('long')[0]?.status).not.toBe('ready');
});
