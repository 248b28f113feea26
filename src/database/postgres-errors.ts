import { AppError } from '../errors.ts';
import { getCode } from './database.ts';

/** Connection lost or refused, also by a server that starts or stops; too many connections. */
const unavailablePattern =
  /^(08...|57P0[1235]|53300|E(CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)|ENOENT)$/;
const lostPattern = /connection terminated|not queryable|timeout exceeded|connection ended|connection (is )?closed/i;
/** Lock, statement and idle timeouts. */
const timeoutPattern = /^(55P03|57014|25P03)$/;

/** @returns the error of a statement as the server answers it: what is temporary is 503 */
export function toQueryError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = getCode(error);
  if (timeoutPattern.test(code)) return new AppError('busy', 'Database busy');
  if (isUnavailable(error)) return new AppError('busy', 'Database unavailable. Try again later.');
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

/** @returns why a database cannot be opened, and what to do; `busy` if it cannot be reached */
export function toOpenError(address: string, error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const place = describeDatabase(address);
  const name = place.slice(place.lastIndexOf('/') + 1);
  const code = getCode(error);
  const reasons: [RegExp, string][] = [
    [/^28P01$/, 'refused the password. Correct LECTERN_DATABASE.'],
    [
      /^28000$/,
      `refused the user (${error.message}). Correct LECTERN_DATABASE, or pg_hba.conf of the database server.`,
    ],
    [
      /^3D000$/,
      `does not exist. Create it: create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`,
    ],
    [/^42501$/, `does not permit a change of its schema (${error.message}). Make the user the owner of the database.`],
    [
      /^(58P01|0A000)$/,
      `lacks an extension (${error.message}). Install the contrib package of PostgreSQL on the database server.`,
    ],
  ];
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1];
  if (reason !== undefined) return new AppError('operation_failed', `Database ${place} ${reason}`);
  const detail = error.message === '' ? code : error.message;
  if (isUnavailable(error)) {
    return new AppError(
      'busy',
      `Database ${place} cannot be reached (${detail}). Start it, or correct LECTERN_DATABASE.`,
    );
  }
  return new AppError('operation_failed', `Database ${place} failed (${code === '' ? detail : `${code}: ${detail}`})`);
}

/** @returns an address without its password and options */
export function describeDatabase(address: string): string {
  const { host, pathname, searchParams } = new URL(address);
  return `${searchParams.get('host') ?? host}${pathname}`;
}
