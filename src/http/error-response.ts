import { isBusy, isDiskError } from '../database/database.ts';
import { AppError, type ErrorCode, errorTable, type FieldErrors } from '../errors.ts';

export interface ErrorResponse {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: { success: false; message: string; errors?: FieldErrors };
  /** True for a bug or a failure of the server, which the log records in full. */
  readonly isUnexpected: boolean;
}

/** Turns a thrown value into a response without internals. */
export function toErrorResponse(thrown: unknown): ErrorResponse {
  const error = thrown instanceof AppError ? thrown : toInternalError(thrown);
  const { status, retryAfterS } = errorTable[error.code];
  return {
    code: error.code,
    status,
    headers: {
      // The post may be submitted soon.
      'cache-control': 'no-store',
      ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
    },
    body: {
      success: false,
      message: status === 500 ? 'Internal error' : error.message,
      ...(error.fields === undefined ? {} : { errors: error.fields }),
    },
    isUnexpected: !(thrown instanceof AppError) || status === 500,
  };
}

function toInternalError(thrown: unknown): AppError {
  if (isBusy(thrown)) return new AppError('busy');
  if (isDiskError(thrown))
    return new AppError('busy', 'Storage unavailable: the server cannot write to disk. Try again later.');
  return new AppError('internal');
}
