import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { buildIfOutdated } from './executable.ts';
import type { Figure } from './figure.ts';

const patienceMs = 30_000;

/** Start of the executable with an existing database, and time to the first MP3 of the demo without any data. */
export const start: Figure = {
  name: 'start',
  measure: async ({ rounds }) => {
    const executable = await buildIfOutdated();
    const data = createTemporaryFolder();
    // Creates the database and unpacks the libraries.
    await measureTimeToResponse(executable, data);
    const accepting: number[] = [];
    const firstMp3: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      accepting.push(await measureTimeToResponse(executable, data));
      firstMp3.push(await measureTimeToArticle(executable));
    }
    rmSync(data, { recursive: true, force: true });
    return [
      {
        name: 'Start: executable accepts requests, existing database',
        unit: 'ms',
        values: accepting,
        target: 400,
      },
      {
        name: 'Start: first MP3 of the demo, nothing there before',
        unit: 's',
        values: firstMp3,
        target: 5,
      },
    ];
  },
};

/** @returns ms from the start of the program to its first response */
async function measureTimeToResponse(executable: string, data: string): Promise<number> {
  const port = await findFreePort();
  const started = performance.now();
  const child = Bun.spawn([executable, 'serve', '--data', data, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {},
  });
  try {
    while (performance.now() - started < patienceMs) {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
      if (response?.ok) return performance.now() - started;
      await Bun.sleep(2);
    }
    throw new Error('the server no response');
  } finally {
    child.kill();
    await child.exited;
  }
}

/** @returns seconds from starting the demo to its MP3; data and library folders are new */
async function measureTimeToArticle(executable: string): Promise<number> {
  const data = createTemporaryFolder();
  const port = await findFreePort();
  const started = performance.now();
  const child = Bun.spawn([executable, 'demo', '--json', '--data', data, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
  });
  const late = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  try {
    for await (const chunk of child.stdout) {
      if (new TextDecoder().decode(chunk).includes('"status":"ready"')) {
        return (performance.now() - started) / 1000;
      }
    }
    throw new Error('the demo ended before its MP3');
  } finally {
    clearTimeout(late);
    child.kill();
    await child.exited;
    rmSync(data, { recursive: true, force: true });
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address = server.address();
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
