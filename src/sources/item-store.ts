import { type ExpressionBuilder, sql } from 'kysely';
import { timestamp } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { textMember } from '../database/dialect.ts';
import type { FeedItem, FeedOutcome, FeedSource, FeedTables } from '../database/feature-schema.ts';
import { AppError } from '../errors.ts';
import type { Source } from './schema.ts';

const waitingOutcome = sql.lit('waiting' as const);

/** Columns of a new or changed item. */
export type ItemUpdate = Pick<FeedItem, 'title' | 'url' | 'content_hash' | 'outcome' | 'reason' | 'article'>;

/** @returns items by the hash of their guid */
export async function findItems(
  db: Queries,
  sourceId: number,
  guidHashes: readonly string[],
): Promise<Map<string, FeedItem>> {
  const rows = await db
    .selectFrom('feed_item')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('guid_hash', 'in', guidHashes)
    .execute();
  return new Map(rows.map((row) => [row.guid_hash, row]));
}

export async function insertItem(
  db: Queries,
  item: ItemUpdate & Pick<FeedItem, 'source_id' | 'site_id' | 'guid_hash' | 'guid'>,
): Promise<void> {
  const now = timestamp();
  await db
    .insertInto('feed_item')
    .values({
      ...item,
      ...{ post_id: null, language: null, publish_at: null, seen_at: now, updated_at: now },
    })
    .execute();
}

export async function updateItem(db: Queries, itemId: number, changes: Partial<ItemUpdate>): Promise<void> {
  await db
    .updateTable('feed_item')
    .set({ ...changes, updated_at: timestamp() })
    .where('id', '=', itemId)
    .execute();
}

/**
 * Records the outcome of a waiting item; run it in the transaction of that outcome.
 * @throws AppError `conflict` when it waits no longer, for example because its source was deleted
 */
export async function resolveItem(
  db: Queries,
  itemId: number,
  resolution: Pick<FeedItem, 'outcome' | 'reason'> & Partial<Pick<FeedItem, 'post_id' | 'language' | 'publish_at'>>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('feed_item')
    .set({ ...resolution, article: null, updated_at: timestamp() })
    .where('id', '=', itemId)
    .where('outcome', '=', waitingOutcome)
    .where('source_id', 'in', selectSources(db))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new AppError('conflict', 'The item is no longer waiting');
}

/** Ids of the sources that are not deleted. */
function selectSources(db: Queries) {
  return db.selectFrom('feed_source').select('feed_source.id').where('feed_source.deleted_at', 'is', null);
}

/** Items that keep waiting for one reason: a single one, or all after one, of one language if that is given. */
export type DeferredItems = { readonly sourceId: number; readonly reason: string } & (
  | { readonly itemId: number }
  | { readonly after: number; readonly language?: string | null }
);

/** Records why items keep waiting; writes only when one has another reason. */
export async function deferItems(database: Database, siteId: number, deferred: DeferredItems): Promise<void> {
  const { read } = database;
  const changed = await read
    .selectFrom('feed_item')
    .select('id')
    .where((row) => hasOtherReason(read, row, deferred))
    .limit(1)
    .executeTakeFirst();
  if (changed === undefined) return;
  await database.write(
    siteId,
    (db) =>
      db
        .updateTable('feed_item')
        .set({ reason: deferred.reason })
        .where((row) => hasOtherReason(db, row, deferred))
        .execute(),
    { sync: 'normal' },
  );
}

/** Compared in this order, so that articles are read only where nothing else decides. */
function hasOtherReason(db: Queries, row: ExpressionBuilder<FeedTables, 'feed_item'>, deferred: DeferredItems) {
  const all = [
    row('source_id', '=', deferred.sourceId),
    row('outcome', '=', waitingOutcome),
    row('reason', 'is distinct from', deferred.reason),
  ];
  if ('itemId' in deferred) return row.and([...all, row('id', '=', deferred.itemId)]);
  all.push(row('id', '>', deferred.after));
  if (deferred.language === undefined) return row.and(all);
  // A correction of a post doesn't use the quota of its language.
  all.push(row('post_id', 'is', null));
  return row.and([...all, row(textMember(db, 'article', 'language'), 'is not distinct from', deferred.language)]);
}

