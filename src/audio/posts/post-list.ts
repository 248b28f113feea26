import { type Static, Type } from '@sinclair/typebox';
import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { dayMs, listLastDays, timestamp } from '../../clock.ts';
import type { Queries } from '../../database/database.ts';
import { containsText, foldTitle, matchesPostSearch, minSearchWordLength } from '../../database/dialect.ts';
import type { AudioStatus, Tables } from '../../database/schema.ts';
import { decodeCursor, type PageQuery, paginate } from '../../http/pagination.ts';
import { countPostStates } from '../counters.ts';
import { toTitleFields, toUrlFields } from '../schema.ts';
import { mainFlag } from '../store.ts';
import type { PostCounts, PostListItem, PostSort, PostState } from './schema.ts';
import { buildPostRecords, type PostRow, postColumns } from './store.ts';

const playDayCount = 7;

/** `removed` is `failed` because of retention. */
type PostStatus = AudioStatus | 'removed';

export interface PostFilter {
  readonly siteId: number;
  /** Of the site, for its plays by day. */
  readonly timeZone: string;
  readonly search?: string | undefined;
  readonly state?: PostState | undefined;
  readonly status?: PostStatus | undefined;
  readonly language?: string | undefined;
  readonly voiceId?: number | undefined;
  readonly visibility?: 'public' | 'private' | undefined;
}

interface PostListOptions {
  readonly baseUrl: string;
  readonly deletedRetentionDays: number;
}

/** A page of posts with their plays. Deleted posts are listed for the state `deleted` only. */
export async function buildPostPage(
  db: Queries,
  filter: PostFilter,
  query: PageQuery & { readonly sort?: PostSort },
  options: PostListOptions,
): Promise<{ items: PostListItem[]; next_cursor: string | null; counts: PostCounts }> {
  const counts = await countPosts(db, filter.siteId);
  const isDeleted = filter.state === 'deleted';
  const sort = query.sort ?? 'newest';
  const { limit, after } = decodeCursor(query, isDeleted ? DeletedPlace : places[sort]);
  const list = isDeleted ? listDeletedPosts : listPosts;
  const { items, next_cursor } = paginate(await list(db, filter, sort, after, limit + 1), limit, ({ place }) => place);
  const plays = await listPlays(
    db,
    filter,
    items.map(({ external_id }) => external_id),
  );
  const records = isDeleted ? items.map(toDeletedRecord) : await buildPostRecords(db, items, options.baseUrl);
  return {
    items: records.map((record, index) => {
      const deleted_at = items[index]?.deleted_at ?? null;
      const purgeAtMs = deleted_at === null ? null : Date.parse(deleted_at) + options.deletedRetentionDays * dayMs;
      return {
        ...record,
        plays: plays.get(record.post_id) ?? new Array(playDayCount).fill(0),
        deleted_at,
        purge_at: purgeAtMs === null ? null : new Date(purgeAtMs).toISOString(),
      };
    }),
    next_cursor,
    counts,
  };
}

function toDeletedRecord({
  external_id,
  title = null,
  url,
  visibility,
  publish_at,
  created_at,
  updated_at,
}: ListedPost) {
  const named = { ...toTitleFields(title), ...toUrlFields(url) };
  return { post_id: external_id, ...named, visibility, publish_at, created_at, updated_at, audio: [] };
}

export async function countPosts(db: Queries, siteId: number): Promise<PostCounts> {
  const counts = await countPostStates(db, siteId);
  const { scheduled } = await db
    .selectFrom('post')
    .select((row) => row.fn.countAll<number>().as('scheduled'))
    .where('post.site_id', '=', siteId)
    .where(isScheduled)
    .executeTakeFirstOrThrow();
  return { ...counts, scheduled };
}

/** Sort keys of the last post of a page: its row id, after what comes before it. */
const places = {
  newest: Type.Integer(),
  oldest: Type.Integer(),
  title: Type.Tuple([Type.String(), Type.Integer()]),
  plays: Type.Tuple([Type.Number(), Type.Integer()]),
};
const DeletedPlace = Type.Tuple([Type.String(), Type.Integer()]);
type Place = Static<(typeof places)[PostSort] | typeof DeletedPlace>;

interface ListedPost extends PostRow {
  readonly place: Place;
  readonly title?: string | null;
  readonly deleted_at?: string;
}

