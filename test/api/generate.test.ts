import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { createTemporaryFolder, type Envelope, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { disableVoice, findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';
import { countRows, readRows } from './stored-rows.ts';

type RequestBody = NonNullable<RequestInit['body']>;

const json = { 'content-type': 'application/json' };
const content = buildArticle('the county fair');
let server: TestServer;
let german = 0;

beforeAll(async () => {
  const data = createTemporaryFolder();
  const voice = createToneVoice({ sampleRateHz: 16_000, language: 'de_DE' });
  await writeVoice(join(data, 'voices'), 'de_DE-tones-low', voice);
  await disableVoice(data, 'de_DE-buche-medium');
  german = await findVoiceId(data, 'de_DE-tones-low');
  server = await startTestServer({ data, env: { LECTERN_BODY_BYTE_MAX: '7000000' } });
});
afterAll(() => server.stop('SIGKILL'));

/** Submits a raw body. */
function post(body: RequestBody, headers: Record<string, string> = json): Promise<Response> {
  return server.request('/v1/audio/generate', { method: 'POST', headers, body });
}

async function read<T = AudioRecord>(response: Response): Promise<Envelope<T>> {
  return (await response.json()) as Envelope<T>;
}

/** Submits a body that must be rejected, and checks that nothing is stored. */
async function sendRejected(body: Record<string, unknown> | RequestBody, headers?: Record<string, string>) {
  const before = countRows(server.data);
  const plain = typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype;
  const response = await post(plain ? JSON.stringify(body) : (body as RequestBody), headers);
  const { success, message, errors, data } = await read(response);
  expect(success).toBe(false);
  expect(data).toBeUndefined();
  expect(countRows(server.data)).toEqual(before);
  return { status: response.status, message, errors };
}

function buildValidationError(errors: Record<string, string[]>) {
  return { status: 422, message: 'Validation failed', errors };
}

describe('a generate request', () => {
  test('returns 202 with the queued record', async () => {
    const started = Date.now();
    const response = await server.generate({ post_id: 'first', content });
    expect(response.status).toBe(202);
    expect(response.headers.get('content-type')).toStartWith('application/json');
    const { success, message, data } = await read(response);
    expect({ success, message }).toEqual({ success: true, message: 'Audio generation queued' });
    expect(data).toEqual({
      id: expect.any(Number),
      post_id: 'first',
      status: 'pending',
      progress_percent: 0,
      audio_url: null,
      duration_seconds: null,
      language: 'en',
      voice_id: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: data.created_at,
    });
    expect(Date.parse(data.created_at)).toBeGreaterThanOrEqual(started);
  });

  test('has the status URL in Location, without a language for English', async () => {
    const response = await server.generate({ post_id: 'located', content });
    const location = response.headers.get('location') ?? '';
    expect(location).toBe(`${server.url}/v1/audio/located/status`);
    const status = await read(await fetch(location, { headers: { 'x-api-key': server.key } }));
    expect(status.data.post_id).toBe('located');
  });

  test('has the language in Location if it is not English', async () => {
    const response = await server.generate({ post_id: 'auf Deutsch', content, language: 'de' });
    expect(response.status).toBe(202);
    const location = response.headers.get('location') ?? '';
    expect(location).toBe(`${server.url}/v1/audio/auf%20Deutsch/status?language=de`);
    const { data } = await read(await fetch(location, { headers: { 'x-api-key': server.key } }));
    expect(data).toMatchObject({ post_id: 'auf Deutsch', language: 'de', voice_id: german });
  });

  test.each([
    'wp/2026/11/a post',
    'urn:uuid:1:2',
    '100% sure?&#;=+',
    '%2F%zz',
    'naïve 🦊 标题',
    'e\u0301',
    '...',
    'ID with trailing space ',
    '__proto__',
    'x'.repeat(255),
    '🦊'.repeat(255),
  ])('takes the post id %j and finds it again', async (postId) => {
    const response = await server.generate({ post_id: postId, content });
    expect(response.status).toBe(202);
    expect((await read(response)).data.post_id).toBe(postId);
    expect((await server.status(postId)).post_id).toBe(postId);
    const location = response.headers.get('location') ?? '';
    const found = await fetch(location, { headers: { 'x-api-key': server.key } });
    expect((await read(found)).data.post_id).toBe(postId);
  });

  test.each([
    ['', 'must be at least 1 character'],
    ['  ', 'must not be blank'],
    ['.', 'must not be . or ..'],
    ['..', 'must not be . or ..'],
    ['a\u0000b', 'must contain only printable characters'],
    ['a\nb', 'must contain only printable characters'],
    ['a\u007f', 'must contain only printable characters'],
    ['a\u0085', 'must contain only printable characters'],
    ['a\ud800', 'must contain only printable characters'],
    ['x'.repeat(256), 'must be at most 255 characters'],
    ['🦊'.repeat(256), 'must be at most 255 characters'],
    [7, 'must be a string'],
    [null, 'must be a string'],
    [undefined, 'is required'],
  ])('refuses the post id %j', async (postId, problem) => {
    expect(await sendRejected({ post_id: postId, content })).toEqual(buildValidationError({ post_id: [problem] }));
  });

  test('rejects an unknown content type', async () => {
    const problem = 'must be text/html, text/plain or text/markdown';
    expect(await sendRejected({ post_id: 'docx', content, content_type: 'text/docx' })).toEqual(
      buildValidationError({ content_type: [problem] }),
    );
  });

  test('requires 50 code points of content', async () => {
    const short = { content: ['must be at least 50 characters'] };
    expect(await sendRejected({ post_id: 'short', content: 'x'.repeat(49) })).toEqual(buildValidationError(short));
    expect(await sendRejected({ post_id: 'short', content: '🦊'.repeat(49) })).toEqual(buildValidationError(short));
    expect(await sendRejected({ post_id: 'short', content: '' })).toEqual(buildValidationError(short));
    const fifty = await server.generate({ post_id: 'fifty', content: 'go '.repeat(17).slice(1) });
    expect(fifty.status).toBe(202);
    const foxes = await server.generate({ post_id: 'foxes', content: '🦊'.repeat(50) });
    expect(foxes.status).toBe(202);
  });

  test('accepts up to 500,000 code points of content', async () => {
    const long = { content: ['must be at most 500000 characters'] };
    expect(await sendRejected({ post_id: 'long', content: 'x'.repeat(500_001) })).toEqual(buildValidationError(long));
    expect(await sendRejected({ post_id: 'long', content: '🦊'.repeat(500_001) })).toEqual(buildValidationError(long));
    const tags = `<b>${' '.repeat(499_997)}`;
    expect((await server.generate({ post_id: 'full', content: tags })).status).toBe(202);
    const scripts = `<script>${'x'.repeat(600_000)}</script><style>${'y'.repeat(9)}</style>${'z'.repeat(499_999)}`;
    expect((await server.generate({ post_id: 'scripts', content: scripts })).status).toBe(202);
    expect(await sendRejected({ post_id: 'long', content: `${scripts}zz` })).toEqual(buildValidationError(long));
    expect(await sendRejected({ post_id: 'long', content: `<script>${'x'.repeat(500_001)}` })).toEqual(
      buildValidationError(long),
    );
    const foxes = '🦊'.repeat(500_000);
    expect((await server.generate({ post_id: 'full of foxes', content: foxes })).status).toBe(202);
  });

  test('accepts a title of up to 500 code points', async () => {
    const most = await server.generate({
      post_id: 'titled',
      content,
      post_title: '🦊'.repeat(500),
    });
    expect(most.status).toBe(202);
    expect(await sendRejected({ post_id: 'titled 2', content, post_title: 'x'.repeat(501) })).toEqual(
      buildValidationError({ post_title: ['must be at most 500 characters'] }),
    );
    expect(await sendRejected({ post_id: 'titled 2', content, post_title: 5 })).toEqual(
      buildValidationError({ post_title: ['must be a string'] }),
    );
  });

  test.each(['ftp://example.org/a', '/news/1', 'example.org', 'javascript:alert(1)', 'http://'])(
    'refuses the URL %j',
    async (url) => {
      expect(await sendRejected({ post_id: 'addressed', content, post_url: url })).toEqual(
        buildValidationError({ post_url: ['must be an http(s) URL'] }),
      );
    },
  );

  test('rejects a URL that contains a password', async () => {
    const url = 'https://ed:secret@www.example.org/news/1';
    expect(await sendRejected({ post_id: 'addressed', content, post_url: url })).toEqual(
      buildValidationError({ post_url: ['must not contain a user name or password'] }),
    );
  });

  test.each([
    [99, 'voice 99 not found'],
    [0, 'voice 0 not found'],
    [-1, 'voice -1 not found'],
    ['1', 'must be an integer'],
    [1.5, 'must be an integer'],
    [true, 'must be an integer'],
    [[1], 'must be an integer'],
  ])('refuses the voice %j', async (voiceId, problem) => {
    expect(await sendRejected({ post_id: 'voiced', content, voice_id: voiceId })).toEqual(
      buildValidationError({ voice_id: [problem] }),
    );
  });

  test('is spoken in the requested voice', async () => {
    const response = await server.generate({ post_id: 'voice 2', content, voice_id: 2 });
    expect((await read(response)).data).toMatchObject({ voice_id: 2, language: 'en' });
  });

  test.each(['en', 'EN', 'en-US', 'en_GB', null])('takes the language %j for English', async (language) => {
    const response = await server.generate({ post_id: `in ${language}`, content, language });
    expect(response.status).toBe(202);
    expect((await read(response)).data).toMatchObject({ language: 'en', voice_id: 1 });
  });

  test('has the language of its voice by default', async () => {
    const response = await server.generate({ post_id: 'de by voice', content, voice_id: german });
    expect((await read(response)).data).toMatchObject({ language: 'de', voice_id: german });
  });

  test.each([
    ['xx', 'xx is not supported; installed voices speak: de, en, es, fr'],
    ['english', 'must be a language code such as en or de'],
    ['', 'must be a language code such as en or de'],
    [7, 'must be a string'],
  ])('refuses the language %j', async (language, problem) => {
    expect(await sendRejected({ post_id: 'spoken', content, language })).toEqual(
      buildValidationError({ language: [problem] }),
    );
  });

  test('rejects a language that its voice does not speak', async () => {
    expect(await sendRejected({ post_id: 'spoken', content, language: 'de', voice_id: 1 })).toEqual(
      buildValidationError({ language: ['voice 1 speaks en, not de'] }),
    );
  });

  test.each([
    ['2027-01-02T03:04:05+02:00', '2027-01-02T01:04:05.000Z'],
    ['2027-01-02T03:04:05-0330', '2027-01-02T06:34:05.000Z'],
    ['2027-01-02T03:04', '2027-01-02T03:04:00.000Z'],
    ['2027-01-02', '2027-01-02T00:00:00.000Z'],
  ])('keeps %j as the time of publication', async (input, stored) => {
    const response = await server.generate({
      ...{ post_id: `due ${input}`, content, publish_at: input },
      ...{ visibility: 'private', priority: 'low', post_url: 'https://example.org/a?b' },
    });
    expect(response.status).toBe(202);
    const [row] = readRows<Record<string, unknown>>(
      server.data,
      `select post.*, priority from post join audio on audio.post_id = post.id where external_id = 'due ${input}'`,
    );
    expect(row).toMatchObject({
      ...{ publish_at: stored, visibility: 'private', priority: 'low' },
      url: 'https://example.org/a?b',
    });
  });

  test.each(['tomorrow', '2027-02-30', '2027-13-01', '2027-01-02 03:04 PM', '2027', '', 5])(
    'refuses %j as the time of publication',
    async (input) => {
      const problem = typeof input === 'string' ? 'must be an ISO 8601 date and time' : 'must be a string';
      expect(await sendRejected({ post_id: 'due', content, publish_at: input })).toEqual(
        buildValidationError({ publish_at: [problem] }),
      );
    },
  );

  test('reports every invalid field in one response', async () => {
    const invalidInput = {
      ...{ post_id: '..', content: 'too short', post_title: 'x'.repeat(501), post_url: 'ftp://a' },
      ...{ voice_id: 'one', language: '??', publish_at: 'soon', visibility: 'secret', priority: 1 },
    };
    expect(await sendRejected(invalidInput)).toEqual(
      buildValidationError({
        post_id: ['must not be . or ..'],
        content: ['must be at least 50 characters'],
        post_title: ['must be at most 500 characters'],
        post_url: ['must be an http(s) URL'],
        voice_id: ['must be an integer'],
        language: ['must be a language code such as en or de'],
        publish_at: ['must be an ISO 8601 date and time'],
        visibility: ['must be public or private'],
        priority: ['must be high, normal or low'],
      }),
    );
    expect(await sendRejected({})).toEqual(
      buildValidationError({ post_id: ['is required'], content: ['is required'] }),
    );
  });

  test('accepts unknown fields, and null for optional fields', async () => {
    const response = await server.generate({
      ...{ post_id: 'extra', content, colour: 'red', status: 'ready', site_id: 99, id: 1 },
      ...{ post_title: null, post_url: null, voice_id: null, publish_at: null },
      ...{ visibility: null, priority: null },
    });
    expect(response.status).toBe(202);
    expect((await read(response)).data).toMatchObject({ status: 'pending', voice_id: 1 });
  });

  test('takes title and url as other names of post_title and post_url', async () => {
    const findNames = () => {
      const query =
        "select audio.title, post.url from post join audio on audio.post_id = post.id where external_id = 'named'";
      return readRows<Record<string, unknown>>(server.data, query)[0];
    };
    const response = await server.generate({
      post_id: 'named',
      content,
      title: 'Ferries',
      url: 'https://example.org/f',
    });
    expect(await response.json()).not.toHaveProperty('warnings');
    expect(findNames()).toEqual({ title: 'Ferries', url: 'https://example.org/f' });
    await server.generate({ post_id: 'named', content, post_title: 'Boats', title: 'Ferries' });
    expect(findNames()).toEqual({ title: 'Boats', url: 'https://example.org/f' });
    expect(await sendRejected({ post_id: 'named', content, url: 'ftp://example.org' })).toEqual(
      buildValidationError({ url: ['must be an http(s) URL'] }),
    );
  });

  test.each(['[]', '"text"', '7', 'null'])('refuses %s, which is no object', async (body) => {
    expect(await sendRejected(body)).toEqual(buildValidationError({ body: ['must be a JSON object'] }));
  });

  test.each([
    ['', 'nothing'],
    ['{', 'a broken object'],
    ["{'post_id': 1}", 'single quotes'],
    ['{"post_id": 1,}', 'a comma too many'],
  ])('refuses %j, which is %s', async (body) => {
    expect(await sendRejected(body)).toEqual({
      ...{ status: 400, message: 'Malformed JSON', errors: undefined },
    });
  });

  test('rejects bytes that are not UTF-8', async () => {
    const body = Buffer.from(JSON.stringify({ post_id: 'caf\u00e9', content }), 'latin1');
    expect(await sendRejected(body)).toMatchObject({
      ...{ status: 400, message: 'Malformed JSON', errors: { body: ['must be UTF-8'] } },
    });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'refuses the content type %s',
    async (type) => {
      const body = JSON.stringify({ post_id: 'typed', content });
      expect(await sendRejected(body, { 'content-type': type })).toMatchObject({ status: 415 });
    },
  );

  test('refuses a compressed body, and takes a charset for no coding', async () => {
    const body = Buffer.from(JSON.stringify({ post_id: 'coded', content }));
    const type = 'application/json';
    expect(await sendRejected(Bun.gzipSync(body), { 'content-type': type, 'content-encoding': 'gzip' })).toEqual({
      status: 415,
      ...{ message: 'Content-Encoding gzip is not supported. Send the body uncompressed.', errors: undefined },
    });
    expect((await post(body, { 'content-type': type, 'content-encoding': 'utf-8' })).status).toBe(202);
  });

  test('requires a content type, which may have a charset', async () => {
    const body = Buffer.from(JSON.stringify({ post_id: 'typed', content }));
    expect(await sendRejected(body, {})).toMatchObject({ status: 415 });
    const response = await post(body, { 'content-type': 'Application/JSON; charset=utf-8' });
    expect(response.status).toBe(202);
  });

  test('rejects a body above the limit by its Content-Length', async () => {
    const body = JSON.stringify({ post_id: 'large', content: 'x'.repeat(7_000_000) });
    expect(await sendRejected(body)).toMatchObject({
      ...{ status: 413, message: 'Request body larger than 7000000 bytes' },
    });
  });

  test('rejects a body above the limit without a Content-Length', async () => {
    let chunks = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        chunks += 1;
        if (chunks > 100) controller.close();
        else controller.enqueue(Buffer.alloc(1_000_000, ' '));
      },
    });
    expect(await sendRejected(endless)).toMatchObject({ status: 413 });
    expect((await server.request('/healthz')).status).toBe(200);
  });

  test('accepts a chunked body', async () => {
    const bytes = Buffer.from(JSON.stringify({ post_id: 'in pieces', content: `${content} 🦊` }));
    const body = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect((await post(body)).status).toBe(202);
  });

  test('without speakable text is accepted, then fails with the reason', async () => {
    const contents = [`<p>${'<br>'.repeat(20)}</p>`, '🦊 '.repeat(40), `<script>${content}</script>`];
    for (const [index, silent] of contents.entries()) {
      const postId = `silent ${index}`;
      const response = await server.generate({ post_id: postId, content: silent });
      expect(response.status).toBe(202);
      expect(await server.waitUntilFinished(postId)).toMatchObject({
        ...{ status: 'failed', error: 'The content has no speakable text' },
        ...{ audio_url: null, duration_seconds: null },
      });
    }
  });

  test('in a script that no voice of the language speaks fails even if the title is speakable', async () => {
    const chinese = '北京市政府星期一宣布，新的大桥将于下个月通车。'.repeat(4);
    const response = await server.generate({ post_id: 'foreign', post_title: 'Bridge opens', content: chinese });
    expect(response.status).toBe(202);
    const { status, error } = await server.waitUntilFinished('foreign');
    expect([status, error]).toEqual([
      'failed',
      'The content has no speakable text: it is in a script that a voice for English cannot speak. Send the language of the content, and install a voice for it.',
    ]);
  });
});
