import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** User and system time of all its threads. */
  readonly ticks: number;
  /** The same of ended children. */
  readonly endedTicks: number;
}

/** @returns CPU seconds, user and system, of a process and of all its children, ended ones included */
export function readCpuSeconds(pid: number): number {
  const stat = readStat(pid);
  if (stat === undefined) throw new Error(`process ${pid} has ended`);
  const ticks = listChildren(pid).reduce(
    (sum, child) => sum + child.ticks + child.endedTicks,
    stat.ticks + stat.endedTicks,
  );
  return ticks / ticksPerSecond;
}

/** @returns pids of the living children */
export function listChildPids(pid: number): number[] {
  return listChildren(pid).map((child) => child.pid);
}

/** @returns current and peak resident memory in MB (millions of bytes) */
export function readResidentMb(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const readKibibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: (readKibibytes('VmRSS') * 1024) / 1e6, peak: (readKibibytes('VmHWM') * 1024) / 1e6 };
}

function listChildren(parent: number): ProcessStat[] {
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
  // The command name, in parentheses, can contain any characters.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const getField = (place: number) => Number(fields[place - 3]);
  return {
    pid,
    parent: getField(4),
    ticks: getField(14) + getField(15),
    endedTicks: getField(16) + getField(17),
  };
}
