import { describe, expect, test } from 'bun:test';
import { readDatabase } from '../fixtures/database.ts';
import { createSite, type Envelope, runCommand, startServerForFile } from '../fixtures/server.ts';
import { buildArticle } from './articles.ts';
import { countRows } from './stored-rows.ts';

const content = buildArticle('the harbor');

const server = await startServerForFile();

/** Runs a command on the server's data folder. @returns its JSON value */
async function runLectern(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', server.data, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Sends a key to two routes, which must respond equally. */
async function requestWithKey(key: string | undefined): Promise<{ status: number; message: string }> {
  const headers = key === undefined ? undefined : { 'x-api-key': key };
  const status = await fetch(`${server.url}/v1/audio/nothing/status`, { headers });
  const several = await fetch(`${server.url}/v1/audio/status?post_id=a`, { headers });
  // An invalid body of the wrong type: without credentials the response must not mention it.
  const generate = await fetch(`${server.url}/v1/audio/generate`, {
    ...{ method: 'POST', headers, body: '{"broken' },
  });
  const responses = await Promise.all(
    [status, several, generate].map(async (response) => {
      const { message } = (await response.json()) as Envelope<unknown>;
      return { status: response.status, message };
    }),
  );
  const [first, second, third] = responses;
  if (first === undefined) throw new Error('no response');
  if (first.status === 404) {
    expect(second).toEqual({ status: 200, message: 'OK' });
    expect(third?.status).toBe(415);
    return { status: 200, message: 'let in' };
  }
  expect([second, third]).toEqual([first, first]);
  return first;
}

const letIn = { status: 200, message: 'let in' };

describe('an API key', () => {
  test('is checked before the body is read', async () => {
    const before = countRows(server.data);
    expect(await requestWithKey(undefined)).toEqual({ status: 401, message: 'API key missing' });
    expect(await requestWithKey('')).toEqual({ status: 401, message: 'API key missing' });
    const fine = await fetch(`${server.url}/v1/audio/generate`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ post_id: 'a', content }),
    });
    expect(fine.status).toBe(401);
    expect(countRows(server.data)).toEqual(before);
  });

  test.each(['nonsense', 'svc_live_', `svc_live_${'x'.repeat(43)}`, `svc_live_${'x'.repeat(5000)}`, "' or 1=1 --"])(
    'is refused when it is %j',
    async (key) => {
      expect(await requestWithKey(key)).toEqual({ status: 401, message: 'API key invalid' });
    },
  );

  test('is rejected when a letter is changed, removed or appended', async () => {
    const { key } = server;
    const changed = `${key.slice(0, -1)}${key.endsWith('A') ? 'E' : 'A'}`;
    for (const invalidInputs of [changed, key.slice(0, -1), `${key}A`, key.toUpperCase()]) {
      expect(await requestWithKey(invalidInputs)).toEqual({ status: 401, message: 'API key invalid' });
    }
    expect(await requestWithKey(key)).toEqual(letIn);
  });

  test('is valid from its creation to its revocation', async () => {
    const { id, key } = await runLectern('key', 'create', '--site', '1', '--name', 'staging');
    expect(await requestWithKey(String(key))).toEqual(letIn);
    await runLectern('key', 'revoke', String(id));
    expect(await requestWithKey(String(key))).toEqual({ status: 401, message: 'API key invalid' });
    expect(await requestWithKey(server.key)).toEqual(letIn);
  });

  test('is revoked by a rotation, with every other key of its site', async () => {
    const { siteId, key } = await createSite(server.data);
    const second = await runLectern('key', 'create', '--site', `${siteId}`);
    const rotated = await runLectern('key', 'rotate', '--site', `${siteId}`);
    for (const old of [key, String(second['key'])]) {
      expect(await requestWithKey(old)).toEqual({ status: 401, message: 'API key invalid' });
    }
    expect(await requestWithKey(String(rotated['key']))).toEqual(letIn);
    expect(await requestWithKey(server.key)).toEqual(letIn);
  });

  test('depends on the state of its site, as changed by commands', async () => {
    const { siteId, key } = await createSite(server.data);
    const update = (...flags: string[]) => runLectern('site', 'update', `${siteId}`, ...flags);
    const plan = { status: 403, message: 'Plan restriction' };
    await update('--plan', 'growth');
    expect(await requestWithKey(key)).toEqual(plan);
    await update('--plan', 'starter');
    expect(await requestWithKey(key)).toEqual(plan);
    await update('--subscription', 'trialing', '--trial-ends', '2020-01-01');
    expect(await requestWithKey(key)).toEqual({ status: 401, message: 'Trial expired' });
    await update('--subscription', 'inactive');
    expect(await requestWithKey(key)).toEqual({ status: 401, message: 'Subscription inactive' });
    await update('--active', 'false');
    expect(await requestWithKey(key)).toEqual({ status: 401, message: 'Site inactive' });
    await runLectern('key', 'rotate', '--site', `${siteId}`);
    expect(await requestWithKey(key)).toEqual({ status: 401, message: 'API key invalid' });
  });

  test('is valid again when its site is active again', async () => {
    const { siteId, key } = await createSite(server.data, { trialEndsAt: '2020-01-01T00:00:00.000Z' });
    expect(await requestWithKey(key)).toEqual({ status: 401, message: 'Trial expired' });
    await runLectern('site', 'update', `${siteId}`, '--trial-ends', '2999-01-01');
    expect(await requestWithKey(key)).toEqual(letIn);
  });

  test('gets an error that names the required plan', async () => {
    const { key } = await createSite(server.data, { plan: 'growth' });
    const response = await server.request('/v1/audio/a/status', { headers: { 'x-api-key': key } });
    expect(await response.json()).toEqual({
      ...{ success: false, message: 'Plan restriction' },
      errors: { plan: ['the REST API requires the enterprise plan; this site is on growth'] },
    });
  });

  test('gives access to the posts of its own site only', async () => {
    const other = await createSite(server.data);
    const as = { headers: { 'x-api-key': other.key, 'content-type': 'application/json' } };
    await server.generate({ post_id: 'shared name', content });
    const path = '/v1/audio/shared%20name/status';
    const before = await server.request(path, as);
    expect(before.status).toBe(404);
    expect(await before.json()).toEqual({ success: false, message: 'Post not found' });
    const body = JSON.stringify({ post_id: 'shared name', content });
    const accepted = await server.request('/v1/audio/generate', { method: 'POST', ...as, body });
    expect(accepted.status).toBe(202);
    const [ours, theirs] = await Promise.all([
      server.status('shared name'),
      server.request(path, as).then((response) => response.json() as Promise<Envelope<{ id: number }>>),
    ]);
    expect(theirs.data.id).not.toBe(ours.id);
  });

  test('is stored neither in the database nor in the log', async () => {
    expect(await requestWithKey(server.key)).toEqual(letIn);
    const pieces = await readDatabase(server.data);
    expect(pieces.length).toBeGreaterThan(0);
    for (const bytes of pieces) expect(bytes.includes(server.key)).toBe(false);
    expect(server.log()).not.toContain(server.key);
  });
});
