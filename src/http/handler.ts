import type { AnyElysia } from 'elysia';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { errorAnswer } from './error-answer.ts';
import { factsOf, keepFacts, type RequestFacts } from './request-facts.ts';

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
