import { expect, test } from 'bun:test';
import { lastEntry } from '../fixtures/audit-log.ts';
import { peopleOf, statusesFor } from '../fixtures/people.ts';
import { startServerForFile } from '../fixtures/server.ts';
import { storedRows } from './stored-rows.ts';

interface Answer {
  message: string;
  data?: Record<string, unknown>;
  errors?: Record<string, string[]>;
}

const server = await startServerForFile();
const people = peopleOf(server, server.siteId);
const path = `/v1/sites/${server.siteId}/pronunciations`;

async function take(file: string, query = '', type = 'text/csv', at = path, who = people.editor) {
  const answer = await who.fetch(`${at}/import${query}`, {
    ...{ method: 'POST', headers: { 'content-type': type }, body: file },
  });
  return { status: answer.status, ...((await answer.json()) as Answer) };
}

async function give(query: string, at = path) {
  const answer = await people.viewer.fetch(`${at}/export${query}`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function words(): string[] {
  return storedRows<{ word: string; alias: string }>(
    server.data,
    'select word, alias from pronunciation where site_id = 1 order by language, word_key',
  ).map(({ word, alias }) => `${word}: ${alias}`);
}

const file = [
  'word,alias,language,match_case',
  "'=Sum,total,,false",
  'Siobhan,[[ʃɪvˈɔːn]],en,false',
  'Polish,"warm, polished",en,true',
  '',
].join('\r\n');

test('an imported file is exported unchanged, as CSV and as PLS', async () => {
  const dry = await take(file, '?dry_run=true');
  expect(dry).toMatchObject({ status: 200, data: { created: 3, changed: 0, dry_run: true } });
  expect(words()).toEqual([]);
  const done = await take(file);
  expect(done).toMatchObject({
    message: 'Pronunciations imported',
    data: { created: 3, changed: 0, unchanged: 0, deleted: 0, dry_run: false },
  });
  expect(lastEntry(server.data, 'pronunciations.imported')).toMatchObject({
    ...{ actor: people.editor.email, site_id: 1, after: { mode: 'merge', created: 3 } },
  });
  const stored = words();
  const table = await give('');
  expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(table.headers.get('content-disposition')).toContain('.csv"');
  const languages = ['', 'en'];
  const documents = await Promise.all(languages.map((language) => give(`?format=pls&language=${language}`)));
  expect(await take('word,alias\nx,y\n', '?mode=replace')).toMatchObject({
    data: { created: 1, deleted: 3 },
  });
  for (const { text } of documents) {
    expect((await take(text, '', 'application/pls+xml')).status).toBe(200);
  }
  // A document of PLS speaks of one language: entries of others are none of its business.
  const [everyLanguage] = documents;
  expect(await take(everyLanguage?.text ?? '', '?mode=replace', 'application/pls+xml')).toMatchObject({
    data: { created: 0, unchanged: 1, deleted: 1 },
  });
  await take('word,alias\nx,y\n');
  const again = await take(table.text, '?mode=replace');
  expect(again.data).toEqual({ created: 0, changed: 0, unchanged: 3, deleted: 1, dry_run: false });
  expect(words()).toEqual(stored);
  expect((await give('')).text).toBe(table.text);
});

test('a file with an error changes no entry', async () => {
  await take(file, '?mode=replace');
  const before = words();
  const wrong = await take(`${file}a,[[ʞx]],en,false\r\nb,,en,false\r\n`, '?mode=replace');
  expect(wrong).toMatchObject({ status: 422, message: 'Validation failed' });
  expect(wrong.errors).toEqual({
    'line 5': ['alias: ʞ (character 3) is not supported by Bell, Aspen, Cedar'],
    'line 6': ['alias: must be at least 1 character'],
  });
  expect(words()).toEqual(before);
});

test('a merge matches entries by word, language and capitals', async () => {
  await take(file, '?mode=replace');
  const changes = 'word,alias,language\nSIOBHAN,Shivawn,en\nsiobhan,Schiwohn,de\n=sum,total,\n';
  const merged = await take(changes);
  expect(merged.data).toMatchObject({ created: 1, changed: 2, unchanged: 0, deleted: 0 });
  expect(words()).toEqual([...['=sum: total', 'siobhan: Schiwohn', 'Polish: warm, polished', 'SIOBHAN: Shivawn']]);
});

test('editors can import files of a site, admins those of the installation; every user of a site can export', async () => {
  const one = 'word,alias\neverywhere,all\n';
  const asking = (at: string) =>
    statusesFor(people, async (who) => ({
      status: (await take(one, '', 'text/csv', at, who)).status,
    }));
  expect(await asking(path)).toEqual([401, 404, 403, 200, 200]);
  expect(await asking('/v1/pronunciations')).toEqual([401, 403, 403, 403, 200]);
  expect((await give('', '/v1/pronunciations')).text).toContain('everywhere,all,,false');
  const giving = await statusesFor(people, (who) => who.fetch(`${path}/export`));
  expect(giving).toEqual([401, 404, 200, 200, 200]);
});

test('a body without a file is rejected', async () => {
  expect(await take(file, '', 'application/json')).toMatchObject({ status: 415 });
  expect(await take(file, '?mode=append')).toMatchObject({ status: 422 });
  expect(await take('x'.repeat(2_000_001))).toMatchObject({ status: 413 });
  const many = Array.from({ length: 5_001 }, (_, index) => `word${index},alias`).join('\n');
  expect((await take(`word,alias\n${many}`)).errors).toEqual({
    'line 1': ['limit exceeded: at most 5000 entries'],
  });
  expect((await give('?format=pls')).status).toBe(422);
  const latin = await people.editor.fetch(`${path}/import`, {
    ...{ method: 'POST', headers: { 'content-type': 'text/csv' } },
    body: new Uint8Array([0x77, 0xff]),
  });
  expect(latin.status).toBe(422);
});
