import { useRef } from 'preact/hooks';
import { api, buildApiUrl, encodeSegment, request } from '../../api.ts';
import { addDays, dayOf } from '../../time-zone.ts';

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

const dayMs = 86_400_000;

/** First and last day of a period of the site, inclusive: `2026-11-21`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Limit of the server. */
const maxDays = 366;

/** @param days number of days, including today */
export function lastDays(days: number): Period {
  return { from: addDays(dayOf(), 1 - days), to: dayOf() };
}

/** The period of the same length before a period. */
function periodBefore({ from, to }: Period): Period {
  return { from: addDays(from, -dayCount({ from, to })), to: addDays(from, -1) };
}

function dayCount({ from, to }: Period): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** @returns what is wrong with a custom period; undefined if it is valid */
export function validatePeriod({ from, to }: Period): string | undefined {
  if (from === '' || to === '') return 'Select both dates.';
  if (from > to) return 'The start date must not be after the end date.';
  if (dayCount({ from, to }) > maxDays) return `Select at most ${maxDays} days.`;
  return undefined;
}
