import { afterAll, expect, test } from 'bun:test';
import { cacheUntilWrite } from '../../src/database/query-cache.ts';
import { isOnPostgres, openTestDatabase } from '../fixtures/database.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';

const database = await openTestDatabase(createTemporaryFolder());
afterAll(() => database.close());

const write = (at: string) =>
  database.write('server', (db) =>
    db
      .insertInto('probe')
      .values({ id: Number(at), at })
      .execute(),
  );

// With PostgreSQL nothing is cached.
test.skipIf(isOnPostgres)('a query runs once between two writes', async () => {
  const queried: string[] = [];
  const find = cacheUntilWrite(database, 10, async (name) => {
    queried.push(name);
    return name.length;
  });
  expect([await find('one'), await find('one'), await find('three')]).toEqual([3, 3, 5]);
  expect(queried).toEqual(['one', 'three']);
  await write('1');
  await find('one');
  expect(queried).toEqual(['one', 'three', 'one']);
});

test('rows that were read during a write are not cached', async () => {
  let queried = 0;
  const find = cacheUntilWrite(database, 10, async () => {
    queried += 1;
    // The other query reads the change first.
    if (queried === 1) {
      await write('2');
      await find('other');
    }
    return queried;
  });
  await find('name');
  await find('name');
  expect(queried).toBe(3);
});

test.skipIf(isOnPostgres)('missing rows and rows beyond the limit are not cached', async () => {
  const queried: string[] = [];
  const find = cacheUntilWrite(database, 100, async (name) => {
    queried.push(name);
    return name.startsWith('invented') ? undefined : name;
  });
  await find('kept');
  for (let index = 0; index < 10_000; index += 1) await find(`invented${index}`);
  await find('kept');
  expect(queried).toHaveLength(10_001);
  for (let index = 0; index < 100; index += 1) await find(`real${index}`);
  await find('kept');
  expect(queried.filter((name) => name === 'kept')).toHaveLength(2);
});
