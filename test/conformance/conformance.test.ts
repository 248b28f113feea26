import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { startTestServer, temporaryFolder } from '../fixtures/server.ts';

setDefaultTimeout(120_000);

const script = join(import.meta.dir, 'conformance.ts');
const password = 'a long enough password';

/** Runs some rows against a fresh server; @param env settings that break a rule, or none */
async function conformance(only: string, env: Record<string, string> = {}) {
  const data = temporaryFolder();
  const email = 'admin@example.org';
  const made = Bun.spawn(
    [
      ...[process.execPath, join(import.meta.dir, '../../src/main.ts'), 'user', 'create'],
      ...['--data', data, '--email', email, '--role', 'admin', '--password-stdin'],
    ],
    { stdin: new Blob([password]), stdout: 'ignore', env: { PATH: process.env['PATH'] ?? '' } },
  );
  expect(await made.exited).toBe(0);
  const server = await startTestServer({ data, env: { ...seedRates, ...env } });
  const run = Bun.spawn([process.execPath, script, server.url, '--email', email, '--password-stdin', '--only', only], {
    stdin: new Blob([password]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [table, differences, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  await server.stop();
  return { code, table, differences };
}

/** The document's own, where other tests use higher ones. */
const seedRates = {
  LECTERN_RATE_KEY: '60',
  LECTERN_RATE_PAGE: '60',
  LECTERN_RATE_EVENTS: '200',
  LECTERN_RATE_TRACK: '120',
};

describe('the conformance run', () => {
  test('holds on a server as it is', async () => {
    const good = await conformance('plain or HTML');
    expect(good).toMatchObject({
      code: 0,
      differences: expect.stringMatching(/^1 rows hold, 0 differ/),
    });
  });

  test('does not depend on the speed of the machine where events are answered in batches', async () => {
    const good = await conformance('events`: 200 a minute');
    expect(good).toMatchObject({ code: 0, differences: expect.stringMatching(/^1 rows hold, 0 differ/) });
  });

  test.each([
    ['the limit of events', 'events`: 200 a minute', { LECTERN_RATE_EVENTS: '201' }],
    ['a rate limit', 'X-API-Key`: 60 a minute', { LECTERN_RATE_KEY: '61' }],
    ['a quota', 'starter: 50 posts', { LECTERN_QUOTA_POSTS: 'starter=51' }],
    ['the longest content', 'plain or HTML', { LECTERN_CONTENT_LENGTH_MAX: '50' }],
  ])('fails on a server that breaks %s', async (_rule, only, broken) => {
    const bad = await conformance(only, broken);
    expect(bad.code).toBe(1);
    expect(bad.differences).toMatch(/\n0 rows hold, 1 differ\n$/);
    expect(bad.table).toContain('**differs**');
  });

  test('fails when it has nothing to look at', async () => {
    expect((await conformance('no row says this')).code).toBe(1);
  });
});
