import { join } from 'node:path';
import { computeMedian, formatNumber, type Measured } from './figure.ts';
import { type Load, type LoadOptions, load } from './load.ts';
import { readCpuSeconds } from './process-cost.ts';

/** Each server has this core to itself, and the load generator the other. */
const serverCore = '0';
const loadCore = 1;
const seconds = 3;

/** Put before a command, keeps it to the core of the servers that are compared. */
export const onServerCore = ['taskset', '-c', serverCore] as const;

interface MeasuredServer {
  readonly url: string;
  readonly pid: number;
}

export interface BareServer extends MeasuredServer {
  end(): void;
}

/** What is asked of one of two servers. */
export interface LoadRequest extends Omit<LoadOptions, 'core' | 'seconds'> {
  readonly url: string;
}

interface Cost extends Load {
  readonly cpuMicroseconds: number;
}

/**
 * Starts what does the least that can be done for a request.
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
 * Asks a server and a bare one in turns.
 * @param ask what is asked of the server at an address
 * @returns how many answers of the server come on a hundred of the bare one
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
    const one = await measureCost(server.pid, request(server.url));
    const other = await measureCost(bare.pid, request(bare.url));
    // The first round warms both up.
    if (round === 0) continue;
    ours.push(one);
    least.push(other);
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

/** A busy machine changes how many requests there are in a second, but hardly what one costs. */
async function measureCost(pid: number, { url, ...asked }: LoadRequest): Promise<Cost> {
  const before = readCpuSeconds(pid);
  const seen = await load(url, { ...asked, seconds, core: loadCore });
  const requests = seen.requestsPerS * seconds;
  return { ...seen, cpuMicroseconds: ((readCpuSeconds(pid) - before) * 1e6) / requests };
}
