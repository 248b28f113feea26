import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo } from '../fixtures/post.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

const data = createTemporaryFolder();
let server: TestServer;
let voiceId: number;

beforeAll(async () => {
  const { key } = await createSite(data);
  await runCommand(['site', 'update', '1', '--data', data, '--reading', '{"ssml":true}']);
  voiceId = await findVoiceId(data, 'en_US-aspen-medium');
  server = await startTestServer({ data, key });
});
afterAll(() => server.stop('SIGKILL'));

async function make(postId: string, content: string): Promise<AudioRecord> {
  expect((await server.generate({ post_id: postId, content, voice_id: voiceId })).status).toBe(202);
  return eventually(async () => {
    const record = await server.status(postId);
    return record.status === 'ready' && record;
  }, `${postId} is ready`);
}

test('pauses and rates of SSML apply if the site allows SSML', async () => {
  const plain = await listenTo(
    await make('plain', '<p>The ferry left for the islands. The harbor slept until the morning.</p>'),
  );
  const marked = await listenTo(
    await make(
      'marked',
      '<p>The ferry left for the islands.<break time="3s"/> <prosody rate="50%">The harbor slept until the morning.</prosody></p>',
    ),
  );
  expect(marked.warnings).toBe('');
  const listDurationsMs = ({ timings }: typeof plain) => timings.map(({ start_ms, end_ms }) => end_ms - start_ms);
  const [first = 0, second = 0] = listDurationsMs(plain);
  const [firstMarked = 0, secondMarked = 0] = listDurationsMs(marked);
  // The default pause between two sentences has 320 ms, an MP3 frame 24 to 36.
  expect(Math.abs(firstMarked - first - (3_000 - 320))).toBeLessThan(80);
  expect(secondMarked).toBeGreaterThan(second * 1.3);
});

test('ignored values are listed in the responses to a post and its preview', async () => {
  const content =
    '<p>The ferry<break time="abc"/> left.<BREAK TIME=soon strength="none"> It had <say-as interpret-as="colour">9</say-as> ' +
    '<prosody rate="120%" pitch="high">guests</prosody> and <phoneme alphabet="x-sampa" ph="d">dogs</phoneme>, H<sub>2</sub>O too.</p>';
  const warnings = [
    'SSML value ignored: <break time="abc">',
    'SSML value ignored: <break time="soon">',
    'SSML value ignored: <say-as interpret-as="colour">',
    'SSML value ignored: <phoneme alphabet="x-sampa">',
  ];
  const request = async (path: string, body: object, key = server.key) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await response.json()) as { warnings?: string[] }).warnings;
  };
  expect(await request('/v1/audio/generate', { post_id: 'invalid', content })).toEqual(warnings);
  expect(await request('/v1/speech/preview', { content })).toEqual(warnings);
  const many = Array.from({ length: 20 }, (_, index) => `<break time="${index}"/>`).join('');
  expect(await request('/v1/speech/preview', { content: `<p>Many.${many}</p>`, colour: 1 })).toHaveLength(11);
  const other = await createSite(data);
  expect(await request('/v1/speech/preview', { content }, other.key)).toBeUndefined();
});
