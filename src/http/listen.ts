import { operationFailed } from '../errors.ts';
import { getErrno } from '../files.ts';
import type { RequestHandler } from './endpoint.ts';
import { defaultIdleTimeoutS } from './request-context.ts';

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
    const code = getErrno(error) || String(error);
    const reason: Record<string, string> = {
      EADDRINUSE: 'port already in use. Choose another one with --port.',
      EACCES: 'permission denied. Ports below 1024 need more rights.',
      EADDRNOTAVAIL: 'address not available on this machine',
      EAGAIN: 'the host name has no address',
      ENOTFOUND: 'the host name has no address',
      ENOENT: 'the host name has no address',
    };
    throw operationFailed(`Listening on ${host}:${port} failed: ${reason[code] ?? code}`);
  }
}
