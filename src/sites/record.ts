import type { SiteRecord } from './schema.ts';
import type { SiteWithDomains } from './store.ts';

/** A site as the API and the commands show it. */
export function siteRecord(site: SiteWithDomains): SiteRecord {
  return {
    id: site.id,
    slug: site.slug,
    name: site.name,
    plan: site.plan,
    subscription: site.subscription,
    trial_ends_at: site.trial_ends_at,
    active: site.active === 1,
    domains: [...site.domains],
    default_voice_id: site.default_voice_id,
    allow_switch: site.allow_switch === 1,
    extra_voices: JSON.parse(site.extra_voices) as number[],
    bit_rate_kbps: site.bit_rate_kbps,
    timings_text: site.timings_text === 1,
    created_at: site.created_at,
    updated_at: site.updated_at,
  };
}

/** @returns the members in which two states of a site differ, before and after, as the audit log keeps them */
export function siteDifference(
  before: SiteWithDomains,
  after: SiteWithDomains,
): { before: Partial<SiteRecord>; after: Partial<SiteRecord> } | undefined {
  const [old, now] = [siteRecord(before), siteRecord(after)];
  const names = (Object.keys(now) as (keyof SiteRecord)[]).filter(
    (name) => name !== 'updated_at' && !Bun.deepEquals(old[name], now[name]),
  );
  if (names.length === 0) return undefined;
  const pick = (record: SiteRecord): Partial<SiteRecord> =>
    Object.fromEntries(names.map((name) => [name, record[name]]));
  return { before: pick(old), after: pick(now) };
}
