import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { addDefaultVoice, defaultVoiceFile, installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { readMetrics } from '../fixtures/metrics.ts';
import { type SegmentLog, watchSegments } from '../fixtures/segment-log.ts';
import { createSite, createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createStallingVoice } from '../fixtures/stalling-voice.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

interface Desk {
  readonly server: TestServer;
  readonly log: SegmentLog;
  /** One site per voice. */
  readonly keys: readonly string[];
  /** Ids of the tone voices. */
  readonly voiceIds: readonly number[];
}

/** Two workers, and a number of tone voices in addition to the default one. */
async function openDesk(voiceCount: number, isDefaultEnabled = true): Promise<Desk> {
  const data = createTemporaryFolder();
  await addDefaultVoice(data);
  for (let number = 1; number <= voiceCount; number += 1) {
    const voice = createToneVoice({ sampleRateHz: 16_000, noise: number / 10_000 });
    await installVoice(data, `en_US-tones${number}-low`, voice);
  }
  // Sites share the workers sentence by sentence.
  const keys: string[] = [];
  while (keys.length < Math.max(1, voiceCount)) keys.push((await createSite(data)).key);
  const [key = ''] = keys;
  const log = watchSegments(data);
  const ids = log.readRows<{ id: number }>(`select id from voice where name like 'Tones%' order by id`);
  if (!isDefaultEnabled) await runCommand(['voice', 'disable', defaultVoiceFile, '--data', data]);
  const server = await startTestServer({ data, key, flags: ['--workers', '2'], isPreloading: true });
  running.push(server);
  await eventually(async () => (await readMetric(server, loads)) === 2, 'both workers are warm');
  return { server, log, keys, voiceIds: ids.map(({ id }) => id) };
}

const loads = 'lectern_worker_tasks_total{task="load",outcome="done"}';
const voiceLoads = 'lectern_worker_voice_loads_total';

async function readMetric(server: TestServer, name: string): Promise<number> {
  return (await readMetrics(server))(name) ?? 0;
}

async function submitPost(server: TestServer, body: Record<string, unknown>, key = server.key) {
  const response = await server.request('/v1/audio/generate', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
}

function buildTale(name: string, sentenceCount: number): string {
  return Array.from({ length: sentenceCount }, (_, index) => `Line ${index + 1} of the ${name} tells of rain.`).join(
    ' ',
  );
}

describe('voices', () => {
  test('used in turn stay loaded', async () => {
    const { server, log, keys, voiceIds } = await openDesk(3);
    const before = await readMetric(server, voiceLoads);
    for (const [index, id] of voiceIds.entries()) {
      const body = { post_id: `${id}`, content: buildTale(`voice ${id}`, 30), voice_id: id };
      await submitPost(server, body, keys[index]);
    }
    const countReady = () => log.readRows(`select id from audio where status = 'ready'`).length;
    await eventually(() => countReady() === voiceIds.length, 'all are ready', 150_000);
    const spoken = log.listWritings().length;
    expect(spoken).toBe(30 * voiceIds.length);
    expect(((await readMetric(server, voiceLoads)) - before) / spoken).toBeLessThan(1 / 6);
  });

  test('that are disabled are not loaded at the start', async () => {
    const { server } = await openDesk(1, false);
    const before = await readMetric(server, voiceLoads);
    await submitPost(server, { post_id: 'first', content: buildTale('bay', 2), language: 'en' });
    expect(await server.waitUntilFinished('first')).toMatchObject({ status: 'ready' });
    expect(await readMetric(server, voiceLoads)).toBe(before);
  });

  test('of a request are loaded during extraction', async () => {
    const { server, voiceIds } = await openDesk(1);
    await submitPost(server, { post_id: 'named', content: buildTale('sea', 2), voice_id: voiceIds[0] });
    expect(await server.waitUntilFinished('named')).toMatchObject({ status: 'ready' });
    await eventually(async () => (await readMetric(server, loads)) === 3, 'it is preloaded');
  });
});

describe('the last sentences of the only post', () => {
  test('are synthesized longest first', async () => {
    const { server, log } = await openDesk(0);
    // Each line takes a tenth of a second, except the long one, which is stored soon after its start.
    const slow = createStallingVoice({ symbols: 'j', stall: 'short' });
    await writeVoice(join(server.data, 'voices'), 'en_US-slow-low', slow);
    const long = 'The very last line of this tale tells at length of rain and wind and snow on the hills.';
    await submitPost(server, {
      post_id: 'tale',
      content: `${buildTale('yard', 12)} ${long}`,
      voice_id: await findVoiceId(server.data, 'en_US-slow-low'),
    });
    expect(await server.waitUntilFinished('tale')).toMatchObject({ status: 'ready' });
    const positions = log
      .readRows<{ position: number }>('select position from writing join planned_segment using (hash) order by number')
      .map(({ position }) => position);
    expect(positions).toHaveLength(13);
    expect(positions.slice(-2)).not.toContain(12);
  });
});
