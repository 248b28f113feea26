import { describe, expect, test } from 'bun:test';
import type { PublicAudio } from '../../src/audio/schema.ts';
import { defaultPlayerSettings } from '../../src/sites/player-settings.ts';
import type { SiteDetail, SiteRecord } from '../../src/sites/schema.ts';
import { defaultFeedSettings } from '../../src/sites/settings.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import { holdWorkersDuring } from '../fixtures/held-workers.ts';
import { createSite, type Envelope, runCommand, startServerForFile, withNewSite } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser } from '../fixtures/site-users.ts';
import { buildArticle, buildLongArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const server = await startServerForFile({ voices: 'built-in' });
const users = createSiteUsers(server, server.siteId);
const site = `/v1/sites/${server.siteId}`;

/** Domains are unique. */
let hosts = 0;
function createHost(): string {
  hosts += 1;
  return `fresh-${hosts}.example`;
}

async function createTestSite(): Promise<SiteRecord> {
  const body = { name: `Fresh ${hosts}`, domains: [createHost()] };
  const { status, data } = await users.admin.request<SiteRecord>('POST', '/v1/sites', body);
  expect(status).toBe(201);
  return data;
}

describe('sites', () => {
  test('are listed in pages: those with a role for users, all for admins', async () => {
    const other = await createTestSite();
    type Sites = { items: SiteRecord[]; next_cursor: string | null };
    const { data } = await users.viewer.request<Sites>('GET', '/v1/sites');
    expect(data.items.map(({ id }) => id)).toEqual([server.siteId]);
    expect((await users.outsider.request<Sites>('GET', '/v1/sites')).data.items).toEqual([]);
    expect((await users.anonymous.request('GET', '/v1/sites')).status).toBe(401);

    const all: number[] = [];
    let cursor = '';
    do {
      const page = await users.admin.request<Sites>('GET', `/v1/sites?limit=1${cursor}`);
      all.push(...page.data.items.map(({ id }) => id));
      const next = page.data.next_cursor;
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(all).toContain(server.siteId);
    expect(all).toContain(other.id);
    expect(all).toEqual([...new Set(all)].sort((left, right) => left - right));
    const rejection = await users.admin.request('GET', '/v1/sites?cursor=nonsense');
    expect([rejection.status, Object.keys(rejection.errors ?? {})]).toEqual([422, ['cursor']]);
  });

  test('are listed with the quota of the month', async () => {
    type Listed = SiteRecord & { quota: { posts_total: number; posts_used: number; posts_limit: number | null } };
    const { id } = await createTestSite();
    const post = { post_id: 'counted', content: buildArticle('a counted post') };
    expect((await users.admin.request('POST', `${site}/posts`, post)).status).toBe(202);
    const used = await users.admin.request<Listed>('GET', `/v1/sites/${server.siteId}`);
    const { data } = await users.admin.request<{ items: Listed[] }>('GET', '/v1/sites?limit=100');
    const getQuota = (siteId: number) => data.items.find((site) => site.id === siteId)?.quota;
    expect(used.data.quota.posts_used).toBeGreaterThan(0);
    expect(getQuota(server.siteId)).toEqual(used.data.quota);
    const german = { post_id: 'free', language: 'de', content: buildArticle('einem deutschen Text') };
    expect((await users.admin.request('POST', `/v1/sites/${id}/posts`, german)).status).toBe(202);
    const after = await users.admin.request<Listed>('GET', `/v1/sites/${id}`);
    expect([getQuota(id), after.data.quota]).toMatchObject([
      { posts_total: 0, posts_used: 0 },
      { posts_total: 1, posts_used: 0 },
    ]);
  });

  test('are created by admins only, with normalized domains', async () => {
    const host = createHost();
    const body = { name: '  Küste heute ', domains: [`WWW.${host}:8080`, host], plan: 'growth' };
    const response = await users.admin.request<SiteRecord>('POST', '/v1/sites', body);
    expect([response.status, response.message]).toEqual([201, 'Site created']);
    expect(response.data).toMatchObject({ slug: 'kuste-heute', name: 'Küste heute', plan: 'growth' });
    expect(response.data.domains).toEqual([`www.${host}`, host]);
    expect(readLastEntry(server.data, 'site.created')).toMatchObject({
      ...{ actor: users.admin.email, site_id: response.data.id, subject: 'kuste-heute' },
      after: { name: 'Küste heute', domains: [`www.${host}`, host] },
    });
    // The requested plan, by default the one with every feature.
    expect(response.data).toMatchObject({ plan: 'growth', subscription: 'active' });
    expect(await createTestSite()).toMatchObject({ plan: 'enterprise', subscription: 'active', active: true });
    const buildBody = () => ({ name: 'Another', domains: [createHost()] });
    expect(await collectStatuses(users, (user) => user.request('POST', '/v1/sites', buildBody()))).toEqual([
      401, 403, 403, 403, 201,
    ]);
    const rejection = await users.admin.request('POST', '/v1/sites', { name: 'Thief', domains: [host] });
    expect([rejection.status, rejection.message]).toEqual([409, 'Domain already registered']);
    expect(readRows(server.data, `select id from site where name = 'Thief'`)).toEqual([]);
  });

  test.each([
    [{ domains: ['a.example'] }, 'name'],
    [{ name: ' ', domains: ['a.example'] }, 'name'],
    [{ name: 'A', domains: [] }, 'domains'],
    [{ name: 'A', domains: ['two words'] }, 'domain'],
    [{ name: 'A', domains: ['a.example'], plan: 'gold' }, 'plan'],
    [{ name: 'A', domains: ['a.example'], trial_ends_at: 'soon' }, 'trial_ends_at'],
  ])('are not added from %j', async (body, field) => {
    const { status, message, errors } = await users.admin.request('POST', '/v1/sites', body);
    expect([status, message]).toEqual([422, 'Validation failed']);
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });
});

describe('a site', () => {
  test('is found by id and by slug, with its quota', async () => {
    await passMidnight();
    const { data } = await users.viewer.request<SiteDetail>('GET', site);
    expect(data).toMatchObject({ id: server.siteId, role: 'viewer', plan: 'enterprise' });
    expect(data.quota).toEqual({
      posts_total: expect.any(Number),
      month: new Date().toISOString().slice(0, 7),
      posts_used: expect.any(Number),
      posts_limit: null,
    });
    const bySlug = await users.editor.request<SiteDetail>('GET', `/v1/sites/${data.slug}`);
    expect(bySlug.data).toEqual({ ...data, role: 'editor' });
    expect((await users.admin.request<SiteDetail>('GET', site)).data.role).toBe('admin');
    expect(await collectStatuses(users, (user) => user.request('GET', site))).toEqual([401, 404, 200, 200, 200]);
    expect((await users.admin.request('GET', '/v1/sites/nobody')).status).toBe(404);
  });

  test('can be updated by editors, its plan and subscription by admins only', async () => {
    const change = { name: 'Harbor', bit_rate_kbps: 96, timings_text: false, allow_switch: true };
    const changed = await users.editor.request<SiteRecord>('PATCH', site, change);
    expect([changed.status, changed.message]).toEqual([200, 'Site updated']);
    expect(changed.data).toMatchObject(change);
    expect(readLastEntry(server.data, 'site.updated')).toMatchObject({
      ...{ actor: users.editor.email, site_id: server.siteId },
      before: { name: 'Test Site', bit_rate_kbps: 64, timings_text: true, allow_switch: false },
      after: change,
    });
    const checkAccess = (body: unknown) => collectStatuses(users, (user) => user.request('PATCH', site, body));
    expect(await checkAccess({ name: 'Test Site' })).toEqual([401, 404, 403, 200, 200]);
    for (const body of [
      { plan: 'enterprise' },
      { subscription: 'active' },
      { trial_ends_at: null },
      { active: true },
    ]) {
      expect(await checkAccess(body)).toEqual([401, 404, 403, 403, 200]);
    }
    const refused = await users.editor.request('PATCH', site, { name: 'No', plan: 'starter' });
    expect(refused.errors).toEqual({ plan: ['requires the admin role'] });
    expect((await users.viewer.request<SiteDetail>('GET', site)).data.name).toBe('Test Site');
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
    const { status, errors } = await users.admin.request('PATCH', site, body);
    expect(status).toBe(422);
    expect(Object.keys(errors ?? {})).toEqual(Object.keys(body));
  });

  test('rejects requests as soon as it is disabled', async () => {
    const { siteId, key } = await createSite(server.data);
    const getStatusCode = () =>
      server.request('/v1/audio/none/status', { headers: { 'x-api-key': key } }).then((response) => response.status);
    expect(await getStatusCode()).toBe(404);
    await users.admin.request('PATCH', `/v1/sites/${siteId}`, { active: false });
    expect(await getStatusCode()).toBe(401);
    await users.admin.request('PATCH', `/v1/sites/${siteId}`, { active: true, plan: 'growth' });
    expect(await getStatusCode()).toBe(403);
    await users.admin.request('PATCH', `/v1/sites/${siteId}`, { plan: 'enterprise' });
    expect(await getStatusCode()).toBe(404);
  });

  test('is deleted permanently with all its data, and its clients get errors at once', async () => {
    const closing = await withNewSite(server);
    const { siteId } = closing;
    const siteUsers = createSiteUsers(server, siteId);
    const path = `/v1/sites/${siteId}`;
    await closing.generate({ post_id: 'spoken', content: buildArticle('a site that will go') });
    const { audio_url } = await closing.waitUntilFinished('spoken');
    await closing.generate({ post_id: 'under-way', content: buildLongArticle('a post that will not be ready') });
    const release = await holdWorkersDuring(closing, 'under-way');
    const { data: detail } = await users.admin.request<SiteDetail>('GET', path);
    const [domain = ''] = detail.domains;

    const permanently = `${path}?permanently=true`;
    expect((await siteUsers.editor.request('DELETE', permanently)).status).toBe(403);
    expect((await siteUsers.anonymous.request('DELETE', permanently)).status).toBe(401);
    const gone = await siteUsers.admin.request('DELETE', permanently);
    expect([gone.status, gone.data]).toEqual([200, { id: siteId, slug: detail.slug }]);
    release();

    expect((await fetch(audio_url ?? '')).status).toBe(410);
    expect((await closing.request('/v1/audio/spoken/status')).status).toBe(401);
    expect((await fetch(`${server.url}/v1/public/voices?domain=${domain}`)).status).toBe(404);
    expect((await siteUsers.admin.request('GET', path)).status).toBe(404);
    expect((await siteUsers.editor.request('GET', `/v1/sites/${detail.slug}`)).status).toBe(404);
    expect((await siteUsers.admin.request('POST', `${path}/restore`)).status).toBe(404);
    expect(readLastEntry(server.data, 'site.purged')).toMatchObject({
      ...{ actor: siteUsers.admin.email, site_id: siteId, before: { domains: [domain] } },
    });
    // Its host and slug are available again.
    const next = await siteUsers.admin.request<SiteRecord>('POST', '/v1/sites', {
      ...{ name: detail.name, domains: [domain] },
    });
    expect(next.status).toBe(201);

    await eventually(() => {
      const rows = readRows(server.data, `select id from site where id = ${siteId}`);
      return rows.length === 0;
    }, 'the site is gone');
    for (const table of ['post', 'segment', 'post_quota', 'site_domain', 'api_key', 'membership']) {
      expect(readRows(server.data, `select * from ${table} where site_id = ${siteId}`)).toEqual([]);
    }
    expect(readRows(server.data, 'select * from audio where post_id not in (select id from post)')).toEqual([]);
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
    const { id, domains } = await createTestSite();
    const [first = ''] = domains;
    const siteUsers = createSiteUsers(server, id);
    const path = `/v1/sites/${id}/domains`;
    const second = createHost();
    const added = await siteUsers.admin.request<Domains>('POST', path, {
      domain: `${second.toUpperCase()}.:443`,
    });
    expect([added.status, added.message]).toEqual([201, 'Domain added']);
    expect(added.data.items).toEqual([
      { domain: first, primary: true },
      { domain: second, primary: false },
    ]);
    expect(readLastEntry(server.data, 'domain.added')).toMatchObject({
      ...{ actor: siteUsers.admin.email, site_id: id, subject: second },
      ...{ before: { domains: [first] }, after: { domains: [first, second] } },
    });
    expect((await siteUsers.editor.request('POST', path, { domain: second })).status).toBe(200);
    expect((await fetch(`${server.url}/v1/public/voices?domain=${second}`)).status).toBe(200);

    const primary = await siteUsers.editor.request<Domains>('PATCH', `${path}/${second}`, { primary: true });
    expect(primary.data.items.map(({ domain }) => domain)).toEqual([second, first]);
    const removed = await siteUsers.editor.request<Domains>('DELETE', `${path}/${second}`);
    expect(removed.data.items).toEqual([{ domain: first, primary: true }]);
    expect((await fetch(`${server.url}/v1/public/voices?domain=${second}`)).status).toBe(404);
    const last = await siteUsers.editor.request('DELETE', `${path}/${first}`);
    expect([last.status, last.message]).toEqual([409, 'A site needs at least one domain. Add another domain first.']);
    expect((await siteUsers.editor.request('DELETE', `${path}/${second}`)).status).toBe(404);
    expect((await siteUsers.editor.request('PATCH', `${path}/${second}`, { primary: true })).status).toBe(404);
  });

  test('can be read by viewers and changed by editors', async () => {
    const path = `${site}/domains`;
    const add = () => ({ domain: createHost() });
    expect(await collectStatuses(users, (user) => user.request('GET', path))).toEqual([401, 404, 200, 200, 200]);
    expect(await collectStatuses(users, (user) => user.request('POST', path, add()))).toEqual([
      401, 404, 403, 202, 201,
    ]);
    const host = createHost();
    await users.admin.request('POST', path, { domain: host });
    const makePrimary = { primary: true };
    expect(await collectStatuses(users, (user) => user.request('PATCH', `${path}/${host}`, makePrimary))).toEqual([
      401, 404, 403, 200, 200,
    ]);
    expect(await collectStatuses(users, (user) => user.request('DELETE', `${path}/${host}`))).toEqual([
      401, 404, 403, 200, 404,
    ]);
  });

  test('belong to one site and must be host names', async () => {
    const { domains } = await createTestSite();
    const rejection = await users.editor.request('POST', `${site}/domains`, { domain: domains[0] });
    expect([rejection.status, rejection.message]).toEqual([409, 'Domain already registered']);
    for (const domain of ['two words', 'http://a.example', '', '*.example']) {
      const { status } = await users.editor.request('POST', `${site}/domains`, { domain });
      expect([domain, status]).toEqual([domain, 422]);
    }
  });

  test('requested by editors have no effect until an admin approves them', async () => {
    const [site, other] = [await createTestSite(), await createTestSite()];
    const siteUsers = createSiteUsers(server, site.id);
    const path = `/v1/sites/${site.id}/domains`;
    const [wanted, contested] = [createHost(), createHost()];
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const claim = (domain: string) => ({ domain, requested_by: siteUsers.editor.email, requested_at: at });
    for (const pending of [[claim(wanted)], [claim(wanted), claim(contested)]]) {
      const domain = pending.at(-1)?.domain;
      // A repeated request changes nothing.
      for (const _ of [1, 2]) {
        const { status, message, data } = await siteUsers.editor.request<Domains>('POST', path, {
          domain,
          primary: true,
        });
        expect([status, message]).toEqual([202, 'Domain awaits approval']);
        expect(data).toEqual({ items: [{ domain: site.domains[0] ?? '', primary: true }], pending });
      }
    }
    expect(readLastEntry(server.data, 'domain.requested')).toMatchObject({
      ...{ actor: siteUsers.editor.email, site_id: site.id, subject: contested },
    });
    expect((await siteUsers.viewer.request<Domains>('GET', path)).data.pending).toHaveLength(2);
    expect(await isServed(wanted)).toBe(false);
    const asPage = { headers: { origin: `https://${wanted}` } };
    const borrowed = await fetch(`${server.url}/v1/public/voices?domain=${site.domains[0]}`, asPage);
    expect(borrowed.status).toBe(403);
    const system = await siteUsers.admin.request<{ domain_requests: object[] }>('GET', '/v1/system');
    expect(system.data.domain_requests).toContainEqual({ site: site.slug, count: 2 });

    // Another site registers one of them meanwhile.
    const registered = await siteUsers.admin.request('POST', `/v1/sites/${other.id}/domains`, { domain: contested });
    expect(registered.status).toBe(201);
    const late = await siteUsers.admin.request('POST', `${path}/${contested}/approve`);
    expect([late.status, late.message]).toEqual([409, 'Domain already registered']);

    const approve = (user: SiteUser) => user.request<Domains>('POST', `${path}/${wanted}/approve`);
    expect(await collectStatuses(siteUsers, approve)).toEqual([401, 404, 403, 403, 200]);
    expect(await isServed(wanted)).toBe(true);
    expect(readLastEntry(server.data, 'domain.approved')).toMatchObject({
      ...{ actor: siteUsers.admin.email, site_id: site.id, subject: wanted },
      before: { domains: site.domains, requested_by: siteUsers.editor.email },
      after: { domains: [...site.domains, wanted] },
    });
    const reject = (user: SiteUser) => user.request<Domains>('POST', `${path}/${contested}/reject`);
    expect(await collectStatuses(siteUsers, reject)).toEqual([401, 404, 403, 403, 200]);
    expect(readLastEntry(server.data, 'domain.rejected')).toMatchObject({
      ...{ actor: siteUsers.admin.email, site_id: site.id, subject: contested },
      before: { domains: [...site.domains, wanted], requested_by: siteUsers.editor.email },
    });
    expect((await approve(siteUsers.admin)).status).toBe(404);
    expect((await reject(siteUsers.admin)).status).toBe(404);
    expect((await siteUsers.admin.request<Domains>('GET', path)).data.pending).toEqual([]);
    expect((await siteUsers.editor.request('POST', path, { domain: wanted })).status).toBe(200);
  });

  test('can be requested by editors, who can withdraw their requests', async () => {
    const { id, domains } = await createTestSite();
    const siteUsers = createSiteUsers(server, id);
    const [path, wanted] = [`/v1/sites/${id}/domains`, createHost()];
    await siteUsers.editor.request('POST', path, { domain: wanted });
    const withdraw = (user: SiteUser) => user.request<Domains>('DELETE', `${path}/${wanted}`);
    // Only an admin can reject the request of another user.
    expect((await withdraw(siteUsers.admin)).status).toBe(404);
    expect(await collectStatuses({ ...siteUsers, admin: siteUsers.editor }, withdraw)).toEqual([
      401, 404, 403, 200, 404,
    ]);
    expect((await siteUsers.editor.request<Domains>('GET', path)).data).toEqual({
      items: [{ domain: domains[0] ?? '', primary: true }],
      pending: [],
    });
    expect(readLastEntry(server.data, 'domain.withdrawn')).toMatchObject({
      actor: siteUsers.editor.email,
      subject: wanted,
    });
  });

  test('requested by editors can be approved and rejected on the command line', async () => {
    const { id, slug, domains } = await createTestSite();
    const siteUsers = createSiteUsers(server, id);
    const [wanted, refused] = [createHost(), createHost()];
    for (const domain of [wanted, refused])
      await siteUsers.editor.request('POST', `/v1/sites/${id}/domains`, { domain });
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runCommand(['site', 'domain', ...words, '--data', server.data, '--json']);
      return code === 0 ? JSON.parse(stdout) : stderr.trimEnd();
    };
    expect(await run('requests', slug)).toMatchObject(
      [wanted, refused].map((domain) => ({ domain, requested_by: siteUsers.editor.email })),
    );
    expect(await run('approve', slug, wanted)).toMatchObject({ domains: [...domains, wanted] });
    expect(await isServed(wanted)).toBe(true);
    expect(await run('reject', slug, refused)).toMatchObject({ domains: [...domains, wanted] });
    expect(readLastEntry(server.data, 'domain.rejected')).toMatchObject({ actor: 'command line', subject: refused });
    expect(await run('requests', slug)).toEqual([]);
    expect(await run('approve', slug, refused)).toBe(`lectern: No request for ${refused} found on this site`);
  });

  test('added by an admin are removed from the requests', async () => {
    const { id } = await createTestSite();
    const siteUsers = createSiteUsers(server, id);
    const domain = createHost();
    await siteUsers.editor.request('POST', `/v1/sites/${id}/domains`, { domain });
    const added = await siteUsers.admin.request<Domains>('POST', `/v1/sites/${id}/domains`, { domain, primary: true });
    expect(added.status).toBe(201);
    expect(added.data.items[0]).toEqual({ domain, primary: true });
    expect(added.data.pending).toEqual([]);
  });

  const ownedByNobody = ['com', 'CO.UK', 'github.io', 'foo.ck', '127.0.0.1', '127.1', '[::1]', '2130706433'];

  test.each(ownedByNobody)(
    'cannot be %s, a public suffix or an IP address, unless an admin forces it',
    async (domain) => {
      const { id } = await createTestSite();
      const siteUsers = createSiteUsers(server, id);
      const path = `/v1/sites/${id}/domains`;
      for (const user of [siteUsers.editor, siteUsers.admin]) {
        const { status, errors } = await user.request('POST', path, { domain });
        expect(status).toBe(422);
        expect(errors?.['domain']?.[0]).toMatch(
          /is (a public suffix|an IP address).*An admin can add it with "force" in the API or --force on the command line\./,
        );
      }
      const byEditor = await siteUsers.editor.request('POST', path, { domain, force: true });
      expect([byEditor.status, byEditor.errors]).toEqual([403, { force: ['requires the admin role'] }]);
      const created = { name: 'Forced', domains: [domain] };
      expect((await siteUsers.admin.request('POST', '/v1/sites', created)).status).toBe(422);
      const site = await siteUsers.admin.request<SiteRecord>('POST', '/v1/sites', { ...created, force: true });
      expect(site.status).toBe(201);
      expect((await siteUsers.admin.request('DELETE', `/v1/sites/${site.data.id}`)).status).toBe(200);
      expect((await siteUsers.admin.request('POST', path, { domain, force: true })).status).toBe(201);
      expect((await siteUsers.admin.request('POST', path, { domain })).status).toBe(200);
      await siteUsers.admin.request('DELETE', `${path}/${encodeURIComponent(domain)}`);
    },
  );

  test.each(['localhost', 'intranet', 'cms.corp', 'blog.github.io', 'a.co.uk', 'printer_1.local'])(
    'may be %s',
    async (domain) => {
      const { id } = await createTestSite();
      const siteUsers = createSiteUsers(server, id);
      const path = `/v1/sites/${id}/domains`;
      expect((await siteUsers.editor.request('POST', path, { domain })).status).toBe(202);
      expect((await siteUsers.admin.request('POST', path, { domain })).status).toBe(201);
      await siteUsers.admin.request('DELETE', `${path}/${domain}`);
    },
  );
});

describe('voices of a site', () => {
  test('can be read by viewers and set by editors', async () => {
    const path = `${site}/voices`;
    const set = { default_voice_id: 2, default_voices: [5, 6], allow_switch: true, extra_voices: [1] };
    const { status, data } = await users.editor.request<Record<string, unknown>>('PATCH', path, set);
    expect(status).toBe(200);
    expect(data).toMatchObject(set);
    expect(readLastEntry(server.data, 'site.updated')).toMatchObject({
      after: { default_voice_id: 2, default_voices: [5, 6], extra_voices: [1] },
    });
    const response = await users.viewer.request<typeof data>('GET', path);
    expect(response.data).toEqual(data);
    expect(data['voices']).toEqual([
      expect.objectContaining({ id: 1, type: 'neural', language: 'en' }),
      expect.objectContaining({ id: 2, language: 'en' }),
      expect.objectContaining({ id: 3, language: 'fr' }),
      expect.objectContaining({ id: 4, language: 'es' }),
      expect.objectContaining({ id: 5, language: 'es' }),
      expect.objectContaining({ id: 6, language: 'de' }),
    ]);
    const cleared = await users.editor.request('PATCH', path, { default_voice_id: null });
    expect(cleared.data).toMatchObject({ default_voice_id: null, extra_voices: [1] });
    expect(await collectStatuses(users, (user) => user.request('GET', path))).toEqual([401, 404, 200, 200, 200]);
    expect(await collectStatuses(users, (user) => user.request('PATCH', path, {}))).toEqual([401, 404, 403, 200, 200]);
    const unknown = await users.editor.request('PATCH', path, { extra_voices: [77] });
    expect([unknown.status, unknown.errors]).toEqual([422, { extra_voices: ['voice 77 not found'] }]);
    const twice = await users.editor.request('PATCH', path, { default_voices: [4, 5] });
    expect([twice.status, twice.errors]).toEqual([
      422,
      { default_voices: ['must contain at most one voice per language'] },
    ]);
  });
});

test('editors can change single narration settings', async () => {
  const { status, data } = await users.editor.request<{ reading: object }>('PATCH', site, {
    reading: { leave_out: ['.promo'], speak_title: false },
  });
  expect(status).toBe(200);
  expect(data.reading).toEqual({
    ...defaultNarrationSettings,
    leave_out: ['.promo'],
    speak_title: false,
  });
  expect(readLastEntry(server.data, 'site.updated')).toMatchObject({
    after: { reading: data.reading },
  });
  const rejection = await users.editor.request('PATCH', site, { reading: { tables: 'columns' } });
  expect([rejection.status, rejection.errors]).toEqual([422, { 'reading.tables': ['must be rows or none'] }]);
  const unusable = await users.editor.request('PATCH', site, {
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
  const { status, data } = await users.editor.request<{ feed: object }>('PATCH', site, {
    feed: { author: 'The Desk', category: 'News > Politics' },
  });
  expect(status).toBe(200);
  expect(data.feed).toEqual({
    ...defaultFeedSettings,
    author: 'The Desk',
    category: 'News > Politics',
  });
  expect(readLastEntry(server.data, 'site.updated')).toMatchObject({ after: { feed: data.feed } });
  const category = await users.editor.request('PATCH', site, { feed: { category: 'Gossip' } });
  expect([category.status, category.errors]).toEqual([
    422,
    { 'feed.category': [expect.stringContaining('must be Arts, ')] },
  ]);
  const unusable = await users.editor.request('PATCH', site, {
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
  expect((await users.viewer.request('PATCH', site, { feed: { enabled: false } })).status).toBe(403);
});

test('editors can change single player settings, which players receive', async () => {
  const changes = { layout: 'large', accent: '#8C1d2c', ground: '#f3f1ec', corners: 0, mini: true };
  const { status, data } = await users.editor.request<SiteRecord>('PATCH', site, { player: changes });
  expect(status).toBe(200);
  const expected = { ...defaultPlayerSettings, ...changes };
  expect<object>(data.player).toEqual(expected);
  expect(readLastEntry(server.data, 'site.updated')).toMatchObject({ after: { player: expected } });
  const { data: again } = await users.editor.request<SiteRecord>('PATCH', site, { player: { accent: null } });
  expect<object>(again.player).toEqual({ ...expected, accent: null });

  await server.generate({ post_id: 'heard', content: buildArticle('a heard post') });
  const response = await fetch(`${server.url}/v1/public/audio?domain=${again.domains[0]}&post_id=heard`);
  expect<object>(((await response.json()) as Envelope<PublicAudio>).data.player).toEqual({ ...expected, accent: null });

  const invalidInput = { layout: 'huge', accent: 'red;}', ground: 'url(x)', corners: 25, theme: 'sepia' };
  const refused = await users.editor.request('PATCH', site, { player: invalidInput });
  expect([refused.status, Object.keys(refused.errors ?? {}).sort()]).toEqual([
    422,
    ['player.accent', 'player.corners', 'player.ground', 'player.layout', 'player.theme'],
  ]);
  expect(refused.errors).toMatchObject({ 'player.accent': ['must be like #8c1d2c'] });
  expect((await users.viewer.request('PATCH', site, { player: changes })).status).toBe(403);
});
