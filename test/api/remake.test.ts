import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AudioRecord, RegeneratedAudios } from '../../src/audio/schema.ts';
import type { AffectedPosts, Pronunciation } from '../../src/pronunciations/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { listenTo, planPost, readSymbols, toSymbols } from '../fixtures/post.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { type SegmentLog, watchSegments } from '../fixtures/segment-log.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { readRows } from './stored-rows.ts';

const tones = createToneVoice({ sampleRateHz: 16_000 });
const config = tones.config ?? '';
const data = createTemporaryFolder();
let key: string;
let server: TestServer;
let users: SiteUsers;
let site: string;
let voice: number;
let log: SegmentLog;

beforeAll(async () => {
  await installVoice(data, 'en_US-tones-low', tones);
  const german = createToneVoice({ sampleRateHz: 16_000, language: 'de_DE' });
  await installVoice(data, 'de_DE-tones-low', german);
  const created = await createSite(data);
  key = created.key;
  voice = await findVoiceId(data, 'en_US-tones-low');
  server = await startTestServer({ data, key });
  users = createSiteUsers(server, created.siteId);
  site = `/v1/sites/${created.siteId}`;
  log = watchSegments(data);
});
afterAll(() => server.stop('SIGKILL'));

async function generateAndWait(postId: string, content: string): Promise<AudioRecord> {
  await server.generate({ post_id: postId, content, voice_id: voice });
  return server.waitUntilFinished(postId);
}

async function add(body: Record<string, unknown>, at = `${site}/pronunciations`) {
  const { status, data } = await users.admin.request<Pronunciation>('POST', at, body);
  expect(status).toBe(201);
  return { id: data.id, path: `${at}/${data.id}` };
}

async function previewAffected(body: Record<string, unknown>, at = `${site}/pronunciations`) {
  const { data } = await users.editor.request<AffectedPosts>('POST', `${at}/preview`, body);
  return { ...data, first: data.first.map(({ post_id }) => post_id) };
}

function regenerate(at: string, body?: unknown) {
  return users.admin.request<RegeneratedAudios>('POST', `${at}/remake`, body);
}

async function planSymbols(content: string): Promise<string> {
  const plan = await planPost({ content }, config);
  return plan.flatMap(({ ids }) => toSymbols(ids, config)).join('');
}

