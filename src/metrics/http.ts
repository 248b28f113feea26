import { Counter, Histogram, type Registry } from 'prom-client';
import type { Answered } from '../http/handler.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Latency and refusals by route. Callers invent paths and methods without end: what is counted is the pattern of the route.
 * @returns what is told of every answer
 */
export function httpMetrics(registers: Registry[]): (answered: Answered) => void {
  const duration = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Time from a request to its answer, by pattern of the route, method and class of the status',
    labelNames: ['route', 'method', 'status'],
    buckets: seconds,
    registers,
  });
  const limited = new Counter({
    name: 'lectern_http_rate_limited_total',
    help: 'Requests answered with 429, by pattern of the route',
    labelNames: ['route'],
    registers,
  });
  return ({ route = 'unmatched', method, status, ms }) => {
    const labels = {
      route,
      method: methods.includes(method) ? method : 'other',
      status: `${Math.floor(status / 100)}xx`,
    };
    duration.observe(labels, ms / 1000);
    if (status === 429) limited.inc({ route });
  };
}
