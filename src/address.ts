import ipaddr from 'ipaddr.js';

/** An IP address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** All addresses that begin with so many bits of one. */
export interface AddressRange {
  readonly network: Address;
  readonly bitCount: number;
}

/** @returns an address in its plain form, IPv4 also where it is written as IPv6; undefined when it is none */
export function readAddress(text: string): Address | undefined {
  const plain = text.replace(/%.*$/, '');
  // Shorter forms like 127.1 are none that a proxy or a socket would write.
  if (!ipaddr.IPv6.isValid(plain) && !ipaddr.IPv4.isValidFourPartDecimal(plain)) return undefined;
  return ipaddr.process(plain);
}

/** @returns an address or a CIDR range; undefined when it is neither */
export function readRange(text: string): AddressRange | undefined {
  const [start = '', bits] = text.split('/', 2);
  const network = readAddress(start);
  if (network === undefined) return undefined;
  const most = network.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return { network, bitCount: most };
  const bitCount = Number(bits) - (start.includes(':') && most === 32 ? 96 : 0);
  const isRange = /^\d{1,3}$/.test(bits) && bitCount >= 0 && bitCount <= most;
  return isRange ? { network, bitCount } : undefined;
}

export function isWithin(address: Address, { network, bitCount }: AddressRange): boolean {
  return address.kind() === network.kind() && address.match(network, bitCount);
}
