import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { refuseWrites } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const content = 'The harbor master counted forty ships before the fog came in from the sea.';

test('after an unexpected error a sentence is retried a few times, then the post fails with that reason', async () => {
  const server = await startTestServer();
  const acceptSegments = refuseSegments(server);
  expect((await server.generate({ post_id: 'broken', content })).status).toBe(202);
  expect(await server.waitUntilFinished('broken')).toMatchObject({
    status: 'failed',
    error: 'Synthesis failed: internal error. See the server log',
    audio_url: null,
  });
  await eventually(() => countInterruptions(server) >= 3, 'the log has the message');
  expect(countInterruptions(server)).toBe(3);

  acceptSegments();
  expect((await server.generate({ post_id: 'broken', content })).status).toBe(202);
  expect(await server.waitUntilFinished('broken')).toMatchObject({ status: 'ready' });
  await server.stop();
});

test('a new text has the same number of attempts, regardless of the previous one', async () => {
  const server = await startTestServer();
  refuseSegments(server);
  await server.generate({ post_id: 'broken', content });
  await eventually(() => countInterruptions(server) === 2, 'two attempts');
  await server.generate({ post_id: 'broken', content: `${content} Then it lifted.` });
  expect(await server.waitUntilFinished('broken')).toMatchObject({ status: 'failed' });
  await eventually(() => countInterruptions(server) >= 2 + 3, 'the same number of attempts');
  // Five seconds after its second attempt, the previous text would have had its third.
  expect(countInterruptions(server)).toBeLessThanOrEqual(3 + 3);
  await server.stop();
});

test('an unhandled rejection is logged and the server continues; an uncaught exception ends it', async () => {
  const background = join(import.meta.dir, '../../src/background.ts');
  const log = join(import.meta.dir, '../../src/log.ts');
  const program = `
    const { logUnhandledErrors } = await import('${background}');
    const { createLog } = await import('${log}');
    logUnhandledErrors(createLog('info'));
    process.on('unhandledRejection', () => setImmediate(() => {
      console.log('it goes on');
      setImmediate(() => { throw new RangeError('thrown'); });
    }));
    Promise.reject(new RangeError('rejected'));
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([await child.exited, stdout]).toEqual([1, 'it goes on\n']);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: 50, msg: 'unhandled rejection', err: { message: 'rejected' } },
    { level: 60, msg: 'uncaught exception', err: { message: 'thrown' } },
  ]);
});

function refuseSegments({ data }: TestServer): () => void {
  return refuseWrites(data, 'insert', 'planned_segment', 'refused');
}

function countInterruptions(server: TestServer): number {
  return server.log().match(/synthesis interrupted/g)?.length ?? 0;
}
