import { api, encodeSegment, unwrap } from '../../../api.ts';

/** A feed that the site takes its posts from. */
export type Source = Awaited<ReturnType<typeof fetchSources>>['items'][number];

export function fetchSources(slug: string, cursor: string | undefined) {
  const query = cursor === undefined ? {} : { cursor };
  return unwrap(api.sites({ site: encodeSegment(slug) }).sources.get({ query }));
}

/** Whether it is being fetched, or about to be. */
export function isDue({
  enabled,
  paused,
  next_fetch_at,
}: Pick<Source, 'enabled' | 'paused' | 'next_fetch_at'>): boolean {
  return enabled && paused === null && Date.parse(next_fetch_at) <= Date.now();
}
