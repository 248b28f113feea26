import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { DeletedPronunciation, Pronunciation } from '../../src/pronunciations/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, planPost, readSymbols, toSymbols } from '../fixtures/post.ts';
import { watchSegments } from '../fixtures/segment-log.ts';
import { createSite, createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { Database } from '../fixtures/sqlite.ts';
import { readTones } from '../fixtures/tones.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { countRows } from './stored-rows.ts';

interface Page {
  items: Pronunciation[];
  next_cursor: string | null;
}

const tones = createToneVoice({ sampleRateHz: 16_000 });
const config = tones.config ?? '';
let server: TestServer;
let users: SiteUsers;
let path: string;
let voice: number;

beforeAll(async () => {
  const data = createTemporaryFolder();
  await writeVoice(join(data, 'voices'), 'en_US-tones-low', tones);
  const { key, siteId } = await createSite(data);
  voice = await findVoiceId(data, 'en_US-tones-low');
  server = await startTestServer({ data, key });
  users = createSiteUsers(server, siteId);
  path = `/v1/sites/${siteId}/pronunciations`;
});
afterAll(() => server.stop('SIGKILL'));

function add(body: Record<string, unknown>, at = path) {
  return users.admin.request<Pronunciation>('POST', at, body);
}

async function withEntries(entries: readonly Record<string, unknown>[], work: () => Promise<void>) {
  const additions = await Promise.all(entries.map((entry) => add(entry)));
  expect(additions.map(({ status }) => status)).toEqual(entries.map(() => 201));
  await work();
  for (const { data } of additions) await users.admin.request('DELETE', `${path}/${data.id}`);
}

async function createTestSite(): Promise<string> {
  const { siteId } = await createSite(server.data);
  return `/v1/sites/${siteId}/pronunciations`;
}

async function generate(postId: string, content: string) {
  await server.generate({ post_id: postId, content, voice_id: voice });
  return server.waitUntilFinished(postId);
}

async function planSymbols(content: string): Promise<string> {
  const plan = await planPost({ content }, config);
  return plan.flatMap(({ ids }) => toSymbols(ids, config)).join('');
}

/** @returns the symbols heard in ad-hoc synthesis of a text */
async function speakInput(input: string): Promise<string> {
  const response = await server.request('/v1/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, voice }),
  });
  expect(response.status).toBe(200);
  const { samples, sampleRateHz } = await decodeMp3(await response.bytes());
  return readTones(samples, sampleRateHz)
    .map(({ symbol }) => symbol)
    .join('');
}

