import { Elysia } from 'elysia';
import { buildServerUrl, type Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { createRequestHandler, type RequestHandler, registerErrorHandler } from '../http/endpoint.ts';
import { BodyLimits, defaultIdleTimeoutS } from '../http/request-context.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type MetricsAccess, metricsRoutes } from '../metrics/routes.ts';

/** @throws AppError `operation_failed` with the reason */
export function listen(host: string, port: number, fetch: RequestHandler) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      // The endpoints limit bodies and respond in the envelope.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: defaultIdleTimeoutS,
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
      EADDRINUSE: 'port already in use. Choose another one with --port.',
      EACCES: 'permission denied. Ports below 1024 need more rights.',
      EADDRNOTAVAIL: 'address not available on this machine',
      EAGAIN: 'the host name has no address',
      ENOTFOUND: 'the host name has no address',
    };
    throw new AppError('operation_failed', `Listening on ${host}:${port} failed: ${reason[code] ?? code}`);
  }
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
