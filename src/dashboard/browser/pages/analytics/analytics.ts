import { api, buildApiUrl, encodeSegment, unwrap } from '../../api.ts';
import type { Period } from './period.ts';

export type Analytics = Awaited<ReturnType<typeof fetchAnalytics>>;
export type DayFigures = Analytics['series'][number];
export type Group = Analytics['groups'][number];

/** What figures can be split by. */
export const dimensions = ['post', 'voice', 'language', 'device', 'source', 'day'] as const;
export type Dimension = (typeof dimensions)[number];

/** So many groups are shown; the CSV has them all. */
export const maxShownGroups = 50;
const maxGroups = 10_000;

/** What figures are asked about. */
export interface AnalyticsQuery extends Period {
  /** Slug of the site. */
  readonly site: string;
  /** Undefined: all of them. */
  readonly postId: string | undefined;
}

export function fetchAnalytics({ site, postId, from, to }: AnalyticsQuery, dimension: Dimension = 'day') {
  const ofPost = postId === undefined ? {} : { post_id: postId };
  return unwrap(
    api.sites({ site: encodeSegment(site) }).analytics.get({
      query: { from, to, group_by: dimension, limit: maxShownGroups, ...ofPost },
    }),
  );
}

/** Where the groups lie as a file for spreadsheets. */
export function buildCsvUrl({ site, postId, from, to }: AnalyticsQuery, dimension: Dimension): string {
  const query = new URLSearchParams({
    ...{ format: 'csv', from, to, group_by: dimension, limit: String(maxGroups) },
    ...(postId === undefined ? {} : { post_id: postId }),
  });
  return buildApiUrl(`/sites/${encodeSegment(site)}/analytics?${query}`);
}