describe('the lexicon of a site', () => {
  test('can be read by viewers and changed by editors', async () => {
    const { data } = await add({ word: 'roles', alias: 'parts' });
    const itemPath = `${path}/${data.id}`;
    const reading = [401, 404, 200, 200, 200];
    expect(await collectStatuses(users, (user) => user.request('GET', path))).toEqual(reading);
    expect(await collectStatuses(users, (user) => user.request('GET', itemPath))).toEqual(reading);
    const changeEntry = (user: { request(m: string, p: string, b?: unknown): Promise<{ status: number }> }) =>
      user.request('PATCH', itemPath, { alias: 'pieces' });
    expect(await collectStatuses(users, changeEntry)).toEqual([401, 404, 403, 200, 200]);
    let count = 0;
    const posted = await collectStatuses(users, (user) => {
      count += 1;
      return user.request('POST', path, { word: `roles ${count}`, alias: 'parts' });
    });
    expect(posted).toEqual([401, 404, 403, 201, 201]);
    expect(await collectStatuses(users, (user) => user.request('DELETE', itemPath))).toEqual([
      ...[401, 404, 403, 200, 404],
    ]);
  });

  test('stores words in composed form, and languages by their primary code', async () => {
    const response = await add({ word: ' Zoe\u0308  Ball ', alias: ' Zo ', language: 'en-US' });
    expect(response.data).toMatchObject({
      ...{ word: 'Zo\u00eb Ball', alias: 'Zo', language: 'en', match_case: false },
    });
    expect(response.headers.get('location')).toBe(`${server.url}${path}/${response.data.id}`);
    const readResponse = await users.viewer.request<Pronunciation>('GET', `${path}/${response.data.id}`);
    expect(response.data).toEqual({ ...readResponse.data, regenerated: null } as Pronunciation);
    await users.admin.request('DELETE', `${path}/${response.data.id}`);
  });

  test.each([
    [{}, { word: ['is required'], alias: ['is required'] }],
    [{ word: 'a', alias: '' }, { alias: ['must be at least 1 character'] }],
    [{ word: '  ', alias: 'a' }, { word: ['must not be blank'] }],
    [{ word: 'a', alias: '…' }, { alias: ['must contain a letter or a digit'] }],
    [{ word: 'a\u0007', alias: 'b' }, { word: ['must not contain control characters'] }],
    [{ word: 'a', alias: 'b\nc' }, { alias: ['must not contain control characters'] }],
    [{ word: 'a', alias: '\u202eb' }, { alias: ['must not contain control characters'] }],
    [{ word: '\u0301a', alias: 'b' }, { word: ['must not start with a combining mark'] }],
    [{ word: '🦊'.repeat(101), alias: 'b' }, { word: ['must be at most 100 characters'] }],
    [{ word: 'a', alias: 'b'.repeat(201) }, { alias: ['must be at most 200 characters'] }],
    [
      { word: 'a', alias: 'b', language: 'english!' },
      { language: ['must be a language code such as en, or empty for all languages'] },
    ],
    [{ word: 'a', alias: 'b', match_case: 'no' }, { match_case: ['must be true or false'] }],
    [{ word: 'a', alias: 'b [[c' }, { alias: ['must have balanced [[ and ]] around phonemes'] }],
    [{ word: 'a', alias: '[[a [[b]]]]' }, { alias: ['must have balanced [[ and ]] around phonemes'] }],
    [{ word: 'a', alias: 'b [[ˈː ]]' }, { alias: ['must contain a phoneme between [[ and ]]'] }],
    [
      { word: 'a', alias: 'two [[ˈʞaʞ]]', language: 'en' },
      { alias: ['ʞ (character 8) is not supported by Aspen, Cedar, Tones'] },
    ],
    [
      { word: 'a', alias: '[[a]]', language: 'fi' },
      { alias: ['contains phonemes, but no voice that is enabled speaks fi'] },
    ],
  ])('refuses %j', async (body, errors) => {
    expect(await add(body)).toMatchObject({ status: 422, message: 'Validation failed', errors });
  });

  test('has a word once per language, in any case unless case counts', async () => {
    const at = await createTestSite();
    const { data } = await add({ word: 'Straße', alias: 'a' }, at);
    const again = await add({ word: 'STRASSE', alias: 'b' }, at);
    expect(again).toMatchObject({
      ...{ status: 409, errors: { word: [`STRASSE already exists as pronunciation ${data.id}`] } },
    });
    const others = [
      { word: 'straße', alias: 'b', language: 'de' },
      { word: 'straße', alias: 'b', match_case: true },
      { word: 'Straße', alias: 'b', match_case: true },
    ];
    for (const body of others) expect((await add(body, at)).status).toBe(201);
    const { data: other } = await add({ word: 'Weg', alias: 'c' }, at);
    const renamed = await users.admin.request('PATCH', `${at}/${other.id}`, { word: 'strasse' });
    expect(renamed.status).toBe(409);
    const same = await users.admin.request('PATCH', `${at}/${data.id}`, { word: 'STRASSE' });
    expect(same.status).toBe(200);
  });

  test('can be listed in pages, searched, and filtered by language', async () => {
    const at = await createTestSite();
    for (const [word, language] of [
      ['Élan', 'fr'],
      ['100%_sure', ''],
      ['Gouda', 'en'],
    ]) {
      await add({ word, alias: `${word} said`, language }, at);
    }
    const request = async (query: string) => (await users.admin.request<Page>('GET', `${at}${query}`)).data;
    const listWords = ({ items }: Page) => items.map(({ word }) => word);
    const first = await request('?limit=2');
    const second = await request(`?limit=2&cursor=${first.next_cursor}`);
    expect([...listWords(first), ...listWords(second)]).toEqual(['Élan', '100%_sure', 'Gouda']);
    expect(second.next_cursor).toBeNull();
    expect(listWords(await request('?q=e%CC%81LAN'))).toEqual(['Élan']);
    expect(listWords(await request('?q=%25_'))).toEqual(['100%_sure']);
    expect(listWords(await request('?language=en-GB'))).toEqual(['Gouda']);
    expect(listWords(await request('?language='))).toEqual(['100%_sure']);
    const rejection = await users.admin.request('GET', `${at}?language=%21`);
    expect(rejection.status).toBe(422);
  });

  test('belongs to one site', async () => {
    const at = await createTestSite();
    const { data } = await add({ word: 'own', alias: 'mine' });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { alias: 'x' } : undefined;
      expect((await users.admin.request(method, `${at}/${data.id}`, body)).status).toBe(404);
    }
    expect((await users.admin.request('GET', `${path}/nonsense`)).status).toBe(404);
    await users.admin.request('DELETE', `${path}/${data.id}`);
  });

  test('is listed for 30 days after its deletion, unless the word exists again', async () => {
    const [at, other] = [await createTestSite(), await createTestSite()];
    const listDeleted = async (user = users.admin, from = at) =>
      (await user.request<{ items: DeletedPronunciation[] }>('GET', `${from}/deleted`)).data?.items;
    const remove = async (word: string, alias: string) => {
      const { data } = await add({ word, alias, language: 'en' }, at);
      await users.admin.request('DELETE', `${at}/${data.id}`);
    };
    await remove('Gouda', 'HOW-da');
    await remove('Edam', 'AY-dam');
    await remove('Gouda', 'KHOW-da');
    const deleted_at = expect.any(String);
    const [gouda, edam] = [
      { language: 'en', word: 'Gouda', alias: 'KHOW-da', match_case: false, deleted_at },
      { language: 'en', word: 'Edam', alias: 'AY-dam', match_case: false, deleted_at },
    ];
    expect(await listDeleted()).toEqual([gouda, edam]);
    expect(await listDeleted(users.admin, other)).toEqual([]);
    expect(JSON.stringify(await listDeleted(users.admin, '/v1/pronunciations'))).not.toContain('Gouda');
    expect((await users.outsider.request('GET', `${at}/deleted`)).status).toBe(404);
    await add({ word: 'gouda', alias: 'GOW-da', language: 'en' }, at);
    expect(await listDeleted()).toEqual([edam]);
    const database = new Database(join(server.data, 'lectern.db'));
    const before = new Date(Date.now() - 31 * 86_400_000).toISOString();
    database.run(`update audit_entry set at = ? where subject = 'Edam'`, [before]);
    database.close();
    expect(await listDeleted()).toEqual([]);
  });

  test('has each change in the audit log', async () => {
    const { data } = await add({ word: 'Audited', alias: 'one' });
    const was = { language: '', word: 'Audited', alias: 'one', match_case: false };
    expect(readLastEntry(server.data, 'pronunciation.created')).toMatchObject({
      ...{ actor: users.admin.email, subject: 'Audited', before: null, after: was },
    });
    await users.admin.request('PATCH', `${path}/${data.id}`, { alias: 'two' });
    expect(readLastEntry(server.data, 'pronunciation.changed')).toMatchObject({
      ...{ before: was, after: { ...was, alias: 'two' } },
    });
    const changed = (await users.admin.request<Pronunciation>('GET', `${path}/${data.id}`)).data;
    for (const same of [{}, { alias: 'two' }]) {
      const response = await users.admin.request('PATCH', `${path}/${data.id}`, same);
      expect(response.data).toEqual({ ...changed, regenerated: null });
    }
    await users.admin.request('DELETE', `${path}/${data.id}`);
    expect(readLastEntry(server.data, 'pronunciation.deleted')).toMatchObject({
      ...{ before: { ...was, alias: 'two' }, after: null },
    });
  });
});

