import { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { startTestServer } from '../fixtures/server.ts';

setDefaultTimeout(90_000);

const content = 'The harbor master counted forty ships before the fog came in from the sea.';

test('an error that nobody foresaw is tried again a few times, then the post fails and says so', async () => {
  const server = await startTestServer();
  const database = new Database(join(server.data, 'lectern.db'));
  database.run(
    `create trigger refuse before insert on planned_segment begin select raise(abort, 'refused'); end`,
  );
  expect((await server.generate({ post_id: 'broken', content })).status).toBe(202);
  expect(await server.settled('broken')).toMatchObject({
    status: 'failed',
    error: 'The server failed at this audio',
    audio_url: null,
  });
  expect(server.log().match(/making an audio was interrupted/g)).toHaveLength(3);

  database.run('drop trigger refuse');
  database.close();
  expect((await server.generate({ post_id: 'broken', content })).status).toBe(202);
  expect(await server.settled('broken')).toMatchObject({ status: 'ready' });
  await server.stop();
});
