import type { SiteDetail } from './site.tsx';

type Plan = SiteDetail['plan'];

/** In ascending order: each plan includes the voices of the plans before it. */
export const planNames: Readonly<Record<Plan, string>> = {
  starter: 'Starter',
  growth: 'Growth',
  enterprise: 'Enterprise',
};

export const aboutPlans =
  'Each plan includes a number of new English posts a month, and voices; posts in other languages do not count. API keys require Enterprise; posts created in the dashboard work on every plan.';

const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' });

interface SiteStatus {
  readonly tone: 'good' | 'plain' | 'bad';
  readonly label: string;
  /** What does not work; undefined if everything works. */
  readonly consequence?: string;
}

/** Same precedence as the server: disabled, then inactive subscription, then expired trial. */
export function siteStatus(site: Pick<SiteDetail, 'active' | 'subscription' | 'trial_ends_at'>): SiteStatus {
  if (!site.active) {
    return { tone: 'bad', label: 'Disabled', consequence: 'The site serves no audio, and its API keys get 401.' };
  }
  if (site.subscription === 'inactive') {
    return { tone: 'bad', label: 'Subscription inactive', consequence: unpaid };
  }
  if (site.subscription === 'active') return { tone: 'good', label: 'Active' };
  if (site.trial_ends_at === null) return { tone: 'plain', label: 'Trial' };
  const end = new Date(site.trial_ends_at);
  return end.getTime() <= Date.now()
    ? { tone: 'bad', label: 'Trial expired', consequence: unpaid }
    : { tone: 'plain', label: `Trial until ${day.format(end)}` };
}

const unpaid = 'Players get 402, API keys get 401, and no new audio is generated.';
