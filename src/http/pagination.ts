import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { invalid } from '../errors.ts';
import { findFieldErrors, nullable } from './validation.ts';

const defaultLimit = 50;

/** Query of every list; spread its `properties` where a list takes more. */
export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: defaultLimit,
      description: 'Items per page',
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 1_000, description: '`next_cursor` of the previous page' })),
});
export type PageQuery = Static<typeof PageQuery>;

/** `data` of every list response. */
export interface Page<Item> {
  readonly items: Item[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** @returns the schema of a page of such items; the examples of an item make one page */
export function pageSchema<S extends TSchema>(item: S) {
  const { examples } = item;
  return Type.Object(
    {
      items: Type.Array(item),
      next_cursor: nullable(Type.String()),
    },
    examples === undefined ? {} : { examples: [{ items: examples, next_cursor: null }] },
  );
}

/**
 * @param place schema of the sort key, for example an id or a tuple of time and id
 * @returns `after`: sort key of the last item of the previous page; undefined for the first page
 * @throws AppError `validation_failed` for a cursor that this list did not return
 */
export function decodeCursor<S extends TSchema>(
  query: PageQuery,
  place: S,
): { readonly limit: number; readonly after: Static<S> | undefined } {
  const limit = query.limit ?? defaultLimit;
  if (query.cursor === undefined) return { limit, after: undefined };
  const after = parseCursor(query.cursor);
  if (after === undefined || Object.keys(findFieldErrors(place, after)).length > 0) {
    throw invalid('cursor', 'must be a next_cursor returned by this list');
  }
  return { limit, after: after as Static<S> };
}

/**
 * @param rows one more than the limit if there are more
 * @param placeOf returns the sort key
 */
export function paginate<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => unknown): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const next_cursor = hasMore ? Buffer.from(JSON.stringify(placeOf(last))).toString('base64url') : null;
  return { items, next_cursor };
}

/**
 * A page of a list that is ordered by id.
 * @param load returns at most `limit` rows that follow the id
 */
export async function paginateById<Row extends { readonly id: number }, Item>(
  query: PageQuery,
  load: (after: number | undefined, limit: number) => Promise<readonly Row[]>,
  toItems: (rows: readonly Row[]) => Item[] | Promise<Item[]>,
): Promise<Page<Item>> {
  const { limit, after } = decodeCursor(query, Type.Integer());
  const { items, next_cursor } = paginate(await load(after, limit + 1), limit, ({ id }) => id);
  return { items: await toItems(items), next_cursor };
}

function parseCursor(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
