import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { countQuotaPosts } from '../../src/audio/counters.ts';
import { consumeQuota, formatMonth } from '../../src/audio/quota.ts';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { readConfig } from '../../src/config.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { installToneVoices } from '../fixtures/default-voice.ts';
import { passMidnight } from '../fixtures/eventually.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startServerForFile,
} from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const quota = 3;
const unspeakable = '<p>🎈</p>'.repeat(10);
const german = '<p>Der Fluss ist ruhig, und die Brücke steht offen für alle Leute.</p>';

// Quotas are those of a month.
await passMidnight();
const data = createTemporaryFolder();
await installToneVoices(data, 'en_US', 'de_DE');
const germanVoice = await findVoiceId(data, 'de_DE-tones-low');
const server = await startServerForFile({ data, env: { LECTERN_QUOTA_POSTS: `enterprise=${quota}` } });

/** A separate site for each test, with its own quota. */
async function createTestSite() {
  const { siteId, key } = await createSite(server.data);
  const send = async (body: Record<string, unknown>, apiKey = key) => {
    const response = await server.request('/v1/audio/generate', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    });
    const { message, errors } = (await response.json()) as Envelope<AudioRecord>;
    return { status: response.status, message, errors };
  };
  return {
    siteId,
    key,
    send,
    /** Submits new English posts, which must be accepted. */
    spend: async (count: number) => {
      for (let number = 0; number < count; number += 1) {
        const post_id = `spent-${number}`;
        expect((await send({ post_id, content: buildArticle(post_id) })).status).toBe(202);
      }
    },
    waitUntilFinished: async (postId: string, language = 'en') => {
      const path = `/v1/audio/${postId}/status?language=${language}`;
      while (true) {
        const response = await server.request(path, { headers: { 'x-api-key': key } });
        const { data } = (await response.json()) as Envelope<AudioRecord>;
        if (data.status === 'ready' || data.status === 'failed') return data;
        await Bun.sleep(30);
      }
    },
    used: () => readLedger(siteId).length,
  };
}

function readLedger(siteId: number) {
  return readRows<{ external_id: string; month: string }>(
    server.data,
    `select external_id, month from post_quota where site_id = ${siteId}`,
  );
}

function writeLedger(siteId: number, postId: string, month: string): void {
  const database = new Database(join(server.data, 'lectern.db'));
  database.run('insert into post_quota (site_id, external_id, month) values (?, ?, ?)', [siteId, postId, month]);
  database.close();
}

const exceeded = {
  status: 403,
  message: 'Monthly post quota exceeded',
  errors: { quota: [`3 of 3 posts used in ${formatMonth(new Date())}`] },
};

