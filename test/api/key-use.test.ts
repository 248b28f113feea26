import { expect, setSystemTime, test } from 'bun:test';
import { createKeyRequestCounter } from '../../src/analytics/aggregate.ts';
import { createKeyUsageTracker } from '../../src/auth/api-keys.ts';
import type { Database } from '../../src/database/database.ts';
import type { CompletedRequest } from '../../src/http/endpoint.ts';
import { BodyLimits } from '../../src/http/request-context.ts';
import { refuseWrites } from '../fixtures/change-rows.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { createSite, createTemporaryFolder } from '../fixtures/server.ts';
import { readRows } from './stored-rows.ts';

const received: CompletedRequest = {
  ...{ id: 'one', address: () => '', responseHeaders: {}, setIdleTimeout: () => {} },
  bodyLimits: new BodyLimits({ bodyMemoryMb: 1, bodyRatePeriodS: 1 }),
  ...{ siteId: 1, keyId: 1, route: '/v1/audio/status', method: 'GET', status: 200, durationMs: 1 },
};

test.each([
  [
    'when a key was used',
    (database: Database) => {
      const keyUsage = createKeyUsageTracker(database);
      keyUsage.record(1);
      return keyUsage;
    },
  ],
  [
    'what a key asked',
    (database: Database) => {
      const keyRequests = createKeyRequestCounter(database);
      keyRequests.record(received);
      return keyRequests;
    },
  ],
])('%s: who has it written down waits for what another has begun to write', async (_, noted) => {
  const data = createTemporaryFolder();
  await createSite(data);
  const database = await openTestDatabase(data);
  const held = Promise.withResolvers<void>();
  const holding = database.write('server', () => held.promise, { sync: 'normal' });
  const { flush } = noted(database);
  const ended: string[] = [];
  const first = flush().then(() => ended.push('first'));
  const second = flush().then(() => ended.push('second'));
  held.resolve();
  await Promise.all([holding, first, second]);
  await database.close();
  expect(ended).toEqual(['first', 'second']);
});

test('uses of keys that could not be written are written later, the last one of each key', async () => {
  const data = createTemporaryFolder();
  for (let count = 0; count < 3; count += 1) await createSite(data);
  const database = await openTestDatabase(data);
  const { record, flush } = createKeyUsageTracker(database);
  const recordAt = (time: string, ...keyIds: number[]) => {
    setSystemTime(new Date(time));
    for (const keyId of keyIds) record(keyId);
    setSystemTime();
  };
  recordAt('2026-01-01T10:00:00.000Z', 1, 2);
  const endRefusal = refuseWrites(data, 'update', 'api_key', 'the rows cannot change');
  await expect(flush()).rejects.toThrow('the rows cannot change');
  recordAt('2026-01-01T11:00:00.000Z', 2, 3);
  endRefusal();
  await flush();
  await database.close();
  expect(readRows(data, 'select last_used_at from api_key order by id')).toEqual([
    { last_used_at: '2026-01-01T10:00:00.000Z' },
    { last_used_at: '2026-01-01T11:00:00.000Z' },
    { last_used_at: '2026-01-01T11:00:00.000Z' },
  ]);
});
