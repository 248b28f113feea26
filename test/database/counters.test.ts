import { afterAll, expect, test } from 'bun:test';
import {
  correctCounters,
  countPostStates,
  countQueuedPosts,
  countWaitingCharacters,
  listQueueDepths,
  listWrongCounters,
} from '../../src/audio/counters.ts';
import { claimAudio, markFailed } from '../../src/audio/job-store.ts';
import { prioritizeAudio } from '../../src/audio/posts/actions.ts';
import {
  dismissFailedAudios,
  findDeletedPost,
  insertDeletedPost,
  purgeDeletedPosts,
  readPostToDelete,
  updatePost,
} from '../../src/audio/posts/store.ts';
import { consumeQuota, refundOrConfirmQuota } from '../../src/audio/quota.ts';
import { insertAudio, insertPost, requeueAudio } from '../../src/audio/store.ts';
import { checkDatabase } from '../../src/cli/check.ts';
import { readConfig } from '../../src/config.ts';
import type { Queries } from '../../src/database/database.ts';
import { createLog } from '../../src/log.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { createSite, createTemporaryFolder } from '../fixtures/server.ts';

const data = createTemporaryFolder();
const { siteId } = await createSite(data);
const database = await openTestDatabase(data);
afterAll(() => database.close());

const quota = { starter: 1_000, growth: 1_000, enterprise: 1_000 };
const noText = { error: 'no text', error_code: 'no_text', content_counts: null } as const;
const noQueue = { nextVirtualTime: () => 1, notifyChanged: () => {} };

