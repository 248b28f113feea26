import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { decodeMp3 } from '../fixtures/decode.ts';
import { eventually } from '../fixtures/eventually.ts';
import { planPost, toSymbols } from '../fixtures/post.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { readTones } from '../fixtures/tones.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';
import { countRows, readRows } from './stored-rows.ts';

const tones = createToneVoice({ sampleRateHz: 16_000 });
const input = 'The lighthouse is open again. Nobody had expected it so soon.';
const notFound = 'not found; available voices: Aspen, Cedar, Saule, Encina, Roble, Buche, Tones';
let server: TestServer;
let tonesId: number;
let otherKey: string;

beforeAll(async () => {
  const data = createTemporaryFolder();
  await writeVoice(join(data, 'voices'), 'en_US-tones-low', tones);
  const { key } = await createSite(data);
  otherKey = (await createSite(data)).key;
  tonesId = await findVoiceId(data, 'en_US-tones-low');
  server = await startTestServer({ data, key, flags: ['--workers', '2'] });
});
afterAll(() => server.stop('SIGKILL'));

function say(body: Record<string, unknown>, init: RequestInit = {}): Promise<Response> {
  return server.request('/v1/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
}

async function measureDurationMs(body: Record<string, unknown>): Promise<number> {
  const response = await say(body);
  expect(response.status).toBe(200);
  const { samples, sampleRateHz } = await decodeMp3(await response.bytes());
  return (samples.length / sampleRateHz) * 1000;
}

describe('a text', () => {
  test('is synthesized without delay, completely, and not stored', async () => {
    const rows = countRows(server.data);
    const body = { model: 'tts-1', input, voice: 'Tones', response_format: 'mp3' };
    const response = await say(body);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('x-ratelimit-limit')).not.toBeNull();
    const { samples, sampleRateHz } = await decodeMp3(await response.bytes());
    const plan = await planPost({ content: input }, tones.config ?? '');
    expect(readTones(samples, sampleRateHz).map(({ symbol }) => symbol)).toEqual(
      plan.flatMap(({ ids }) => toSymbols(ids, tones.config ?? '')),
    );
    expect(countRows(server.data)).toEqual(rows);
    const stored = 'select hash from segment union all select external_id from post_quota';
    expect(readRows(server.data, stored)).toEqual([]);
  });

  test.each(['tones', 'en_us-TONES-low'])('is said by the voice named %p', async (voice) => {
    expect((await say({ input, voice })).status).toBe(200);
  });

  test('is spoken by the voice whose id is given as number or string', async () => {
    expect((await say({ input, voice: tonesId })).status).toBe(200);
    expect((await say({ input, voice: String(tonesId) })).status).toBe(200);
  });

  test('can be spoken faster or slower', async () => {
    const usual = await measureDurationMs({ input, voice: 'Aspen' });
    const fast = await measureDurationMs({ input, voice: 'Aspen', speed: 2 });
    const slow = await measureDurationMs({ input, voice: 'Aspen', speed: 0.5 });
    expect(fast / usual).toBeWithin(0.4, 0.6);
    expect(slow / usual).toBeWithin(1.7, 2.3);
  });
});

test.each([
  [{ voice: 'Tones' }, 'input', 'is required'],
  [{ input }, 'voice', 'is required'],
  [{ input: '🎈', voice: 'Tones' }, 'input', 'has no speakable text'],
  [{ input: '', voice: 'Tones' }, 'input', 'must be at least 1 character'],
  [{ input: 'a'.repeat(4_097), voice: 'Tones' }, 'input', 'must be at most 4096 characters'],
  [{ input, voice: 'nova' }, 'voice', `voice nova ${notFound}`],
  [{ input, voice: 4711 }, 'voice', `voice 4711 ${notFound}`],
  [{ input, voice: { id: 'nova' } }, 'voice', `voice nova ${notFound}`],
  [{ input, voice: 'Tones', response_format: 'opus' }, 'response_format', 'must be mp3, wav or pcm'],
  [{ input, voice: 'Tones', stream_format: 'sse' }, 'stream_format', 'must be audio'],
  [{ input, voice: 'Tones', speed: 5 }, 'speed', 'must be at most 4'],
])('%j is refused', async (body, field, problem) => {
  const response = await say(body);
  expect(response.status).toBe(422);
  expect(((await response.json()) as Envelope<never>).errors).toEqual({ [field]: [problem] });
});

test('a key can be a bearer token; X-API-Key takes precedence', async () => {
  const getModelsStatus = (headers: Record<string, string>) =>
    fetch(`${server.url}/v1/models`, { headers }).then(({ status }) => status);
  const authorization = `Bearer ${server.key}`;

  expect(await getModelsStatus({ authorization })).toBe(200);
  expect(await getModelsStatus({ authorization: `Basic ${server.key}` })).toBe(401);
  expect(await getModelsStatus({ authorization: 'Bearer sk-unknown', 'x-api-key': server.key })).toBe(200);
  expect(await getModelsStatus({ authorization, 'x-api-key': 'svc_live_wrong' })).toBe(401);
});

test('a key is checked before the body', async () => {
  const response = await fetch(`${server.url}/v1/audio/speech`, { method: 'POST', body: '{' });
  expect(response.status).toBe(401);
});

test('texts of disconnected clients are not synthesized; posts and other sites continue meanwhile', async () => {
  const gone = new AbortController();
  const long = `${'A long story is told of rivers and bridges. '.repeat(90)}`;
  const waiting = Array.from({ length: 16 }, async (_, index) => {
    const body = { input: `Story ${index}. ${long}`, voice: 'Tones' };
    // A text below may be taken before it.
    const taken = async () => {
      const response = await say(body, { signal: gone.signal });
      return response.status === 200 && response;
    };
    return (await eventually(taken, `story ${index} is taken`)).bytes();
  });
  const outcomes = Promise.allSettled(waiting);
  await eventually(
    async () => (await say({ input: 'Short.', voice: 'Tones' })).status === 503,
    'no more texts of the site are taken',
  );
  const short = { input: 'Short.', voice: 'Tones' };
  const headers = { 'content-type': 'application/json', 'x-api-key': otherKey };
  expect((await say(short, { headers })).status).toBe(200);
  await server.generate({ post_id: 'beside', content: buildArticle('the side'), voice_id: tonesId });
  expect((await server.waitUntilFinished('beside')).status).toBe('ready');
  gone.abort();
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
  await eventually(
    async () => (await say({ input: 'Short.', voice: 'Tones' })).status === 200,
    'texts are taken again',
  );
  expect(server.log()).not.toContain('request failed');
});
