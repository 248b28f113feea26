import { expect, test } from 'bun:test';
import { runCampaign } from '../campaign/run-campaign.ts';
import { runMachineCampaign } from '../campaign/run-machines.ts';
import { testSeed } from '../fixtures/seed.ts';

const minutes = 2;
/** A busy machine takes long to finish accepted posts. */
const timeoutMs = 30 * 60_000;

test(
  `after ${minutes} minutes of abuse every accepted post is accounted for (TEST_SEED=${testSeed})`,
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

test(
  `several machines under failures, without the bucket and during a rolling upgrade (TEST_SEED=${testSeed})`,
  async () => {
    const { record } = await runMachineCampaign({
      ...{ seed: testSeed, minutes: 1.5 },
      write: (line) => process.stderr.write(`${line}\n`),
    });
    expect(record.violations).toEqual([]);
    for (const phase of ['no bucket for long', 'a bucket that hangs for long', 'rolling upgrade and back']) {
      for (const kind of ['MP3', 'MP3, range', 'generate', 'status', 'player', 'public audio']) {
        const name = `${kind}; ${phase}`;
        expect([name, record.durationsMs.get(name)?.length]).toEqual([name, expect.any(Number)]);
      }
    }
  },
  timeoutMs,
);
