import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** User and system time of all its threads. */
  readonly ticks: number;
  /** The same of children that have ended and been waited for. */
  readonly endedTicks: number;
}

/** @returns CPU seconds, user and system, of a process and of all its children, ended ones included */
export function cpuSeconds(pid: number): number {
  const own = readStat(pid);
  if (own === undefined) throw new Error(`process ${pid} is gone`);
  const ticks = childrenOf(pid).reduce(
    (sum, child) => sum + child.ticks + child.endedTicks,
    own.ticks + own.endedTicks,
  );
  return ticks / ticksPerSecond;
}

/** @returns pids of the living children */
export function childPids(pid: number): number[] {
  return childrenOf(pid).map((child) => child.pid);
}

/** @returns resident memory in MB (millions of bytes); `peak` the highest it ever was */
export function residentMb(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: (kibibytes('VmRSS') * 1024) / 1e6, peak: (kibibytes('VmHWM') * 1024) / 1e6 };
}

function childrenOf(parent: number): ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .filter((stat) => stat.parent === parent);
}

function readStat(pid: number): ProcessStat | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The command's name, in parentheses, may hold anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (place: number) => Number(fields[place - 3]);
  return {
    pid,
    parent: field(4),
    ticks: field(14) + field(15),
    endedTicks: field(16) + field(17),
  };
}
