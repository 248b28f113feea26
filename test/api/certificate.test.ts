import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyAudio } from '../../src/audio/certificate/certificate.ts';
import type { CertificateResponse } from '../../src/audio/certificate/schema.ts';
import { Sound } from '../../src/audio/media/sound.ts';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { DirectSqliteAdapter } from '../../src/database/dialect.ts';
import { copyDatabase, isOnPostgres, openTestDatabase } from '../fixtures/database.ts';
import { probeMp3 } from '../fixtures/ffmpeg.ts';
import { listenTo, type Recording } from '../fixtures/post.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { Database } from '../fixtures/sqlite.ts';
import { createBrokenVoice, createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';

const title = 'Harbor & “lighthouse” 🦊';
const content = `<p>The lighthouse opened again on Saturday. He says 3 &lt; 4.</p>
<p>***</p><script>let hidden = true;</script><h2>Tickets</h2><p>They cost 4&nbsp;dollars.</p>`;
const reading = { speed: 1.25, outro: 'Thank you for listening.' };
const post = { post_id: 'news/1', post_title: title, content };

let here: TestServer;
let there: TestServer;
let noisyId: number;
let record: AudioRecord;
let recording: Recording;
let response: CertificateResponse;

/** A server whose only site has a voice with random noise. */
async function startNoisyServer(): Promise<TestServer> {
  const data = createTemporaryFolder();
  const voices = join(data, 'voices');
  await writeVoice(voices, 'en_US-noisy-low', createToneVoice({ sampleRateHz: 16_000, noise: 0.02 }));
  await writeVoice(voices, 'en_US-short-low', createBrokenVoice('short-output'));
  const { key, siteId } = await createSite(data);
  await setReading(data, siteId, reading);
  noisyId = await findVoiceId(data, 'en_US-noisy-low');
  return startTestServer({ data, key });
}

async function setReading(data: string, siteId: number, changes: object): Promise<void> {
  const words = ['site', 'update', `${siteId}`, '--data', data];
  const { code, stderr } = await runCommand([...words, '--reading', JSON.stringify(changes)]);
  if (code !== 0) throw new Error(stderr);
}

beforeAll(async () => {
  [here, there] = await Promise.all([startNoisyServer(), startNoisyServer()]);
  await here.generate({ ...post, voice_id: noisyId });
  record = await here.waitUntilFinished(post.post_id);
  recording = await listenTo(record);
  response = await getCertificate(here, post.post_id);
});
afterAll(() => Promise.all([here.stop('SIGKILL'), there.stop('SIGKILL')]));

async function getCertificate(server: TestServer, postId: string): Promise<CertificateResponse> {
  const path = `/v1/audio/${encodeURIComponent(postId)}/certificate`;
  const { data } = (await (await server.request(path)).json()) as Envelope<CertificateResponse>;
  return data;
}

function computeSha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Canonical JSON (RFC 8785), without support for unusual numbers. */
function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalize(member)}`).join(',')}}`;
}

/** @returns the file without its ID3 tag */
function removeTag(mp3: Uint8Array): Uint8Array {
  return mp3.subarray([6, 7, 8, 9].reduce((sum, at) => sum * 128 + (mp3[at] ?? 0), 0) + 10);
}

async function readTags(mp3: Uint8Array): Promise<Readonly<Record<string, string>>> {
  const path = join(createTemporaryFolder(), 'sound.mp3');
  writeFileSync(path, mp3);
  return (await probeMp3(path)).tags;
}

