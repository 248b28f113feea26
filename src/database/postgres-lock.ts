import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { describeDatabase, toOpenError } from './postgres-errors.ts';

/** First key of all advisory locks of Lectern. */
export const lockClass = 0x4c_45_43;
/** Second keys. 0 and up: transactions (0: server; else a site). */
const serverKey = -1;
const migrationKey = -2;
/** The connection of a process that was killed may live on for a moment. */
const acquirePatienceMs = 5_000;
const retryIntervalMs = 100;
const reconnectIntervalMs = 1_000;

/** @returns a connection outside of the pools. @throws AppError `operation_failed` */
export async function connectOnce(address: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'lectern',
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw toOpenError(address, error);
  }
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

/** Takes the lock of the server for the rest of a connection. @returns whether no other process has it */
export async function tryServerLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as held', [lockClass, serverKey]);
  return (rows[0] as { held: boolean }).held;
}

export function inUseError(address: string): AppError {
  return new AppError(
    'operation_failed',
    `Database ${describeDatabase(address)} is in use by another Lectern server. Stop that server, or give this one a database of its own.`,
  );
}

/**
 * Keeps a second server off a database, by a lock that PostgreSQL releases when the connection ends. When the connection is
 * lost, nothing is written until another one has the lock.
 */
export class ServerLock {
  readonly #address: string;
  readonly #log: Log | undefined;
  #client: pg.Client | undefined;
  #isReleased = false;

  private constructor(address: string, log: Log | undefined) {
    this.#address = address;
    this.#log = log;
  }

  /** @throws AppError `operation_failed`: the database cannot be reached, or another server uses it */
  static async acquire(address: string, log: Log | undefined): Promise<ServerLock> {
    const lock = new ServerLock(address, log);
    const deadline = performance.now() + acquirePatienceMs;
    while (!(await lock.#connect())) {
      if (performance.now() > deadline) throw inUseError(address);
      await Bun.sleep(retryIntervalMs);
    }
    return lock;
  }

  /** @throws AppError `busy` while the lock is lost */
  requireHeld(): void {
    if (this.#client === undefined) throw new AppError('busy', 'Database unavailable. Try again later.');
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#client?.end();
  }

  async #connect(): Promise<boolean> {
    const client = await connectOnce(this.#address);
    client.on('error', (error) => this.#log?.warn({ err: error }, 'database connection lost'));
    client.on('end', () => this.#lose(client));
    if (!this.#isReleased && (await tryServerLock(client))) {
      this.#client = client;
      return true;
    }
    await client.end();
    return false;
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client || this.#isReleased) return;
    this.#client = undefined;
    this.#reconnect().catch((error: unknown) => this.#log?.error({ err: error }, 'locking the database failed'));
  }

  async #reconnect(): Promise<void> {
    while (this.#client === undefined && !this.#isReleased) {
      await Bun.sleep(reconnectIntervalMs);
      const isLocked = await this.#connect().catch(() => undefined);
      if (isLocked === false) this.#log?.error({ err: inUseError(this.#address) }, 'database lock lost');
      if (isLocked === true) this.#log?.info('database connection restored');
    }
  }
}
