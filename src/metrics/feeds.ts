import { Counter, Gauge, type Registry } from 'prom-client';
import type { FetchCounts } from '../ingest/poll.ts';

/** @param counts what the fetches of feeds have come to since the start, and what waits now */
export function feedMetrics(registers: Registry[], counts: () => Promise<FetchCounts>): void {
  new Counter({
    name: 'lectern_feed_fetches_total',
    help: 'Fetches of feeds that sites take posts from',
    labelNames: ['outcome'],
    registers,
    async collect() {
      const { fetched, unchanged, failed } = await counts();
      this.reset();
      for (const [outcome, count] of Object.entries({ fetched, unchanged, failed })) {
        this.inc({ outcome }, count);
      }
    },
  });
  new Gauge({
    name: 'lectern_feed_items_waiting',
    help: 'Items of feeds that wait to become posts: for quota, or for room in the queue',
    registers,
    async collect() {
      this.set((await counts()).waiting);
    },
  });
}
