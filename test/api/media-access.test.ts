import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioRecord, PublicAudio } from '../../src/audio/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { createSite, type Envelope } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { startReceiver } from '../fixtures/webhook-receiver.ts';
import { buildArticle } from './articles.ts';

const kinds = ['mp3', 'json', 'vtt', 'transcript.json'];
const noStore = 'private, no-store';
/** Long enough that the MP3 is stored as a file. */
const content = buildArticle('the locked drawer', 8);
const receiver = startReceiver();
let site: PublicSite;
let users: SiteUsers;

beforeAll(async () => {
  site = await startPublicSite(['press.example'], { env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1/32' } });
  users = createSiteUsers(site, site.siteId);
});
afterAll(async () => {
  await site.stop('SIGKILL');
  await receiver.stop();
});

async function makePost(postId: string, more: Record<string, unknown> = {}): Promise<string> {
  await site.generate({ post_id: postId, content, ...more });
  return (await site.waitUntilFinished(postId)).audio_url ?? '';
}

const change = async (postId: string, changes: Record<string, unknown>) => {
  const reply = await users.editor.request('PATCH', `/v1/sites/1/posts/${postId}`, changes);
  expect(reply.status).toBe(200);
};

const getUrl = async (postId: string) => (await site.status(postId)).audio_url ?? '';
const replaceExtension = (url: string, kind: string) => url.replace(/mp3$/, kind);

async function collectStatusCodes(url: string, headers: Record<string, string> = {}): Promise<number[]> {
  const responses = await Promise.all(kinds.map((kind) => fetch(replaceExtension(url, kind), { headers })));
  return responses.map(({ status }) => status);
}

async function expectRefused(url: string, status: number, message: string): Promise<void> {
  for (const kind of kinds) {
    const response = await fetch(replaceExtension(url, kind));
    expect(response.status).toBe(status);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({ success: false, message });
  }
}

const found = kinds.map(() => 200);
const notFound = kinds.map(() => 404);

describe('media of a public post', () => {
  test('can be cached by anyone for five minutes, and has an ETag', async () => {
    const url = await makePost('open');
    for (const kind of kinds) {
      for (const headers of [{}, { 'x-api-key': site.key }]) {
        const response = await fetch(replaceExtension(url, kind), { headers });
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('public, max-age=300');
        const etag = response.headers.get('etag') ?? '';
        expect(etag).toMatch(/^"[^"]+"$/);
        const again = await fetch(replaceExtension(url, kind), { headers: { 'if-none-match': etag } });
        expect(again.status).toBe(304);
        expect(again.headers.get('cache-control')).toBe('public, max-age=300');
      }
    }
  });
});

describe('media of a post that stops being public', () => {
  const getTomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
  const hide = (name: string) => (name === 'private' ? { visibility: 'private' } : { publish_at: getTomorrow() });
  const show = { visibility: 'public', publish_at: null };

  test.each(['private', 'scheduled'])(
    'is not found at once, and has a new address when it is public again: %s',
    async (name) => {
      const old = await makePost(name);
      expect(await collectStatusCodes(old)).toEqual(found);
      expect(readdirSync(join(site.data, 'media'))).toContain(old.slice(old.lastIndexOf('/') + 1));
      await change(name, hide(name));
      await expectRefused(old, 404, 'Media not found');
      const hidden = await getUrl(name);
      expect(hidden).not.toBe(old);
      await expectRefused(hidden, 404, 'Media not found');
      expect(readdirSync(join(site.data, 'media'))).not.toContain(old.slice(old.lastIndexOf('/') + 1));

      await change(name, show);
      const currentUrl = await getUrl(name);
      expect(currentUrl).not.toBe(old);
      expect(await collectStatusCodes(currentUrl)).toEqual(found);
      expect(await collectStatusCodes(old)).toEqual(notFound);
    },
  );

  test('is also hidden by a repeated generate request, with its earlier version', async () => {
    const first = await makePost('repeated');
    await site.generate({ post_id: 'repeated', content: buildArticle('the second drawer', 2) });
    const second = (await site.waitUntilFinished('repeated')).audio_url ?? '';
    expect(await collectStatusCodes(first)).toEqual(found);
    await site.generate({ post_id: 'repeated', content: buildArticle('the second drawer', 2), visibility: 'private' });
    expect(await collectStatusCodes(first)).toEqual(notFound);
    expect(await collectStatusCodes(second)).toEqual(notFound);
  });

  test('keeps its URL while its visibility does not change', async () => {
    const url = await makePost('steady');
    await change('steady', { url: 'https://press.example/steady', publish_at: '2026-01-01T00:00:00Z' });
    expect(await getUrl('steady')).toBe(url);
    await change('steady', { visibility: 'private' });
    const hidden = await getUrl('steady');
    await change('steady', { publish_at: getTomorrow() });
    await change('steady', { visibility: 'public' });
    expect(await getUrl('steady')).toBe(hidden);
    expect(await collectStatusCodes(hidden)).toEqual(notFound);
  });

  test('becomes available at its publication time without another request', async () => {
    const publishAt = Date.now() + 3_000;
    const url = await makePost('soon', { publish_at: new Date(publishAt).toISOString() });
    const { status } = await fetch(url);
    // Not on a machine that needed longer to generate it.
    if (Date.now() < publishAt) expect(status).toBe(404);
    await eventually(async () => (await fetch(url)).status === 200, 'it is public');
    expect(Date.now()).toBeGreaterThanOrEqual(publishAt);
  });

  test('is removed from stream, embed page and feed under every URL', async () => {
    const old = await makePost('everywhere');
    const fetchFeed = async () => (await site.open('feed.xml?domain=press.example')).text();
    expect(await fetchFeed()).toContain(old);
    await change('everywhere', { visibility: 'private' });
    for (const path of ['audio/stream', 'embed', 'audio', 'audio/status']) {
      const response = await site.open(`${path}?domain=press.example&post_id=everywhere`, { redirect: 'manual' });
      expect(response.status).toBe(404);
    }
    const hidden = await getUrl('everywhere');
    expect(await fetchFeed()).not.toContain(old);
    expect(await fetchFeed()).not.toContain(hidden);
    await change('everywhere', show);
    expect(await fetchFeed()).toContain(await getUrl('everywhere'));
    const shown = await site.open('audio?domain=press.example&post_id=everywhere');
    expect(((await shown.json()) as Envelope<PublicAudio>).data.audio_url).toBe(await getUrl('everywhere'));
  });

  test('has its new URL in a webhook and in the response', async () => {
    const webhook = await users.admin.request('POST', '/v1/sites/1/webhooks', { url: receiver.url });
    expect(webhook.status).toBe(201);
    const old = await makePost('reported');
    const listWebhookRecords = () =>
      receiver.received.map(({ body }) => (JSON.parse(body) as { data: AudioRecord }).data);
    await eventually(() => listWebhookRecords().length === 1, 'the first message');
    const repeat = await site.generate({ post_id: 'reported', content, visibility: 'private' });
    const { audio_url } = ((await repeat.json()) as Envelope<AudioRecord>).data;
    expect(audio_url).not.toBe(old);
    expect(audio_url).toBe(await getUrl('reported'));
    await eventually(() => listWebhookRecords().length === 2, 'the second message');
    expect(listWebhookRecords()).toMatchObject([
      { post_id: 'reported', status: 'ready', audio_url: old },
      { post_id: 'reported', status: 'ready', audio_url },
    ]);
  });
});

describe('media of a private post', () => {
  test('is available to users and keys of its site only, and is not cached', async () => {
    const url = await makePost('secret', { visibility: 'private' });
    const other = await createSite(site.data);
    for (const kind of kinds) {
      const path = new URL(replaceExtension(url, kind)).pathname;
      const statuses = await collectStatuses(users, (user) => user.fetch(path));
      expect(statuses).toEqual([404, 404, 200, 200, 200]);
      const credentials: Record<string, string>[] = [
        { authorization: `Bearer ${users.viewer.token}` },
        { cookie: `lectern_session=${users.viewer.token}` },
        { 'x-api-key': site.key },
      ];
      for (const headers of credentials) {
        const response = await fetch(replaceExtension(url, kind), { headers });
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe(noStore);
        expect(response.headers.get('x-ratelimit-limit')).toBeNull();
      }
      for (const key of [other.key, `svc_live_${'x'.repeat(43)}`]) {
        expect((await fetch(replaceExtension(url, kind), { headers: { 'x-api-key': key } })).status).toBe(404);
      }
    }
    const part = await fetch(url, { headers: { 'x-api-key': site.key, range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('cache-control')).toBe(noStore);
  });
});

describe('media of a disabled or lapsed site', () => {
  test.each([
    ['Site inactive', ['--active', 'false'], ['--active', 'true']],
    ['Subscription inactive', ['--subscription', 'inactive'], ['--subscription', 'active']],
    [
      'Trial expired',
      ['--subscription', 'trialing', '--trial-ends', '2026-01-01T00:00:00Z'],
      ['--subscription', 'active'],
    ],
  ])('is refused with 402, and resumes under its address: %s', async (message, end, resume) => {
    const url = await makePost('billed');
    await site.runLectern('site', 'update', '1', ...end);
    await expectRefused(url, 402, message);
    expect(await collectStatusCodes(url, { 'x-api-key': site.key })).toEqual(kinds.map(() => 402));
    const ofViewer = await users.viewer.fetch(new URL(url).pathname);
    expect(ofViewer.status).toBe(200);
    expect(ofViewer.headers.get('cache-control')).toBe(noStore);
    await site.runLectern('site', 'update', '1', ...resume);
    expect(await getUrl('billed')).toBe(url);
    expect(await collectStatusCodes(url)).toEqual(found);
  });
});