describe('a certificate', () => {
  test('has a hash that anyone can recompute; the MP3 tags contain it and the source of the voice', async () => {
    const { certificate } = response;
    expect(computeSha256(canonicalize(certificate))).toBe(response.sha256);
    const [voice] = certificate.voices;
    expect(await readTags(recording.mp3)).toMatchObject({
      encoder: `Lectern ${certificate.program}`,
      date: certificate.made_at.slice(0, 19),
      creation_time: certificate.made_at.slice(0, 19),
      post_id: 'news/1',
      voice: voice?.name ?? '',
      voice_sha256: voice?.content_sha256 ?? '',
      certificate_sha256: response.sha256,
    });
  });

  test('lists spoken text, voices and excluded text', () => {
    const { certificate } = response;
    expect(certificate.source).toEqual([
      { field: 'title', length: title.length, sha256: computeSha256(title) },
      { field: 'content', length: content.length, sha256: computeSha256(content) },
      { field: 'outro', length: reading.outro.length, sha256: computeSha256(reading.outro) },
    ]);
    expect(certificate).toMatchObject({
      language: 'en',
      audio_id: record.id,
      speed: 1.25,
      voices: [{ id: noisyId, speaker: 0, license: null }],
    });
    const leftOut = certificate.left_out.map(({ reason, start, end }) => [reason, content.slice(start, end)]);
    expect(leftOut).toEqual([
      ['no speakable text', '***'],
      ['script', '<script>let hidden = true;</script>'],
    ]);
  });

  test('has source range, byte range and time of every sentence', () => {
    const { segments, sound, coverage } = response.certificate;
    const sources = { intro: '', disclosure: '', title, content, outro: reading.outro };
    expect(segments.map(({ field, start, end }) => sources[field].slice(start, end))).toEqual([
      title,
      'The lighthouse opened again on Saturday.',
      'He says 3 &lt; 4.',
      'Tickets',
      'They cost 4&nbsp;dollars.',
      reading.outro,
    ]);
    expect(segments.map(({ text_sha256 }) => text_sha256)).toEqual(
      recording.timings.map(({ text = '' }) => computeSha256(text)),
    );
    expect(segments.map(({ start_ms, end_ms }) => [start_ms, end_ms])).toEqual(
      recording.timings.map(({ start_ms, end_ms }) => [start_ms, end_ms]),
    );
    // The default pauses, a quarter shorter.
    expect(segments.map(({ pause_ms }) => pause_ms)).toEqual([720, 256, 480, 560, 480, 480]);
    const spokenText = recording.timings.map(({ text = '' }) => text.replace(/\s+/g, '')).join('');
    expect(coverage).toEqual({
      kept_characters: spokenText.length,
      silent_characters: 0,
      spoken_characters: spokenText.length,
      spoken_sha256: computeSha256(Buffer.from(spokenText, 'utf16le')),
    });
    let at = recording.mp3.length - sound.bytes;
    for (const segment of segments) {
      expect(computeSha256(recording.mp3.subarray(at, at + segment.bytes))).toBe(segment.sha256);
      at += segment.bytes;
    }
    expect(at).toBe(recording.mp3.length);
    expect(sound.duration_ms).toBe(recording.timings.at(-1)?.end_ms ?? 0);
  });

  test('is available only to users of the site', async () => {
    const { viewer, outsider } = createSiteUsers(here, here.siteId);
    const path = `/v1/sites/${here.siteId}/posts/news%2F1/certificate`;
    expect((await viewer.request('GET', path)).data).toEqual(response);
    expect((await viewer.request('GET', `${path}?voice_id=${noisyId}`)).data).toEqual(response);
    expect((await viewer.request('GET', `${path}?voice_id=999`)).status).toBe(404);
    expect((await outsider.request('GET', path)).status).toBe(404);
  });

  test('does not exist before the first version is ready', async () => {
    const shortId = await findVoiceId(here.data, 'en_US-short-low');
    await here.generate({ post_id: 'short', content: buildArticle('haste'), voice_id: shortId });
    expect((await here.waitUntilFinished('short')).error).toContain('too short');
    const unknown = await here.request('/v1/audio/unknown/certificate');
    const failed = await here.request('/v1/audio/short/certificate');
    expect([unknown.status, await unknown.json()]).toEqual([404, { success: false, message: 'Post not found' }]);
    expect([failed.status, await failed.json()]).toEqual([404, { success: false, message: 'No finished audio yet' }]);
  });
});

describe('the same article', () => {
  test('has the same audio on another server, regardless of earlier posts', async () => {
    await there.generate({ post_id: 'before', content: buildArticle('noise'), voice_id: noisyId });
    await there.waitUntilFinished('before');
    await there.generate({ ...post, voice_id: noisyId });
    const other = await listenTo(await there.waitUntilFinished(post.post_id));
    expect(Buffer.compare(removeTag(other.mp3), removeTag(recording.mp3))).toBe(0);
    const { date, creation_time, certificate_sha256, ...tags } = await readTags(recording.mp3);
    expect(await readTags(other.mp3)).toMatchObject(tags);
  });

  test('is spoken at the speaking rate of its site', async () => {
    const sentence = `<p>${'The rivers and the bridges of the old harbor town. '.repeat(2)}</p>`;
    await there.generate({ post_id: 'quick', content: sentence });
    const quick = await there.waitUntilFinished('quick');
    await setReading(there.data, there.siteId, { speed: 0.75 });
    await there.generate({ post_id: 'slow', content: sentence });
    const slow = await there.waitUntilFinished('slow');
    const [fast, drawn] = [await listenTo(quick), await listenTo(slow)];
    expect(drawn.samples.length / fast.samples.length).toBeCloseTo(1.25 / 0.75, 1);
    expect((drawn.timings.at(-1)?.end_ms ?? 0) / 1000).toBeCloseTo(drawn.samples.length / 24_000, 2);
  });
});

