import { afterAll, describe, expect, test } from 'bun:test';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Delivery, Webhook } from '../../src/webhooks/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSite, startServerForFile } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { startReceiver, stopReceivers } from '../fixtures/webhook-receiver.ts';
import { readRows } from './stored-rows.ts';

/** Fails without synthesis, which takes no time. */
const unspeakable = '🙂'.repeat(60);

type WithSecret = Webhook & { secret: string };
interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

const server = await startServerForFile({
  env: {
    LECTERN_WEBHOOK_ALLOW: '127.0.0.1/32',
    LECTERN_WEBHOOK_RETRY_S: '1',
    LECTERN_WEBHOOK_TIMEOUT_S: '20',
  },
});
afterAll(stopReceivers);
const { admin } = createSiteUsers(server, server.siteId);
/** A webhook that tests may change. */
const anyWebhook = (await createSiteWithWebhook('http://127.0.0.1:9/', server)).webhookPath;

/** Creates a webhook, by default on a new site, whose log contains no messages of other tests. */
async function createSiteWithWebhook(url: string, site?: { siteId: number; key: string }) {
  const { siteId, key } = site ?? (await createSite(server.data));
  const path = `/v1/sites/${siteId}/webhooks`;
  const response = await admin.request<WithSecret>('POST', path, { url });
  expect(response.status).toBe(201);
  const webhook = response.data;
  const fail = (postId: string) =>
    server.request('/v1/audio/generate', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ post_id: postId, content: unspeakable }),
    });
  return { siteId, key, path, webhook, webhookPath: `${path}/${webhook.id}`, fail };
}

async function getLog(webhookPath: string, query = ''): Promise<Page<Delivery>> {
  const { status, data } = await admin.request<Page<Delivery>>('GET', `${webhookPath}/deliveries${query}`);
  expect(status).toBe(200);
  return data;
}

function waitForSettledLog(webhookPath: string, count: number): Promise<Page<Delivery>> {
  return eventually(async () => {
    const log = await getLog(webhookPath);
    const isSettled = log.items.every(({ state }) => state !== 'pending');
    return log.items.length === count && isSettled && log;
  }, `${count} finished deliveries`);
}