describe('an alias', () => {
  const first = 'Siobhan went down to the harbor this morning.';
  const second = 'The boats were late, as they often are.';

  test('is spoken instead of its word, which the timings still contain', async () => {
    await withEntries([{ word: 'siobhan', alias: 'Shivawn', language: 'en' }], async () => {
      const recording = await listenTo(await generate('heard', `${first} ${second}`));
      const spoken = `${first.replace('Siobhan', 'Shivawn')} ${second}`;
      expect(readSymbols(recording)).toBe(await planSymbols(spoken));
      expect(readSymbols(recording)).not.toBe(await planSymbols(`${first} ${second}`));
      expect(recording.timings.map(({ text }) => text)).toEqual([first, second]);
    });
  });

  test('that is new changes no existing audio; a correction synthesizes only its sentences again', async () => {
    const before = `<p>Yesterday ${first} ${second}</p>`;
    const ready = await generate('corrected', before);
    const log = watchSegments(server.data);
    await withEntries([{ word: 'Siobhan', alias: 'Shivawn' }], async () => {
      const rows = countRows(server.data);
      expect(await generate('corrected', before)).toEqual(ready);
      expect(countRows(server.data)).toEqual(rows);
      const writingCount = log.listWritings().length;
      // A separate paragraph, as the pause after a sentence is part of its segment.
      const added = '<p>And so it ended.</p>';
      const recording = await listenTo(await generate('corrected', `${before} ${added}`));
      expect(log.listWritings().length - writingCount).toBe(2);
      const spoken = before.replace('Siobhan', 'Shivawn');
      expect(readSymbols(recording)).toBe(await planSymbols(`${spoken} ${added}`));
    });
  });

  test.each<[string, Record<string, unknown>[], string, string]>([
    ['whole words', [{ word: 'can', alias: 'dog' }], "Candle, can't, can.", "Candle, can't, dog."],
    ['possessives', [{ word: 'Nike', alias: 'nykey' }], 'See Nike’s new shoe.', 'See nykey’s new shoe.'],
    [
      'the longest',
      [
        { word: 'York', alias: 'pork' },
        { word: 'new york', alias: 'the apple' },
      ],
      'New York and York.',
      'the apple and pork.',
    ],
    ['no alias again', [{ word: 'sea', alias: 'the sea sea' }], 'By sea.', 'By the sea sea.'],
    ['signs', [{ word: 'C++ (.*)', alias: 'see plus' }], 'Use C++ (.*) now.', 'Use see plus now.'],
    ['markup', [{ word: 'bold', alias: '<b>big</b> one' }], 'Be bold.', 'Be &lt;b&gt;big&lt;/b&gt; one.'],
    ['emoji', [{ word: '🦊', alias: 'fox' }], 'A 🦊 ran by.', 'A fox ran by.'],
    ['no part of an emoji', [{ word: '🚀', alias: 'rocket' }], 'A 👩\u200d🚀 has a 🚀.', 'A 👩\u200d🚀 has a rocket.'],
    ['accents', [{ word: 'Zoe\u0308', alias: 'Bob' }], 'Then ZO\u00cb came.', 'Then Bob came.'],
    ['right to left', [{ word: 'שלום', alias: 'peace' }], 'He said שלום twice.', 'He said peace twice.'],
    ['capitals', [{ word: 'Polish', alias: 'warm', match_case: true }], 'Polish or polish.', 'warm or polish.'],
    [
      'the language',
      [
        { word: 'bread', alias: 'stone', language: 'de' },
        { word: 'wine', alias: 'water', language: 'en' },
        { word: 'wine', alias: 'oil' },
      ],
      'Some bread and wine.',
      'Some bread and water.',
    ],
  ])('is said at once, too: %s', async (_, entries, text, spoken) => {
    await withEntries(entries, async () => {
      expect(await speakInput(text)).toBe(await planSymbols(spoken));
    });
  });
});

