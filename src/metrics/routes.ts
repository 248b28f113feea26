import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { buildServerUrl, type Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { createRequestHandler, endpointSpec, registerErrorHandler, toEndpointHook } from '../http/endpoint.ts';
import { listen } from '../http/listen.ts';
import { BodyLimits, equalsInConstantTime, requestContext } from '../http/request-context.ts';
import type { Log } from '../log.ts';
import { parseIpAddress } from '../setting.ts';
import type { Metrics } from './metrics.ts';

/** Who may read the metrics; `nobody`: they have their own port. */
export type MetricsAccess =
  | { readonly only: 'token'; readonly token: string }
  | { readonly only: 'loopback' | 'anyone' | 'nobody' };

/** Headers of proxies, whose clients are not on this machine. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

const metricsSpec = endpointSpec({
  summary: 'Get Prometheus metrics',
  description: 'Requires the metrics token if one is set; else available only from this machine (404 for others).',
  tag: 'Operation',
  access: 'none',
  responses: {
    200: {
      description: 'Metrics in the Prometheus text format',
      content: { type: 'text/plain', schema: Type.String() },
    },
  },
  errors: ['metrics_token_wrong', 'not_found'],
});

/** `/metrics`, on the port of the API or its own. */
export function metricsRoutes(metrics: Metrics, access: MetricsAccess) {
  return new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async ({ request }) => {
      requireMetricsAccess(request, access);
      return new Response(await metrics.render(), {
        headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
      });
    },
    toEndpointHook(metricsSpec),
  );
}

/** @throws AppError `not_found`, which does not reveal that metrics exist; `metrics_token_wrong` */
function requireMetricsAccess(request: Request, access: MetricsAccess): void {
  if (access.only === 'anyone') return;
  if (access.only === 'token') {
    const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (equalsInConstantTime(given, access.token)) return;
    requestContext(request).responseHeaders['www-authenticate'] = 'Bearer';
    throw new AppError('metrics_token_wrong');
  }
  const isLocal =
    parseIpAddress(requestContext(request).address())?.range() === 'loopback' &&
    !forwardingHeaders.some((name) => request.headers.has(name));
  if (access.only === 'nobody' || !isLocal) throw new AppError('not_found');
}

/** Access to the metrics on the port of the API. */
export function selectMetricsAccess(config: Config): MetricsAccess {
  if (config.metricsPort !== undefined) return { only: 'nobody' };
  if (config.metricsToken !== undefined) return { only: 'token', token: config.metricsToken };
  // Behind a proxy without forwarding headers, every client seems to be on this machine.
  return { only: isReachedDirectly(config) ? 'loopback' : 'nobody' };
}

/** Whether clients reach the server at a loopback address, without a proxy. */
function isReachedDirectly({ baseUrl }: Config): boolean {
  if (baseUrl === undefined) return true;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || parseIpAddress(host)?.range() === 'loopback';
}

/**
 * Serves the metrics on a port of their own if one is set.
 * @param starting resolves when the server has started
 * @returns a function that stops it
 * @throws AppError `operation_failed`
 */
export function serveMetrics(config: Config, starting: Promise<Metrics>, log: Log): () => Promise<void> {
  const { metricsHost, metricsPort, metricsToken } = config;
  if (metricsPort === undefined) return async () => {};
  const readers: MetricsAccess =
    metricsToken === undefined ? { only: 'anyone' } : { only: 'token', token: metricsToken };
  const handling = starting.then((metrics) => {
    const app = new Elysia();
    registerErrorHandler(app, log);
    app.use(metricsRoutes(metrics, readers));
    return createRequestHandler(app, '', log, new BodyLimits(config));
  });
  const server = listen(metricsHost, metricsPort, async (request, address, allowIdle) => {
    const handler = await handling;
    return handler(request, address, allowIdle);
  });
  // Metrics must not keep a server alive that failed to start.
  server.unref();
  log.info({ address: `${buildServerUrl(metricsHost, server.port ?? metricsPort)}/metrics` }, 'metrics');
  return () => server.stop(true);
}
