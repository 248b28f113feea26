import { afterEach, describe, expect, test } from 'bun:test';
import { rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, planOf, symbolsIn, symbolsOf } from '../fixtures/post.ts';
import { createSite, runCommand, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';
import { toneVoice, type Voice, writeVoice } from '../fixtures/voice.ts';
import { voiceIdOf } from '../fixtures/voice-list.ts';

const name = 'en_US-tones-low';
const voice = toneVoice({ sampleRateHz: 16_000 });
const config = voice.config ?? '';
const longAgo = new Date('2026-01-01T00:00:00Z');
const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

/** The same voice but for two phonemes that changed places: as long as the other to the byte. */
function swapped(): Voice {
  const parsed = JSON.parse(config);
  const map = parsed.phoneme_id_map;
  [map.t, map.s] = [map.s, map.t];
  return { ...voice, config: JSON.stringify(parsed) };
}

function article(word: string): string {
  return `The ${word} station stands still, and the last train starts at six tomorrow.`;
}

async function said(server: TestServer, postId: string): Promise<string> {
  return symbolsIn(await listenTo(await server.waitUntilFinished(postId)));
}

async function expected(word: string): Promise<string> {
  const plan = await planOf({ content: article(word) }, config);
  return plan.flatMap(({ ids }) => symbolsOf(ids, config)).join('');
}

describe('a voice whose files are replaced while a server runs', () => {
  test('is spoken with its installed files only, even if size and time of the new ones are equal', async () => {
    const data = temporaryFolder();
    const folder = join(data, 'voices');
    const { modelPath, configPath } = await writeVoice(folder, name, voice);
    for (const path of [modelPath, configPath]) utimesSync(path, longAgo, longAgo);
    const { key } = await createSite(data);
    const voice_id = await voiceIdOf(data, name);
    const flags = ['--workers', '1'];
    const server = await startTestServer({ data, key, flags });
    running.push(server);
    await server.generate({ post_id: 'before', content: article('first'), voice_id });
    expect(await said(server, 'before')).toBe(await expected('first'));

    const { size } = statSync(configPath);
    await writeVoice(folder, name, swapped());
    for (const path of [modelPath, configPath]) utimesSync(path, longAgo, longAgo);
    expect(statSync(configPath).size).toBe(size);
    await server.generate({ post_id: 'after', content: article('second'), voice_id });
    expect(await said(server, 'after')).toBe(await expected('second'));

    await server.stop();
    const again = await startTestServer({ data, key, flags });
    running.push(again);
    await again.generate({ post_id: 'restarted', content: article('third'), voice_id });
    expect(await again.waitUntilFinished('restarted')).toMatchObject({
      status: 'failed',
      error: 'Voice Tones failed: the voice files have changed since installation. Reinstall the voice.',
    });
  });

  test('keeps its id and gets the new sound', async () => {
    const data = temporaryFolder();
    const folder = join(data, 'voices');
    await writeVoice(folder, name, voice);
    const { key } = await createSite(data);
    const old = await voiceIdOf(data, name);
    const server = await startTestServer({ data, key });
    running.push(server);
    await writeVoice(folder, name, toneVoice({ sampleRateHz: 22_050 }));
    expect(await voiceIdOf(data, name)).toBe(old);
    await eventually(async () => {
      const body = { post_id: 'new', content: article('new'), voice_id: old };
      return (await server.generate(body)).status === 202;
    }, 'the server has looked at the folder');
    const heard = await listenTo(await server.waitUntilFinished('new'));
    expect(heard.sampleRateHz).toBe(22_050);
    expect(symbolsIn(heard)).toBe(await expected('new'));
  });
});

test('a default voice whose files are missing is not replaced by a voice of another language', async () => {
  const data = temporaryFolder();
  const folder = join(data, 'voices');
  const dutch = toneVoice({ sampleRateHz: 16_000, language: 'nl_NL' });
  const { modelPath } = await writeVoice(folder, 'nl_NL-tonen-low', dutch);
  const { siteId, key } = await createSite(data);
  const voiceId = await voiceIdOf(data, 'nl_NL-tonen-low');
  const update = ['site', 'update', String(siteId), '--default-voice', String(voiceId), '--data', data];
  expect((await runCommand(update)).code).toBe(0);
  rmSync(modelPath);
  const server = await startTestServer({ data, key, flags: ['--workers', '1'] });
  running.push(server);
  const answer = await server.generate({ post_id: 'lost', content: article('last') });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    errors: { language: ['nl is not supported; installed voices speak: de, en, es, fr'] },
  });
});

test('a post that waits for a voice whose files are missing gets another one, and its record says so', async () => {
  const data = temporaryFolder();
  const { modelPath } = await writeVoice(join(data, 'voices'), name, voice);
  const { key } = await createSite(data);
  const voiceId = await voiceIdOf(data, name);
  const before = await startTestServer({ data, key });
  running.push(before);
  await runCommand(['queue', 'pause', '--data', data]);
  const body = { post_id: 'waits', content: article('next') };
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
  expect((await server.generate({ ...body, content: article('corrected') })).status).toBe(202);
  expect(await server.waitUntilFinished('waits')).not.toHaveProperty('voice_replaced');
});
