import { expect, test } from 'bun:test';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { startServerForFile } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers } from '../fixtures/site-users.ts';
import { readRows } from './stored-rows.ts';

interface ImportResponse {
  message: string;
  data?: Record<string, unknown>;
  errors?: Record<string, string[]>;
}

const server = await startServerForFile();
const users = createSiteUsers(server, server.siteId);
const path = `/v1/sites/${server.siteId}/pronunciations`;

async function importFile(file: string, query = '', type = 'text/csv', at = path, who = users.editor) {
  const response = await who.fetch(`${at}/import${query}`, {
    ...{ method: 'POST', headers: { 'content-type': type }, body: file },
  });
  return { status: response.status, ...((await response.json()) as ImportResponse) };
}

async function exportFile(query: string, at = path) {
  const response = await users.viewer.fetch(`${at}/export${query}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function listWords(): string[] {
  return readRows<{ word: string; alias: string }>(
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
  const dry = await importFile(file, '?dry_run=true');
  expect(dry).toMatchObject({ status: 200, data: { created: 3, changed: 0, dry_run: true } });
  expect(listWords()).toEqual([]);
  const result = await importFile(file);
  expect(result).toMatchObject({
    message: 'Pronunciations imported',
    data: { created: 3, changed: 0, unchanged: 0, deleted: 0, dry_run: false },
  });
  expect(readLastEntry(server.data, 'pronunciations.imported')).toMatchObject({
    ...{ actor: users.editor.email, site_id: 1, after: { mode: 'merge', created: 3 } },
  });
  const stored = listWords();
  const table = await exportFile('');
  expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(table.headers.get('content-disposition')).toContain('.csv"');
  const languages = ['', 'en'];
  const documents = await Promise.all(languages.map((language) => exportFile(`?format=pls&language=${language}`)));
  expect(await importFile('word,alias\nx,y\n', '?mode=replace')).toMatchObject({
    data: { created: 1, deleted: 3 },
  });
  for (const { text } of documents) {
    expect((await importFile(text, '', 'application/pls+xml')).status).toBe(200);
  }
  // A PLS document has one language and does not affect entries of others.
  const [everyLanguage] = documents;
  expect(await importFile(everyLanguage?.text ?? '', '?mode=replace', 'application/pls+xml')).toMatchObject({
    data: { created: 0, unchanged: 1, deleted: 1 },
  });
  await importFile('word,alias\nx,y\n');
  const again = await importFile(table.text, '?mode=replace');
  expect(again.data).toEqual({ created: 0, changed: 0, unchanged: 3, deleted: 1, dry_run: false });
  expect(listWords()).toEqual(stored);
  expect((await exportFile('')).text).toBe(table.text);
});

test('a file with an error changes no entry', async () => {
  await importFile(file, '?mode=replace');
  const before = listWords();
  const rejection = await importFile(`${file}a,[[ʞx]],en,false\r\nb,,en,false\r\n`, '?mode=replace');
  expect(rejection).toMatchObject({ status: 422, message: 'Validation failed' });
  expect(rejection.errors).toEqual({
    'line 5': ['alias: ʞ (character 3) is not supported by Bell, Aspen, Cedar'],
    'line 6': ['alias: must be at least 1 character'],
  });
  expect(listWords()).toEqual(before);
});

test('a merge matches entries by word, language and capitals', async () => {
  await importFile(file, '?mode=replace');
  const changes = 'word,alias,language\nSIOBHAN,Shivawn,en\nsiobhan,Schiwohn,de\n=sum,total,\n';
  const merged = await importFile(changes);
  expect(merged.data).toMatchObject({ created: 1, changed: 2, unchanged: 0, deleted: 0 });
  expect(listWords()).toEqual([...['=sum: total', 'siobhan: Schiwohn', 'Polish: warm, polished', 'SIOBHAN: Shivawn']]);
});

test('editors can import files of a site, admins those of the installation; every user of a site can export', async () => {
  const file = 'word,alias\neverywhere,all\n';
  const checkAccess = (at: string) =>
    collectStatuses(users, async (who) => ({
      status: (await importFile(file, '', 'text/csv', at, who)).status,
    }));
  expect(await checkAccess(path)).toEqual([401, 404, 403, 200, 200]);
  expect(await checkAccess('/v1/pronunciations')).toEqual([401, 403, 403, 403, 200]);
  expect((await exportFile('', '/v1/pronunciations')).text).toContain('everywhere,all,,false');
  const giving = await collectStatuses(users, (who) => who.fetch(`${path}/export`));
  expect(giving).toEqual([401, 404, 200, 200, 200]);
});

test('a body without a file is rejected', async () => {
  expect(await importFile(file, '', 'application/json')).toMatchObject({ status: 415 });
  expect(await importFile(file, '?mode=append')).toMatchObject({ status: 422 });
  expect(await importFile('x'.repeat(2_000_001))).toMatchObject({ status: 413 });
  const many = Array.from({ length: 5_001 }, (_, index) => `word${index},alias`).join('\n');
  expect((await importFile(`word,alias\n${many}`)).errors).toEqual({
    'line 1': ['limit exceeded: at most 5000 entries'],
  });
  expect((await exportFile('?format=pls')).status).toBe(422);
  const latin = await users.editor.fetch(`${path}/import`, {
    ...{ method: 'POST', headers: { 'content-type': 'text/csv' } },
    body: new Uint8Array([0x77, 0xff]),
  });
  expect(latin.status).toBe(422);
});
