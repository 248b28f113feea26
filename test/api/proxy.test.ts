import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readConfig } from '../../src/config.ts';
import { resolveClientAddress } from '../../src/http/request-context.ts';
import { parseAddressRange } from '../../src/setting.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

/** Invalid keys are counted by address: the number accepted shows which address was used. */
const failuresMax = 2;
let open: TestServer;
let proxied: TestServer;

beforeAll(async () => {
  const env = { LECTERN_RATE_FAILURES: String(failuresMax) };
  [open, proxied] = await Promise.all([
    startTestServer({ env }),
    startTestServer({ env: { ...env, LECTERN_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } }),
  ]);
});
afterAll(() => Promise.all([open.stop('SIGKILL'), proxied.stop('SIGKILL')]));

const guess = async (server: TestServer, forwardedFor: string): Promise<number> => {
  const headers = { 'x-api-key': 'wrong', 'x-forwarded-for': forwardedFor };
  return (await fetch(`${server.url}/v1/audio/none/status`, { headers })).status;
};
const sendGuesses = async (server: TestServer, addresses: readonly string[]): Promise<number[]> => {
  const statuses: number[] = [];
  for (const address of addresses) statuses.push(await guess(server, address));
  return statuses;
};

describe('failures are counted', () => {
  test('by connection if no proxy is trusted, regardless of the header', async () => {
    const claimed = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
    expect(await sendGuesses(open, claimed)).toEqual([401, 401, 429, 429]);
    // Logged once.
    const warning = /X-Forwarded-For of an untrusted peer ignored/g;
    await eventually(() => open.log().match(warning)?.length === 1, 'one warning');
    expect(proxied.log()).not.toMatch(warning);
  });

  test('by the client behind a trusted proxy', async () => {
    const sameClient = ['192.0.2.1', '192.0.2.1', '192.0.2.1'];
    expect(await sendGuesses(proxied, sameClient)).toEqual([401, 401, 429]);
    expect(await sendGuesses(proxied, ['192.0.2.2'])).toEqual([401]);
  });

  test('by the address that the trusted proxies saw, not by a forged one', async () => {
    const madeUp = ['198.51.100.1, 203.0.113.9', '198.51.100.2, 203.0.113.9, 10.1.2.3'];
    expect(await sendGuesses(proxied, [...madeUp, '203.0.113.9'])).toEqual([401, 401, 429]);
  });

  test('by network for IPv6', async () => {
    const sameNetwork = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::', '[2001:db8:1:2::3]:4711'];
    expect(await sendGuesses(proxied, sameNetwork)).toEqual([401, 401, 429]);
    expect(await sendGuesses(proxied, ['2001:db8:1:3::1'])).toEqual([401]);
  });
});

const trusted = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'].map((text) => {
  const range = parseAddressRange(text);
  if (range === undefined) throw new Error(text);
  return range;
});

describe('the client address', () => {
  test.each([
    ['a connection of its own', '192.0.2.1', null, '192.0.2.1'],
    ['a socket for both kinds', '::ffff:192.0.2.1', null, '192.0.2.1'],
    ['a stranger with a header', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['a proxy', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a proxy, as IPv6 writes it', '::ffff:127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a proxy that adds ports', '10.9.9.9', '198.51.100.1:55555', '198.51.100.1'],
    ['two proxies', '127.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['IPv6 and spaces', 'fd00::1', ' 2001:DB8:0:0::1 ', '2001:db8::1'],
    ['a forged start', '127.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['a forged proxy', '127.0.0.1', '1.1.1.1, 10.0.0.2, 198.51.100.1', '198.51.100.1'],
    ['nothing but proxies', '127.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['garbage', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['garbage before the last', '127.0.0.1', '198.51.100.1, <b>, 10.0.0.2', '10.0.0.2'],
    ['an empty header', '127.0.0.1', '', '127.0.0.1'],
    ['only commas', '127.0.0.1', ',,,', '127.0.0.1'],
    ['short forms', '127.0.0.1', '127.1', '127.0.0.1'],
    ['octal forms', '127.0.0.1', '0300.0.2.1', '127.0.0.1'],
    ['no socket address', '', '198.51.100.1', ''],
  ])('of %s', (_, connection, forwardedFor, expected) => {
    expect(resolveClientAddress(connection, forwardedFor, trusted)).toBe(expected);
  });
});

describe('the setting of trusted proxies', () => {
  const parseNetworks = (input: string) =>
    readConfig({ trusted_proxies: input }, {}).trustedProxies.map(
      ({ network, prefixLength }) => `${network}/${prefixLength}`,
    );

  test('accepts IPv4 and IPv6 addresses and ranges', () => {
    expect(readConfig({}, {}).trustedProxies).toEqual([]);
    expect(parseNetworks('127.0.0.1,10.0.0.0/8, ::1 ,fd00::/8,::ffff:10.0.0.0/104')).toEqual([
      ...['127.0.0.1/32', '10.0.0.0/8', '::1/128', 'fd00::/8', '10.0.0.0/8'],
    ]);
  });

  test.each(['10.0.0.0/33', '::1/129', 'proxy.example', '10.0.0.0/', '10/8', '10.0.0.0/8,', ''])(
    'refuses %j',
    (input) => {
      expect(() => parseNetworks(input)).toThrow(
        `--trusted-proxies: expected a comma-separated list of IP addresses and CIDR ranges, such as 127.0.0.1,10.0.0.0/8,fd00::/8, got ${JSON.stringify(input)}`,
      );
    },
  );
});
