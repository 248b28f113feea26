import type { TObject, TSchema } from '@sinclair/typebox';
import { capitalize } from '../capitalize.ts';
import { type ErrorCode, errorTable, type FieldErrors } from '../errors.ts';
import {
  type Access,
  type EndpointSpec,
  errorsBeforeRateCheck,
  getEndpointSpec,
  listErrors,
  type ResponseSpec,
} from './endpoint.ts';

export interface MountedRoute {
  readonly method: string;
  /** Like `/v1/audio/:post_id/status`. */
  readonly path: string;
  readonly hooks: { readonly detail?: object };
}

export interface ServerInfo {
  readonly baseUrl: string;
  readonly version: string;
}

/** Undefined members are omitted. */
type JsonObject = { readonly [member: string]: unknown };

const introduction = `Lectern turns articles into spoken audio: submit a post, poll its status about every three seconds until it
is \`ready\` or \`failed\`, then play the MP3 at \`audio_url\`.

Every JSON response is an envelope: \`{"success": true, "message", "data"}\`, or \`{"success": false, "message", "errors"}\` where
\`errors\`, if present, maps a field name to a list of problems. Every response carries \`X-Request-Id\`, which is also in the
server log. What is ignored of a request body, such as unknown members, is listed in \`warnings\` of the response; timestamps are ISO 8601
in UTC. An unknown path is
answered with 404, a wrong method with 405 and \`Allow\`, both in the envelope.

Every response given at or after the rate check carries the rate-limit headers. After a 429, wait for \`Retry-After\`.`;

/** In display order. */
const tags: Readonly<Record<string, string>> = {
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

const keyHeader = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description });

const securitySchemes = {
  apiKey: keyHeader('X-API-Key', 'API key of the site (`svc_live_…`). For servers only; never use it in a browser.'),
  bearerKey: bearer('The same API key as a bearer token, as OpenAI clients send it. `X-API-Key` takes precedence.'),
  bearerSession: bearer('Session `token` returned by sign-in.'),
  cookieSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lectern_session',
    description: 'Session cookie set by sign-in; browsers send it automatically.',
  },
  csrfToken: keyHeader(
    'X-CSRF-Token',
    '`csrf_token` returned by sign-in. Required with the cookie for every request that changes data.',
  ),
};

const header = (description: string, schema: JsonObject, example: unknown, required?: true) => ({
  ...{ description, required, schema, example },
});

const requestId = '0b8f3c1e-5b0e-4f43-9a43-0a4f3f1c2d11';
const sharedHeaders = {
  'X-Request-Id': header('Request id; also in the server log', { type: 'string', format: 'uuid' }, requestId, true),
  'X-RateLimit-Limit': header('Requests allowed in 60 s', { type: 'integer', minimum: 1 }, 60),
  'X-RateLimit-Remaining': header('Requests remaining in this window', { type: 'integer', minimum: 0 }, 59),
  'Retry-After': header('Seconds to wait before the next request', { type: 'integer', minimum: 1 }, 12, true),
  ETag: header('For `If-None-Match`', { type: 'string' }, '"nM9oR0hXn8l1qkGqO5Zc6dT0G9s"', true),
};

/** Only in responses to a JSON body. */
const warningsSchema = {
  type: 'array',
  description:
    'Missing without any: unknown members of the body, SSML values without effect, a language other than that of the content',
  items: { type: 'string' },
  example: ['Unknown field ignored: titel'],
};

const errorSchema = {
  type: 'object',
  title: 'Error',
  required: ['success', 'message'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'What failed, in one sentence' },
    errors: {
      type: 'object',
      description: 'Field name → list of problems. For quota and plan errors: usage and limit.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    warnings: warningsSchema,
  },
};

/** @returns the OpenAPI 3.1 document of all routes with a spec */
export function buildOpenApiDocument(routes: readonly MountedRoute[], { baseUrl, version }: ServerInfo): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, JsonObject>> = {};
  const usedCodes = new Set<ErrorCode>();
  const usedTags = new Set<string>();
  for (const { method, path, hooks } of routes) {
    const spec = getEndpointSpec(hooks);
    if (spec === undefined) continue;
    const codes = listErrors(method, spec);
    for (const code of codes) usedCodes.add(code);
    usedTags.add(spec.tag);
    // `/v1/audio/:post_id/status` → `/v1/audio/{post_id}/status`
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: buildOperation(method, path, spec, codes, components),
    };
  }
  const tagNames = new Set([...Object.keys(tags), ...usedTags]).intersection(usedTags);
  const examples = [...usedCodes].sort().map((code) => {
    const { message } = errorTable[code];
    return [code, { summary: message, value: { success: false, message, errors: exampleFields[code] } }];
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lectern',
      version,
      summary: 'Text-to-speech for articles',
      description: introduction,
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: baseUrl }],
    tags: [...tagNames].map((name) => ({ name, description: tags[name] })),
    paths,
    components: {
      schemas: components.all(),
      securitySchemes,
      headers: sharedHeaders,
      examples: Object.fromEntries(examples),
    },
  };
}

