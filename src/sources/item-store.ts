import { type ExpressionBuilder, sql } from 'kysely';
import type { FeedItem, FeedOutcome, FeedTables } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';

const waitingOutcome = sql.lit('waiting' as const);

/** What is written of an item that is new or has changed. */
export type ItemUpdate = Pick<FeedItem, 'title' | 'url' | 'content_hash' | 'outcome' | 'reason' | 'article'>;

/** @returns what is known of some items, by the hash of their guid */
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
  const now = new Date().toISOString();
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
    .set({ ...changes, updated_at: new Date().toISOString() })
    .where('id', '=', itemId)
    .execute();
}

/**
 * Writes down what has become of an item that waited; run it in the transaction that makes it so.
 * @throws AppError `conflict` when it doesn't wait any more: its source is gone, and so is the reason for its post
 */
export async function resolveItem(
  db: Queries,
  itemId: number,
  settled: Pick<FeedItem, 'outcome' | 'reason'> & Partial<Pick<FeedItem, 'post_id' | 'language' | 'publish_at'>>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('feed_item')
    .set({ ...settled, article: null, updated_at: new Date().toISOString() })
    .where('id', '=', itemId)
    .where('outcome', '=', waitingOutcome)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new AppError('conflict', 'The item is no longer waiting');
}

/** Items that go on waiting for one reason: a single one, or those after one, in a language where that is named. */
export type DeferredItems = { readonly sourceId: number; readonly reason: string } & (
  | { readonly itemId: number }
  | { readonly after: number; readonly language?: string | null }
);

/** Says why items still wait. */
export async function setDeferReason(db: Queries, held: DeferredItems): Promise<void> {
  await db
    .updateTable('feed_item')
    .set({ reason: held.reason })
    .where((row) => needsDeferReason(row, held))
    .execute();
}

/** @returns whether any of them waits without having said why */
export async function hasItemsToDefer(db: Queries, held: DeferredItems): Promise<boolean> {
  const found = await db
    .selectFrom('feed_item')
    .select('id')
    .where((row) => needsDeferReason(row, held))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Compared in this order: articles are read of those alone for which nothing else decides. */
function needsDeferReason(row: ExpressionBuilder<FeedTables, 'feed_item'>, held: DeferredItems) {
  const all = [
    row('source_id', '=', held.sourceId),
    row('outcome', '=', waitingOutcome),
    row('reason', 'is not', held.reason),
  ];
  if ('itemId' in held) return row.and([...all, row('id', '=', held.itemId)]);
  all.push(row('id', '>', held.after));
  if (held.language === undefined) return row.and(all);
  // What corrects a post is no new one.
  all.push(row('post_id', 'is', null));
  const language = sql<string | null>`json_extract(article, '$.language')`;
  return row.and([...all, row(language, 'is', held.language)]);
}

/**
 * @param asked `after`: the id of the last one that was seen; `held`: reasons that leave out who has them, new items only
 * @returns items that wait, in the order in which they are handed in
 */
export function listWaitingItems(
  db: Queries,
  sourceId: number,
  asked: { readonly after: number; readonly most: number; readonly held: readonly string[] },
): Promise<FeedItem[]> {
  let query = db
    .selectFrom('feed_item')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('outcome', '=', waitingOutcome)
    .where('id', '>', asked.after)
    .orderBy('id')
    .limit(asked.most);
  for (const reason of asked.held) {
    query = query.where((row) => row.or([row('reason', 'is not', reason), row('post_id', 'is not', null)]));
  }
  return query.execute();
}

export async function countWaitingItems(db: Queries, sourceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('feed_item')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('source_id', '=', sourceId)
    .where('outcome', '=', waitingOutcome)
    .executeTakeFirstOrThrow();
  return count;
}

export async function countAllWaitingItems(db: Queries): Promise<number> {
  const { count } = await db
    .selectFrom('feed_item')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('outcome', '=', waitingOutcome)
    .executeTakeFirstOrThrow();
  return count;
}

/** @returns those of some contents that a source has brought already, under whatever guid */
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

/** @returns how many posts a source has made or changed since a moment */
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

/** What has become of the items of a source. */
export interface ItemCounts {
  readonly counts: ReadonlyMap<FeedOutcome, number>;
  /** Why the first of those that wait does. */
  readonly waitingReason: string | null;
}

/** @returns by source */
export async function countItemsBySource(db: Queries, sourceIds: readonly number[]): Promise<Map<number, ItemCounts>> {
  if (sourceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('feed_item')
    .select((row) => ['source_id', 'outcome', row.fn.countAll<number>().as('count')])
    .where('source_id', 'in', sourceIds)
    .groupBy(['source_id', 'outcome'])
    .execute();
  const reasons = await db
    .selectFrom('feed_item')
    // Beside a minimum, SQLite gives the other columns of its row.
    .select((row) => ['source_id', 'reason', row.fn.min('id').as('first')])
    .where('source_id', 'in', sourceIds)
    .where('outcome', '=', waitingOutcome)
    .where('reason', 'is not', null)
    .groupBy('source_id')
    .execute();
  return new Map(
    sourceIds.map((id) => [
      id,
      {
        counts: new Map(rows.filter((row) => row.source_id === id).map(({ outcome, count }) => [outcome, count])),
        waitingReason: reasons.find((row) => row.source_id === id)?.reason ?? null,
      },
    ]),
  );
}

/** Items, newest first. @param asked `before`: the id that comes after the first */
export function listItems(
  db: Queries,
  asked: {
    readonly sourceId: number;
    readonly outcome: FeedOutcome | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  },
): Promise<FeedItem[]> {
  let query = db
    .selectFrom('feed_item')
    .selectAll()
    .where('source_id', '=', asked.sourceId)
    .orderBy('id', 'desc')
    .limit(asked.limit);
  if (asked.outcome !== undefined) query = query.where('outcome', '=', asked.outcome);
  if (asked.before !== undefined) query = query.where('id', '<', asked.before);
  return query.execute();
}
