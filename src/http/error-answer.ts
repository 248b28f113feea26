import { isBusy, isDiskProblem } from '../database/open.ts';
import { AppError, type ErrorCode, type FieldErrors } from '../errors.ts';

/** The one place that knows HTTP statuses. */
const statusOf: Record<ErrorCode, number> = {
  malformed_json: 400,
  unsupported_media_type: 415,
  validation_failed: 422,
  api_key_missing: 401,
  api_key_invalid: 401,
  site_inactive: 401,
  subscription_inactive: 401,
  trial_expired: 401,
  plan_restriction: 403,
  post_not_found: 404,
  media_not_found: 404,
  media_gone: 410,
  not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  range_not_satisfiable: 416,
  queue_full: 503,
  domain_taken: 409,
  busy: 503,
  not_ready: 503,
  bad_setting: 500,
  bad_voice: 500,
  bad_usage: 500,
  operation_failed: 500,
  internal: 500,
};

const retryAfterS: Partial<Record<ErrorCode, number>> = { queue_full: 30, busy: 2, not_ready: 2 };

/** An error as a client sees it. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: { success: false; message: string; errors?: FieldErrors };
  /** True for a fault of ours: the log wants it whole. */
  readonly unexpected: boolean;
}

/** Turns whatever was thrown into an answer; nothing internal gets out. */
export function errorAnswer(thrown: unknown): ErrorAnswer {
  const error = thrown instanceof AppError ? thrown : unexpectedError(thrown);
  const status = statusOf[error.code];
  const retryAfter = retryAfterS[error.code];
  return {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: {
      success: false,
      message: status === 500 ? 'Internal error' : error.message,
      ...(error.fields === undefined ? {} : { errors: error.fields }),
    },
    unexpected: !(thrown instanceof AppError) || status === 500,
  };
}

function unexpectedError(thrown: unknown): AppError {
  if (isBusy(thrown)) return new AppError('busy', 'The database is busy');
  if (isDiskProblem(thrown))
    return new AppError('busy', 'The server cannot store anything just now');
  return new AppError('internal', 'Internal error');
}
