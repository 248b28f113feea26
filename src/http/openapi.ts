import type { TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../errors.ts';
import { type Access, type Answer, type Operation, operationOf } from './endpoint.ts';
import { errorTable } from './error-response.ts';
import {
  byStatus,
  type Components,
  createComponents,
  errorExample,
  errorsOf,
  introduction,
  type JsonObject,
  mayBeCounted,
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
export interface DescribedServer {
  readonly baseUrl: string;
  readonly version: string;
}

const errorSchema = {
  type: 'object',
  title: 'Error',
  required: ['success', 'message'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'One plain sentence' },
    errors: {
      type: 'object',
      description: 'Field → what is wrong with it; of a quota or a plan, the figures',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
};

/** @returns the OpenAPI 3.1 document of every mounted route that is described */
export function openApiDocument(
  routes: readonly MountedRoute[],
  { baseUrl, version }: DescribedServer,
): JsonObject {
  const components = createComponents();
  const paths: Record<string, Record<string, JsonObject>> = {};
  const usedCodes = new Set<ErrorCode>();
  for (const { method, path, hooks } of routes) {
    const operation = operationOf(hooks);
    if (operation === undefined) continue;
    const codes = errorsOf(method, operation);
    for (const code of codes) usedCodes.add(code);
    const template = templateOf(path);
    const described = describe(method, path, operation, codes, components);
    paths[template] = { ...paths[template], [method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lectern',
      version,
      summary: 'Turns written posts into spoken audio',
      description: introduction,
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: baseUrl }],
    tags: tagsOf(routes),
    paths,
    components: {
      schemas: components.all(),
      securitySchemes,
      headers: sharedHeaders,
      examples: Object.fromEntries(
        [...usedCodes]
          .sort()
          .map((code) => [code, { summary: errorTable[code].message, value: errorExample(code) }]),
      ),
    },
  };
}

/** `/v1/audio/:post_id/status` → `/v1/audio/{post_id}/status` */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function describe(
  method: string,
  path: string,
  operation: Operation,
  codes: readonly ErrorCode[],
  components: Components,
): JsonObject {
  const { summary, description, tag, access, body } = operation;
  const parameters = parametersOf(path, operation, components);
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(access, method),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, operation, components) }),
    responses: responsesOf(operation, codes, components),
  };
}

/** `GET /v1/audio/:post_id/status` → `getAudioByPostIdStatus` */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/v1\//, '')
    .replace(/:/g, 'by_')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const rest = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return method.toLowerCase() + rest.join('');
}

function securityOf(access: Access, method: string): JsonObject[] {
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

function parametersOf(path: string, operation: Operation, components: Components): JsonObject[] {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const inPath = named.map((name) =>
    parameter('path', name, operation.params?.properties[name] ?? { type: 'string' }, components),
  );
  const { query, requestHeaders, answers } = operation;
  const ifNoneMatch = {
    type: 'string',
    description: 'The `ETag` of an answer that is still at hand: 304 while it holds',
  };
  return [
    ...inPath,
    ...parametersIn('query', query, components),
    ...parametersIn('header', requestHeaders, components),
    ...(answers[304] === undefined
      ? []
      : [parameter('header', 'If-None-Match', ifNoneMatch, components, false)]),
  ];
}

function parametersIn(
  place: 'query' | 'header',
  schema: TObject | undefined,
  components: Components,
): JsonObject[] {
  if (schema === undefined) return [];
  return Object.entries(schema.properties).map(([name, member]) =>
    parameter(place, name, member, components, schema.required?.includes(name) ?? false),
  );
}

function parameter(
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

function requestBody(body: TSchema, operation: Operation, components: Components): JsonObject {
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

function responsesOf(
  operation: Operation,
  codes: readonly ErrorCode[],
  components: Components,
): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    responses[status] = goodResponse(Number(status), answer, operation, components);
  }
  for (const [status, some] of byStatus(codes)) {
    responses[status] = errorResponse(status, some, operation, components);
  }
  return responses;
}

function goodResponse(
  status: number,
  answer: Answer,
  operation: Operation,
  components: Components,
): JsonObject {
  const own = Object.entries(answer.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const hasEtag = operation.answers[304] !== undefined && [200, 206, 304].includes(status);
  const content = contentOf(answer, components);
  return {
    description: answer.description,
    headers: {
      ...headerRefs(['X-Request-Id', ...rateHeaders(operation, true)]),
      ...(hasEtag ? headerRefs(['ETag']) : {}),
      ...Object.fromEntries(own),
    },
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

function contentOf({ data, message, content, example }: Answer, components: Components) {
  const contents: Record<string, JsonObject> = {};
  if (data !== undefined || message !== undefined) {
    const body = { success: true, message: message ?? 'OK', ...(data && { data: example }) };
    contents['application/json'] = { schema: envelopeOf(data, components), example: body };
  }
  for (const other of content === undefined ? [] : [content].flat()) {
    contents[other.type] = {
      schema: components.schema(other.schema),
      ...(other.example === undefined ? {} : { example: other.example }),
    };
  }
  return contents;
}

function envelopeOf(data: TSchema | undefined, components: Components): JsonObject {
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

function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  operation: Operation,
  components: Components,
): JsonObject {
  const rate = status === 429 ? rateNames : rateHeaders(operation, mayBeCounted(codes));
  const later = [429, 503].includes(status) ? ['Retry-After'] : [];
  const messages = [...new Set(codes.map((code) => errorTable[code].message))];
  return {
    description: messages.join(' · '),
    headers: headerRefs(['X-Request-Id', ...rate, ...later]),
    content: {
      'application/json': {
        schema: components.schema(errorSchemaOf(operation)),
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}

function errorSchemaOf({ errorBody }: Operation): JsonObject {
  if (errorBody === undefined) return errorSchema;
  const properties = { ...errorSchema.properties, ...errorBody.properties };
  return { ...errorSchema, title: errorBody.title, properties };
}

const rateNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining'];

function rateHeaders({ access }: Operation, isCounted: boolean): string[] {
  return isCounted && !['session', 'none'].includes(access) ? rateNames : [];
}

function headerRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function tagsOf(routes: readonly MountedRoute[]): JsonObject[] {
  const used = routes.flatMap(({ hooks }) => operationOf(hooks)?.tag ?? []);
  const known = Object.keys(tags);
  const names = [...known, ...used].filter((name) => used.includes(name));
  return [...new Set(names)].map((name) => ({
    name,
    ...(tags[name] === undefined ? {} : { description: tags[name] }),
  }));
}
