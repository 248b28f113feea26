import type { TObject, TSchema } from '@sinclair/typebox';
import { type ErrorCode, errorTable } from '../errors.ts';
import { type Access, type EndpointSpec, getEndpointSpec, type ResponseSpec } from './endpoint.ts';
import {
  buildErrorExample,
  type Components,
  createComponents,
  groupByStatus,
  introduction,
  type JsonObject,
  listErrors,
  mayHaveRateHeaders,
  securitySchemes,
  sharedHeaders,
  tags,
} from './openapi-schemas.ts';

/** A route as it is mounted. */
export interface MountedRoute {
  readonly method: string;
  /** Like `/v1/audio/:post_id/status`. */
  readonly path: string;
  readonly hooks: { readonly detail?: object };
}

/** Where and what is described. */
export interface ServerInfo {
  readonly baseUrl: string;
  readonly version: string;
}

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
  },
};

/** @returns the OpenAPI 3.1 document of every mounted route that is described */
export function buildOpenApiDocument(routes: readonly MountedRoute[], { baseUrl, version }: ServerInfo): JsonObject {
  const components = createComponents();
  const paths: Record<string, Record<string, JsonObject>> = {};
  const usedCodes = new Set<ErrorCode>();
  for (const { method, path, hooks } of routes) {
    const operation = getEndpointSpec(hooks);
    if (operation === undefined) continue;
    const codes = listErrors(method, operation);
    for (const code of codes) usedCodes.add(code);
    const template = toPathTemplate(path);
    const described = buildOperation(method, path, operation, codes, components);
    paths[template] = { ...paths[template], [method.toLowerCase()]: described };
  }
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
    tags: buildTags(routes),
    paths,
    components: {
      schemas: components.all(),
      securitySchemes,
      headers: sharedHeaders,
      examples: Object.fromEntries(
        [...usedCodes]
          .sort()
          .map((code) => [code, { summary: errorTable[code].message, value: buildErrorExample(code) }]),
      ),
    },
  };
}

/** `/v1/audio/:post_id/status` → `/v1/audio/{post_id}/status` */
function toPathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function buildOperation(
  method: string,
  path: string,
  operation: EndpointSpec,
  codes: readonly ErrorCode[],
  components: Components,
): JsonObject {
  const { summary, description, tag, access, body } = operation;
  const parameters = buildParameters(path, operation, components);
  return {
    operationId: buildOperationId(method, path),
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: buildSecurity(access, method),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: buildRequestBody(body, operation, components) }),
    responses: buildResponses(operation, codes, components),
  };
}

/** `GET /v1/audio/:post_id/status` → `getAudioByPostIdStatus` */
function buildOperationId(method: string, path: string): string {
  const words = path
    .replace(/^\/v1\//, '')
    .replace(/:/g, 'by_')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const rest = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return method.toLowerCase() + rest.join('');
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

function buildParameters(path: string, operation: EndpointSpec, components: Components): JsonObject[] {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const inPath = named.map((name) =>
    buildParameter('path', name, operation.params?.properties[name] ?? { type: 'string' }, components),
  );
  const { query, requestHeaders, responses: answers } = operation;
  const ifNoneMatch = {
    type: 'string',
    description: '`ETag` of a cached response. The server answers 304 while it is current.',
  };
  return [
    ...inPath,
    ...buildParametersIn('query', query, components),
    ...buildParametersIn('header', requestHeaders, components),
    ...(answers[304] === undefined ? [] : [buildParameter('header', 'If-None-Match', ifNoneMatch, components, false)]),
  ];
}

function buildParametersIn(
  place: 'query' | 'header',
  schema: TObject | undefined,
  components: Components,
): JsonObject[] {
  if (schema === undefined) return [];
  return Object.entries(schema.properties).map(([name, member]) =>
    buildParameter(place, name, member, components, schema.required?.includes(name) ?? false),
  );
}

function buildParameter(
  place: 'path' | 'query' | 'header',
  name: string,
  schema: object,
  components: Components,
  required = true,
): JsonObject {
  const { description, ...shown } = components.schema(schema);
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: shown,
  };
}

function buildRequestBody(body: TSchema, operation: EndpointSpec, components: Components): JsonObject {
  const { bodyExample, bodyOptional = false, bodyTypes = ['application/json'] } = operation;
  const content = {
    schema: components.schema(body),
    ...(bodyExample === undefined ? {} : { example: bodyExample }),
  };
  return {
    required: !bodyOptional,
    content: Object.fromEntries(bodyTypes.map((type) => [type, content])),
  };
}

function buildResponses(operation: EndpointSpec, codes: readonly ErrorCode[], components: Components): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const [status, answer] of Object.entries(operation.responses)) {
    responses[status] = buildSuccessResponse(Number(status), answer, operation, components);
  }
  for (const [status, some] of groupByStatus(codes)) {
    responses[status] = buildErrorResponse(status, some, operation, components);
  }
  return responses;
}