describe('phonemes', () => {
  test('of a word are spoken unchanged within its sentence', async () => {
    const alias = '[[ʃɪvˈɔːn]]';
    await withEntries([{ word: 'Siobhan', alias, language: 'en' }], async () => {
      const text = 'Then Siobhan’s boat went down to the harbor, late as it was.';
      const recording = await listenTo(await generate('phonemes', text));
      expect(recording.timings.map((timing) => timing.text)).toEqual([text]);
      const around = await planSymbols(text.replace('Siobhan', 'Bob'));
      expect(readSymbols(recording)).toBe(around.replace('bˈɑːb', 'ʃɪvˈɔːn'));
    });
  });

  test('in an article are text', async () => {
    const text = 'They wrote [[ʃɪvˈɔːn]] on the boat.';
    expect(await speakInput(text)).toBe(await planSymbols(text));
    expect(await speakInput(text)).not.toContain('ʃɪvˈɔːn');
  });

  test('that only another voice lacks are accepted with a warning', async () => {
    const { phoneme_id_map: map, ...rest } = JSON.parse(config);
    const poorer = { ...rest, language: { code: 'de_DE' }, espeak: { voice: 'de' } };
    const { ʃ, ...known } = map;
    const voices = join(server.data, 'voices');
    await writeVoice(voices, 'de_DE-whole-low', {
      ...tones,
      config: JSON.stringify({ ...poorer, phoneme_id_map: map }),
    });
    await findVoiceId(server.data, 'de_DE-whole-low');
    await writeVoice(voices, 'de_DE-poor-low', {
      ...tones,
      config: JSON.stringify({ ...poorer, phoneme_id_map: known }),
    });
    const lacking = await findVoiceId(server.data, 'de_DE-poor-low');
    const entry = { word: 'Schuh', alias: '[[ʃuː]]', language: 'de' };
    const readVoices = async () => JSON.stringify(await users.admin.request('GET', '/v1/voices'));
    await eventually(async () => (await readVoices()).includes(`"id":${lacking},`), 'both exist');
    const response = await add(entry);
    expect(response).toMatchObject({
      status: 201,
      data: { lacking: [{ voice_id: lacking, symbols: ['ʃ'] }] },
    });
    await users.admin.request('DELETE', `${path}/${response.data.id}`);
  });
});

