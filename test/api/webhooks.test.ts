import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../fixtures/eventually.ts';
import {
  createSite,
  createTemporaryFolder,
  runCommand,
  startServerForFile,
  startTestServer,
} from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';
import { type Received, type Receiver, startReceiver, stopReceivers } from '../fixtures/webhook-receiver.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const env = {
  LECTERN_WEBHOOK_ALLOW: '127.0.0.1/32',
  LECTERN_WEBHOOK_RETRY_S: '1,1',
  LECTERN_WEBHOOK_TIMEOUT_S: '5',
};
/** Fails without synthesis, which takes no time. */
const unspeakable = '🙂'.repeat(60);

interface Endpoint {
  readonly id: number;
  readonly secret: string;
}

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

const server = await startServerForFile({ env });
afterAll(stopReceivers);

async function createEndpoint(data: string, siteId: number, url: string): Promise<Endpoint> {
  const words = ['webhook', 'create', '--data', data, '--site', `${siteId}`, '--url', url];
  const { code, stdout, stderr } = await runCommand([...words, '--json'], { env });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Endpoint;
}

/** Creates a site with a webhook, separate from the messages of other tests. */
async function createSiteWithWebhook(url: string) {
  const { siteId, key } = await createSite(server.data);
  const endpoint = await createEndpoint(server.data, siteId, url);
  const generate = (postId: string, content: string) => generateAs(server, key, postId, content);
  return { siteId, key, endpoint, generate };
}

async function generateAs(at: typeof server, key: string, postId: string, content: string) {
  const response = await at.request('/v1/audio/generate', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ post_id: postId, content }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { data: { id: number } }).data;
}

/** @returns the message after the published library has verified its signature */
function verifyMessage(secret: string, { body, headers }: Received): Message {
  return new Webhook(secret).verify(body, headers) as Message;
}

function waitForMessage(receiver: Receiver, index: number, what: string): Promise<Received> {
  return eventually(() => receiver.received[index], what);
}

function listDeliveryStates(endpointId: number): { state: string; attempt_count: number }[] {
  return readRows(
    server.data,
    `select state, attempt_count from webhook_delivery where endpoint_id = ${endpointId} order by id`,
  );
}

