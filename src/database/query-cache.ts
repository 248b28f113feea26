import type { Compilable, CompiledQuery } from 'kysely';
import type { Database, Queries } from './database.ts';
import { DirectSqliteAdapter, isPostgres, pinQueryPlan } from './dialect.ts';

/** Runs a prepared query. @returns its rows */
export type RunQuery<Values, Row> = (db: Queries, values: Values) => Promise<Row[]>;

/** @returns the placeholder of a value */
export type PlaceholderFor<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

/** Of the statements that PostgreSQL plans once per connection, by their text: planning takes several times as long as running. */
export const statementNames = new Map<string, string>();

/**
 * For the few queries of hot paths: Kysely builds them only once, as building takes longer than running, and PostgreSQL plans
 * them once per connection.
 * @param build is called once
 */
export function prepareQuery<Values extends object, Row>(
  build: (db: Queries, value: PlaceholderFor<Values>) => Compilable<Row>,
): RunQuery<Values, Row> {
  const compiledFor = new Map<boolean, CompiledQuery<Row>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    const isDirect = adapter instanceof DirectSqliteAdapter;
    let compiled = compiledFor.get(isDirect);
    if (compiled === undefined) {
      const built = build(db, (name) => new Placeholder(name) as never).compile();
      compiled = { ...built, sql: pinQueryPlan(db, built.sql) };
      compiledFor.set(isDirect, compiled);
      if (isPostgres(db)) statementNames.getOrInsertComputed(compiled.sql, nameStatement);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    if (isDirect) return adapter.run<Row>(compiled.sql, parameters);
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}

/** @returns a name that no other statement has */
export const nameStatement = (text: string): string => `lectern_${Bun.hash(text)}`;

/** @returns the first row. @throws Error if there is none */
export async function requireRow<Row>(rows: Promise<Row[]>): Promise<Row> {
  const [row] = await rows;
  if (row === undefined) throw new Error('the query returned no row');
  return row;
}

/** @returns the placeholders of a row to insert */
export function placeholdersFor<Values, Name extends keyof Values>(
  value: PlaceholderFor<Values>,
  names: readonly Name[],
): Pick<Values, Name> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Pick<Values, Name>;
}

class Placeholder {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * Caches rows such as the API keys of polling clients until the next write of any process. Missing rows are not cached, as
 * clients may invent names.
 * @param maxEntries before it is cleared
 */
export function cacheUntilWrite<T>(
  database: Database,
  maxEntries: number,
  find: (name: string) => Promise<T | undefined>,
): (name: string) => Promise<T | undefined> {
  const known = new Map<string, T>();
  let knownVersion = 0;
  return async (name) => {
    // Before the rows are read: a cached value may be newer than its version, never older.
    const version = database.dataVersion();
    if (version !== knownVersion || known.size >= maxEntries) known.clear();
    knownVersion = version;
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    const found = await find(name);
    if (found !== undefined && version === knownVersion) known.set(name, found);
    return found;
  };
}

/** @returns a function that reports whether any process wrote since its last call */
export function createWriteWatcher(database: Database): () => boolean {
  let knownVersion = Number.NaN;
  return () => {
    const version = database.dataVersion();
    const hasChanged = version !== knownVersion;
    knownVersion = version;
    return hasChanged;
  };
}
