import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createOutboundGuard, type ResolvedAddress, type ResolveHost } from '../../src/http/outbound-guard.ts';
import { sendWebhook } from '../../src/webhooks/delivery.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSelfSigned } from '../fixtures/self-signed.ts';
import { createTemporaryFolder, runCommand, startTestServer } from '../fixtures/server.ts';
import { type Receiver, startReceiver } from '../fixtures/webhook-receiver.ts';
import { readRows } from './stored-rows.ts';

const loopback = { address: '127.0.0.1', family: 4 } as const;
const elsewhere = { address: '127.0.0.2', family: 4 } as const;
let receiver: Receiver;

beforeAll(() => {
  receiver = startReceiver();
});
afterAll(() => receiver.stop());

/** A resolver with different addresses at each call. */
function createResolver(...responses: readonly (readonly ResolvedAddress[])[]): ResolveHost & { requests: string[] } {
  const requests: string[] = [];
  const resolve = async (host: string) => {
    requests.push(host);
    return responses[requests.length - 1] ?? [];
  };
  return Object.assign(resolve, { requests });
}

function createGuard(allow: readonly string[], resolve: ResolveHost) {
  const settingName = 'LECTERN_WEBHOOK_ALLOW';
  return createOutboundGuard({ allow, settingName, plainHttp: 'listed' }, resolve);
}

function post(resolve: ResolveHost, host = 'hooks.test') {
  return sendWebhook(createGuard(['127.0.0.1/32'], resolve), {
    url: `http://${host}:${receiver.port}/`,
    ...{ headers: {}, body: '{}', timeoutMs: 30_000, stopSignal: new AbortController().signal },
  });
}

describe('a host name whose addresses change', () => {
  test('is contacted at the checked address, with its own name', async () => {
    const resolve = createResolver([loopback], [elsewhere]);
    const before = receiver.received.length;
    expect(await post(resolve)).toMatchObject({ statusCode: 204, error: null });
    expect(resolve.requests).toEqual(['hooks.test']);
    expect(receiver.received.slice(before).map(({ headers }) => headers['host'])).toEqual([
      `hooks.test:${receiver.port}`,
    ]);
  });

  test('is checked at each attempt', async () => {
    const resolve = createResolver([loopback], [elsewhere]);
    const before = receiver.received.length;
    await post(resolve);
    expect(await post(resolve)).toMatchObject({
      statusCode: null,
      error: expect.stringContaining('must not point to 127.0.0.2 (loopback)'),
    });
    expect(receiver.received).toHaveLength(before + 1);
  });

  test('is rejected if one of its addresses is blocked', async () => {
    const before = receiver.received.length;
    expect(await post(createResolver([loopback, elsewhere]))).toMatchObject({ statusCode: null });
    expect(await post(createResolver([elsewhere, loopback]))).toMatchObject({ statusCode: null });
    const abroad = { address: '93.184.216.34', family: 4 } as const;
    const inside = { address: '10.0.0.1', family: 4 } as const;
    for (const addresses of [
      [abroad, inside],
      [inside, abroad],
    ]) {
      const targets = createGuard([], createResolver(addresses));
      await expect(targets.check('https://hooks.test/')).rejects.toThrow('10.0.0.1 (private)');
    }
    const targets = createGuard([], createResolver([abroad]));
    expect(await targets.check('https://hooks.test/')).toEqual([abroad]);
    expect(receiver.received).toHaveLength(before);
  });

  test('is contacted at another address when the first does not respond', async () => {
    const targets = createGuard(['hooks.test'], createResolver([{ address: '::1', family: 6 }, loopback]));
    const outcome = await sendWebhook(targets, {
      url: `http://hooks.test:${receiver.port}/`,
      ...{ headers: {}, body: '{}', timeoutMs: 30_000, stopSignal: new AbortController().signal },
    });
    expect(outcome.statusCode).toBe(204);
  });

  test('that does not exist is reported as not found', async () => {
    expect(await post(createResolver())).toMatchObject({
      statusCode: null,
      error: expect.stringContaining('a host that can be resolved (hooks.test)'),
    });
  });
});

describe('an HTTPS webhook', () => {
  test('requires a certificate of its host, which a configured authority may have signed', async () => {
    const { key, certificate } = createSelfSigned('localhost');
    const trusted = join(createTemporaryFolder(), 'certificate.pem');
    await Bun.write(trusted, certificate);
    const hosts: (string | null)[] = [];
    const secure = Bun.serve({
      ...{ hostname: '127.0.0.1', port: 0 },
      tls: { key, cert: certificate },
      fetch: (request) => {
        hosts.push(request.headers.get('host'));
        return new Response();
      },
    });
    const env = {
      LECTERN_WEBHOOK_ALLOW: 'localhost,127.0.0.1',
      LECTERN_WEBHOOK_RETRY_S: '1',
      // A proxy that does not exist: requests through it would fail.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
    };
    const trusting = await startTestServer({ env: { ...env, NODE_EXTRA_CA_CERTS: trusted } });
    try {
      for (const host of ['localhost', '127.0.0.1']) {
        const url = `https://${host}:${secure.port}/`;
        const words = ['webhook', 'create', '--data', trusting.data, '--site', '1', '--url', url];
        expect((await runCommand(words, { env })).code).toBe(0);
      }
      await trusting.generate({ post_id: 'by https', content: '🙂'.repeat(60) });
      const listStates = () =>
        readRows<{ state: string }>(trusting.data, 'select state from webhook_delivery order by endpoint_id').map(
          ({ state }) => state,
        );
      await eventually(() => listStates().length === 2 && !listStates().includes('pending'), 'both finished');
      expect(listStates()).toEqual(['delivered', 'failed']);
      expect(hosts).toEqual([`localhost:${secure.port}`]);
      const errors = readRows(trusting.data, 'select distinct error from webhook_attempt where error is not null');
      expect(errors).toEqual([
        {
          error: 'the TLS certificate is not valid for this host (ERR_TLS_CERT_ALTNAME_INVALID)',
        },
      ]);
    } finally {
      await trusting.stop('SIGKILL');
      await secure.stop(true);
    }
  });
});