describe('a webhook', () => {
  test('reports finished audio, signed by Standard Webhooks', async () => {
    const receiver = startReceiver();
    const { endpoint, generate, siteId } = await createSiteWithWebhook(`${receiver.url}/hook?from=us`);
    const { id } = await generate('news/4711', buildArticle('the harbor', 1));
    const got = await waitForMessage(receiver, 0, 'a message');
    expect(got.path).toBe('/hook');
    expect({ ...got.headers }).toMatchObject({
      ...{ 'content-type': 'application/json', host: receiver.url.slice('http://'.length) },
      'user-agent': expect.stringMatching(/^Lectern\/\d/),
      'webhook-id': expect.stringMatching(/^msg_[\w-]{20,}$/),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]+=*$/),
    });
    const message = verifyMessage(endpoint.secret, got);
    const [site] = readRows<{ slug: string }>(server.data, `select slug from site where id = ${siteId}`);
    expect(message).toEqual({
      type: 'audio.ready',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: {
        ...{ site: site?.slug, id, post_id: 'news/4711', language: 'en', status: 'ready' },
        audio_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/media\/[\w-]+\.mp3$/),
        duration_seconds: expect.any(Number),
        error: null,
      },
    });
    const mp3 = await fetch(String(message.data['audio_url']));
    expect(mp3.headers.get('content-type')).toBe('audio/mpeg');
    const other = createWrongSecret(endpoint.secret);
    expect(() => verifyMessage(other, got)).toThrow();
    expect(() => verifyMessage(endpoint.secret, { ...got, body: `${got.body} ` })).toThrow();
  });

  test('reports a failure with its reason', async () => {
    const receiver = startReceiver();
    const { endpoint, generate } = await createSiteWithWebhook(receiver.url);
    const { id } = await generate('wordless', unspeakable);
    const message = verifyMessage(endpoint.secret, await waitForMessage(receiver, 0, 'a message'));
    expect(message).toMatchObject({
      type: 'audio.failed',
      data: {
        ...{ id, post_id: 'wordless', status: 'failed', audio_url: null, duration_seconds: null },
        error: 'The content has no speakable text',
      },
    });
  });

  test('is retried under the same id after a failure of the receiver', async () => {
    const receiver = startReceiver((_, before) => new Response('oh', { status: before < 2 ? 500 : 200 }));
    const { endpoint, generate } = await createSiteWithWebhook(receiver.url);
    await generate('retried', unspeakable);
    await waitForMessage(receiver, 2, 'a third attempt');
    const [first, second, third] = receiver.received;
    if (first === undefined || second === undefined || third === undefined) throw new Error();
    expect([second, third].map(({ headers }) => headers['webhook-id'])).toEqual([
      first.headers['webhook-id'],
      first.headers['webhook-id'],
    ]);
    expect(third.body).toBe(first.body);
    verifyMessage(endpoint.secret, third);
    await eventually(() => listDeliveryStates(endpoint.id)[0]?.state === 'delivered', 'delivered');
    expect(listDeliveryStates(endpoint.id)).toEqual([{ state: 'delivered', attempt_count: 3 }]);
  });

  test('fails after the last attempt of the schedule', async () => {
    const receiver = startReceiver(() => new Response('no', { status: 400 }));
    const { endpoint, generate } = await createSiteWithWebhook(receiver.url);
    await generate('delivery failed', unspeakable);
    await eventually(() => listDeliveryStates(endpoint.id)[0]?.state === 'failed', 'delivery failed');
    expect(listDeliveryStates(endpoint.id)).toEqual([{ state: 'failed', attempt_count: 3 }]);
    expect(receiver.received).toHaveLength(3);
  });

  test('follows no redirect', async () => {
    const elsewhere = startReceiver();
    const receiver = startReceiver((_, before) =>
      before === 0 ? Response.redirect(`${elsewhere.url}/`, 307) : new Response(),
    );
    const { generate } = await createSiteWithWebhook(receiver.url);
    await generate('redirected', unspeakable);
    await waitForMessage(receiver, 1, 'a second attempt at the same address');
    expect(elsewhere.received).toEqual([]);
  });

  test('waits as long as Retry-After requests', async () => {
    const receiver = startReceiver(() => new Response('later', { status: 503, headers: { 'retry-after': '3600' } }));
    const { endpoint, generate } = await createSiteWithWebhook(receiver.url);
    await generate('asked to wait', unspeakable);
    const next = await eventually(() => {
      const [row] = readRows<{ next_attempt_at: string; updated_at: string }>(
        server.data,
        `select next_attempt_at, updated_at from webhook_delivery
          where endpoint_id = ${endpoint.id} and attempt_count = 1`,
      );
      return row;
    }, 'a first attempt');
    const waitMs = Date.parse(next.next_attempt_at) - Date.parse(next.updated_at);
    expect(waitMs).toBeWithin(3_590_000, 3_600_001);
  });

  test('is disabled when the receiver returns 410', async () => {
    const receiver = startReceiver(() => new Response('gone', { status: 410 }));
    const { endpoint, generate } = await createSiteWithWebhook(receiver.url);
    await generate('gone one', unspeakable);
    const reason = 'The receiver returned 410 Gone';
    await eventually(() => {
      const [row] = readRows<{ active: number; disabled_reason: string | null }>(
        server.data,
        `select active, disabled_reason from webhook_endpoint where id = ${endpoint.id}`,
      );
      return row?.active === 0 && row.disabled_reason === reason;
    }, 'switched off');
    await generate('gone two', unspeakable);
    expect(listDeliveryStates(endpoint.id)).toEqual([{ state: 'failed', attempt_count: 1 }]);
    expect(receiver.received).toHaveLength(1);
  });

  test('that does not respond delays no other and ends at its timeout', async () => {
    const release = Promise.withResolvers<void>();
    const hanging = startReceiver(async () => {
      await release.promise;
      return new Response();
    });
    const { siteId, key, endpoint } = await createSiteWithWebhook(hanging.url);
    const lively = startReceiver();
    await createEndpoint(server.data, siteId, lively.url);
    const posts = Array.from({ length: 12 }, (_, index) => `hanging ${index}`);
    for (const post of posts) await generateAs(server, key, post, unspeakable);
    await eventually(() => lively.received.length === posts.length, 'all at the lively one');
    // The hanging delivery occupies one of four slots for 5 s; it must not delay the other webhook.
    expect(hanging.received.length).toBeLessThan(posts.length);
    const attempt = await eventually(() => {
      const [row] = readRows<{ error: string | null; status_code: number | null }>(
        server.data,
        `select error, status_code from webhook_attempt join webhook_delivery on id = delivery_id
          where endpoint_id = ${endpoint.id}`,
      );
      return row;
    }, 'a timeout');
    expect(attempt).toEqual({ error: 'no response within 5 s', status_code: null });
    release.resolve();
  });

  test('does not wait for the end of an endless response', async () => {
    const receiver = startReceiver(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(32_768).fill(97)),
          }),
        ),
    );
    const { endpoint, generate } = await createSiteWithWebhook(receiver.url);
    await generate('endless', unspeakable);
    await eventually(() => listDeliveryStates(endpoint.id)[0]?.state === 'delivered', 'delivered');
    const [attempt] = readRows<{ response: string }>(
      server.data,
      `select response from webhook_attempt join webhook_delivery on id = delivery_id
        where endpoint_id = ${endpoint.id}`,
    );
    expect(attempt?.response).toBe('a'.repeat(1_024));
  });
});

