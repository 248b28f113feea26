import type { SiteDetail } from './site.tsx';

const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' });

/** Whether a site may be heard, in a word. */
export interface SiteStatus {
  readonly kind: 'good' | 'busy' | 'bad';
  readonly label: string;
  /** What doesn't work because of it; undefined when all does. */
  readonly consequence?: string;
}

/** By the rules of the server: switched off before unpaid, unpaid before a trial that is over. */
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