describe('webhooks of a site', () => {
  test('are created, read without their secret, updated and deleted', async () => {
    const { path, webhookPath, webhook } = await createSiteWithWebhook('http://127.0.0.1:9/a?b=c#d');
    expect(webhook).toMatchObject({
      ...{ url: 'http://127.0.0.1:9/a?b=c', active: true, disabled_reason: null },
      event_types: ['audio.ready', 'audio.failed', 'audio.deleted'],
      previous_secret_until: null,
    });
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: _, ...shown } = webhook;
    expect((await admin.request<Webhook>('GET', webhookPath)).data).toEqual(shown);
    expect((await admin.request<Page<Webhook>>('GET', path)).data).toEqual({
      ...{ items: [shown], next_cursor: null },
    });
    const changes = { active: false, event_types: ['audio.failed', 'audio.failed'] };
    const changed = await admin.request<Webhook>('PATCH', webhookPath, changes);
    expect(changed.data).toEqual({
      ...{ ...shown, active: false, event_types: ['audio.failed'] },
      health: { ...webhook.health, state: 'off' },
      updated_at: changed.data.updated_at,
    });
    const deleted = await admin.request<{ id: number }>('DELETE', webhookPath);
    expect([deleted.message, deleted.data]).toEqual(['Webhook deleted', { id: webhook.id }]);
    expect((await admin.request('GET', webhookPath)).status).toBe(404);
    expect((await admin.request('DELETE', webhookPath)).status).toBe(404);
  });

  test('are listed in pages', async () => {
    const { path } = await createSiteWithWebhook('http://127.0.0.1:9/1');
    for (const n of [2, 3]) await admin.request('POST', path, { url: `http://127.0.0.1:9/${n}` });
    const first = (await admin.request<Page<Webhook>>('GET', `${path}?limit=2`)).data;
    const second = (await admin.request<Page<Webhook>>('GET', `${path}?limit=2&cursor=${first.next_cursor}`)).data;
    const urls = [...first.items, ...second.items].map(({ url }) => url.slice(-1));
    expect(urls).toEqual(['1', '2', '3']);
    expect(second.next_cursor).toBeNull();
  });

  test('can be managed by admins only', async () => {
    const { siteId, key } = await createSite(server.data);
    const { path, webhookPath } = await createSiteWithWebhook('http://127.0.0.1:9/', { siteId, key });
    const routes: [string, string][] = [
      ['GET', path],
      ['POST', path],
      ['GET', webhookPath],
      ['PATCH', webhookPath],
      ['DELETE', webhookPath],
      ['POST', `${webhookPath}/rotate-secret`],
      ['POST', `${webhookPath}/test`],
      ['GET', `${webhookPath}/deliveries`],
      ['POST', `${webhookPath}/deliveries/1/replay`],
      ['POST', `${webhookPath}/retry-all`],
    ];
    const { anonymous, outsider, viewer, editor } = createSiteUsers(server, siteId);
    for (const [method, route] of routes) {
      const replies = [anonymous, outsider, viewer, editor].map((user) => user.request(method, route));
      const statuses = (await Promise.all(replies)).map(({ status }) => status);
      expect([method, route, ...statuses]).toEqual([method, route, 401, 404, 403, 403]);
    }
    expect((await admin.request('GET', webhookPath)).status).toBe(200);
  });

  test('belong to their site', async () => {
    const { webhook } = await createSiteWithWebhook('http://127.0.0.1:9/', server);
    const { path } = await createSiteWithWebhook('http://127.0.0.1:9/');
    for (const paths of [`${path}/${webhook.id}`, `${path}/nonsense`, `${path}/999999`]) {
      expect((await admin.request('GET', paths)).status).toBe(404);
      expect((await admin.request('PATCH', paths, { active: false })).status).toBe(404);
      expect((await admin.request('POST', `${paths}/test`)).status).toBe(404);
      expect((await admin.request('POST', `${paths}/rotate-secret`)).status).toBe(404);
      expect((await admin.request('GET', `${paths}/deliveries`)).status).toBe(404);
    }
  });

  test('are in the audit log without secrets, path and query', async () => {
    const { webhookPath, siteId } = await createSiteWithWebhook('http://127.0.0.1:9/T0KEN');
    await admin.request('PATCH', webhookPath, { active: false });
    await admin.request('POST', `${webhookPath}/rotate-secret`);
    await admin.request('DELETE', webhookPath);
    const entries = readRows<{ action: string }>(
      server.data,
      `select * from audit_entry where site_id = ${siteId} and action like 'webhook%' order by id`,
    );
    expect(entries.map(({ action }) => action)).toEqual([
      ...['webhook.created', 'webhook.changed', 'webhook.secret_rotated', 'webhook.deleted'],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/whsec_|T0KEN/);
    expect(server.log()).not.toMatch(/whsec_|T0KEN/);
  });

  test.each([
    [{}, { url: ['is required'] }],
    [{ url: 7 }, { url: ['must be a string'] }],
    [{ url: 'http://127.0.0.1:9/', event_types: [] }, { event_types: ['must have at least 1 item'] }],
    [
      { url: 'http://127.0.0.1:9/', event_types: ['audio.made'] },
      { 'event_types.0': ['must be audio.ready, audio.failed or audio.deleted'] },
    ],
  ])('are refused as %j', async (body, errors) => {
    const refused = await admin.request('POST', '/v1/sites/1/webhooks', body);
    expect(refused).toMatchObject({
      status: 422,
      ...{ message: 'Validation failed', errors },
    });
  });
});

