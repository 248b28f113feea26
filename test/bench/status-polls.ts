import { join } from 'node:path';
import { hashOfKey } from '../../src/sites/api-keys.ts';
import { article, longArticle } from './article.ts';
import { type BenchSite, startBenchServer } from './bench-server.ts';
import { type Figure, median, number } from './figure.ts';
import { type Load, load } from './load.ts';
import { cpuSeconds } from './process-cost.ts';

const main = join(import.meta.dir, '../../src/main.ts');
const serverCore = '0';
const loadCore = 1;
const connections = 32;
const seconds = 3;
/** Polls while articles are made: many clients that wait for theirs, not a flood. */
const busyConnections = 4;

const shortContent = 'That was all that there was to be said about it for today, and more follows.';

/** Status polls against the least that a poll can cost, in turns, each server on one core and wrk on the other. */
export const statusPolls: Figure = {
  name: 'status-polls',
  measure: async ({ rounds }) => {
    const pinned = ['taskset', '-c', serverCore, process.execPath, main];
    const server = await startBenchServer({ command: pinned });
    const site = await server.freshSite();
    await server.make(site, 'post', article(0));
    const bare = await startBareStatus(join(server.data, 'lectern.db'), site);
    const path = '/v1/audio/post/status';
    try {
      const ours: number[] = [];
      const least: number[] = [];
      const oursCpu: number[] = [];
      const leastCpu: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const options = { key: site.key, connections, seconds, core: loadCore };
        const one = await costOf(server.pid, () => load(`${server.url}${path}`, options));
        const other = await costOf(bare.pid, () => load(`${bare.url}${path}`, options));
        // The first round warms both up.
        if (round === 0) continue;
        ours.push(one.requestsPerS);
        least.push(other.requestsPerS);
        oursCpu.push(one.cpuMicroseconds);
        leastCpu.push(other.cpuMicroseconds);
      }
      return [
        {
          name: 'HTTP: status polls a second against bare Bun.serve + SQLite',
          unit: '%',
          values: ours.map((each, round) => (100 * each) / (least[round] ?? Number.NaN)),
          min: 60,
          detail: `${number(median(ours))} against ${number(median(least))}; CPU of one ${number(median(oursCpu))} µs against ${number(median(leastCpu))} µs`,
        },
      ];
    } finally {
      bare.end();
      await server.stop();
    }
  },
};

/** How long the slowest polls take while every worker speaks. */
export const busyPolls: Figure = {
  name: 'busy-polls',
  measure: async ({ rounds }) => {
    const server = await startBenchServer();
    try {
      const values: number[] = [];
      const perS: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const site = await server.freshSite();
        await server.post(site, 'long', longArticle());
        await Bun.sleep(1_500);
        const { p99Ms, requestsPerS } = await load(`${server.url}/v1/audio/long/status`, {
          key: site.key,
          connections: busyConnections,
          seconds,
        });
        values.push(p99Ms);
        perS.push(requestsPerS);
        // Replaced by a short one, so that the next round needn't wait for it.
        await server.make(site, 'long', { title: 'The end', content: shortContent });
      }
      return [
        {
          name: 'HTTP: p99 of status polls while every worker is busy',
          unit: 'ms',
          values,
          target: 20,
          detail: `${busyConnections} connections, ${number(median(perS))} polls a second`,
        },
      ];
    } finally {
      await server.stop();
    }
  },
};

/** A busy machine changes how many requests there are in a second, but hardly what one costs. */
async function costOf(pid: number, work: () => Promise<Load>) {
  const before = cpuSeconds(pid);
  const seen = await work();
  const requests = seen.requestsPerS * seconds;
  return { ...seen, cpuMicroseconds: ((cpuSeconds(pid) - before) * 1e6) / requests };
}

async function startBareStatus(database: string, site: BenchSite) {
  const program = join(import.meta.dir, 'bare-status-process.ts');
  const child = Bun.spawn(
    [
      ...['taskset', '-c', serverCore, process.execPath, program],
      ...[database, hashOfKey(site.key), String(site.id)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const chunk of child.stdout) {
    const url = new TextDecoder().decode(chunk).trim();
    return { url, pid: child.pid, end: () => child.kill() };
  }
  throw new Error('the bare server ended at once');
}
