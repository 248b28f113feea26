import { afterAll, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterCommit, type Database } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';

const database = openSqlite(createTemporaryFolder(), createLog('silent'));
afterAll(() => database.close());

const countRows = async () => (await database.read.selectFrom('probe').select('id').execute()).length;
const insertRow = (db: Database['read'], id: number) => db.insertInto('probe').values({ id, at: 'now' }).execute();

test('handlers run in order after the commit, and never after a rollback', async () => {
  const counts: number[] = [];
  const before = await countRows();
  const insert = (id: number, isWrong: boolean) =>
    database.write('server', async (db) => {
      afterCommit(db, async () => counts.push(await countRows()));
      afterCommit(db, () => counts.push(-1));
      await insertRow(db, id);
      expect(counts).toEqual([]);
      if (isWrong) throw new Error('rolled back');
    });
  await expect(insert(101, true)).rejects.toThrow('rolled back');
  expect(counts).toEqual([]);
  await insert(102, false);
  expect(counts).toEqual([before + 1, -1]);
  expect(() => afterCommit(database.read, () => {})).toThrow('needs a transaction');
});

test('a handler may write, and the outer write waits for it', async () => {
  const before = await countRows();
  await database.write(1, async (db) => {
    await insertRow(db, 201);
    afterCommit(db, () => database.write(1, (inner) => insertRow(inner, 202), { sync: 'normal' }));
  });
  expect(await countRows()).toBe(before + 2);
});

test('an error of a handler changes neither the result of the write nor the other handlers', async () => {
  const calls: string[] = [];
  const result = await database.write('server', async (db) => {
    afterCommit(db, () => {
      throw new Error('not sent');
    });
    afterCommit(db, () => calls.push('second'));
    await insertRow(db, 301);
    return 'committed';
  });
  expect(result).toBe('committed');
  expect(calls).toEqual(['second']);
});

test('the space of deleted rows is returned to the disk', async () => {
  const data = createTemporaryFolder();
  const filled = openSqlite(data, createLog('silent'));
  const measure = (): number => statSync(join(data, 'lectern.db')).size;
  let before = 0;
  try {
    for (let id = 1; id <= 200; id += 1) {
      await filled.write('server', (db) =>
        db
          .insertInto('voice_license_text')
          .values({ content_hash: `${id}`, text: 'x'.repeat(100_000) })
          .execute(),
      );
    }
    await filled.write('server', (db) => db.deleteFrom('voice_license_text').where('content_hash', '>', '1').execute());
    before = measure();
    while (await filled.releaseFreeSpace());
  } finally {
    // Brings the file up to date.
    await filled.close();
  }
  expect(before).toBeGreaterThan(10_000_000);
  expect(measure()).toBeLessThan(7_000_000);
});