describe('the monthly quota', () => {
  test('is exact for a hundred concurrent requests; rejected ones leave no data', async () => {
    const site = await createTestSite();
    const { stdout } = await runCommand([
      ...['key', 'create', '--data', server.data, '--site', `${site.siteId}`, '--json'],
    ]);
    const keys = [site.key, (JSON.parse(stdout) as { key: string }).key];
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        site.send({ post_id: `rush-${index}`, content: buildArticle(`rush ${index}`) }, keys[index % 2]),
      ),
    );
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(quota);
    const refused = responses.filter(({ status }) => status !== 202);
    expect(refused).toEqual(Array.from({ length: 100 - quota }, () => exceeded));
    const posts = readRows(server.data, `select id from post where site_id = ${site.siteId}`);
    expect(posts).toHaveLength(quota);
    expect(site.used()).toBe(quota);
  });

  test('is not used by a repeat, a new version or another language, even when it is exceeded', async () => {
    const site = await createTestSite();
    await site.spend(quota);
    expect(await site.send({ post_id: 'one-more', content: buildArticle('more') })).toEqual(exceeded);
    const repeat = { post_id: 'spent-0', content: buildArticle('spent-0') };
    expect((await site.send(repeat)).status).toBe(200);
    expect((await site.send({ ...repeat, content: buildArticle('corrected') })).status).toBe(202);
    const inGerman = { post_id: 'spent-0', content: german, voice_id: germanVoice };
    expect((await site.send(inGerman)).status).toBe(202);
    expect((await site.send({ ...inGerman, post_id: 'only-german' })).status).toBe(202);
    expect(site.used()).toBe(quota);
  });

  test('is refunded when the first version fails, and used again by the retry', async () => {
    const site = await createTestSite();
    await site.spend(quota - 1);
    const empty = { post_id: 'empty', content: unspeakable };
    expect((await site.send(empty)).status).toBe(202);
    expect(await site.waitUntilFinished('empty')).toMatchObject({
      status: 'failed',
      error: 'The content has no speakable text',
    });
    expect(site.used()).toBe(quota - 1);
    expect((await site.send({ post_id: 'last', content: buildArticle('last') })).status).toBe(202);
    expect(await site.send(empty)).toEqual(exceeded);
    expect(await site.waitUntilFinished('empty')).toMatchObject({ status: 'failed' });
  });

  test('is not refunded when a correction of a ready post fails', async () => {
    const site = await createTestSite();
    await site.spend(1);
    const before = await site.waitUntilFinished('spent-0');
    expect((await site.send({ post_id: 'spent-0', content: unspeakable })).status).toBe(202);
    expect((await site.waitUntilFinished('spent-0')).status).toBe('failed');
    expect(site.used()).toBe(1);
    // The version before the failed correction is still served.
    expect((await fetch(before.audio_url ?? '')).status).toBe(200);
  });

  test('is not refunded when a ready post is deleted and submitted again', async () => {
    const site = await createTestSite();
    await site.spend(1);
    await site.waitUntilFinished('spent-0');
    const headers = { 'x-api-key': site.key };
    const deleted = await server.request('/v1/audio/spent-0', { method: 'DELETE', headers });
    expect(deleted.status).toBe(200);
    expect(site.used()).toBe(1);
    expect((await site.send({ post_id: 'spent-0', content: unspeakable })).status).toBe(202);
    expect((await site.waitUntilFinished('spent-0')).status).toBe('failed');
    expect(site.used()).toBe(1);
  });

  test('does not count posts of another month, whose corrections are free', async () => {
    const site = await createTestSite();
    for (let number = 0; number < quota; number += 1) {
      writeLedger(site.siteId, `old-${number}`, '2020-01');
    }
    await site.spend(quota);
    expect((await site.send({ post_id: 'old-1', content: buildArticle('old') })).status).toBe(202);
    expect(await site.send({ post_id: 'one-more', content: buildArticle('more') })).toEqual(exceeded);
    expect(readLedger(site.siteId)).toContainEqual({ external_id: 'old-1', month: '2020-01' });
  });
});

test('ends at midnight in UTC', async () => {
  const data = createTemporaryFolder();
  const { siteId } = await createSite(data);
  const database = await openTestDatabase(data);
  const take = (postId: string, acceptedAt: string) =>
    database.write(siteId, (db) =>
      consumeQuota(
        db,
        {
          ...{ site: { id: siteId, plan: 'starter' as const }, postId, language: 'en' },
          ...{ existing: undefined, acceptedAt: new Date(acceptedAt) },
        },
        { starter: 1, growth: 1, enterprise: 1 },
      ),
    );
  await take('november', '2026-11-30T23:59:59.999Z');
  await expect(take('late', '2026-11-30T23:59:59.999Z')).rejects.toThrow('Monthly post quota exceeded');
  await take('december', '2026-12-01T00:00:00.000Z');
  await expect(take('early', '2026-12-01T00:30:00.000+01:00')).rejects.toThrow('quota exceeded');
  expect(await countQuotaPosts(database.read, [siteId], '2026-11')).toEqual(new Map([[siteId, 1]]));
  expect(await countQuotaPosts(database.read, [siteId], '2026-12')).toEqual(new Map([[siteId, 1]]));
  await database.close();
});

describe('LECTERN_QUOTA_POSTS', () => {
  const read = (quotas: string) => readConfig({}, { LECTERN_QUOTA_POSTS: quotas }).quotaPosts;

  test('changes the quotas of the plans it names', () => {
    expect(read('starter=0, enterprise=3')).toEqual({ starter: 0, growth: 500, enterprise: 3 });
    expect(read('growth=unlimited')).toEqual({
      ...{ starter: 50, growth: Infinity, enterprise: Infinity },
    });
  });

  test.each(['', 'gold=5', 'starter=-1', 'starter', 'starter=5;growth=6'])('%p is refused', (input) => {
    expect(() => read(input)).toThrow('LECTERN_QUOTA_POSTS: expected a list such as starter=50');
  });
});