function buildOperation(
  method: string,
  path: string,
  spec: EndpointSpec,
  codes: readonly ErrorCode[],
  components: Components,
): JsonObject {
  const { summary, description, tag, access, body, bodyExample, bodyOptional = false } = spec;
  const parameters = buildParameters(path, spec, components);
  const content = body && { schema: components.refer(body), example: bodyExample };
  const bodyTypes = spec.bodyTypes ?? ['application/json'];
  const success = Object.entries(spec.responses).map(([status, response]) => [
    status,
    buildSuccessResponse(Number(status), response, spec, components),
  ]);
  const ordered = (Object.keys(errorTable) as ErrorCode[]).filter((code) => codes.includes(code));
  const failure = [...Map.groupBy(ordered, (code) => errorTable[code].status)].map(([status, some]) => [
    status,
    buildErrorResponse(status, some, spec, components),
  ]);
  return {
    operationId: buildOperationId(method, path),
    tags: [tag],
    summary,
    description,
    security: buildSecurity(access, method),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: content && {
      required: !bodyOptional,
      content: {
        ...Object.fromEntries(bodyTypes.map((type) => [type, content])),
        ...Object.fromEntries(
          Object.keys(spec.bodyConverters ?? {}).map((type) => [type, { schema: { type: 'string' } }]),
        ),
      },
    },
    responses: Object.fromEntries([...success, ...failure]),
  };
}

/** `GET /v1/audio/:post_id/status` → `getAudioByPostIdStatus` */
function buildOperationId(method: string, path: string): string {
  const words =
    path
      .replace(/^\/v1\//, '')
      .replace(/:/g, 'by_')
      .match(/[A-Za-z0-9]+/g) ?? [];
  return method.toLowerCase() + words.map(capitalize).join('');
}

function buildSecurity(access: Access, method: string): JsonObject[] {
  const key = { apiKey: [] };
  const bearerKey = { bearerKey: [] };
  const csrf = ['GET', 'HEAD'].includes(method) ? {} : { csrfToken: [] };
  const session = [{ bearerSession: [] }, { cookieSession: [], ...csrf }];
  if (access === 'key') return [key];
  if (access === 'session') return session;
  if (access === 'key or bearer') return [key, bearerKey];
  if (access === 'key or session') return [key, bearerKey, ...session];
  return [];
}

function buildParameters(path: string, spec: EndpointSpec, components: Components): JsonObject[] {
  const { params, query, requestHeaders, responses } = spec;
  const build = (place: string, name: string, schema: object, required: boolean): JsonObject => {
    const { description, ...shown } = components.refer(schema);
    return { name, in: place, required, description, schema: shown };
  };
  const buildAll = (place: string, schema: TObject | undefined): JsonObject[] =>
    Object.entries(schema?.properties ?? {}).map(([name, member]) =>
      build(place, name, member, schema?.required?.includes(name) ?? false),
    );
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    build('path', name, params?.properties[name] ?? { type: 'string' }, true),
  );
  const ifNoneMatch = {
    type: 'string',
    description: '`ETag` of a cached response. The server answers 304 while it is current.',
  };
  return [
    ...inPath,
    ...buildAll('query', query),
    ...buildAll('header', requestHeaders),
    ...(responses[304] === undefined ? [] : [build('header', 'If-None-Match', ifNoneMatch, false)]),
  ];
}

function buildSuccessResponse(
  status: number,
  { description, headers = {}, ...response }: ResponseSpec,
  spec: EndpointSpec,
  components: Components,
): JsonObject {
  const documented = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  const hasEtag = spec.responses[304] !== undefined && [200, 206, 304].includes(status);
  const content = buildContent(response, spec, components);
  return {
    description,
    headers: {
      ...buildHeaderRefs(['X-Request-Id', ...listRateHeaders(spec, true), ...(hasEtag ? ['ETag'] : [])]),
      ...Object.fromEntries(documented),
    },
    content: Object.keys(content).length === 0 ? undefined : content,
  };
}