async function listPosts(
  db: Queries,
  filter: PostFilter,
  sort: PostSort,
  after: Place | undefined,
  limit: number,
): Promise<ListedPost[]> {
  if (sort === 'plays') return listMostPlayed(db, filter, after as Static<typeof places.plays> | undefined, limit);
  if (sort === 'title') {
    const key = foldTitle(db, sql.ref('post.sort_title'));
    const [title, id] = (after as Static<typeof places.title> | undefined) ?? [];
    const rows = await selectPosts(db, filter)
      .select('post.sort_title')
      .$if(title !== undefined, (all) =>
        all.where(sql<boolean>`(${key}, post.id) > (${foldTitle(db, sql`${title}`)}, ${id})`),
      )
      .orderBy(key)
      .orderBy('post.id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, place: [row.sort_title, row.id] }));
  }
  const isNewest = sort === 'newest';
  const rowId = selectRowId(filter);
  const rows = await selectPosts(db, filter)
    .$if(after !== undefined, (all) => all.where(rowId, isNewest ? '<' : '>', after as number))
    .orderBy(rowId, isNewest ? 'desc' : 'asc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, place: row.id }));
}

/** Few posts are played: they come first, then all others by age. */
async function listMostPlayed(
  db: Queries,
  filter: PostFilter,
  after: Static<typeof places.plays> | undefined,
  limit: number,
): Promise<ListedPost[]> {
  const [plays = Number.MAX_SAFE_INTEGER, id = Number.MAX_SAFE_INTEGER] = after ?? [];
  const playedPosts = selectPlays(db, filter.siteId, listLastDays(playDayCount, filter.timeZone))
    .select((row) => ['value as post', row.fn.sum<number>('amount').as('plays')])
    .groupBy('value')
    .having((row) => row.fn.sum('amount'), '>', 0);
  const played =
    plays === 0
      ? []
      : await selectPosts(db, filter)
          .innerJoin(playedPosts.as('played'), 'played.post', 'post.external_id')
          .select('played.plays')
          .where(sql<boolean>`(played.plays, post.id) < (${plays}, ${id})`)
          .orderBy('played.plays', 'desc')
          .orderBy('post.id', 'desc')
          .limit(limit)
          .execute();
  const missing = limit - played.length;
  const others = await selectPosts(db, filter)
    .where('post.external_id', 'not in', playedPosts.clearSelect().select('value'))
    .$if(plays === 0, (all) => all.where('post.id', '<', id))
    .orderBy('post.id', 'desc')
    .limit(missing)
    .execute();
  return [
    ...played.map((row) => ({ ...row, place: [row.plays, row.id] satisfies Place })),
    ...others.map((row) => ({ ...row, place: [0, row.id] satisfies Place })),
  ];
}

function selectPosts(db: Queries, filter: PostFilter) {
  const { search = '' } = filter;
  const words = splitSearch(search);
  const start = toIdStart(search);
  const all =
    words.length > 0
      ? // A cross join keeps the order: SQLite reads the index, newest first, and stops when the page is full.
        db
          .selectFrom('post_search')
          .crossJoin('post')
          .whereRef('post.id', '=', 'post_search.rowid')
          .where(matchesPostSearch(db, words))
      : db
          .selectFrom('post')
          .$if(start !== '', (posts) =>
            posts.where('post.external_id', '>=', start).where('post.external_id', '<', `${start}\u{10ffff}`),
          );
  return (all as SelectQueryBuilder<Tables, 'post', unknown>)
    .where((row) => matchesFilter(row, filter))
    .select(postColumns);
}

function selectRowId({ search = '' }: PostFilter) {
  return sql.ref<number>(splitSearch(search).length > 0 ? 'post_search.rowid' : 'post.id');
}

/** @returns deleted posts, by their title or by the time of their deletion */
async function listDeletedPosts(
  db: Queries,
  { siteId, search = '', status, language, voiceId, visibility }: PostFilter,
  sort: PostSort,
  after: Place | undefined,
  limit: number,
): Promise<ListedPost[]> {
  // It has no audio.
  if (status !== undefined) return [];
  const words = splitSearch(search);
  const start = toIdStart(search);
  const key = sort === 'title' ? sql<string>`lower(coalesce(title, external_id))` : sql<string>`deleted_at`;
  const isAscending = sort === 'title' || sort === 'oldest';
  const [afterKey, afterId] = (after as Static<typeof DeletedPlace> | undefined) ?? [];
  const rows = await db
    .selectFrom('deleted_post')
    .select(['id', 'external_id', 'title', 'url', 'visibility', 'publish_at', 'created_at', 'updated_at', 'deleted_at'])
    .select(key.as('key'))
    .where('site_id', '=', siteId)
    .$if(words.length > 0, (all) =>
      all.where('id', 'in', (row) =>
        row.selectFrom('post_search').select('post_search.rowid').where(matchesPostSearch(db, words)),
      ),
    )
    .$if(words.length === 0 && start !== '', (all) =>
      all.where('external_id', '>=', start).where('external_id', '<', `${start}\u{10ffff}`),
    )
    .$if(language !== undefined, (all) => all.where(containsText(db, 'audios', `"language":"${language}"`)))
    .$if(voiceId !== undefined, (all) => all.where(containsText(db, 'audios', `"voice_id":${voiceId},`)))
    .$if(visibility !== undefined, (all) => all.where('visibility', '=', visibility ?? 'public'))
    .$if(after !== undefined, (all) =>
      all.where(
        isAscending
          ? sql<boolean>`(${key}, id) > (${afterKey}, ${afterId})`
          : sql<boolean>`(${key}, id) < (${afterKey}, ${afterId})`,
      ),
    )
    .orderBy(key, isAscending ? 'asc' : 'desc')
    .orderBy('id', isAscending ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, place: [row.key, row.id] }));
}

