import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioRecord, PublicAudio } from '../../src/audio/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type People, peopleOf, statusesFor } from '../fixtures/people.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { createSite, type Envelope } from '../fixtures/server.ts';
import { startReceiver } from '../fixtures/webhook-receiver.ts';
import { article } from './articles.ts';

const kinds = ['mp3', 'json', 'vtt', 'transcript.json'];
const noStore = 'private, no-store';
/** Long enough that the MP3 is stored as a file. */
const content = article('the locked drawer', 40);
const receiver = startReceiver();
let site: PublicSite;
let people: People;

beforeAll(async () => {
  site = await startPublicSite(['press.example'], { env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1/32' } });
  people = peopleOf(site, site.siteId);
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
  const reply = await people.editor.request('PATCH', `/v1/sites/1/posts/${postId}`, changes);
  expect(reply.status).toBe(200);
};

const currentUrl = async (postId: string) => (await site.status(postId)).audio_url ?? '';
const ofKind = (url: string, kind: string) => url.replace(/mp3$/, kind);

async function statusesOf(url: string, headers: Record<string, string> = {}): Promise<number[]> {
  const answers = await Promise.all(kinds.map((kind) => fetch(ofKind(url, kind), { headers })));
  return answers.map(({ status }) => status);
}

async function expectRefused(url: string, status: number, message: string): Promise<void> {
  for (const kind of kinds) {
    const answer = await fetch(ofKind(url, kind));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toEqual({ success: false, message });
  }
}

const found = kinds.map(() => 200);
const notFound = kinds.map(() => 404);

describe('media of a public post', () => {
  test('can be cached by anyone for five minutes, and has an ETag', async () => {
    const url = await makePost('open');
    for (const kind of kinds) {
      for (const headers of [{}, { 'x-api-key': site.key }]) {
        const answer = await fetch(ofKind(url, kind), { headers });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
        const etag = answer.headers.get('etag') ?? '';
        expect(etag).toMatch(/^"[^"]+"$/);
        const again = await fetch(ofKind(url, kind), { headers: { 'if-none-match': etag } });
        expect(again.status).toBe(304);
        expect(again.headers.get('cache-control')).toBe('public, max-age=300');
      }
    }
  });
});

describe('media of a post that stops being public', () => {
  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
  const hide = (name: string) => (name === 'private' ? { visibility: 'private' } : { publish_at: tomorrow() });
  const show = { visibility: 'public', publish_at: null };

  test.each(['private', 'scheduled'])(
    'is not found at once, and has a new address when it is public again: %s',
    async (name) => {
      const old = await makePost(name);
      expect(await statusesOf(old)).toEqual(found);
      expect(readdirSync(join(site.data, 'media'))).toContain(old.slice(old.lastIndexOf('/') + 1));
      await change(name, hide(name));
      await expectRefused(old, 404, 'Media not found');
      const hidden = await currentUrl(name);
      expect(hidden).not.toBe(old);
      await expectRefused(hidden, 404, 'Media not found');
      expect(readdirSync(join(site.data, 'media'))).not.toContain(old.slice(old.lastIndexOf('/') + 1));

      await change(name, show);
      const shown = await currentUrl(name);
      expect(shown).not.toBe(old);
      expect(await statusesOf(shown)).toEqual(found);
      expect(await statusesOf(old)).toEqual(notFound);
    },
  );

  test('is also hidden by a repeated generate request, with its earlier version', async () => {
    const first = await makePost('repeated');
    await site.generate({ post_id: 'repeated', content: article('the second drawer', 2) });
    const second = (await site.waitUntilFinished('repeated')).audio_url ?? '';
    expect(await statusesOf(first)).toEqual(found);
    await site.generate({ post_id: 'repeated', content: article('the second drawer', 2), visibility: 'private' });
    expect(await statusesOf(first)).toEqual(notFound);
    expect(await statusesOf(second)).toEqual(notFound);
  });

  test('keeps its URL while its visibility does not change', async () => {
    const url = await makePost('steady');
    await change('steady', { url: 'https://press.example/steady', publish_at: '2026-01-01T00:00:00Z' });
    expect(await currentUrl('steady')).toBe(url);
    await change('steady', { visibility: 'private' });
    const hidden = await currentUrl('steady');
    await change('steady', { publish_at: tomorrow() });
    await change('steady', { visibility: 'public' });
    expect(await currentUrl('steady')).toBe(hidden);
    expect(await statusesOf(hidden)).toEqual(notFound);
  });

  test('becomes available at its publication time without another request', async () => {
    const publishAt = Date.now() + 3_000;
    const url = await makePost('soon', { publish_at: new Date(publishAt).toISOString() });
    if (Date.now() < publishAt) expect((await fetch(url)).status).toBe(404);
    await eventually(async () => (await fetch(url)).status === 200, 'it is public');
    expect(Date.now()).toBeGreaterThanOrEqual(publishAt);
  });

  test('is removed from stream, embed page and feed under every URL', async () => {
    const old = await makePost('everywhere');
    const feed = async () => (await site.open('feed.xml?domain=press.example')).text();
    expect(await feed()).toContain(old);
    await change('everywhere', { visibility: 'private' });
    for (const path of ['audio/stream', 'embed', 'audio', 'audio/status']) {
      const answer = await site.open(`${path}?domain=press.example&post_id=everywhere`, { redirect: 'manual' });
      expect(answer.status).toBe(404);
    }
    const hidden = await currentUrl('everywhere');
    expect(await feed()).not.toContain(old);
    expect(await feed()).not.toContain(hidden);
    await change('everywhere', show);
    expect(await feed()).toContain(await currentUrl('everywhere'));
    const shown = await site.open('audio?domain=press.example&post_id=everywhere');
    expect(((await shown.json()) as Envelope<PublicAudio>).data.audio_url).toBe(await currentUrl('everywhere'));
  });

  test('has its new URL in a webhook and in the response', async () => {
    const webhook = await people.admin.request('POST', '/v1/sites/1/webhooks', { url: receiver.url });
    expect(webhook.status).toBe(201);
    const old = await makePost('reported');
    const urls = () => receiver.received.map(({ body }) => (JSON.parse(body) as { data: AudioRecord }).data);
    await eventually(() => urls().length === 1, 'the first message');
    const repeat = await site.generate({ post_id: 'reported', content, visibility: 'private' });
    const { audio_url } = ((await repeat.json()) as Envelope<AudioRecord>).data;
    expect(audio_url).not.toBe(old);
    expect(audio_url).toBe(await currentUrl('reported'));
    await eventually(() => urls().length === 2, 'the second message');
    expect(urls()).toMatchObject([
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
      const path = new URL(ofKind(url, kind)).pathname;
      const statuses = await statusesFor(people, (person) => person.fetch(path));
      expect(statuses).toEqual([404, 404, 200, 200, 200]);
      const credentials: Record<string, string>[] = [
        { authorization: `Bearer ${people.viewer.token}` },
        { cookie: `lectern_session=${people.viewer.token}` },
        { 'x-api-key': site.key },
      ];
      for (const headers of credentials) {
        const answer = await fetch(ofKind(url, kind), { headers });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('cache-control')).toBe(noStore);
        expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
      }
      for (const key of [other.key, `svc_live_${'x'.repeat(43)}`]) {
        expect((await fetch(ofKind(url, kind), { headers: { 'x-api-key': key } })).status).toBe(404);
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
    await site.command('site', 'update', '1', ...end);
    await expectRefused(url, 402, message);
    expect(await statusesOf(url, { 'x-api-key': site.key })).toEqual(kinds.map(() => 402));
    const own = await people.viewer.fetch(new URL(url).pathname);
    expect(own.status).toBe(200);
    expect(own.headers.get('cache-control')).toBe(noStore);
    await site.command('site', 'update', '1', ...resume);
    expect(await currentUrl('billed')).toBe(url);
    expect(await statusesOf(url)).toEqual(found);
  });
});
