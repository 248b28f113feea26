import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOnPostgres } from '../fixtures/database.ts';
import { createSite, createTemporaryFolder, runProcess } from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';

function serve(data: string) {
  return runProcess(['serve', '--data', data, '--port', '0']);
}

async function createUsedFolder(): Promise<string> {
  const data = createTemporaryFolder();
  await createSite(data);
  const database = new Database(join(data, 'lectern.db'));
  database.run('pragma wal_checkpoint(truncate)');
  database.close();
  return data;
}

// Those of PostgreSQL: test/long/postgres.test.ts and test/long/cluster.test.ts.
describe.skipIf(isOnPostgres)('a server with an unusable database file', () => {
  test('exits with one line if the database is newer than the program, and does not change it', async () => {
    const data = await createUsedFolder();
    const database = new Database(join(data, 'lectern.db'));
    database.run('pragma user_version = 99');
    database.close();
    const { code, stdout, stderr } = await serve(data);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^lectern: [^\n]*newer[^\n]*\n$/);
    const after = new Database(join(data, 'lectern.db'), { readonly: true });
    expect(after.query('pragma user_version').get()).toEqual({ user_version: 99 });
    after.close();
  });

  test('exits with one line if the file is no database', async () => {
    const data = createTemporaryFolder();
    writeFileSync(join(data, 'lectern.db'), 'This is not a database.\n'.repeat(500));
    const { code, stdout, stderr } = await serve(data);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^lectern: [^\n]*lectern\.db is damaged[^\n]*\n$/);
  });

  test('exits with one line if the database is damaged', async () => {
    const data = await createUsedFolder();
    const path = join(data, 'lectern.db');
    const bytes = readFileSync(path);
    // All but the first page: the file still looks like a database.
    bytes.fill(0xaa, 4_096);
    writeFileSync(path, bytes);
    const { code, stdout, stderr } = await serve(data);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^lectern: [^\n]*lectern\.db is damaged[^\n]*\n$/);
  });
});

// On PostgreSQL writes of several programs do not wait for each other.
describe.skipIf(isOnPostgres)('a command during a write of another program', () => {
  test('reads at once, and writes after the other write', async () => {
    const data = await createUsedFolder();
    const runSiteCommand = (...words: string[]) => runProcess(['site', ...words, '--data', data]);
    const other = new Database(join(data, 'lectern.db'));
    other.run('begin immediate');
    expect(await runSiteCommand('list')).toMatchObject({ code: 0, stderr: '' });
    const created = runSiteCommand('create', '--name', 'Other', '--domain', 'other.example');
    expect(await runSiteCommand('list')).toMatchObject({ code: 0, stderr: '' });
    other.run('commit');
    other.close();
    expect(await created).toMatchObject({ code: 0, stderr: '' });
    expect((await runSiteCommand('list')).stdout).toContain('other.example');
  });
});
