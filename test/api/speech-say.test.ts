import { afterAll, beforeAll, expect, test } from 'bun:test';
import { decodeMp3 } from '../fixtures/decode.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { planPost, toSymbols } from '../fixtures/post.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers } from '../fixtures/site-users.ts';
import { readTones } from '../fixtures/tones.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { countRows } from './stored-rows.ts';

const tones = createToneVoice({ sampleRateHz: 16_000 });
let server: TestServer;
let voiceId: number;

beforeAll(async () => {
  const data = createTemporaryFolder();
  await installVoice(data, 'en_US-tones-low', tones);
  const { key } = await createSite(data);
  voiceId = await findVoiceId(data, 'en_US-tones-low');
  server = await startTestServer({ data, key });
  const { editor } = createSiteUsers(server, 1);
  await editor.request('POST', '/v1/sites/1/pronunciations', { word: 'Nkosi', alias: 'in kosy' });
});
afterAll(() => server.stop('SIGKILL'));

test('a sentence is spoken with the lexicon of the site, as text without markup, and is not stored', async () => {
  const rows = countRows(server.data);
  expect(await readSpokenSymbols({ text: 'Then Nkosi wrote a <b> & left.' })).toEqual(
    await planSymbols('Then in kosy wrote a &lt;b&gt; &amp; left.'),
  );
  expect(countRows(server.data)).toEqual(rows);
});

test('a given alias, in words or phonemes, takes precedence over the lexicon', async () => {
  expect(await readSpokenSymbols({ text: 'Nkosi', alias: 'n kosey' })).toEqual(await planSymbols('n kosey'));
  const phonemes = await readSpokenSymbols({ text: 'Siobhan', alias: '[[ʃɪvˈɔːn]]' });
  expect(phonemes.join('')).toBe('ʃɪvˈɔːn.');
});

test('a sentence has the speaking rate of the site', async () => {
  const text = 'The lighthouse of Port Ellery opened again on Saturday.';
  const voice_id = await findVoiceId(server.data, 'en_US-aspen-medium');
  const measureDurationS = async () => {
    const { samples, sampleRateHz } = await decodeMp3(await fetchMp3({ text, voice_id }));
    return samples.length / sampleRateHz;
  };
  const before = await measureDurationS();
  const { editor } = createSiteUsers(server, 1);
  await editor.request('PATCH', '/v1/sites/1', { reading: { speed: 2 } });
  const after = await measureDurationS();
  await editor.request('PATCH', '/v1/sites/1', { reading: { speed: 1 } });
  expect(after).toBeLessThan(before * 0.7);
});

test('access requires a role on the named site, or its key', async () => {
  const users = createSiteUsers(server, 1);
  const body = JSON.stringify({ text: 'Hello.' });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const statuses = await collectStatuses(users, (user) => user.fetch('/v1/speech/say?site=1', init));
  expect(statuses).toEqual([401, 404, 200, 200, 200]);
  expect((await users.viewer.fetch('/v1/speech/say', init)).status).toBe(422);
  expect((await server.request('/v1/speech/say', init)).status).toBe(200);
});

test.each([
  ['text', { text: '…' }],
  ['text', { text: '' }],
  ['text', { text: 'x'.repeat(1_001) }],
  ['alias', { text: 'Hello.', alias: '' }],
  ['alias', { text: 'Hello.', alias: '[[hə' }],
  ['voice_id', { text: 'Hello.', voice_id: 999 }],
  ['language', { text: 'Hello.', language: 'xx' }],
])('what cannot be said is refused, with the field: %s', async (field, body) => {
  const response = await request(body);
  const { errors } = (await response.json()) as Envelope<never>;
  expect([response.status, Object.keys(errors ?? {})]).toEqual([422, [field]]);
});

function request(body: object): Promise<Response> {
  return server.request('/v1/speech/say', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function fetchMp3(body: object): Promise<Uint8Array> {
  const response = await request(body);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  return response.bytes();
}

/** @returns the symbols played by the tone voice */
async function readSpokenSymbols(body: object): Promise<string[]> {
  const { samples, sampleRateHz } = await decodeMp3(await fetchMp3({ voice_id: voiceId, ...body }));
  return readTones(samples, sampleRateHz).map(({ symbol }) => symbol);
}

/** @returns the symbols planned for an article of this paragraph */
async function planSymbols(html: string): Promise<string[]> {
  const config = tones.config ?? '';
  const segments = await planPost({ content: `<p>${html}</p>` }, config);
  return segments.flatMap(({ ids }) => toSymbols(ids, config));
}
