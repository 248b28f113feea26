import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { installToneVoices, installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, planOf, symbolsIn, symbolsOf } from '../fixtures/post.ts';
import { createSite, runCommand, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';
import { toneVoice } from '../fixtures/voice.ts';
import { voiceIdsOf } from '../fixtures/voice-list.ts';
import { article, longArticle } from './articles.ts';
import { storedRows } from './stored-rows.ts';

const data = temporaryFolder();
/** Sentences of a post that a further voice is not through with before a test has done what it wants meanwhile. */
const lasting = 60;
const british = toneVoice({ sampleRateHz: 22_050, language: 'en_GB' });
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
  [first = 0, second = 0, german = 0] = await voiceIdsOf(data, files);
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

function audios(postId: string): Row[] {
  return storedRows<Row>(
    data,
    `select audio.id, audio.voice_id, is_main, status, content, media_key from audio
      join post on post.id = audio.post_id left join version on version.id = audio.version_id
      where external_id = '${postId}' order by is_main desc, audio.voice_id`,
  );
}

const extras = (postId: string) => audios(postId).filter(({ is_main }) => is_main === 0);

/** Waits until a post has exactly these further voices, all ready. */
function extrasReady(postId: string, ...voiceIds: number[]): Promise<Row[]> {
  return eventually(() => {
    const rows = extras(postId);
    const ready = rows.filter(({ status }) => status === 'ready').map(({ voice_id }) => voice_id);
    return rows.length === ready.length && Bun.deepEquals(ready, voiceIds) && rows;
  }, `${postId} is ready in ${voiceIds.length} further voices`);
}

async function made(postId: string, content: string, voice_id = first): Promise<AudioRecord> {
  const answer = await server.generate({ post_id: postId, content, voice_id });
  expect(answer.status).toBe(202);
  return server.waitUntilFinished(postId);
}

function urlOf(row: Row | undefined): string {
  return `${server.url}/v1/media/${row?.media_key}.mp3`;
}

function unnamedSegments(): unknown[] {
  const named = 'select hash from planned_segment';
  return storedRows(data, `select hash from segment where hash not in (${named}) order by hash`);
}

const statusCode = (url: string) => fetch(url).then((answer) => answer.status);

describe('the extra voices of a post', () => {
  test('speak the same text after the main voice, without effect on status and quota', async () => {
    const content = article('the harbor');
    const main = await made('harbor', content);
    const [extra] = await extrasReady('harbor', second);
    expect(await server.status('harbor')).toEqual(main);
    const heard = await listenTo({ ...main, audio_url: urlOf(extra) });
    const plan = await planOf({ content }, british.config ?? '');
    expect(heard.sampleRateHz).toBe(22_050);
    expect(symbolsIn(heard)).toBe(plan.flatMap(({ ids }) => symbolsOf(ids, british.config ?? '')).join(''));
    const counted = storedRows(data, "select * from post_quota where external_id = 'harbor'");
    expect(counted).toHaveLength(1);
  });

  test('are discarded when the text changes, and generated from the new text', async () => {
    await made('changing', article('the old way'));
    const [old] = await extrasReady('changing', second);
    await server.generate({ post_id: 'changing', content: longArticle('on'), voice_id: first });
    expect(extras('changing')).toEqual([]);
    expect(await statusCode(urlOf(old))).toBe(410);
    const content = article('the new way');
    const main = await made('changing', content);
    const [extra] = await extrasReady('changing', second);
    expect(extra?.content).toBe(content);
    expect(await statusCode(main.audio_url ?? '')).toBe(200);
    expect(await statusCode(urlOf(extra))).toBe(200);
  });

  test('exchange audio with the main record when a request names their voice', async () => {
    await update('--extra-voices', `${first},${second}`);
    const content = article('the exchange');
    const before = await made('exchange', content);
    const [extra] = await extrasReady('exchange', second);
    const after = await made('exchange', content, second);
    expect(after).toMatchObject({ id: before.id, voice_id: second });
    expect(await statusCode(urlOf(extra))).toBe(410);
    await extrasReady('exchange', first);
    expect(audios('exchange')).toHaveLength(2);
  });

  test('are not generated for a text that failed', async () => {
    const failed = await made('unspeakable', '<p>🎈</p>'.repeat(10));
    expect(failed.status).toBe('failed');
    await made('speakable', article('the speakable'));
    await extrasReady('speakable', second);
    expect(extras('unspeakable')).toEqual([]);
  });

  test('are deleted with their post', async () => {
    await made('short-lived', article('the short life'));
    const [extra] = await extrasReady('short-lived', second);
    expect((await server.request('/v1/audio/short-lived', { method: 'DELETE' })).status).toBe(200);
    expect(audios('short-lived')).toEqual([]);
    expect(await statusCode(urlOf(extra))).toBe(410);
  });
});

describe('voices of a site on a running server', () => {
  test('are removed from all posts when deselected, and generated when selected again', async () => {
    const unnamed = unnamedSegments();
    await made('on-and-off', article('the switch'));
    const [extra] = await extrasReady('on-and-off', second);
    await update('--allow-switch', 'false');
    await eventually(() => extras('on-and-off').length === 0, 'further voices go');
    expect(await statusCode(urlOf(extra))).toBe(410);
    await made('meanwhile', article('the meantime'));
    await update('--allow-switch', 'true');
    await extrasReady('on-and-off', second);
    await extrasReady('meanwhile', second);
    await update('--extra-voices', '');
    await eventually(() => extras('meanwhile').length === 0, 'further voices go');
    expect((await server.status('meanwhile')).status).toBe('ready');
    // Those there were before may have been collected meanwhile.
    expect(unnamed).toEqual(expect.arrayContaining(unnamedSegments()));
  });

  test('must exist', async () => {
    await expect(update('--extra-voices', '4711')).rejects.toThrow('Voice 4711 not found');
    await expect(update('--extra-voices', 'two')).rejects.toThrow('two must be an integer');
  });
});

test('missing audio is generated after a crash, with the changes made meanwhile', async () => {
  const content = article('the crash', lasting);
  await made('crashed', content);
  await eventually(() => extras('crashed').length === 1, 'the further voice is queued');
  await server.stop('SIGKILL');
  expect(extras('crashed')[0]?.status).not.toBe('ready');
  server = await startTestServer({ data, key });
  await extrasReady('crashed', second);
  await server.stop();
  await update('--allow-switch', 'false');
  server = await startTestServer({ data, key });
  await eventually(() => extras('crashed').length === 0, 'further voices go');
});

test('extra voices do not count in the queue of posts', async () => {
  await server.stop();
  server = await startTestServer({ data, key, env: { LECTERN_QUEUED_POSTS_MAX: '1' } });
  await made('long', article('the long one', lasting));
  await eventually(() => extras('long')[0]?.status === 'generating', 'a further voice is made');
  expect(await made('short', article('the short one'))).toMatchObject({ status: 'ready' });
  expect(extras('long')[0]?.status).not.toBe('ready');
});