function matchesFilter(row: ExpressionBuilder<Tables, 'post'>, filter: PostFilter) {
  const { siteId, visibility, state, status, language, voiceId } = filter;
  const conditions = [row('post.site_id', '=', siteId)];
  if (state === 'scheduled') conditions.push(isScheduled(row));
  else if (state === 'private') conditions.push(row('post.visibility', '=', sql.lit('private')));
  else if (state !== undefined && state !== 'deleted') conditions.push(row('post.audio_state', '=', state));
  if (visibility !== undefined) conditions.push(row('post.visibility', '=', visibility));
  if (status !== undefined || language !== undefined || voiceId !== undefined) conditions.push(hasAudio(row, filter));
  return row.and(conditions);
}

/** Public at a later time. The first conditions are those of the index of public posts. */
function isScheduled(row: ExpressionBuilder<Tables, 'post'>) {
  const now = timestamp();
  return row.and([
    row('post.visibility', '=', sql.lit('public')),
    row(sql<string>`coalesce(post.publish_at, post.created_at)`, '>', now),
    row('post.publish_at', '>', now),
  ]);
}

/** Most audio is ready: it is checked post by post. Other audio is rare: it is read by its status. */
function hasAudio(row: ExpressionBuilder<Tables, 'post'>, { status, language, voiceId }: PostFilter) {
  const matching = row
    .selectFrom('audio')
    .where('audio.is_main', '=', mainFlag)
    .$if(status !== undefined, (all) => all.where((audio) => hasStatus(audio, status ?? 'ready')))
    .$if(language !== undefined, (all) => all.where('audio.language', '=', language ?? ''))
    .$if(voiceId !== undefined, (all) => all.where('audio.voice_id', '=', voiceId ?? 0));
  return status === undefined || status === 'ready'
    ? row.exists(matching.select('audio.id').whereRef('audio.post_id', '=', 'post.id'))
    : row('post.id', 'in', matching.select('audio.post_id'));
}

/** Written as the conditions of the partial indexes are. */
function hasStatus(row: ExpressionBuilder<Tables, 'audio'>, status: PostStatus) {
  if (status === 'removed') return row('audio.removed_at', 'is not', null);
  if (status !== 'failed') return row('audio.status', '=', status);
  return row.and([row('audio.status', '=', sql.lit('failed')), row('audio.removed_at', 'is', null)]);
}

/** @returns the words that the index can find */
function splitSearch(search: string): string[] {
  // SQLite ends the query at a NUL.
  return search.split(/[\s\0]+/).filter((word) => [...word].length >= minSearchWordLength);
}

/** No id has a line feed, and PostgreSQL takes no NUL. */
function toIdStart(search: string): string {
  return search.trim().replaceAll('\0', '\n');
}

/** Plays by post are metrics of the site. */
function selectPlays(db: Queries, siteId: number, days: readonly string[]) {
  return db
    .selectFrom('event_day')
    .where('site_id', '=', siteId)
    .where('event_day.post', '=', '')
    .where('dimension', '=', 'post')
    .where('day', 'in', days)
    .where('metric', '=', 'play');
}

/** @returns plays of each of the last days by `post_id`, for the posts that were played */
async function listPlays(
  db: Queries,
  { siteId, timeZone }: PostFilter,
  postIds: readonly string[],
): Promise<Map<string, number[]>> {
  const days = listLastDays(playDayCount, timeZone);
  const rows = await selectPlays(db, siteId, days)
    .select(['value', 'day', 'amount'])
    .where('value', 'in', postIds)
    .execute();
  const plays = new Map<string, number[]>();
  for (const { value, day, amount } of rows) {
    const ofPost = plays.getOrInsertComputed(value, () => new Array<number>(playDayCount).fill(0));
    ofPost[days.indexOf(day)] = amount;
  }
  return plays;
}
