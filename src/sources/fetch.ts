import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import PQueue from 'p-queue';
import type { Jobs } from '../background.ts';
import { watchProcess } from '../build/processes.ts';
import { buildChildCommand } from '../build/sandbox/sandbox.ts';
import type { Config } from '../config.ts';
import { invalid } from '../errors.ts';
import {
  BlockedUrlError,
  createOutboundGuard,
  describeConnectionError,
  type OutboundGuard,
  parseRetryAfterMs,
  sendRequest,
  validateOutboundUrl,
} from '../http/outbound-guard.ts';
import type { Feed, FeedParseParams, FeedParseResult } from './parse-worker.ts';

/** The most hostile known 10 MB take two seconds and 300 MB. */
const parseLimits = { seconds: 20, memoryBytes: 800_000_000 };
/** Of the kernel; the one above is checked from time to time. */
const maxMemoryMb = 1_600;

/** Each parser is a process. */
const parseQueue = new PQueue({ concurrency: 2 });

/**
 * Parses a feed in a process of its own with limits of time and memory: its content is untrusted, and a large one would
 * block every request.
 */
export function parseInWorker(
  bytes: Uint8Array,
  params: FeedParseParams,
  { sandbox }: Pick<Config, 'sandbox'>,
): Promise<FeedParseResult> {
  return parseQueue.add(() => runParseProcess(bytes, params, sandbox));
}

async function runParseProcess(
  bytes: Uint8Array,
  params: FeedParseParams,
  mode: Config['sandbox'],
): Promise<FeedParseResult> {
  // Not as arguments: a URL may hold a secret, and other users see arguments.
  const header = Buffer.from(`${JSON.stringify(params)}\n`);
  const child = Bun.spawn(buildChildCommand(['feed-reader'], { mode, maxMemoryMb }), {
    stdio: [Buffer.concat([header, bytes]), 'pipe', 'ignore'],
    // The environment may hold secrets.
    env: {},
  });
  const [output, failure] = await Promise.all([
    new Response(child.stdout).json().catch(() => undefined),
    watchProcess(child, parseLimits),
  ]);
  if (failure !== undefined) return { problem: `parsing the feed failed: ${failure}` };
  return output as FeedParseResult;
}

const maxRedirects = 5;
const acceptHeader =
  'application/rss+xml, application/atom+xml, application/feed+json, application/vnd.iptc.g2.newsmessage+xml, ' +
  'application/ninjs+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5';

export interface FeedRequest {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** In total: lookups, redirects, body. */
  readonly timeoutMs: number;
  /** Of the decompressed feed. */
  readonly maxBytes: number;
  /** Aborts the fetch, which then rejects. */
  readonly stopSignal: AbortSignal;
}

export type FetchResult =
  | {
      readonly kind: 'fetched';
      readonly statusCode: number;
      /** URL after redirects. */
      readonly url: string;
      readonly bytes: Uint8Array;
      readonly contentType: string | null;
      readonly etag: string | null;
      readonly lastModified: string | null;
      readonly maxAgeS: number | null;
      /** Target of permanent redirects; null without one. */
      readonly movedTo: string | null;
    }
  | { readonly kind: 'unchanged'; readonly statusCode: 304; readonly maxAgeS: number | null }
  | {
      readonly kind: 'failed';
      /** Null without a response. */
      readonly statusCode: number | null;
      readonly problem: string;
      readonly retryAfterMs: number | null;
    };

/** Feeds may be fetched over plain HTTP. @param allow private hosts and ranges */
export function createFeedGuard(allow: readonly string[]): OutboundGuard {
  return createOutboundGuard({ allow, settingName: 'LECTERN_FEED_ALLOW', plainHttp: 'anywhere' });
}

/**
 * Fetches a feed, unless it is unchanged. The target of each redirect is checked, and the connection goes to the checked
 * address.
 * @throws Error only when it was aborted
 */
export async function fetchFeed(guard: OutboundGuard, request: FeedRequest): Promise<FetchResult> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  try {
    return await followRedirects(guard, request, AbortSignal.any([deadline, request.stopSignal]));
  } catch (error) {
    if (request.stopSignal.aborted) throw error;
    if (deadline.aborted) return createFailure(null, `no response within ${request.timeoutMs / 1000} s`);
    return createFailure(null, error instanceof FetchError ? error.message : describeConnectionError(error));
  }
}

