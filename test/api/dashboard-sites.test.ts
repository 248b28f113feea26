import { describe, expect, test } from 'bun:test';
import type { AudioRecord, PublicAudio } from '../../src/audio/schema.ts';
import { defaultPlayerSettings } from '../../src/sites/player-settings.ts';
import type { SiteDetail, SiteRecord } from '../../src/sites/schema.ts';
import { defaultFeedSettings } from '../../src/sites/settings.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { lastEntry } from '../fixtures/audit-log.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type Person, peopleOf, statusesFor } from '../fixtures/people.ts';
import { createSite, type Envelope, runCommand, startServerForFile } from '../fixtures/server.ts';
import { article, longArticle } from './articles.ts';
import { storedRows } from './stored-rows.ts';

const server = await startServerForFile({ voices: 'built-in' });
const people = peopleOf(server, server.siteId);
const site = `/v1/sites/${server.siteId}`;

/** Domains never come twice. */
let hosts = 0;
function freshHost(): string {
  hosts += 1;
  return `fresh-${hosts}.example`;
}

async function freshSite(): Promise<SiteRecord> {
  const body = { name: `Fresh ${hosts}`, domains: [freshHost()] };
  const { status, data } = await people.admin.request<SiteRecord>('POST', '/v1/sites', body);
  expect(status).toBe(201);
  return data;
}

