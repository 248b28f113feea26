import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Preview } from '../../src/audio/ad-hoc/preview-routes.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { planPost } from '../fixtures/post.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { createSignedInClient, type SignedInClient } from '../fixtures/users.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';
import { countRows } from './stored-rows.ts';

const tones = createToneVoice({ sampleRateHz: 16_000 });
/** More than the polls of the longest wait of a test. */
const requestsPerMinute = 1_300;
let server: TestServer;
let editor: SignedInClient;
let viewer: SignedInClient;
let tonesId: number;
let poorerId: number;
let path: string;
let pronunciations: string;

beforeAll(async () => {
  const data = createTemporaryFolder();
  await installVoice(data, 'en_US-tones-low', tones);
  const { θ, ʒ, ...known } = aspen.phoneme_id_map;
  const config = JSON.stringify({ ...JSON.parse(tones.config ?? ''), phoneme_id_map: known });
  await installVoice(data, 'en_US-poorer-low', { ...tones, config });
  const { key, siteId } = await createSite(data);
  tonesId = await findVoiceId(data, 'en_US-tones-low');
  poorerId = await findVoiceId(data, 'en_US-poorer-low');
  const env = {
    LECTERN_WORKERS: '2',
    LECTERN_CONTENT_LENGTH_MAX: '60000',
    LECTERN_RATE_KEY: String(requestsPerMinute),
  };
  server = await startTestServer({ data, key, env });
  path = `/v1/speech/preview?site=${siteId}`;
  pronunciations = `/v1/sites/${siteId}/pronunciations`;
  editor = await createSignedInClient(server, '--role', 'editor', '--site', String(siteId));
  viewer = await createSignedInClient(server, '--role', 'viewer', '--site', String(siteId));
  await editor.request('POST', pronunciations, {
    word: 'Nkosi',
    alias: 'in kosy',
  });
  await editor.request('PATCH', `/v1/sites/${siteId}`, {
    reading: { intro: 'You hear the Daily Test.' },
  });
});
afterAll(() => server.stop('SIGKILL'));

function request(body: unknown, init: RequestInit = {}): Promise<Response> {
  return server.request('/v1/speech/preview', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': server.key },
    body: JSON.stringify(body),
    ...init,
  });
}

async function getPreview(body: unknown): Promise<Preview> {
  const response = await request(body);
  expect(response.status).toBe(200);
  return ((await response.json()) as Envelope<Preview>).data;
}

async function getErrors(body: unknown): Promise<unknown> {
  const response = await request(body);
  return [response.status, ((await response.json()) as Envelope<never>).errors];
}

const title = 'The ferry & the <i>fare</i>';
const content =
  '<p>Then Nkosi paid $12 &mdash; in <b>Brambleside</b>.</p><nav>Home</nav><ul><li>It was 5&nbsp;km for the IAEA</li></ul><p>***</p>';

describe('a preview', () => {
  test('contains each token as spoken, with its position in the content', async () => {
    const rows = countRows(server.data);
    const { blocks, sentences, left_out, ...rest } = await getPreview({
      content,
      title,
      voice_id: tonesId,
    });

    expect(rest).toMatchObject({ language: 'en', voice_id: tonesId, unknown_phonemes: [] });
    expect(blocks.map(({ kind, field, sentence_count }) => [kind, field, sentence_count])).toEqual([
      ['paragraph', 'intro', 1],
      ['title', 'title', 1],
      ['paragraph', 'content', 1],
      ['list', 'content', 1],
    ]);
    expect(sentences.map(({ text, spoken }) => [text, spoken])).toEqual([
      ['You hear the Daily Test.', 'You hear the Daily Test.'],
      ['The ferry & the fare', 'The ferry and the fare.'],
      ['Then Nkosi paid $12 — in Brambleside.', 'Then in kosy paid twelve dollars, in Brambleside.'],
      ['It was 5 km for the IAEA', 'It was five kilometers for the I.A.E.A.'],
    ]);
    for (const { text, pieces } of sentences) {
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    }
    const [, , money] = sentences;
    const places = money?.pieces.map(({ start, end, spoken }) => [content.slice(start, end), spoken]);
    expect(places).toContainEqual(['Nkosi', 'in kosy']);
    expect(places).toContainEqual(['$12', 'twelve dollars']);
    expect(left_out.map(({ text, reason, start, end }) => [text, reason, content.slice(start, end)])).toEqual([
      ['Home', 'navigation', '<nav>Home</nav>'],
      ['***', 'no speakable text', '***'],
    ]);
    expect(countRows(server.data)).toEqual(rows);
  });

  test('accepts Markdown and plain text', async () => {
    const text = 'It was **5** km.';
    const listTexts = async (content_type?: string) =>
      (await getPreview({ content: text, content_type, voice_id: tonesId })).sentences
        .map((sentence) => sentence.text)
        .slice(1);
    expect(await listTexts('text/markdown')).toEqual(['It was 5 km.']);
    expect(await listTexts('text/plain')).toEqual([text]);
    expect(await listTexts()).toEqual([text]);
  });

  test('contains the phonemes that would be spoken', async () => {
    const text = 'The bridge is open. It closed in 1999.';
    const { sentences } = await getPreview({ content: text, voice_id: tonesId });
    const plan = await planPost({ content: text }, tones.config ?? '');
    expect(sentences.slice(1).map(({ phonemes }) => phonemes)).toEqual(plan.map((segment) => segment.phonemes));
    expect(sentences[1]?.phonemes).toContain('bɹˈɪdʒ');
  });

  test('lists unknown names and acronyms', async () => {
    const { unknown_words } = await getPreview({ content, post_title: title, voice_id: tonesId });
    expect(unknown_words.map(({ word, count, spoken }) => [word, count, spoken])).toEqual([
      ['Brambleside', 1, 'Brambleside'],
      ['IAEA', 1, 'I.A.E.A'],
    ]);
    expect(unknown_words.find(({ word }) => word === 'Brambleside')?.phonemes).toBe('bɹˈæmbəlsˌaɪd');
  });

  test('lists each unsupported phoneme once for all sentences', async () => {
    const body = { content: '<p>A path to leisure.</p><p>A path.</p>' };
    expect((await getPreview({ ...body, voice_id: poorerId })).unknown_phonemes).toEqual(['ʒ', 'θ']);
    expect((await getPreview({ ...body, voice_id: tonesId })).unknown_phonemes).toEqual([]);
  });

  test('contains phonemes of the lexicon unchanged', async () => {
    for (const entry of [
      { word: 'Lomé', alias: '[[lˈoʊmeɪ]]' },
      { word: 'Accra Gate', alias: '[[ˈækɹə]] at the [[ɡˈeɪt]]' },
    ]) {
      expect((await editor.request('POST', pronunciations, entry)).status).toBe(201);
    }
    const { sentences, unknown_words } = await getPreview({ content: 'A ship left Lomé for Accra Gate at nine.' });
    const [, sentence] = sentences;
    expect(sentence?.pieces.map(({ text, spoken }) => [text, spoken])).toEqual([
      ['A ship left ', 'A ship left '],
      ['Lomé', '[[lˈoʊmeɪ]]'],
      [' for ', ' for '],
      ['Accra Gate', '[[ˈækɹə]] at the [[ɡˈeɪt]]'],
      [' at nine.', ' at nine.'],
    ]);
    expect(sentence?.pieces.map((piece) => piece.pronounced_by ?? '')).toEqual(['', 'entry', '', 'entry', '']);
    expect(sentence?.phonemes).toContain('lˈoʊmeɪ');
    expect(unknown_words.map(({ word }) => word)).toEqual([]);
  });

  test('is the same each time', async () => {
    const body = { content: buildArticle('the same', 30), title };
    expect(await getPreview(body)).toEqual(await getPreview(body));
  });

  test('without speakable text contains only intro and outro of the site', async () => {
    const { sentences, left_out } = await getPreview({ content: '<p>🎈</p><script>x</script>' });
    expect(sentences.map(({ field }) => field).filter((field) => field === 'content')).toEqual([]);
    expect(left_out.map(({ reason }) => reason)).toEqual(['no speakable text', 'script']);
    expect((await getPreview({ content: '' })).left_out).toEqual([]);
  });

  test('of the longest article is complete', async () => {
    const long = buildArticle('a long one', 800).slice(0, 60_000);
    const { sentences } = await getPreview({ content: long, voice_id: tonesId });
    expect(sentences.at(-1)?.end).toBeGreaterThan(long.length - 300);
  });
});

