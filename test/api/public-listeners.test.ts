import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { temporaryFolder } from '../fixtures/server.ts';
import { stallingVoice } from '../fixtures/stalling-voice.ts';
import { writeVoice } from '../fixtures/voice.ts';
import { voiceIdOf } from '../fixtures/voice-list.ts';
import { article } from './articles.ts';

setDefaultTimeout(60_000);
const data = temporaryFolder();
const most = { LECTERN_LISTENERS_MAX: '3', LECTERN_LISTENERS_PER_SITE_MAX: '2' };
let site: PublicSite;

beforeAll(async () => {
  const stalling = stallingVoice({ symbols: 'ə', stall: 'endless' });
  await writeVoice(join(data, 'voices'), 'en_US-stalling-low', stalling);
  site = await startPublicSite(['news.example'], { data, env: most });
  const voice_id = await voiceIdOf(data, 'en_US-stalling-low');
  const long = { post_id: 'long', content: article('a post that never ends'), voice_id };
  expect((await site.generate(long)).status).toBe(202);
  const isBegun = async () => (await site.status('long')).status === 'generating';
  await eventually(isBegun, 'the worker has the first sentence');
});
afterAll(() => site.stop('SIGKILL'));

/** Begins to listen, and waits for ever for the first sentence. */
function listen() {
  const given = new AbortController();
  const answer = site
    .open('audio/stream?domain=news.example&post_id=long', { signal: given.signal })
    .catch(() => undefined);
  return { answer, leave: () => given.abort() };
}

/** @returns an answer that came at once: a refusal; undefined when the listener was let in */
async function refusal(): Promise<Response | undefined> {
  const { answer, leave } = listen();
  const come = await Promise.race([answer, Bun.sleep(300)]);
  if (come === undefined) leave();
  return come ?? undefined;
}

test('so many of a site listen at once, whoever leaves makes room', async () => {
  const listeners = [listen(), listen(), listen()];
  // Two wait for the first sentence; whichever came third is answered.
  const refused = await Promise.race(listeners.map(({ answer }) => answer));
  expect(refused?.status).toBe(503);
  expect(refused?.headers.get('retry-after')).toBe('10');
  expect(await refused?.json()).toEqual({ success: false, message: 'Too many are listening' });
  expect((await refusal())?.status).toBe(503);
  for (const { leave } of listeners) leave();
  await eventually(async () => (await refusal()) === undefined, 'there is room again');
});
