import { api, ask, encodeSegment } from '../../../api.ts';

/** A feed whose items become posts of a site. */
export type Source = Awaited<ReturnType<typeof fetchSources>>['items'][number];

export function fetchSources(slug: string, cursor: string | undefined) {
  const query = cursor === undefined ? {} : { cursor };
  return ask(() => api.sites({ site: encodeSegment(slug) }).sources.get({ query }));
}

/** Whether the feed is being fetched or due. */
export function isDue({
  enabled,
  paused,
  next_fetch_at,
}: Pick<Source, 'enabled' | 'paused' | 'next_fetch_at'>): boolean {
  return enabled && paused === null && Date.parse(next_fetch_at) <= Date.now();
}