test.each([
  [{}, { content: ['is required'] }],
  [{ content: 'a', voice_id: 4711 }, { voice_id: ['voice 4711 not found'] }],
  [{ content: 'a', language: 'english please' }, { language: ['must be a language code such as en or de'] }],
  [{ content: 'a', language: 'xx' }, { language: ['xx is not supported; installed voices speak: de, en, es, fr'] }],
  [{ content: 'a', title: 'a'.repeat(501) }, { title: ['must be at most 500 characters'] }],
  [{ content: 'a', post_title: 'a'.repeat(501) }, { post_title: ['must be at most 500 characters'] }],
])('%j is refused', async (body, errors) => {
  expect(await getErrors(body)).toEqual([422, errors]);
});

test('content longer than an article is rejected', async () => {
  const errors = { content: ['must be at most 60000 characters'] };
  expect(await getErrors({ content: 'a'.repeat(60_001) })).toEqual([422, errors]);
});

describe('a preview request', () => {
  test('requires a role on the site, or its key as bearer token', async () => {
    const response = await viewer.request('POST', path, { content: 'Then Nkosi came.' });
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as Envelope<Preview>;
    expect(data.sentences[1]?.spoken).toBe('Then in kosy came.');
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.key}` };
    expect((await request({ content: 'Hello.' }, { headers })).status).toBe(200);
  });

  test('without a site, or with one of others, is rejected', async () => {
    const other = await createSite(server.data);
    const body = { content: 'Hello.' };
    expect((await viewer.request('POST', '/v1/speech/preview', body)).status).toBe(422);
    expect((await viewer.request('POST', `/v1/speech/preview?site=${other.siteId}`, body)).status).toBe(404);
  });

  test('by session has the same rate limit as with a key', async () => {
    const responses = await Promise.all(
      Array.from({ length: requestsPerMinute + 1 }, () => viewer.request('POST', path, {})),
    );
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).not.toBeNull();
    // Each user has a separate limit.
    const { headers } = await editor.request('POST', path, {});
    expect(headers.get('x-ratelimit-remaining')).toBe(String(requestsPerMinute - 1));
  });
});

test('a disconnected client frees its place, and posts continue beside waiting previews', async () => {
  const gone = new AbortController();
  const content = buildArticle('a long one', 800).slice(0, 60_000);
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${editor.session.token}`,
  };
  const waiting = Array.from({ length: 16 }, () =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ content }),
      signal: gone.signal,
    }),
  );
  const outcomes = Promise.allSettled(waiting);
  const post = await server.generate({
    post_id: 'beside',
    content: buildArticle('the side'),
    voice_id: tonesId,
  });
  expect(post.status).toBe(202);
  expect((await server.waitUntilFinished('beside')).status).toBe('ready');
  gone.abort();
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
  await eventually(
    async () => (await editor.request('POST', path, { content: 'Hello.' })).status === 200,
    'there is room again',
  );
  expect(server.log()).not.toContain('request failed');
});