describe('the URL of a webhook', () => {
  test.each([
    'https://127.0.0.2/',
    'https://2130706434/',
    'https://0x7f000002/',
    'https://0177.0.0.2/',
    'https://127.2/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.2]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:2]/',
    'https://[2002:7f00:2::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[ff02::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://224.0.0.1/',
    'https://0.0.0.0/',
    'https://255.255.255.255/',
    'http://93.184.216.34/',
    'http://nowhere.invalid/',
    'https://me:secret@93.184.216.34/',
    'ftp://93.184.216.34/',
    'nonsense',
  ])('may not be %s', async (url) => {
    const response = await admin.request('POST', '/v1/sites/1/webhooks', { url });
    expect(response.status).toBe(422);
    expect(response.errors).toEqual({ url: [expect.stringMatching(/^must /)] });
    expect((await admin.request('PATCH', anyWebhook, { url })).status).toBe(422);
  });

  test.each([
    'https://93.184.216.34/hook',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/',
    'https://nowhere.invalid/',
    'http://127.0.0.1:1234/',
    'http://2130706433/',
  ])('may be %s', async (url) => {
    const changed = await admin.request<Webhook>('PATCH', anyWebhook, { url, active: false });
    expect({ status: changed.status, url: changed.data.url }).toEqual({
      ...{ status: 200, url: new URL(url).href },
    });
  });
});

