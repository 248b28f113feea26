import { expect, test } from 'bun:test';
import type { Preview } from '../../src/audio/ad-hoc/preview-routes.ts';
import type { Pronunciation } from '../../src/pronunciations/schema.ts';
import type { UnknownWord } from '../../src/pronunciations/unknown-words.ts';
import type { Overview } from '../../src/system/overview-schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { peopleOf, statusesFor } from '../fixtures/people.ts';
import { startServerForFile } from '../fixtures/server.ts';
import { storedRows } from './stored-rows.ts';

const server = await startServerForFile();
const people = peopleOf(server, server.siteId);
const path = `/v1/sites/${server.siteId}/unknown-words`;
await make('one', 'Noon boat', 'The boat to Plurmwick left at noon. Nobody in Plurmwick saw it.');
await make('two', undefined, 'She has lived in Plurmwick and in Snodsbury since the spring.');

async function make(postId: string, title: string | undefined, content: string): Promise<void> {
  await server.generate({ post_id: postId, post_title: title, content: `<p>${content}</p>` });
  expect(await server.waitUntilFinished(postId)).toMatchObject({ status: 'ready' });
}

async function wordsOf(query = ''): Promise<UnknownWord[]> {
  const { status, data } = await people.viewer.request<{ items: UnknownWord[] }>('GET', path + query);
  expect(status).toBe(200);
  return data.items;
}

const namesOf = (words: UnknownWord[]) => words.map(({ word }) => word);
const accept = (body: object) => people.editor.request('POST', `${path}/accept`, body);

async function newNames() {
  const { data } = await people.editor.request<Overview>('GET', `/v1/sites/${server.siteId}/overview`);
  return data.needs.find(({ kind }) => kind === 'new_names');
}

test('unknown words are listed with their posts, most frequent first', async () => {
  expect(await wordsOf()).toEqual([
    {
      ...{ word: 'Plurmwick', language: 'en', count: 3, since: expect.any(String) },
      ...{ posts: ['two', 'one'], post_titles: [null, 'Noon boat'] },
    },
    {
      ...{ word: 'Snodsbury', language: 'en', count: 1, since: expect.any(String) },
      ...{ posts: ['two'], post_titles: [null] },
    },
  ]);
  expect(await newNames()).toMatchObject({ count: 2, details: ['Plurmwick', 'Snodsbury'], since: expect.any(String) });
  const { data } = await people.viewer.request<Overview>('GET', `/v1/sites/${server.siteId}/overview`);
  expect(data.needs).toEqual([]);
  expect(await statusesFor(people, (user) => user.request('GET', path))).toEqual([401, 404, 200, 200, 200]);
  expect((await people.viewer.request('GET', `${path}?days=0`)).status).toBe(422);
});

test('an accepted word is not listed until the acceptance is withdrawn', async () => {
  expect((await accept({ word: 'Snodsbury' })).data).toEqual({ word: 'Snodsbury', accepted: true });
  expect((await accept({ word: 'Snodsbury' })).status).toBe(200);
  expect(namesOf(await wordsOf())).toEqual(['Plurmwick']);
  expect((await accept({ word: 'Snodsbury', accepted: false })).data).toEqual({ word: 'Snodsbury', accepted: false });
  expect(namesOf(await wordsOf())).toEqual(['Plurmwick', 'Snodsbury']);
  const actions = `select action, subject from audit_entry where action like 'word.%' order by id`;
  expect(storedRows(server.data, actions)).toEqual([
    { action: 'word.accepted', subject: 'Snodsbury' },
    { action: 'word.acceptance_withdrawn', subject: 'Snodsbury' },
  ]);
  const words = { word: 'Snodsbury', accepted: false };
  expect(await statusesFor(people, (user) => user.request('POST', `${path}/accept`, words))).toEqual([
    ...[401, 404, 403, 200, 200],
  ]);
});

test('an accepted word is not unknown in previews', async () => {
  const previewed = async () => {
    const content = 'The ferry to Lympstone leaves soon.';
    const path = `/v1/speech/preview?site=${server.siteId}`;
    return (await people.editor.request<Preview>('POST', path, { content })).data.unknown_words.map(({ word }) => word);
  };
  expect(await previewed()).toEqual(['Lympstone']);
  await accept({ word: 'Lympstone' });
  expect(await previewed()).toEqual([]);
  await accept({ word: 'Lympstone', accepted: false });
  expect(await previewed()).toEqual(['Lympstone']);
});

test('a word with an entry is not listed; the request that saves it can regenerate posts', async () => {
  const entries = `/v1/sites/${server.siteId}/pronunciations`;
  const entry = { word: 'Plurmwick', alias: 'KWEM-lor', language: 'en' };
  const refused = await people.editor.request('POST', entries, { ...entry, regenerate_posts: ['one', 'none'] });
  expect([refused.status, refused.errors]).toEqual([422, { regenerate_posts: ['post none not found'] }]);
  expect(namesOf(await wordsOf())).toContain('Plurmwick');

  const before = await server.waitUntilFinished('one');
  const saved = await people.editor.request<Pronunciation & { regenerated: unknown }>('POST', entries, {
    ...{ ...entry, regenerate_posts: ['one'] },
  });
  expect([saved.status, saved.data.regenerated]).toEqual([201, { audios: 1, posts: 1, voiceless: 0, complete: true }]);
  const after = await eventually(async () => {
    const audio = await server.waitUntilFinished('one');
    return audio.audio_url !== before.audio_url && audio;
  }, 'another MP3');
  expect(after.status).toBe('ready');
  expect(namesOf(await wordsOf())).toEqual(['Snodsbury']);

  const changed = await people.editor.request<{ regenerated: unknown }>('PATCH', `${entries}/${saved.data.id}`, {
    alias: 'kwem-LOR',
  });
  expect(changed.data.regenerated).toBeNull();
  const again = await people.editor.request<{ regenerated: { posts: number } }>(
    'PATCH',
    `${entries}/${saved.data.id}`,
    {
      ...{ alias: 'KWEM-lor', regenerate_posts: ['one', 'two'] },
    },
  );
  expect(again.data.regenerated.posts).toBe(2);
  const everywhere = await people.admin.request('POST', '/v1/pronunciations', { ...entry, regenerate_posts: ['one'] });
  expect([everywhere.status, everywhere.errors]).toEqual([
    422,
    { regenerate_posts: ['is only for the entries of a site'] },
  ]);
  expect((await people.viewer.request('POST', entries, { ...entry, regenerate_posts: ['one'] })).status).toBe(403);
});

test('only words of recent days are listed', async () => {
  await server.waitUntilFinished('two');
  const ready = new Date(Date.now() - 8 * 86_400_000).toISOString();
  changeRows(server.data, 'update version set ready_at = ?', ready);
  expect(await wordsOf()).toEqual([]);
  expect(namesOf(await wordsOf('?days=9'))).toEqual(['Snodsbury']);
});
