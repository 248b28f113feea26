import type { TLiteral, TObject, TSchema, TString } from '@sinclair/typebox';
import type { AnyElysia } from 'elysia';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { errorAnswer } from './error-response.ts';
import { factsOf, keepFacts, type RequestFacts } from './request-context.ts';

/**
 * What a caller must show: an API key in its header, or there or as bearer; the name of a registered domain; a session (bearer or
 * cookie); an API key either way or a session; or nothing.
 */
export type Access = 'key' | 'key or bearer' | 'domain' | 'session' | 'key or session' | 'none';

/** A body outside the envelope. */
interface Content {
  readonly type: string;
  readonly schema: TSchema;
  readonly example?: unknown;
}

/** A good answer of an operation. */
export interface Answer {
  readonly description: string;
  /** Schema of the envelope's `data`; without one the answer has none. */
  readonly data?: TSchema;
  /** Of answers outside the envelope, like an MP3. */
  readonly content?: Content | readonly Content[];
  /** The envelope's `message`. */
  readonly message?: string;
  /** The whole `data` as a caller would see it. */
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A route as its description shows it. Written once: it checks requests and makes the OpenAPI document. */
export interface Operation {
  readonly summary: string;
  readonly description?: string;
  /** The part of the API it belongs to. */
  readonly tag: string;
  readonly access: Access;
  readonly params?: TObject;
  readonly query?: TObject;
  /** Headers that are read beside those of access and `If-None-Match`. */
  readonly requestHeaders?: TObject;
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  /** A request may come without one. */
  readonly bodyOptional?: boolean;
  /** Content types of the body, `application/json` unless named. */
  readonly bodyTypes?: readonly string[];
  readonly answers: Readonly<Record<number, Answer>>;
  /** What the answers of its errors have beside the envelope. */
  readonly errorBody?: TObject;
  /** What else can go wrong than access, rate, a malformed body or a wrong field, which follow from the rest. */
  readonly errors?: readonly ErrorCode[];
}

const operations = new WeakMap<object, Operation>();

/** What a client written in TypeScript knows of a route: its body, its query and what its good answers hold. */
type Described<O extends Operation> = {
  readonly parse: 'none';
  readonly detail: { summary: string; tags: string[] };
  readonly response: {
    [S in keyof O['answers'] as AnswerSchema<O['answers'][S]> extends never
      ? never
      : S]: AnswerSchema<O['answers'][S]>;
  };
} & (O extends { readonly body: infer B extends TSchema } ? { readonly body: B } : unknown) &
  (O extends { readonly query: infer Q extends TObject } ? { readonly query: Q } : unknown);

type AnswerSchema<A> = A extends { readonly data: infer D extends TSchema }
  ? TObject<{ success: TLiteral<true>; message: TString; data: D }>
  : never;

/**
 * The hook that a route is mounted with. Bodies are not parsed by the framework: credentials come first, then the route
 * reads its body itself. Nor are its schemas the framework's: it sees them as types only.
 */
export function described<const O extends Operation>(operation: O): Described<O> {
  const detail = { summary: operation.summary, tags: [operation.tag] };
  operations.set(detail, operation);
  return { parse: 'none', detail } as Described<O>;
}

/** @param hooks of a mounted route; @returns its operation, undefined when it isn't part of the description */
export function operationOf(hooks: { readonly detail?: object }): Operation | undefined {
  return hooks.detail === undefined ? undefined : operations.get(hooks.detail);
}

/** Longer paths are cut in the log. */
const shownPartsMax = 8;

/**
 * What `Bun.serve` calls.
 * @param address see `RequestFacts`
 * @param allowIdle see `RequestFacts`
 */
export type Handler = (
  request: Request,
  address: () => string,
  allowIdle: (seconds: number) => void,
) => Promise<Response>;

/** A request that was answered. */
export interface Answered extends RequestFacts {
  readonly method: string;
  readonly status: number;
  /** Time it took. */
  readonly ms: number;
}

/**
 * Answers thrown errors in the envelope and notes which route took a request; mount it before the routes.
 * @param onWrongMethod told of a request whose method its route doesn't take: the route itself never sees it
 */
export function errorHandling(
  app: AnyElysia,
  log: Log,
  onWrongMethod: (request: Request, route: string) => void = () => {},
): AnyElysia {
  return app
    .onTransform({ as: 'global' }, ({ request, route, params }) => {
      factsOf(request).route = route;
      if (isUnreadable(params)) throw new AppError('not_found', 'Not found');
    })
    .onError({ as: 'global' }, ({ error, code, request }) => {
      const thrown = code === 'NOT_FOUND' ? unknownRoute(app, request, onWrongMethod) : error;
      if (thrown instanceof Response) return thrown;
      const answer = errorAnswer(thrown);
      const facts = factsOf(request);
      if (answer.unexpected) log.error({ err: thrown, request: facts.id }, 'a request failed');
      const body = { ...answer.body, ...facts.errorMembers?.(answer) };
      return Response.json(body, { status: answer.status, headers: answer.headers });
    });
}

/**
 * Puts what every answer carries around the app: the request's id, which is in the log too, and the base path.
 * @param basePath path part of the address that clients use, without a slash at the end
 * @param observe told of every answer
 */
export function requestHandler(
  app: AnyElysia,
  basePath: string,
  log: Log,
  observe: (answered: Answered) => void = () => {},
): Handler {
  return async (given, address, allowIdle) => {
    const started = performance.now();
    const request = withoutBasePath(given, basePath);
    const facts: RequestFacts = { id: crypto.randomUUID(), address, answerHeaders: {}, allowIdle };
    keepFacts(request, facts);
    const answer = await app.handle(request);
    const { headers, status } = answer;
    headers.set('x-request-id', facts.id);
    for (const name in facts.answerHeaders) headers.set(name, facts.answerHeaders[name] ?? '');
    const { method } = request;
    const ms = performance.now() - started;
    observe({ ...facts, method, status, ms });
    if (log.isLevelEnabled('info')) {
      const path = facts.route ?? shownPath(request);
      const { id, siteId: site } = facts;
      log.info(
        { request: id, method, path, site, status, ms: Math.round(ms * 10) / 10 },
        'request',
      );
    }
    return answer;
  };
}

/**
 * A path that no route took, for the log. Where one did, its pattern stands there: a path may hold what is nobody's
 * business in a log, as the name of an MP3, its only lock.
 */
function shownPath(request: Request): string {
  const parts = new URL(request.url).pathname.split('/').slice(0, shownPartsMax);
  return parts.map((part) => (/^[a-z0-9_.-]{0,24}$/i.test(part) ? part : '*')).join('/');
}

function withoutBasePath(request: Request, basePath: string): Request {
  if (basePath === '') return request;
  const url = new URL(request.url);
  if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) return request;
  url.pathname = url.pathname.slice(basePath.length) || '/';
  return new Request(url.href, request);
}

