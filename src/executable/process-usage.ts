import { readFileSync } from 'node:fs';

/** Clock ticks per second in `/proc`; the same on every Linux that Bun runs on. */
const ticksPerSecond = 100;

/** @returns undefined where the system has no such file, or the process is gone */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProcessFile(pid, 'status') ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** @returns user and system time in seconds; undefined where the system has no such file, or the process is gone */
export function cpuSeconds(pid: number): number | undefined {
  // The name of the program, in parentheses, may hold spaces.
  const fields = readProcessFile(pid, 'stat')?.split(') ').at(-1)?.split(' ');
  const [user, system] = [fields?.[11], fields?.[12]];
  if (user === undefined || system === undefined) return undefined;
  return (Number(user) + Number(system)) / ticksPerSecond;
}

function readProcessFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
