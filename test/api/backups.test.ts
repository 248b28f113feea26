import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser, type SiteUsers } from '../fixtures/site-users.ts';
import { requireTool } from '../fixtures/tools.ts';
import { buildArticle } from './articles.ts';

interface Backup {
  name: string;
  state: string;
  created_at: string;
  byte_count: number | null;
  error: string | null;
}

const path = '/v1/system/backups';
let server: TestServer;
let users: SiteUsers;

beforeAll(async () => {
  const data = createTemporaryFolder();
  const { key } = await createSite(data);
  mkdirSync(join(data, 'backups'));
  writeFileSync(join(data, 'backups', 'lectern-broken-off.tar.partial'), 'half of it');
  writeFileSync(join(data, 'backups', 'note.txt'), 'not a backup');
  server = await startTestServer({ data, key, env: { LECTERN_BACKUPS_KEPT: '2' } });
  users = createSiteUsers(server, server.siteId);
});
afterAll(() => server.stop('SIGKILL'));

async function list(): Promise<Backup[]> {
  return (await users.admin.request<{ items: Backup[] }>('GET', path)).data.items;
}

async function startBackup(): Promise<Backup> {
  const { status, data } = await users.admin.request<Backup>('POST', path);
  expect(status).toBe(202);
  return data;
}

function waitUntilFinished(name: string): Promise<Backup> {
  return eventually(async () => {
    const found = (await list()).find((backup) => backup.name === name);
    return found !== undefined && found.state !== 'running' && found;
  }, `${name} is finished`);
}