/** The server responds, but not with a usable feed. */
class FetchError extends Error {}

async function followRedirects(guard: OutboundGuard, request: FeedRequest, signal: AbortSignal): Promise<FetchResult> {
  let { url } = request;
  const { etag, lastModified } = request;
  const headers = {
    accept: acceptHeader,
    'accept-encoding': 'gzip, deflate, br',
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  };
  let movedTo: string | null = null;
  let isPermanent = true;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await sendRequest(guard, url, { method: 'GET', headers, signal });
    const { statusCode = 0, headers: received } = response;
    const { location } = received;
    if (statusCode === 304) {
      response.destroy();
      return { kind: 'unchanged', statusCode, maxAgeS: parseMaxAge(received['cache-control']) };
    }
    if ([301, 302, 303, 307, 308].includes(statusCode) && location !== undefined) {
      response.destroy();
      url = resolveRedirect(url, location);
      isPermanent &&= [301, 308].includes(statusCode);
      if (isPermanent) movedTo = url;
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      const hasRetryAfter = [429, 503].includes(statusCode);
      return createFailure(
        statusCode,
        `the server returned status ${statusCode}`,
        hasRetryAfter ? parseRetryAfterMs(received['retry-after']) : null,
      );
    }
    return {
      kind: 'fetched',
      ...{ statusCode, url, movedTo },
      bytes: await readBody(response, request.maxBytes),
      contentType: received['content-type'] ?? null,
      etag: received.etag ?? null,
      lastModified: received['last-modified'] ?? null,
      maxAgeS: parseMaxAge(received['cache-control']),
    };
  }
  return createFailure(null, `too many redirects (limit ${maxRedirects})`);
}

/** A redirect must not leave HTTPS. */
function resolveRedirect(from: string, location: string): string {
  const next = URL.parse(location, from);
  if (next === null) throw new FetchError('invalid redirect URL');
  if (from.startsWith('https:') && next.protocol === 'http:') {
    throw new BlockedUrlError('must not redirect from https to http');
  }
  next.hash = '';
  return next.href;
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  try {
    for await (const chunk of decompress(response) as AsyncIterable<Uint8Array>) {
      byteCount += chunk.byteLength;
      if (byteCount > maxBytes) throw new FetchError(`the feed is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks);
}

function decompress(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return response;
  const createDecompressor = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[encoding];
  if (createDecompressor === undefined) throw new FetchError(`unsupported content encoding ${encoding}`);
  const decompressor = createDecompressor();
  response.on('error', (error) => decompressor.destroy(error));
  return response.pipe(decompressor);
}

function parseMaxAge(cacheControl: string | undefined): number | null {
  const seconds = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,10})/i.exec(cacheControl ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds);
}

function createFailure(statusCode: number | null, problem: string, retryAfterMs: number | null = null): FetchResult {
  return { kind: 'failed', statusCode, problem, retryAfterMs };
}

interface FetchServices {
  readonly feedGuard: OutboundGuard;
  readonly jobs: Pick<Jobs, 'stopSignal'>;
  readonly config: Config;
}

/**
 * Fetches and parses a feed that is not stored.
 * @returns the feed, and its URL after redirects
 * @throws AppError `validation_failed` where it cannot be fetched or parsed
 */
export async function fetchOnce(
  { feedGuard, jobs, config }: FetchServices,
  given: string,
  maxItems: number,
): Promise<{ readonly url: string; readonly feed: Feed }> {
  const fetched = await fetchFeed(feedGuard, {
    url: await validateOutboundUrl(feedGuard, given),
    ...{ etag: null, lastModified: null, stopSignal: jobs.stopSignal },
    timeoutMs: config.feedTimeoutS * 1000,
    maxBytes: config.maxFeedBytes,
  });
  if (fetched.kind !== 'fetched') {
    throw invalid('url', fetched.kind === 'failed' ? fetched.problem : 'the server returned status 304');
  }
  const { bytes, url, contentType } = fetched;
  const parsed = await parseInWorker(bytes, { url, contentType, maxItems }, config);
  if ('problem' in parsed) throw invalid('url', parsed.problem);
  return { url, feed: parsed.feed };
}
