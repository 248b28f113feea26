import { createHash, timingSafeEqual } from 'node:crypto';
import type { TSchema } from '@sinclair/typebox';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type AddressRange, type IpAddress, isInRange, parseIpAddress } from '../setting.ts';
import type { ErrorResponse } from './error-response.ts';
import { findUnknownMembers } from './validation.ts';

const megabyte = 1024 * 1024;
/** Of the memory for bodies in flight. */
const anonymousShare = 0.5;

/** A request body of which a part is in memory. */
export interface BodyInFlight {
  /** Its site, or the client network without credentials or site. */
  readonly caller: string;
  readonly isAnonymous: boolean;
  byteCount: number;
  /** Ends the request, so that others have room. */
  readonly refuse: (error: AppError) => void;
}

/**
 * The memory that the bodies in flight of all requests share. When it is full, the caller with most of it loses its largest
 * body, so that no caller can block others with many slow bodies.
 */
export class BodyLimits {
  readonly #maxBytes: number;
  readonly #periodMs: number;
  readonly #bodies = new Set<BodyInFlight>();
  #byteCount = 0;
  #anonymousByteCount = 0;

  constructor({ bodyMemoryMb, bodyRatePeriodS }: Pick<Config, 'bodyMemoryMb' | 'bodyRatePeriodS'>) {
    this.#maxBytes = bodyMemoryMb * megabyte;
    this.#periodMs = bodyRatePeriodS * 1000;
  }

  /** The time in which a body must keep the minimum rate. */
  get periodMs(): number {
    return this.#periodMs;
  }

