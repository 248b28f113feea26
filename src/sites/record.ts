import { readingOf } from '../speech/reading.ts';
import { feedSettingsOf } from './feed-settings.ts';
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
    reading: readingOf(site.reading),
    feed: feedSettingsOf(site.feed),
    created_at: site.created_at,
    updated_at: site.updated_at,
  };
}

/** A site as the audit log keeps it: when it was changed stands in the entry itself. */
export function auditedSite(site: SiteWithDomains): Omit<SiteRecord, 'updated_at'> {
  const { updated_at: _, ...audited } = siteRecord(site);
  return audited;
}