describe('sites', () => {
  test('are listed in pages: those with a role for users, all for admins', async () => {
    const other = await freshSite();
    type Sites = { items: SiteRecord[]; next_cursor: string | null };
    const { data } = await people.viewer.request<Sites>('GET', '/v1/sites');
    expect(data.items.map(({ id }) => id)).toEqual([server.siteId]);
    expect((await people.foreigner.request<Sites>('GET', '/v1/sites')).data.items).toEqual([]);
    expect((await people.nobody.request('GET', '/v1/sites')).status).toBe(401);

    const all: number[] = [];
    let cursor = '';
    do {
      const page = await people.admin.request<Sites>('GET', `/v1/sites?limit=1${cursor}`);
      all.push(...page.data.items.map(({ id }) => id));
      const next = page.data.next_cursor;
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(all).toContain(server.siteId);
    expect(all).toContain(other.id);
    expect(all).toEqual([...new Set(all)].sort((one, two) => one - two));
    const wrong = await people.admin.request('GET', '/v1/sites?cursor=nonsense');
    expect([wrong.status, Object.keys(wrong.errors ?? {})]).toEqual([422, ['cursor']]);
  });

  test('are listed with the quota of the month', async () => {
    type Listed = SiteRecord & { quota: { posts_used: number; posts_limit: number | null } };
    const { id } = await freshSite();
    const post = { post_id: 'counted', content: article('a counted post') };
    expect((await people.admin.request('POST', `${site}/posts`, post)).status).toBe(202);
    const used = await people.admin.request<Listed>('GET', `/v1/sites/${server.siteId}`);
    const { data } = await people.admin.request<{ items: Listed[] }>('GET', '/v1/sites?limit=100');
    const quotaOf = (siteId: number) => data.items.find((site) => site.id === siteId)?.quota;
    expect(used.data.quota.posts_used).toBeGreaterThan(0);
    expect(quotaOf(server.siteId)).toEqual(used.data.quota);
    expect(quotaOf(id)).toMatchObject({ posts_used: 0 });
  });

  test('are created by admins only, with normalized domains', async () => {
    const host = freshHost();
    const body = { name: '  Küste heute ', domains: [`WWW.${host}:8080`, host], plan: 'growth' };
    const made = await people.admin.request<SiteRecord>('POST', '/v1/sites', body);
    expect([made.status, made.message]).toEqual([201, 'Site created']);
    expect(made.data).toMatchObject({ slug: 'kuste-heute', name: 'Küste heute', plan: 'growth' });
    expect(made.data.domains).toEqual([`www.${host}`, host]);
    expect(lastEntry(server.data, 'site.created')).toMatchObject({
      ...{ actor: people.admin.email, site_id: made.data.id, subject: 'kuste-heute' },
      after: { name: 'Küste heute', domains: [`www.${host}`, host] },
    });
    // The plan is as asked, else every feature is included.
    expect(made.data).toMatchObject({ plan: 'growth', subscription: 'active' });
    expect(await freshSite()).toMatchObject({ plan: 'enterprise', subscription: 'active', active: true });
    const again = () => ({ name: 'Another', domains: [freshHost()] });
    expect(await statusesFor(people, (user) => user.request('POST', '/v1/sites', again()))).toEqual([
      401, 403, 403, 403, 201,
    ]);
    const taken = await people.admin.request('POST', '/v1/sites', { name: 'Thief', domains: [host] });
    expect([taken.status, taken.message]).toEqual([409, 'Domain already registered']);
    expect(storedRows(server.data, `select id from site where name = 'Thief'`)).toEqual([]);
  });

  test.each([
    [{ domains: ['a.example'] }, 'name'],
    [{ name: ' ', domains: ['a.example'] }, 'name'],
    [{ name: 'A', domains: [] }, 'domains'],
    [{ name: 'A', domains: ['two words'] }, 'domain'],
    [{ name: 'A', domains: ['a.example'], plan: 'gold' }, 'plan'],
    [{ name: 'A', domains: ['a.example'], trial_ends_at: 'soon' }, 'trial_ends_at'],
  ])('are not added from %j', async (body, field) => {
    const { status, message, errors } = await people.admin.request('POST', '/v1/sites', body);
    expect([status, message]).toEqual([422, 'Validation failed']);
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });
});

describe('a site', () => {
  test('is found by id and by slug, with its quota', async () => {
    const { data } = await people.viewer.request<SiteDetail>('GET', site);
    expect(data).toMatchObject({ id: server.siteId, role: 'viewer', plan: 'enterprise' });
    expect(data.quota).toEqual({
      month: new Date().toISOString().slice(0, 7),
      posts_used: expect.any(Number),
      posts_limit: null,
    });
    const bySlug = await people.editor.request<SiteDetail>('GET', `/v1/sites/${data.slug}`);
    expect(bySlug.data).toEqual({ ...data, role: 'editor' });
    expect((await people.admin.request<SiteDetail>('GET', site)).data.role).toBe('admin');
    expect(await statusesFor(people, (user) => user.request('GET', site))).toEqual([401, 404, 200, 200, 200]);
    expect((await people.admin.request('GET', '/v1/sites/nobody')).status).toBe(404);
  });

  test('can be updated by editors, its plan and subscription by admins only', async () => {
    const change = { name: 'Harbor', bit_rate_kbps: 96, timings_text: false, allow_switch: true };
    const changed = await people.editor.request<SiteRecord>('PATCH', site, change);
    expect([changed.status, changed.message]).toEqual([200, 'Site updated']);
    expect(changed.data).toMatchObject(change);
    expect(lastEntry(server.data, 'site.updated')).toMatchObject({
      ...{ actor: people.editor.email, site_id: server.siteId },
      before: { name: 'Test Site', bit_rate_kbps: 64, timings_text: true, allow_switch: false },
      after: change,
    });
    const rights = (body: unknown) => statusesFor(people, (user) => user.request('PATCH', site, body));
    expect(await rights({ name: 'Test Site' })).toEqual([401, 404, 403, 200, 200]);
    for (const body of [
      { plan: 'enterprise' },
      { subscription: 'active' },
      { trial_ends_at: null },
      { active: true },
    ]) {
      expect(await rights(body)).toEqual([401, 404, 403, 403, 200]);
    }
    const refused = await people.editor.request('PATCH', site, { name: 'No', plan: 'starter' });
    expect(refused.errors).toEqual({ plan: ['requires the admin role'] });
    expect((await people.viewer.request<SiteDetail>('GET', site)).data.name).toBe('Test Site');
  });

  test.each([
    { bit_rate_kbps: 63 },
    { bit_rate_kbps: 320 },
    { default_voice_id: 99 },
    { extra_voices: [1, 99] },
    { extra_voices: [1, 1] },
    { name: '' },
    { allow_switch: 'yes' },
    { trial_ends_at: '2026-02-30' },
  ])('is not changed by %j', async (body) => {
    const { status, errors } = await people.admin.request('PATCH', site, body);
    expect(status).toBe(422);
    expect(Object.keys(errors ?? {})).toEqual(Object.keys(body));
  });

  test('rejects requests as soon as it is disabled', async () => {
    const { siteId, key } = await createSite(server.data);
    const status = () =>
      server.request('/v1/audio/none/status', { headers: { 'x-api-key': key } }).then((answer) => answer.status);
    expect(await status()).toBe(404);
    await people.admin.request('PATCH', `/v1/sites/${siteId}`, { active: false });
    expect(await status()).toBe(401);
    await people.admin.request('PATCH', `/v1/sites/${siteId}`, { active: true, plan: 'growth' });
    expect(await status()).toBe(403);
    await people.admin.request('PATCH', `/v1/sites/${siteId}`, { plan: 'enterprise' });
    expect(await status()).toBe(404);
  });

  test('is deleted with all its data, and its clients get errors at once', async () => {
    const { siteId, key } = await createSite(server.data);
    const own = peopleOf(server, siteId);
    const path = `/v1/sites/${siteId}`;
    const asSite = (to: string, init: RequestInit = {}) =>
      server.request(to, { ...init, headers: { ...init.headers, 'x-api-key': key } });
    const hand = (post_id: string, content: string) =>
      asSite('/v1/audio/generate', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ post_id, content }),
      });
    await hand('spoken', article('a site that will go'));
    const { audio_url } = await eventually(async () => {
      const { data } = (await (await asSite('/v1/audio/spoken/status')).json()) as Envelope<AudioRecord>;
      return data.status === 'ready' && data;
    }, 'the post is ready');
    await hand('under-way', longArticle('a site that will go'));
    const { data: detail } = await people.admin.request<SiteDetail>('GET', path);
    const [domain = ''] = detail.domains;

    expect((await own.editor.request('DELETE', path)).status).toBe(403);
    expect((await own.nobody.request('DELETE', path)).status).toBe(401);
    const gone = await own.admin.request('DELETE', path);
    expect([gone.status, gone.data]).toEqual([200, { id: siteId, slug: detail.slug }]);

    expect((await fetch(audio_url ?? '')).status).toBe(410);
    expect((await asSite('/v1/audio/spoken/status')).status).toBe(401);
    expect((await fetch(`${server.url}/v1/public/voices?domain=${domain}`)).status).toBe(404);
    expect((await own.admin.request('GET', path)).status).toBe(404);
    expect((await own.editor.request('GET', `/v1/sites/${detail.slug}`)).status).toBe(404);
    expect(lastEntry(server.data, 'site.deleted')).toMatchObject({
      ...{ actor: own.admin.email, site_id: siteId, before: { domains: [domain] } },
    });
    // Its host is free from now on, and its slug.
    const next = await own.admin.request<SiteRecord>('POST', '/v1/sites', {
      ...{ name: detail.name, domains: [domain] },
    });
    expect(next.status).toBe(201);

    await eventually(() => {
      const rows = storedRows(server.data, `select id from site where id = ${siteId}`);
      return rows.length === 0;
    }, 'the site is gone');
    for (const table of ['post', 'segment', 'post_quota', 'site_domain', 'api_key', 'membership']) {
      expect(storedRows(server.data, `select * from ${table} where site_id = ${siteId}`)).toEqual([]);
    }
    expect(storedRows(server.data, 'select * from audio where post_id not in (select id from post)')).toEqual([]);
    expect((await fetch(audio_url ?? '')).status).toBe(410);
  });
});

