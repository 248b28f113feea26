import { beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { createSite, createTemporaryFolder, runCommand } from '../fixtures/server.ts';

const data = createTemporaryFolder();
const getPath = (name: string) => join(data, name);

beforeAll(async () => {
  await createSite(data);
});

function runLexicon(...words: string[]) {
  return runCommand(['lexicon', ...words, '--data', data]);
}

async function runJson<T>(...words: string[]): Promise<T> {
  const { stdout, stderr, code } = await runLexicon(...words, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

test('entries of a site and of the installation can be added, listed, exported, imported and removed', async () => {
  const entry = await runJson<{ id: number }>(
    ...(['add', 'Siobhan', '[[ʃɪvˈɔːn]]', '--site', '1', '--language', 'en'] as const),
  );
  expect(entry).toEqual({
    ...{ id: entry.id, word: 'Siobhan', alias: '[[ʃɪvˈɔːn]]', language: 'en', match_case: false },
  });
  expect(readLastEntry(data, 'pronunciation.created')).toMatchObject({
    ...{ actor: 'command line', site_id: 1, subject: 'Siobhan' },
  });
  await runJson('add', 'NATO', 'nay toe', '--match-case');
  const all = await runLexicon('list');
  expect(all.stdout).toContain('nay toe');
  expect(all.stdout).not.toContain('Siobhan');

  const file = getPath('site.pls');
  const written = await runJson(...(['export', '--site', '1', '--language', 'en', '-o', file] as const));
  expect(written).toEqual({ file, entries: 1 });
  expect(readFileSync(file, 'utf8')).toContain('<phoneme>ʃɪvˈɔːn</phoneme>');
  // The file is for English only: NATO, for every language, remains.
  const counts = { created: 1, changed: 0, unchanged: 0, deleted: 0 };
  expect(await runJson('import', file, '--mode', 'replace')).toEqual({ ...counts, dry_run: false });
  const table = await runLexicon('export');
  expect(table.stdout).toBe('word,alias,language,match_case\r\nNATO,nay toe,,true\r\nSiobhan,[[ʃɪvˈɔːn]],en,false\r\n');

  expect(await runJson('remove', String(entry.id), '--site', '1')).toEqual({ id: entry.id });
  expect(readLastEntry(data, 'pronunciation.deleted')).toMatchObject({ subject: 'Siobhan' });
});

test('invalid input is rejected in one line', async () => {
  const rejection = await runLexicon('add', 'x', '[[ʞ]]', '--language', 'en');
  expect(rejection.code).toBe(1);
  expect(rejection.stderr).toBe(
    'lectern: Validation failed: alias: ʞ (character 3) is not supported by Aspen, Cedar\n',
  );
  writeFileSync(getPath('wrong.csv'), 'word,alias\nOslo,[[]]\n,x\n');
  const wrongLines = await runLexicon('import', getPath('wrong.csv'));
  expect(wrongLines.stderr).toBe(
    'lectern: Validation failed: line 2: alias: must contain a phoneme between [[ and ]]; line 3: word: must be at least 1 character\n',
  );
  const nowhere = await runLexicon('import', getPath('none.csv'));
  expect(nowhere.stderr).toBe(`lectern: File ${getPath('none.csv')} not found\n`);
});
