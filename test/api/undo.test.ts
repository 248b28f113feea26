import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioRecord } from '../../src/audio/schema.ts';
import type { UserRecord } from '../../src/auth/schema.ts';
import type { SiteDetail, SiteRecord } from '../../src/sites/schema.ts';
import type { Source } from '../../src/sources/schema.ts';
import type { FullVoice } from '../../src/voices/schema.ts';
import type { Webhook } from '../../src/webhooks/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { createSite, type Envelope, startTestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser, type SiteUsers } from '../fixtures/site-users.ts';
import { Database } from '../fixtures/sqlite.ts';
import { createUser, runWithPassword, sendLogin } from '../fixtures/users.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { startReceiver, stopReceivers } from '../fixtures/webhook-receiver.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const env = { LECTERN_WEBHOOK_ALLOW: '127.0.0.1/32', LECTERN_FEED_ALLOW: '127.0.0.1/32' };
let server = await startTestServer({ env });
let { admin } = createSiteUsers(server, server.siteId);
afterAll(async () => {
  await server.stop('SIGKILL');
  await stopReceivers();
});

/** Fails without a word being spoken, which takes no time. */
const unspeakable = '🙂'.repeat(60);

interface NewSite {
  readonly siteId: number;
  readonly key: string;
  readonly path: string;
  readonly users: SiteUsers;
}

async function withNewSite(): Promise<NewSite> {
  const { siteId, key } = await createSite(server.data);
  return { siteId, key, path: `/v1/sites/${siteId}`, users: createSiteUsers(server, siteId) };
}

async function send<T>(method: string, path: string, body?: object, expected = 200): Promise<T> {
  const { status, data, errors } = await admin.request<T>(method, path, body);
  expect([status, errors]).toEqual([expected, undefined]);
  return data;
}

async function restart(signal?: NodeJS.Signals): Promise<void> {
  await server.stop(signal);
  server = await startTestServer({ env, data: server.data, key: server.key });
  ({ admin } = createSiteUsers(server, server.siteId));
}

const dayMs = 86_400_000;

/** Makes deletions too old to be undone. @param statement with a parameter for the time */
function ageDeletions(statement: string, ageMs = 61_000): void {
  const database = new Database(join(server.data, 'lectern.db'));
  const { changes } = database.run(statement, [new Date(Date.now() - ageMs).toISOString()]);
  database.close();
  expect(changes).toBeGreaterThan(0);
}

test('a deleted webhook receives nothing; after Undo it receives the events since the deletion', async () => {
  const { key, path, users } = await withNewSite();
  const receiver = startReceiver();
  const url = `${receiver.url}/hook`;
  const webhook = await send<Webhook & { secret: string }>('POST', `${path}/webhooks`, { url }, 201);
  const itemPath = `${path}/webhooks/${webhook.id}`;
  const fail = async (post_id: string) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const body = JSON.stringify({ post_id, content: unspeakable });
    await server.request('/v1/audio/generate', { method: 'POST', headers, body });
    await eventually(async () => {
      const { audio } = await send<{ audio: { status: string }[] }>('GET', `${path}/posts/${post_id}`);
      return audio[0]?.status === 'failed';
    }, `${post_id} failed`);
  };
  await send('DELETE', itemPath);
  expect((await admin.request('GET', itemPath)).status).toBe(404);
  expect((await send<{ items: Webhook[] }>('GET', `${path}/webhooks`)).items).toEqual([]);
  await fail('meanwhile');
  const other = await send<Webhook>('POST', `${path}/webhooks`, { url: `${receiver.url}/other` }, 201);
  await fail('after');
  await eventually(() => receiver.received.length === 1, 'the other webhook has its message');
  expect(receiver.received.map(({ path: place }) => place)).toEqual(['/other']);

  expect(await collectStatuses(users, (user) => user.request('POST', `${itemPath}/restore`))).toEqual([
    401, 404, 403, 403, 200,
  ]);
  const paths = () => receiver.received.map(({ path: place }) => place).toSorted();
  await eventually(() => receiver.received.length === 3, 'all messages');
  expect(paths()).toEqual(['/hook', '/hook', '/other']);
  // The receiver has a message before its delivery is recorded.
  await eventually(async () => (await send<Webhook>('GET', itemPath)).health.state === 'ok', 'the deliveries');
  expect(await send<Webhook>('GET', itemPath)).toMatchObject({ url, active: true });
  const [{ secret } = { secret: '' }] = readRows<{ secret: string }>(
    server.data,
    `select secret from webhook_endpoint where id = ${webhook.id}`,
  );
  expect(secret).toBe(webhook.secret);
  expect(readLastEntry(server.data, 'webhook.restored')).toMatchObject({
    subject: `webhook ${webhook.id} at ${new URL(url).host}`,
  });
  expect((await admin.request('POST', `${itemPath}/restore`)).status).toBe(404);

  await send('DELETE', `${path}/webhooks/${other.id}`);
  ageDeletions(`update webhook_endpoint set deleted_at = ? where id = ${other.id}`);
  expect((await admin.request('POST', `${path}/webhooks/${other.id}/restore`)).status).toBe(404);
});