describe('the lexicon of the installation', () => {
  const all = '/v1/pronunciations';

  test('can be read by every user and changed by admins', async () => {
    expect(await collectStatuses(users, (user) => user.request('GET', all))).toEqual([401, 200, 200, 200, 200]);
    let count = 0;
    const response = await collectStatuses(users, (user) => {
      count += 1;
      return user.request('POST', all, { word: `everywhere ${count}`, alias: 'all' });
    });
    expect(response).toEqual([401, 403, 403, 403, 201]);
    const { data } = await users.admin.request<Page>('GET', all);
    const itemPath = `${all}/${data.items[0]?.id}`;
    expect((await users.editor.request('PATCH', itemPath, { alias: 'no' })).status).toBe(403);
    expect((await users.admin.request('PATCH', itemPath, { alias: 'every' })).status).toBe(200);
    expect(readLastEntry(server.data, 'pronunciation.changed')).toMatchObject({
      ...{ site_id: null, after: { alias: 'every' } },
    });
    expect((await users.admin.request('GET', `${path}/${data.items[0]?.id}`)).status).toBe(404);
    expect((await users.admin.request('DELETE', itemPath)).status).toBe(200);
  });

  test('applies to every site, after entries of the site', async () => {
    const everywhere: Record<string, string | boolean>[] = [
      { word: 'sea', alias: 'one' },
      { word: 'lake', alias: 'one', language: 'en' },
      { word: 'pond', alias: 'one', language: 'en' },
      { word: 'Brook', alias: 'one', match_case: true },
    ];
    const entries = await Promise.all(everywhere.map((entry) => add(entry, all)));
    const siteEntries = [
      { word: 'lake', alias: 'two' },
      { word: 'pond', alias: 'two' },
      { word: 'pond', alias: 'three', language: 'en' },
      { word: 'brook', alias: 'two' },
    ];
    await withEntries(siteEntries, async () => {
      const symbols = await speakInput('By sea, lake, pond and Brook.');
      expect(symbols).toBe(await planSymbols('By one, two, three and two.'));
    });
    for (const { data } of entries) await users.admin.request('DELETE', `${all}/${data.id}`);
  });
});
