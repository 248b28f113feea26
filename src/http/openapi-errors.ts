import type { ErrorCode, FieldErrors } from '../errors.ts';
import { errorTable } from './error-answer.ts';
import type { JsonObject } from './openapi-schemas.ts';
import type { Access, Operation } from './operation.ts';

const keyErrors: readonly ErrorCode[] = [
  'api_key_missing',
  'api_key_invalid',
  'site_inactive',
  'subscription_inactive',
  'trial_expired',
  'plan_restriction',
];
const domainErrors: readonly ErrorCode[] = [
  'unknown_domain',
  'origin_not_allowed',
  'public_subscription_inactive',
  'public_trial_expired',
  'validation_failed',
];

/** Given before anything is counted: such an answer has no rate headers. */
const beforeRate: readonly ErrorCode[] = [
  ...keyErrors,
  'unknown_domain',
  'origin_not_allowed',
  'not_signed_in',
  'sign_in_failed',
  'csrf_failed',
];

/** What `errors` shows in the examples. */
const exampleFields: Partial<Record<ErrorCode, FieldErrors>> = {
  validation_failed: { post_id: ['must be at most 255 characters'] },
  plan_restriction: { plan: ['the REST API needs the enterprise plan; this site has growth'] },
  post_quota_exceeded: { quota: ['500 of 500 posts used in 2026-11'] },
  analytics_quota_exceeded: { quota: ['10000 of 10000 events used in 2026-11'] },
  not_ready: { worker: ['no speech worker answers'] },
};

/** @returns every code that an operation may answer with, each once */
export function errorsOf(method: string, operation: Operation): ErrorCode[] {
  const { access, params, query, body, errors = [] } = operation;
  const changes = !['GET', 'HEAD'].includes(method);
  const codes: ErrorCode[] = [...accessErrors(access, changes)];
  if (body !== undefined) codes.push('malformed_json', 'unsupported_media_type', 'body_too_large');
  if (body !== undefined || query !== undefined) codes.push('validation_failed');
  if (params !== undefined) codes.push('not_found');
  if (changes && (params !== undefined || body !== undefined)) codes.push('busy');
  return [...new Set([...codes, ...errors])];
}

/** @returns codes by status, both in the order of the table */
export function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const ordered = (Object.keys(errorTable) as ErrorCode[]).filter((code) => codes.includes(code));
  return Map.groupBy(ordered, (code) => errorTable[code].status);
}

/** Whether an answer with one of these codes may carry rate headers. */
export function mayBeCounted(codes: readonly ErrorCode[]): boolean {
  return codes.some((code) => !beforeRate.includes(code));
}

/** @returns the body of an error as a caller sees it */
export function errorExample(code: ErrorCode): JsonObject {
  const errors = exampleFields[code];
  const { message } = errorTable[code];
  return { success: false, message, ...(errors === undefined ? {} : { errors }) };
}

function accessErrors(access: Access, changes: boolean): readonly ErrorCode[] {
  const session: ErrorCode[] = ['not_signed_in', ...(changes ? (['csrf_failed'] as const) : [])];
  if (access === 'key' || access === 'key or bearer') return [...keyErrors, 'rate_limited'];
  if (access === 'domain') return [...domainErrors, 'rate_limited'];
  if (access === 'session') return session;
  if (access === 'key or session') return [...keyErrors, ...session, 'rate_limited'];
  return [];
}
