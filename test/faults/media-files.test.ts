import { expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArticle } from '../api/articles.ts';
import { runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';

/** @returns an MP3 from a server that runs only for this request */
async function fetchOnce(server: Pick<TestServer, 'data' | 'key'>, name: string): Promise<Uint8Array> {
  const { url, stop } = await startTestServer(server);
  const mp3 = await (await fetch(`${url}/v1/media/${name}`)).bytes();
  await stop();
  return mp3;
}

test('a file of an earlier process is served if its checksums match, otherwise written again', async () => {
  const first = await startTestServer();
  await first.generate({ post_id: 'kept', content: buildArticle('the cellar', 8) });
  const { id, audio_url } = await first.waitUntilFinished('kept');
  const mp3 = await (await fetch(audio_url ?? '')).bytes();
  await first.stop();
  const name = new URL(audio_url ?? '').pathname.split('/').at(-1) ?? '';
  const file = join(first.data, 'media', name);
  const { ino } = statSync(file);
  expect(readFileSync(file)).toEqual(Buffer.from(mp3));

  expect(await fetchOnce(first, name)).toEqual(mp3);
  expect(statSync(file).ino).toBe(ino);

  // In the header, within a segment, in the last byte.
  for (const at of [20, Math.floor(mp3.length / 2), mp3.length - 1]) {
    const damaged = Uint8Array.from(mp3);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(file, damaged);
    const check = await runCommand(['check', '--audio', `${id}`, '--data', first.data]);
    expect(check.code).toBe(1);
    expect(check.stdout).toContain(`${file} does not match the audio`);
    expect(await fetchOnce(first, name)).toEqual(mp3);
    expect(readFileSync(file)).toEqual(Buffer.from(mp3));
  }
});
