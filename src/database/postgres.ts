import type { Socket } from 'node:net';
import { HandleEmptyInListsPlugin, Kysely, PostgresDialect, replaceWithNoncontingentExpression, sql } from 'kysely';
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import {
  type Database,
  getCode,
  type Queries,
  runHandlers,
  runTransaction,
  toQueryError,
  type WriteScope,
} from './database.ts';
import type { MachineDescription } from './installation-schema.ts';
import { PostgresCluster } from './postgres-cluster.ts';
import { excludeServers, lockClass, migratePostgres } from './postgres-migrate.ts';
import { statementNames } from './query-cache.ts';
import type { Tables } from './schema.ts';

/** Of the connections of a process, with that of the cluster. */
const maxReadConnections = 5;
const maxWriteConnections = 4;
const maxDeadlocks = 3;

interface PostgresOptions {
  readonly log?: Log | undefined;
  /** Of a server process; undefined: a command. */
  readonly machine?: MachineDescription | undefined;
  /** Whether no server may run meanwhile. */
  readonly isExclusive?: boolean | undefined;
  /** Whether an empty database is refused. */
  readonly mustExist?: boolean | undefined;
}

/**
 * Opens a PostgreSQL database, migrating it where needed; a machine that only synthesizes does not migrate.
 * @param address `postgres://…`
 * @throws AppError `operation_failed`: not reachable, wrong password, wrong version or collation, older schema in use
 */
export async function openPostgres(
  address: string,
  { log, machine, isExclusive = false, mustExist = false }: PostgresOptions,
): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  await migratePostgres(address, { mayCreate: !mustExist, mayChange: machine?.role !== 'speak' });
  if (isExclusive) opened.defer(await excludeServers(address));
  const cluster = machine && (await PostgresCluster.join(address, machine, log));
  opened.defer(() => cluster?.leave());
  const name = cluster?.connectionName ?? 'lectern';
  const limitsCommits = cluster !== undefined;
  const reading = new ConnectionPool(address, { max: maxReadConnections, name, limitsCommits }, log);
  const read = reading.queries;
  opened.defer(() => read.destroy());
  const writing = new ConnectionPool(address, { max: maxWriteConnections, name, limitsCommits }, log);
  opened.defer(() => writing.queries.destroy());
  // When a network fails, nothing else notices for a quarter of an hour.
  cluster?.onLost(() => {
    reading.disconnect();
    writing.disconnect();
  });
  const closing = opened.move();
  const serialize = createScopeQueues();
  let version = 0;
  return {
    cluster,
    read,
    // Another process may have written: nothing is cached.
    dataVersion: () => {
      version += 1;
      return version;
    },
    write: async (scope, work, { sync = 'full' } = {}) => {
      const run = () => {
        cluster?.requireMember();
        writing.requireConfirmations();
        return runTransaction(writing.queries, async (transaction) => {
          await lockScope(transaction, scope, sync);
          return work(transaction);
        });
      };
      const { result, handlers } = await serialize(scope, () => retryDeadlocks(run));
      await runHandlers(handlers, log);
      return result;
    },
    // Autovacuum reuses the space.
    releaseFreeSpace: async () => false,
    measureSize: async () => {
      const size = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
      return (await size.execute(read)).rows[0]?.bytes ?? 0;
    },
    close: () => closing.disposeAsync(),
  };
}

/**
 * The first statement of a transaction, so that transactions never wait for each other in a circle: those of the server
 * exclude all others, those of a site exclude each other.
 */
async function lockScope(transaction: Queries, scope: WriteScope, sync: 'full' | 'normal'): Promise<void> {
  const locks =
    scope === 'server'
      ? sql`pg_advisory_xact_lock(${sql.lit(lockClass)}, 0)`
      : sql`pg_advisory_xact_lock_shared(${sql.lit(lockClass)}, 0), pg_advisory_xact_lock(${sql.lit(lockClass)}, ${scope})`;
  const setting = sync === 'full' ? sql`` : sql`, set_config('synchronous_commit', 'off', true)`;
  await sql`select ${locks}${setting}`.execute(transaction);
}

/** One transaction of a scope at a time asks for a connection: a busy site leaves the others to the other sites. */
function createScopeQueues() {
  const last = new Map<WriteScope, Promise<unknown>>();
  return async <T>(scope: WriteScope, work: () => Promise<T>): Promise<T> => {
    const previous = last.get(scope) ?? Promise.resolve();
    const next = previous.then(work, work);
    last.set(scope, next);
    try {
      return await next;
    } finally {
      if (last.get(scope) === next) last.delete(scope);
    }
  };
}

/** Two sites may wait for a row of each other, such as one of a shared table; the database ends one of the transactions. */
async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await work();
    } catch (error) {
      if (getCode(error) !== '40P01' || count === maxDeadlocks) throw error;
    }
  }
}

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
class ConnectionPool {
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
          statement === 'commit' && this.#limitsCommits ? commit() : execute(client, statement, parameters),
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

/** Of a prepared `select *` whose table has got another column. */
const changedResultCode = '0A000';

/** A transaction cannot run such a statement again. */
async function execute(client: pg.PoolClient, text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
  const values = [...parameters];
  const isInTransaction = client.getTransactionStatus() === 'T';
  const name = isInTransaction && text.includes('*') ? undefined : statementNames.get(text);
  if (name === undefined) return client.query(text, values);
  try {
    return await client.query({ name, text, values });
  } catch (error) {
    if (getCode(error) !== changedResultCode || isInTransaction) throw error;
    statementNames.delete(text);
    return client.query(text, values);
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
