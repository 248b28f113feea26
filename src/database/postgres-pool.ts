import type { Socket } from 'node:net';
import { HandleEmptyInListsPlugin, Kysely, PostgresDialect, replaceWithNoncontingentExpression } from 'kysely';
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Queries } from './database.ts';
import { toQueryError } from './postgres-errors.ts';
import type { Tables } from './schema.ts';

const connectionTimeoutMs = 5_000;
/** A transaction that waits longer fails as busy; so does a statement, and a transaction without one. */
const lockTimeoutMs = 10_000;
const statementTimeoutMs = 60_000;
/** For a synchronous standby to confirm a commit: PostgreSQL has no timeout for that. */
const commitTimeoutMs = 10_000;

/** Oids of types that arrive as other values than those of SQLite: numbers for int8 and numeric, 0 and 1 for bool. */
const parsers: Readonly<Record<number, (text: string) => number>> = {
  20: Number,
  1700: Number,
  16: (text) => (text === 't' ? 1 : 0),
};

interface PoolOptions {
  readonly max: number;
  /** Application name of its connections. */
  readonly name: string;
  /** Whether a commit fails after `commitTimeoutMs`. True for servers, whose clients wait for it. */
  readonly limitsCommits: boolean;
}

/** Connections to a PostgreSQL database. */
export class ConnectionPool {
  readonly queries: Queries;
  readonly #pool: pg.Pool;
  readonly #limitsCommits: boolean;
  readonly #clients = new Set<pg.PoolClient>();
  #unconfirmedCount = 0;

  constructor(address: string, { max, name, limitsCommits }: PoolOptions, log: Log | undefined) {
    this.#limitsCommits = limitsCommits;
    this.#pool = new pg.Pool({
      connectionString: address,
      max,
      connectionTimeoutMillis: connectionTimeoutMs,
      keepAlive: true,
      application_name: name,
      lock_timeout: lockTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      types: {
        getTypeParser: (oid: number, format: 'text' | 'binary') => parsers[oid] ?? pg.types.getTypeParser(oid, format),
      },
    } as pg.PoolConfig);
    // The pool replaces the connection; who uses it gets the error, too.
    this.#pool.on('error', (error) => log?.warn({ err: error }, 'database connection lost'));
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      client.on('error', () => {});
      client.on('end', () => this.#clients.delete(client));
    });
    this.queries = new Kysely<Tables>({
      dialect: new PostgresDialect({
        pool: { connect: () => this.#connect(), end: () => this.#pool.end(), options: this.#pool.options },
      }),
      plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
    });
  }

  /** Closes all connections at once without notifying the database. Pending queries fail. */
  disconnect(): void {
    for (const client of this.#clients) {
      // `end` would wait for the database.
      (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    }
  }

  /** @throws AppError `busy` while a commit waits for a standby, as the next one would wait as well */
  requireConfirmations(): void {
    if (this.#unconfirmedCount > 0) throw unconfirmedError();
  }

  async #connect() {
    const client = await translate(this.#pool.connect());
    let unconfirmed: Promise<unknown> | undefined;
    const commit = async (): Promise<pg.QueryResult> => {
      const result = client.query('commit');
      const limit = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        unconfirmed = result;
        this.#countUnconfirmed(result);
        limit.reject(unconfirmedError());
      }, commitTimeoutMs);
      return Promise.race([result, limit.promise]).finally(() => clearTimeout(timer));
    };
    return {
      query: (statement: string, parameters: readonly unknown[]) => {
        if (unconfirmed !== undefined) throw unconfirmedError();
        return translate(
          statement === 'commit' && this.#limitsCommits ? commit() : client.query(statement, [...parameters]),
        );
      },
      // An unconfirmed commit keeps its connection. A new connection would wait as well, and the database has few.
      release: (error?: Error | boolean) => {
        if (unconfirmed === undefined) client.release(error);
        else unconfirmed.then(() => client.release(true), client.release);
      },
    } as never;
  }

  #countUnconfirmed(commit: Promise<unknown>): void {
    this.#unconfirmedCount += 1;
    const uncount = (): void => {
      this.#unconfirmedCount -= 1;
    };
    commit.then(uncount, uncount);
  }
}

function unconfirmedError(): AppError {
  return new AppError('busy', 'No standby of the database confirms. Try again later.');
}

async function translate<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toQueryError(error);
  }
}
