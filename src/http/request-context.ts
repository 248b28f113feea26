import { createHash, timingSafeEqual } from 'node:crypto';
import { type AddressRange, isWithin, readAddress } from '../setting.ts';
import type { ErrorAnswer } from './error-response.ts';

/** What is learned about a request while it is answered. */
export interface RequestFacts {
  /** In the log and in `X-Request-Id`. */
  readonly id: string;
  /** Reads the address of the caller; of the nearest proxy unless that one is trusted. Few requests are asked for it. */
  readonly address: () => string;
  /** Headers that its answer gets whatever that becomes, an error too. */
  readonly answerHeaders: Record<string, string>;
  /** Lets nothing move on the connection for so many seconds (at most 255) before it is closed. */
  readonly allowIdle: (seconds: number) => void;
  /** What an error's answer gets beside the envelope: members that clients of some other API look for. */
  errorMembers?: (answer: ErrorAnswer) => Readonly<Record<string, unknown>>;
  /** The route that took it, like `/v1/audio/:post_id/status`; undefined when none did. */
  route?: string;
  /** Whose site it was for, once that is known. */
  siteId?: number;
  /** The API key it was made with, once that has passed. */
  keyId?: number;
}

const known = new WeakMap<Request, RequestFacts>();

export function keepFacts(request: Request, facts: RequestFacts): void {
  known.set(request, facts);
}

/** @returns the facts of a request that the server is answering */
export function factsOf(request: Request): RequestFacts {
  const facts = known.get(request);
  if (facts === undefined) throw new Error('the request did not come through the server');
  return facts;
}

/**
 * Tells where a request comes from. Anybody can write an `X-Forwarded-For`: an entry is believed only when a trusted proxy
 * handed it on, from the nearest proxy backwards.
 * @param connection address at the other end of the connection
 * @param forwardedFor the header as it came
 * @returns the address, each in one way to write it; the last trusted proxy's where that one handed on none
 */
export function clientAddress(
  connection: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string {
  let address = readAddress(connection);
  if (address === undefined) return connection;
  const hops = forwardedFor?.split(',') ?? [];
  const isTrusted = (range: AddressRange): boolean =>
    address !== undefined && isWithin(address, range);
  while (trusted.some(isTrusted)) {
    const before = readAddress(withoutPort(hops.pop()?.trim() ?? ''));
    if (before === undefined) break;
    address = before;
  }
  return address.toString();
}

/** Some proxies add the port of the client: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}

/** @returns the token that a request shows as `Authorization: Bearer`; undefined without one */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** Compares secrets without telling by the time it takes how much of them agrees. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
