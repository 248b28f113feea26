import type { Kysely } from 'kysely';
import { AppError, operationFailed } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Tables } from './schema.ts';

/** A connection for reads, or a transaction; the first parameter of store functions. */
export type Queries = Kysely<Tables>;

/**
 * What a transaction changes: the rows of a site, by its id, or any rows. Transactions of one scope run one after the other.
 * SQLite runs all of them so; a database with several writers locks the scope.
 */
export type WriteScope = number | 'server';

interface WriteOptions {
  /** `full`: survives a power failure. `normal`: survives a crash, and a power failure once a later `full` write returned. */
  readonly sync?: 'full' | 'normal';
}

/**
 * What a machine tells the others on its database. `audio.changed`: the id of one whose place in the queue changed;
 * `audio.updated`: of one with progress; `job.wake`: the name of a job; `queue.served`: what a site received.
 */
export type ClusterTopic = 'audio.changed' | 'audio.updated' | 'job.wake' | 'queue.served';

/** The machines, which are server processes, on one PostgreSQL database; seen by one of them. */
export interface Cluster {
  /** Of this machine, for its claims. */
  readonly machineId: number;
  /** Whether this machine runs the jobs of the installation; one does. */
  readonly isLeader: boolean;
  /** Tells the others, soon and once for equal items. Items are lost while a connection is. */
  send(topic: ClusterTopic, item: string): void;
  /** @param handler of what others send */
  on(topic: ClusterTopic, handler: (item: string) => void): void;
  /** @param handler called each time this machine becomes the leader */
  onLeadership(handler: () => void): void;
  /** @param handler called each time a lost connection to the database is restored */
  onRestored(handler: () => void): void;
  /** Tells that this machine ends soon. */
  drain(): void;
}

/** The state of an installation: a SQLite file, or a PostgreSQL database. */
export interface Database {
  /** Undefined: no other process generates audio. */
  readonly cluster?: Cluster | undefined;
  /** For queries outside of transactions. */
  readonly read: Queries;
  /** @returns a number that changes with every write of any process */
  dataVersion(): number;
  /**
   * Opens a transaction: the only way to write. Its `afterCommit` handlers have ended when this returns.
   * @param scope what it changes
   */
  write<T>(scope: WriteScope, work: (transaction: Queries) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Returns some of the pages that deleted rows have left to the disk. @returns whether there are more */
  releaseFreeSpace(): Promise<boolean>;
  /** @returns its bytes on disk */
  measureSize(): Promise<number>;
  close(): Promise<void>;
}

/** A promise is waited for. */
type CommitHandler = () => unknown;

/** Of the transactions that run. */
const commitHandlers = new WeakMap<Queries, CommitHandler[]>();

/** @returns the result, and the handlers to run after the commit */
export async function runTransaction<T>(database: Queries, work: (transaction: Queries) => Promise<T>) {
  const handlers: CommitHandler[] = [];
  const result = await database.transaction().execute((transaction) => {
    commitHandlers.set(transaction, handlers);
    return work(transaction);
  });
  return { result, handlers };
}

/** The rows are committed: an error of a handler is not one of the write. */
export async function runHandlers(handlers: readonly CommitHandler[], log: Log | undefined): Promise<void> {
  for (const handler of handlers) {
    try {
      await handler();
    } catch (error) {
      log?.error({ err: error }, 'handler after commit failed');
    }
  }
}

/**
 * Registers what follows from a change: a notification, the deletion of a file.
 * @param handler called after the commit of the transaction, in order of registration; never after a rollback
 */
export function afterCommit(transaction: Queries, handler: CommitHandler): void {
  const handlers = commitHandlers.get(transaction);
  if (handlers === undefined) throw new Error('afterCommit needs a transaction of write()');
  handlers.push(handler);
}

/** Whether another process holds the write lock of SQLite. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_BUSY/.test(getCode(error));
}

/** Whether the database found rows or pages that it cannot read. */
export function isDatabaseDamaged(error: unknown): boolean {
  return /^(SQLITE_(CORRUPT|IOERR)|XX00[12]$)/.test(getCode(error));
}

/** Whether a write failed because the disk is full, broken or read-only. */
export function isDiskError(error: unknown): boolean {
  return /^(SQLITE_(FULL|IOERR|READONLY|CANTOPEN)|53100$|58030$)/.test(getCode(error));
}

/** @returns what the driver names an error by: `SQLITE_BUSY`, an SQLSTATE of five characters, or a code of the system */
export function getCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Of PostgreSQL. Connection lost or refused, also by a server that starts or stops; too many connections. */
const unavailablePattern =
  /^(08...|57P0[1235]|53300|E(CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)|ENOENT)$/;
const lostPattern = /connection terminated|not queryable|timeout exceeded|connection ended|connection (is )?closed/i;
const tooManyConnections = '53300';
/** Lock, statement and idle timeouts. */
const timeoutPattern = /^(55P03|57014|25P03)$/;

/** @returns the error of a statement of PostgreSQL as the server answers it: what is temporary is 503 */
export function toQueryError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = getCode(error);
  if (timeoutPattern.test(code)) return new AppError('busy');
  if (isUnavailable(error)) {
    return Object.assign(new AppError('busy', 'Database unavailable. Try again later.'), { cause: error });
  }
  if (code === '22021' || code === '22P05') {
    return new AppError(
      'validation_failed',
      'The text contains the character U+0000, which cannot be stored. Remove it.',
    );
  }
  return error;
}

