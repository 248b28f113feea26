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
