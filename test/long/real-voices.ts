import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { fetchRealVoice, realVoices } from '../bench/real-voices.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';

/** Run by `bun run test:voices`: trained voices from npm. */
setDefaultTimeout(900_000);

/** With concurrent tests a machine may exceed the timeouts of the server. */
const env = { LECTERN_OPTIMIZE_VOICES: 'on', LECTERN_WORKER_DEADLINE_S: '600' };
const text =
  'The council voted on Tuesday evening to keep the old library open through the winter. Who will pay for it?';

interface ListedVoice {
  readonly id: number;
  readonly file: string;
  readonly optimization: { readonly outcome: string; readonly snr_db: number } | null;
}

async function runLectern(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(words, { env });
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return stdout;
}

describe.each(realVoices.map((name) => [name] as const))('the voice %s', (name) => {
  const data = createTemporaryFolder();
  const file = `en_US-${name}-medium`;
  let server: TestServer;
  let installed: ListedVoice | undefined;

  beforeAll(async () => {
    const { modelPath } = await fetchRealVoice(name);
    await runLectern('voice', 'add', modelPath, '--license', 'MIT', '--data', data);
    const { voices } = JSON.parse(await runLectern('voice', 'list', '--json', '--data', data)) as {
      voices: ListedVoice[];
    };
    installed = voices.find((voice) => voice.file === file);
    server = await startTestServer({ data, env, voices: 'built-in' });
  });
  afterAll(() => server.stop());

  test('is optimized without an audible difference', () => {
    expect(installed?.optimization?.outcome).toBe('optimized');
    expect(installed?.optimization?.snr_db).toBeGreaterThanOrEqual(60);
  });

  test('speaks an article', async () => {
    await server.generate({ post_id: 'news', content: text, voice_id: installed?.id });
    const record = await server.waitUntilFinished('news', 600_000);
    expect([record.status, record.error]).toEqual(['ready', undefined]);
    const response = await server.request(new URL(record.audio_url ?? '', server.url).pathname);
    await expectSpeech(await response.bytes(), record.duration_seconds ?? 0);
  });

  test('synthesizes a text ad hoc', async () => {
    const response = await server.request('/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'lectern', voice: `${installed?.id}`, input: text }),
    });
    expect(response.status).toBe(200);
    await expectSpeech(await response.bytes());
  });

  test('speaks without a server, given by its file', async () => {
    const path = join(data, 'said.mp3');
    const words = ['say', text, '--voice', file, '-o', path, '--data', data, '--json'];
    const { duration_seconds } = JSON.parse(await runLectern(...words)) as {
      duration_seconds: number;
    };
    await expectSpeech(await Bun.file(path).bytes(), duration_seconds);
  });
});

/**
 * Checks that audio has the expected duration and the loudness of all audio of Lectern.
 * @param durationS undefined: a stream, which has no duration in its header
 */
async function expectSpeech(mp3: Uint8Array, durationS?: number): Promise<void> {
  const { samples, sampleRateHz, warnings } = await decodeMp3(mp3);
  expect(sampleRateHz).toBe(22_050);
  const seconds = samples.length / sampleRateHz;
  expect(seconds).toBeWithin(4, 15);
  if (durationS !== undefined) {
    expect(warnings).toBe('');
    // The API has whole seconds.
    expect(Math.abs(seconds - durationS)).toBeLessThan(0.6);
  }
  const power = samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length;
  expect(10 * Math.log10(power)).toBeWithin(-26, -12);
}
