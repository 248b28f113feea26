import { afterAll, beforeAll, expect, test } from 'bun:test';
import { decodeMp3 } from '../fixtures/decode.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { peopleOf, statusesFor } from '../fixtures/people.ts';
import { planOf, symbolsOf } from '../fixtures/post.ts';
import { createSite, type Envelope, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';
import { readTones } from '../fixtures/tones.ts';
import { toneVoice } from '../fixtures/voice.ts';
import { voiceIdOf } from '../fixtures/voice-list.ts';
import { rowCounts } from './stored-rows.ts';

const tones = toneVoice({ sampleRateHz: 16_000 });
let server: TestServer;
let voiceId: number;

beforeAll(async () => {
  const data = temporaryFolder();
  await installVoice(data, 'en_US-tones-low', tones);
  const { key } = await createSite(data);
  voiceId = await voiceIdOf(data, 'en_US-tones-low');
  server = await startTestServer({ data, key });
  const { editor } = peopleOf(server, 1);
  await editor.request('POST', '/v1/sites/1/pronunciations', { word: 'Nkosi', alias: 'in kosy' });
}, 60_000);
afterAll(() => server.stop('SIGKILL'));

test('a sentence is spoken with the lexicon of the site, as text without markup, and is not stored', async () => {
  const rows = rowCounts(server.data);
  expect(await heard({ text: 'Then Nkosi wrote a <b> & left.' })).toEqual(
    await planned('Then in kosy wrote a &lt;b&gt; &amp; left.'),
  );
  expect(rowCounts(server.data)).toEqual(rows);
});

test('a given alias, in words or phonemes, takes precedence over the lexicon', async () => {
  expect(await heard({ text: 'Nkosi', alias: 'n kosey' })).toEqual(await planned('n kosey'));
  const phonemes = await heard({ text: 'Siobhan', alias: '[[ʃɪvˈɔːn]]' });
  expect(phonemes.join('')).toBe('ʃɪvˈɔːn.');
});

test('a sentence has the speaking rate of the site', async () => {
  const text = 'The lighthouse of Port Ellery opened again on Saturday.';
  const voice_id = await voiceIdOf(server.data, 'en_US-aspen-medium');
  const durationS = async () => {
    const { samples, sampleRateHz } = await decodeMp3(await mp3Of({ text, voice_id }));
    return samples.length / sampleRateHz;
  };
  const before = await durationS();
  const { editor } = peopleOf(server, 1);
  await editor.request('PATCH', '/v1/sites/1', { reading: { speed: 2 } });
  const after = await durationS();
  await editor.request('PATCH', '/v1/sites/1', { reading: { speed: 1 } });
  expect(after).toBeLessThan(before * 0.7);
});

test('access requires a role on the named site, or its key', async () => {
  const people = peopleOf(server, 1);
  const body = JSON.stringify({ text: 'Hello.' });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const statuses = await statusesFor(people, (user) => user.fetch('/v1/speech/say?site=1', init));
  expect(statuses).toEqual([401, 404, 200, 200, 200]);
  expect((await people.viewer.fetch('/v1/speech/say', init)).status).toBe(422);
  expect((await server.request('/v1/speech/say', init)).status).toBe(200);
});

test.each([
  ['text', { text: '…' }],
  ['text', { text: '' }],
  ['text', { text: 'x'.repeat(1_001) }],
  ['alias', { text: 'Hello.', alias: '' }],
  ['voice_id', { text: 'Hello.', voice_id: 999 }],
  ['language', { text: 'Hello.', language: 'xx' }],
])('what cannot be said is refused, with the field: %s', async (field, body) => {
  const answer = await request(body);
  const { errors } = (await answer.json()) as Envelope<never>;
  expect([answer.status, Object.keys(errors ?? {})]).toEqual([422, [field]]);
});

function request(body: object): Promise<Response> {
  return server.request('/v1/speech/say', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function mp3Of(body: object): Promise<Uint8Array> {
  const answer = await request(body);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  return answer.bytes();
}

/** @returns the symbols that the tone voice says */
async function heard(body: object): Promise<string[]> {
  const { samples, sampleRateHz } = await decodeMp3(await mp3Of({ voice_id: voiceId, ...body }));
  return readTones(samples, sampleRateHz).map(({ symbol }) => symbol);
}

/** @returns the symbols that it says of an article of this one paragraph */
async function planned(html: string): Promise<string[]> {
  const config = tones.config ?? '';
  const segments = await planOf({ content: `<p>${html}</p>` }, config);
  return segments.flatMap(({ ids }) => symbolsOf(ids, config));
}
