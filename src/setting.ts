import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A CIDR range. */
export interface AddressRange {
  readonly network: IpAddress;
  readonly prefixLength: number;
}

/** @returns a normalized address, IPv4 also if written as IPv6; undefined if invalid */
export function parseIpAddress(text: string): IpAddress | undefined {
  const plain = text.replace(/%.*$/, '');
  // Proxies and sockets never write shorter forms such as 127.1.
  if (!ipaddr.IPv6.isValid(plain) && !ipaddr.IPv4.isValidFourPartDecimal(plain)) return undefined;
  return ipaddr.process(plain);
}

/** Parses an address or a CIDR range; undefined if invalid. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [start = '', bits] = text.split('/', 2);
  const network = parseIpAddress(start);
  if (network === undefined) return undefined;
  const bitLength = network.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return { network, prefixLength: bitLength };
  const bitCount = Number(bits) - (start.includes(':') && bitLength === 32 ? 96 : 0);
  const isRange = /^\d{1,3}$/.test(bits) && bitCount >= 0 && bitCount <= bitLength;
  return isRange ? { network, prefixLength: bitCount } : undefined;
}

export function isInRange(address: IpAddress, { network, prefixLength: bitCount }: AddressRange): boolean {
  return address.kind() === network.kind() && address.match(network, bitCount);
}

/** Default and parser of a setting. */
export interface Setting<T> {
  readonly fallback: T;
  /** @throws Error with the expected format */
  readonly parse: (text: string) => T;
}

/** A limit for each plan; `Infinity`: none. */
export type PlanLimits = Readonly<Record<PlanName, number>>;

const planNames = ['starter', 'growth', 'enterprise'] as const;
type PlanName = (typeof planNames)[number];

export function text(fallback: string): Setting<string> {
  return {
    fallback,
    parse: (input) => {
      if (input === '') throw new Error('a non-empty value');
      return input;
    },
  };
}

/** @returns the name of an IANA time zone as it is usually written; undefined if there is none such */
export function parseTimeZone(name: string): string | undefined {
  // `Intl` also takes offsets such as +01:00, which have no daylight-saving time.
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

export function timeZone(fallback: string): Setting<string> {
  return {
    fallback,
    parse: (input) => {
      const name = parseTimeZone(input);
      if (name === undefined) throw new Error('an IANA time zone such as Europe/Berlin');
      return name;
    },
  };
}

export function wholeNumber(fallback: number, min: number, max: number): Setting<number> {
  return {
    fallback,
    parse: (input) => {
      const value = Number(input);
      if (!/^\d+$/.test(input) || value < min || value > max) {
        throw new Error(`a whole number from ${min} to ${max}`);
      }
      return value;
    },
  };
}

export function perMinute(fallback: number): Setting<number> {
  return wholeNumber(fallback, 1, 1_000_000_000);
}

export function secondsList(fallback: readonly number[]): Setting<readonly number[]> {
  const one = wholeNumber(0, 1, 604_800);
  return {
    fallback,
    parse: (input) => {
      try {
        return input.split(',').map((part) => one.parse(part.trim()));
      } catch {
        throw new Error('a comma-separated list of seconds, whole numbers from 1 to 604800');
      }
    },
  };
}

export function parseHostsAndRanges(input: string): readonly string[] {
  const entries = input.split(',').map((entry) => entry.trim());
  const isHost = (entry: string) => /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?$/i.test(entry);
  for (const entry of entries) {
    if (!ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry) && !isHost(entry)) {
      throw new Error('a comma-separated list of host names, IP addresses and CIDR ranges');
    }
  }
  return entries;
}

/** A setting without a default. */
export function optional<T>(parse: Setting<T>['parse']): Setting<T | undefined> {
  return { fallback: undefined, parse };
}

/** @param name as the config file spells it; the command line and the environment derive theirs */
export function defineSetting<const Name extends string, T>(name: Name, setting: Setting<T>) {
  return { ...setting, name };
}

/** @param name its value may also come from a file, which `{name}_file` in the environment names */
export function defineSecret<const Name extends string>(name: Name, parse: (input: string) => string = text('').parse) {
  return { ...defineSetting(name, optional(parse)), isSecret: true };
}

/** A bucket of a server that speaks S3. */
export interface BucketAddress {
  readonly name: string;
  /** Its objects are below it; without a slash at the end. */
  readonly url: string;
  readonly region: string;
}

