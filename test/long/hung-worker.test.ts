import { afterEach, describe, expect, test } from 'bun:test';
import { countTaskSeconds, readActivity, watchProcess } from '../../src/build/processes.ts';
import { createLog } from '../../src/log.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { startWorkerPool } from '../../src/speech/worker-pool.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers } from '../fixtures/held-workers.ts';
import { readMetrics } from '../fixtures/metrics.ts';
import { starve } from '../fixtures/processes.ts';
import { createSite, createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createStallingVoice } from '../fixtures/stalling-voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
});

const hung = 'lectern_worker_restarts_total{reason="hung"}';
const content = 'The ferry was late again on Monday. Two hundred people waited on the pier.';

async function start(options: Parameters<typeof startTestServer>[0] & object = {}): Promise<TestServer> {
  const server = await startTestServer({ ...options, env: { LECTERN_WORKER_SILENCE_S: '2', ...options.env } });
  running.push(server);
  return server;
}

async function isReady(server: TestServer): Promise<boolean> {
  return (await fetch(`${server.url}/readyz`)).status === 200;
}

describe('a worker that is stopped', () => {
  test('is replaced, and its task is repeated at once', async () => {
    const server = await start({ isPreloading: true });
    await eventually(() => isReady(server), 'a voice is loaded');
    holdWorkers(server);
    await server.generate({ post_id: 'waits', content });
    expect(await server.waitUntilFinished('waits')).toMatchObject({ status: 'ready' });
    // On a busy machine the next one can be silent for too long as well.
    expect((await readMetrics(server))(hung)).toBeGreaterThanOrEqual(1);
    await server.waitForLogLine('worker hung');
  });

  test('makes the server not ready until it is replaced', async () => {
    const server = await start({ isPreloading: true });
    await eventually(() => isReady(server), 'a voice is loaded');
    holdWorkers(server);
    const response = await eventually(async () => {
      const response = await fetch(`${server.url}/readyz`);
      return response.status === 503 && response;
    }, 'the server is not ready');
    expect(await response.json()).toMatchObject({ errors: { worker: ['no speech worker responded'] } });
    await eventually(() => isReady(server), 'another worker answers');
    expect((await readMetrics(server))(hung)).toBeGreaterThanOrEqual(1);
  });
});

describe('the time limit of a task', () => {
  test.each([
    ['is not used up while the worker waits for a processor', 10, 0.5, true, 0.5],
    ['is while it waits for anything else', 10, 0.5, false, 10],
    ['is where the system does not tell', 10, 10, undefined, 10],
    ['is not used up twice as fast by two threads', 1, 2, true, 1],
  ] as const)('%s', (_what, seconds, cpuSeconds, isRunnable, expected) => {
    expect(countTaskSeconds(seconds, cpuSeconds, isRunnable)).toBe(expected);
  });
});

describe('a worker that waits for a processor', () => {
  const limits = { deadlineS: 3, textCpuLimitS: 60, silenceS: 60, memoryMb: 1_500, nativeFolders: [] };
  const read = { title: '', language: 'en', reading: defaultNarrationSettings };
  const starvedMs = 200_000;
  const paragraph = '<p>The river rose again, so the people carried their furniture uphill.</p>';

  test('does not exceed its time limit, and is charged for its CPU time', async () => {
    const workers = startWorkerPool({ ...limits, count: 1, log: createLog('silent') });
    // Later it only computes.
    await workers.call('read', { ...read, content: paragraph });
    const [worker] = workers.state();
    const readCpuSeconds = () => readActivity(worker?.pid ?? 0)?.cpuSeconds ?? 0;
    const stopStarving = starve(worker?.pid ?? 0);
    try {
      const article = await workers.call('read', { ...read, content: paragraph.repeat(100) });
      expect(article.sentences).toHaveLength(100);
      const leaving = new AbortController();
      const used = Promise.withResolvers<number>();
      const options = { signal: leaving.signal, onUsed: used.resolve };
      const startMs = performance.now();
      const before = readCpuSeconds();
      const left = workers.call('read', { ...read, content: paragraph.repeat(5_000) }, options);
      await eventually(() => readCpuSeconds() > before + 0.1, 'it has computed for some time', starvedMs);
      leaving.abort();
      await expect(left).rejects.toThrow('task cancelled by its caller');
      const waitedS = (performance.now() - startMs) / 1000;
      expect(await used.promise).toBeLessThan(waitedS / 2);
    } finally {
      stopStarving();
      await workers.stop();
    }
  }, 300_000);
});

describe('a worker that computes without a response', () => {
  test('does not count as hung: its task has its time limit', async () => {
    const data = createTemporaryFolder();
    await installVoice(data, 'en_US-stalling-low', createStallingVoice({ symbols: 'ə', stall: 'endless' }), 0);
    const { key } = await createSite(data);
    const server = await start({ data, key, env: { LECTERN_WORKER_DEADLINE_S: '4' } });
    await server.generate({ post_id: 'long', content, voice_id: await findVoiceId(data, 'en_US-stalling-low') });
    await server.waitForLogLine('time limit of 4 s exceeded');
    expect((await readMetrics(server))(hung)).toBe(0);
  });
});

describe('a process with limits', () => {
  const start = (script: string) =>
    Bun.spawn([process.execPath, '-e', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  const endless = 'while (true) {}';

  test('is killed beyond them', async () => {
    const timeExceeded = 'time limit of 1 s exceeded';
    expect(await watchProcess(start(endless), { seconds: 1 })).toBe(timeExceeded);
    expect(await watchProcess(start('setInterval(() => undefined, 1e6)'), { seconds: 1 })).toBe(timeExceeded);
    const large = start(`globalThis.held = new Uint8Array(300e6).fill(1); ${endless}`);
    expect(await watchProcess(large, { seconds: 60, memoryBytes: 200e6 })).toBe('memory limit of 200 MB exceeded');
  });

  test('reports how it ended', async () => {
    expect(await watchProcess(start(''), { seconds: 60 })).toBeUndefined();
    expect(await watchProcess(start('process.exit(1)'), { seconds: 60 })).toBe('the process crashed');
  });

  test('may wait for a processor', async () => {
    const child = start('await Bun.stdin.text(); for (let count = 0; count < 1e8; count += 1);');
    const stopStarving = starve(child.pid);
    try {
      await child.stdin.end();
      expect(await watchProcess(child, { seconds: 1 })).toBeUndefined();
    } finally {
      stopStarving();
    }
  }, 300_000);
});
