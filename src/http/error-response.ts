import { isBusy, isDiskError } from '../database/open.ts';
import { AppError, type ErrorCode, type FieldErrors } from '../errors.ts';

interface ErrorRule {
  readonly status: number;
  /** As the description shows it; where something can be named, the answer is more exact. */
  readonly message: string;
  readonly retryAfterS?: number;
}

/** The one place that knows HTTP statuses. */
export const errorTable: Readonly<Record<ErrorCode, ErrorRule>> = {
  malformed_json: { status: 400, message: 'Malformed JSON' },
  unsupported_media_type: { status: 415, message: 'Content-Type must be application/json' },
  validation_failed: { status: 422, message: 'Validation failed' },
  api_key_missing: { status: 401, message: 'API key missing' },
  api_key_invalid: { status: 401, message: 'API key invalid' },
  site_inactive: { status: 401, message: 'Site inactive' },
  subscription_inactive: { status: 401, message: 'Subscription inactive' },
  trial_expired: { status: 401, message: 'Trial expired' },
  not_signed_in: { status: 401, message: 'Not signed in' },
  sign_in_failed: { status: 401, message: 'Wrong e-mail address or password' },
  setup_link_invalid: { status: 401, message: 'Setup link invalid: it is wrong, used or expired' },
  metrics_token_wrong: { status: 401, message: 'Metrics token missing or wrong' },
  public_subscription_inactive: { status: 402, message: 'Subscription inactive' },
  public_trial_expired: { status: 402, message: 'Trial expired' },
  plan_restriction: { status: 403, message: 'Plan restriction' },
  post_quota_exceeded: { status: 403, message: 'Monthly post quota exceeded' },
  analytics_quota_exceeded: { status: 403, message: 'Analytics quota exceeded' },
  origin_not_allowed: { status: 403, message: 'Origin not allowed' },
  csrf_failed: { status: 403, message: 'CSRF token missing or wrong' },
  not_allowed: { status: 403, message: 'Not allowed' },
  unknown_domain: { status: 404, message: 'Unknown domain' },
  post_not_found: { status: 404, message: 'Post not found' },
  certificate_not_found: { status: 404, message: 'No finished audio yet' },
  media_not_found: { status: 404, message: 'Media not found' },
  feed_not_found: { status: 404, message: 'Feed disabled for this site' },
  not_found: { status: 404, message: 'Not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  domain_taken: { status: 409, message: 'Domain already registered' },
  conflict: { status: 409, message: 'Conflict' },
  media_gone: { status: 410, message: 'Audio replaced or deleted' },
  body_too_large: { status: 413, message: 'Request body too large' },
  range_not_satisfiable: { status: 416, message: 'Range not satisfiable' },
  rate_limited: { status: 429, message: 'Rate limit exceeded' },
  format_not_supported: { status: 501, message: 'Format not supported' },
  queue_full: { status: 503, message: 'Queue full', retryAfterS: 30 },
  events_waiting: { status: 503, message: 'Too many pending events', retryAfterS: 2 },
  too_many_listeners: { status: 503, message: 'Too many concurrent listeners', retryAfterS: 10 },
  busy: { status: 503, message: 'Database busy', retryAfterS: 2 },
  not_ready: { status: 503, message: 'Not ready', retryAfterS: 2 },
  bad_setting: { status: 500, message: 'Internal error' },
  bad_voice: { status: 500, message: 'Internal error' },
  bad_usage: { status: 500, message: 'Internal error' },
  operation_failed: { status: 500, message: 'Internal error' },
  internal: { status: 500, message: 'Internal error' },
};

/** An error as a client sees it. */
export interface ErrorResponse {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: { success: false; message: string; errors?: FieldErrors };
  /** True for a fault of ours: the log wants it whole. */
  readonly isUnexpected: boolean;
}

/** Turns whatever was thrown into an answer; nothing internal gets out. */
export function toErrorResponse(thrown: unknown): ErrorResponse {
  const error = thrown instanceof AppError ? thrown : toInternalError(thrown);
  const { status, retryAfterS } = errorTable[error.code];
  return {
    code: error.code,
    status,
    headers: {
      // A post that isn't there yet may be there in a moment.
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
  if (isBusy(thrown)) return new AppError('busy', 'Database busy');
  if (isDiskError(thrown))
    return new AppError('busy', 'Storage unavailable: the server cannot write to disk. Try again later.');
  return new AppError('internal', 'Internal error');
}