/**
 * @param page `after`: the last id of the page before; `deferred`: new items with these reasons are left out
 * @returns waiting items in the order in which they are submitted
 */
export function listWaitingItems(
  db: Queries,
  sourceId: number,
  page: { readonly after: number; readonly limit: number; readonly deferred: readonly string[] },
): Promise<FeedItem[]> {
  let query = db
    .selectFrom('feed_item')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('source_id', 'in', selectSources(db))
    .where('outcome', '=', waitingOutcome)
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit);
  for (const reason of page.deferred) {
    query = query.where((row) => row.or([row('reason', 'is distinct from', reason), row('post_id', 'is not', null)]));
  }
  return query.execute();
}

/** @param sourceId undefined: of all sources */
export async function countWaitingItems(db: Queries, sourceId?: number): Promise<number> {
  const query = db
    .selectFrom('feed_item')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('outcome', '=', waitingOutcome);
  const { count } = await query
    .$if(sourceId !== undefined, (all) => all.where('source_id', '=', sourceId ?? 0))
    .executeTakeFirstOrThrow();
  return count;
}

/** @returns the hashes that items of a source have already, under any guid */
export async function findContentHashes(
  db: Queries,
  sourceId: number,
  contentHashes: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('feed_item')
    .select('content_hash')
    .distinct()
    .where('source_id', '=', sourceId)
    .where('content_hash', 'in', contentHashes)
    .execute();
  return new Set(rows.map(({ content_hash }) => content_hash));
}

/** @returns how many posts a source has created or updated since a time */
export async function countSubmittedItems(db: Queries, sourceId: number, since: string): Promise<number> {
  const { count } = await db
    .selectFrom('feed_item')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('source_id', '=', sourceId)
    .where('outcome', 'in', ['queued', 'updated'])
    .where('updated_at', '>=', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** Adds to each source how many items it has, and why the first one waits. */
export async function attachItemSummaries(
  db: Queries,
  sources: readonly FeedSource[],
): Promise<(FeedSource & Pick<Source, 'items' | 'waiting_reason'>)[]> {
  if (sources.length === 0) return [];
  const sourceIds = sources.map(({ id }) => id);
  const rows = await db
    .selectFrom('feed_item')
    .select((row) => ['source_id', 'outcome', row.fn.countAll<number>().as('count')])
    .where('source_id', 'in', sourceIds)
    .groupBy(['source_id', 'outcome'])
    .execute();
  const reasons = await db
    .selectFrom('feed_item')
    .select(['source_id', 'reason'])
    .where('id', 'in', (first) =>
      first
        .selectFrom('feed_item')
        .select((row) => row.fn.min('id').as('id'))
        .where('source_id', 'in', sourceIds)
        .where('outcome', '=', waitingOutcome)
        .where('reason', 'is not', null)
        .groupBy('source_id'),
    )
    .execute();
  return sources.map((source) => {
    const ofSource = rows.filter((row) => row.source_id === source.id);
    const count = (isCounted: (outcome: FeedOutcome) => boolean) =>
      ofSource.reduce((sum, row) => sum + (isCounted(row.outcome) ? row.count : 0), 0);
    const posts = count((outcome) => ['queued', 'updated'].includes(outcome));
    const waiting = count((outcome) => outcome === 'waiting');
    const left_out = count(() => true) - posts - waiting;
    const waiting_reason = reasons.find((row) => row.source_id === source.id)?.reason ?? null;
    return { ...source, items: { posts, waiting, left_out }, waiting_reason };
  });
}

/** @returns items, newest first. @param page `before`: the last id of the page before */
export function listItems(
  db: Queries,
  page: {
    readonly sourceId: number;
    readonly outcome: FeedOutcome | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  },
): Promise<FeedItem[]> {
  let query = db
    .selectFrom('feed_item')
    .selectAll()
    .where('source_id', '=', page.sourceId)
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.outcome !== undefined) query = query.where('outcome', '=', page.outcome);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return query.execute();
}
