import type { Compilable, CompiledQuery } from 'kysely';
import type { Queries } from './open.ts';

/** A query that is run with other values each time. @returns its rows */
export type PreparedQuery<Values, Row> = (db: Queries, values: Values) => Promise<Row[]>;

/** Gives a stand-in for a value by its name. */
export type Value<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

/**
 * For the few queries of hot paths: Kysely builds them once, as building takes longer than running.
 * @param build is called once
 */
export function prepared<Values extends object, Row>(
  build: (db: Queries, value: Value<Values>) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (db, values) => {
    compiled ??= withOnePlan(build(db, (name) => new StandIn(name) as never).compile());
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof StandIn ? values[parameter.name as keyof Values] : parameter,
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
function withOnePlan<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  return { ...query, sql: query.sql.replaceAll('?', '+?') };
}

/** Takes the place of a value whose name it bears. */
class StandIn {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}
