import type { Subprocess } from 'bun';
import { cpuSeconds, programCommand, residentBytes } from '../build/processes.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import {
  loadedVoicesMax,
  type Reply,
  type Request,
  type TaskName,
  type Tasks,
  textTasks,
  type WorkerState,
} from './worker-protocol.ts';

/** A worker gives its memory back by ending; after so many tasks it does so in any case. */
const tasksPerWorker = 20_000;
/** A worker in the middle of an inference doesn't hear that it should go. */
const stopPatienceMs = 1_500;

/** How often the memory of a worker is looked at while it has a task, and its CPU time while the task is on text. */
const memoryLookMs = 50;
const cpuPollIntervalMs = 250;

/** The worker that had the task is gone: crashed, killed, or out of time. The task may be asked again. */
export class WorkerDied extends Error {
  override readonly name: string = 'WorkerDied';
}

/** We ended it ourselves: the task takes longer, or more memory, than it may. */
export class WorkerOverLimit extends WorkerDied {
  override readonly name = 'WorkerOverLimit';
  /** Whether the same would happen again. A task that ran out of time without using the CPU met a hung worker. */
  readonly isTaskAtFault: boolean;

  constructor(message: string, isTaskAtFault: boolean) {
    super(message);
    this.isTaskAtFault = isTaskAtFault;
  }
}

/** What holds for each worker. */
export interface WorkerOptions {
  /** Longest time for one task, in seconds. */
  readonly deadlineS: number;
  /** CPU time for one task on text, in seconds: a text beyond it is at fault, and tried no more. */
  readonly textCpuS: number;
  /** A worker that has grown beyond it is replaced after its task. */
  readonly memoryMb: number;
  /** One that grows beyond it in the middle of a task is killed at once, where the system tells (Linux); undefined: none is. */
  readonly hardMemoryMb?: number;
  /** Folder for unpacked native libraries. */
  readonly nativeFolders: readonly string[];
  readonly log: Log;
}

/**
 * Bun collects garbage by how much memory the machine has, and a worker leaves a lot behind with each sentence: it is to
 * live as on a small machine. Measured over 320 sentences: 273 MB at most instead of 374, for the same CPU time.
 */
const workerEnvironment = { BUN_JSC_forceRAMSize: String(128 * 1024 * 1024) };

interface Waiting {
  readonly resolve: (answer: Tasks[TaskName]['answer']) => void;
  readonly reject: (error: Error) => void;
  /** Timers that end with the task. */
  readonly limits: readonly Timer[];
}

/** A child process that is asked one thing at a time. */
export class WorkerProcess {
  readonly #child: Subprocess;
  readonly #options: WorkerOptions;
  #waiting: (Waiting & { id: number }) | undefined;
  /** Why we ended it ourselves. */
  #killedBecause: WorkerOverLimit | undefined;
  alive = true;
  answered = false;
  state: WorkerState = { rssBytes: 0, voices: [], voiceLoads: 0 };
  taskCount = 0;
  /** Whether it has been given the usual voice to load. */
  isWarm = false;
  /** Content hash of the voice that it loads for nobody yet. */
  preparing: string | undefined;

  constructor(options: WorkerOptions, onEnd: () => void) {
    this.#options = options;
    this.#child = Bun.spawn([...programCommand(), 'worker', ...options.nativeFolders], {
      stdio: ['ignore', 'ignore', 'inherit'],
      // The environment may hold secrets that a parser of hostile text needn't see.
      env: workerEnvironment,
      serialization: 'advanced',
      ipc: (reply: Reply) => this.#receive(reply),
      onExit: (_child, exitCode, signal) => {
        this.alive = false;
        onEnd();
        const ended = new WorkerDied(`the worker ended (${signal ?? exitCode})`);
        this.#fail(this.#killedBecause ?? ended);
      },
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  get isWornOut(): boolean {
    return (
      this.taskCount >= tasksPerWorker || this.state.rssBytes > this.#options.memoryMb * 1024 * 1024
    );
  }

  get hasRoom(): boolean {
    return this.state.voices.length < loadedVoicesMax;
  }

  has(contentHash: string): boolean {
    return this.state.voices.includes(contentHash);
  }

  ask<Name extends TaskName>(
    task: Name,
    question: Tasks[Name]['question'],
  ): Promise<Tasks[Name]['answer']> {
    this.taskCount += 1;
    const id = this.taskCount;
    return new Promise((resolve, reject) => {
      const { deadlineS } = this.#options;
      const deadline = setTimeout(() => {
        this.#timeOut(task, `it took more than ${deadlineS} s`, false);
      }, deadlineS * 1000);
      const limits = [deadline, ...this.#watchMemory(), ...this.#watchCpu(task)];
      this.#waiting = { id, resolve, reject, limits };
      const request: Request = { id, task, question };
      try {
        this.#child.send(request);
      } catch {
        this.#child.kill('SIGKILL');
        // Its end is noticed later; nobody may be given to it until then.
        this.alive = false;
        this.#fail(new WorkerDied('the worker cannot be reached'));
      }
    });
  }

  /** Asks it to go, and makes it go. */
  async end(): Promise<void> {
    if (!this.alive) return;
    this.#child.disconnect();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), stopPatienceMs);
    await this.#child.exited;
    clearTimeout(late);
  }

  #receive(reply: Reply): void {
    this.answered = true;
    this.state = reply.state;
    const waiting = this.#waiting;
    if (waiting?.id !== reply.id) return;
    this.#waiting = undefined;
    stopWatching(waiting);
    if ('answer' in reply) waiting.resolve(reply.answer);
    else waiting.reject(new AppError(reply.error.code, reply.error.message));
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    stopWatching(waiting);
    waiting.reject(error);
  }

  #kill(reason: WorkerOverLimit): void {
    this.#killedBecause = reason;
    this.#child.kill('SIGKILL');
  }

  #timeOut(task: TaskName, reason: string, isTaskAtFault: boolean): void {
    this.#options.log.warn({ task, pid: this.pid, reason }, 'worker timed out');
    this.#kill(new WorkerOverLimit(reason, isTaskAtFault));
  }

  #watchMemory(): Timer[] {
    const { hardMemoryMb } = this.#options;
    if (hardMemoryMb === undefined) return [];
    const watch = setInterval(() => {
      const rssBytes = residentBytes(this.pid);
      if (rssBytes === undefined || rssBytes <= hardMemoryMb * 1024 * 1024) return;
      this.#kill(new WorkerOverLimit(`it took more than ${hardMemoryMb} MB of memory`, true));
    }, memoryLookMs);
    return [watch];
  }

  /** CPU time, as a busy machine may give a worker little of it; the time that passes where the system doesn't tell. */
  #watchCpu(task: TaskName): Timer[] {
    const { textCpuS } = this.#options;
    if (!textTasks.has(task)) return [];
    const used = (): number => cpuSeconds(this.pid) ?? performance.now() / 1000;
    const before = used();
    const watch = setInterval(() => {
      if (used() - before < textCpuS) return;
      this.#timeOut(task, `it took more than ${textCpuS} s of CPU time`, true);
    }, cpuPollIntervalMs);
    return [watch];
  }
}

function stopWatching({ limits }: Waiting): void {
  for (const timer of limits) clearTimeout(timer);
}