describe('the delivery log', () => {
  test('shows every attempt', async () => {
    const receiver = startReceiver(
      (_, before) => new Response(`<p>${before}</p>`, { status: before === 0 ? 502 : 200 }),
    );
    const { webhookPath, fail } = await createSiteWithWebhook(receiver.url);
    await fail('logged');
    const { items } = await waitForSettledLog(webhookPath, 1);
    expect(items[0]).toMatchObject({
      ...{ type: 'audio.failed', state: 'delivered', attempt_count: 2, next_attempt_at: null },
      message_id: receiver.received[0]?.headers['webhook-id'] ?? '',
      payload: JSON.parse(receiver.received[0]?.body ?? ''),
      attempts: [
        { number: 1, status_code: 502, error: 'status 502', response: '<p>0</p>' },
        { number: 2, status_code: 200, error: null, response: '<p>1</p>' },
      ],
    });
  });

  test('is listed in pages, newest first, and can be filtered by state', async () => {
    const receiver = startReceiver(({ body }) => {
      return new Response(null, { status: body.includes('bad') ? 400 : 200 });
    });
    const { webhookPath, fail } = await createSiteWithWebhook(receiver.url);
    for (const postId of ['good 1', 'bad 2', 'good 3']) {
      await fail(postId);
      await eventually(
        async () =>
          (await getLog(webhookPath)).items[0]?.payload !== undefined &&
          receiver.received.some(({ body }) => body.includes(postId)),
        `a message of ${postId}`,
      );
    }
    await waitForSettledLog(webhookPath, 3);
    const first = await getLog(webhookPath, '?limit=2');
    const second = await getLog(webhookPath, `?limit=2&cursor=${first.next_cursor}`);
    const posts = [...first.items, ...second.items].map(postOf);
    expect(posts).toEqual(['good 3', 'bad 2', 'good 1']);
    expect((await getLog(webhookPath, '?state=failed')).items.map(postOf)).toEqual(['bad 2']);
    const rejection = await admin.request('GET', `${webhookPath}/deliveries?state=lost`);
    expect(rejection.status).toBe(422);
  });

  test('allows resending a message under the same id', async () => {
    const receiver = startReceiver((_, before) => new Response(null, { status: before < 2 ? 500 : 200 }));
    const { webhookPath, fail, webhook } = await createSiteWithWebhook(receiver.url);
    await fail('replayed');
    const { items } = await waitForSettledLog(webhookPath, 1);
    expect(items[0]?.state).toBe('failed');
    const replay = `${webhookPath}/deliveries/${items[0]?.id}/replay`;
    const queued = await admin.request<Delivery>('POST', replay);
    expect(queued.status).toBe(202);
    expect(queued.data).toMatchObject({ state: 'pending', attempt_count: 2 });
    const after = await waitForSettledLog(webhookPath, 1);
    expect(after.items[0]).toMatchObject({ state: 'delivered', attempt_count: 3 });
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect((await admin.request('POST', replay.replace(/\d+\/replay/, '999999/replay'))).status).toBe(404);
    await admin.request('PATCH', webhookPath, { active: false });
    const off = await admin.request('POST', replay);
    expect([off.status, off.message]).toEqual([409, 'The webhook is disabled']);
    const last = receiver.received.at(-1);
    if (last === undefined) throw new Error('no message received');
    new Verifier(webhook.secret).verify(last.body, last.headers);
  });

  test('has the health of the webhook, and allows resending all undelivered messages', async () => {
    let isDown = true;
    const receiver = startReceiver(() => new Response(null, { status: isDown ? 503 : 200 }));
    const { webhookPath, webhook, fail, siteId } = await createSiteWithWebhook(receiver.url);
    const unused = { state: 'unused', since: null, undelivered: 0, last_status: null, last_error: null };
    const getHealth = async () => (await admin.request<Webhook>('GET', webhookPath)).data.health;
    expect([webhook.health, await getHealth()]).toEqual([unused, unused] as Webhook['health'][]);
    for (const postId of ['lost 1', 'lost 2']) await fail(postId);
    await waitForSettledLog(webhookPath, 2);
    await admin.request('POST', `${webhookPath}/test`);
    const attempts = (await getLog(webhookPath)).items.flatMap((delivery) => delivery.attempts.map(({ at }) => at));
    const failing = { undelivered: 2, since: attempts.toSorted()[0] ?? '', last_status: 503, last_error: 'status 503' };
    expect(await getHealth()).toEqual({ state: 'failing', ...failing });

    const off = await admin.request<Webhook>('PATCH', webhookPath, { active: false });
    expect(off.data.health).toEqual({ state: 'off', ...failing });
    expect((await admin.request('POST', `${webhookPath}/retry-all`)).status).toBe(409);
    await admin.request('PATCH', webhookPath, { active: true });
    isDown = false;
    const sentCount = receiver.received.length;
    const again = await admin.request('POST', `${webhookPath}/retry-all`);
    expect([again.status, again.data]).toEqual([202, { queued: 2 }]);
    await eventually(() => receiver.received.length === sentCount + 2, 'both messages');
    await waitForSettledLog(webhookPath, 3);
    expect(await getHealth()).toEqual({ state: 'ok', since: null, undelivered: 0, last_status: 200, last_error: null });
    const [entry] = readRows<{ after: string }>(
      server.data,
      `select after from audit_entry where site_id = ${siteId} and action = 'webhook.replayed'`,
    );
    expect(JSON.parse(entry?.after ?? '')).toEqual({ queued: 2 });
  });

  test('contains test messages, whose result is returned at once', async () => {
    const receiver = startReceiver((_, before) => new Response('hm', { status: before === 0 ? 200 : 500 }));
    const { webhookPath, webhook } = await createSiteWithWebhook(receiver.url, server);
    const good = await admin.request<Delivery>('POST', `${webhookPath}/test`);
    expect([good.status, good.message]).toEqual([200, 'Test delivered']);
    expect(good.data).toMatchObject({
      ...{ type: 'webhook.test', state: 'delivered', attempt_count: 1 },
      attempts: [{ number: 1, status_code: 200, error: null, response: 'hm' }],
    });
    const [got] = receiver.received;
    if (got === undefined) throw new Error('no message received');
    expect(new Verifier(webhook.secret).verify(got.body, got.headers)).toMatchObject({
      type: 'webhook.test',
    });
    const bad = await admin.request<Delivery>('POST', `${webhookPath}/test`);
    expect(bad.message).toBe('Test failed');
    expect(bad.data).toMatchObject({ state: 'failed', next_attempt_at: null });
    expect((await getLog(webhookPath)).items).toEqual([bad.data, good.data]);
    await receiver.stop();
    const refused = await admin.request<Delivery>('POST', `${webhookPath}/test`);
    expect(refused.data.attempts[0]).toMatchObject({
      ...{ status_code: null, error: 'the connection was refused (ECONNREFUSED)' },
    });
  });
});

