import { dlopen, FFIType } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';

/** Clock ticks per second in `/proc`; the same on every Linux that Bun runs on. */
const ticksPerSecond = 100;

/** @returns undefined if the system has no such file, or the process has ended */
export function readResidentBytes(pid: number): number | undefined {
  return readStatusBytes(pid, 'VmRSS');
}

/** @returns the memory that a process may write, used or reserved; undefined as above */
export function readDataBytes(pid: number): number | undefined {
  return readStatusBytes(pid, 'VmData');
}

function readStatusBytes(pid: number, name: string): number | undefined {
  const status = readProcessFile(pid, 'status') ?? '';
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

export interface ProcessActivity {
  /** User and system time of all threads. */
  readonly cpuSeconds: number;
  /** Whether it waits for a processor or a disk, so that it may use no CPU time although it works. */
  readonly isDelayed: boolean;
  /** Whether it has a processor or waits for one: then only its CPU time tells how far it is. */
  readonly isRunnable: boolean;
}

/** @returns undefined as above */
export function readActivity(pid: number): ProcessActivity | undefined {
  // The name of the program, in parentheses, may hold spaces.
  const fields = readProcessFile(pid, 'stat')?.split(') ').at(-1)?.split(' ');
  const [state, user, system] = [fields?.[0], fields?.[11], fields?.[12]];
  if (user === undefined || system === undefined) return undefined;
  const cpuSeconds = (Number(user) + Number(system)) / ticksPerSecond;
  const isRunnable = state === 'R';
  return { cpuSeconds, isDelayed: isRunnable || state === 'D', isRunnable };
}

function readProcessFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * On a busy machine a process waits for a processor, which must not count as time of its task.
 * @param isRunnable at the end; undefined: unknown
 * @returns the part of a period that counts toward a time limit: without the time in which the process waited for a processor
 */
export function countTaskSeconds(seconds: number, cpuSeconds: number, isRunnable = false): number {
  return isRunnable ? Math.min(seconds, cpuSeconds) : seconds;
}

export interface ProcessLimits {
  /** As `countTaskSeconds` counts them. */
  readonly seconds: number;
  readonly memoryBytes?: number;
}

interface ChildProcess {
  readonly pid: number;
  readonly exited: Promise<number>;
  kill(signal: 'SIGKILL'): void;
}

const limitPollIntervalMs = 50;

/**
 * Kills a process that exceeds a limit.
 * @returns why it failed; undefined: it ended with exit code 0
 */
export async function watchProcess(child: ChildProcess, limits: ProcessLimits): Promise<string | undefined> {
  const { seconds, memoryBytes = Infinity } = limits;
  let exceeded: string | undefined;
  let taskSeconds = 0;
  let last = { atS: performance.now() / 1000, cpuSeconds: 0 };
  const kill = (limit: string) => {
    exceeded ??= limit;
    child.kill('SIGKILL');
  };
  const watch = setInterval(() => {
    const { cpuSeconds = 0, isRunnable } = readActivity(child.pid) ?? {};
    const now = { atS: performance.now() / 1000, cpuSeconds };
    taskSeconds += countTaskSeconds(now.atS - last.atS, now.cpuSeconds - last.cpuSeconds, isRunnable);
    last = now;
    if (taskSeconds > seconds) kill(`time limit of ${seconds} s exceeded`);
    else if ((readResidentBytes(child.pid) ?? 0) > memoryBytes)
      kill(`memory limit of ${memoryBytes / 1e6} MB exceeded`);
  }, limitPollIntervalMs);
  try {
    const exitCode = await child.exited;
    return exceeded ?? (exitCode === 0 ? undefined : 'the process crashed');
  } finally {
    clearInterval(watch);
  }
}

/** Whether this is the executable, not Bun with the source. */
export const isCompiled: boolean = import.meta.dir.startsWith('/$bunfs');

/** Of the source; there is none in the executable. */
export const projectFolder: string = join(import.meta.dir, '../..');

let programCommand = isCompiled ? [process.execPath] : [process.execPath, join(projectFolder, 'src/main.ts')];

/** @returns the command that starts this program again: the executable, or from source Bun with `main.ts` */
export function buildProgramCommand(): string[] {
  return [...programCommand];
}

/** For tests that have built the executable, from which a worker starts in a third of the CPU time. */
export function setProgramCommand(command: readonly string[]): void {
  programCommand = [...command];
}

const setParentDeathSignal = 1;
const killSignal = 9;

/** Lets the kernel kill this process when its parent ends, even during a long computation. Linux only. */
export function exitWithParent(): void {
  if (process.platform !== 'linux') return;
  const library = dlopen('libc.so.6', { prctl: { args: [FFIType.i32, FFIType.u64], returns: FFIType.i32 } });
  library.symbols.prctl(setParentDeathSignal, killSignal);
  library.close();
}

/** Best effort: a sandbox may forbid it, and another process may have ended. @param pid default: this process */
export function lowerPriority(niceness: number, pid = 0): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The work is the same.
  }
}
