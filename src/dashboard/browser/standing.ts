import type { SiteDetail } from './site.tsx';

const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' });

/** Whether a site may be heard, in a word. */
export interface Standing {
  readonly kind: 'good' | 'busy' | 'bad';
  readonly word: string;
  /** What doesn't work because of it; undefined when all does. */
  readonly consequence?: string;
}

/** By the rules of the server: switched off before unpaid, unpaid before a trial that is over. */
export function standingOf(
  site: Pick<SiteDetail, 'active' | 'subscription' | 'trial_ends_at'>,
): Standing {
  if (!site.active) {
    return {
      kind: 'bad',
      word: 'Switched off',
      consequence: 'Nothing of it is served: players find no audio, and API keys get 401.',
    };
  }
  if (site.subscription === 'inactive') {
    return { kind: 'bad', word: 'Subscription inactive', consequence: unpaid };
  }
  if (site.subscription === 'active') return { kind: 'good', word: 'Active' };
  if (site.trial_ends_at === null) return { kind: 'busy', word: 'On trial' };
  const end = new Date(site.trial_ends_at);
  return end.getTime() <= Date.now()
    ? { kind: 'bad', word: 'Trial over', consequence: unpaid }
    : { kind: 'busy', word: `On trial until ${day.format(end)}` };
}

const unpaid = 'Players answer 402 and API keys 401, and no new audio is made.';
