import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { described } from '../http/endpoint.ts';
import { factsOf, isSameSecret } from '../http/request-context.ts';
import { readAddress } from '../setting.ts';
import type { Metrics } from './metrics.ts';

/** Who may read the metrics; `nobody` where they are on a port of their own. */
export type MetricsReaders =
  | { readonly only: 'token'; readonly token: string }
  | { readonly only: 'loopback' | 'anyone' | 'nobody' };

export interface MetricsDeps {
  readonly metrics: Metrics;
  readonly metricsReaders: MetricsReaders;
}

/** What proxies add: whoever comes through one is not on this machine. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

const metricsOperation = described({
  summary: 'Figures of the server for Prometheus',
  description:
    'Needs the metrics token where one is set; else it answers only to this machine, and 404 to all others.',
  tag: 'Operation',
  access: 'none',
  answers: {
    200: {
      description: 'The text format of Prometheus',
      content: { type: 'text/plain', schema: Type.String() },
    },
  },
  errors: ['metrics_token_wrong', 'not_found'],
});

/** `/metrics` */
export function metricsRoutes({ metrics, metricsReaders }: MetricsDeps) {
  return new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async ({ request }) => {
      checkReader(request, metricsReaders);
      return new Response(await metrics.text(), {
        headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
      });
    },
    metricsOperation,
  );
}

/** @throws AppError `not_found`, as if there were nothing; `metrics_token_wrong` */
function checkReader(request: Request, readers: MetricsReaders): void {
  if (readers.only === 'anyone') return;
  if (readers.only === 'token') {
    const [, given = ''] =
      /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (isSameSecret(given, readers.token)) return;
    factsOf(request).answerHeaders['www-authenticate'] = 'Bearer';
    throw new AppError('metrics_token_wrong', 'Metrics token missing or wrong');
  }
  const isHere =
    readAddress(factsOf(request).address())?.range() === 'loopback' &&
    !forwardingHeaders.some((name) => request.headers.has(name));
  if (readers.only === 'nobody' || !isHere) throw new AppError('not_found', 'Not found');
}
