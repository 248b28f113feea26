import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { PasswordLink, UserRecord } from '../../src/auth/schema.ts';
import { readRows } from '../api/stored-rows.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { createSite, createTemporaryFolder, program, runCommand } from '../fixtures/server.ts';
import { createUser, password, runWithPassword } from '../fixtures/users.ts';

const data = createTemporaryFolder();

async function runJson<T = UserRecord>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** Runs a command that must fail. @returns its exit code and its one line */
async function runFailing(...words: string[]): Promise<[number, string]> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', data]);
  expect(stdout).toBe('');
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return [code, stderr.trimEnd()];
}

/** Creates a user with the command. */
async function createByCommand(...flags: readonly string[]): Promise<UserRecord> {
  const email = `created-${crypto.randomUUID().slice(0, 8)}@example.org`;
  const words = ['user', 'create', '--data', data, '--email', email, '--json', ...flags];
  const { code, stdout, stderr } = await runWithPassword(words);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function createTestSite(): Promise<string> {
  return String((await createSite(data)).siteId);
}

describe('lectern user', () => {
  test('create creates an admin', async () => {
    const user = await createByCommand('--role', 'admin');
    expect(user).toEqual({
      ...{ id: expect.any(Number), email: user.email, role: 'admin', disabled: false, invited: false, sites: [] },
      ...{ last_sign_in_at: null, created_at: expect.any(String), updated_at: expect.any(String) },
    });
  });

  test('create creates an editor or, by default, a viewer of sites', async () => {
    const [first, second] = [await createTestSite(), await createTestSite()];
    const editor = await createByCommand('--role', 'editor', '--site', first, '--site', second);
    expect(editor).toMatchObject({
      role: 'member',
      sites: [
        { id: Number(first), role: 'editor' },
        { id: Number(second), role: 'editor' },
      ],
    });
    const viewer = await createByCommand('--site', first);
    expect(viewer).toMatchObject({ role: 'member', sites: [{ id: Number(first), role: 'viewer' }] });
    const { stdout } = await runCommand(['user', 'update', viewer.email, '--email', viewer.email, '--data', data]);
    expect(stdout).toMatch(new RegExp(`^role +viewer of ${viewer.sites[0]?.slug}$`, 'm'));
  });

  test('invite and reset-link print a link and nothing else to standard output', async () => {
    const email = 'invited@example.org';
    const site = await createTestSite();
    const link = await runJson<PasswordLink>(
      ...['user', 'invite', '--email', email, '--role', 'editor', '--site', site, '--base-url', 'https://a.example/b/'],
    );
    expect(link).toEqual({
      ...{ user: { id: expect.any(Number), email }, kind: 'invitation', expires_at: expect.any(String) },
      url: expect.stringMatching(/^https:\/\/a\.example\/b\/#invitation=[\w-]{43}$/),
    });
    const users = await runJson<UserRecord[]>('user', 'list');
    expect(users.find((user) => user.email === email)).toMatchObject({ invited: true, sites: [{ role: 'editor' }] });

    const { email: known } = await createUser(data);
    const { code, stdout, stderr } = await runCommand(['user', 'reset-link', known, '--data', data]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/#reset=[\w-]{43}\n$/)]);
    expect(stderr).toMatch(/^Link for .*, valid until .*\. Pass it on now: it is not shown again\.\n$/);
    expect(await runFailing('user', 'reset-link', 'nobody@example.org')).toEqual([
      1,
      'lectern: User nobody@example.org not found',
    ]);
    expect(await runFailing('user', 'invite', '--email', known)).toEqual([
      1,
      `lectern: E-mail address already registered: ${known} belongs to another user`,
    ]);
    expect(await runFailing('user', 'invite', '--email', 'c@example.org', '--role', 'editor')).toEqual([
      2,
      'lectern: --role editor needs --site',
    ]);
  });

  test('create rejects a short password, an invalid or used address, an unknown site', async () => {
    const { email } = await createUser(data);
    const create = async (more: string[], input?: string) => {
      const words = ['user', 'create', '--data', data, ...more];
      const { code, stdout, stderr } = await runWithPassword(words, input);
      expect(stdout).toBe('');
      return [code, stderr.trimEnd()];
    };
    expect(await create(['--email', 'a@example.org'], 'too short')).toEqual([
      1,
      'lectern: The password must be at least 12 characters',
    ]);
    expect(await create(['--email', 'nobody'])).toEqual([
      1,
      'lectern: Validation failed: email: must be an e-mail address',
    ]);
    expect(await create(['--email', email.toUpperCase()])).toEqual([
      1,
      `lectern: E-mail address already registered: ${email} belongs to another user`,
    ]);
    expect(await create(['--email', 'b@example.org', '--site', 'nowhere'])).toEqual([
      1,
      'lectern: Site nowhere not found',
    ]);
    expect(await create(['--email', 'b@example.org', '--role', 'editor'])).toEqual([
      2,
      'lectern: --role editor needs --site',
    ]);
    expect(readRows(data, `select id from user where email = 'b@example.org'`)).toEqual([]);
  });

  test('create without a terminal requires --password-stdin', async () => {
    expect(await runFailing('user', 'create', '--email', 'c@example.org')).toEqual([
      2,
      'lectern: Password prompt failed: no terminal. Use --password-stdin.',
    ]);
  });

  test('create prompts twice on a terminal without echo', async () => {
    const words = ['user', 'create', '--email', 'typed@example.org', '--data', data];
    const first = await runAtTerminal(words, [`${password}\r`, `${password}!\r`]);
    expect([first.code, first.output]).toEqual([1, expect.stringContaining('Passwords do not match')]);
    const second = await runAtTerminal(words, [`x\u007f${password}\r`, `${password}\r`]);
    expect(second.code).toBe(0);
    expect(second.output).toContain('typed@example.org');
    expect(first.output + second.output).not.toContain(password.slice(0, 6));
    const broken = await runAtTerminal(['user', 'password', 'typed@example.org', '--data', data], ['abc\u0003']);
    expect([broken.code, broken.output]).toEqual([1, expect.stringContaining('Cancelled: nothing was changed')]);
  });

  test('list prints every user, as a table and as JSON', async () => {
    const site = await createTestSite();
    const user = await createUser(data, '--role', 'editor', '--site', site);
    expect(await runJson<UserRecord[]>('user', 'list')).toContainEqual(user);
    const { stdout } = await runCommand(['user', 'list', '--data', data]);
    expect(stdout).toMatch(/^ID +EMAIL +ROLE +DISABLED +LAST SIGN-IN$/m);
    expect(stdout).toMatch(new RegExp(`${user.email} +editor of ${user.sites[0]?.slug} +false +-$`, 'm'));
    expect(stdout).not.toContain('member');
    expect(stdout).not.toContain('argon2');
  });

  test('update keeps fields that it does not contain', async () => {
    const [first, second] = [await createTestSite(), await createTestSite()];
    const user = await createUser(data, '--role', 'editor', '--site', first);
    const moved = await runJson(
      ...['user', 'update', user.email, '--role', 'viewer', '--site', second, '--leave', first],
    );
    expect(moved.sites).toMatchObject([{ id: Number(second), role: 'viewer' }]);
    const renamed = await runJson('user', 'update', String(user.id), '--email', `X${user.email}`);
    expect(renamed).toEqual({
      ...moved,
      ...{ email: `x${user.email}`, updated_at: expect.any(String) },
    });
    expect(await runJson('user', 'update', renamed.email, '--role', 'admin')).toMatchObject({
      ...{ role: 'admin', sites: moved.sites },
    });
    const back = ['user', 'update', renamed.email, '--role', 'editor', '--site', second];
    expect(await runJson(...back)).toMatchObject({
      ...{ role: 'member', sites: [{ id: Number(second), role: 'editor' }] },
    });
    expect(await runFailing('user', 'update', renamed.email, '--site', second)).toEqual([
      2,
      'lectern: --site needs --role editor or viewer',
    ]);
  });

  test('disable, enable, password and remove change the account', async () => {
    const { email, id } = await createUser(data);
    expect(await runJson('user', 'disable', email.toUpperCase())).toMatchObject({ disabled: true });
    expect(await runJson('user', 'enable', String(id))).toMatchObject({ disabled: false });
    const readPasswordHash = () => readRows(data, `select password_hash from user where id = ${id}`);
    const before = readPasswordHash();
    const set = await runWithPassword(['user', 'password', email, '--data', data]);
    expect(set.code).toBe(0);
    expect(readPasswordHash()).not.toEqual(before);
    expect(await runJson<object>('user', 'remove', email)).toEqual({ id, removed: true });
    for (const name of ['disable', 'enable', 'password', 'remove', 'update']) {
      expect(await runFailing('user', name, email)).toEqual([1, `lectern: User ${email} not found`]);
    }
    const actions = readRows<{ action: string; actor: string }>(
      data,
      `select action, actor from audit_entry where subject = '${email}' order by id`,
    );
    expect(actions.map(({ action }) => action)).toEqual([
      ...['user.created', 'user.changed', 'user.changed', 'user.password_changed', 'user.removed'],
    ]);
    for (const { actor } of actions) expect(actor).toBe('command line');
  });

  test('keeps at least one admin', async () => {
    const only = createTemporaryFolder();
    const admin = await createUser(only, '--role', 'admin');
    const site = String((await createSite(only)).siteId);
    for (const words of [
      ['disable', admin.email],
      ['remove', admin.email],
      ['update', admin.email, '--role', 'viewer', '--site', site],
    ]) {
      const { code, stderr } = await runCommand(['user', ...words, '--data', only]);
      expect([code, stderr]).toEqual([1, 'lectern: At least one enabled admin is required\n']);
    }
  });
});

// PostgreSQL is backed up with its own tools.
test.skipIf(isOnPostgres)('a restored backup has no sessions', async () => {
  const [old, fresh] = [createTemporaryFolder(), createTemporaryFolder()];
  const { id, email } = await createUser(old);
  const later = '2999-01-01T00:00:00.000Z';
  changeRows(
    old,
    `insert into session (user_id, token_hash, created_at, last_seen_at, expires_at)
      values (?, 'hash', ?, ?, ?)`,
    ...[id, later, later, later],
  );
  const file = join(createTemporaryFolder(), 'backup.tar');
  expect((await runCommand(['backup', file, '--data', old])).code).toBe(0);
  expect((await runCommand(['restore', file, '--data', fresh])).code).toBe(0);
  expect(readRows(fresh, 'select email from user')).toEqual([{ email }]);
  expect(readRows(fresh, 'select id from session')).toEqual([]);
  expect(readRows(old, 'select id from session')).toHaveLength(1);
});

/** Runs a command in a terminal. @param responses typed at each prompt */
async function runAtTerminal(words: readonly string[], responses: string[]): Promise<{ code: number; output: string }> {
  let output = '';
  let received = 0;
  const child = Bun.spawn([...program, ...words], {
    env: { PATH: process.env['PATH'] ?? '' },
    terminal: {
      cols: 200,
      rows: 40,
      data: (terminal, bytes) => {
        output += new TextDecoder().decode(bytes);
        // A prompt can arrive in several chunks.
        if (output.match(/(Password|Again): /g)?.length !== received + 1) return;
        const response = responses.shift();
        received += 1;
        if (response !== undefined) terminal.write(response);
      },
    },
  });
  const code = await child.exited;
  child.terminal?.close();
  return { code, output };
}