test('a deleted feed is not found; after Undo it still has its items', async () => {
  const { path, users } = await withNewSite();
  const item = `<item><guid>one</guid><title>One</title><description>${unspeakable}</description></item>`;
  const feed = startReceiver(() => new Response(`<rss version="2.0"><channel><title>F</title>${item}</channel></rss>`));
  const url = `${feed.url}/feed`;
  const { id } = await send<Source>('POST', `${path}/sources`, { url }, 201);
  const itemPath = `${path}/sources/${id}`;
  const fetched = await eventually(async () => {
    const source = await send<Source>('GET', itemPath);
    return source.items.posts + source.items.left_out === 1 && source;
  }, 'its item');
  await send('DELETE', itemPath);
  expect((await admin.request('GET', itemPath)).status).toBe(404);
  expect((await admin.request('POST', `${itemPath}/fetch`)).status).toBe(404);
  expect(await collectStatuses(users, (user) => user.request('POST', `${itemPath}/restore`))).toEqual([
    401, 404, 403, 200, 404,
  ]);
  expect(await send<Source>('GET', itemPath)).toEqual(fetched);

  // For 30 days.
  const listDeleted = async () => {
    const { items, deleted } = await send<{ items: Source[]; deleted: number }>('GET', `${path}/sources?state=deleted`);
    expect(deleted).toBe(items.length);
    return items;
  };
  const ageBy = (days: number, sourceId: number) =>
    ageDeletions(`update feed_source set deleted_at = ? where id = ${sourceId}`, days * dayMs);
  expect(await listDeleted()).toEqual([]);
  await send('DELETE', itemPath);
  ageBy(29, id);
  expect(await listDeleted()).toEqual([{ ...fetched, deleted_at: expect.any(String) }]);
  expect(await send<Source>('POST', `${itemPath}/restore`)).toEqual(fetched);

  // The same feed is added again.
  await send('DELETE', itemPath);
  const again = await send<Source>('POST', `${path}/sources`, { url }, 201);
  expect((await admin.request('POST', `${itemPath}/restore`)).status).toBe(404);
  expect((await send<{ items: Source[] }>('GET', `${path}/sources`)).items).toHaveLength(1);
  await send('DELETE', `${path}/sources/${again.id}`);
  ageBy(31, again.id);
  expect(await listDeleted()).toEqual([]);
  expect((await admin.request('POST', `${path}/sources/${again.id}/restore`)).status).toBe(404);
});