function isUnavailable(error: Error): boolean {
  // When several addresses of a host refuse, the error names none.
  const reasons = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return reasons.some((reason) => unavailablePattern.test(getCode(reason))) || lostPattern.test(error.message);
}

/** Whether PostgreSQL reported an error of a statement. */
export function isPostgresError(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}

/** @returns why a PostgreSQL database cannot be opened or used, and what to do; `busy` if it cannot be reached */
export function toOpenError(address: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const place = describeDatabase(address);
  if (!(error instanceof Error)) return operationFailed(`Database ${place} failed (${String(error)})`);
  const { name } = parseDatabasePlace(address);
  const code = getCode(error);
  if ('syscall' in error && error.syscall === 'open') {
    const path = 'path' in error ? error.path : 'a file';
    return operationFailed(
      `Database ${place} was not opened: ${path} cannot be read (${code}). Correct sslrootcert, sslcert or sslkey in LECTERN_DATABASE, or the permissions of the file.`,
    );
  }
  const reasons: [RegExp, string][] = [
    [/^28P01$/, 'refused the password. Correct LECTERN_DATABASE.'],
    [
      /^28000$/,
      `refused the user (${error.message}). Correct LECTERN_DATABASE, or pg_hba.conf of the database server.`,
    ],
    [/^3D000$/, `does not exist. Create it: ${describeCreation(address, name)}`],
    [
      /^3F000$/,
      `has none of the schemas in its search path (${error.message}). Create the schema, or correct options in LECTERN_DATABASE.`,
    ],
    [
      /^42501$/,
      `refused an operation (${error.message}). Make the user the owner of the database and its tables, or correct LECTERN_DATABASE.`,
    ],
    [
      /^42(P0[67]|710|723)$/,
      `already has an object that the migration creates (${error.message}). Name an empty database in LECTERN_DATABASE, or, if Lectern is migrating, try again.`,
    ],
    [
      /^(58P01|0A000)$/,
      `lacks an extension (${error.message}). Install the contrib package of PostgreSQL on the database server.`,
    ],
    // Of the driver, which has no codes.
    [/password must be a string/, 'asks for a password. Add it to LECTERN_DATABASE.'],
    [
      /does not support SSL/,
      'has no TLS. Switch it on in the database server, or correct sslmode in LECTERN_DATABASE.',
    ],
  ];
  const reason = reasons.find(([pattern]) => pattern.test(code === '' ? error.message : code))?.[1];
  if (reason !== undefined) return operationFailed(`Database ${place} ${reason}`);
  const detail = error.message === '' ? code : error.message;
  if (isUnavailable(error)) {
    const remedy =
      code === tooManyConnections
        ? 'Raise max_connections of the database server, or the limit of the user or database'
        : 'Start it, or correct LECTERN_DATABASE';
    return new AppError('busy', `Database ${place} cannot be reached (${detail}). ${remedy}.`);
  }
  return operationFailed(`Database ${place} failed (${code === '' ? detail : `${code}: ${detail}`})`);
}

/** As the driver reads an address. @returns `user` undefined: the address names none */
function parseDatabasePlace(address: string) {
  const { hostname, port, pathname, username, searchParams } = new URL(address);
  return {
    host: searchParams.get('host') ?? (hostname || 'localhost'),
    port: searchParams.get('port') ?? (port || '5432'),
    name: decodeURIComponent(pathname.slice(1)),
    user: username === '' ? undefined : decodeURIComponent(username),
  };
}

/** @returns host or folder of the socket, port and database, without password */
export function describeDatabase(address: string): string {
  const { host, port, name } = parseDatabasePlace(address);
  return `${host}:${port}/${name}`;
}

/** @returns the statement by which an administrator creates a suitable database for the user of an address */
export function describeCreation(address: string, name = 'NAME'): string {
  const quote = (word: string) => (/^[a-z_][a-z0-9_]*$/i.test(word) ? word : `"${word}"`);
  const owner = quote(parseDatabasePlace(address).user ?? 'USER');
  return `create database ${quote(name)} owner ${owner} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`;
}
