import { Counter, Gauge, type Registry } from 'prom-client';
import type { DeliveryCounts } from '../webhooks/deliver.ts';

/** @param counts what the deliveries have counted since the start, and what waits now */
export function webhookMetrics(registers: Registry[], counts: () => Promise<DeliveryCounts>): void {
  new Counter({
    name: 'lectern_webhook_deliveries_total',
    help: 'Messages to webhooks that arrived, or were given up',
    labelNames: ['outcome'],
    registers,
    async collect() {
      const { delivered, failed } = await counts();
      this.reset();
      this.inc({ outcome: 'delivered' }, delivered);
      this.inc({ outcome: 'failed' }, failed);
    },
  });
  new Gauge({
    name: 'lectern_webhook_pending',
    help: 'Messages to webhooks that wait for a first or a further attempt',
    registers,
    async collect() {
      this.set((await counts()).pending);
    },
  });
}
