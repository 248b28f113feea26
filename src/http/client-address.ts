import { type AddressRange, isWithin, readAddress } from '../address.ts';

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
