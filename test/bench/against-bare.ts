import { join } from 'node:path';
import { computeMedian, formatNumber, type Measured } from './figure.ts';
import { type Load, type LoadOptions, load } from './load.ts';
import { readCpuSeconds } from './process-cost.ts';

/** The measured server has this core, the load generator the other. */
const serverCore = '0';
const loadCore = 1;
const seconds = 3;

/** Command prefix that pins a process to the core of the compared servers. */
export const onServerCore = ['taskset', '-c', serverCore] as const;

interface MeasuredServer {
  readonly url: string;
  readonly pid: number;
}

export interface BareServer extends MeasuredServer {
  end(): void;
}

/** The load of one of two servers. */
export interface LoadRequest extends Omit<LoadOptions, 'core' | 'seconds'> {
  readonly url: string;
}

interface Cost extends Load {
  readonly cpuMicroseconds: number;
}

/**
 * Starts a server with the minimal work for a request.
 * @param program file beside this one; prints its address
 */
export async function startBare(program: string, args: readonly string[]): Promise<BareServer> {
  const file = join(import.meta.dir, program);
  const child = Bun.spawn([...onServerCore, process.execPath, file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of child.stdout) {
    const url = new TextDecoder().decode(chunk).trim();
    return { url, pid: child.pid, end: () => child.kill() };
  }
  throw new Error('the bare server ended at once');
}

/**
 * Alternates load on a server and on a bare one.
 * @param request returns the load for the server at an address
 * @returns the request rate of the server as a percentage of that of the bare one
 */
export async function compareWithBare(
  { name, rounds, min }: { name: string; rounds: number; min?: number },
  server: MeasuredServer,
  bare: MeasuredServer,
  request: (url: string) => LoadRequest,
): Promise<Measured> {
  const ours: Cost[] = [];
  const least: Cost[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const cost = await measureCost(server.pid, request(server.url));
    const bareCost = await measureCost(bare.pid, request(bare.url));
    // The first round is a warm-up.
    if (round === 0) continue;
    ours.push(cost);
    least.push(bareCost);
  }
  const listRequestRates = (costs: readonly Cost[]) => costs.map(({ requestsPerS }) => requestsPerS);
  const formatMedianCpu = (costs: readonly Cost[]) =>
    formatNumber(computeMedian(costs.map(({ cpuMicroseconds }) => cpuMicroseconds)));
  const bareCounts = listRequestRates(least);
  return {
    name,
    unit: '%',
    values: listRequestRates(ours).map((count, round) => (100 * count) / (bareCounts[round] ?? Number.NaN)),
    ...(min === undefined ? {} : { min }),
    detail: `${formatNumber(computeMedian(listRequestRates(ours)))} against ${formatNumber(computeMedian(bareCounts))}; CPU of one ${formatMedianCpu(ours)} µs against ${formatMedianCpu(least)} µs`,
  };
}

/** Load on the machine changes the request rate, but hardly the CPU time per request. */
async function measureCost(pid: number, { url, ...asked }: LoadRequest): Promise<Cost> {
  const before = readCpuSeconds(pid);
  const measured = await load(url, { ...asked, seconds, core: loadCore });
  const requests = measured.requestsPerS * seconds;
  return { ...measured, cpuMicroseconds: ((readCpuSeconds(pid) - before) * 1e6) / requests };
}
