import { connect } from 'node:net';
import type { Random } from './random.ts';
import type { CampaignRecord } from './record.ts';

export interface HostileOptions {
  readonly url: () => string;
  /** Of the hostile site. */
  readonly key: string;
  readonly domain: string;
  readonly record: CampaignRecord;
  readonly random: Random;
  readonly isOver: () => boolean;
}

/** In the header of a proxy; shared by all of them. */
const address = { 'x-forwarded-for': '198.51.100.7' };

type Attack = (options: HostileOptions) => Promise<void>;

const requestTimeoutMs = 60_000;
const maxPauseMs = 1_500;
const maxRetryAfterS = 60;

/** All are repeated concurrently. */
const attacks: Readonly<Record<string, Attack>> = {
  'wrong keys': async (options) => {
    const { random } = options;
    await attack(options, 'wrong keys', '/v1/audio/x/status', {
      headers: { 'x-api-key': random.pick(['', 'svc_live_', `svc_live_${'x'.repeat(43)}`, 'é', 'x'.repeat(5_000)]) },
    });
  },
  'event floods': async (options) => {
    const { random, domain } = options;
    const name = random.pick([domain, domain, `unknown-${random.integer(0, 1_000_000)}.example`, '']);
    const events = Array.from({ length: 100 }, () => ({ type: 'play', post_id: `p${random.integer(0, 1_000_000)}` }));
    const body = JSON.stringify(random.chance(0.5) ? { domain: name, events } : { events });
    await Promise.all(
      Array.from({ length: 5 }, () => attack(options, 'event floods', `/v1/public/events?domain=${name}`, post(body))),
    );
  },
  'huge previews': async (options) => {
    const { random, key } = options;
    const text = random.pick(['word ', '中', '<b>', 'a1b2c3', '. ']).repeat(random.integer(1_000, 80_000));
    const body = JSON.stringify({ content: text.padEnd(60, ' x') });
    await attack(options, 'huge previews', '/v1/speech/preview', {
      ...post(body, { 'x-api-key': key }),
      // Most clients disconnect before the response.
      signal: AbortSignal.timeout(random.chance(0.7) ? random.integer(50, 2_000) : requestTimeoutMs),
    });
  },
  'broken JSON': async (options) => {
    const { random, key } = options;
    const nested = '['.repeat(random.integer(10, 50_000));
    const body = random.pick([nested, '{"post_id":', '"\\ud800"', 'null', `{"__proto__":${nested}`, '\u0000']);
    await attack(options, 'broken JSON', '/v1/audio/generate', post(body, { 'x-api-key': key }));
  },
  'odd paths': async (options) => {
    const { random } = options;
    const path = random.pick(['/%', '/v1/media/..%2f..%2flectern.db', '/v1/%00', `/${'a/'.repeat(4_000)}`, '/v1//']);
    await attack(options, 'odd paths', path, {});
  },
  'connections that go': async (options) => {
    const { random, domain } = options;
    const path = random.pick([`/v1/public/audio/stream?domain=${domain}&post_id=hostile-1`, '/v1/voices', '/docs']);
    const signal = AbortSignal.timeout(random.integer(1, 50));
    await attack(options, 'connections that go', path, { signal });
  },
  'half-sent bodies': (options) => sendSlowly(options, 'half-sent bodies', 400_000, 200_000, 1),
  'slow bodies': (options) => sendSlowly(options, 'slow bodies', 5_000, 40, 200),
};

/** Repeats every attack until the end. */
export async function runHostileClients(options: HostileOptions): Promise<void> {
  const { random, isOver } = options;
  await Promise.all(
    Object.values(attacks).map(async (run) => {
      while (!isOver()) {
        await run(options);
        await Bun.sleep(random.between(0, maxPauseMs));
      }
    }),
  );
}

interface HostileInit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

function post(body: string, headers: Record<string, string> = {}): HostileInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
}

/** Any response to an attack is permitted, except those that show a bug. */
async function attack({ url, record }: HostileOptions, kind: string, path: string, init: HostileInit): Promise<void> {
  const signal = init.signal ?? AbortSignal.timeout(requestTimeoutMs);
  const response = await fetch(`${url()}${path}`, {
    ...init,
    ...{ headers: { ...address, ...init.headers }, signal, keepalive: false },
  }).catch(() => undefined);
  record.count(`${kind}: ${response?.status ?? 'no response'}`);
  if (response === undefined) return;
  const text = await response.text().catch(() => '');
  if (response.status >= 500 && response.status !== 503) {
    record.recordViolation(`${kind} ${path.slice(0, 80)}: ${response.status} ${text.slice(0, 300)}`);
  }
  const wait = Number(response.headers.get('retry-after') ?? 1);
  if (response.status === 429 && !(wait >= 1 && wait <= maxRetryAfterS)) {
    record.recordViolation(`${kind}: 429 with Retry-After ${wait}`);
  }
}

/** Announces a body, sends a part of it with a chunk per second, and disconnects. */
async function sendSlowly(
  { url, record, random, isOver, key }: HostileOptions,
  kind: string,
  announced: number,
  pieceBytes: number,
  maxPieces: number,
): Promise<void> {
  const { hostname, port, host } = new URL(url());
  const target = random.pick(['/v1/public/events', '/v1/audio/generate', '/v1/auth/login']);
  const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\nX-Forwarded-For: ${address['x-forwarded-for']}\r\nContent-Type: application/json\r\n`;
  const socket = connect(Number(port), hostname);
  let status = 'no response';
  let isClosed = false;
  socket.on('data', (chunk) => {
    status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? status;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(`${head}Content-Length: ${announced}\r\n\r\n`);
  const pieceCount = random.integer(1, maxPieces);
  for (let sentCount = 0; sentCount < pieceCount && !isClosed && !isOver(); sentCount += 1) {
    socket.write('x'.repeat(pieceBytes));
    await Bun.sleep(1_000);
  }
  // Some wait until the server closes the connection.
  const patienceS = random.pick([0, 5, 90]);
  for (let waited = 0; waited < patienceS && !isClosed && !isOver(); waited += 1) await Bun.sleep(1_000);
  socket.destroy();
  record.count(`${kind}: ${status}`);
  if (status.startsWith('5') && status !== '503') record.recordViolation(`${kind}: ${status}`);
}
