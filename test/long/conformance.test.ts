import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { startServerForFile, type TestServer } from '../fixtures/server.ts';
import { createUser, password } from '../fixtures/users.ts';

const script = join(import.meta.dir, '../conformance/conformance.ts');

/** Runs some rows against a server. */
async function runConformance({ data, url }: TestServer, only: string) {
  const { email } = await createUser(data, '--role', 'admin');
  const run = Bun.spawn([process.execPath, script, url, '--email', email, '--password-stdin', '--only', only], {
    stdin: new Blob([password]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [table, differences, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  return { code, table, differences };
}

/** The limits of the source document; other tests use higher ones. */
const seedRates = {
  LECTERN_RATE_KEY: '60',
  LECTERN_RATE_PAGE: '60',
  LECTERN_RATE_EVENTS: '200',
  LECTERN_RATE_TRACK: '120',
};

const correct = await startServerForFile({ env: seedRates });
/** Each setting breaks another rule. */
const broken = await startServerForFile({
  env: { ...seedRates, LECTERN_RATE_EVENTS: '201', LECTERN_RATE_KEY: '61', LECTERN_QUOTA_POSTS: 'starter=51' },
});
const short = await startServerForFile({ env: { ...seedRates, LECTERN_CONTENT_LENGTH_MAX: '50' } });

describe('the conformance run', () => {
  test('passes on a correct server', async () => {
    expect(await runConformance(correct, 'plain or HTML')).toMatchObject({
      code: 0,
      differences: expect.stringMatching(/^1 rows hold, 0 differ/),
    });
  });

  test('does not depend on the speed of the machine if events are processed in batches', async () => {
    const good = await runConformance(correct, 'events`: 200 a minute');
    expect(good).toMatchObject({ code: 0, differences: expect.stringMatching(/^1 rows hold, 0 differ/) });
  });

  test.each([
    ['the limit of events', 'events`: 200 a minute', broken],
    ['a rate limit', 'X-API-Key`: 60 a minute', broken],
    ['a quota', 'starter: 50 posts', broken],
    ['the longest content', 'plain or HTML', short],
  ])('fails on a server that breaks %s', async (_rule, only, server) => {
    const bad = await runConformance(server, only);
    expect(bad.code).toBe(1);
    expect(bad.differences).toMatch(/\n0 rows hold, 1 differ\n$/);
    expect(bad.table).toContain('**differs**');
  });

  test('fails without rows', async () => {
    expect((await runConformance(correct, 'no row says this')).code).toBe(1);
  });
});