describe('domains of a site', () => {
  type Domains = {
    items: { domain: string; primary: boolean }[];
    pending: { domain: string; requested_by: string; requested_at: string }[];
  };
  const isServed = async (domain: string) =>
    (await fetch(`${server.url}/v1/public/voices?domain=${domain}`)).status === 200;

  test('are added by admins; editors can make one primary and remove others', async () => {
    const { id, domains } = await freshSite();
    const [first = ''] = domains;
    const own = peopleOf(server, id);
    const path = `/v1/sites/${id}/domains`;
    const second = freshHost();
    const added = await own.admin.request<Domains>('POST', path, {
      domain: `${second.toUpperCase()}.:443`,
    });
    expect([added.status, added.message]).toEqual([201, 'Domain added']);
    expect(added.data.items).toEqual([
      { domain: first, primary: true },
      { domain: second, primary: false },
    ]);
    expect(lastEntry(server.data, 'domain.added')).toMatchObject({
      ...{ actor: own.admin.email, site_id: id, subject: second },
      ...{ before: { domains: [first] }, after: { domains: [first, second] } },
    });
    expect((await own.editor.request('POST', path, { domain: second })).status).toBe(200);
    expect((await fetch(`${server.url}/v1/public/voices?domain=${second}`)).status).toBe(200);

    const primary = await own.editor.request<Domains>('PATCH', `${path}/${second}`, { primary: true });
    expect(primary.data.items.map(({ domain }) => domain)).toEqual([second, first]);
    const removed = await own.editor.request<Domains>('DELETE', `${path}/${second}`);
    expect(removed.data.items).toEqual([{ domain: first, primary: true }]);
    expect((await fetch(`${server.url}/v1/public/voices?domain=${second}`)).status).toBe(404);
    const last = await own.editor.request('DELETE', `${path}/${first}`);
    expect([last.status, last.message]).toEqual([409, 'A site needs at least one domain. Add another domain first.']);
    expect((await own.editor.request('DELETE', `${path}/${second}`)).status).toBe(404);
    expect((await own.editor.request('PATCH', `${path}/${second}`, { primary: true })).status).toBe(404);
  });

  test('can be read by viewers and changed by editors', async () => {
    const path = `${site}/domains`;
    const add = () => ({ domain: freshHost() });
    expect(await statusesFor(people, (user) => user.request('GET', path))).toEqual([401, 404, 200, 200, 200]);
    expect(await statusesFor(people, (user) => user.request('POST', path, add()))).toEqual([401, 404, 403, 202, 201]);
    const host = freshHost();
    await people.admin.request('POST', path, { domain: host });
    const makePrimary = { primary: true };
    expect(await statusesFor(people, (user) => user.request('PATCH', `${path}/${host}`, makePrimary))).toEqual([
      401, 404, 403, 200, 200,
    ]);
    expect(await statusesFor(people, (user) => user.request('DELETE', `${path}/${host}`))).toEqual([
      401, 404, 403, 200, 404,
    ]);
  });

  test('belong to one site and must be host names', async () => {
    const { domains } = await freshSite();
    const taken = await people.editor.request('POST', `${site}/domains`, { domain: domains[0] });
    expect([taken.status, taken.message]).toEqual([409, 'Domain already registered']);
    for (const domain of ['two words', 'http://a.example', '', '*.example']) {
      const { status } = await people.editor.request('POST', `${site}/domains`, { domain });
      expect([domain, status]).toEqual([domain, 422]);
    }
  });

  test('requested by editors have no effect until an admin approves them', async () => {
    const [one, other] = [await freshSite(), await freshSite()];
    const own = peopleOf(server, one.id);
    const path = `/v1/sites/${one.id}/domains`;
    const [wanted, contested] = [freshHost(), freshHost()];
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const claim = (domain: string) => ({ domain, requested_by: own.editor.email, requested_at: at });
    for (const pending of [[claim(wanted)], [claim(wanted), claim(contested)]]) {
      const domain = pending.at(-1)?.domain;
      // A repeated request changes nothing.
      for (const _ of [1, 2]) {
        const { status, message, data } = await own.editor.request<Domains>('POST', path, { domain, primary: true });
        expect([status, message]).toEqual([202, 'Domain awaits approval']);
        expect(data).toEqual({ items: [{ domain: one.domains[0] ?? '', primary: true }], pending });
      }
    }
    expect(lastEntry(server.data, 'domain.requested')).toMatchObject({
      ...{ actor: own.editor.email, site_id: one.id, subject: contested },
    });
    expect((await own.viewer.request<Domains>('GET', path)).data.pending).toHaveLength(2);
    expect(await isServed(wanted)).toBe(false);
    const asPage = { headers: { origin: `https://${wanted}` } };
    const borrowed = await fetch(`${server.url}/v1/public/voices?domain=${one.domains[0]}`, asPage);
    expect(borrowed.status).toBe(403);
    const system = await own.admin.request<{ domain_requests: object[] }>('GET', '/v1/system');
    expect(system.data.domain_requests).toContainEqual({ site: one.slug, count: 2 });

    // Another site registers one of them meanwhile.
    const registered = await own.admin.request('POST', `/v1/sites/${other.id}/domains`, { domain: contested });
    expect(registered.status).toBe(201);
    const late = await own.admin.request('POST', `${path}/${contested}/approve`);
    expect([late.status, late.message]).toEqual([409, 'Domain already registered']);

    const approve = (person: Person) => person.request<Domains>('POST', `${path}/${wanted}/approve`);
    expect(await statusesFor(own, approve)).toEqual([401, 404, 403, 403, 200]);
    expect(await isServed(wanted)).toBe(true);
    expect(lastEntry(server.data, 'domain.approved')).toMatchObject({
      ...{ actor: own.admin.email, site_id: one.id, subject: wanted },
      before: { domains: one.domains, requested_by: own.editor.email },
      after: { domains: [...one.domains, wanted] },
    });
    const reject = (person: Person) => person.request<Domains>('POST', `${path}/${contested}/reject`);
    expect(await statusesFor(own, reject)).toEqual([401, 404, 403, 403, 200]);
    expect(lastEntry(server.data, 'domain.rejected')).toMatchObject({
      ...{ actor: own.admin.email, site_id: one.id, subject: contested },
      before: { domains: [...one.domains, wanted], requested_by: own.editor.email },
    });
    expect((await approve(own.admin)).status).toBe(404);
    expect((await reject(own.admin)).status).toBe(404);
    expect((await own.admin.request<Domains>('GET', path)).data.pending).toEqual([]);
    expect((await own.editor.request('POST', path, { domain: wanted })).status).toBe(200);
  });

  test('can be requested by editors, who can withdraw their requests', async () => {
    const { id, domains } = await freshSite();
    const own = peopleOf(server, id);
    const [path, wanted] = [`/v1/sites/${id}/domains`, freshHost()];
    await own.editor.request('POST', path, { domain: wanted });
    const withdraw = (person: Person) => person.request<Domains>('DELETE', `${path}/${wanted}`);
    // Only an admin may decide on the request of somebody else, and says so by rejecting it.
    expect((await withdraw(own.admin)).status).toBe(404);
    expect(await statusesFor({ ...own, admin: own.editor }, withdraw)).toEqual([401, 404, 403, 200, 404]);
    expect((await own.editor.request<Domains>('GET', path)).data).toEqual({
      items: [{ domain: domains[0] ?? '', primary: true }],
      pending: [],
    });
    expect(lastEntry(server.data, 'domain.withdrawn')).toMatchObject({ actor: own.editor.email, subject: wanted });
  });

  test('requested by editors can be approved and rejected on the command line', async () => {
    const { id, slug, domains } = await freshSite();
    const own = peopleOf(server, id);
    const [wanted, refused] = [freshHost(), freshHost()];
    for (const domain of [wanted, refused]) await own.editor.request('POST', `/v1/sites/${id}/domains`, { domain });
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runCommand(['site', 'domain', ...words, '--data', server.data, '--json']);
      return code === 0 ? JSON.parse(stdout) : stderr.trimEnd();
    };
    expect(await run('requests', slug)).toMatchObject(
      [wanted, refused].map((domain) => ({ domain, requested_by: own.editor.email })),
    );
    expect(await run('approve', slug, wanted)).toMatchObject({ domains: [...domains, wanted] });
    expect(await isServed(wanted)).toBe(true);
    expect(await run('reject', slug, refused)).toMatchObject({ domains: [...domains, wanted] });
    expect(lastEntry(server.data, 'domain.rejected')).toMatchObject({ actor: 'command line', subject: refused });
    expect(await run('requests', slug)).toEqual([]);
    expect(await run('approve', slug, refused)).toBe(`lectern: No request for ${refused} found on this site`);
  });

  test('added by an admin are removed from the requests', async () => {
    const { id } = await freshSite();
    const own = peopleOf(server, id);
    const domain = freshHost();
    await own.editor.request('POST', `/v1/sites/${id}/domains`, { domain });
    const added = await own.admin.request<Domains>('POST', `/v1/sites/${id}/domains`, { domain, primary: true });
    expect(added.status).toBe(201);
    expect(added.data.items[0]).toEqual({ domain, primary: true });
    expect(added.data.pending).toEqual([]);
  });

  const ownedByNobody = ['com', 'CO.UK', 'github.io', 'foo.ck', '127.0.0.1', '127.1', '[::1]', '2130706433'];

  test.each(ownedByNobody)(
    'cannot be %s, a public suffix or an IP address, unless an admin forces it',
    async (domain) => {
      const { id } = await freshSite();
      const own = peopleOf(server, id);
      const path = `/v1/sites/${id}/domains`;
      for (const person of [own.editor, own.admin]) {
        const { status, errors } = await person.request('POST', path, { domain });
        expect(status).toBe(422);
        expect(errors?.['domain']?.[0]).toMatch(
          /is (a public suffix|an IP address).*An admin can add it with "force" in the API or --force on the command line\./,
        );
      }
      const byEditor = await own.editor.request('POST', path, { domain, force: true });
      expect([byEditor.status, byEditor.errors]).toEqual([403, { force: ['requires the admin role'] }]);
      const created = { name: 'Forced', domains: [domain] };
      expect((await own.admin.request('POST', '/v1/sites', created)).status).toBe(422);
      const site = await own.admin.request<SiteRecord>('POST', '/v1/sites', { ...created, force: true });
      expect(site.status).toBe(201);
      expect((await own.admin.request('DELETE', `/v1/sites/${site.data.id}`)).status).toBe(200);
      expect((await own.admin.request('POST', path, { domain, force: true })).status).toBe(201);
      expect((await own.admin.request('POST', path, { domain })).status).toBe(200);
      await own.admin.request('DELETE', `${path}/${encodeURIComponent(domain)}`);
    },
  );

  test.each(['localhost', 'intranet', 'cms.corp', 'blog.github.io', 'a.co.uk', 'printer_1.local'])(
    'may be %s',
    async (domain) => {
      const { id } = await freshSite();
      const own = peopleOf(server, id);
      const path = `/v1/sites/${id}/domains`;
      expect((await own.editor.request('POST', path, { domain })).status).toBe(202);
      expect((await own.admin.request('POST', path, { domain })).status).toBe(201);
      await own.admin.request('DELETE', `${path}/${domain}`);
    },
  );
});

