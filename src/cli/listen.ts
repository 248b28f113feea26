import { AppError } from '../errors.ts';
import type { RequestHandler } from '../http/endpoint.ts';

/** @throws AppError `operation_failed` in plain words when the address can't be had */
export function listen(host: string, port: number, fetch: RequestHandler) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      // Bodies are limited where they are read, with an answer in the envelope.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: 60,
      fetch: (request, server) => {
        // Asked now: of a connection that was closed meanwhile the system knows no more.
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
