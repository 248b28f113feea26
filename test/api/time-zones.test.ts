import { describe, expect, test } from 'bun:test';
import type { Analytics } from '../../src/analytics/schema.ts';
import type { PostListItem } from '../../src/audio/posts/schema.ts';
import type { AuditRecord } from '../../src/auth/schema.ts';
import { dayAt, startOfDay } from '../../src/clock.ts';
import type { SiteRecord } from '../../src/sites/schema.ts';
import { startServerForFile } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { requireTool } from '../fixtures/tools.ts';
import { buildArticle } from './articles.ts';

/** The day after the end of summer time in Europe. */
const now = '2026-10-26 12:00:00';
/** The last minute of the 24th in Berlin, the first and the last of the 25 hours of the 25th, the first of the 26th. */
const plays = ['2026-10-24T21:59:00Z', '2026-10-24T22:00:00Z', '2026-10-25T22:59:00Z', '2026-10-25T23:00:00Z'];

const server = await startServerForFile({
  env: {
    ...{
      LD_PRELOAD: requireTool('/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'),
      FAKETIME: `@${now}`,
      TZ: 'UTC',
    },
    ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' },
    LECTERN_TIME_ZONE: 'Pacific/Auckland',
  },
});
const { admin } = createSiteUsers(server, server.siteId);

let siteCount = 0;
async function addSite(more: object = {}): Promise<SiteRecord & { readonly key: string }> {
  siteCount += 1;
  const body = { name: `Zone ${siteCount}`, domains: [`zone-${siteCount}.example`], ...more };
  const { status, data } = await admin.request<SiteRecord>('POST', '/v1/sites', body);
  expect(status).toBe(201);
  return { ...data, key: (await admin.request<{ key: string }>('POST', `/v1/sites/${data.id}/keys`, {})).data.key };
}

async function send(key: string, path: string, body: object): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(202);
}

function track(key: string, times: readonly string[]): Promise<void> {
  const events = times.map((occurred_at) => ({ type: 'play', post_id: 'a', session_id: 'one', occurred_at }));
  return send(key, '/v1/events/track', { events });
}

async function read<T>(site: SiteRecord, rest: string): Promise<T> {
  return (await admin.request<T>('GET', `/v1/sites/${site.id}/${rest}`)).data;
}

async function listPlaysByDay(site: SiteRecord) {
  const { series } = await read<Analytics>(site, 'analytics?from=2026-10-24&to=2026-10-27');
  return series.map((day) => day.plays);
}

describe('the time zone of a site', () => {
  test('defaults to that of the server, and must exist', async () => {
    expect((await addSite()).time_zone).toBe('Pacific/Auckland');
    expect((await admin.request<{ time_zone: string }>('GET', '/v1/me')).data.time_zone).toBe('Pacific/Auckland');
    const site = await addSite({ time_zone: 'europe/berlin' });
    expect(site.time_zone).toBe('Europe/Berlin');
    for (const time_zone of ['Berlin', '+01:00', '']) {
      const { status, errors } = await admin.request('PATCH', `/v1/sites/${site.id}`, { time_zone });
      expect([status, Object.keys(errors ?? {})]).toEqual([422, ['time_zone']]);
    }
  });

  test('determines the day of a play, also if the day has 25 hours', async () => {
    const site = await addSite({ time_zone: 'Europe/Berlin' });
    await send(site.key, '/v1/audio/generate', { post_id: 'a', content: buildArticle('a') });
    await track(site.key, plays);
    const found = await read<Analytics>(site, 'analytics?from=2026-10-24');
    expect([found.to, found.time_zone]).toEqual(['2026-10-26', 'Europe/Berlin']);
    expect(found.series.map((day) => [day.plays, day.listeners])).toEqual([
      [1, 1],
      [2, 1],
      [1, 1],
    ]);
    const csv = await admin.fetch(`/v1/sites/${site.id}/analytics?from=2026-10-24&format=csv`);
    expect(await csv.text()).toMatch(/\n2026-10-24,0,1,.*\r?\n2026-10-25,0,2,.*\r?\n2026-10-26,0,1,/);
    const { items } = await read<{ items: PostListItem[] }>(site, 'posts');
    expect(items[0]?.plays).toEqual([0, 0, 0, 0, 1, 2, 1]);
    const overview = await read<{ listening: { days: { plays: number }[] }; top_today: { plays: number }[] }>(
      site,
      'overview',
    );
    expect(overview.listening.days.slice(-3).map((day) => day.plays)).toEqual([1, 2, 1]);
    expect(overview.top_today.map((post) => post.plays)).toEqual([1]);
  });

  test('applies to later plays when it changes; earlier days are unchanged', async () => {
    const site = await addSite({ time_zone: 'UTC' });
    await track(site.key, plays);
    expect(await listPlaysByDay(site)).toEqual([2, 2, 0, 0]);
    await admin.request('PATCH', `/v1/sites/${site.id}`, { time_zone: 'Europe/Berlin' });
    expect(await listPlaysByDay(site)).toEqual([2, 2, 0, 0]);
    await track(site.key, plays);
    expect(await listPlaysByDay(site)).toEqual([3, 4, 1, 0]);
  });

  test('determines the days of key usage and of the audit log filter', async () => {
    const site = await addSite({ time_zone: 'Pacific/Kiritimati' });
    await track(site.key, plays);
    const today = await read<Analytics>(site, 'analytics?from=2026-10-27');
    expect([today.to, today.requests.total]).toEqual(['2026-10-27', 1]);
    const count = async (query: string) =>
      (await admin.request<{ items: AuditRecord[] }>('GET', `/v1/audit?limit=100&${query}`)).data.items.length;
    expect(await count(`site=${site.id}&from=2026-10-27&to=2026-10-27`)).toBe(2);
    expect(await count(`site=${site.id}&to=2026-10-26`)).toBe(0);
    // By the clock of the server it is 01:00 on the 27th.
    expect(await count('action=site.created&from=2026-10-27&to=2026-10-27')).toBe(siteCount);
    expect(await count('action=site.created&to=2026-10-26')).toBe(0);
    expect(await count('action=site.created&to=9999-12-31')).toBeGreaterThan(siteCount);
  });
});

const dayStarts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  UTC: { '2026-10-25': '2026-10-25T00:00:00.000Z' },
  'Europe/Berlin': {
    '2026-03-29': '2026-03-28T23:00:00.000Z',
    '2026-03-30': '2026-03-29T22:00:00.000Z',
    '2026-10-26': '2026-10-25T23:00:00.000Z',
  },
  'Asia/Kathmandu': { '2026-03-29': '2026-03-28T18:15:00.000Z' },
  // The clock skips from 00:00 to 01:00.
  'America/Santiago': { '2026-09-06': '2026-09-06T04:00:00.000Z' },
};

test.each(Object.entries(dayStarts))('days start at midnight in %s, if there is one', (zone, starts) => {
  for (const [day, start] of Object.entries(starts)) {
    expect(startOfDay(day, zone)).toBe(start);
    expect(dayAt(Date.parse(start), zone)).toBe(day);
    expect(dayAt(Date.parse(start) - 1, zone) < day).toBe(true);
  }
});
