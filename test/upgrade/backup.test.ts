import { expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { lockDataFolder } from '../../src/database/sqlite.ts';
import { runCommand } from '../fixtures/server.ts';
import { mountSmallDisk } from '../fixtures/small-disk.ts';
import { unpackFrozen } from './frozen-folder.ts';

const archive = join(import.meta.dir, 'frozen/24-six-voices.tar.gz');

function readSchema(data: string): unknown {
  const database = new BetterSqlite(join(data, 'lectern.db'), { readonly: true });
  try {
    return database.pragma('user_version', { simple: true });
  } finally {
    database.close();
  }
}

test('a command does not upgrade the database under a running server', async () => {
  const { data, facts } = await unpackFrozen(archive);
  const unlock = lockDataFolder(data);
  const { code, stderr } = await runCommand(['site', 'list', '--data', data]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('is in use by another Lectern server. Stop that server')]);
  expect(readSchema(data)).toBe(facts.schema);
  unlock();
  expect((await runCommand(['site', 'list', '--data', data])).code).toBe(0);
  expect(readSchema(data)).not.toBe(facts.schema);
});

test('an upgrade without room for its backup is refused, unless the backup is switched off', async () => {
  const { data, facts } = await unpackFrozen(archive);
  const disk = mountSmallDisk(20_000_000);
  try {
    const small = join(disk.path, 'data');
    cpSync(data, small, { recursive: true });
    // Checkpoints the write-ahead log of the killed server.
    const database = new BetterSqlite(join(small, 'lectern.db'));
    database.pragma('wal_checkpoint(truncate)');
    database.close();
    disk.leave(2 * statSync(join(small, 'lectern.db')).size - 4_096);
    const refused = await runCommand(['site', 'list', '--data', small]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Upgrade not started: its backup needs'),
    ]);
    expect([readSchema(small), existsSync(join(small, 'backups'))]).toEqual([facts.schema, false]);
    const env = { LECTERN_BACKUP_BEFORE_UPGRADE: 'off' };
    expect((await runCommand(['site', 'list', '--data', small], { env })).code).toBe(0);
    expect([readSchema(small) === facts.schema, existsSync(join(small, 'backups'))]).toEqual([false, false]);
  } finally {
    disk.remove();
  }
});

test('an upgrade deletes incomplete backups of a killed one', async () => {
  const { data, facts } = await unpackFrozen(archive);
  const folder = join(data, 'backups');
  const name = `lectern-2026-11-23T12-00-41-989Z-schema-${facts.schema}.tar`;
  mkdirSync(folder, { recursive: true });
  for (const part of ['database.partial', '0a1b2c3d.partial']) writeFileSync(join(folder, `${name}.${part}`), 'part');
  expect((await runCommand(['site', 'list', '--data', data])).code).toBe(0);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/-schema-\d+\.tar$/)]);
});

test('a migration that fails repeatedly has one backup for each state of the database', async () => {
  const { data, facts } = await unpackFrozen(archive);
  const change = (sql: string): void => {
    const database = new BetterSqlite(join(data, 'lectern.db'));
    database.exec(sql);
    database.close();
  };
  const start = () => runCommand(['site', 'list', '--data', data]);
  const listBackups = () => readdirSync(join(data, 'backups')).toSorted();
  // A migration creates this table.
  change('create table known_device (id integer)');
  expect([(await start()).code, (await start()).code, (await start()).code]).toEqual([1, 1, 1]);
  const [first] = listBackups();
  expect(listBackups()).toEqual([expect.stringContaining(`-schema-${facts.schema}.tar`)]);
  change("update site set name = 'Changed'");
  expect([(await start()).code, (await start()).code]).toEqual([1, 1]);
  expect(listBackups()).toEqual([String(first), expect.stringContaining(`-schema-${facts.schema}.tar`)]);
  change('drop table known_device');
  expect((await start()).code).toBe(0);
  expect(listBackups()).toHaveLength(3);
});
