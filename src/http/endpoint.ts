import type { TLiteral, TObject, TSchema, TString } from '@sinclair/typebox';
import type { AnyElysia } from 'elysia';
import { AppError, type ErrorCode, errorTable } from '../errors.ts';
import type { Log } from '../log.ts';
import { type ErrorResponse, toErrorResponse } from './error-response.ts';
import type { BodyConverters } from './request-body.ts';
import { type BodyLimits, type RequestContext, requestContext, setRequestContext } from './request-context.ts';

/**
 * Required credentials: an API key in its header, or also as bearer; a registered domain; a session (bearer or cookie); an API
 * key either way or a session; or none.
 */
export type Access = 'key' | 'key or bearer' | 'domain' | 'session' | 'key or session' | 'none';

interface ResponseContent {
  readonly type: string;
  readonly schema: TSchema;
  readonly example?: unknown;
}

export interface ResponseSpec {
  readonly description: string;
  /** Schema of `data` in the envelope; default: no data. */
  readonly data?: TSchema;
  /** Of responses without envelope, such as an MP3. */
  readonly content?: ResponseContent | readonly ResponseContent[];
  readonly message?: string;
  /** Of `data`; default: the first of the schema's `examples`. */
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A route: the source of its validation and of the OpenAPI document. */
export interface EndpointSpec {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  /**
   * Required role of a session; default: any user. A role on a site needs `:site` in the path, as does `site admin`: an
   * admin, where users without a role on the site get 404.
   */
  readonly role?: 'admin' | 'site admin' | 'editor' | 'viewer';
  /** Of role `admin`: with `?site`, this role on that site is enough. */
  readonly siteQueryRole?: 'editor' | 'viewer';
  /** For a role on a site: 403 if nothing may be generated for the site. Checked before the query. */
  readonly requiresSubscription?: boolean;
  readonly params?: TObject;
  readonly query?: TObject;
  /** Request headers besides credentials and `If-None-Match`. */
  readonly requestHeaders?: TObject;
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  readonly bodyOptional?: boolean;
  /** Content types of the body; default: `application/json`. */
  readonly bodyTypes?: readonly string[];
  /** For other content types: converts their text to the JSON body. */
  readonly bodyConverters?: BodyConverters;
  /** Default: 10,000; `article`: the configured limit of a request with an article. */
  readonly maxBodyBytes?: number | 'article';
  /**
   * Default: the body is validated by its schema. `unchecked`: the handler validates the parsed JSON, beyond its schema.
   * `unread`: the handler reads the request.
   */
  readonly bodyHandling?: 'unchecked' | 'unread';
  /** For slow endpoints: seconds without a byte after which the connection is closed, at most 255. */
  readonly idleTimeoutS?: number;
  /** Adds an `ETag` and this header, which may depend on the data; 304 if the client has the response. */
  readonly cacheControl?: string | ((data: never) => string);
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Members of its errors besides the envelope. */
  readonly errorBody?: TObject;
  readonly buildErrorFields?: (answer: ErrorResponse) => Readonly<Record<string, unknown>>;
  /** Errors besides those of access, rate and validation, which follow from the rest. */
  readonly errors?: readonly ErrorCode[];
}

const endpointSpecs = new WeakMap<object, EndpointSpec>();

/** Types of a route for clients in TypeScript: body, query and successful responses. */
export type EndpointHook<O extends EndpointSpec> = {
  readonly parse: 'none';
  readonly detail: { summary: string; tags: string[] };
  readonly response: {
    [S in keyof O['responses'] as ResponseSchema<O['responses'][S]> extends never ? never : S]: ResponseSchema<
      O['responses'][S]
    >;
  };
} & (O extends { readonly body: infer B extends TSchema } ? { readonly body: B } : unknown) &
  (O extends { readonly query: infer Q extends TObject } ? { readonly query: Q } : unknown);

type ResponseSchema<A> = A extends { readonly data: infer D extends TSchema }
  ? TObject<{ success: TLiteral<true>; message: TString; data: D }>
  : never;

/** Keeps the exact type of a spec for its handler and for clients. */
export function endpointSpec<const S extends EndpointSpec>(spec: S): S {
  return spec;
}

/** The responses of an endpoint with one successful response. */
export function reply<const Status extends number, D extends TSchema>(
  status: Status,
  message: string,
  description: string,
  data: D,
  more: Pick<ResponseSpec, 'example' | 'headers' | 'content'> = {},
) {
  const responses = { [status]: { description, message, data, ...more } };
  return responses as Record<Status, ResponseSpec & { readonly data: D }>;
}

/**
 * The Elysia hook of a route. Elysia neither parses nor validates bodies, as credentials are checked first; the schemas are
 * types only.
 */
export function toEndpointHook<const O extends EndpointSpec>(operation: O): EndpointHook<O> {
  const detail = { summary: operation.summary, tags: [operation.tag] };
  endpointSpecs.set(detail, operation);
  return { parse: 'none', detail } as EndpointHook<O>;
}

/** @param hooks of a mounted route @returns its spec; undefined if it is not in the OpenAPI document */
export function getEndpointSpec(hooks: { readonly detail?: object }): EndpointSpec | undefined {
  return hooks.detail === undefined ? undefined : endpointSpecs.get(hooks.detail);
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

/** Thrown before a request is counted: their responses have no rate headers. */
export const errorsBeforeRateCheck: readonly ErrorCode[] = [
  ...keyErrors,
  'unknown_domain',
  'origin_not_allowed',
  'not_signed_in',
  'sign_in_failed',
  'csrf_failed',
];

export function listErrors(method: string, spec: EndpointSpec): ErrorCode[] {
  const { access, role, params, query, body, errors = [] } = spec;
  const changes = !['GET', 'HEAD'].includes(method);
  const codes: ErrorCode[] = [...listAccessErrors(access, changes)];
  if (role !== undefined && role !== 'viewer') codes.push('not_allowed');
  if (body !== undefined) {
    codes.push('malformed_json', 'unsupported_media_type', 'body_too_slow', 'body_too_large', 'bodies_waiting');
  }
  if (body !== undefined || query !== undefined) codes.push('validation_failed');
  if (params !== undefined) codes.push('not_found');
  if (changes && (params !== undefined || body !== undefined)) codes.push('busy');
  return [...new Set([...codes, ...errors])];
}

function listAccessErrors(access: Access, changes: boolean): readonly ErrorCode[] {
  const session: ErrorCode[] = ['not_signed_in', ...(changes ? (['csrf_failed'] as const) : [])];
  if (access === 'key' || access === 'key or bearer') return [...keyErrors, 'rate_limited'];
  if (access === 'domain') return [...domainErrors, 'rate_limited'];
  if (access === 'session') return session;
  if (access === 'key or session') return [...keyErrors, ...session, 'rate_limited'];
  return [];
}

/** Longer paths are cut in the log. */
const maxLoggedPathParts = 8;

/**
 * What `Bun.serve` calls.
 * @param address see `RequestContext`
 * @param allowIdle see `RequestContext`
 */
export type RequestHandler = (
  request: Request,
  address: () => string,
  allowIdle: (seconds: number) => void,
) => Promise<Response>;

export interface CompletedRequest extends RequestContext {
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

/**
 * Responds to thrown errors in the envelope and records the route of a request; mount it before the routes.
 * @param options.onWrongMethod called for a request with another method than its path has
 * @param options.toPage a response to people instead of JSON; undefined: none
 */
export function registerErrorHandler(
  app: AnyElysia,
  log: Log,
  options: {
    readonly onWrongMethod?: (request: Request, route: string) => void;
    readonly toPage?: (request: Request, error: ErrorResponse) => Response | undefined;
  } = {},
): AnyElysia {
  const { onWrongMethod = () => {}, toPage } = options;
  return app
    .onTransform({ as: 'global' }, ({ request, route, params }) => {
      requestContext(request).route = route;
      if (hasImpossibleParam(params)) throw new AppError('not_found');
    })
    .onError({ as: 'global' }, ({ error, code, request }) => {
      const thrown = code === 'NOT_FOUND' ? handleUnknownRoute(app, request, onWrongMethod) : error;
      if (thrown instanceof Response) return thrown;
      const errorResponse = toErrorResponse(thrown);
      const context = requestContext(request);
      if (errorResponse.isUnexpected) log.error({ err: thrown, request: context.id }, 'request failed');
      const page = toPage?.(request, errorResponse);
      if (page !== undefined) return page;
      const body = { ...errorResponse.body, ...context.extraErrorFields?.(errorResponse) };
      return Response.json(body, { status: errorResponse.status, headers: errorResponse.headers });
    });
}

interface RequestHandlerOptions {
  /** Called for every response. */
  readonly observe?: (completed: CompletedRequest) => void;
  /** Whether the next request of a client goes to another server. */
  readonly isDraining?: () => boolean;
}

/**
 * Adds the request id and the headers of the request context, removes the base path, and logs the request.
 * @param basePath path of the server's URL, without a slash at the end
 */
export function createRequestHandler(
  app: AnyElysia,
  basePath: string,
  log: Log,
  bodyLimits: BodyLimits,
  { observe, isDraining }: RequestHandlerOptions = {},
): RequestHandler {
  return async (received, address, setIdleTimeout) => {
    const started = performance.now();
    const request = stripBasePath(received, basePath);
    const context: RequestContext = {
      id: crypto.randomUUID(),
      address,
      responseHeaders: {},
      setIdleTimeout,
      bodyLimits,
    };
    setRequestContext(request, context);
    const response = await insertWarnings(await app.handle(request), context.warnings);
    const { headers, status } = response;
    headers.set('x-request-id', context.id);
    for (const name in context.responseHeaders) headers.set(name, context.responseHeaders[name] ?? '');
    for (const cookie of context.cookies ?? []) headers.append('set-cookie', cookie);
    if (isDraining?.()) headers.set('connection', 'close');
    const { method } = request;
    const ms = performance.now() - started;
    observe?.({ ...context, method, status, durationMs: ms });
    const level = status === errorTable.client_disconnected.status ? 'debug' : 'info';
    if (log.isLevelEnabled(level)) {
      const path = context.route ?? redactPath(request);
      const { id, siteId: site } = context;
      log[level]({ request: id, method, path, site, status, ms: Math.round(ms * 10) / 10 }, 'request completed');
    }
    return response;
  };
}

/** Adds warnings to the envelope; a response of another kind stays as it is. */
async function insertWarnings(response: Response, warnings: readonly string[] | undefined): Promise<Response> {
  const { headers, status } = response;
  if (warnings === undefined || !headers.get('content-type')?.startsWith('application/json')) return response;
  const body = { ...((await response.json()) as object), warnings };
  headers.delete('content-length');
  return Response.json(body, { status, headers });
}

/**
 * An unmatched path, for the log. Matched requests are logged by pattern, as a path may contain a secret such as the
 * name of an MP3.
 */
function redactPath(request: Request): string {
  const parts = new URL(request.url).pathname.split('/').slice(0, maxLoggedPathParts);
  return parts.map((part) => (/^[a-z0-9_.-]{0,24}$/i.test(part) ? part : '*')).join('/');
}

function stripBasePath(request: Request, basePath: string): Request {
  if (basePath === '') return request;
  const url = new URL(request.url);
  if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) return request;
  url.pathname = url.pathname.slice(basePath.length) || '/';
  return new Request(url.href, request);
}

function handleUnknownRoute(
  app: AnyElysia,
  request: Request,
  onWrongMethod: (request: Request, route: string) => void,
): AppError | Response {
  const { pathname } = new URL(request.url);
  const matching = app.routes.filter((route) => pathMatches(route.path, pathname));
  const [closest] = matching.map(({ path }) => path).sort((a, b) => countParams(a) - countParams(b));
  if (closest === undefined) return new AppError('not_found');
  requestContext(request).route = closest;
  onWrongMethod(request, closest);
  const methods = matching.map((route) => route.method);
  if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
  const allow = [...new Set(methods)].sort().join(', ');
  const { status, body } = toErrorResponse(new AppError('method_not_allowed'));
  return Response.json(body, { status, headers: { allow } });
}

function countParams(pattern: string): number {
  return pattern.split('/').filter((part) => part.startsWith(':')).length;
}

/** The router decodes an invalid part such as `%zz` to null, and no name has a U+0000. @param params undefined for a fixed path */
function hasImpossibleParam(params: Readonly<Record<string, string | null>> | undefined): boolean {
  return Object.values(params ?? {}).some((param) => param === null || param.includes('\0'));
}

function pathMatches(pattern: string, path: string): boolean {
  const patternParts = pattern.split('/');
  const segments = path.split('/');
  return (
    patternParts.length === segments.length &&
    patternParts.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

export function envelope<T>(message: string, data: T) {
  return { success: true as const, message, data };
}
