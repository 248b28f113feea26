import { expect, test } from 'bun:test';
import { createKeyRequestCounts } from '../../src/analytics/aggregate.ts';
import { createKeyUse } from '../../src/auth/api-keys.ts';
import { type Database, openDatabase } from '../../src/database/open.ts';
import type { Answered } from '../../src/http/endpoint.ts';
import { createSite, temporaryFolder } from '../fixtures/server.ts';

const answered: Answered = {
  ...{ id: 'one', address: () => '', answerHeaders: {}, allowIdle: () => {} },
  ...{ siteId: 1, keyId: 1, route: '/v1/audio/status', method: 'GET', status: 200, ms: 1 },
};

test.each([
  [
    'when a key was used',
    (database: Database) => {
      const keyUse = createKeyUse(database);
      keyUse.note(1);
      return keyUse;
    },
  ],
  [
    'what a key asked',
    (database: Database) => {
      const keyRequests = createKeyRequestCounts(database);
      keyRequests.note(answered);
      return keyRequests;
    },
  ],
])('%s: who has it written down waits for what another has begun to write', async (_, noted) => {
  const data = temporaryFolder();
  await createSite(data);
  const database = openDatabase(data);
  const held = Promise.withResolvers<void>();
  const holding = database.writeLazily(() => held.promise);
  const { save } = noted(database);
  const ended: string[] = [];
  const first = save().then(() => ended.push('first'));
  const second = save().then(() => ended.push('second'));
  held.resolve();
  await Promise.all([holding, first, second]);
  await database.close();
  expect(ended).toEqual(['first', 'second']);
});
