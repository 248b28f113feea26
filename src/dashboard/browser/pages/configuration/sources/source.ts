import { api, ask, part } from '../../../api.ts';

/** A feed that the site takes its posts from. */
export type Source = Awaited<ReturnType<typeof readSources>>['items'][number];

export function readSources(slug: string, cursor: string | undefined) {
  const query = cursor === undefined ? {} : { cursor };
  return ask(api.sites({ site: part(slug) }).sources.get({ query }));
}

/** Whether it is being fetched, or about to be. */
export function isDue({
  enabled,
  paused,
  next_fetch_at,
}: Pick<Source, 'enabled' | 'paused' | 'next_fetch_at'>): boolean {
  return enabled && paused === null && Date.parse(next_fetch_at) <= Date.now();
}
