import { sql } from 'kysely';
import type { Log } from '../log.ts';
import { type Database, getCode, type Queries, runHandlers, runTransaction, type WriteScope } from './database.ts';
import type { MachineDescription } from './installation-schema.ts';
import { PostgresCluster } from './postgres-cluster.ts';
import { excludeServers, lockClass } from './postgres-lock.ts';
import { migratePostgres } from './postgres-migrate.ts';
import { ConnectionPool } from './postgres-pool.ts';

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
}

/**
 * Opens a PostgreSQL database, migrating it where needed; a machine that only synthesizes does not migrate.
 * @param address `postgres://…`
 * @throws AppError `operation_failed`: not reachable, wrong password, wrong version or collation, older schema in use
 */
export async function openPostgres(
  address: string,
  { log, machine, isExclusive = false }: PostgresOptions,
): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  await migratePostgres(address, machine?.role !== 'speak');
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
