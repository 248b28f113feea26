import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../fixtures/server.ts';

/** Results of the load generator. */
export interface Load {
  readonly requestsPerS: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  readonly key?: string;
  /** Cookie of a session, in addition to the key. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST as JSON; `UNIQUE` in it becomes a text that no other request has. */
  readonly body?: string;
  /** Core of the generator; default: any. */
  readonly core?: number;
  /** `RANDOM` in the address becomes a number from 1 to so many. */
  readonly randomUpTo?: number;
}

/**
 * Sends requests to one URL with wrk (Debian package of that name).
 * @throws Error if a response is an error
 */
export async function load(url: string, options: LoadOptions): Promise<Load> {
  if (Bun.which('wrk') === null) throw new Error('wrk is missing, which generates the load. Run: apt-get install wrk');
  const folder = createTemporaryFolder();
  const script = join(folder, 'requests.lua');
  const { pathname, search, origin } = new URL(url);
  writeFileSync(script, buildScript(`${pathname}${search}`, options));
  const headers = {
    ...(options.key === undefined ? {} : { 'X-API-Key': options.key }),
    ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
    ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...options.headers,
  };
  const words = [
    ...(options.core === undefined ? [] : ['taskset', '-c', String(options.core)]),
    ...['wrk', '-t', '1', '-c', String(options.connections), '-d', `${options.seconds}s`],
    ...['--latency', '-s', script],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    origin,
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

/** Lua script that wrk calls for each request. */
function buildScript(address: string, { body, randomUpTo }: LoadOptions): string {
  const path =
    randomUpTo === undefined
      ? `"${address}"`
      : `string.format("${address.replace('RANDOM', '%d')}", math.random(1, ${randomUpTo}))`;
  if (body === undefined) return `request = function() return wrk.format("GET", ${path}) end\n`;
  return `
    local count = 0
    request = function()
      count = count + 1
      local body = string.gsub([==[${body}]==], "UNIQUE", "${crypto.randomUUID().slice(0, 8)}x" .. count)
      return wrk.format("POST", ${path}, nil, body)
    end
  `;
}
