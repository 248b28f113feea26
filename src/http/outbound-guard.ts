import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';
import { getErrno } from '../files.ts';
import { parseHttpUrl } from '../setting.ts';
import { version } from '../version.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Why a URL is not called. */
export class BlockedUrlError extends Error {
  /** True if only name resolution failed. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient = false) {
    super(message);
    this.name = 'BlockedUrlError';
    this.isTransient = isTransient;
  }
}

export type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Which addresses outside may be called on behalf of a site. */
export interface OutboundGuard {
  /**
   * Resolves the host and checks all of its addresses.
   * @returns the addresses to connect to
   * @throws BlockedUrlError if one of them is not allowed
   */
  check(url: string): Promise<readonly ResolvedAddress[]>;
}

const resolveTimeoutMs = 5_000;
/** The metadata service of Azure has a public address. */
const metadataAddresses = ['168.63.129.16'];
/** The only IPv6 range that is assigned to the Internet. */
const globalIpv6 = ipaddr.parseCIDR('2000::/3');

export interface OutboundRules {
  /** Host names, addresses and CIDR ranges that are always allowed, also by http. */
  readonly allow: readonly string[];
  /** Name of that setting, for errors. */
  readonly settingName: string;
  /** Where http may be used: `listed` hosts only, or `anywhere`. */
  readonly plainHttp: 'listed' | 'anywhere';
}

/**
 * Only the public Internet unless the operator allows more.
 * @param resolve how names are looked up
 */
export function createOutboundGuard(
  { allow, settingName: setting, plainHttp }: OutboundRules,
  resolve: ResolveHost = resolveBySystem,
): OutboundGuard {
  const ranges = allow.flatMap(parseRange);
  const hosts = new Set(allow.map(normalizeHost));
  return {
    check: async (target) => {
      const url = parseOutboundUrl(target, plainHttp);
      const host = normalizeHost(url.hostname.replace(/^\[|\]$/g, ''));
      const isHostAllowed = hosts.has(host);
      const isPlain = url.protocol === 'http:' && plainHttp === 'listed';
      const plainRule = `must use https: http is allowed only for hosts listed in ${setting}`;
      const isListed = ({ address }: ResolvedAddress) =>
        isHostAllowed || ranges.some((range) => isInRange(address, range));
      const addresses = await resolveAddresses(host, resolve);
      if (addresses.length === 0) {
        // Plain http needs a known address.
        const mayBeFoundLater = isHostAllowed || !isPlain;
        throw new BlockedUrlError(`must name a host that can be resolved (${host})`, mayBeFoundLater);
      }
      const blocked = addresses.find((address) => !isListed(address) && findBlockedRange(address) !== undefined);
      if (blocked !== undefined) {
        throw new BlockedUrlError(
          `must not point to ${blocked.address} (${findBlockedRange(blocked)}): add it to ${setting} to allow it`,
        );
      }
      if (isPlain && !addresses.every(isListed)) throw new BlockedUrlError(plainRule);
      return addresses;
    },
  };
}

/**
 * Validates a URL before it is stored. A host that cannot be resolved now passes: it is checked again at each request.
 * @returns the URL as it is stored
 * @throws AppError `validation_failed`
 */
export async function validateOutboundUrl(guard: OutboundGuard, text: string): Promise<string> {
  try {
    await guard.check(text);
  } catch (error) {
    if (!(error instanceof BlockedUrlError)) throw error;
    if (!error.isTransient) throw invalid('url', error.message);
  }
  const url = new URL(text);
  // Never sent.
  url.hash = '';
  return url.href;
}

type CidrRange = ReturnType<typeof ipaddr.parseCIDR>;

/** Normalizes IPv4 addresses in decimal, octal or hex notation. */
function parseOutboundUrl(text: string, plainHttp: OutboundRules['plainHttp']): URL {
  const url = parseHttpUrl(text);
  if (url === undefined) {
    const schemes = plainHttp === 'anywhere' ? 'http:// or https://' : 'https://';
    throw new BlockedUrlError(`must be a URL that begins with ${schemes}`);
  }
  if (url.username + url.password !== '') {
    throw new BlockedUrlError('must not contain a user name or password');
  }
  return url;
}

/** @returns no address if the resolution fails or times out */
async function resolveAddresses(host: string, resolve: ResolveHost): Promise<readonly ResolvedAddress[]> {
  if (ipaddr.isValid(host)) {
    return [{ address: host, family: ipaddr.parse(host).kind() === 'ipv4' ? 4 : 6 }];
  }
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('no answer')), resolveTimeoutMs);
  try {
    return await Promise.race([resolve(host), timeout.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function resolveBySystem(host: string): Promise<ResolvedAddress[]> {
  const addresses = await lookup(host, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** @returns the range of an address that is not part of the public Internet */
function findBlockedRange({ address }: ResolvedAddress): string | undefined {
  if (!ipaddr.isValid(address)) return 'not an IP address';
  if (metadataAddresses.includes(address)) return 'metadata';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range !== 'unicast') return range;
  return parsed.kind() === 'ipv4' || parsed.match(globalIpv6) ? undefined : 'reserved';
}

function isInRange(address: string, range: CidrRange): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === range[0].kind() && parsed.match(range);
}

function parseRange(entry: string): CidrRange[] {
  if (ipaddr.isValidCIDR(entry)) return [ipaddr.parseCIDR(entry)];
  if (!ipaddr.isValid(entry)) return [];
  const address = ipaddr.parse(entry);
  return [[address, address.kind() === 'ipv4' ? 32 : 128]];
}

function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

const userAgent = `Lectern/${version}`;

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request, also while its body is received. */
  readonly signal: AbortSignal;
}

/**
 * Sends one request to a checked address. Redirects are not followed, and no proxy is used.
 * @throws BlockedUrlError
 */
export async function sendRequest(
  guard: OutboundGuard,
  url: string,
  { method, headers, body, signal }: OutboundRequest,
): Promise<IncomingMessage> {
  const addresses = await guard.check(url);
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = (url.startsWith('https:') ? requestHttps : requestHttp)(new URL(url), {
    ...{ method, agent: false, signal, lookup: createPinnedLookup(addresses) },
    headers: { ...headers, 'user-agent': userAgent },
  });
  outgoing.on('error', reject);
  outgoing.on('response', resolve);
  outgoing.end(body);
  const response = await promise;
  const abort = () => response.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  response.once('close', () => signal.removeEventListener('abort', abort));
  return response;
}

/** Returns the checked addresses: a second resolution could return others. */
function createPinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Parses `Retry-After` in seconds or as a date; null if it is missing or invalid. */
export function parseRetryAfterMs(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const moment = Date.parse(retryAfter);
  return Number.isNaN(moment) ? null : Math.max(0, moment - Date.now());
}

/** Why a request failed, for the user who entered the address. */
export function describeConnectionError(error: unknown): string {
  if (error instanceof BlockedUrlError) return `the URL ${error.message}`;
  const code = getErrno(error);
  const reasons: [RegExp, string][] = [
    [/^ECONNREFUSED$/, 'the connection was refused'],
    [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'the connection was closed before a response arrived'],
    [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/, 'the host is unreachable'],
    [/CERT|TLS|SSL|ALTNAME|SIGNATURE|CRL/, 'the TLS certificate is not valid for this host'],
    [/^HPE_/, 'the response is not valid HTTP'],
  ];
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? 'the connection failed';
  return code === '' ? reason : `${reason} (${code})`;
}