describe('voices of a site', () => {
  test('can be read by viewers and set by editors', async () => {
    const path = `${site}/voices`;
    const set = { default_voice_id: 2, default_voices: [5, 6], allow_switch: true, extra_voices: [1] };
    const { status, data } = await people.editor.request<Record<string, unknown>>('PATCH', path, set);
    expect(status).toBe(200);
    expect(data).toMatchObject(set);
    expect(lastEntry(server.data, 'site.updated')).toMatchObject({
      after: { default_voice_id: 2, default_voices: [5, 6], extra_voices: [1] },
    });
    const shown = await people.viewer.request<typeof data>('GET', path);
    expect(shown.data).toEqual(data);
    expect(data['voices']).toEqual([
      expect.objectContaining({ id: 1, type: 'neural', language: 'en' }),
      expect.objectContaining({ id: 2, language: 'en' }),
      expect.objectContaining({ id: 3, language: 'fr' }),
      expect.objectContaining({ id: 4, language: 'es' }),
      expect.objectContaining({ id: 5, language: 'es' }),
      expect.objectContaining({ id: 6, language: 'de' }),
    ]);
    const cleared = await people.editor.request('PATCH', path, { default_voice_id: null });
    expect(cleared.data).toMatchObject({ default_voice_id: null, extra_voices: [1] });
    expect(await statusesFor(people, (user) => user.request('GET', path))).toEqual([401, 404, 200, 200, 200]);
    expect(await statusesFor(people, (user) => user.request('PATCH', path, {}))).toEqual([401, 404, 403, 200, 200]);
    const unknown = await people.editor.request('PATCH', path, { extra_voices: [77] });
    expect([unknown.status, unknown.errors]).toEqual([422, { extra_voices: ['voice 77 not found'] }]);
    const twice = await people.editor.request('PATCH', path, { default_voices: [4, 5] });
    expect([twice.status, twice.errors]).toEqual([
      422,
      { default_voices: ['must contain at most one voice per language'] },
    ]);
  });
});

