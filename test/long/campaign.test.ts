import { expect, test } from 'bun:test';
import { runCampaign } from '../campaign/run-campaign.ts';
import { testSeed } from '../fixtures/seed.ts';

const minutes = 1;
/** A busy machine takes long to finish accepted posts. */
const timeoutMs = 30 * 60_000;

test(
  `after a minute of abuse every accepted post is accounted for (TEST_SEED=${testSeed})`,
  async () => {
    const { record } = await runCampaign({
      ...{ seed: testSeed, minutes },
      write: (line) => process.stderr.write(`${line}\n`),
    });
    expect(record.violations).toEqual([]);
    // Otherwise there was no abuse, or no client.
    for (const kind of ['kill -9 of the server', 'kill -9 of a worker', 'SIGSTOP', 'disk full', 'clock', 'backup']) {
      expect(record.faults.map(({ what }) => what).join('\n')).toContain(kind);
    }
    const happened = ['accounted: ready and whole', 'accounted: deleted', 'corrections accepted'];
    for (const name of [...happened, 'hostile posts accepted', 'webhook messages']) {
      expect([name, record.counts.get(name)]).toEqual([name, expect.any(Number)]);
    }
  },
  timeoutMs,
);
