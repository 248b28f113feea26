import { AppError } from '../errors.ts';
import type { Handler } from '../http/endpoint.ts';

/** @throws AppError `operation_failed` in plain words when the address can't be had */
export function listen(host: string, port: number, fetch: Handler) {
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
      EADDRINUSE: 'the port is in use by another program',
      EACCES: 'this user may not use the port',
      EADDRNOTAVAIL: 'this machine does not have the address',
    };
    throw new AppError(
      'operation_failed',
      `Cannot listen on ${host}:${port}: ${reason[code] ?? code}`,
    );
  }
}
