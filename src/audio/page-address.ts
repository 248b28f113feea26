import { hostName } from '../sites/domain.ts';

/**
 * The page that an address shows, in one way of writing: host and path. Scheme, port, user, query, fragment and a slash at
 * the end make no other page; `www.` and capitals in the path do.
 * @returns null when it is no http(s) address
 */
export function pageAddress(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const host = hostName(url.host) ?? url.hostname;
  return host + evenlyEncoded(url.pathname).replace(/\/+$/, '');
}

/** `%7e` and `~` are one sign; what doesn't decode stays as it is. */
function evenlyEncoded(path: string): string {
  try {
    return path.split('/').map(decodeURIComponent).map(encodeURIComponent).join('/');
  } catch {
    return path;
  }
}
