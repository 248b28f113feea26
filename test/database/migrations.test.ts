import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { findSection } from '../../src/analytics/store.ts';
import { listDueObjects, markSiteObjectsForDeletion } from '../../src/audio/media/object-store.ts';
import { canonicalizeUrl } from '../../src/audio/store.ts';
import { initialVersion, migrations, oldestCompatibleVersion } from '../../src/database/migrate.ts';
import { initial } from '../../src/database/migrations/0001-initial.ts';
import { eventSections, objectDeletion } from '../../src/database/migrations/0002-0029.ts';
import { toPostgres } from '../../src/database/postgres-migrate.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';

test('a new database can be reopened unchanged, with search, cascades and ids that are never reused', async () => {
  const data = createTemporaryFolder();
  await openSqlite(data).close();
  const stored = new BetterSqlite(join(data, 'lectern.db'));
  stored.exec(`
    insert into site (id, slug, name, plan, subscription, active, allow_switch, bit_rate_kbps, timings_text, created_at, updated_at)
      values (1, 's', 'S', 'enterprise', 'active', 1, 0, 64, 1, '2026', '2026');
    insert into voice (id, content_hash, speaker, name, language, locale, quality, gender, sample_rate_hz, plan_required, enabled, installed_at)
      values (1, 'h', 0, 'aspen', 'en', 'en_GB', 'medium', 'male', 22050, 'starter', 1, '2026');
    insert into post (id, site_id, external_id, url, visibility, created_at, updated_at)
      values (1, 1, 'p', 'https://paper.example/p', 'public', '2026', '2026');
    insert into audio (id, post_id, language, voice_id, is_main, status, progress_percent, error, title, content, request_hash, priority, revision, virtual_time, version_id, created_at, updated_at)
      values (7, 1, 'en', 1, 1, 'ready', 100, null, 'Bridge', 'C', 'r', 'normal', 1, 0.5, null, '2026', '2026');
    insert into audio (id, post_id, language, voice_id, is_main, status, progress_percent, error, title, content, request_hash, priority, revision, virtual_time, version_id, created_at, updated_at)
      values (8, 1, 'de', 1, 1, 'ready', 100, null, 'T', 'C', 'r', 'normal', 1, 0.5, null, '2026', '2026');
    delete from audio where id = 8;
    insert into version (id, audio_id, revision, voice_id, sample_rate_hz, bit_rate_kbps, left_out)
      values (3, 7, 1, 1, 22050, 64, '[]');
  `);
  stored.close();

  const database = openSqlite(data);
  try {
    const { id } = await database.write('server', (db) =>
      db
        .insertInto('audio')
        .values({
          post_id: 1,
          language: 'fr',
          voice_id: 1,
          is_main: 1,
          status: 'pending',
          progress_percent: 0,
          error: null,
          title: null,
          content: 'C',
          request_hash: 'r',
          priority: 'normal',
          revision: 1,
          virtual_time: 0,
          version_id: null,
          created_at: '2026',
          updated_at: '2026',
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    expect(id).toBe(9);
    for (const words of ['"paper.example/p"', 'bridge']) {
      const found = sql<{ rowid: number }>`select rowid from post_search(${words})`;
      expect((await found.execute(database.read)).rows).toEqual([{ rowid: 1 }]);
    }
    await database.write('server', (db) => db.deleteFrom('audio').where('id', '=', 7).execute());
    expect(await database.read.selectFrom('version').selectAll().execute()).toEqual([]);
  } finally {
    await database.close();
  }
});

test('the oldest compatible version is stored: later migrations only add, or drop indexes, whose names no program uses', () => {
  const addition =
    /^(drop index |create ((unlogged )?table|(unique )?index|trigger|function) |insert into |alter table "?\w+"? add column (?!.*\bnot null\b(?!.*\bdefault\b)))/;
  const later = migrations
    .slice(oldestCompatibleVersion + 1 - initialVersion)
    .flatMap((migration) => toPostgres(migration));
  const added = later.flatMap((statement) => /add column (\w+)/.exec(statement)?.[1] ?? []);
  const isFilling = (statement: string) => added.includes(/^update \w+ set (\w+) = /.exec(statement)?.[1] ?? '');
  expect(later.filter((statement) => !addition.test(statement) && !isFilling(statement))).toEqual([]);
});

test('a newer database is rejected with the required version of Lectern', async () => {
  const data = createTemporaryFolder();
  await openSqlite(data).close();
  const newer = new BetterSqlite(join(data, 'lectern.db'));
  newer.pragma('user_version = 999');
  expect(() => openSqlite(data)).toThrow('Database needs a newer Lectern (schema 999)');
  newer.exec(
    "insert into schema_version (version, lectern, migrated_at) values (999, '7.2.0', '2030-01-01T00:00:00.000Z')",
  );
  expect(() => openSqlite(data)).toThrow('Database needs Lectern 7.2.0 or newer (schema 999)');
  newer.close();
});

test('a database from before the first release is rejected and not changed', () => {
  const data = createTemporaryFolder();
  const old = new BetterSqlite(join(data, 'lectern.db'));
  old.pragma('user_version = 23');
  expect(() => openSqlite(data)).toThrow('Database too old: it has schema 23,');
  expect(old.pragma('user_version', { simple: true })).toBe(23);
  old.close();
});

test('MP3s of posts that are not public get new addresses when a database of the first release is opened', async () => {
  const data = createTemporaryFolder();
  const first = new BetterSqlite(join(data, 'lectern.db'));
  for (const statement of initial) first.exec(typeof statement === 'string' ? statement : (statement.sqlite ?? ''));
  first.exec(`
    insert into site (id, slug, name, plan, subscription, created_at, updated_at) values (1, 's', 'S', 'enterprise', 'active', '2026', '2026');
    insert into voice (id, content_hash, speaker, name, language, locale, quality, gender, sample_rate_hz, plan_required, enabled, installed_at)
      values (1, 'h', 0, 'aspen', 'en', 'en_GB', 'medium', 'male', 22050, 'starter', 1, '2026');
    insert into post (id, site_id, external_id, visibility, publish_at, created_at, updated_at)
      values (1, 1, 'public', 'public', '2026-01-01T00:00:00.000Z', '2026', '2026'),
             (2, 1, 'private', 'private', null, '2026', '2026'),
             (3, 1, 'scheduled', 'public', '2999-01-01T00:00:00.000Z', '2026', '2026');
    insert into audio (id, post_id, language, voice_id, is_main, status, progress_percent, content, request_hash, priority, revision, virtual_time, created_at, updated_at)
      select id, id, 'en', 1, 1, 'ready', 100, 'C', 'r', 'normal', 1, 0, '2026', '2026' from post;
    insert into version (id, audio_id, revision, voice_id, sample_rate_hz, bit_rate_kbps, left_out, media_key, header)
      select id, id, 1, 1, 22050, 64, '[]', 'key' || id, x'00' from audio;
    pragma user_version = 24;
  `);
  first.close();

  const database = openSqlite(data);
  try {
    const rows = await database.read.selectFrom('version').select('media_key').orderBy('id').execute();
    const keys = rows.map(({ media_key }) => media_key);
    expect(keys).toEqual(['key1', expect.stringMatching(/^[0-9a-f]{36}$/), expect.stringMatching(/^[0-9a-f]{36}$/)]);
    expect(new Set(keys).size).toBe(3);
  } finally {
    await database.close();
  }
});

test('objects of deleted sites are due at once, including those marked by an earlier schema', async () => {
  const data = createTemporaryFolder();
  const earlier = new BetterSqlite(join(data, 'lectern.db'));
  const before = migrations.slice(0, migrations.indexOf(objectDeletion));
  for (const statement of before.flat()) {
    earlier.exec(typeof statement === 'string' ? statement : (statement.sqlite ?? ''));
  }
  earlier.exec(`
    insert into site (id, slug, name, plan, subscription, deleted_at, created_at, updated_at)
      values (1, 'kept', 'S', 'enterprise', 'active', null, '2026', '2026'),
             (2, 'deleted:2', 'S', 'enterprise', 'active', '2026', '2026', '2026');
    insert into object (key, site_id, byte_count, state, changed_at)
      values ('live', 1, 1, 'live', '2026'), ('kept', 1, 1, 'doomed', '2026'), ('writing', 1, 1, 'writing', '2026'),
             ('of deleted site', 2, 1, 'doomed', '2026'), ('of removed site', 3, 1, 'doomed', '2026');
    pragma user_version = ${initialVersion + before.length - 1};
  `);
  earlier.close();

  const database = openSqlite(data);
  try {
    const listDue = async (writingBefore: string, markedBefore: string) =>
      (await listDueObjects(database.read, { writingBefore, markedBefore }, 10)).toSorted();
    expect(await listDue('2025', '2025')).toEqual(['of deleted site', 'of removed site']);
    expect(await listDue('2027', '2026')).toEqual(['kept', 'of deleted site', 'of removed site', 'writing']);
    await database.write('server', (db) => markSiteObjectsForDeletion(db, 1));
    expect(await listDue('2025', '2025')).toEqual(['kept', 'live', 'of deleted site', 'of removed site']);
  } finally {
    await database.close();
  }
});

test('events of earlier schemas are counted by section, as new ones are', async () => {
  const data = createTemporaryFolder();
  const earlier = new BetterSqlite(join(data, 'lectern.db'));
  const before = migrations.slice(0, migrations.indexOf(eventSections));
  for (const statement of before.flat()) {
    earlier.exec(typeof statement === 'string' ? statement : (statement.sqlite ?? ''));
  }
  earlier.exec(`
    insert into site (id, slug, name, plan, subscription, created_at, updated_at) values (1, 's', 'S', 'enterprise', 'active', '2026', '2026')`);
  const urls = [
    'Politics/1',
    'politics/2/?page=3',
    '2026/11/27/x',
    'x',
    'k%C3%B6ln/4',
    `${'y'.repeat(120)}/5`,
    '/double/6',
    null,
  ];
  const insertPost = earlier.prepare(
    `insert into post (site_id, external_id, canonical_url, visibility, created_at, updated_at) values (1, ?, ?, 'public', '2026', '2026')`,
  );
  const insertSum = earlier.prepare(`insert into event_day values (1, '', 'post', '2026-11-27', ?, 'play', 2)`);
  const insertListener = earlier.prepare(
    `insert into event_listener values (1, '2026-11-27', ?, ?, 'en', 1, 'phone', 'public')`,
  );
  const expected = new Map<string, { plays: number; sessions: Set<string> }>();
  for (const [index, path] of [...urls, undefined].entries()) {
    // The last post is deleted.
    const post = `post ${index}`;
    const canonical = typeof path === 'string' ? canonicalizeUrl(`https://www.example.org/${path}`) : null;
    if (path !== undefined) insertPost.run(post, canonical);
    insertSum.run(post);
    const section = findSection(canonical);
    const { plays, sessions } = expected.get(section) ?? { plays: 0, sessions: new Set<string>() };
    for (const session of ['all', `only ${index}`]) {
      insertListener.run(session, post);
      sessions.add(session);
    }
    expected.set(section, { plays: plays + 2, sessions });
  }
  earlier.pragma(`user_version = ${initialVersion + before.length - 1}`);
  earlier.close();

  const database = openSqlite(data);
  try {
    const rows = await database.read
      .selectFrom('event_day')
      .select(['value', 'metric', 'amount'])
      .where('dimension', '=', 'section')
      .execute();
    const sums = [...expected].flatMap(([value, { plays, sessions }]) => [
      { value, metric: 'play', amount: plays },
      { value, metric: 'listeners', amount: sessions.size },
    ]);
    expect([...expected.keys()]).toEqual(['politics', '', 'k%c3%b6ln', 'y'.repeat(100)]);
    const order = (row: { value: string; metric: string }) => `${row.value} ${row.metric}`;
    const sort = (list: typeof sums) => list.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
    expect(sort(rows)).toEqual(sort(sums));
  } finally {
    await database.close();
  }
});
