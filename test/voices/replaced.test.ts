import { afterEach, describe, expect, test } from 'bun:test';
import { rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, planPost, readSymbols, toSymbols } from '../fixtures/post.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createToneVoice, type Voice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

const name = 'en_US-tones-low';
const voice = createToneVoice({ sampleRateHz: 16_000 });
const config = voice.config ?? '';
const longAgo = new Date('2026-01-01T00:00:00Z');
const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

/** The same voice with two phonemes swapped, of exactly the same size. */
function swapPhonemes(): Voice {
  const parsed = JSON.parse(config);
  const map = parsed.phoneme_id_map;
  [map.t, map.s] = [map.s, map.t];
  return { ...voice, config: JSON.stringify(parsed) };
}

function buildText(word: string): string {
  return `The ${word} station stands still, and the last train starts at six tomorrow.`;
}

async function readSpokenSymbols(server: TestServer, postId: string): Promise<string> {
  return readSymbols(await listenTo(await server.waitUntilFinished(postId)));
}

async function getExpectedSymbols(word: string): Promise<string> {
  const plan = await planPost({ content: buildText(word) }, config);
  return plan.flatMap(({ ids }) => toSymbols(ids, config)).join('');
}

describe('a voice whose files are replaced while a server runs', () => {
  test('is spoken with its installed files only, even if size and time of the new ones are equal', async () => {
    const data = createTemporaryFolder();
    const folder = join(data, 'voices');
    const { modelPath, configPath } = await writeVoice(folder, name, voice);
    for (const path of [modelPath, configPath]) utimesSync(path, longAgo, longAgo);
    const { key } = await createSite(data);
    const voice_id = await findVoiceId(data, name);
    const flags = ['--workers', '1'];
    const server = await startTestServer({ data, key, flags });
    running.push(server);
    await server.generate({ post_id: 'before', content: buildText('first'), voice_id });
    expect(await readSpokenSymbols(server, 'before')).toBe(await getExpectedSymbols('first'));

    const { size } = statSync(configPath);
    await writeVoice(folder, name, swapPhonemes());
    for (const path of [modelPath, configPath]) utimesSync(path, longAgo, longAgo);
    expect(statSync(configPath).size).toBe(size);
    await server.generate({ post_id: 'after', content: buildText('second'), voice_id });
    expect(await readSpokenSymbols(server, 'after')).toBe(await getExpectedSymbols('second'));

    await server.stop();
    const again = await startTestServer({ data, key, flags });
    running.push(again);
    await again.generate({ post_id: 'restarted', content: buildText('third'), voice_id });
    expect(await again.waitUntilFinished('restarted')).toMatchObject({
      status: 'failed',
      error: 'Voice Tones failed: the voice files have changed since installation. Reinstall the voice.',
    });
  });

  test('keeps its id and gets the new sound', async () => {
    const data = createTemporaryFolder();
    const folder = join(data, 'voices');
    await writeVoice(folder, name, voice);
    const { key } = await createSite(data);
    const old = await findVoiceId(data, name);
    const server = await startTestServer({ data, key });
    running.push(server);
    await writeVoice(folder, name, createToneVoice({ sampleRateHz: 22_050 }));
    expect(await findVoiceId(data, name)).toBe(old);
    await eventually(async () => {
      const body = { post_id: 'new', content: buildText('new'), voice_id: old };
      return (await server.generate(body)).status === 202;
    }, 'the server has looked at the folder');
    const recording = await listenTo(await server.waitUntilFinished('new'));
    expect(recording.sampleRateHz).toBe(22_050);
    expect(readSymbols(recording)).toBe(await getExpectedSymbols('new'));
  });
});

test('a default voice whose files are missing is not replaced by a voice of another language', async () => {
  const data = createTemporaryFolder();
  const folder = join(data, 'voices');
  const dutch = createToneVoice({ sampleRateHz: 16_000, language: 'nl_NL' });
  const { modelPath } = await writeVoice(folder, 'nl_NL-tonen-low', dutch);
  const { siteId, key } = await createSite(data);
  const voiceId = await findVoiceId(data, 'nl_NL-tonen-low');
  const update = ['site', 'update', String(siteId), '--default-voice', String(voiceId), '--data', data];
  expect((await runCommand(update)).code).toBe(0);
  rmSync(modelPath);
  const server = await startTestServer({ data, key, flags: ['--workers', '1'] });
  running.push(server);
  const response = await server.generate({ post_id: 'lost', content: buildText('last') });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    errors: { language: ['nl is not supported; installed voices speak: de, en, es, fr'] },
  });
});

// On PostgreSQL the model is fetched from the database.
test.skipIf(isOnPostgres)(
  'a post that waits for a voice whose files are missing gets another one, and its record says so',
  async () => {
    const data = createTemporaryFolder();
    const { modelPath } = await writeVoice(join(data, 'voices'), name, voice);
    const { key } = await createSite(data);
    const voiceId = await findVoiceId(data, name);
    // A running server sees the pause later.
    await runCommand(['queue', 'pause', '--data', data]);
    const before = await startTestServer({ data, key });
    running.push(before);
    const body = { post_id: 'waits', content: buildText('next') };
    expect((await before.generate({ ...body, voice_id: voiceId })).status).toBe(202);
    await before.stop();
    rmSync(modelPath);
    const server = await startTestServer({ data, key });
    running.push(server);
    await runCommand(['queue', 'resume', '--data', data]);
    const record = await server.waitUntilFinished('waits');
    expect(record).toMatchObject({ status: 'ready', voice_replaced: true });
    expect(record.voice_id).not.toBe(voiceId);
    expect((await server.generate(body)).status).toBe(200);
    expect(await server.status('waits')).toEqual(record);
    expect((await server.generate({ ...body, content: buildText('corrected') })).status).toBe(202);
    expect(await server.waitUntilFinished('waits')).not.toHaveProperty('voice_replaced');
  },
);
