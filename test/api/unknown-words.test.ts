import { expect, test } from 'bun:test';
import type { Preview } from '../../src/audio/ad-hoc/preview-routes.ts';
import type { Pronunciation } from '../../src/pronunciations/schema.ts';
import type { UnknownWord } from '../../src/pronunciations/unknown-words.ts';
import type { Overview } from '../../src/system/schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startServerForFile } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers } from '../fixtures/site-users.ts';
import { readRows } from './stored-rows.ts';

const server = await startServerForFile();
const users = createSiteUsers(server, server.siteId);
const path = `/v1/sites/${server.siteId}/unknown-words`;
await make('one', 'Noon boat', 'The boat to Plurmwick left at noon. Nobody in Plurmwick saw it.');
await make('two', undefined, 'She has lived in Plurmwick and in Snodsbury since the spring.');

async function make(postId: string, title: string | undefined, content: string): Promise<void> {
  await server.generate({ post_id: postId, post_title: title, content: `<p>${content}</p>` });
  expect(await server.waitUntilFinished(postId)).toMatchObject({ status: 'ready' });
}

async function listUnknownWords(query = ''): Promise<UnknownWord[]> {
  const { status, data } = await users.viewer.request<{ items: UnknownWord[] }>('GET', path + query);
  expect(status).toBe(200);
  return data.items;
}

const getNames = (words: UnknownWord[]) => words.map(({ word }) => word);
const accept = (body: object) => users.editor.request('POST', `${path}/accept`, body);

async function getNewNames() {
  const { data } = await users.editor.request<Overview>('GET', `/v1/sites/${server.siteId}/overview`);
  return data.needs.find(({ kind }) => kind === 'new_names');
}

test('unknown words are listed with their posts, most frequent first', async () => {
  expect(await listUnknownWords()).toEqual([
    {
      ...{ word: 'Plurmwick', language: 'en', count: 3, since: expect.any(String) },
      ...{ posts: ['two', 'one'], post_titles: [null, 'Noon boat'] },
    },
    {
      ...{ word: 'Snodsbury', language: 'en', count: 1, since: expect.any(String) },
      ...{ posts: ['two'], post_titles: [null] },
    },
  ]);
  expect(await getNewNames()).toMatchObject({
    count: 2,
    details: ['Plurmwick', 'Snodsbury'],
    since: expect.any(String),
  });
  const { data } = await users.viewer.request<Overview>('GET', `/v1/sites/${server.siteId}/overview`);
  expect(data.needs).toEqual([]);
  expect(await collectStatuses(users, (user) => user.request('GET', path))).toEqual([401, 404, 200, 200, 200]);
  expect((await users.viewer.request('GET', `${path}?days=0`)).status).toBe(422);
});

test('an accepted word is not listed until the acceptance is withdrawn', async () => {
  expect((await accept({ word: 'Snodsbury' })).data).toEqual({ word: 'Snodsbury', accepted: true });
  expect((await accept({ word: 'Snodsbury' })).status).toBe(200);
  expect(getNames(await listUnknownWords())).toEqual(['Plurmwick']);
  expect((await accept({ word: 'Snodsbury', accepted: false })).data).toEqual({ word: 'Snodsbury', accepted: false });
  expect(getNames(await listUnknownWords())).toEqual(['Plurmwick', 'Snodsbury']);
  const actions = `select action, subject from audit_entry where action like 'word.%' order by id`;
  expect(readRows(server.data, actions)).toEqual([
    { action: 'word.accepted', subject: 'Snodsbury' },
    { action: 'word.acceptance_withdrawn', subject: 'Snodsbury' },
  ]);
  const words = { word: 'Snodsbury', accepted: false };
  expect(await collectStatuses(users, (user) => user.request('POST', `${path}/accept`, words))).toEqual([
    ...[401, 404, 403, 200, 200],
  ]);
});

test('an accepted word is not unknown in previews', async () => {
  const previewUnknownWords = async () => {
    const content = 'The ferry to Lympstone leaves soon.';
    const path = `/v1/speech/preview?site=${server.siteId}`;
    return (await users.editor.request<Preview>('POST', path, { content })).data.unknown_words.map(({ word }) => word);
  };
  expect(await previewUnknownWords()).toEqual(['Lympstone']);
  await accept({ word: 'Lympstone' });
  expect(await previewUnknownWords()).toEqual([]);
  await accept({ word: 'Lympstone', accepted: false });
  expect(await previewUnknownWords()).toEqual(['Lympstone']);
});

test('a word with an entry is not listed; the request that saves it can regenerate posts', async () => {
  const entries = `/v1/sites/${server.siteId}/pronunciations`;
  const entry = { word: 'Plurmwick', alias: 'KWEM-lor', language: 'en' };
  const refused = await users.editor.request('POST', entries, { ...entry, regenerate_posts: ['one', 'none'] });
  expect([refused.status, refused.errors]).toEqual([422, { regenerate_posts: ['post none not found'] }]);
  expect(getNames(await listUnknownWords())).toContain('Plurmwick');

  const before = await server.waitUntilFinished('one');
  const saved = await users.editor.request<Pronunciation & { regenerated: unknown }>('POST', entries, {
    ...{ ...entry, regenerate_posts: ['one'] },
  });
  expect([saved.status, saved.data.regenerated]).toEqual([201, { audios: 1, posts: 1, voiceless: 0, complete: true }]);
  const after = await eventually(async () => {
    const audio = await server.waitUntilFinished('one');
    return audio.audio_url !== before.audio_url && audio;
  }, 'another MP3');
  expect(after.status).toBe('ready');
  expect(getNames(await listUnknownWords())).toEqual(['Snodsbury']);

  const changed = await users.editor.request<{ regenerated: unknown }>('PATCH', `${entries}/${saved.data.id}`, {
    alias: 'kwem-LOR',
  });
  expect(changed.data.regenerated).toBeNull();
  const again = await users.editor.request<{ regenerated: { posts: number } }>('PATCH', `${entries}/${saved.data.id}`, {
    ...{ alias: 'KWEM-lor', regenerate_posts: ['one', 'two'] },
  });
  expect(again.data.regenerated.posts).toBe(2);
  const everywhere = await users.admin.request('POST', '/v1/pronunciations', { ...entry, regenerate_posts: ['one'] });
  expect([everywhere.status, everywhere.errors]).toEqual([
    422,
    { regenerate_posts: ['is only for the entries of a site'] },
  ]);
  expect((await users.viewer.request('POST', entries, { ...entry, regenerate_posts: ['one'] })).status).toBe(403);
});

test('only words of recent days are listed', async () => {
  await server.waitUntilFinished('two');
  const ready = new Date(Date.now() - 8 * 86_400_000).toISOString();
  changeRows(server.data, 'update version set ready_at = ?', ready);
  expect(await listUnknownWords()).toEqual([]);
  expect(getNames(await listUnknownWords('?days=9'))).toEqual(['Snodsbury']);
});
