import type { ErrorCode, FieldErrors } from '../errors.ts';
import type { Access, Operation } from './endpoint.ts';
import { errorTable } from './error-response.ts';

/** A part of a JSON document. */
export type JsonObject = { readonly [member: string]: unknown };

/** Schemas of the document: those with a `title` stand once, under that name, and are referred to elsewhere. */
export interface Components {
  /** @returns the schema as the document shows it, or a reference to it */
  schema(schema: object): JsonObject;
  /** @returns what was referred to, by name */
  all(): JsonObject;
}

/** Members whose values are schemas by name, lists of schemas, and schemas. */
const schemaMaps = ['properties', 'patternProperties'];
const schemaLists = ['anyOf', 'allOf', 'oneOf'];
const schemaMembers = ['items', 'additionalProperties', 'not'];

export function createComponents(): Components {
  const found = new Map<string, JsonObject>();
  const refer = (schema: object): JsonObject => {
    const { title, ...shown } = show(schema as JsonObject);
    if (typeof title !== 'string') return shown;
    const known = found.get(title);
    if (known !== undefined && !Bun.deepEquals(known, shown)) {
      throw new Error(`two schemas are called ${title}`);
    }
    found.set(title, shown);
    return { $ref: `#/components/schemas/${title}` };
  };
  const show = (schema: JsonObject): JsonObject => {
    const shown = Object.entries(schema).map(([member, value]) => {
      if (schemaMaps.includes(member)) return [member, mapValues(value as object, refer)];
      if (schemaLists.includes(member)) return [member, (value as object[]).map(refer)];
      if (schemaMembers.includes(member) && isObject(value)) return [member, refer(value)];
      return [member, value];
    });
    return joinAlternatives(Object.fromEntries(shown));
  };
  return { schema: refer, all: () => Object.fromEntries([...found].sort(byName)) };
}

/** A choice of values becomes an `enum`, and of a type or null a list of types: both are read more easily. */
function joinAlternatives(schema: JsonObject): JsonObject {
  const { anyOf: branches, ...rest } = schema;
  if (!Array.isArray(branches)) return schema;
  const values = branches.map((branch: JsonObject) => branch['const']);
  const types = new Set(branches.map((branch: JsonObject) => branch['type']));
  if (!values.includes(undefined) && types.size === 1) {
    return { ...rest, type: [...types][0], enum: values };
  }
  const [value, nothing] = branches as JsonObject[];
  const isNullable = branches.length === 2 && nothing?.['type'] === 'null';
  if (!isNullable || value === undefined || typeof value['type'] !== 'string') return schema;
  const options = Array.isArray(value['enum']) ? { enum: [...value['enum'], null] } : {};
  return { ...value, ...rest, type: [value['type'], 'null'], ...options };
}

function mapValues(map: object, change: (value: object) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

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

/** What the document says before the first operation. */
export const introduction = `Lectern turns written posts into spoken audio: hand a post in, ask for its status about every three seconds until
that is \`ready\` or \`failed\`, then play the MP3 that \`audio_url\` names.

Every JSON answer is an envelope: \`{"success": true, "message", "data"}\`, or \`{"success": false, "message", "errors"}\` where
\`errors\`, if there, maps a field to a list of what is wrong with it. Every answer carries \`X-Request-Id\`, which stands in the
server's log too. Unknown members of a request are ignored; timestamps are ISO 8601 in UTC. A path that doesn't exist is
answered with 404, a wrong method with 405 and \`Allow\`, both in the envelope.

The rate headers stand on every answer given at or after the rate check. After a 429 wait as long as \`Retry-After\` says.`;

/** The parts of the API, in the order in which they are shown. */
export const tags: Readonly<Record<string, string>> = {
  Audio:
    'Hand posts in, ask how far they are, take them back. With a key of the site, from servers only.',
  Public: 'What pages and players ask, by a domain of the site. Answers carry CORS headers.',
  Media: 'MP3s and their timings. Their addresses can’t be guessed and need nothing else.',
  Events: 'What listeners do.',
  Voices: 'Installed voices.',
  Session: 'Signing in and out of the dashboard.',
  Sites: 'Sites, their plans and subscriptions.',
  Domains: 'Host names of a site: pages there may play its audio.',
  Keys: 'API keys of a site. A key is shown once, when it is made.',
  Posts: 'The posts of a site, as its dashboard shows them.',
  Sources: 'Feeds whose new items become posts of a site.',
  System: 'The queue and the installation, for admins.',
  Pronunciations: 'How a site has words pronounced.',
  Analytics: 'What listeners of a site did, and what its keys asked.',
  Webhooks: 'Where a site is told of its audio, and what was delivered.',
  Users: 'Who may sign in, with a part in which site; the audit log.',
  Operation: 'Whether the server is well; its description.',
};

/** How callers show who they are. */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key of the site, `svc_live_…`. From servers only, never in a browser.',
  },
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The same key, as clients of OpenAI send theirs; `X-API-Key` counts where both are there.',
  },
  bearerSession: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `token` of a sign-in.',
  },
  cookieSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lectern_session',
    description: 'Set by a sign-in; browsers send it by themselves.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description:
      'The `csrf_token` of a sign-in; needed beside the cookie by whatever changes something.',
  },
};

/** Headers of answers. */
export const sharedHeaders = {
  'X-Request-Id': {
    description: 'Names the request; in the server’s log too',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '0b8f3c1e-5b0e-4f43-9a43-0a4f3f1c2d11',
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in 60 s',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this window',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'Retry-After': {
    description: 'Whole seconds to wait',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  ETag: {
    description: 'For `If-None-Match`',
    required: true,
    schema: { type: 'string' },
    example: '"nM9oR0hXn8l1qkGqO5Zc6dT0G9s"',
  },
};