describe('posts affected by a word', () => {
  test('are counted as the lexicon would match, before and after an entry is saved', async () => {
    await generateAndWait('fish/1', '<p>Nobody came. Then a ﬁsh’s tail was seen by all of them.</p>');
    await generateAndWait('fish/2', '<p>The fishes were seen, and the fishmonger was seen as well.</p>');
    await generateAndWait('fish/3', '<h2>Fish</h2><nav>fish</nav><p>It was seen by all of them there.</p>');
    const word = { word: 'fish', language: 'en' };
    const touched = { posts: 2, audios: 2, outdated: 2, complete: true };
    expect(await previewAffected(word)).toEqual({ ...touched, first: ['fish/1', 'fish/3'] });
    const withCapital = { word: 'Fish', language: 'en', match_case: true };
    expect(await previewAffected(withCapital)).toMatchObject({ first: ['fish/3'] });
    expect(await previewAffected({ ...word, language: 'de' })).toMatchObject({ posts: 0, first: [] });
    // An existing longer entry takes precedence.
    const longer = await add({ word: 'fish’s tail', alias: 'end' });
    expect(await previewAffected(word)).toMatchObject({ first: ['fish/3'] });
    await users.admin.request('DELETE', longer.path);
    const saved = await add({ ...word, alias: 'bird' });
    expect(await previewAffected(word)).toEqual({ ...touched, first: ['fish/1', 'fish/3'] });
    await users.admin.request('DELETE', saved.path);
  });

  test('include waiting posts, which use the entry anyway', async () => {
    await pauseQueue(users.admin, true);
    const content = '<p>Then a walrus was seen, and <i>wal</i><b>rus</b> number two, they say.</p>';
    await server.generate({ post_id: 'waits', content, voice_id: voice });
    expect(await previewAffected({ word: 'walrus' })).toMatchObject({
      ...{ posts: 1, outdated: 0, first: ['waits'] },
    });
    expect((await server.status('waits')).status).toBe('pending');
    await pauseQueue(users.admin, false);
    await server.waitUntilFinished('waits');
  });

  test('include language spans, if they are spoken by a voice of their language', async () => {
    const reading = { foreign_passages: true };
    await users.admin.request('PATCH', site, { reading });
    const passage = '<span lang="de">Der alte Schuh stand dort.</span>';
    await generateAndWait('passage', `<p>They all said it then, one by one. ${passage} And they left.</p>`);
    await users.admin.request('PATCH', site, { reading: { foreign_passages: false } });
    await generateAndWait('plain', `<p>They all said it then, one by one. ${passage} And they left.</p>`);
    await users.admin.request('PATCH', site, { reading });
    const touched = { posts: 1, outdated: 1, first: ['passage'] };
    expect(await previewAffected({ word: 'Schuh', language: 'de' })).toMatchObject(touched);
    expect(await previewAffected({ word: 'Schuh', language: 'en' })).toMatchObject({ first: ['plain'] });
    await users.admin.request('PATCH', site, { reading: { foreign_passages: false } });
  });

  test('are available to users who may change the entry', async () => {
    const checkAccess = (at: string) =>
      collectStatuses(users, (user) => user.request('POST', `${at}/preview`, { word: 'fish' }));
    expect(await checkAccess(`${site}/pronunciations`)).toEqual([401, 404, 403, 200, 200]);
    expect(await checkAccess('/v1/pronunciations')).toEqual([401, 403, 403, 403, 200]);
  });

  test('are not searched if the phonemes are invalid', async () => {
    const body = { word: 'fish', alias: '[[ʞ]]', language: 'en' };
    const { status, errors } = await users.editor.request(
      ...(['POST', `${site}/pronunciations/preview`, body] as const),
    );
    expect(status).toBe(422);
    expect(errors?.['alias']?.[0]).toStartWith('ʞ (character 3) is not supported by');
  });
});

