import { afterEach, describe, expect, test } from 'bun:test';
import type { Subprocess } from 'bun';
import type { StartedSession } from '../../src/auth/schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { addDefaultVoice } from '../fixtures/default-voice.ts';
import {
  createTemporaryFolder,
  type Envelope,
  program,
  serverEnvironment,
  withoutPreloading,
} from '../fixtures/server.ts';
import { createUser, password } from '../fixtures/users.ts';
import { readRows } from './stored-rows.ts';

const running: Subprocess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Started {
  readonly url: string;
  /** Token of the setup link; undefined when none was printed. */
  readonly token: string | undefined;
  readonly process: Subprocess;
  log(): string;
}

/** Starts a server and reads its first output. */
async function serve(data: string): Promise<Started> {
  await addDefaultVoice(data);
  const child = Bun.spawn([...program, 'serve', '--data', data, '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...serverEnvironment, ...withoutPreloading },
  });
  running.push(child);
  let log = '';
  const readLog = async (): Promise<void> => {
    for await (const chunk of child.stderr) log += new TextDecoder().decode(chunk);
  };
  readLog().catch((error: unknown) => {
    log += String(error);
  });
  const { value } = await child.stdout.getReader().read();
  const output = JSON.parse(new TextDecoder().decode(value)) as { url: string; setup_url?: string };
  const token = output.setup_url?.split('#setup=')[1];
  return { url: output.url, token, process: child, log: () => log };
}

function setUp(server: Started, more: object = {}): Promise<Response> {
  return fetch(`${server.url}/v1/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: server.token, email: 'First@example.org', password, ...more }),
  });
}

const refused = {
  success: false,
  message: 'Setup link invalid: it is wrong, used or expired. Restart the server to get a new one.',
};

describe('the setup link', () => {
  test('creates the first admin, who is signed in, and works once', async () => {
    const data = createTemporaryFolder();
    const server = await serve(data);
    expect(server.token).toMatch(/^[\w-]{43}$/);
    const response = await setUp(server);
    expect(response.status).toBe(201);
    expect(response.headers.get('set-cookie')).toStartWith('lectern_session=');
    const { data: session } = (await response.json()) as Envelope<StartedSession>;
    expect(session.user).toMatchObject({ email: 'first@example.org', role: 'admin' });
    const headers = { authorization: `Bearer ${session.token}` };
    expect((await fetch(`${server.url}/v1/users`, { headers })).status).toBe(200);

    const again = await setUp(server, { email: 'second@example.org' });
    expect([again.status, await again.json()]).toEqual([401, refused]);
    expect(readRows(data, 'select email from user')).toEqual([{ email: 'first@example.org' }]);
    expect(readRows(data, 'select actor, action, subject from audit_entry')).toEqual([
      { actor: 'first@example.org', action: 'user.created', subject: 'first@example.org' },
    ]);
    expect(readRows(data, 'select hash from setup_token')).toEqual([]);
    expect(server.log()).not.toContain(server.token);
    server.process.kill();
    await server.process.exited;
    expect((await serve(data)).token).toBeUndefined();
  });

  test('can be used once, even by ten concurrent requests', async () => {
    const data = createTemporaryFolder();
    const server = await serve(data);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => setUp(server, { email: `user-${index}@example.org` })),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 401)]);
    expect(readRows(data, 'select id from user')).toHaveLength(1);
  });

  test('is invalid when wrong or a day old, is not stored, and stays valid after a mistake', async () => {
    const data = createTemporaryFolder();
    const server = await serve(data);
    for (const token of ['x', 'x'.repeat(43), `${server.token}A`]) {
      expect((await setUp(server, { token })).status).toBe(401);
    }
    expect((await setUp(server, { password: 'too short' })).status).toBe(422);
    expect((await setUp(server, { email: 'no address' })).status).toBe(422);
    const [row] = readRows<{ hash: string; expires_at: string }>(data, 'select * from setup_token');
    expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
    const hours = (Date.parse(row?.expires_at ?? '') - Date.now()) / 3_600_000;
    expect(Math.abs(hours - 24)).toBeLessThan(0.1);
    const soon = new Date(Date.now() + 60_000).toISOString();
    changeRows(data, 'update setup_token set expires_at = ?', new Date().toISOString());
    expect((await setUp(server)).status).toBe(401);
    changeRows(data, 'update setup_token set expires_at = ?', soon);
    expect((await setUp(server)).status).toBe(201);
  });

  test('is replaced at the next start, and becomes invalid when a command creates an admin', async () => {
    const data = createTemporaryFolder();
    const first = await serve(data);
    first.process.kill();
    await first.process.exited;
    const second = await serve(data);
    expect(second.token).not.toBe(first.token);
    expect((await setUp({ ...second, token: first.token })).status).toBe(401);
    await createUser(data, '--role', 'admin');
    expect((await setUp(second)).status).toBe(401);
  });

  test('is still valid when only users without the role admin exist', async () => {
    const data = createTemporaryFolder();
    const server = await serve(data);
    await createUser(data);
    expect((await setUp(server)).status).toBe(201);
  });
});
