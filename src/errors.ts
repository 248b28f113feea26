/** The closed list of what can go wrong for a caller. `http/error-answer.ts` alone knows their HTTP status. */
export type ErrorCode =
  | 'malformed_json'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'api_key_missing'
  | 'api_key_invalid'
  | 'site_inactive'
  | 'subscription_inactive'
  | 'trial_expired'
  | 'plan_restriction'
  | 'post_quota_exceeded'
  | 'analytics_quota_exceeded'
  | 'public_subscription_inactive'
  | 'public_trial_expired'
  | 'unknown_domain'
  | 'origin_not_allowed'
  | 'rate_limited'
  | 'not_signed_in'
  | 'sign_in_failed'
  | 'setup_link_invalid'
  | 'csrf_failed'
  | 'metrics_token_wrong'
  | 'not_allowed'
  | 'conflict'
  | 'post_not_found'
  | 'certificate_not_found'
  | 'media_not_found'
  | 'media_gone'
  | 'feed_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'range_not_satisfiable'
  | 'format_not_supported'
  | 'queue_full'
  | 'events_waiting'
  | 'too_many_listeners'
  | 'domain_taken'
  | 'busy'
  | 'not_ready'
  | 'bad_setting'
  | 'bad_voice'
  | 'bad_usage'
  | 'operation_failed'
  | 'internal';

/** Field name → what is wrong with it, as it stands in an answer. */
export type FieldErrors = Record<string, string[]>;

/** The one typed error. Its message is shown to the caller as it is. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;

  /**
   * @param code what went wrong
   * @param message one plain sentence without internals
   * @param fields per field, what is wrong with it
   */
  constructor(code: ErrorCode, message: string, fields?: FieldErrors) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.fields = fields;
  }
}

/** @returns the error for a request field with a wrong value */
export function invalid(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
