import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createSite, createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { requireTool } from '../fixtures/tools.ts';
import {
  type BrokenVoiceKind,
  brokenVoiceKinds,
  createBrokenVoice,
  createToneVoice,
  writeVoice,
} from '../fixtures/voice.ts';
import { findVoiceId, listVoices } from '../fixtures/voice-list.ts';

const content = 'The council voted on Tuesday evening to keep the old library open through the winter.';

/** Defects that appear only in synthesis. */
const badSound: readonly BrokenVoiceKind[] = ['nan-output', 'silent-output', 'short-output'];
const reasons: Record<string, RegExp> = {
  'not-onnx': /not a readable, self-contained ONNX/,
  'truncated-model': /not a readable, self-contained ONNX/,
  'wrong-input-names': /not a Piper voice: its inputs are text, /,
  'wrong-output-name': /not a Piper voice: .*outputs logits$/,
  'wrong-output-type': /output/,
  'config-missing': /the config is missing/,
  'config-not-json': /the config is not JSON/,
  'config-without-phoneme-id-map': /phoneme_id_map/,
  'config-without-sample-rate': /audio\.sample_rate/,
  'sample-rate-zero': /audio\.sample_rate/,
};

const data = createTemporaryFolder();
const folder = join(data, 'voices');
let server: TestServer;

beforeAll(async () => {
  for (const kind of brokenVoiceKinds) await writeVoice(folder, kind, createBrokenVoice(kind));
  const { model, config } = createToneVoice({ sampleRateHz: 16_000 });
  const beyond = JSON.parse(config ?? '');
  beyond.phoneme_id_map['ə'] = [9_999];
  await writeVoice(folder, 'id-beyond-model', { model, config: JSON.stringify(beyond) });
  await writeVoice(folder, 'good', { model, config });
  const { key } = await createSite(data);
  server = await startTestServer({ data, key, voices: 'built-in' });
});
afterAll(() => server.stop('SIGKILL'));

async function expectAccepted(post: Record<string, unknown>): Promise<void> {
  expect((await server.generate(post)).status).toBe(202);
}

describe('broken voices in the folder', () => {
  test('cannot be pipes, on which a read would block', async () => {
    Bun.spawnSync([requireTool('mkfifo'), join(folder, 'pipe.onnx')]);
    await Bun.write(join(folder, 'pipe.onnx.json'), '{}');
    const { not_usable } = await listVoices(data);
    expect(not_usable.map(({ file }) => file)).not.toContain(join(folder, 'pipe.onnx'));
    expect((await server.request('/readyz')).status).toBe(200);
  });

  test('are listed as not usable with one plain line each; other voices remain usable', async () => {
    const { voices, not_usable } = await listVoices(data);
    const problems = Object.fromEntries(
      not_usable.map(({ file, problem }) => [file.slice(folder.length + 1, -'.onnx'.length), problem]),
    );
    expect(Object.keys(problems).toSorted()).toEqual(Object.keys(reasons).toSorted());
    for (const [kind, reason] of Object.entries(reasons)) {
      expect(problems[kind]).toMatch(reason);
      expect(problems[kind]).toMatch(/^[^\n]{5,300}$/);
      expect(problems[kind]).not.toContain('    at ');
    }
    const files = voices.map(({ file }) => file);
    expect(files).toContain('good');
    expect(files).toContain('en_US-aspen-medium');
    // A config without its model is not a voice.
    expect(files).not.toContain('model-missing');
  });

  test.each([...badSound, 'id-beyond-model'])(
    'make a post fail with a plain reason when only their sound is bad: %s',
    async (kind) => {
      const voice_id = await findVoiceId(data, kind);
      await expectAccepted({ post_id: kind, content, voice_id });
      const record = await server.waitUntilFinished(kind);
      expect(record.status).toBe('failed');
      expect(record.error).toMatch(/^[A-Z][^\n]{10,150}$/);
      expect(record.error).not.toMatch(/onnx|node|null|NaN|Infinity|undefined|status code|\//i);
    },
  );

  test('do not affect other voices', async () => {
    for (const file of ['good', 'en_US-aspen-medium']) {
      const voice_id = await findVoiceId(data, file);
      await expectAccepted({ post_id: `after-${file}`, content, voice_id });
      expect((await server.waitUntilFinished(`after-${file}`)).status).toBe('ready');
    }
    expect((await server.request('/readyz')).status).toBe(200);
  });
});