function buildSuccessResponse(
  status: number,
  answer: ResponseSpec,
  operation: EndpointSpec,
  components: Components,
): JsonObject {
  const own = Object.entries(answer.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const hasEtag = operation.responses[304] !== undefined && [200, 206, 304].includes(status);
  const content = buildContent(answer, components);
  return {
    description: answer.description,
    headers: {
      ...buildHeaderRefs(['X-Request-Id', ...listRateHeaders(operation, true)]),
      ...(hasEtag ? buildHeaderRefs(['ETag']) : {}),
      ...Object.fromEntries(own),
    },
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

function buildContent(
  { data, message, content, example = data?.['examples']?.[0] }: ResponseSpec,
  components: Components,
) {
  const contents: Record<string, JsonObject> = {};
  if (data !== undefined || message !== undefined) {
    const body = { success: true, message: message ?? 'OK', ...(data && { data: example }) };
    contents['application/json'] = { schema: buildEnvelopeSchema(data, components), example: body };
  }
  for (const other of content === undefined ? [] : [content].flat()) {
    contents[other.type] = {
      schema: components.schema(other.schema),
      ...(other.example === undefined ? {} : { example: other.example }),
    };
  }
  return contents;
}

function buildEnvelopeSchema(data: TSchema | undefined, components: Components): JsonObject {
  return {
    type: 'object',
    required: ['success', 'message', ...(data === undefined ? [] : ['data'])],
    properties: {
      success: { const: true },
      message: { type: 'string' },
      ...(data === undefined ? {} : { data: components.schema(data) }),
    },
  };
}

function buildErrorResponse(
  status: number,
  codes: readonly ErrorCode[],
  operation: EndpointSpec,
  components: Components,
): JsonObject {
  const rate = status === 429 ? rateHeaderNames : listRateHeaders(operation, mayHaveRateHeaders(codes));
  const later = [429, 503].includes(status) ? ['Retry-After'] : [];
  const messages = [...new Set(codes.map((code) => errorTable[code].message))];
  return {
    description: messages.join(' · '),
    headers: buildHeaderRefs(['X-Request-Id', ...rate, ...later]),
    content: {
      'application/json': {
        schema: components.schema(buildErrorSchema(operation)),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function buildErrorSchema({ errorBody }: EndpointSpec): JsonObject {
  if (errorBody === undefined) return errorSchema;
  const properties = { ...errorSchema.properties, ...errorBody.properties };
  return { ...errorSchema, title: errorBody.title, properties };
}

const rateHeaderNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining'];

function listRateHeaders({ access }: EndpointSpec, isCounted: boolean): string[] {
  return isCounted && !['session', 'none'].includes(access) ? rateHeaderNames : [];
}

function buildHeaderRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function buildTags(routes: readonly MountedRoute[]): JsonObject[] {
  const used = routes.flatMap(({ hooks }) => getEndpointSpec(hooks)?.tag ?? []);
  const known = Object.keys(tags);
  const names = [...known, ...used].filter((name) => used.includes(name));
  return [...new Set(names)].map((name) => ({
    name,
    ...(tags[name] === undefined ? {} : { description: tags[name] }),
  }));
}
