import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Site, SiteRole } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { type EndpointHook, type EndpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { readJsonBody, readOptionalJsonBody } from '../http/request-body.ts';
import { conditionalJsonResponse } from '../http/static-assets.ts';
import { getQueryParam, parseQuery, validate } from '../http/validation.ts';
import type { RequireApiKey, RequireApiKeyOrSession } from './api-keys.ts';
import type { RequireDomain } from './domain-access.ts';
import type { AuthContext, RequireSession } from './sessions.ts';

const defaultMaxBodyBytes = 10_000;

/** How each kind of access is checked. */
export interface Authentication {
  readonly requireApiKey: RequireApiKey;
  readonly requireApiKeyOrSession: RequireApiKeyOrSession;
  readonly requireDomain: RequireDomain;
  readonly requireSession: RequireSession;
}

type SiteCaller = Awaited<ReturnType<RequireSession['site']>>;

/** Who sent a request, by the access that its endpoint demands. */
type Caller<S extends EndpointSpec> = S['access'] extends 'session'
  ? S extends { readonly role: SiteRole | 'site admin' }
    ? SiteCaller
    : S extends { readonly siteQueryRole: SiteRole }
      ? AuthContext & Partial<SiteCaller>
      : AuthContext
  : S['access'] extends 'none'
    ? unknown
    : { readonly site: Site };

/** What a handler gets: the caller, and the validated parts of the request. */
type EndpointContext<S extends EndpointSpec> = Caller<S> & {
  readonly request: Request;
} & (S extends { readonly params: infer P extends TObject }
    ? { readonly params: { readonly [Name in keyof Static<P>]: string } }
    : unknown) &
  (S extends { readonly query: infer Q extends TObject } ? { readonly query: Static<Q> } : unknown) &
  (S extends { readonly body: infer B extends TSchema } ? { readonly body: Static<B> } : unknown);

/** The data of the only good answer, which goes into the envelope, or a whole response. */
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
 * Every endpoint checks its request in this order: credentials, query, body. Whoever has no credentials learns nothing about
 * the body.
 */
export function createEndpoint(authentication: Authentication): Endpoint {
  return <const S extends EndpointSpec>(spec: S, handler: Handler<S>) => [
    async ({ request, params = {} }) => {
      const caller = await authenticate(authentication, spec, request, params);
      const query = spec.query === undefined ? {} : { query: parseQuery(spec.query, request) };
      const body = spec.body === undefined ? {} : { body: await readBody(spec, spec.body, request) };
      const context = { ...caller, request, params, ...query, ...body } as unknown as EndpointContext<S>;
      const result = await handler(context);
      return result instanceof Response ? result : toResponse(spec, request, result);
    },
    toEndpointHook(spec),
  ];
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
  { role, siteQueryRole }: EndpointSpec,
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
  if (role === 'site admin' && caller.user.role !== 'admin') throw new AppError('not_allowed', 'Not allowed');
  return caller;
}

async function readBody(spec: EndpointSpec, schema: TSchema, request: Request): Promise<unknown> {
  const { bodyOptional = false, bodyTypes, maxBodyBytes = defaultMaxBodyBytes } = spec;
  const body = bodyOptional
    ? await readOptionalJsonBody(request, maxBodyBytes)
    : await readJsonBody(request, maxBodyBytes, bodyTypes);
  return validate(schema, body);
}

/** @throws Error for a spec with several good answers: its handler must return a response */
function toResponse(spec: EndpointSpec, request: Request, data: unknown): Response {
  const [answer, ...others] = Object.entries(spec.responses).filter(([, { message }]) => message !== undefined);
  if (answer === undefined || others.length > 0) throw new Error(`${spec.summary}: the handler must return a response`);
  const [status, { message = '' }] = answer;
  const body = envelope(message, data);
  if (spec.cacheControl !== undefined) return conditionalJsonResponse(request, body, spec.cacheControl);
  return Response.json(body, { status: Number(status) });
}
