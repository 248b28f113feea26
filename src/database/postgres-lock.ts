import pg from 'pg';
import { AppError } from '../errors.ts';
import { describeDatabase, toOpenError } from './postgres-errors.ts';

/** First key of all advisory locks of Lectern. */
export const lockClass = 0x4c_45_43;
/** Second keys. 0 and up: transactions (0: server; else a site). */
const serverKey = -1;
const migrationKey = -2;
export const leaderKey = -3;
/** The connection of a process that was killed may live on for a moment. */
const acquireTimeoutMs = 5_000;
const retryIntervalMs = 100;

/** @returns a connection outside of the pools. @throws AppError `busy` if the database cannot be reached, else `operation_failed` */
export async function connectOnce(address: string, queryTimeoutMs?: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'lectern',
    ...(queryTimeoutMs && { query_timeout: queryTimeoutMs }),
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw toOpenError(address, error);
  }
}

/**
 * Runs the statements of a connection one after another. The driver would warn of statements that wait for each other, and count
 * their wait towards the timeout.
 */
export function createSequence(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

/** Runs a change of the schema: one process at a time. */
export async function withMigrationLock<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('select pg_advisory_lock($1, $2)', [lockClass, migrationKey]);
  try {
    return await work();
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', [lockClass, migrationKey]);
  }
}

/**
 * Takes a lock for the rest of a connection: `shared` by a server, `exclusive` by a migration or move, which no server may
 * see. A connection whose process was killed may keep it for a moment.
 * @throws AppError `operation_failed` while others have it
 */
export async function lockServers(client: pg.Client, address: string, mode: 'shared' | 'exclusive'): Promise<void> {
  const lock = mode === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  const deadline = performance.now() + acquireTimeoutMs;
  while (true) {
    const { rows } = await client.query(`select ${lock}($1, $2) as held`, [lockClass, serverKey]);
    if ((rows[0] as { held: boolean }).held) return;
    if (performance.now() > deadline) throw mode === 'shared' ? migratingError(address) : inUseError(address);
    await Bun.sleep(retryIntervalMs);
  }
}

/** Keeps servers off a database. @returns lets them in again. @throws AppError `operation_failed` while one runs */
export async function excludeServers(address: string): Promise<() => Promise<void>> {
  const client = await connectOnce(address);
  try {
    await lockServers(client, address, 'exclusive');
  } catch (error) {
    await client.end();
    throw error;
  }
  return () => client.end();
}

/** Takes the lock of the machine that runs the jobs of the installation. @returns whether no other has it */
export async function tryLeaderLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as held', [lockClass, leaderKey]);
  return (rows[0] as { held: boolean }).held;
}

function inUseError(address: string): AppError {
  return new AppError(
    'operation_failed',
    `Database ${describeDatabase(address)} is in use by a Lectern server. Stop all servers, then try again.`,
  );
}

function migratingError(address: string): AppError {
  return new AppError(
    'operation_failed',
    `Database ${describeDatabase(address)} is in use by a Lectern server of an earlier version, or by a migration or move. Stop that server, or try again later.`,
  );
}
