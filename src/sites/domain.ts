import { AppError } from '../errors.ts';

const nameLengthMax = 253;
/** Underscores are no part of a host name by the book, but browsers open such hosts. */
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * One way to write a host: lower case, punycode, no port, no trailing dot. `www.` stays: it is another host.
 * @throws AppError `validation_failed` when it is no host name
 */
export function normalizeDomain(given: string): string {
  const name = hostName(given);
  if (name !== undefined) return name;
  throw new AppError('validation_failed', 'Validation failed', {
    domain: [`${JSON.stringify(given)} is not a host name`],
  });
}

/** @returns a host in its one way to be written (see `normalizeDomain`); undefined when it is none */
export function hostName(given: string): string | undefined {
  const host = given.trim();
  // A URL reads on, or reads over, what stands behind or inside a host; nothing of that is a name.
  if (/[\s/\\?#@%]/.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
  if (name === undefined || name.length > nameLengthMax) return undefined;
  const isAddress = name.startsWith('[');
  return isAddress || name.split('.').every((part) => label.test(part)) ? name : undefined;
}

/** @returns the host of an `Origin` header; undefined for `null` and whatever is no http(s) origin */
export function originHost(origin: string): string | undefined {
  const [, host] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return host === undefined ? undefined : hostName(host);
}
