import type { Site } from '../database/tables.ts';

/** @returns why a site may not be served just now; undefined when it may */
export function subscriptionProblem(
  site: Pick<Site, 'subscription' | 'trial_ends_at'>,
): 'inactive' | 'trial over' | undefined {
  if (site.subscription === 'inactive') return 'inactive';
  const isOver =
    site.subscription === 'trialing' &&
    site.trial_ends_at !== null &&
    Date.parse(site.trial_ends_at) <= Date.now();
  return isOver ? 'trial over' : undefined;
}

/** @returns why nothing may be made for a site just now, as its people are told; undefined when it may */
export function siteProblem(
  site: Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>,
): string | undefined {
  if (site.active === 0) return 'Site inactive';
  const problem = subscriptionProblem(site);
  if (problem === undefined) return undefined;
  return problem === 'inactive' ? 'Subscription inactive' : 'Trial expired';
}
