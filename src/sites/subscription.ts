import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';

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
export function checkServed(site: Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>): void {
  if (site.active === 0) throw new AppError('not_allowed', 'Site inactive');
  const problem = subscriptionProblem(site);
  if (problem === 'inactive') throw new AppError('not_allowed', 'Subscription inactive');
  if (problem === 'trial over') throw new AppError('not_allowed', 'Trial expired');
}
