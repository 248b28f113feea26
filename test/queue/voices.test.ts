import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { addDefaultVoice, defaultVoiceFile, installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { figuresOf } from '../fixtures/figures.ts';
import { type SegmentLog, watchSegments } from '../fixtures/segment-log.ts';
import { createSite, runCommand, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';
import { stallingVoice } from '../fixtures/stalling-voice.ts';
import { toneVoice, writeVoice } from '../fixtures/voice.ts';
import { voiceIdOf } from '../fixtures/voice-list.ts';

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

interface Desk {
  readonly server: TestServer;
  readonly log: SegmentLog;
  /** Of sites, as many as voices. */
  readonly keys: readonly string[];
  /** Of the voices of tones. */
  readonly voiceIds: readonly number[];
}

/** Two workers, and so many voices of tones beside the default one. */
async function openDesk(voiceCount: number, isDefaultEnabled = true): Promise<Desk> {
  const data = temporaryFolder();
  await addDefaultVoice(data);
  for (let number = 1; number <= voiceCount; number += 1) {
    const voice = toneVoice({ sampleRateHz: 16_000, noise: number / 10_000 });
    await installVoice(data, `en_US-tones${number}-low`, voice);
  }
  // Sites share the workers sentence by sentence.
  const keys: string[] = [];
  while (keys.length < Math.max(1, voiceCount)) keys.push((await createSite(data)).key);
  const [key = ''] = keys;
  const log = watchSegments(data);
  const ids = log.rows<{ id: number }>(`select id from voice where name like 'tones%' order by id`);
  if (!isDefaultEnabled) await runCommand(['voice', 'disable', defaultVoiceFile, '--data', data]);
  const server = await startTestServer({ data, key, flags: ['--workers', '2'] });
  running.push(server);
  await eventually(async () => (await figure(server, loads)) === 2, 'both workers are warm');
  return { server, log, keys, voiceIds: ids.map(({ id }) => id) };
}

const loads = 'lectern_worker_tasks_total{task="load",outcome="done"}';
const voiceLoads = 'lectern_worker_voice_loads_total';

async function figure(server: TestServer, name: string): Promise<number> {
  return (await figuresOf(server))(name) ?? 0;
}

async function handIn(server: TestServer, body: Record<string, unknown>, key = server.key) {
  const answer = await server.request('/v1/audio/generate', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });
  if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
}

function tale(name: string, sentenceCount: number): string {
  return Array.from({ length: sentenceCount }, (_, index) => `Line ${index + 1} of the ${name} tells of rain.`).join(
    ' ',
  );
}

describe('voices', () => {
  test('used in turn stay loaded', async () => {
    const { server, log, keys, voiceIds } = await openDesk(3);
    const before = await figure(server, voiceLoads);
    for (const [index, id] of voiceIds.entries()) {
      const body = { post_id: `${id}`, content: tale(`voice ${id}`, 30), voice_id: id };
      await handIn(server, body, keys[index]);
    }
    const ready = () => log.rows(`select id from audio where status = 'ready'`).length;
    await eventually(() => ready() === voiceIds.length, 'all are ready', 150_000);
    const spoken = log.writings().length;
    expect(spoken).toBe(30 * voiceIds.length);
    expect(((await figure(server, voiceLoads)) - before) / spoken).toBeLessThan(1 / 6);
  });

  test('that are disabled are not loaded at the start', async () => {
    const { server } = await openDesk(1, false);
    const before = await figure(server, voiceLoads);
    await handIn(server, { post_id: 'first', content: tale('bay', 2), language: 'en' });
    expect(await server.waitUntilFinished('first')).toMatchObject({ status: 'ready' });
    expect(await figure(server, voiceLoads)).toBe(before);
  });

  test('of a request are loaded during extraction', async () => {
    const { server, voiceIds } = await openDesk(1);
    await handIn(server, { post_id: 'named', content: tale('sea', 2), voice_id: voiceIds[0] });
    expect(await server.waitUntilFinished('named')).toMatchObject({ status: 'ready' });
    await eventually(async () => (await figure(server, loads)) === 3, 'it was loaded beforehand');
  });
});

describe('the last sentences of the only post', () => {
  test('are synthesized longest first', async () => {
    const { server, log } = await openDesk(0);
    // Each line takes a tenth of a second, but for the long one: it is written soon after it was begun.
    const slow = stallingVoice({ symbols: 'j', stall: 'short' });
    await writeVoice(join(server.data, 'voices'), 'en_US-slow-low', slow);
    const long = 'The very last line of this tale tells at length of rain and wind and snow on the hills.';
    await handIn(server, {
      post_id: 'tale',
      content: `${tale('yard', 12)} ${long}`,
      voice_id: await voiceIdOf(server.data, 'en_US-slow-low'),
    });
    expect(await server.waitUntilFinished('tale')).toMatchObject({ status: 'ready' });
    const positions = log
      .rows<{ position: number }>('select position from writing join planned_segment using (hash) order by number')
      .map(({ position }) => position);
    expect(positions).toHaveLength(13);
    expect(positions.slice(-2)).not.toContain(12);
  });
});
