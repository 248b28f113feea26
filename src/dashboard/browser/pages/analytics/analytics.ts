import { useRef } from 'preact/hooks';
import { buildApiUrl, request, siteRoutes } from '../../api.ts';
import { useQuery } from '../../query.ts';
import { addDays, dayOf } from '../../time-zone.ts';

export type Analytics = Awaited<ReturnType<typeof fetchAnalytics>>;

type Dimension = 'post' | 'section' | 'voice' | 'language' | 'device' | 'source' | 'day';
/** How figures are grouped; `event`: by type, which every response contains. */
export type Kind = Dimension | 'event';

const newFiguresMs = 30_000;
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
    siteRoutes(site).analytics.get({
      query: { from, to, group_by: dimension, limit, ...ofPost },
    }),
  );
}

/**
 * Figures grouped by a kind, with those of the preceding period, in one query, so that both belong to the same selection.
 * @param hasBefore whether to load the preceding period
 */
export function useAnalytics(question: AnalyticsQuery, kind: Kind, hasBefore: boolean) {
  const { site, postId, from, to } = question;
  const dimension = kind === 'event' ? 'day' : kind;
  // Loaded once for each selection, because past figures do not change.
  const past = useRef<{ readonly selection: string; readonly before: Analytics } | undefined>(undefined);
  const fetchBefore = async () => {
    const selection = JSON.stringify([question, kind]);
    if (past.current?.selection !== selection) {
      const before = await fetchAnalytics({ ...question, ...periodBefore(question) }, dimension, maxGroups);
      past.current = { selection, before };
    }
    return past.current.before;
  };
  return useQuery(
    async () => {
      const [found, before] = await Promise.all([
        fetchAnalytics(question, dimension),
        hasBefore ? fetchBefore() : undefined,
      ]);
      return { kind, found, before };
    },
    [site, postId, from, to, kind],
    () => (isUnfinished(question) ? newFiguresMs : undefined),
  );
}

/** @returns URL of the groups as CSV */
export function buildCsvUrl({ site, postId, from, to }: AnalyticsQuery, dimension: Kind): string {
  const query = new URLSearchParams({
    ...{ format: 'csv', from, to, group_by: dimension, limit: String(maxGroups) },
    ...(postId === undefined ? {} : { post_id: postId }),
  });
  return buildApiUrl(`/sites/${encodeURIComponent(site)}/analytics?${query}`);
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

/** Whether it includes today. */
export function isUnfinished({ to }: Period): boolean {
  return to >= dayOf();
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
