import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';

/** What decides whether a site is served. */
type ServedSite = Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>;

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

/** @throws AppError `not_allowed` when nothing may be made for a site just now; says why to its people */
export function checkServed(site: ServedSite): void {
  const problem = servingProblem(site);
  if (problem !== undefined) throw new AppError('not_allowed', problem);
}

/** @returns why nothing may be made for a site just now, in words for its people; undefined when it may */
export function servingProblem(site: ServedSite): string | undefined {
  if (site.active === 0) return 'Site inactive';
  const problem = subscriptionProblem(site);
  if (problem === 'inactive') return 'Subscription inactive';
  return problem === 'trial over' ? 'Trial expired' : undefined;
}
