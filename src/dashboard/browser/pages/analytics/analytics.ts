import { useRef } from 'preact/hooks';
import { api, buildApiUrl, encodeSegment, request } from '../../api.ts';
import { type Period, periodBefore } from './period.ts';

export type Analytics = Awaited<ReturnType<typeof fetchAnalytics>>;

/** Of the breakdown. */
export type Dimension = 'post' | 'section' | 'voice' | 'language' | 'device' | 'source' | 'day';

/** The CSV file has all. */
const maxShownGroups = 50;
const maxGroups = 10_000;

/** Site, post and period of an analytics request. */
export interface AnalyticsQuery extends Period {
  /** Slug of the site. */
  readonly site: string;
  /** Undefined: all posts. */
  readonly postId: string | undefined;
}

export function fetchAnalytics(
  { site, postId, from, to }: AnalyticsQuery,
  dimension: Dimension = 'day',
  limit = maxShownGroups,
) {
  const ofPost = postId === undefined ? {} : { post_id: postId };
  return request(() =>
    api.sites({ site: encodeSegment(site) }).analytics.get({
      query: { from, to, group_by: dimension, limit, ...ofPost },
    }),
  );
}

/** @returns fetches the period before a period, once for each selection: its figures do not change any more */
export function usePeriodBefore(): (query: AnalyticsQuery, dimension?: Dimension) => Promise<Analytics> {
  const latest = useRef<{ readonly selection: string; readonly found: Analytics } | undefined>(undefined);
  return async (query, dimension) => {
    const selection = JSON.stringify([query, dimension]);
    const { current } = latest;
    if (current?.selection === selection) return current.found;
    const found = await fetchAnalytics({ ...query, ...periodBefore(query) }, dimension, maxGroups);
    latest.current = { selection, found };
    return found;
  };
}

/** @returns URL of the groups as CSV */
export function buildCsvUrl({ site, postId, from, to }: AnalyticsQuery, dimension: Dimension): string {
  const query = new URLSearchParams({
    ...{ format: 'csv', from, to, group_by: dimension, limit: String(maxGroups) },
    ...(postId === undefined ? {} : { post_id: postId }),
  });
  return buildApiUrl(`/sites/${encodeSegment(site)}/analytics?${query}`);
}
