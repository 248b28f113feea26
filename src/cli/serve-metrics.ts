import { Elysia } from 'elysia';
import { buildServerUrl, type Config } from '../config.ts';
import { createRequestHandler, registerErrorHandler } from '../http/endpoint.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type MetricsAccess, metricsRoutes } from '../metrics/routes.ts';
import { parseIpAddress } from '../setting.ts';
import { listen } from './listen.ts';

/** Who may read the metrics beside everything else. */
export function selectMetricsReaders(config: Config): MetricsAccess {
  if (config.metricsPort !== undefined) return { only: 'nobody' };
  if (config.metricsToken !== undefined) return { only: 'token', token: config.metricsToken };
  // Behind a proxy that says nothing of itself, everybody seems to be on this machine.
  return { only: isReachedDirectly(config) ? 'loopback' : 'nobody' };
}

/**
 * Serves the metrics on a port of their own where one is set.
 * @param starting what is there once the server has started
 * @returns a function that stops it
 * @throws AppError `operation_failed` when the port can't be had
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
    return createRequestHandler(app, '', log);
  });
  const server = listen(metricsHost, metricsPort, async (request, address, allowIdle) => {
    const handler = await handling;
    return handler(request, address, allowIdle);
  });
  // Where the server itself cannot start, nothing is to be kept alive for its metrics.
  server.unref();
  const address = `${buildServerUrl(metricsHost, server.port ?? metricsPort)}/metrics`;
  log.info({ address }, 'metrics');
  return () => server.stop(true);
}

/** Whether clients reach the server under an address of this machine, with no proxy before it. */
function isReachedDirectly({ baseUrl }: Config): boolean {
  if (baseUrl === undefined) return true;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || parseIpAddress(host)?.range() === 'loopback';
}
