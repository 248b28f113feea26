import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { installToneVoices } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers, holdWorkersDuring } from '../fixtures/held-workers.ts';
import { createTemporaryFolder, type Envelope, startServerForFile } from '../fixtures/server.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle, buildLongArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const german = '<p>Der Fluss ist ruhig, und die Brücke steht offen für alle Leute.</p>';

const data = createTemporaryFolder();
await installToneVoices(data, 'en_US', 'de_DE');
const english = await findVoiceId(data, 'en_US-tones-low');
const inGerman = await findVoiceId(data, 'de_DE-tones-low');
const server = await startServerForFile({ data, env: { LECTERN_DELETED_RETENTION_DAYS: '0' } });

async function remove(postId: string, query = '') {
  const path = `/v1/audio/${encodeURIComponent(postId)}${query}`;
  const response = await server.request(path, { method: 'DELETE' });
  const { message, data, errors } = (await response.json()) as Envelope<unknown>;
  return { status: response.status, message, data, errors };
}

async function generateAndWait(postId: string, content: string, voice_id = english): Promise<AudioRecord> {
  expect((await server.generate({ post_id: postId, content, voice_id })).status).toBe(202);
  const language = voice_id === inGerman ? 'de' : 'en';
  return eventually(async () => {
    const record = await server.status(postId, language);
    return record.status === 'ready' && record;
  }, `${postId} is ready`);
}

function getStatusCode(url: string | null, method = 'GET'): Promise<number> {
  return fetch(url ?? '', { method }).then((response) => response.status);
}

/** Stored texts of the sentences of an article. */
function findTexts(topic: string): unknown[] {
  return readRows(
    server.data,
    `select text from planned_segment where text like '%${topic}%'
      union all select content from audio where content like '%${topic}%'
      union all select audios from deleted_post where audios like '%${topic}%'`,
  );
}

function countSegments(): number {
  const [row] = readRows<{ count: number }>(server.data, 'select count(*) as count from segment');
  return row?.count ?? 0;
}

const isGone = { status: 404, message: 'Post not found' };

test('without retention a deletion removes all data of a post, and its URLs end at once', async () => {
  const before = countSegments();
  const first = await generateAndWait('news/1', buildArticle('the first draft', 12));
  const second = await generateAndWait('news/1', buildArticle('the second draft', 12));
  const translated = await generateAndWait('news/1', german, inGerman);
  const urls = [first, second, translated].map(({ audio_url }) => audio_url ?? '');
  // Read completely, so that it is cached as a file.
  for (const url of urls) expect((await (await fetch(url)).bytes()).byteLength).toBeGreaterThan(0);
  expect(listMediaFiles(urls)).not.toEqual([]);

  expect(await remove('news/1')).toEqual({
    status: 200,
    message: 'Audio deleted',
    data: { post_id: 'news/1', languages: ['de', 'en'] },
    errors: undefined,
  });
  for (const url of urls) {
    expect(await getStatusCode(url)).toBe(410);
    expect(await getStatusCode(url, 'HEAD')).toBe(410);
    expect(await getStatusCode(url.replace(/mp3$/, 'json'))).toBe(410);
  }
  expect(listMediaFiles(urls)).toEqual([]);
  expect(countSegments()).toBe(before);
  expect(findTexts('draft')).toEqual([]);
  expect(readRows(server.data, "select id from post where external_id = 'news/1'")).toEqual([]);
  for (const language of ['en', 'de']) {
    const status = await server.request(`/v1/audio/news%2F1/status?language=${language}`);
    expect(status.status).toBe(404);
  }
  expect(await remove('news/1')).toMatchObject(isGone);

  const again = await generateAndWait('news/1', buildArticle('the first draft', 12));
  expect(again.id).not.toBe(first.id);
  expect(again.audio_url).not.toBe(first.audio_url);
  expect(await getStatusCode(again.audio_url)).toBe(200);
  // Counted once, deleted or not.
  const counted = "select month from post_quota where external_id = 'news/1'";
  expect(readRows(server.data, counted)).toHaveLength(1);
});

test('deletion of one language leaves the other', async () => {
  const record = await generateAndWait('bilingual', buildArticle('two languages'));
  const deleted = await generateAndWait('bilingual', german, inGerman);
  expect(await remove('bilingual', '?language=de-AT')).toMatchObject({
    ...{ status: 200, data: { post_id: 'bilingual', languages: ['de'] } },
  });
  expect(await getStatusCode(deleted.audio_url)).toBe(410);
  expect(await server.status('bilingual')).toEqual(record);
  expect(await getStatusCode(record.audio_url)).toBe(200);
  expect(await remove('bilingual', '?lang=de')).toMatchObject(isGone);
});

test('deletion keeps sentences that another post shares', async () => {
  const shared = buildArticle('shared ground');
  await generateAndWait('one', `${shared}<p>And this is said by the first one alone.</p>`);
  const other = await generateAndWait('other', shared);
  expect((await remove('one')).status).toBe(200);
  const mp3 = await (await fetch(other.audio_url ?? '')).bytes();
  expect((await decodeMp3(mp3)).warnings).toBe('');
  expect(findTexts('first one alone')).toEqual([]);
});

test('deletion cancels running synthesis, which leaves no data', async () => {
  const log = server.log().length;
  const before = countSegments();
  await server.generate({ post_id: 'long', content: buildLongArticle('endless'), voice_id: english });
  const release = await holdWorkersDuring(server, 'long');
  expect(await remove('long')).toMatchObject({ status: 200 });
  release();
  const after = await generateAndWait('after', buildArticle('afterwards'));
  expect(findTexts('endless')).toEqual([]);
  expect(countSegments()).toBe(before + 3);
  expect(after.status).toBe('ready');
  expect(server.log().slice(log)).not.toMatch(/interrupted|failed/);
});

test('deletion removes a waiting post from the queue', async () => {
  const release = holdWorkers(server);
  await server.generate({ post_id: 'busy', content: buildArticle('busy'), voice_id: english });
  await server.generate({ post_id: 'waits', content: buildArticle('waiting'), voice_id: english });
  expect(await remove('waits')).toMatchObject({ status: 200 });
  expect(await remove('busy')).toMatchObject({ status: 200 });
  release();
  expect(await generateAndWait('next', buildArticle('the next'))).toMatchObject({ status: 'ready' });
});

test('deletion of an unknown post or language, or with an unknown key, fails', async () => {
  expect(await remove('never-made')).toMatchObject(isGone);
  expect(await remove('never-made', '?language=de')).toMatchObject(isGone);
  expect(await remove('never-made', '?language=xx')).toMatchObject({
    ...{ status: 422, message: 'Validation failed' },
    errors: { language: [expect.stringContaining('xx is not supported')] },
  });
  expect(await remove('never-made', '?language=!')).toMatchObject({ status: 422 });
  const anonymous = await fetch(`${server.url}/v1/audio/after`, { method: 'DELETE' });
  expect(anonymous.status).toBe(401);
});

function listMediaFiles(urls: readonly string[]): string[] {
  const names = urls.map((url) => url.slice(url.lastIndexOf('/') + 1));
  return readdirSync(join(server.data, 'media')).filter((file) => names.includes(file));
}