test('a deleted user cannot sign in; after Undo the user can, but earlier sessions stay ended', async () => {
  const { siteId, path } = await withNewSite();
  const user = await createUser(server.data, '--role', 'editor', '--site', `${siteId}`);
  const itemPath = `/v1/users/${user.id}`;
  const { data: session } = (await (await sendLogin(server, user.email)).json()) as Envelope<{ token: string }>;
  const withSession = async () =>
    (await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${session.token}` } })).status;
  const before = await send<UserRecord>('GET', itemPath);
  expect(await withSession()).toBe(200);
  await send('DELETE', itemPath);
  expect([await withSession(), (await sendLogin(server, user.email)).status]).toEqual([401, 401]);
  expect((await admin.request('PATCH', itemPath, { disabled: false })).status).toBe(404);
  expect((await admin.request('POST', `${itemPath}/reset-link`)).status).toBe(404);
  expect((await send<{ items: UserRecord[] }>('GET', '/v1/users?limit=100')).items.map(({ id }) => id)).not.toContain(
    user.id,
  );
  expect(
    await collectStatuses(createSiteUsers(server, siteId), (user) => user.request('POST', `${itemPath}/restore`)),
  ).toEqual([401, 403, 403, 403, 200]);
  expect(await send<UserRecord>('GET', itemPath)).toEqual(before);
  expect([await withSession(), (await sendLogin(server, user.email)).status]).toEqual([401, 200]);
  expect(readLastEntry(server.data, 'user.restored')).toMatchObject({ actor: expect.any(String), subject: user.email });

  // A disabled user stays disabled.
  await send('PATCH', itemPath, { disabled: true });
  await send('DELETE', itemPath);
  expect(await send<UserRecord>('POST', `${itemPath}/restore`)).toMatchObject({ disabled: true });

  // The address is given to another user.
  await send('DELETE', itemPath);
  const words = ['user', 'create', '--data', server.data, '--email', user.email];
  expect(await runWithPassword(words)).toMatchObject({ code: 0 });
  expect((await admin.request('POST', `${itemPath}/restore`)).status).toBe(404);
  expect((await admin.request('GET', path)).status).toBe(200);
});

test('a revoked key gets 401; its revocation can be undone for a minute', async () => {
  const { siteId, key, path, users } = await withNewSite();
  const status = () =>
    server.request('/v1/audio/none/status', { headers: { 'x-api-key': key } }).then((answer) => answer.status);
  const { items } = await send<{ items: { id: number }[] }>('GET', `${path}/keys`);
  const itemPath = `${path}/keys/${items[0]?.id}`;
  expect((await admin.request('POST', `${itemPath}/restore`)).status).toBe(404);
  await send('DELETE', itemPath);
  expect(await status()).toBe(401);
  const other = await withNewSite();
  expect((await admin.request('POST', `${other.path}/keys/${items[0]?.id}/restore`)).status).toBe(404);
  expect(await collectStatuses(users, (user) => user.request('POST', `${itemPath}/restore`))).toEqual([
    401, 404, 403, 200, 404,
  ]);
  expect(await status()).toBe(404);
  expect(readLastEntry(server.data, 'key.restored')).toMatchObject({ actor: users.editor.email, site_id: siteId });
  await send('DELETE', itemPath);
  ageDeletions(`update api_key set revoked_at = ? where site_id = ${siteId}`);
  expect((await admin.request('POST', `${itemPath}/restore`)).status).toBe(404);
  expect(await status()).toBe(401);
});

test('a removed domain is restored in its place, unless an admin removed it or another site has registered it', async () => {
  const { siteId, path, users } = await withNewSite();
  type Domains = { items: { domain: string }[] };
  const list = async () => (await send<Domains>('GET', `${path}/domains`)).items.map(({ domain }) => domain);
  const second = 'second.undo.example';
  await send('POST', `${path}/domains`, { domain: second }, 201);
  const [first = ''] = await list();
  const restore = (domain: string) => users.editor.request<Domains>('POST', `${path}/domains/${domain}/restore`);
  for (const domain of [first, second]) {
    await users.editor.request('DELETE', `${path}/domains/${domain}`);
    const { status, data } = await restore(domain);
    expect([status, data.items.map(({ domain: name }) => name)]).toEqual([200, [first, second]]);
  }
  expect((await restore('never.undo.example')).status).toBe(404);
  // What an admin takes away stays away.
  await send('DELETE', `${path}/domains/${second}`);
  expect((await restore(second)).status).toBe(404);
  await send('POST', `${path}/domains/${second}/restore`);
  await users.editor.request('DELETE', `${path}/domains/${second}`);
  const other = await withNewSite();
  await send('POST', `${other.path}/domains`, { domain: second }, 201);
  expect((await restore(second)).message).toBe('Domain already registered');
  await send('DELETE', `${other.path}/domains/${second}`);
  ageDeletions(`update audit_entry set at = ? where site_id = ${siteId} and action = 'domain.removed'`);
  expect((await restore(second)).status).toBe(404);
});

test('a deleted site is gone for everybody; after Undo, also of a killed server, all of it is back and its queue continues', async () => {
  const { siteId, key, path, users } = await withNewSite();
  const { name, slug, domains } = await send<SiteDetail>('GET', path);
  const [domain = ''] = domains;
  await send('PATCH', path, { feed: { enabled: true } });
  await send('POST', `${path}/sources`, { url: 'http://127.0.0.1:9/feed' }, 201);
  const withKey = (to: string, body?: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    return server.request(to, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  };
  const findAudio = async (post_id: string) => {
    const { audio } = await send<{ audio: AudioRecord[] }>('GET', `${path}/posts/${post_id}`);
    return audio[0];
  };
  const waitUntilReady = (post_id: string) =>
    eventually(async () => {
      const audio = await findAudio(post_id);
      return audio?.status === 'ready' && audio;
    }, `${post_id} is ready`);
  await withKey('/v1/audio/generate', { post_id: 'spoken', content: buildArticle('a site that comes back') });
  const mp3 = new URL((await waitUntilReady('spoken')).audio_url ?? '').pathname;
  await pauseQueue(admin, true);
  await withKey('/v1/audio/generate', { post_id: 'waiting', content: buildArticle('a post that waits') });
  await withKey('/v1/audio/generate', { post_id: 'unspeakable', content: unspeakable });
  const detail = await send<SiteDetail>('GET', path);
  const isListed = async (query: string) => {
    const { items } = await send<{ items: SiteDetail[] }>('GET', `/v1/sites?limit=100${query}`);
    return items.find(({ id }) => id === siteId);
  };
  const isKnown = async () => [
    (await fetch(`${server.url}${mp3}`)).status,
    (await admin.fetch(mp3)).status,
    (await withKey('/v1/audio/spoken/status')).status,
    (await fetch(`${server.url}/v1/public/audio?domain=${domain}&post_id=spoken`)).status,
    (await fetch(`${server.url}/v1/public/feed.xml?domain=${domain}`)).status,
    (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${users.viewer.token}` } })).status,
    (await admin.request('GET', `/v1/sites/${slug}/posts`)).status,
  ];
  expect(await isKnown()).toEqual([200, 200, 200, 200, 200, 200, 200]);

  await send('DELETE', path);
  const gone = [410, 410, 401, 404, 404, 404, 404];
  expect(await isKnown()).toEqual(gone);
  expect([await isListed(''), await isListed('&state=deleted')]).toMatchObject([
    undefined,
    { id: siteId, slug, domains, quota: detail.quota, deleted_at: expect.any(String), purge_at: expect.any(String) },
  ]);
  expect((await users.editor.request('GET', '/v1/sites?state=deleted')).status).toBe(403);
  expect(await send('GET', '/v1/queue')).toMatchObject({ waiting: 0, generating: 0 });
  await pauseQueue(admin, false);

  // Slug and domain are free meanwhile.
  const other = await send<SiteDetail>('POST', '/v1/sites', { name, domains }, 201);
  expect(other.slug).toBe(slug);
  const taken = await admin.request('POST', `${path}/restore`);
  expect([taken.status, taken.errors]).toEqual([409, { domain: [`${domain} belongs to another site`] }]);
  await send('DELETE', `/v1/sites/${other.id}?permanently=true`);

  await restart('SIGKILL');
  expect(await isKnown()).toEqual(gone);
  await pauseQueue(admin, true);
  const restore = (user: SiteUser) => user.request<SiteRecord>('POST', `${path}/restore`);
  expect(await collectStatuses(createSiteUsers(server, siteId), restore)).toEqual([401, 403, 403, 403, 200]);
  expect((await restore(admin)).status).toBe(404);
  expect(await isKnown()).toEqual([200, 200, 200, 200, 200, 200, 200]);
  expect(await send<SiteDetail>('GET', path)).toEqual({ ...detail, updated_at: expect.any(String) });
  expect((await send<{ items: Source[] }>('GET', `${path}/sources`)).items).toHaveLength(1);
  expect(readLastEntry(server.data, 'site.restored')).toMatchObject({ site_id: siteId, subject: slug });
  await pauseQueue(admin, false);
  await waitUntilReady('waiting');
  await eventually(
    async () => (await findAudio('unspeakable'))?.error_code === 'no_text',
    'it failed for its own reason',
  );
});

