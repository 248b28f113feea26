import { type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import PQueue from 'p-queue';
import { buildProgramCommand, readResidentBytes } from '../build/processes.ts';
import {
  BlockedUrlError,
  createOutboundGuard,
  createPinnedLookup,
  describeConnectionError,
  type OutboundGuard,
  parseRetryAfterMs,
  userAgent,
} from '../http/outbound-guard.ts';
import type { FeedParseParams, FeedParseResult } from './parse-worker.ts';

/** The most hostile 10 MB that were found take two seconds and 300 MB. */
const parseTimeoutMs = 20_000;
const maxMemoryBytes = 800_000_000;
const memoryPollIntervalMs = 50;
const limitExceeded = { problem: 'parsing the feed failed: time or memory limit exceeded' };

/** Readers at once: each is a process. */
const parseQueue = new PQueue({ concurrency: 2 });

/**
 * Reads a feed in a process of its own, which ends when it takes too long or too much: what is in a feed is not ours, and reading
 * a large one would hold up every request meanwhile.
 */
export function parseInWorker(bytes: Uint8Array, question: FeedParseParams): Promise<FeedParseResult> {
  return parseQueue.add(() => runParseProcess(bytes, question));
}

async function runParseProcess(bytes: Uint8Array, question: FeedParseParams): Promise<FeedParseResult> {
  // Not among the words of a command: an address may hold a secret, and anybody on a machine sees those.
  const told = Buffer.from(`${JSON.stringify(question)}\n`);
  const child = Bun.spawn([...buildProgramCommand(), 'feed-reader'], {
    stdio: [Buffer.concat([told, bytes]), 'pipe', 'ignore'],
    // The environment may hold secrets that a parser of hostile text needn't see.
    env: {},
    timeout: parseTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const memoryWatch = setInterval(() => {
    if ((readResidentBytes(child.pid) ?? 0) > maxMemoryBytes) child.kill('SIGKILL');
  }, memoryPollIntervalMs);
  try {
    const [printed, exitCode] = await Promise.all([
      new Response(child.stdout).json().catch(() => undefined),
      child.exited,
    ]);
    return exitCode === 0 && printed !== undefined ? (printed as FeedParseResult) : limitExceeded;
  } finally {
    clearInterval(memoryWatch);
  }
}

const maxRedirects = 5;
const acceptHeader =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5';

/** What is asked for, and what is known of it. */
export interface FeedRequest {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** For all of it: lookups, redirects, the last byte. */
  readonly timeoutMs: number;
  /** Of the feed, unpacked. */
  readonly maxBytes: number;
  /** Ends it early; then it rejects. */
  readonly stopSignal: AbortSignal;
}

/** What came of a fetch. */
export type FetchResult =
  | {
      readonly kind: 'fetched';
      readonly statusCode: number;
      /** Where it was found in the end. */
      readonly url: string;
      readonly bytes: Uint8Array;
      readonly contentType: string | null;
      readonly etag: string | null;
      readonly lastModified: string | null;
      readonly maxAgeS: number | null;
      /** Where permanent redirects lead; null where there is none. */
      readonly movedTo: string | null;
    }
  | { readonly kind: 'unchanged'; readonly statusCode: 304; readonly maxAgeS: number | null }
  | {
      readonly kind: 'failed';
      /** Null when no answer came. */
      readonly statusCode: number | null;
      /** One plain sentence. */
      readonly problem: string;
      readonly retryAfterMs: number | null;
    };

/** What feeds may be fetched from: public text needs no https. @param allow hosts and ranges that may be private */
export function createFeedGuard(allow: readonly string[]): OutboundGuard {
  return createOutboundGuard({ allow, settingName: 'LECTERN_FEED_ALLOW', plainHttp: 'anywhere' });
}

/**
 * Gets a feed, unless it is still as it was. Each address on the way is checked, and connected to where it was checked.
 * @throws Error only when it was stopped
 */
export async function fetchFeed(targets: OutboundGuard, asked: FeedRequest): Promise<FetchResult> {
  const deadline = AbortSignal.timeout(asked.timeoutMs);
  try {
    return await followRedirects(targets, asked, AbortSignal.any([deadline, asked.stopSignal]));
  } catch (error) {
    if (asked.stopSignal.aborted) throw error;
    if (deadline.aborted) return createFailure(null, `no response within ${asked.timeoutMs / 1000} s`);
    return createFailure(null, error instanceof FetchError ? error.message : describeConnectionError(error));
  }
}

/** Why a feed is not fetched though its server answers. */
class FetchError extends Error {}

async function followRedirects(targets: OutboundGuard, asked: FeedRequest, signal: AbortSignal): Promise<FetchResult> {
  let { url } = asked;
  let movedTo: string | null = null;
  let isPermanent = true;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await sendRequest(targets, url, asked, signal);
    const { statusCode = 0, headers } = answer;
    const { location } = headers;
    if (statusCode === 304) {
      answer.destroy();
      return { kind: 'unchanged', statusCode, maxAgeS: parseMaxAge(headers['cache-control']) };
    }
    if ([301, 302, 303, 307, 308].includes(statusCode) && location !== undefined) {
      answer.destroy();
      url = resolveRedirect(url, location);
      isPermanent &&= [301, 308].includes(statusCode);
      if (isPermanent) movedTo = url;
      continue;
    }
    if (statusCode !== 200) {
      answer.destroy();
      const waits = [429, 503].includes(statusCode);
      return createFailure(
        statusCode,
        `the server returned status ${statusCode}`,
        waits ? parseRetryAfterMs(headers['retry-after']) : null,
      );
    }
    return {
      kind: 'fetched',
      ...{ statusCode, url, movedTo },
      bytes: await readBody(answer, asked.maxBytes, signal),
      contentType: headers['content-type'] ?? null,
      etag: headers.etag ?? null,
      lastModified: headers['last-modified'] ?? null,
      maxAgeS: parseMaxAge(headers['cache-control']),
    };
  }
  return createFailure(null, `too many redirects (limit ${maxRedirects})`);
}

async function sendRequest(
  targets: OutboundGuard,
  url: string,
  { etag, lastModified }: FeedRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const addresses = await targets.check(url);
  signal.throwIfAborted();
  const request = url.startsWith('https:') ? requestSecurely : requestPlainly;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(new URL(url), {
    agent: false,
    lookup: createPinnedLookup(addresses),
    signal,
    headers: {
      accept: acceptHeader,
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': userAgent,
      ...(etag === null ? {} : { 'if-none-match': etag }),
      ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
    },
  });
  outgoing.on('error', reject);
  outgoing.on('response', resolve);
  outgoing.end();
  return promise;
}

/** What was asked safely is not to be read by others on its way. */
function resolveRedirect(from: string, location: string): string {
  const next = URL.parse(location, from);
  if (next === null) throw new FetchError('invalid redirect URL');
  if (from.startsWith('https:') && next.protocol === 'http:') {
    throw new BlockedUrlError('must not redirect from https to http');
  }
  next.hash = '';
  return next.href;
}

async function readBody(answer: IncomingMessage, byteMax: number, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  const body = decompress(answer);
  const abort = () => answer.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      byteCount += chunk.byteLength;
      if (byteCount > byteMax) throw new FetchError(`the feed is larger than ${byteMax} bytes`);
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener('abort', abort);
    answer.destroy();
  }
  return Buffer.concat(chunks);
}

function decompress(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return answer;
  const unpack = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[encoding];
  if (unpack === undefined) throw new FetchError(`unsupported content encoding ${encoding}`);
  const unpacking = unpack();
  answer.on('error', (error) => unpacking.destroy(error));
  return answer.pipe(unpacking);
}

function parseMaxAge(cacheControl: string | undefined): number | null {
  const seconds = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,10})/i.exec(cacheControl ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds);
}

function createFailure(statusCode: number | null, problem: string, retryAfterMs: number | null = null): FetchResult {
  return { kind: 'failed', statusCode, problem, retryAfterMs };
}
