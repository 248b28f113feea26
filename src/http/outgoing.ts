import type { LookupFunction } from 'node:net';
import { version } from '../version.ts';
import { type TargetAddress, TargetProblem } from './targets.ts';

/** How we name ourselves to servers outside. */
export const userAgent = `Lectern/${version}`;

/** A lookup that leads to addresses that were checked: a second real one could say otherwise. */
export function lookupOf(addresses: readonly TargetAddress[]): LookupFunction {
  return (_host, options, found) => {
    const [first] = addresses;
    if (options.all === true) found(null, [...addresses]);
    else found(null, first?.address ?? '', first?.family);
  };
}

/** @returns milliseconds that `Retry-After` says, in seconds or as a date; null without a usable one */
export function retryAfterMsOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const moment = Date.parse(retryAfter);
  return Number.isNaN(moment) ? null : Math.max(0, moment - Date.now());
}

/** Why no answer came, in words for whoever named the address. */
export function problemOfConnection(error: unknown): string {
  if (error instanceof TargetProblem) return `the address ${error.message}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: [RegExp, string][] = [
    [/^ECONNREFUSED$/, 'the connection was refused'],
    [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'the connection was closed before an answer came'],
    [
      /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/,
      'the host cannot be reached',
    ],
    [/CERT|TLS|SSL|ALTNAME|SIGNATURE|CRL/, 'the certificate is not valid for this host'],
    [/^HPE_/, 'the answer is no HTTP'],
  ];
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? 'the connection failed';
  return code === '' ? reason : `${reason} (${code})`;
}
