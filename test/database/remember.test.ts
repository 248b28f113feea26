import { afterAll, expect, test } from 'bun:test';
import { openDatabase } from '../../src/database/open.ts';
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
