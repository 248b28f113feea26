import type { AnyElysia } from 'elysia';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { errorAnswer } from './error-answer.ts';

/** What `Bun.serve` calls. */
export type Handler = (request: Request) => Promise<Response>;

/** Answers thrown errors in the envelope; mount it before the routes. */
export function errorHandling(app: AnyElysia, log: Log): AnyElysia {
  return app.onError({ as: 'global' }, ({ error, code, request }) => {
    const thrown = code === 'NOT_FOUND' ? unknownRoute(app, request) : error;
    if (thrown instanceof Response) return thrown;
    const answer = errorAnswer(thrown);
    if (answer.unexpected)
      log.error({ err: thrown, request: requestIds.get(request) }, 'a request failed');
    return Response.json(answer.body, { status: answer.status, headers: answer.headers });
  });
}

const requestIds = new WeakMap<Request, string>();

/**
 * Puts what every answer carries around the app: the request's id, which is in the log too, and the base path.
 * @param basePath path part of the address that clients use, without a slash at the end
 */
export function requestHandler(app: AnyElysia, basePath: string, log: Log): Handler {
  return async (given) => {
    const started = performance.now();
    const request = withoutBasePath(given, basePath);
    const id = crypto.randomUUID();
    requestIds.set(request, id);
    const answer = await app.handle(request);
    answer.headers.set('x-request-id', id);
    if (log.isLevelEnabled('info')) {
      // Only the path: a query may hold what is nobody's business in a log; nor may the name of an MP3, its only lock.
      const pathname = new URL(request.url).pathname.replace(/^(\/v1\/media\/).+(\.\w+)$/, '$1*$2');
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const { method } = request;
      log.info({ request: id, method, path: pathname, status: answer.status, ms }, 'request');
    }
    return answer;
  };
}

function withoutBasePath(request: Request, basePath: string): Request {
  if (basePath === '') return request;
  const url = new URL(request.url);
  if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) return request;
  url.pathname = url.pathname.slice(basePath.length) || '/';
  return new Request(url.href, request);
}

function unknownRoute(app: AnyElysia, request: Request): AppError | Response {
  const { pathname } = new URL(request.url);
  const methods = app.routes
    .filter((route) => pathMatches(route.path, pathname))
    .map((route) => route.method);
  if (methods.length === 0) return new AppError('not_found', 'Not found');
  if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
  const allow = [...new Set(methods)].sort().join(', ');
  const { status, body } = errorAnswer(new AppError('method_not_allowed', 'Method not allowed'));
  return Response.json(body, { status, headers: { allow } });
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