  /**
   * A body without others beside it always has room, as it may be larger than the memory.
   * @throws AppError `bodies_waiting` if its caller would hold most; nothing is reserved then
   */
  reserve(body: BodyInFlight, byteCount: number): void {
    const isFull = (reserved: number, max: number): boolean => reserved > body.byteCount && reserved + byteCount > max;
    const anonymousMax = this.#maxBytes * anonymousShare;
    // Both loops end, as each round removes a body.
    while (body.isAnonymous && isFull(this.#anonymousByteCount, anonymousMax)) this.#refuseOne(body, byteCount, true);
    while (isFull(this.#byteCount, this.#maxBytes)) this.#refuseOne(body, byteCount, false);
    this.#bodies.add(body);
    this.#count(body, byteCount);
  }

  release(body: BodyInFlight): void {
    if (this.#bodies.delete(body)) this.#count(body, -body.byteCount);
  }

  #count(body: BodyInFlight, byteCount: number): void {
    body.byteCount += byteCount;
    this.#byteCount += byteCount;
    if (body.isAnonymous) this.#anonymousByteCount += byteCount;
  }

  /** @param amongAnonymous whether bodies with credentials stay */
  #refuseOne(body: BodyInFlight, byteCount: number, amongAnonymous: boolean): void {
    const rivals = [...this.#bodies].filter((rival) => rival.isAnonymous || !amongAnonymous);
    const bytesBy = new Map([[body.caller, byteCount]]);
    for (const rival of rivals) bytesBy.set(rival.caller, (bytesBy.get(rival.caller) ?? 0) + rival.byteCount);
    const most = Math.max(...bytesBy.values());
    const error = new AppError('bodies_waiting', 'Too many request bodies in flight. Try again in a few seconds.');
    if (bytesBy.get(body.caller) === most) throw error;
    const largest = rivals
      .filter(({ caller }) => bytesBy.get(caller) === most)
      .reduce((a, b) => (b.byteCount > a.byteCount ? b : a));
    this.release(largest);
    largest.refuse(error);
  }
}

export const defaultIdleTimeoutS = 60;

export interface RequestContext {
  readonly id: string;
  /** Reads the client address, or that of the nearest untrusted proxy. Lazy, as few requests need it. */
  readonly address: () => string;
  /** Headers of its response, also of an error. */
  readonly responseHeaders: Record<string, string>;
  /** `Set-Cookie` headers of its response. */
  cookies?: readonly string[];
  /** Sets after how many idle seconds (at most 255; 0: never) the connection is closed. */
  readonly setIdleTimeout: (seconds: number) => void;
  /** Of an accepted request, for its response. */
  warnings?: readonly string[];
  /** Of its endpoint, once the body is received; default: `defaultIdleTimeoutS`. */
  idleTimeoutS?: number;
  readonly bodyLimits: BodyLimits;
  /** An API key or a session is valid. */
  hasCredentials?: boolean;
  /** Members of an error response beside the envelope, for clients of another API. */
  extraErrorFields?: (answer: ErrorResponse) => Readonly<Record<string, unknown>>;
  /** Pattern of its route, like `/v1/audio/:post_id/status`. */
  route?: string;
  /** Known once the caller is authenticated. */
  siteId?: number;
  /** Of the site, where an API key is valid. */
  timeZone?: string;
  /** Id of its valid API key. */
  keyId?: number;
}

const contexts = new WeakMap<Request, RequestContext>();

export function setRequestContext(request: Request, context: RequestContext): void {
  contexts.set(request, context);
}

/** @throws Error for a request that did not pass `createRequestHandler` */
export function requestContext(request: Request): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error('request without context: it did not pass createRequestHandler');
  return context;
}

/**
 * Clients can send any `X-Forwarded-For`: an entry counts only if a trusted proxy added it, read from the nearest proxy
 * backwards.
 * @param connection address at the other end of the connection
 * @returns the client address in its normal form; that of the last trusted proxy if it named none
 */
export function resolveClientAddress(
  connection: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string {
  let address = parseIpAddress(connection);
  if (address === undefined) return connection;
  const hops = forwardedFor?.split(',') ?? [];
  while (isTrusted(address, trusted)) {
    const before = parseIpAddress(stripPort(hops.pop()?.trim() ?? ''));
    if (before === undefined) break;
    address = before;
  }
  return address.toString();
}

function isTrusted(address: IpAddress, trusted: readonly AddressRange[]): boolean {
  return trusted.some((range) => isInRange(address, range));
}

/**
 * Warns once: behind a proxy that is not trusted all clients share one address, and its limits.
 * @returns a function for the connection of each request with `X-Forwarded-For`
 */
export function createProxyWarning(trusted: readonly AddressRange[], log: Log): (connection: string) => void {
  let isLogged = false;
  return (connection) => {
    if (isLogged) return;
    const address = parseIpAddress(connection);
    if (address === undefined || isTrusted(address, trusted)) return;
    isLogged = true;
    log.warn(
      'X-Forwarded-For of an untrusted peer ignored: behind a proxy, list its address in LECTERN_TRUSTED_PROXIES, or all clients share one rate limit',
    );
  };
}

/** Some proxies add the port of the client: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function stripPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}

/** @returns the token that a request shows as `Authorization: Bearer`; undefined without one */
export function getBearerToken(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** Compares secrets in constant time. */
export function equalsInConstantTime(value: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(value), digest(expected));
}

/** Unknown members of a body are ignored, and listed in the response. */
export function warnOfUnknownMembers(request: Request, schema: TSchema, body: unknown): void {
  const names = findUnknownMembers(schema, body);
  addWarnings(
    request,
    names.map((name) => `Unknown field ignored: ${name}`),
  );
}

export function addWarnings(request: Request, warnings: readonly string[]): void {
  const context = requestContext(request);
  if (warnings.length > 0) context.warnings = [...(context.warnings ?? []), ...warnings];
}

/** Lets scripts of any page read the response, also an error. */
export function allowAnyOrigin(request: Request): void {
  requestContext(request).responseHeaders['access-control-allow-origin'] = '*';
}

/** Allows conditional requests from any origin. */
export function preflightAnyOrigin(request: Request): Response {
  allowAnyOrigin(request);
  return new Response(null, {
    status: 204,
    headers: {
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'If-None-Match, If-Modified-Since',
      'access-control-max-age': '86400',
    },
  });
}

/** Before the connection has been idle for too long. */
const responseReserveS = 10;

/**
 * Limits work whose result is the response, so that its client gets an answer and no closed connection.
 * @param idleTimeoutS of the connection
 * @param work gets a signal that aborts at the limit, or when the client leaves
 * @throws AppError `busy`, and what the work throws
 */
export async function withResponseLimit<T>(
  request: Request,
  idleTimeoutS: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const seconds = idleTimeoutS - responseReserveS;
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  const aborted = Promise.withResolvers<never>();
  const message = `Not finished within ${seconds} s: the server is busy, or the text is too long. Try again later`;
  signal.addEventListener('abort', () => aborted.reject(new AppError('busy', message)), { once: true });
  const timer = setTimeout(() => late.abort(), seconds * 1000);
  try {
    return await Promise.race([work(signal), aborted.promise]);
  } finally {
    clearTimeout(timer);
  }
}