/** @throws Error */
export function parseBucketAddress(input: string): BucketAddress {
  const expected = new Error(
    'an address such as s3://bucket?endpoint=https://s3.example.org&region=eu-central-1, or s3://bucket?region=eu-central-1 for AWS',
  );
  const [, name = '', query] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})\/?(?:\?(.*))?$/.exec(input) ?? [];
  const parameters = new URLSearchParams(query);
  const endpoint = parameters.get('endpoint');
  const region = parameters.get('region') ?? (endpoint === null ? null : 'us-east-1');
  const isKnown = [...parameters.keys()].every((key) => key === 'endpoint' || key === 'region');
  if (name === '' || region === null || !/^[\w-]+$/.test(region) || !isKnown) throw expected;
  if (endpoint === null) return { name, url: `https://${name}.s3.${region}.amazonaws.com`, region };
  const url = parseHttpUrl(endpoint);
  if (url === undefined || url.search + url.hash + url.username !== '') throw expected;
  return { name, url: `${endpoint.replace(/\/+$/, '')}/${name}`, region };
}

export function addressRanges(): Setting<readonly AddressRange[]> {
  return {
    fallback: [],
    parse: (input) =>
      input.split(',').map((part) => {
        const range = parseAddressRange(part.trim());
        if (range === undefined)
          throw new Error(
            'a comma-separated list of IP addresses and CIDR ranges, such as 127.0.0.1,10.0.0.0/8,fd00::/8',
          );
        return range;
      }),
  };
}

export function choice<const T extends string>(fallback: T, options: readonly T[]): Setting<T> {
  return {
    fallback,
    parse: (input) => {
      const option = options.find((option) => option === input);
      if (option === undefined) throw new Error(`one of ${options.join(', ')}`);
      return option;
    },
  };
}

export function onOff(fallback: 'on' | 'off'): Setting<boolean> {
  const { parse } = choice(fallback, ['on', 'off']);
  return { fallback: fallback === 'on', parse: (input) => parse(input) === 'on' };
}

/** Plans that are not listed keep their default. */
export function planLimits(defaults: PlanLimits): Setting<PlanLimits> {
  return {
    fallback: defaults,
    parse: (input) => {
      const limits = input.split(',').map((part) => {
        const [, plan, figure = ''] = /^\s*(\w+)\s*=\s*(\d{1,15}|unlimited)\s*$/.exec(part) ?? [];
        const name = planNames.find((name) => name === plan);
        if (name === undefined) {
          throw new Error('a list such as starter=50,growth=500,enterprise=unlimited, with these plans only');
        }
        return [name, figure === 'unlimited' ? Infinity : Number(figure)] as const;
      });
      return { ...defaults, ...Object.fromEntries(limits) };
    },
  };
}

/** @returns undefined unless it is an http(s) URL */
export function parseHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** @returns a URL without a trailing slash. @throws Error */
export function parseMirrorUrl(input: string): string {
  const url = parseHttpUrl(input);
  if (url === undefined || url.search + url.hash !== '') {
    throw new Error('an http(s) URL such as https://mirror.example.org/piper-voices');
  }
  return input.replace(/\/+$/, '');
}

export function parsePath(input: string): string {
  return resolve(text('').parse(input));
}

export function parsePaths(input: string): readonly string[] {
  return input.split(',').map((path) => {
    if (path.trim() === '') throw new Error('a comma-separated list of file names');
    return resolve(path.trim());
  });
}

const databaseParameters = new Set(
  'host port options sslmode sslrootcert sslcert sslkey sslnegotiation uselibpqcompat'.split(' '),
);
const sslModes = new Set(['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']);

/** A misspelled parameter would switch TLS off. The errors name no part of the address, which has a password. */
export function parseDatabaseAddress(input: string): string {
  const url = URL.parse(input);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || !/^\/[^/]+$/.test(url.pathname)) {
    throw new Error('an address such as postgres://user:password@db.example.org/lectern');
  }
  const { searchParams } = url;
  if (![...searchParams.keys()].every((name) => databaseParameters.has(name))) {
    throw new Error(`an address without parameters other than ${[...databaseParameters].join(', ')}`);
  }
  if (!searchParams.getAll('sslmode').every((mode) => sslModes.has(mode))) {
    throw new Error(`an address with one of these values of sslmode: ${[...sslModes].join(', ')}`);
  }
  return input;
}

export function parseBaseUrl(input: string): string {
  const url = parseHttpUrl(input);
  // It would be unclear whether a proxy has removed the path.
  const isReserved = /^\/(v1|healthz|readyz|metrics)(\/|$)/.test(url?.pathname ?? '');
  const expected = `an http(s) URL such as https://audio.example.org${isReserved ? ', with a path that is not an API path (/v1, /healthz, /readyz, /metrics)' : ''}`;
  if (url === undefined || url.search + url.hash !== '' || isReserved) {
    throw new Error(expected);
  }
  return input.replace(/\/+$/, '');
}