describe('a regenerated audio', () => {
  const first = 'Siobhan went down to the harbor this morning.';
  const second = 'The boats were late, as they often are.';
  const text = `<p>${first} ${second}</p>`;

  test('for an entry synthesizes only the sentences with its word, and stays available', async () => {
    const before = await generateAndWait('remade', text);
    await generateAndWait('untouched', `<p>${second} Nobody was there to see them come in.</p>`);
    const listQuota = () => readRows(data, 'select * from post_quota order by external_id');
    const quota = listQuota();
    const writingCount = log.listWritings().length;
    const entry = await add({ word: 'Siobhan', alias: 'Shivawn', language: 'en' });
    const response = await regenerate(entry.path);
    expect(response).toMatchObject({
      ...{ status: 202, message: 'Audio generation queued' },
      data: { audios: 1, posts: 1, voiceless: 0, complete: true },
    });
    const old = await fetch(before.audio_url ?? '');
    expect(old.status).toBe(200);
    const after = await server.waitUntilFinished('remade');
    expect(after.id).toBe(before.id);
    expect(after.audio_url).not.toBe(before.audio_url);
    const recording = await listenTo(after);
    expect(readSymbols(recording)).toBe(await planSymbols(text.replace('Siobhan', 'Shivawn')));
    expect(recording.timings.map((timing) => timing.text)).toEqual([first, second]);
    expect(log.listWritings().length - writingCount).toBe(1);
    expect(listQuota()).toEqual(quota);
    expect(readLastEntry(data, 'pronunciation.remade')).toMatchObject({ subject: 'Siobhan' });
    // No second regeneration: the audio already uses the entry.
    expect((await regenerate(entry.path)).data).toMatchObject({ audios: 0, complete: true });
    expect(await previewAffected({ word: 'Siobhan', language: 'en' })).toMatchObject({
      ...{ posts: 1, outdated: 0 },
    });
    await users.admin.request('DELETE', entry.path);
  });

  test('for recent changes contains only these, including those of the installation', async () => {
    await generateAndWait('changes/1', '<p>The otter and the beaver were seen by all of them.</p>');
    await generateAndWait('changes/2', '<p>The badger and the beaver were seen by all of them.</p>');
    await generateAndWait('changes/3', '<p>The hedgehog and the squirrel were seen by all of them.</p>');
    const entries = [
      await add({ word: 'otter', alias: 'cat' }),
      await add({ word: 'badger', alias: 'dog' }, '/v1/pronunciations'),
    ];
    const writingCount = log.listWritings().length;
    expect((await regenerate(`${site}/pronunciations`)).data).toMatchObject({ audios: 2, posts: 2 });
    const symbols = [];
    for (const post of ['changes/1', 'changes/2']) {
      symbols.push(readSymbols(await listenTo(await server.waitUntilFinished(post))));
    }
    expect(symbols).toEqual([
      await planSymbols('<p>The cat and the beaver were seen by all of them.</p>'),
      await planSymbols('<p>The dog and the beaver were seen by all of them.</p>'),
    ]);
    expect(log.listWritings().length - writingCount).toBe(2);
    expect((await regenerate('/v1/pronunciations')).data).toMatchObject({ audios: 0 });
    for (const { path } of entries) await users.admin.request('DELETE', path);
  });

  test('after a change of settings uses the stored text, per post or per site', async () => {
    const before = await generateAndWait('settings', text);
    const other = await generateAndWait('settings/other', `<p>${second} They came in at noon.</p>`);
    await runCommand(['site', 'update', '1', '--data', data, '--bit-rate', '48']);
    const roles = await collectStatuses(users, (user) => user.request('POST', `${site}/posts/settings/remake`));
    expect(roles).toEqual([401, 404, 403, 202, 202]);
    const after = await server.waitUntilFinished('settings');
    const [was, is] = await Promise.all([listenTo(before), listenTo(after)]);
    expect(is.mp3.byteLength).toBeLessThan(was.mp3.byteLength);
    expect(readSymbols(is)).toBe(readSymbols(was));
    expect((await server.status('settings/other')).audio_url).toBe(other.audio_url);
    const startedAt = new Date().toISOString();
    const { data: all } = await regenerate(`${site}/posts`, { language: 'en', made_before: startedAt });
    const posts = readRows<{ count: number }>(data, 'select count(*) as count from post');
    expect(all).toMatchObject({ posts: posts[0]?.count, complete: true, made_before: startedAt });
    expect((await server.waitUntilFinished('settings/other')).audio_url).not.toBe(other.audio_url);
    const rejection = await regenerate(`${site}/posts`, { made_before: 'soon' });
    expect(rejection).toMatchObject({ status: 422 });
    expect((await regenerate(`${site}/posts/nowhere`)).status).toBe(404);
    const inOther = await users.editor.request('POST', `${site}/posts/settings/remake?language=de`);
    expect([inOther.status, inOther.message]).toEqual([404, 'Post not found']);
  });

  test('is completed after the server is killed', async () => {
    const count = 3;
    const names = Array.from({ length: count }, (_, index) => `killed/${index}`);
    const article = (index: number) => `<p>Boat ${index} was seen. A heron was seen, too, they say.</p>`;
    for (const [index, name] of names.entries()) await generateAndWait(name, article(index));
    await add({ word: 'heron', alias: 'bird' });
    const { data: remade } = await regenerate(`${site}/pronunciations`);
    expect(remade).toMatchObject({ posts: count });
    await server.stop('SIGKILL');
    server = await startTestServer({ data, key });
    for (const [index, name] of names.entries()) {
      const recording = readSymbols(await listenTo(await server.waitUntilFinished(name)));
      expect(recording).toBe(await planSymbols(article(index).replace('heron', 'bird')));
    }
  });
});
