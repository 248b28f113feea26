import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { fetchKokoro } from '../../voices/kokoro/fetch.ts';
import { getCacheFolder } from '../bench/cache-folder.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { countWordErrors, recognize } from '../fixtures/recognizer.ts';
import { createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { requireTool } from '../fixtures/tools.ts';

/** Run by `bun run test:voices`: the real model, 325 MB, from npm. */
setDefaultTimeout(3_600_000);

const env = { LECTERN_OPTIMIZE_VOICES: 'on', LECTERN_WORKER_DEADLINE_S: '600' };
const text =
  'The council voted on Tuesday evening to keep the old library open through the winter. The mayor thanked everyone who spoke. ' +
  'She said the building needs a new roof before the end of the year.';
const maxWordErrorShare = 0.05;

interface ListedVoice {
  readonly id: number;
  readonly file: string;
  readonly optimization: { readonly outcome: string; readonly snr_db: number } | null;
}

describe('Kokoro-82M', () => {
  const data = createTemporaryFolder();
  let server: TestServer;
  let voices: readonly ListedVoice[];

  beforeAll(async () => {
    // For `fetchKokoro`.
    requireTool('npm');
    requireTool('tar');
    const { model, styles } = await fetchKokoro(join(getCacheFolder(), 'kokoro'));
    const words = ['voice', 'add', model, '--styles', styles, '--voices', 'af_heart', 'bm_george'];
    const { code, stdout, stderr } = await runCommand([...words, '--json', '--data', data], { env });
    if (code !== 0) throw new Error(stderr);
    ({ voices } = JSON.parse(stdout) as { voices: readonly ListedVoice[] });
    server = await startTestServer({ data, env });
  });
  afterAll(() => server.stop());

  test('is optimized once for all its voices, without an audible difference', () => {
    expect(voices.map(({ file }) => file)).toEqual(['af_heart', 'bm_george']);
    for (const { optimization } of voices) {
      expect(optimization?.outcome).toBe('optimized');
      expect(optimization?.snr_db).toBeGreaterThanOrEqual(60);
    }
  });

  test.each(['af_heart', 'bm_george'])('%s reads an article that is understood', async (file) => {
    const id = voices.find((voice) => voice.file === file)?.id;
    await server.generate({ post_id: file, content: text, voice_id: id });
    const record = await server.waitUntilFinished(file, 1_200_000);
    expect([record.status, record.error]).toEqual(['ready', undefined]);
    const response = await server.request(new URL(record.audio_url ?? '', server.url).pathname);
    const { samples, sampleRateHz, warnings } = await decodeMp3(await response.bytes());
    expect([sampleRateHz, warnings]).toEqual([24_000, '']);
    const [recognized = ''] = await recognize([samples], sampleRateHz);
    const { errors, words } = countWordErrors(text, recognized);
    expect(errors / words).toBeLessThanOrEqual(maxWordErrorShare);
  });

  test('synthesizes a text ad hoc', async () => {
    const response = await server.request('/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'lectern', voice: `${voices[0]?.id}`, input: text }),
    });
    expect(response.status).toBe(200);
    const { samples, sampleRateHz } = await decodeMp3(await response.bytes());
    expect(samples.length / sampleRateHz).toBeWithin(6, 20);
  });
});
