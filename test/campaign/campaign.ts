// One server under abuse for some minutes; afterwards every accepted post is accounted for:
//   bun run campaign [--machines [--only FAULT] [--rate N]] [--minutes N] [--seed N] [--program FILE]
// With --machines: two servers and four speakers on PostgreSQL with a standby and a bucket, while every part fails.
// --only 'rolling upgrade', --only 'for long' (the bucket) or a part of the name of another fault: nothing else.
// --rate: accepted posts and corrections a second, mostly corrections of short posts that wait; default: about one.
// Runs dist/lectern if it exists, otherwise the source. Needs root on Debian, and the packages of test/run.ts --tools.
// Exit code 1: a violation occurred.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testSeed } from '../fixtures/seed.ts';
import { describeCampaign } from './report.ts';
import { runCampaign } from './run-campaign.ts';
import { runMachineCampaign } from './run-machines.ts';

const executable = join(import.meta.dir, '../../dist/lectern');
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: `${testSeed}` },
    machines: { type: 'boolean', default: false },
    only: { type: 'string' },
    rate: { type: 'string' },
    program: { type: 'string', default: existsSync(executable) ? executable : 'source' },
  },
});
const options = { seed: Number(values.seed), minutes: Number(values.minutes) };
const run = values.machines ? runMachineCampaign : runCampaign;
const { record, samples } = await run({
  ...options,
  only: values.only,
  rate: values.rate === undefined ? undefined : Number(values.rate),
  ...(values.program === 'source' ? {} : { command: [values.program] }),
  write: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(`${describeCampaign(record, samples, options)}\n`);
process.exit(record.violations.length === 0 ? 0 : 1);
