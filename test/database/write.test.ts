import { afterAll, expect, test } from 'bun:test';
import { afterCommit, type Database, openDatabase } from '../../src/database/open.ts';
import { createLog } from '../../src/log.ts';
import { temporaryFolder } from '../fixtures/server.ts';

const database = openDatabase(temporaryFolder(), createLog('silent'));
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
