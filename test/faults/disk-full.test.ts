import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenTo } from '../fixtures/post.ts';
import { watchSegments } from '../fixtures/segment-log.ts';
import {
  createSite,
  type Envelope,
  startTestServer,
  type TestServer,
  temporaryFolder,
} from '../fixtures/server.ts';
import { tool } from '../fixtures/tools.ts';

setDefaultTimeout(180_000);

/** Every post brings so much that isn't spoken, so that the disk is full long before the workers are tired. */
const padding = `<!-- ${'x'.repeat(300_000)} -->`;
const disk = temporaryFolder();
const data = join(disk, 'data');
const ballast = join(disk, 'ballast');
let server: TestServer | undefined;

beforeAll(() => {
  const mount = Bun.spawnSync([tool('mount'), '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  // No way around it: without a small disk there is nothing to try.
  if (!mount.success) throw new Error(`this test mounts a small disk: ${mount.stderr}`);
});
afterAll(async () => {
  await server?.stop('SIGKILL');
  Bun.spawnSync([tool('umount'), '--lazy', disk]);
});

function article(number: number): string {
  return `<p>The disk filled up slowly on day ${number}. Nobody noticed it until the evening.</p>`;
}

async function handIn(to: TestServer, number: number): Promise<Response> {
  return to.generate({ post_id: `post-${number}`, content: article(number) + padding });
}

describe('a server whose disk is full', () => {
  test('refuses with 503, keeps all it accepted, and goes on by itself when there is room', async () => {
    const { key } = await createSite(data);
    const log = watchSegments(data);
    server = await startTestServer({ data, key, flags: ['--workers', '1'] });
    writeFileSync(ballast, new Uint8Array(8 * 1024 * 1024));

    const accepted: number[] = [];
    const refused: number[] = [];
    for (let number = 1; number <= 60 && refused.length < 5; number += 1) {
      const answer = await handIn(server, number);
      if (answer.status === 202) accepted.push(number);
      else {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        const body = (await answer.json()) as Envelope<undefined>;
        expect(body).toEqual({
          success: false,
          message: 'The server cannot store anything just now',
        } as typeof body);
        refused.push(number);
      }
    }
    expect(accepted.length).toBeGreaterThan(3);
    expect(refused).toHaveLength(5);
    expect(statfsSync(disk).bavail).toBeLessThan(400);
    for (const number of accepted) {
      expect((await server.status(`post-${number}`)).status).not.toBe('failed');
    }

    rmSync(ballast);
    for (const number of accepted) {
      const record = await server.settled(`post-${number}`);
      expect(record).toMatchObject({ status: 'ready' });
      const heard = await listenTo(record);
      expect(heard.warnings).toBe('');
      expect(heard.timings.map(({ text }) => text).join(' ')).toContain(`on day ${number}.`);
    }
    for (const number of refused) {
      expect((await server.ask(`/v1/audio/post-${number}/status`)).status).toBe(404);
    }
    const [first = 0] = refused;
    expect((await handIn(server, first)).status).toBe(202);
    expect((await server.settled(`post-${first}`)).status).toBe('ready');
    expect(log.rows('select * from pragma_integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});