describe('an audio', () => {
  test('with a sentence that is too short fails as incomplete', async () => {
    const request = (post_id: string, sentenceCount: number) =>
      here.generate({ post_id, content: buildArticle('haste', sentenceCount), voice_id: noisyId });
    await request('whole', 2);
    await here.waitUntilFinished('whole');
    // As if the worker had not detected it.
    change(
      here.data,
      "update segment set speech_ms = 5 where hash = (select hash from planned_segment where text like 'Line 2 of haste %')",
    );
    await request('hasty', 3);
    const hasty = await here.waitUntilFinished('hasty');
    expect(hasty).toMatchObject({
      status: 'failed',
      error: 'Completeness check failed: segment 1 is too short: the audio is incomplete',
    });
    await here.waitForLogLine('completeness check failed');
  });

  test('from before certificates has none, and the error says how to get one', async () => {
    await here.generate({ post_id: 'old', content: buildArticle('old times'), voice_id: noisyId });
    const { id } = await here.waitUntilFinished('old');
    change(here.data, `update version set provenance = null, certificate_sha256 = null where audio_id = ${id}`);
    const old = await here.request('/v1/audio/old/certificate');
    expect(old.status).toBe(404);
    expect(await old.json()).toMatchObject({
      message: expect.stringContaining('Regenerate the post'),
    });
    expect(await findProblems(here.data, id)).toEqual([
      'has no certificate: it was generated by an older version of Lectern',
    ]);
  });
});

function change(data: string, sql: string, values: Uint8Array[] = []): void {
  const database = new Database(join(data, 'lectern.db'));
  try {
    database.run(sql, values);
  } finally {
    database.close();
  }
}

async function findProblems(data: string, audioId: number): Promise<readonly string[] | undefined> {
  const database = await openTestDatabase(data);
  try {
    return (await verifyAudio(database.read, new Sound(database.read, undefined), join(data, 'media'), audioId))
      ?.problems;
  } finally {
    await database.close();
  }
}

/** @returns a copy of the server's data folder, to be damaged */
function copyOf({ data }: TestServer): string {
  const folder = createTemporaryFolder();
  copyDatabase(data, folder);
  return folder;
}

