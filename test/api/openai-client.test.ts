import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import OpenAI from 'openai';
import { eventually } from '../fixtures/eventually.ts';
import { decodeWithFfmpeg } from '../fixtures/ffmpeg.ts';
import { planPost, toSymbols } from '../fixtures/post.ts';
import { listChildren } from '../fixtures/processes.ts';
import { createSite, createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createStallingVoice } from '../fixtures/stalling-voice.ts';
import { readTones } from '../fixtures/tones.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

// The real client library.
const tones = createToneVoice({ sampleRateHz: 22_050 });
const input = 'The ferry waits. Nobody had expected it so soon, on a Sunday.';
const model = 'tts-1';
const rawPcm = ['-f', 's16le', '-ar', '24000', '-ac', '1'];
const requestsPerMinute = 40;
let server: TestServer;
let client: OpenAI;

beforeAll(async () => {
  const data = createTemporaryFolder();
  await writeVoice(join(data, 'voices'), 'en_US-tones-low', tones);
  // Plays tones, but stalls in the middle of "button".
  const stalling = createStallingVoice({ symbols: 'ʔ', stall: 'endless' });
  await writeVoice(join(data, 'voices'), 'en_US-stalling-low', stalling);
  const { key } = await createSite(data);
  await findVoiceId(data, 'en_US-stalling-low');
  const env = { LECTERN_WORKERS: '2', LECTERN_RATE_KEY: String(requestsPerMinute) };
  server = await startTestServer({ data, key, env });
  client = createClient(key);
});
afterAll(() => server.stop('SIGKILL'));

function createClient(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
}

function killWorkers(): void {
  for (const worker of listChildren(server.process.pid)) {
    try {
      process.kill(worker, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  }
}

/** @returns the error that the client throws */
async function getError(request: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw new Error(`no refusal: ${error}`);
}

describe('the OpenAI client', () => {
  test.each([
    ['mp3', 'audio/mpeg', [], 22_050],
    ['wav', 'audio/wav', [], 24_000],
    ['pcm', 'audio/pcm', rawPcm, 24_000],
  ] as const)('hears every phoneme as %s', async (response_format, type, options, rate) => {
    const response = await client.audio.speech.create({
      ...{ model, input, voice: 'Tones', response_format },
    });
    expect(response.headers.get('content-type')).toBe(type);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { samples, sampleRateHz } = await decodeWithFfmpeg(bytes, options);
    expect(sampleRateHz).toBe(rate);
    const plan = await planPost({ content: input }, tones.config ?? '');
    expect(readTones(samples, sampleRateHz).map(({ symbol }) => symbol)).toEqual(
      plan.flatMap(({ ids }) => toSymbols(ids, tones.config ?? '')),
    );
  });

  test('receives audio of equal duration in each format', async () => {
    const seconds = await Promise.all(
      (['mp3', 'wav', 'pcm'] as const).map(async (response_format) => {
        const response = await client.audio.speech.create({
          ...{ model, input, voice: { id: 'tones' }, response_format },
        });
        const options = response_format === 'pcm' ? rawPcm : [];
        const bytes = new Uint8Array(await response.arrayBuffer());
        const { samples, sampleRateHz } = await decodeWithFfmpeg(bytes, options);
        return samples.length / sampleRateHz;
      }),
    );
    const [mp3 = 0, wav = 0, pcm = 0] = seconds;
    expect(wav).toBe(pcm);
    // Two sentences, each of whole frames of about 26 ms.
    expect(mp3 - pcm).toBeWithin(-0.06, 0.06);
  });

  test('receives the first sentence before the last is synthesized, and detects an incomplete response', async () => {
    const response = await client.audio.speech.create({
      ...{
        model,
        input: 'We go now. Press the button.',
        voice: 'stalling',
        response_format: 'pcm',
      },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let receivedBytes = 0; receivedBytes <= 10_000; ) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      receivedBytes += value?.length ?? 0;
    }
    let end: string | undefined;
    const readRest = async () => {
      while (!(await reader.read()).done);
    };
    readRest()
      .then(() => {
        end = 'whole';
      })
      .catch(() => {
        end = 'cut';
      });
    // Kills each worker with the last sentence until the sentence is given up.
    await eventually(() => {
      killWorkers();
      return end;
    }, 'the answer ends');
    expect(end).toBe('cut');
  });

  test('lists the model', async () => {
    const names: string[] = [];
    for await (const { id } of client.models.list()) names.push(id);
    expect(names).toEqual(['lectern']);
  });

  test('maps errors of a request', async () => {
    const { status, message, code, param, type } = await getError(
      client.audio.speech.create({ model, input, voice: 'nova', response_format: 'opus' }),
    );
    expect({ status, message, code, param, type }).toEqual({
      status: 422,
      message: '422 Validation failed: response_format: must be mp3, wav or pcm',
      code: 'validation_failed',
      param: 'response_format',
      type: 'invalid_request_error',
    });
  });

  test('maps an invalid key to its authentication error', async () => {
    const unauthorizedClient = createClient('sk-of-somebody-else');
    const error = await getError(unauthorizedClient.audio.speech.create({ model, input, voice: 'Tones' }));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error.message).toBe('401 API key invalid');
    expect((await getError(unauthorizedClient.models.list())).message).toBe('401 API key invalid');
  });

  test('maps a rate limit to its rate limit error', async () => {
    // More than the limit, even if a minute ends during the test.
    const requests = Array.from({ length: 2 * requestsPerMinute + 1 }, () => client.models.list());
    const error = await getError(Promise.all(requests));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error.message).toBe('429 Rate limit exceeded');
  });
});
