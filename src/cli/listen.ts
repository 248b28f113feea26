import { Elysia } from 'elysia';
import { buildServerUrl, type Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { createRequestHandler, type RequestHandler, registerErrorHandler } from '../http/endpoint.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type MetricsAccess, metricsRoutes } from '../metrics/routes.ts';
import { parseIpAddress } from '../setting.ts';

/** @throws AppError `operation_failed` with the reason */
export function listen(host: string, port: number, fetch: RequestHandler) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      // The endpoints limit bodies and respond in the envelope.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: 60,
      fetch: (request, server) => {
        // Read now: the address of a closed connection is unknown.
        const address = server.requestIP(request)?.address ?? '';
        return fetch(
          request,
          () => address,
          (seconds) => server.timeout(request, seconds),
        );
      },
      error: () => Response.json({ success: false, message: 'Internal error' }, { status: 500 }),
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason: Record<string, string> = {
      EADDRINUSE: 'port already in use',
      EACCES: 'permission denied',
      EADDRNOTAVAIL: 'address not available on this machine',
    };
    throw new AppError('operation_failed', `Listening on ${host}:${port} failed: ${reason[code] ?? code}`);
  }
}

/** Access to the metrics on the port of the API. */
export function selectMetricsReaders(config: Config): MetricsAccess {
  if (config.metricsPort !== undefined) return { only: 'nobody' };
  if (config.metricsToken !== undefined) return { only: 'token', token: config.metricsToken };
  // Behind a proxy without forwarding headers, every client seems to be on this machine.
  return { only: isReachedDirectly(config) ? 'loopback' : 'nobody' };
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
    return createRequestHandler(app, '', log);
  });
  const server = listen(metricsHost, metricsPort, async (request, address, allowIdle) => {
    const handler = await handling;
    return handler(request, address, allowIdle);
  });
  // Metrics must not keep a server alive that failed to start.
  server.unref();
  const address = `${buildServerUrl(metricsHost, server.port ?? metricsPort)}/metrics`;
  log.info({ address }, 'metrics');
  return () => server.stop(true);
}

/** Whether clients reach the server at a loopback address, without a proxy. */
function isReachedDirectly({ baseUrl }: Config): boolean {
  if (baseUrl === undefined) return true;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || parseIpAddress(host)?.range() === 'loopback';
}