describe('a rotated secret', () => {
  test('signs together with the previous one for a day', async () => {
    const receiver = startReceiver();
    const { webhookPath, webhook } = await createSiteWithWebhook(receiver.url, server);
    const rotated = await admin.request<WithSecret>('POST', `${webhookPath}/rotate-secret`);
    expect(rotated.status).toBe(201);
    const { secret, previous_secret_until } = rotated.data;
    expect(secret).not.toBe(webhook.secret);
    const hours = (Date.parse(previous_secret_until ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeWithin(23.9, 24.01);
    await admin.request('POST', `${webhookPath}/test`);
    const [got] = receiver.received;
    if (got === undefined) throw new Error('no message received');
    expect(got.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    new Verifier(secret).verify(got.body, got.headers);
    new Verifier(webhook.secret).verify(got.body, got.headers);
  });
});

describe('the webhook of a deleted site', () => {
  test('receives no more events', async () => {
    const receiver = startReceiver(() => new Response(null, { status: 500 }));
    const { siteId, fail } = await createSiteWithWebhook(receiver.url);
    await fail('last words');
    await eventually(() => receiver.received.length > 0, 'a first attempt');
    expect((await admin.request('DELETE', `/v1/sites/${siteId}?permanently=true`)).status).toBe(200);
    await eventually(() => {
      const rows = `select id from webhook_message where site_id = ${siteId}`;
      return readRows(server.data, rows).length === 0;
    }, 'purged');
    expect(receiver.received.length).toBeLessThan(3);
  });
});

describe('the metrics', () => {
  test('count delivered and failed messages', async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(/^lectern_webhook_deliveries_total\{outcome="delivered"\} [1-9]/m);
    expect(text).toMatch(/^lectern_webhook_deliveries_total\{outcome="failed"\} [1-9]/m);
    expect(text).toMatch(/^lectern_webhook_pending \d/m);
  });
});

describe('a disabled webhook', () => {
  test('receives no events', async () => {
    const receiver = startReceiver();
    const { webhookPath, fail } = await createSiteWithWebhook(receiver.url);
    await admin.request('PATCH', webhookPath, { active: false });
    await fail('unheard');
    await eventually(() => {
      const failed = readRows<{ status: string }>(
        server.data,
        `select status from audio join post on post.id = post_id where external_id = 'unheard'`,
      );
      return failed[0]?.status === 'failed';
    }, 'failed');
    await admin.request('PATCH', webhookPath, { active: true });
    await fail('heard');
    await waitForSettledLog(webhookPath, 1);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.post_id)).toEqual(['heard']);
  });

  test('receives only the subscribed types', async () => {
    const receiver = startReceiver();
    const { webhookPath, fail, key } = await createSiteWithWebhook(receiver.url);
    await admin.request('PATCH', webhookPath, { event_types: ['audio.deleted'] });
    await fail('deleted');
    const response = await eventually(async () => {
      const response = await server.request('/v1/audio/deleted', {
        ...{ method: 'DELETE', headers: { 'x-api-key': key } },
      });
      return response.status === 200 && response;
    }, 'deleted');
    expect(response.status).toBe(200);
    const { items } = await waitForSettledLog(webhookPath, 1);
    expect(items[0]?.payload).toMatchObject({
      type: 'audio.deleted',
      data: {
        ...{ post_id: 'deleted', language: 'en', status: 'deleted' },
        ...{ audio_url: null, duration_seconds: null, error: null },
      },
    });
  });
});

function postOf({ payload }: Delivery): unknown {
  return (payload as { data: { post_id: string } }).data.post_id;
}
