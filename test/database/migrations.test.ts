import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { mainJob } from '../../src/database/migrations/0001-main-job.ts';
import { openDatabase } from '../../src/database/open.ts';
import { temporaryFolder } from '../fixtures/server.ts';

test('a database of the first version keeps its audio, and the numbers of deleted records stay taken', async () => {
  const data = temporaryFolder();
  const old = new BetterSqlite(join(data, 'lectern.db'));
  old.pragma('foreign_keys = true');
  for (const statement of mainJob) old.exec(statement);
  old.exec(`
    insert into site values (1, 's', 'S', 'enterprise', 'active', null, 1, null, 0, 64, 1, '2026', '2026');
    insert into voice values (1, 'h', 0, 'alder', 'en', 'en_GB', 'medium', 'male', 22050, 3.2, null, null, 'starter', 1, '2026');
    insert into post values (1, 1, 'p', 'https://paper.example/p', 'public', null, '2026', '2026');
    insert into audio values (7, 1, 'en', 1, 'ready', 100, null, 'T', 'C', 'r', 'normal', 1, 0.5, null, '2026', '2026');
    insert into audio values (8, 1, 'de', 1, 'ready', 100, null, 'T', 'C', 'r', 'normal', 1, 0.5, null, '2026', '2026');
    delete from audio where id = 8;
    insert into version (id, audio_id, generation, voice_id, sample_rate_hz, bit_rate_kbps, left_out, media_key)
      values (3, 7, 1, 1, 22050, 64, '[]', 'key');
    insert into planned_segment values (3, 0, 'x', 'paragraph', 'text', 'content', 0, 4);
    pragma user_version = 1;
  `);
  old.close();

  const database = openDatabase(data);
  try {
    const audio = await database.read.selectFrom('audio').selectAll().execute();
    expect(audio).toMatchObject([{ id: 7, is_main: 1, content: 'C', turn: 0.5, status: 'ready' }]);
    const segments = await database.read.selectFrom('planned_segment').selectAll().execute();
    expect(segments).toMatchObject([{ version_id: 3, hash: 'x' }]);
    const { id } = await database.write((db) =>
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
          generation: 1,
          turn: 0,
          version_id: null,
          created_at: '2026',
          updated_at: '2026',
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    expect(id).toBe(9);
    const found = sql<{ rowid: number }>`select rowid from post_search('"paper.example/p"')`;
    expect((await found.execute(database.read)).rows).toEqual([{ rowid: 1 }]);
    // What hangs on an audio still goes with it.
    await database.write((db) => db.deleteFrom('audio').where('id', '=', 7).execute());
    expect(await database.read.selectFrom('version').selectAll().execute()).toEqual([]);
  } finally {
    await database.close();
  }
});