async function insertVoice(db: Queries): Promise<number> {
  const { id } = await db
    .insertInto('voice')
    .values({
      ...{ content_hash: 'h', speaker: 0, name: 'a', language: 'en', locale: 'en_GB', quality: 'low', gender: 'male' },
      ...{ sample_rate_hz: 22_050, plan_required: 'starter', enabled: 1, installed_at: '2026' },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Queues a post, with an extra voice for each second one. */
async function queuePost(db: Queries, voiceId: number, number: number): Promise<number[]> {
  const postId = `post-${number}`;
  const site = { id: siteId, plan: 'starter' as const };
  await consumeQuota(db, { site, postId, language: 'en', existing: undefined, acceptedAt: new Date() }, quota);
  const post_id = await insertPost(db, siteId, { postId, post: {} });
  const text = { title: null, content: 'text', request_hash: 'r', virtual_time: number, voice_id: voiceId, post_id };
  const priority = (['high', 'normal', 'low'] as const)[number % 3] ?? 'low';
  const ids = [await insertAudio(db, { ...text, priority, language: 'en', is_main: 1 })];
  if (number % 2 === 0) ids.push(await insertAudio(db, { ...text, priority: 'low', language: 'en', is_main: 0 }));
  return ids;
}

const claimOf = (id: number) => ({ id, revision: 1, fence: 0 });

test('counters follow every change of the queue and the quota', async () => {
  const invalidInputs: unknown[] = [];
  const change = async (work: (db: Queries) => Promise<unknown>): Promise<void> => {
    await database.write(siteId, work);
    invalidInputs.push(...(await listWrongCounters(database.read)));
  };
  const voiceId = await database.write('server', insertVoice);
  const ids: number[] = [];
  for (let number = 0; number < 12; number += 1) {
    await change(async (db) => ids.push(...(await queuePost(db, voiceId, number))));
  }
  expect(await countQueuedPosts(database.read, siteId)).toEqual({ all: 12, ofSite: 12 });
  expect(await countQueuedPosts(database.read, siteId + 1)).toEqual({ all: 12, ofSite: 0 });
  const [first = 0, , third = 0, fourth = 0, fifth = 0] = ids;
  await change((db) => claimAudio(db, claimOf(first), undefined));
  await change((db) => claimAudio(db, claimOf(third), undefined));
  await change((db) => markFailed(db, claimOf(third), noText));
  await change((db) =>
    refundOrConfirmQuota(db, {
      ...{ type: 'audio.failed', siteId, audioId: third, postId: 'post-1', language: 'en', status: 'failed' },
      ...{ mediaKey: null, durationMs: null, error: 'no text' },
    }),
  );
  await change((db) => prioritizeAudio(db, noQueue, fourth, 'high'));
  await change((db) => requeueAudio(db, first, { priority: 'low', virtual_time: 3 }));
  await change((db) => requeueAudio(db, third, { priority: 'high', virtual_time: 3 }));
  // 18 texts of four characters wait; then one of them is 20 longer.
  expect(await countWaitingCharacters(database.read)).toBe(18 * 4);
  const longer = { content: 'x'.repeat(24), priority: 'low' as const, virtual_time: 3 };
  await change((db) => requeueAudio(db, first, longer));
  expect(await countWaitingCharacters(database.read)).toBe(18 * 4 + 20);
  await change((db) => db.deleteFrom('audio').where('id', '=', fifth).execute());
  await change((db) => claimAudio(db, claimOf(fourth), undefined));
  expect(invalidInputs).toEqual([]);
  expect(await countQueuedPosts(database.read, siteId)).toEqual({ all: 12, ofSite: 12 });
  const byName = (await listQueueDepths(database.read)).map(({ status, priority, count }) => [status, priority, count]);
  expect(byName.toSorted()).toEqual([
    ['generating', 'high', 1],
    ['pending', 'further', 5],
    ['pending', 'high', 4],
    ['pending', 'low', 4],
    ['pending', 'normal', 3],
  ]);
});

test('counters follow every change of the state of a post', async () => {
  const other = await createSite(data);
  const count = () => countPostStates(database.read, other.siteId);
  const change = async <T>(work: (db: Queries) => Promise<T>): Promise<T> => {
    const result = await database.write(other.siteId, work);
    expect(await listWrongCounters(database.read)).toEqual([]);
    return result;
  };
  const { id: voice_id } = await database.read.selectFrom('voice').select('id').executeTakeFirstOrThrow();
  const post_id = await change((db) => insertPost(db, other.siteId, { postId: 'a', post: { visibility: 'private' } }));
  expect(await count()).toEqual({ all: 1, ready: 0, generating: 0, failed: 0, private: 1, deleted: 0 });
  const text = { title: 'A', content: 'text', request_hash: 'r', virtual_time: 1, voice_id, post_id, is_main: 1 };
  const [english = 0, french = 0] = await change(async (db) => [
    await insertAudio(db, { ...text, priority: 'low', language: 'en' }),
    await insertAudio(db, { ...text, priority: 'low', language: 'fr' }),
  ]);
  expect(await count()).toMatchObject({ generating: 1 });
  await change((db) => db.updateTable('audio').set({ status: 'ready' }).where('id', '=', english).execute());
  expect(await count()).toMatchObject({ ready: 0, generating: 1 });
  await change((db) => markFailed(db, claimOf(french), noText));
  expect(await count()).toMatchObject({ ready: 0, generating: 0, failed: 1 });
  await change((db) => dismissFailedAudios(db, post_id, '2026'));
  expect(await count()).toMatchObject({ ready: 1, failed: 0 });
  await change((db) => updatePost(db, post_id, { visibility: 'public' }));
  expect(await count()).toMatchObject({ all: 1, private: 0 });
  await change((db) => db.updateTable('audio').set({ is_main: 0 }).where('id', '=', english).execute());
  expect(await count()).toMatchObject({ ready: 0 });

  const post = await readPostToDelete(database.read, other.siteId, 'a');
  if (post === undefined) throw new Error('the post is missing');
  await change((db) => db.deleteFrom('audio').where('post_id', '=', post_id).execute());
  await change((db) => db.deleteFrom('post').where('id', '=', post_id).execute());
  await change((db) => insertDeletedPost(db, post));
  expect(await count()).toEqual({ all: 0, ready: 0, generating: 0, failed: 0, private: 0, deleted: 1 });
  const deleted = await findDeletedPost(database.read, other.siteId, 'a');
  expect(deleted?.audios.map(({ language, dismissed_at }) => [language, dismissed_at])).toEqual([['fr', '2026']]);
  await change((db) => purgeDeletedPosts(db, new Date(Date.parse(deleted?.deleted_at ?? '') - 1).toISOString()));
  expect(await count()).toMatchObject({ deleted: 1 });
  await change((db) => purgeDeletedPosts(db, deleted?.deleted_at ?? ''));
  expect(await count()).toMatchObject({ deleted: 0 });
});

test('lectern check reports wrong counters, and a server corrects them when it starts', async () => {
  await database.write(siteId, (db) =>
    db.updateTable('site_counter').set({ amount: 9 }).where('name', '=', 'queued.normal').execute(),
  );
  await database.write(siteId, (db) =>
    db.insertInto('site_counter').values({ site_id: siteId, name: 'posts.2020-01', amount: 7 }).execute(),
  );
  await expect(checkDatabase(readConfig({ data }, {}))).rejects.toThrow(
    `Wrong counters: posts.2020-01 of site ${siteId} should be 0; queued.normal of site ${siteId} should be 3. Restart the server to correct them.`,
  );
  await correctCounters(database, createLog('silent'));
  expect(await listWrongCounters(database.read)).toEqual([]);
});
