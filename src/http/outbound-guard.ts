import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { version } from '../version.ts';

/** An address that was found to be one that may be called. */
export interface TargetAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Why an address may not or cannot be called, in words for whoever set it up. */
export class TargetProblem extends Error {
  /** True where nothing is wrong but that the name isn't found just now. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.name = 'TargetProblem';
    this.mayPass = mayPass;
  }
}

/** Finds the addresses of a host name. @throws Error when there are none */
export type Resolve = (host: string) => Promise<readonly TargetAddress[]>;

/** Which addresses outside may be called on behalf of a site. */
export interface Targets {
  /**
   * Looks the host up and checks every address it has: one bad one and the host is refused.
   * @returns the addresses that may be connected to, and no other
   * @throws TargetProblem
   */
  check(url: string): Promise<readonly TargetAddress[]>;
}

const resolvePatienceMs = 5_000;
/** A service of Azure's hosts that answers any of its machines, on a public address. */
const otherMetadataAddresses = ['168.63.129.16'];
/** The only part of IPv6 that is handed out for the Internet. */
const globalIpv6 = ipaddr.parseCIDR('2000::/3');

/** What an operator allows. */
export interface TargetRules {
  /** Host names, addresses and CIDR ranges that may be called whatever they are, by http too. */
  readonly allow: readonly string[];
  /** Name of the setting that lists them, for whoever is refused. */
  readonly setting: string;
  /** Where http may be used: what is only read may be open to all. */
  readonly plainHttp: 'listed' | 'anywhere';
}

/**
 * Only the public Internet unless the operator allows more.
 * @param resolve how names are looked up
 */
export function createTargets(
  { allow, setting, plainHttp }: TargetRules,
  resolve: Resolve = systemResolve,
): Targets {
  const ranges = allow.flatMap(rangeOf);
  const hosts = new Set(allow.map(plainHost));
  return {
    check: async (given) => {
      const url = readUrl(given, plainHttp);
      const host = plainHost(url.hostname.replace(/^\[|\]$/g, ''));
      const isHostAllowed = hosts.has(host);
      const isPlain = url.protocol === 'http:' && plainHttp === 'listed';
      const plainRule = `must use https: http is for hosts that ${setting} names`;
      const isListed = ({ address }: TargetAddress) =>
        isHostAllowed || ranges.some((range) => isWithin(address, range));
      const addresses = await addressesOf(host, resolve);
      if (addresses.length === 0) {
        // Http is only for what is known to be allowed.
        const mayBeFoundLater = isHostAllowed || !isPlain;
        throw new TargetProblem(`must lead to a host that can be found (${host})`, mayBeFoundLater);
      }
      const closed = addresses.find((one) => !isListed(one) && closedRange(one) !== undefined);
      if (closed !== undefined) {
        throw new TargetProblem(
          `must not point to ${closed.address} (${closedRange(closed)}) unless ${setting} names it`,
        );
      }
      if (isPlain && !addresses.every(isListed)) throw new TargetProblem(plainRule);
      return addresses;
    },
  };
}

/**
 * Looks an address over before it is stored. A host that cannot be found just now passes: it is checked again at each attempt.
 * @returns the address as it is stored, or what is wrong with it
 */
export async function readTarget(
  targets: Targets,
  given: string,
): Promise<{ url: string; problem?: undefined } | { problem: string }> {
  try {
    await targets.check(given);
  } catch (error) {
    if (!(error instanceof TargetProblem)) throw error;
    if (!error.mayPass) return { problem: error.message };
  }
  const url = new URL(given);
  // Never sent.
  url.hash = '';
  return { url: url.href };
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Reads the address too: other spellings of an IPv4 address (decimal, octal, hex) come out as the usual one. */
function readUrl(given: string, plainHttp: TargetRules['plainHttp']): URL {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const schemes = plainHttp === 'anywhere' ? 'http:// or https://' : 'https://';
    throw new TargetProblem(`must be a web address that begins with ${schemes}`);
  }
  if (url.username + url.password !== '') {
    throw new TargetProblem('must not hold a user name or password');
  }
  return url;
}

/** @returns none when the name isn't found in time */
async function addressesOf(host: string, resolve: Resolve): Promise<readonly TargetAddress[]> {
  if (ipaddr.isValid(host)) {
    return [{ address: host, family: ipaddr.parse(host).kind() === 'ipv4' ? 4 : 6 }];
  }
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('no answer')), resolvePatienceMs);
  try {
    return await Promise.race([resolve(host), late.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function systemResolve(host: string): Promise<TargetAddress[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** @returns what kind of address it is, for one that is not part of the public Internet */
function closedRange({ address }: TargetAddress): string | undefined {
  if (!ipaddr.isValid(address)) return 'no address';
  if (otherMetadataAddresses.includes(address)) return 'metadata';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range !== 'unicast') return range;
  return parsed.kind() === 'ipv4' || parsed.match(globalIpv6) ? undefined : 'reserved';
}

function isWithin(address: string, range: Range): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === range[0].kind() && parsed.match(range);
}

function rangeOf(entry: string): Range[] {
  if (ipaddr.isValidCIDR(entry)) return [ipaddr.parseCIDR(entry)];
  if (!ipaddr.isValid(entry)) return [];
  const address = ipaddr.parse(entry);
  return [[address, address.kind() === 'ipv4' ? 32 : 128]];
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** How we name ourselves to servers outside. */
export const userAgent = `Lectern/${version}`;

/** A lookup that leads to addresses that were checked: a second real one could say otherwise. */
export function lookupOf(addresses: readonly TargetAddress[]): LookupFunction {
  return (_host, options, found) => {
    const [first] = addresses;
    if (options.all === true) found(null, [...addresses]);
    else found(null, first?.address ?? '', first?.family);
  };
}

/** @returns milliseconds that `Retry-After` says, in seconds or as a date; null without a usable one */
export function retryAfterMsOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const moment = Date.parse(retryAfter);
  return Number.isNaN(moment) ? null : Math.max(0, moment - Date.now());
}

/** Why no answer came, in words for whoever named the address. */
export function problemOfConnection(error: unknown): string {
  if (error instanceof TargetProblem) return `the address ${error.message}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: [RegExp, string][] = [
    [/^ECONNREFUSED$/, 'the connection was refused'],
    [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'the connection was closed before an answer came'],
    [
      /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/,
      'the host cannot be reached',
    ],
    [/CERT|TLS|SSL|ALTNAME|SIGNATURE|CRL/, 'the certificate is not valid for this host'],
    [/^HPE_/, 'the answer is no HTTP'],
  ];
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? 'the connection failed';
  return code === '' ? reason : `${reason} (${code})`;
}