// PostgreSQL is backed up with its own tools: test/long/postgres.test.ts.
describe.skipIf(isOnPostgres)('a backup', () => {
  test('can be created on a running server, downloaded and restored', async () => {
    await server.generate({ post_id: 'before', content: buildArticle('before') });
    await server.waitUntilFinished('before');
    const backup = await startBackup();
    expect(backup).toMatchObject({ state: 'running', byte_count: null, error: null });
    expect(readLastEntry(server.data, 'backup.begun')).toMatchObject({
      ...{ actor: users.admin.email, subject: backup.name },
    });
    const ready = await waitUntilFinished(backup.name);
    const file = join(server.data, 'backups', backup.name);
    expect(ready).toEqual({ ...backup, state: 'ready', byte_count: statSync(file).size });
    expect(statSync(file).mode & 0o077).toBe(0);

    const head = await users.admin.fetch(`${path}/${backup.name}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(ready.byte_count)]);
    expect(readLastEntry(server.data, 'backup.downloaded')).toBeUndefined();
    const response = await users.admin.fetch(`${path}/${backup.name}`);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(ready.byte_count)]);
    expect(response.headers.get('content-disposition')).toContain(backup.name);
    const download = join(createTemporaryFolder(), 'download.tar');
    await Bun.write(download, await response.bytes());
    expect(readLastEntry(server.data, 'backup.downloaded')).toMatchObject({ subject: backup.name });
    const restored = join(createTemporaryFolder(), 'restored');
    expect((await runCommand(['restore', download, '--data', restored])).code).toBe(0);
    const again = await startTestServer({ data: restored, key: server.key });
    expect((await again.status('before')).status).toBe('ready');
    await again.stop();

    const gone = await users.admin.request('DELETE', `${path}/${backup.name}`);
    expect([gone.status, gone.data]).toEqual([200, { name: backup.name }]);
    expect(readLastEntry(server.data, 'backup.deleted')).toMatchObject({ subject: backup.name });
    expect(existsSync(file)).toBe(false);
    expect(await list()).toEqual([]);

    const restore = (user: SiteUser) => user.request('POST', `${path}/${backup.name}/restore`);
    expect(await collectStatuses(users, restore)).toEqual([401, 403, 403, 403, 200]);
    expect(await list()).toEqual([ready]);
    expect(readLastEntry(server.data, 'backup.restored')).toMatchObject({ subject: backup.name });
    expect((await restore(users.admin)).status).toBe(404);
    expect((await users.admin.request('POST', `${path}/..%2flectern.db/restore`)).status).toBe(404);
    await users.admin.request('DELETE', `${path}/${backup.name}`);
  });

  test('cannot be started while another one runs', async () => {
    // The backup process reads the settings first; on a pipe it blocks until they are written.
    const settings = join(server.data, 'lectern.toml');
    expect(Bun.spawnSync([requireTool('mkfifo'), settings]).exitCode).toBe(0);
    const { name } = await startBackup();
    const second = await users.admin.request('POST', path);
    expect([second.status, second.message]).toEqual([409, 'A backup is already running']);
    const early = await users.admin.request('DELETE', `${path}/${name}`);
    expect([early.status, early.message]).toEqual([409, 'Backup not deleted: it is still running']);
    expect((await users.admin.request('GET', `${path}/${name}`)).status).toBe(404);
    await Bun.spawn([requireTool('sh'), '-c', ': >"$0"', settings]).exited;
    rmSync(settings);
    expect((await waitUntilFinished(name)).state).toBe('ready');
  });

  test('replaces the oldest when the limit is reached', async () => {
    const names: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { name } = await startBackup();
      await waitUntilFinished(name);
      names.push(name);
    }
    expect((await list()).map(({ name }) => name)).toEqual(names.slice(1).reverse());
  });

  test('that failed has a reason and can be deleted from the list', async () => {
    // The backup process reads the settings again.
    const settings = join(server.data, 'lectern.toml');
    writeFileSync(settings, 'nonsense = 1');
    const { name } = await startBackup();
    const failed = await waitUntilFinished(name);
    rmSync(settings);
    expect(failed).toMatchObject({ state: 'failed', byte_count: null });
    expect(failed.error).toBe('nonsense in the config file: unknown setting');
    expect((await users.admin.request('GET', `${path}/${name}`)).status).toBe(404);
    expect((await users.admin.request('DELETE', `${path}/${name}`)).status).toBe(200);
    expect((await list()).map((backup) => backup.name)).not.toContain(name);
  });

  test('is available to admins only, and only by its file name', async () => {
    const { name } = await startBackup();
    await waitUntilFinished(name);
    const checkAccess = (method: string, to: string) =>
      collectStatuses(users, async (user) => {
        const response = await user.fetch(to, { method });
        await response.bytes();
        return response;
      });
    expect(await checkAccess('GET', path)).toEqual([401, 403, 403, 403, 200]);
    expect(await checkAccess('GET', `${path}/${name}`)).toEqual([401, 403, 403, 403, 200]);
    expect(await checkAccess('DELETE', `${path}/${name}`)).toEqual([401, 403, 403, 403, 200]);
    expect((await checkAccess('POST', path)).slice(0, 4)).toEqual([401, 403, 403, 403]);
    for (const invalidInputs of ['note.txt', '..%2flectern.db', '%2e%2e%2flectern.db', 'x%2f..%2fnote.txt']) {
      for (const method of ['GET', 'DELETE']) {
        expect([
          invalidInputs,
          method,
          (await users.admin.fetch(`${path}/${invalidInputs}`, { method })).status,
        ]).toEqual([invalidInputs, method, 404]);
      }
    }
    expect(existsSync(join(server.data, 'lectern.db'))).toBe(true);
    expect(readdirSync(join(server.data, 'backups'))).toContain('note.txt');
  });
});

test('a start deletes incomplete backups of an earlier process', () => {
  expect(existsSync(join(server.data, 'backups', 'lectern-broken-off.tar.partial'))).toBe(false);
});

test('every user can read the licenses that the command prints', async () => {
  const { stdout } = await runCommand(['licenses']);
  const response = await users.viewer.fetch('/v1/system/licenses');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect((await response.text()).trim()).toBe(stdout.trim());
  expect((await users.anonymous.fetch('/v1/system/licenses')).status).toBe(401);
});

describe.skipIf(isOnPostgres)('scheduled backups', () => {
  const schedule = { LECTERN_BACKUP_INTERVAL_HOURS: '1', LECTERN_BACKUPS_KEPT: '2' };
  interface Scheduled {
    readonly items: Backup[];
    readonly interval_hours: number;
    readonly last_success_at: string | null;
    readonly next_at: string | null;
  }

  async function readSchedule(of: TestServer): Promise<Scheduled> {
    return (await createSiteUsers(of, of.siteId).admin.request<Scheduled>('GET', path)).data;
  }

  async function readMetrics(of: TestServer): Promise<string> {
    return (await fetch(`${of.url}/metrics`)).text();
  }

  test('are created when the newest one reaches the interval, and only the configured number is kept', async () => {
    const data = createTemporaryFolder();
    const { key } = await createSite(data);
    const folder = join(data, 'backups');
    mkdirSync(folder);
    for (const hour of [1, 2, 3]) writeFileSync(join(folder, `lectern-2026-01-01T0${hour}-00-00-000Z.tar`), 'old');
    const scheduled = await startTestServer({ data, key, env: schedule });
    const { items, last_success_at, next_at } = await eventually(async () => {
      const state = await readSchedule(scheduled);
      return state.items.some(({ created_at }) => created_at > '2026-01-02') && !state.items.some(isRunning) && state;
    }, 'a backup is created');
    expect(items.map(({ name }) => name).slice(1)).toEqual(['lectern-2026-01-01T03-00-00-000Z.tar']);
    expect(last_success_at).toBe(items[0]?.created_at ?? '');
    expect(Date.parse(String(next_at)) - Date.parse(String(last_success_at))).toBe(3_600_000);
    expect(await readMetrics(scheduled)).toMatch(/lectern_backup_age_seconds \d/);
    await scheduled.stop();
    const restored = join(createTemporaryFolder(), 'restored');
    expect((await runCommand(['restore', join(folder, items[0]?.name ?? ''), '--data', restored])).code).toBe(0);
  });

  test('are created and kept when earlier ones have a time in the future', async () => {
    const data = createTemporaryFolder();
    const { key } = await createSite(data);
    const folder = join(data, 'backups');
    mkdirSync(folder);
    for (const hour of [1, 2, 3]) writeFileSync(join(folder, `lectern-2099-01-01T0${hour}-00-00-000Z.tar`), 'ahead');
    const scheduled = await startTestServer({ data, key, env: schedule });
    const { items, last_success_at } = await eventually(async () => {
      const state = await readSchedule(scheduled);
      return state.last_success_at !== null && !state.items.some(isRunning) && state.items.length === 2 && state;
    }, 'a backup is created');
    expect(items.map(({ name }) => name)).toEqual([
      expect.stringContaining('lectern-20'),
      'lectern-2099-01-01T03-00-00-000Z.tar',
    ]);
    expect(last_success_at).toBe(items[0]?.created_at ?? '');
    await scheduled.stop('SIGKILL');
  });

  test('that would use the disk reserve fail with a warning and a metric, and are retried later', async () => {
    const data = createTemporaryFolder();
    const { key } = await createSite(data);
    const scheduled = await startTestServer({
      ...{ data, key },
      env: { ...schedule, LECTERN_DISK_RESERVE_MB: '10000000' },
    });
    const { items, last_success_at, next_at } = await eventually(async () => {
      const state = await readSchedule(scheduled);
      return state.items.length > 0 && !state.items.some(isRunning) && state;
    }, 'the backup fails');
    expect(items).toEqual([
      expect.objectContaining({
        state: 'failed',
        error: expect.stringContaining('Not enough disk space for a backup'),
      }),
    ]);
    expect(last_success_at).toBeNull();
    expect(Date.parse(String(next_at)) - Date.parse(items[0]?.created_at ?? '')).toBe(3_600_000);
    const metrics = await readMetrics(scheduled);
    expect(metrics).toContain('lectern_backup_failures_total 1');
    expect(metrics).toContain('lectern_backup_age_seconds +Inf');
    await scheduled.waitForLogLine('backup failed');
    // No later backup succeeds, so an earlier file is the last success.
    writeFileSync(join(data, 'backups', 'lectern-2026-01-01T03-00-00-000Z.tar'), 'old');
    expect(await readMetrics(scheduled)).toContain('lectern_backup_last_success_timestamp_seconds 1767236400');
    await scheduled.stop('SIGKILL');
  });
});

function isRunning({ state }: Backup): boolean {
  return state === 'running';
}
