import type { SiteDetail } from './site.tsx';

const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' });

/** Status of a site. */
export interface SiteStatus {
  readonly kind: 'good' | 'busy' | 'bad';
  readonly label: string;
  /** What does not work; undefined if everything works. */
  readonly consequence?: string;
}

/** Same precedence as the server: disabled, then inactive subscription, then expired trial. */
export function siteStatus(site: Pick<SiteDetail, 'active' | 'subscription' | 'trial_ends_at'>): SiteStatus {
  if (!site.active) {
    return {
      kind: 'bad',
      label: 'Disabled',
      consequence: 'The site serves no audio, and its API keys get 401.',
    };
  }
  if (site.subscription === 'inactive') {
    return { kind: 'bad', label: 'Subscription inactive', consequence: unpaid };
  }
  if (site.subscription === 'active') return { kind: 'good', label: 'Active' };
  if (site.trial_ends_at === null) return { kind: 'busy', label: 'Trial' };
  const end = new Date(site.trial_ends_at);
  return end.getTime() <= Date.now()
    ? { kind: 'bad', label: 'Trial expired', consequence: unpaid }
    : { kind: 'busy', label: `Trial until ${day.format(end)}` };
}

const unpaid = 'Players get 402, API keys get 401, and no new audio is generated.';