test('a post that is being received when its site is deleted is not queued', async () => {
  const { siteId, key, path } = await withNewSite();
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const text = JSON.stringify({ post_id: 'late', content: buildArticle('a post that is late') });
  const rest = Promise.withResolvers<string>();
  const body = new ReadableStream<string>({
    start: (controller) => controller.enqueue(text.slice(0, 20)),
    pull: async (controller) => {
      controller.enqueue(await rest.promise);
      controller.close();
    },
  }).pipeThrough(new TextEncoderStream());
  const response = server.request('/v1/audio/generate', { method: 'POST', headers, body });
  let ownCount = 0;
  await eventually(async () => {
    const status = await server.request('/v1/audio/none/status', { headers });
    ownCount += 1;
    const [limit, remaining] = ['limit', 'remaining'].map((name) => Number(status.headers.get(`x-ratelimit-${name}`)));
    return (limit ?? 0) - (remaining ?? 0) > ownCount;
  }, 'its key is checked');
  await send('DELETE', path);
  rest.resolve(text.slice(20));
  const late = await response;
  expect([late.status, ((await late.json()) as Envelope<unknown>).message]).toEqual([401, 'Site inactive']);
  expect(readRows(server.data, `select id from post where site_id = ${siteId}`)).toEqual([]);
});

