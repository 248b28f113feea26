import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkersWhen } from '../fixtures/held-workers.ts';
import { isAlive, listChildren } from '../fixtures/processes.ts';
import { watchSegments } from '../fixtures/segment-log.ts';
import { createSite, createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createStallingVoice } from '../fixtures/stalling-voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

setDefaultTimeout(300_000);

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

/** A server with one worker and a voice that is slow at each sentence. */
async function startSlowServer(stall: 'short' | 'endless' = 'short') {
  const data = createTemporaryFolder();
  const slow = createStallingVoice({ symbols: 'j', stall });
  await installVoice(data, 'en_US-slow-low', slow, 0);
  const { key } = await createSite(data);
  const voiceId = await findVoiceId(data, 'en_US-slow-low');
  const log = watchSegments(data);
  const start = async () => {
    const server = await startTestServer({ data, key, flags: ['--workers', '1'] });
    running.push(server);
    return server;
  };
  return { data, voiceId, log, start, server: await start() };
}

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
/** Enough sentences for a kill before the last one. */
const sentenceCount = 16;
const article = Array.from({ length: sentenceCount }, (_, index) => {
  const number = [...`${index}`].map((digit) => numbers[Number(digit)]).join(' ');
  return `<p>This is your sentence number ${number}.</p>`;
}).join('');

describe('a restarted server', () => {
  test('continues at the next missing sentence after SIGKILL, and synthesizes none twice', async () => {
    const { voiceId, log, server, start } = await startSlowServer();
    const response = await server.generate({ post_id: 'a', content: article, voice_id: voiceId });
    expect(response.status).toBe(202);
    const release = await holdWorkersWhen(server, () => log.listWritings().length >= 4, 'four segments are written');
    const workers = listChildren(server.process.pid);
    expect(workers).toHaveLength(1);
    await server.stop('SIGKILL');
    release();
    await eventually(() => !workers.some(isAlive), 'the orphaned worker ends');
    const before = log.readRows<{ hash: string; created_at: string }>('select * from segment');
    expect(before.length).toBeGreaterThanOrEqual(4);
    expect(before.length).toBeLessThan(sentenceCount);

    const record = await (await start()).waitUntilFinished('a');
    expect(record.status).toBe('ready');
    const hashes = log.listWritings().map(({ hash }) => hash);
    expect(hashes).toHaveLength(sentenceCount);
    expect(new Set(hashes).size).toBe(sentenceCount);
    for (const { hash, created_at } of before) {
      expect(log.readRows('select created_at from segment where hash = ?', hash)).toEqual([{ created_at }]);
    }
  });

  test('exits cleanly on SIGTERM during synthesis and resumes it', async () => {
    const { voiceId, log, server, start } = await startSlowServer();
    await server.generate({ post_id: 'a', content: article, voice_id: voiceId });
    const release = await holdWorkersWhen(server, () => log.listWritings().length >= 2, 'two segments are written');
    const workers = listChildren(server.process.pid);
    const exit = server.stop('SIGTERM');
    release();
    expect(await exit).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
    expect(log.readRows('select status from audio')).toEqual([{ status: 'pending' }]);
    expect((await (await start()).waitUntilFinished('a')).status).toBe('ready');
    expect(log.listWritings()).toHaveLength(sentenceCount);
  });

  test('exits cleanly while a worker is busy for many minutes', async () => {
    const { voiceId, server, start, log } = await startSlowServer('endless');
    await server.generate({ post_id: 'a', content: article, voice_id: voiceId });
    await eventually(() => log.readRows('select hash from planned_segment').length > 0, 'the article is planned');
    const workers = listChildren(server.process.pid);
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
    expect((await (await start()).status('a')).status).not.toBe('failed');
  });
});

describe('a killed worker', () => {
  test('loses only its current sentence', async () => {
    const { voiceId, log, server } = await startSlowServer();
    await server.generate({ post_id: 'a', content: article, voice_id: voiceId });
    await eventually(() => log.listWritings().length >= 3, 'three segments are written');
    const versions = log.readRows('select id from version');
    const [worker] = listChildren(server.process.pid);
    if (worker === undefined) throw new Error('no worker');
    process.kill(worker, 'SIGKILL');
    expect((await server.waitUntilFinished('a')).status).toBe('ready');
    expect(log.listWritings()).toHaveLength(sentenceCount);
    // Another version would mean that the article was restarted.
    expect(log.readRows('select id from version')).toEqual(versions);
    expect(listChildren(server.process.pid)).not.toContain(worker);
  });

  test('does not count as a crash of a sentence if it was idle', async () => {
    const { voiceId, server } = await startSlowServer();
    for (let kill = 0; kill < 3; kill += 1) {
      for (const worker of listChildren(server.process.pid)) process.kill(worker, 'SIGKILL');
      const postId = `post-${kill}`;
      const content = `<p>This is your short notice of number ${numbers[kill]}, and no more.</p>`;
      expect((await server.generate({ post_id: postId, content, voice_id: voiceId })).status).toBe(202);
      expect((await server.waitUntilFinished(postId)).status).toBe('ready');
    }
  });
});