describe('the outbox', () => {
  test('contains a message as soon as the change is visible, and none without a change', async () => {
    const receiver = startReceiver(() => new Response(null, { status: 500 }));
    const { endpoint, generate, key } = await createSiteWithWebhook(receiver.url);
    await generate('together', unspeakable);
    const getStatus = async (postId: string) => {
      const response = await server.request(`/v1/audio/${postId}/status`, {
        headers: { 'x-api-key': key },
      });
      return ((await response.json()) as { data: { status: string } }).data.status;
    };
    await eventually(async () => (await getStatus('together')) === 'failed', 'failed');
    expect(listDeliveryStates(endpoint.id)).toHaveLength(1);
    const untold = readRows(
      server.data,
      `select audio.id from audio join post on post.id = audio.post_id
        join webhook_endpoint endpoint on endpoint.site_id = post.site_id
        where audio.status in ('ready', 'failed') and not exists (
          select 1 from webhook_message message
          where message.site_id = post.site_id and endpoint.active = 1
            and replace(body, '"id":' || audio.id || ',', '') <> body
        ) and endpoint.active = 1`,
    );
    expect(untold).toEqual([]);
  });

  test('is sent at once if a clock that was far ahead has scheduled it', async () => {
    const data = createTemporaryFolder();
    const { siteId, key } = await createSite(data);
    const receiver = startReceiver((_, before) => new Response(null, { status: before === 0 ? 500 : 204 }));
    await createEndpoint(data, siteId, receiver.url);
    const slow = { ...env, LECTERN_WEBHOOK_RETRY_S: '3600' };
    const first = await startTestServer({ data, key, env: slow });
    await generateAs(first, key, 'ahead', unspeakable);
    await eventually(() => readRows(data, 'select delivery_id from webhook_attempt').length === 1, 'an attempt');
    await first.stop('SIGKILL');
    const database = new Database(join(data, 'lectern.db'));
    database.run(`update webhook_delivery set updated_at = '2099-01-01T00:00:00Z', next_attempt_at = '2099-01-02'`);
    database.close();
    const second = await startTestServer({ data, key, env: slow });
    await waitForMessage(receiver, 1, 'the message after the clock was set back');
    await second.stop('SIGKILL');
  });

  test('survives a server that is killed before the delivery, and is purged later', async () => {
    const data = createTemporaryFolder();
    const { siteId, key } = await createSite(data);
    const receiver = startReceiver((_, before) =>
      before === 0 ? new Promise<Response>(() => {}) : new Response(null, { status: 204 }),
    );
    const { secret } = await createEndpoint(data, siteId, receiver.url);
    const patient = { ...env, LECTERN_WEBHOOK_TIMEOUT_S: '50' };
    const first = await startTestServer({ data, key, env: patient });
    await generateAs(first, key, 'killed', unspeakable);
    const lost = await waitForMessage(receiver, 0, 'an attempt that gets no answer');
    await first.stop('SIGKILL');
    const second = await startTestServer({ data, key, env: patient });
    const got = await waitForMessage(receiver, 1, 'the message after the restart');
    expect(got.headers['webhook-id']).toBe(lost.headers['webhook-id']);
    expect(verifyMessage(secret, got).data['post_id']).toBe('killed');
    const listOutboxRows = () => [
      ...readRows<{ id: string }>(data, 'select id from webhook_message'),
      ...readRows(data, `select delivery_id from webhook_attempt`),
    ];
    await eventually(() => listOutboxRows().length === 2, 'recorded');
    expect(await second.stop()).toBe(0);

    // Moved into the past, so that it is purged.
    const database = new Database(join(data, 'lectern.db'));
    database.run(`update webhook_delivery set updated_at = '2020-01-01T00:00:00.000Z'`);
    database.run(`update webhook_message set created_at = '2020-01-01T00:00:00.000Z'`);
    database.close();
    const third = await startTestServer({ data, key, env: patient });
    await eventually(() => listOutboxRows().length === 0, 'purged');
    expect(receiver.received).toHaveLength(2);
    await third.stop('SIGKILL');
  });
});

describe('the URL of a webhook', () => {
  test.each(['http://localhost:9000/', 'https://localhost/', 'https://localhost./'])(
    'may not be %s, a name of this machine, unless that is allowed',
    async (url) => {
      const words = ['webhook', 'create', '--data', server.data, '--site', '1', '--url', url];
      const { code, stdout, stderr } = await runCommand(words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^lectern: the url must [^\n]+\n$/);
      const allowed = { LECTERN_WEBHOOK_ALLOW: 'localhost' };
      expect((await runCommand(words, { env: allowed })).code).toBe(0);
    },
  );
});

function createWrongSecret(secret: string): string {
  return `${secret.slice(0, 10)}${secret[10] === 'A' ? 'B' : 'A'}${secret.slice(11)}`;
}
