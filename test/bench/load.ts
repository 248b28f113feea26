import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../fixtures/server.ts';

/** What a load generator saw. */
export interface Load {
  readonly requestsPerS: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly key: string;
  /** Of a session, beside the key. */
  readonly token?: string;
  readonly connections: number;
  readonly seconds: number;
  /** Core that the generator is kept to; any unless given. */
  readonly core?: number;
  /** Requests go to `url` with a number from 1 to so many behind it. */
  readonly randomUpTo?: number;
}

/**
 * Asks one address over and over with wrk (Debian's package of that name).
 * @throws Error when an answer is no success
 */
export async function load(url: string, options: LoadOptions): Promise<Load> {
  const folder = temporaryFolder();
  const script = join(folder, 'requests.lua');
  const { pathname, search } = new URL(url);
  const asked = `${pathname}${search}`;
  const path =
    options.randomUpTo === undefined
      ? `"${asked}"`
      : `string.format("${asked.replace('RANDOM', '%d')}", math.random(1, ${options.randomUpTo}))`;
  writeFileSync(script, `request = function() return wrk.format("GET", ${path}) end\n`);
  const words = [
    ...(options.core === undefined ? [] : ['taskset', '-c', String(options.core)]),
    ...['wrk', '-t', '1', '-c', String(options.connections), '-d', `${options.seconds}s`],
    ...['--latency', '-s', script, '-H', `X-API-Key: ${options.key}`],
    ...(options.token === undefined ? [] : ['-H', `Authorization: Bearer ${options.token}`]),
    new URL(url).origin,
  ];
  const child = Bun.spawn(words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await new Response(child.stdout).text();
  rmSync(folder, { recursive: true, force: true });
  if ((await child.exited) !== 0) throw new Error(`wrk failed: ${output}`);
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(output);
  const [, p99 = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  const unitMs = unit === 'us' ? 0.001 : unit === 'ms' ? 1 : 1000;
  const requestsPerS = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  return { requestsPerS, p99Ms: Number(p99) * unitMs };
}
