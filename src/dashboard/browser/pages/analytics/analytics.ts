import { addressOf, api, ask, part } from '../../api.ts';
import type { Period } from './period.ts';

export type Analytics = Awaited<ReturnType<typeof readAnalytics>>;
export type DayFigures = Analytics['series'][number];
export type Group = Analytics['groups'][number];

/** What figures can be split by. */
export const dimensions = ['post', 'voice', 'language', 'device', 'source', 'day'] as const;
export type Dimension = (typeof dimensions)[number];

/** So many groups are shown; the CSV has them all. */
export const groupsShownMax = 50;
const groupsMax = 10_000;

/** What figures are asked about. */
export interface Question extends Period {
  /** Slug of the site. */
  readonly site: string;
  /** Undefined: all of them. */
  readonly postId: string | undefined;
}

export function readAnalytics({ site, postId, from, to }: Question, dimension: Dimension = 'day') {
  const ofPost = postId === undefined ? {} : { post_id: postId };
  return ask(
    api.sites({ site: part(site) }).analytics.get({
      query: { from, to, group_by: dimension, limit: groupsShownMax, ...ofPost },
    }),
  );
}

/** Where the groups lie as a file for spreadsheets. */
export function csvAddress({ site, postId, from, to }: Question, dimension: Dimension): string {
  const query = new URLSearchParams({
    ...{ format: 'csv', from, to, group_by: dimension, limit: String(groupsMax) },
    ...(postId === undefined ? {} : { post_id: postId }),
  });
  return addressOf(`/sites/${part(site)}/analytics?${query}`);
}
