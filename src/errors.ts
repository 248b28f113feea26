interface ErrorRule {
  /** HTTP status of the response. */
  readonly status: number;
  /** In the OpenAPI document, and of an error without its own. */
  readonly message: string;
  readonly retryAfterS?: number;
}

const rules = {
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
  password_link_invalid: { status: 401, message: 'Link invalid: it is wrong, used or expired' },
  metrics_token_wrong: { status: 401, message: 'Metrics token missing or wrong' },
  public_site_inactive: { status: 402, message: 'Site inactive' },
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
  body_too_slow: { status: 408, message: 'Request body too slow' },
  domain_taken: { status: 409, message: 'Domain already registered' },
  conflict: { status: 409, message: 'Conflict' },
  media_gone: { status: 410, message: 'Audio replaced or deleted' },
  body_too_large: { status: 413, message: 'Request body too large' },
  range_not_satisfiable: { status: 416, message: 'Range not satisfiable' },
  rate_limited: { status: 429, message: 'Rate limit exceeded' },
  /** Nobody receives it; for log and metrics. */
  client_disconnected: { status: 499, message: 'Client disconnected' },
  format_not_supported: { status: 501, message: 'Format not supported' },
  queue_full: { status: 503, message: 'Queue full', retryAfterS: 30 },
  bodies_waiting: { status: 503, message: 'Too many request bodies in flight', retryAfterS: 2 },
  events_waiting: { status: 503, message: 'Too many pending events', retryAfterS: 2 },
  too_many_listeners: { status: 503, message: 'Too many concurrent listeners', retryAfterS: 10 },
  disk_space_low: { status: 503, message: 'Disk space too low', retryAfterS: 60 },
  busy: { status: 503, message: 'Database busy', retryAfterS: 2 },
  sound_unavailable: { status: 503, message: 'Audio storage unavailable', retryAfterS: 10 },
  not_ready: { status: 503, message: 'Not ready', retryAfterS: 2 },
  bad_setting: { status: 500, message: 'Internal error' },
  bad_voice: { status: 500, message: 'Internal error' },
  bad_usage: { status: 500, message: 'Internal error' },
  operation_failed: { status: 500, message: 'Internal error' },
  internal: { status: 500, message: 'Internal error' },
} satisfies Record<string, ErrorRule>;
export type ErrorCode = keyof typeof rules;

export const errorTable: Readonly<Record<ErrorCode, ErrorRule>> = rules;

/** Field name → problems. */
export type FieldErrors = Record<string, string[]>;

/** The one typed error. Its message is shown to the caller as it is. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;

  /** @param message one plain sentence without internals; default: that of the code */
  constructor(code: ErrorCode, message: string = errorTable[code].message, fields?: FieldErrors) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.fields = fields;
  }
}

/** @returns the error of a command, a start or a job. @param message what failed, why, and what to do */
export function operationFailed(message: string): AppError {
  return new AppError('operation_failed', message);
}

/** @param thing such as `User` @param id as the caller named it */
export function notFound(thing: string, id: number | string, problem = 'not found'): AppError {
  return new AppError('not_found', `${thing} ${id} ${problem}`);
}

/** @returns the error for a request field with a wrong value */
export function invalid(field: string, ...problems: string[]): AppError {
  return invalidFields({ [field]: problems });
}

/** @returns the error for all request fields with a wrong value */
export function invalidFields(errors: FieldErrors): AppError {
  return new AppError('validation_failed', 'Validation failed', errors);
}

/** @throws AppError `validation_failed` if there are any */
export function throwIfInvalid(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalidFields(errors);
}

/** @returns whether work ends without an AppError, such as a check of credentials */
export async function passes(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