test('editors can change single narration settings', async () => {
  const { status, data } = await people.editor.request<{ reading: object }>('PATCH', site, {
    reading: { leave_out: ['.promo'], speak_title: false },
  });
  expect(status).toBe(200);
  expect(data.reading).toEqual({
    ...defaultNarrationSettings,
    leave_out: ['.promo'],
    speak_title: false,
  });
  expect(lastEntry(server.data, 'site.updated')).toMatchObject({
    after: { reading: data.reading },
  });
  const wrong = await people.editor.request('PATCH', site, { reading: { tables: 'columns' } });
  expect([wrong.status, wrong.errors]).toEqual([422, { 'reading.tables': ['must be rows or none'] }]);
  const unusable = await people.editor.request('PATCH', site, {
    reading: { leave_out: ['.promo', 'p:nth-child(2)'], keep: ['b['] },
  });
  expect([unusable.status, unusable.errors]).toEqual([
    422,
    {
      'reading.leave_out.1': ['"p:nth-child(2)" is not supported: ":nth-child(2)" cannot be evaluated on a start tag'],
      'reading.keep.0': [expect.stringContaining('"b[" is not supported')],
    },
  ]);
});

test('editors can change single feed settings', async () => {
  const { status, data } = await people.editor.request<{ feed: object }>('PATCH', site, {
    feed: { author: 'The Desk', category: 'News > Politics' },
  });
  expect(status).toBe(200);
  expect(data.feed).toEqual({
    ...defaultFeedSettings,
    author: 'The Desk',
    category: 'News > Politics',
  });
  expect(lastEntry(server.data, 'site.updated')).toMatchObject({ after: { feed: data.feed } });
  const category = await people.editor.request('PATCH', site, { feed: { category: 'Gossip' } });
  expect([category.status, category.errors]).toEqual([
    422,
    { 'feed.category': [expect.stringContaining('must be Arts, ')] },
  ]);
  const unusable = await people.editor.request('PATCH', site, {
    feed: { image_url: 'javascript:alert(1)', link: 'https://a:b@host.example', email: 'nobody' },
  });
  expect([unusable.status, unusable.errors]).toEqual([
    422,
    {
      'feed.image_url': ['must be an http(s) URL'],
      'feed.link': ['must be an http(s) URL'],
      'feed.email': ['must be an e-mail address'],
    },
  ]);
  expect((await people.viewer.request('PATCH', site, { feed: { enabled: false } })).status).toBe(403);
});

