import { ptr } from 'bun:ffi';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { watchProcess } from '../processes.ts';
import { buildChildCommand, detectSandboxSupport, type Sandbox, type SandboxSupport } from './sandbox.ts';
import { findCallNumber, openKernel } from './system-calls.ts';

/** What a child process in a sandbox tries. */
export interface ProbePaths {
  readonly file: string;
  /** A folder to create, and delete again. */
  readonly folder: string;
}

const attempts = ['read', 'write', 'connect', 'execute', 'pin'] as const;
type Attempt = (typeof attempts)[number];

export interface SandboxReport extends SandboxSupport {
  /** What a child process in the sandbox could do. */
  readonly allowed: readonly Attempt[];
}

const probeLimits = { seconds: 20 };
const internetFamily = 2;
const streamSocket = 1;
/** As a mask, for up to 1,024 of them. */
const allProcessors = new Uint8Array(128).fill(255);

/** Starts a child process in a sandbox that attempts forbidden actions. @throws Error when it doesn't report */
export async function probeSandbox(sandbox: Sandbox, paths: ProbePaths): Promise<SandboxReport> {
  const child = Bun.spawn(buildChildCommand(['sandbox-probe', JSON.stringify(paths)], sandbox), {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
  });
  const [output, failure] = await Promise.all([new Response(child.stdout).text(), watchProcess(child, probeLimits)]);
  if (failure !== undefined) throw new Error(`the process in the sandbox failed: ${failure}`);
  return { ...detectSandboxSupport(), allowed: JSON.parse(output) as Attempt[] };
}

/** The body of that process. Writes the allowed actions to standard output, as JSON. */
export async function runProbe({ file, folder }: ProbePaths): Promise<void> {
  const actions: Record<Attempt, () => void> = {
    read: () => readFileSync(file),
    write: () => {
      mkdirSync(folder);
      rmdirSync(folder);
    },
    connect: () => callKernel('socket', internetFamily, streamSocket),
    // Processors of a process; with another id, those of the server.
    pin: () => callKernel('sched_setaffinity', 0, allProcessors.byteLength, ptr(allProcessors)),
    execute: () => {
      Bun.spawnSync(['/bin/true'], { stdio: ['ignore', 'ignore', 'ignore'] });
    },
  };
  const allowed = attempts.filter((attempt) => isAllowed(actions[attempt]));
  await Bun.write(Bun.stdout, JSON.stringify(allowed));
}

function isAllowed(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

function callKernel(name: string, ...parameters: number[]): void {
  const kernel = openKernel();
  const result = kernel.call(findCallNumber(name), ...parameters);
  kernel.close();
  if (result < 0) throw new Error(`error ${-result} of the kernel`);
}
