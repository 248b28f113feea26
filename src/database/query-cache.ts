import type { Compilable, CompiledQuery } from 'kysely';
import type { Database, Queries } from './open.ts';

/** A query that is run with other values each time. @returns its rows */
export type RunQuery<Values, Row> = (db: Queries, values: Values) => Promise<Row[]>;

/** Gives a stand-in for a value by its name. */
export type PlaceholderFor<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

/**
 * For the few queries of hot paths: Kysely builds them once, as building takes longer than running.
 * @param build is called once
 */
export function prepareQuery<Values extends object, Row>(
  build: (db: Queries, value: PlaceholderFor<Values>) => Compilable<Row>,
): RunQuery<Values, Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (db, values) => {
    compiled ??= pinQueryPlan(build(db, (name) => new Placeholder(name) as never).compile());
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const query: CompiledQuery<Row> = { ...compiled, parameters };
    const { rows } = await db.executeQuery(query);
    return rows;
  };
}

/**
 * Where a join compares with a bare parameter, SQLite plans anew at each run, as another value may call for another
 * plan; that takes several times as long as running. A sign before the parameter changes nothing but that. So what the
 * condition of an index asks for must be written into the statement (`sql.lit`).
 */
function pinQueryPlan<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  return { ...query, sql: query.sql.replaceAll('?', '+?') };
}

/** Takes the place of a value whose name it bears. */
class Placeholder {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * Remembers what is read again and again between two changes, like whose key it is that polls. Anything written, by
 * whatever process, makes it forget. What isn't there is not remembered: callers may invent names without end.
 * @param most entries remembered
 * @param find reads from the database
 */
export function cacheUntilWrite<T>(
  database: Database,
  most: number,
  find: (name: string) => Promise<T | undefined>,
): (name: string) => Promise<T | undefined> {
  const known = new Map<string, T>();
  let knownVersion = 0;
  return async (name) => {
    // Asked before the rows are read: what is remembered may be newer than its version, never older.
    const version = database.dataVersion();
    if (version !== knownVersion || known.size >= most) known.clear();
    knownVersion = version;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const found = await find(name);
    if (found !== undefined && version === knownVersion) known.set(name, found);
    return found;
  };
}

/** @returns a function that tells whether anything was written, by whatever process, since it was called last */
export function createWriteWatcher(database: Database): () => boolean {
  let knownVersion = Number.NaN;
  return () => {
    const version = database.dataVersion();
    const hasChanged = version !== knownVersion;
    knownVersion = version;
    return hasChanged;
  };
}