describe('lectern check', () => {
  const version = 'version where id = (select version_id from audio where id = $audio)';
  const selectSegment = (position: number) =>
    `planned_segment where version_id = (select version_id from audio where id = $audio) and position = ${position}`;
  const selectFrames = (position: number) => `segment where hash = (select hash from ${selectSegment(position)})`;
  const set = (rows: string, values: string) => rows.replace(' where', ` set ${values} where`);
  const otherHeader = {
    sqlite: "cast(replace(cast(header as text), 'certificate', 'cortificate') as blob)",
    postgres: "decode(replace(encode(header, 'escape'), 'certificate', 'cortificate'), 'escape')",
  };
  const uncertified = /^its database rows changed since they were certified on /;
  const spoilt: [what: string, sql: string, problems: (string | RegExp)[]][] = [
    [
      'a byte of a frame',
      `update ${set(selectFrames(2), "frames = cast(substr(frames, 1, 500) || x'55' || substr(frames, 502) as blob)")}`,
      ['segment 2 has modified frames'],
    ],
    [
      'the end of a segment',
      `update ${set(selectFrames(1), 'frames = substr(frames, 1, length(frames) - 10)')}`,
      ['segment 1 has modified frames', /^segment 1 does not have \d+ complete MP3 frames$/],
    ],
    ['a segment that is gone', `delete from ${selectFrames(3)}`, [uncertified, 'segment 3 is missing']],
    [
      'a sentence that is gone',
      `delete from ${selectSegment(5)}`,
      [uncertified, /^segments contain \d+ characters, expected \d+$/],
    ],
    ['a span', `update ${set(selectSegment(1), 'source_end = source_end - 1')}`, [uncertified]],
    [
      'a span that is read twice',
      `update ${set(selectSegment(4), 'source_start = 4')}`,
      [uncertified, 'segment 4 overlaps the previous segment'],
    ],
    [
      'other words',
      `update ${set(selectSegment(3), "text = 'Rickets'")}`,
      [uncertified, 'the text of the segments differs from the source text'],
    ],
    ['words said otherwise', `update ${set(selectSegment(3), "spoken = 'rickets.'")}`, [uncertified]],
    ['what was left out', `update ${set(version, "left_out = '[]'")}`, [uncertified]],
    ['another voice', `update ${set(version, "provenance = replace(provenance, 'Noisy', 'Quiet')")}`, [uncertified]],
    ['what cannot be read', `update ${set(version, "provenance = '{}'")}`, ['its provenance cannot be read']],
    [
      'another certificate in the MP3',
      `update ${set(version, `header = ${isOnPostgres ? otherHeader.postgres : otherHeader.sqlite}`)}`,
      ['its MP3 header names a different certificate'],
    ],
    [
      'the length of the MP3',
      `update ${set(version, 'byte_count = byte_count + 1, duration_ms = 1')}`,
      [/^MP3 size is \d+ bytes, expected \d+$/, /^MP3 duration is \d+ ms, expected 1$/],
    ],
  ];

  test('finds no errors in an intact audio: by audio id, by post, and in all', async () => {
    expect(await findProblems(copyOf(here), record.id)).toEqual([]);
    const runCheck = (...words: string[]) => runCommand(['check', '--data', here.data, ...words]);
    const [byId, byPost] = await Promise.all([
      runCheck('--audio', `${record.id}`),
      runCheck('--post', post.post_id, '--site', '1', '--json'),
    ]);
    expect(byId).toMatchObject({ code: 0, stdout: expect.stringContaining(response.sha256) });
    expect([byPost.code, JSON.parse(byPost.stdout)]).toMatchObject([0, { ok: true }]);
  });

  test.each(spoilt)('finds %s', async (_, sql, expected) => {
    const data = copyOf(here);
    change(data, sql.replaceAll('$audio', `${record.id}`));
    const problems = (await findProblems(data, record.id)) ?? [];
    for (const problem of expected) {
      expect(problems).toContainEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
    }
    expect(problems.length).toBeGreaterThanOrEqual(expected.length);
  });

  test.each([1, 2, 3, 4, 5])(
    'reports no error for an audio that is deleted after query %i of its check',
    async (last) => {
      const data = copyOf(here);
      const deletion = [
        `delete from segment where hash in (select hash from planned_segment where version_id = $version)`,
        `update audio set version_id = null where id = ${record.id}`,
        'delete from planned_segment where version_id = $version',
        'delete from version where id = $version',
      ];
      const database = await openTestDatabase(data);
      const { version_id } = await database.read
        .selectFrom('audio')
        .select('version_id')
        .where('id', '=', record.id)
        .executeTakeFirstOrThrow();
      let count = 0;
      const pass = <Result>(result: Result): Result => {
        count += 1;
        if (count === last) for (const sql of deletion) change(data, sql.replace('$version', `${version_id}`));
        return result;
      };
      const read = database.read.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => pass(result),
      });
      // Prepared queries on SQLite do not reach the plugin.
      const { adapter } = read.getExecutor();
      if (adapter instanceof DirectSqliteAdapter) {
        const { run } = adapter;
        Object.assign(adapter, { run: (...given: Parameters<typeof run>) => pass(run(...given)) });
      }
      expect(await verifyAudio(read, new Sound(read, undefined), join(data, 'media'), record.id)).toBeUndefined();
      expect(count).toBeGreaterThan(last);
      await database.close();
    },
  );

  test('detects that a copy of an MP3 differs', async () => {
    const data = copyOf(here);
    const name = (record.audio_url ?? '').split('/').at(-1) ?? '';
    const copy = join(data, 'media', name);
    mkdirSync(join(data, 'media'));
    writeFileSync(copy, recording.mp3);
    expect(await findProblems(data, record.id)).toEqual([]);
    writeFileSync(copy, recording.mp3.with(30_000, 0x55));
    expect(await findProblems(data, record.id)).toEqual([
      `${copy} does not match the audio. Delete the file; it is created again on demand`,
    ]);
  });

  test('reports one error per line and exits with 1', async () => {
    const data = copyOf(here);
    change(data, `update ${set(selectSegment(4), 'source_start = 4')}`.replace('$audio', `${record.id}`));
    const { code, stdout } = await runCommand(['check', '--data', data, '--audios']);
    expect(code).toBe(1);
    expect(stdout).toContain(`FAIL audio     ${record.id}: segment 4 overlaps the previous segment\n`);
    expect(stdout).not.toContain(response.sha256);
    const unknown = await runCommand(['check', '--data', data, '--audio', '999', '--json']);
    expect([unknown.code, JSON.parse(unknown.stdout)]).toMatchObject([1, { ok: false }]);
  });
});
