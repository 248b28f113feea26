import { type ErrorCode, errorTable, type FieldErrors } from '../errors.ts';
import type { Access, EndpointSpec } from './endpoint.ts';

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
    // Examples stand at the answers.
    const { title, examples: _, ...shown } = show(schema as JsonObject);
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
    return simplifyUnion(Object.fromEntries(shown));
  };
  return { schema: refer, all: () => Object.fromEntries([...found].sort(compareByName)) };
}

/** A choice of values becomes an `enum`, and of a type or null a list of types: both are read more easily. */
function simplifyUnion(schema: JsonObject): JsonObject {
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

function compareByName([one]: [string, unknown], [other]: [string, unknown]): number {
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
const errorsBeforeRateCheck: readonly ErrorCode[] = [
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
export function listErrors(method: string, operation: EndpointSpec): ErrorCode[] {
  const { access, role, params, query, body, errors = [] } = operation;
  const changes = !['GET', 'HEAD'].includes(method);
  const codes: ErrorCode[] = [...listAccessErrors(access, changes)];
  if (role !== undefined && role !== 'viewer') codes.push('not_allowed');
  if (body !== undefined) codes.push('malformed_json', 'unsupported_media_type', 'body_too_large');
  if (body !== undefined || query !== undefined) codes.push('validation_failed');
  if (params !== undefined) codes.push('not_found');
  if (changes && (params !== undefined || body !== undefined)) codes.push('busy');
  return [...new Set([...codes, ...errors])];
}

/** @returns codes by status, both in the order of the table */
export function groupByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const ordered = (Object.keys(errorTable) as ErrorCode[]).filter((code) => codes.includes(code));
  return Map.groupBy(ordered, (code) => errorTable[code].status);
}

/** Whether an answer with one of these codes may carry rate headers. */
export function mayHaveRateHeaders(codes: readonly ErrorCode[]): boolean {
  return codes.some((code) => !errorsBeforeRateCheck.includes(code));
}

/** @returns the body of an error as a caller sees it */
export function buildErrorExample(code: ErrorCode): JsonObject {
  const errors = exampleFields[code];
  const { message } = errorTable[code];
  return { success: false, message, ...(errors === undefined ? {} : { errors }) };
}

function listAccessErrors(access: Access, changes: boolean): readonly ErrorCode[] {
  const session: ErrorCode[] = ['not_signed_in', ...(changes ? (['csrf_failed'] as const) : [])];
  if (access === 'key' || access === 'key or bearer') return [...keyErrors, 'rate_limited'];
  if (access === 'domain') return [...domainErrors, 'rate_limited'];
  if (access === 'session') return session;
  if (access === 'key or session') return [...keyErrors, ...session, 'rate_limited'];
  return [];
}

/** What the document says before the first operation. */
export const introduction = `Lectern turns articles into spoken audio: submit a post, poll its status about every three seconds until it
is \`ready\` or \`failed\`, then play the MP3 at \`audio_url\`.

Every JSON response is an envelope: \`{"success": true, "message", "data"}\`, or \`{"success": false, "message", "errors"}\` where
\`errors\`, if present, maps a field name to a list of problems. Every response carries \`X-Request-Id\`, which is also in the
server log. Unknown members of a request are ignored; timestamps are ISO 8601 in UTC. An unknown path is
answered with 404, a wrong method with 405 and \`Allow\`, both in the envelope.

Every response given at or after the rate check carries the rate-limit headers. After a 429, wait for \`Retry-After\`.`;

/** The parts of the API, in the order in which they are shown. */
export const tags: Readonly<Record<string, string>> = {
  Audio: 'Submit posts, poll their status, delete them. Requires an API key; call from servers only.',
  Public: 'Routes for web pages and players, identified by a domain of the site. Responses carry CORS headers.',
  Media: 'MP3 files and their timings. URLs are unguessable and need no credentials.',
  Events: 'Playback events of listeners.',
  Voices: 'Installed voices.',
  Session: 'Signing in and out of the dashboard.',
  Sites: 'Sites, their plans and subscriptions.',
  Domains: 'Host names of a site. Pages on these hosts may play its audio.',
  Keys: 'API keys of a site. A key is shown once, when it is created.',
  Posts: 'The posts of a site.',
  Sources: 'RSS, Atom and JSON feeds. New items become posts of the site.',
  System: 'Queue and installation. Requires the admin role.',
  Pronunciations: 'Pronunciations of words, per site or for the installation.',
  Analytics: 'Listening statistics and API key usage of a site.',
  Webhooks: 'Webhook endpoints of a site and their deliveries.',
  Users: 'Users, their roles on sites, and the audit log.',
  Operation: 'Health checks, metrics and this API description.',
};

/** How callers show who they are. */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'API key of the site (`svc_live_…`). For servers only; never use it in a browser.',
  },
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as a bearer token, as OpenAI clients send it. `X-API-Key` takes precedence.',
  },
  bearerSession: {
    type: 'http',
    scheme: 'bearer',
    description: 'Session `token` returned by sign-in.',
  },
  cookieSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lectern_session',
    description: 'Session cookie set by sign-in; browsers send it automatically.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: '`csrf_token` returned by sign-in. Required with the cookie for every request that changes data.',
  },
};

/** Headers of answers. */
export const sharedHeaders = {
  'X-Request-Id': {
    description: 'Request id; also in the server log',
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
    description: 'Requests remaining in this window',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request',
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