function unknownRoute(
  app: AnyElysia,
  request: Request,
  onWrongMethod: (request: Request, route: string) => void,
): AppError | Response {
  const { pathname } = new URL(request.url);
  const matching = app.routes.filter((route) => pathMatches(route.path, pathname));
  const [closest] = matching.map(({ path }) => path).sort((a, b) => gapsOf(a) - gapsOf(b));
  if (closest === undefined) return new AppError('not_found', 'Not found');
  factsOf(request).route = closest;
  onWrongMethod(request, closest);
  const methods = matching.map((route) => route.method);
  if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
  const allow = [...new Set(methods)].sort().join(', ');
  const { status, body } = errorAnswer(new AppError('method_not_allowed', 'Method not allowed'));
  return Response.json(body, { status, headers: { allow } });
}

/** @returns parts of a pattern that may be anything */
function gapsOf(pattern: string): number {
  return pattern.split('/').filter((part) => part.startsWith(':')).length;
}

/** Of a part of a path that says nothing, like `%zz`, the router makes null. @param params undefined for a fixed path */
function isUnreadable(params: Readonly<Record<string, string | null>> | undefined): boolean {
  return params !== undefined && Object.values(params).includes(null);
}

function pathMatches(pattern: string, path: string): boolean {
  const parts = pattern.split('/');
  const given = path.split('/');
  return (
    parts.length === given.length &&
    parts.every((part, index) =>
      part.startsWith(':') ? given[index] !== '' : part === given[index],
    )
  );
}

/** @param data the payload of a successful answer */
export function envelope<T>(message: string, data: T) {
  return { success: true as const, message, data };
}
