import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Site, SiteRole } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { type EndpointHook, type EndpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { readConvertibleBody, readJsonBody, readOptionalJsonBody } from '../http/request-body.ts';
import { requestContext, warnOfUnknownMembers } from '../http/request-context.ts';
import { conditionalJsonResponse } from '../http/static-assets.ts';
import { getQueryParam, parseQuery, validate } from '../http/validation.ts';
import type { RequireApiKey, RequireApiKeyOrSession } from './api-keys.ts';
import { type RequireDomain, requireActiveSubscription } from './domain-access.ts';
import type { AuthContext, RequireSession } from './sessions.ts';

const defaultMaxBodyBytes = 10_000;

export interface Authentication {
  readonly requireApiKey: RequireApiKey;
  readonly requireApiKeyOrSession: RequireApiKeyOrSession;
  readonly requireDomain: RequireDomain;
  readonly requireSession: RequireSession;
}

type SiteCaller = Awaited<ReturnType<RequireSession['site']>>;

/** The caller, by the access of the endpoint. */
type Caller<S extends EndpointSpec> = S['access'] extends 'session'
  ? SessionCaller<S extends { readonly role?: infer R } ? R : undefined, S['siteQueryRole']>
  : S['access'] extends 'none'
    ? unknown
    : { readonly site: Site };

/** Has a site if every role is one on a site; may have one if some are. */
type SessionCaller<Role, SiteQueryRole> = [Role] extends [SiteRole | 'site admin']
  ? SiteCaller
  : [Extract<Role | SiteQueryRole, SiteRole>] extends [never]
    ? AuthContext
    : AuthContext & Partial<SiteCaller>;

/** The caller and the validated parts of the request. */
type EndpointContext<S extends EndpointSpec> = Caller<S> & {
  readonly request: Request;
} & (S extends { readonly params: infer P extends TObject }
    ? { readonly params: { readonly [Name in keyof Static<P>]: string } }
    : unknown) &
  (S extends { readonly query: infer Q extends TObject } ? { readonly query: Static<Q> } : unknown) &
  (S extends { readonly body: infer B extends TSchema } ? Body<B, S['bodyHandling']> : unknown);

type Body<B extends TSchema, Handling> = Handling extends 'unread'
  ? unknown
  : { readonly body: Handling extends 'unchecked' ? unknown : Static<B> };

/** Returns `data` of the only successful response, or a whole response. */
type Handler<S extends EndpointSpec> = (context: EndpointContext<S>) => Promise<ResponseData<S> | Response>;

type ResponseData<S extends EndpointSpec> = {
  [Status in keyof S['responses']]: S['responses'][Status] extends { readonly data: infer D extends TSchema }
    ? Static<D>
    : never;
}[keyof S['responses']];

/** Mounts a handler behind its spec: `.get(path, ...endpoint(spec, handler))`. */
export type Endpoint = <const S extends EndpointSpec>(
  spec: S,
  handler: Handler<S>,
) => [(context: RouteContext) => Promise<Response>, EndpointHook<S>];

interface RouteContext {
  readonly request: Request;
  /** Missing on a path without any. */
  readonly params?: Readonly<Record<string, string>>;
}

/**
 * Every endpoint checks its request in this order: credentials, query, body. Without credentials the body is not read.
 * @param maxArticleBytes largest body of a request with an article
 */
export function createEndpoint(authentication: Authentication, maxArticleBytes: number): Endpoint {
  return <const S extends EndpointSpec>(spec: S, handler: Handler<S>) => {
    const readBody = createBodyReader(spec, maxArticleBytes);
    const respond = createResponder(spec);
    return [
      async ({ request, params = {} }) => {
        const requested = requestContext(request);
        if (spec.buildErrorFields !== undefined) requested.extraErrorFields = spec.buildErrorFields;
        if (spec.idleTimeoutS !== undefined) requested.idleTimeoutS = spec.idleTimeoutS;
        const caller = await authenticate(authentication, spec, request, params);
        const query = spec.query === undefined ? undefined : parseQuery(spec.query, request);
        const body = readBody === undefined ? undefined : await readBody(request);
        if (spec.idleTimeoutS !== undefined) requested.setIdleTimeout(spec.idleTimeoutS);
        const context = { ...caller, request, params, query, body } as unknown as EndpointContext<S>;
        const result = await handler(context);
        return result instanceof Response ? result : respond(request, result);
      },
      toEndpointHook(spec),
    ];
  };
}

async function authenticate(
  { requireApiKey, requireApiKeyOrSession, requireDomain, requireSession }: Authentication,
  spec: EndpointSpec,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<object> {
  switch (spec.access) {
    case 'none':
      return {};
    case 'key':
      return { site: await requireApiKey(request) };
    case 'key or bearer':
      return { site: await requireApiKey(request, { allowBearer: true }) };
    case 'key or session':
      return { site: await requireApiKeyOrSession(request, getQueryParam(request, 'site')) };
    case 'domain':
      return { site: await requireDomain(request, getQueryParam(request, 'domain'), 'page') };
    case 'session':
      return requireRole(requireSession, spec, request, params['site'] ?? '');
  }
}

async function requireRole(
  requireSession: RequireSession,
  { role, siteQueryRole, requiresSubscription = false }: EndpointSpec,
  request: Request,
  siteParam: string,
): Promise<AuthContext> {
  if (role === undefined) return requireSession.user(request);
  if (role === 'admin') {
    const site = siteQueryRole && getQueryParam(request, 'site');
    return siteQueryRole === undefined || site === undefined
      ? requireSession.admin(request)
      : requireSession.site(request, site, siteQueryRole);
  }
  const caller = await requireSession.site(request, siteParam, role === 'site admin' ? 'viewer' : role);
  if (role === 'site admin' && caller.user.role !== 'admin') throw new AppError('not_allowed');
  if (requiresSubscription) requireActiveSubscription(caller.site);
  return caller;
}

/** @returns undefined for an endpoint without a body, or whose handler reads it */
function createBodyReader(spec: EndpointSpec, maxArticleBytes: number) {
  const {
    body: schema,
    bodyHandling,
    bodyOptional = false,
    bodyTypes,
    bodyConverters,
    maxBodyBytes = defaultMaxBodyBytes,
  } = spec;
  if (schema === undefined || bodyHandling === 'unread') return undefined;
  const byteCount = maxBodyBytes === 'article' ? maxArticleBytes : maxBodyBytes;
  const read = (request: Request): Promise<unknown> => {
    if (bodyConverters !== undefined) return readConvertibleBody(request, byteCount, bodyConverters);
    return bodyOptional ? readOptionalJsonBody(request, byteCount) : readJsonBody(request, byteCount, bodyTypes);
  };
  return async (request: Request): Promise<unknown> => {
    const body = await read(request);
    warnOfUnknownMembers(request, schema, body);
    return bodyHandling === 'unchecked' ? body : validate(schema, body);
  };
}

/** Builds the only successful response; with several the handler must return a response. */
function createResponder(spec: EndpointSpec): (request: Request, data: unknown) => Response {
  const { cacheControl, responses, summary } = spec;
  const [answer, ...others] = Object.entries(responses).filter(([, { message }]) => message !== undefined);
  return (request, data) => {
    if (answer === undefined || others.length > 0) throw new Error(`${summary}: the handler must return a response`);
    const [status, { message = '' }] = answer;
    const body = envelope(message, data);
    if (cacheControl === undefined) return Response.json(body, { status: Number(status) });
    const header = typeof cacheControl === 'string' ? cacheControl : cacheControl(data as never);
    return conditionalJsonResponse(request, body, header);
  };
}
