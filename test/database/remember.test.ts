import { afterAll, expect, test } from 'bun:test';
import { afterCommit, openDatabase } from '../../src/database/open.ts';
import { cacheUntilWrite } from '../../src/database/query-cache.ts';
import { temporaryFolder } from '../fixtures/server.ts';

const database = openDatabase(temporaryFolder());
afterAll(() => database.close());

const write = (at: string) =>
  database.write((db) =>
    db
      .insertInto('probe')
      .values({ id: Number(at), at })
      .execute(),
  );

test('asks once between two changes', async () => {
  const asked: string[] = [];
  const find = cacheUntilWrite(database, 10, async (name) => {
    asked.push(name);
    return name.length;
  });
  expect([await find('one'), await find('one'), await find('three')]).toEqual([3, 3, 5]);
  expect(asked).toEqual(['one', 'three']);
  await write('1');
  await find('one');
  expect(asked).toEqual(['one', 'three', 'one']);
});

test('does not remember what was read while something was written', async () => {
  let asked = 0;
  const find = cacheUntilWrite(database, 10, async () => {
    asked += 1;
    // The other lookup sees the change first.
    if (asked === 1) {
      await write('2');
      await find('other');
    }
    return asked;
  });
  await find('name');
  await find('name');
  expect(asked).toBe(3);
});

test('remembers neither what is not there nor more than so many', async () => {
  const asked: string[] = [];
  const find = cacheUntilWrite(database, 100, async (name) => {
    asked.push(name);
    return name.startsWith('invented') ? undefined : name;
  });
  await find('kept');
  for (let index = 0; index < 10_000; index += 1) await find(`invented${index}`);
  await find('kept');
  expect(asked).toHaveLength(10_001);
  for (let index = 0; index < 100; index += 1) await find(`real${index}`);
  await find('kept');
  expect(asked.filter((name) => name === 'kept')).toHaveLength(2);
});

test('afterCommit calls back once the transaction is committed, and never after a rollback', async () => {
  const counts: Promise<number>[] = [];
  const countRows = async () => (await database.read.selectFrom('probe').select('id').execute()).length;
  const before = await countRows();
  const insert = (id: number, isWrong: boolean) =>
    database.write(async (db) => {
      afterCommit(db, () => counts.push(countRows()));
      await db.insertInto('probe').values({ id, at: 'now' }).execute();
      expect(counts).toEqual([]);
      if (isWrong) throw new Error('rolled back');
    });
  await expect(insert(101, true)).rejects.toThrow('rolled back');
  expect(counts).toEqual([]);
  await insert(102, false);
  expect(await Promise.all(counts)).toEqual([before + 1]);
  expect(() => afterCommit(database.read, () => {})).toThrow('needs a transaction');
});