test('a deleted site keeps the domains that no other site takes; it is purged when its time is over', async () => {
  const { siteId, path, users } = await withNewSite();
  const kept = 'kept.undo.example';
  await send('POST', `${path}/domains`, { domain: kept }, 201);
  const { name, domains } = await send<SiteDetail>('GET', path);
  await send('DELETE', path);
  const other = await send<SiteDetail>('POST', '/v1/sites', { name, domains: domains.slice(0, 1) }, 201);
  // A user whose sites change meanwhile stays a user of the site.
  await send('PATCH', `/v1/users/${users.editor.id}`, { sites: [{ site: String(other.id), role: 'viewer' }] });
  const restored = await send<SiteRecord>('POST', `${path}/restore`);
  expect(restored).toMatchObject({ domains: [kept], slug: `${other.slug}-2` });
  expect((await users.editor.request('GET', path)).status).toBe(200);

  await send('DELETE', path);
  ageDeletions(`update site set purge_at = ? where id = ${siteId}`);
  expect((await admin.request('POST', `${path}/restore`)).status).toBe(404);
  await restart();
  await eventually(
    () => readRows(server.data, `select id from site where id = ${siteId}`).length === 0,
    'it is purged',
  );
});

test('deleted rows are purged after a minute, feeds after 30 days', async () => {
  const { siteId, path } = await withNewSite();
  const { id } = await send<Source>('POST', `${path}/sources`, { url: 'http://127.0.0.1:9/feed' }, 201);
  const user = await createUser(server.data, '--role', 'editor', '--site', `${siteId}`);
  await send('DELETE', `${path}/sources/${id}`);
  await send('DELETE', `/v1/users/${user.id}`);
  await installVoice(server.data, 'pt_PT-past-low', createToneVoice({ sampleRateHz: 16_000, language: 'pt' }));
  const voice = await eventually(async () => {
    const { voices } = await send<{ voices: FullVoice[] }>('GET', '/v1/voices');
    return voices.find(({ name }) => name === 'Past');
  }, 'the voice is listed');
  await send('DELETE', `/v1/voices/${voice.id}`);
  const files = () => readdirSync(join(server.data, 'voices')).filter((name) => name.includes('past'));
  expect(files()).toHaveLength(2);
  const left = () => [
    ...readRows(server.data, `select 1 from feed_source where site_id = ${siteId}`),
    ...readRows(server.data, `select 1 from membership where user_id = ${user.id}`),
  ];
  expect(left()).toHaveLength(2);
  await server.stop();
  ageDeletions(`update feed_source set deleted_at = ? where id = ${id}`, 31 * dayMs);
  ageDeletions(`update user set deleted_at = ? where id = ${user.id}`);
  ageDeletions(`update voice set deleted_at = ? where id = ${voice.id}`);
  server = await startTestServer({ env, data: server.data, key: server.key });
  await eventually(() => left().length === 0 && files().length === 0, 'all rows and files are deleted');
});