test('editors can change single player settings, which players receive', async () => {
  const changes = { layout: 'large', accent: '#8C1d2c', ground: '#f3f1ec', corners: 0, mini: true };
  const { status, data } = await people.editor.request<SiteRecord>('PATCH', site, { player: changes });
  expect(status).toBe(200);
  const expected = { ...defaultPlayerSettings, ...changes };
  expect<object>(data.player).toEqual(expected);
  expect(lastEntry(server.data, 'site.updated')).toMatchObject({ after: { player: expected } });
  const { data: again } = await people.editor.request<SiteRecord>('PATCH', site, { player: { accent: null } });
  expect<object>(again.player).toEqual({ ...expected, accent: null });

  await server.generate({ post_id: 'heard', content: article('a heard post') });
  const told = await fetch(`${server.url}/v1/public/audio?domain=${again.domains[0]}&post_id=heard`);
  expect<object>(((await told.json()) as Envelope<PublicAudio>).data.player).toEqual({ ...expected, accent: null });

  const wrong = { layout: 'huge', accent: 'red;}', ground: 'url(x)', corners: 25, theme: 'sepia' };
  const refused = await people.editor.request('PATCH', site, { player: wrong });
  expect([refused.status, Object.keys(refused.errors ?? {}).sort()]).toEqual([
    422,
    ['player.accent', 'player.corners', 'player.ground', 'player.layout', 'player.theme'],
  ]);
  expect((await people.viewer.request('PATCH', site, { player: changes })).status).toBe(403);
});