function buildContent(
  { data, message, content, example = data?.['examples']?.[0] }: Omit<ResponseSpec, 'description'>,
  { body: requestBody, bodyHandling }: EndpointSpec,
  components: Components,
): JsonObject {
  const contents: Record<string, JsonObject> = {};
  const hasWarnings = requestBody !== undefined && bodyHandling !== 'unread';
  if (data !== undefined || message !== undefined) {
    const body = { success: true, message: message ?? 'OK', data: data && example };
    contents['application/json'] = { schema: buildEnvelopeSchema(data, hasWarnings, components), example: body };
  }
  for (const other of content === undefined ? [] : [content].flat()) {
    contents[other.type] = { schema: components.refer(other.schema), example: other.example };
  }
  return contents;
}

function buildEnvelopeSchema(data: TSchema | undefined, hasWarnings: boolean, components: Components): JsonObject {
  return {
    type: 'object',
    required: ['success', 'message', ...(data === undefined ? [] : ['data'])],
    properties: {
      success: { const: true },
      message: { type: 'string' },
      data: data && components.refer(data),
      ...(hasWarnings && { warnings: warningsSchema }),
    },
  };
}

function buildErrorResponse(
  status: number,
  codes: readonly ErrorCode[],
  spec: EndpointSpec,
  components: Components,
): JsonObject {
  const { errorBody } = spec;
  const isCounted = codes.some((code) => !errorsBeforeRateCheck.includes(code));
  const rate = status === 429 ? rateHeaderNames : listRateHeaders(spec, isCounted);
  const later = [429, 503].includes(status) ? ['Retry-After'] : [];
  const messages = new Set(codes.map((code) => errorTable[code].message));
  const properties = { ...errorSchema.properties, ...errorBody?.properties };
  const schema = errorBody === undefined ? errorSchema : { ...errorSchema, title: errorBody.title, properties };
  return {
    description: [...messages].join(' · '),
    headers: buildHeaderRefs(['X-Request-Id', ...rate, ...later]),
    content: {
      'application/json': {
        schema: components.refer(schema),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

const rateHeaderNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining'];

function listRateHeaders({ access }: EndpointSpec, isCounted: boolean): string[] {
  return isCounted && !['session', 'none'].includes(access) ? rateHeaderNames : [];
}

function buildHeaderRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Schemas with a `title` are listed once under that name and referenced elsewhere. */
class Components {
  readonly #schemas = new Map<string, JsonObject>();

  /** @returns the schema as the document shows it, or a reference to it */
  refer(schema: object): JsonObject {
    // Examples are part of the responses.
    const { title, examples: _, ...shown } = this.#show(schema as JsonObject);
    if (typeof title !== 'string') return shown;
    const existing = this.#schemas.get(title);
    if (existing !== undefined && !Bun.deepEquals(existing, shown)) throw new Error(`two schemas are called ${title}`);
    this.#schemas.set(title, shown);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** @returns the referenced schemas by name */
  all(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #show(schema: JsonObject): JsonObject {
    const members = Object.entries(schema).map(([member, value]) => [member, this.#showMember(member, value)]);
    return simplifyUnion(Object.fromEntries(members));
  }

  #showMember(member: string, value: unknown): unknown {
    if (['properties', 'patternProperties'].includes(member)) {
      return Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, this.refer(schema)]));
    }
    if (['anyOf', 'allOf', 'oneOf'].includes(member)) return (value as object[]).map((variant) => this.refer(variant));
    const isSchema = ['items', 'additionalProperties', 'not'].includes(member) && typeof value === 'object';
    return isSchema && value !== null ? this.refer(value) : value;
  }
}

/** Literals become an `enum`, a nullable type a list of types, which are easier to read. */
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

const exampleFields: Partial<Record<ErrorCode, FieldErrors>> = {
  validation_failed: { post_id: ['must be at most 255 characters'] },
  plan_restriction: { plan: ['the REST API needs the enterprise plan; this site has growth'] },
  post_quota_exceeded: { quota: ['500 of 500 posts used in 2026-11'] },
  analytics_quota_exceeded: { quota: ['10000 of 10000 events used in 2026-11'] },
  not_ready: { worker: ['no speech worker answers'] },
};
