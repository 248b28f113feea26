import type { Subprocess } from 'bun';
import PQueue from 'p-queue';
import { AppError } from '../errors.ts';
import { residentBytes } from '../executable/memory-use.ts';
import { programCommand } from '../executable/program.ts';
import type { Log } from '../log.ts';
import type { Reply, Request, TaskName, Tasks } from './tasks.ts';

/** A worker gives its memory back by ending; after so many tasks it does so in any case. */
const tasksPerWorker = 20_000;
/** A worker that dies at birth is not replaced in a tight loop. */
const rebirthPauseMs = 500;
/** A worker in the middle of an inference doesn't hear that it should go. */
const stopPatienceMs = 1_500;

/** How often the memory of a worker is looked at while it has a task. */
const memoryLookMs = 50;

/** The worker that had the task is gone: crashed, killed, or out of time. The task may be asked again. */
export class WorkerDied extends Error {
  override readonly name: string = 'WorkerDied';
}

/** There are no workers any more, because the program ends. Nobody is to blame. */
export class WorkersStopped extends WorkerDied {
  override readonly name = 'WorkersStopped';
}

export interface WorkersOptions {
  readonly count: number;
  /** Each is started when there is a task for it: most commands have none. */
  readonly isLazy?: boolean;
  /** Longest time for one task, in seconds. */
  readonly deadlineS: number;
  /** A worker that has grown beyond it is replaced after its task. */
  readonly memoryMb: number;
  /** One that grows beyond it in the middle of a task is killed at once, where the system tells (Linux); undefined: none is. */
  readonly hardMemoryMb?: number;
  /** Folder for unpacked native libraries. */
  readonly nativeFolders: readonly string[];
  readonly log: Log;
}

/** What has become of the tasks of one kind. */
interface TaskCounts {
  done: number;
  /** The task itself was at fault. */
  failed: number;
  /** The worker ended over it. */
  died: number;
}

/** What has happened since the start. */
interface WorkersHistory {
  readonly tasks: ReadonlyMap<TaskName, TaskCounts>;
  /** Workers that had to be replaced. */
  readonly ends: { wornOut: number; died: number };
}

/** Child processes of this same executable, one task each at a time. */
export interface Workers {
  readonly count: number;
  /**
   * Waits for a free worker and asks it.
   * @throws WorkerDied when it ended over the task; AppError when the task itself is at fault
   */
  ask<Name extends TaskName>(
    task: Name,
    question: Tasks[Name]['question'],
  ): Promise<Tasks[Name]['answer']>;
  /** Lets every worker load a voice. */
  preload(question: Tasks['load']['question']): Promise<void>;
  /** Process ids and memory, for health pages. */
  state(): { pid: number; rssBytes: number; taskCount: number }[];
  history(): WorkersHistory;
  stop(): Promise<void>;
}

/** Starts the workers; the first answers come as soon as they are up. */
export function startWorkers(options: WorkersOptions): Workers {
  const queue = new PQueue({ concurrency: options.count });
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let stopping = false;
  let stillbirths = 0;
  const tasks = new Map<TaskName, TaskCounts>();
  const ends = { wornOut: 0, died: 0 };

  const spawn = (): Worker => {
    const worker = new Worker(options, () => {
      stillbirths = worker.answered ? 0 : stillbirths + 1;
      all.delete(worker);
      if (!stopping) ends[worker.isWornOut ? 'wornOut' : 'died'] += 1;
      const place = idle.indexOf(worker);
      if (place >= 0) idle.splice(place, 1);
    });
    all.add(worker);
    return worker;
  };
  const take = async (): Promise<Worker> => {
    const waiting = idle.pop();
    if (waiting !== undefined) return waiting;
    if (stillbirths > 0) await Bun.sleep(Math.min(stillbirths, 10) * rebirthPauseMs);
    return spawn();
  };
  const release = (worker: Worker): void => {
    if (!worker.alive) return;
    if (worker.isWornOut) {
      void worker.end();
      if (!stopping) idle.push(spawn());
    } else idle.push(worker);
  };
  const askWorker = async <Name extends TaskName>(
    task: Name,
    question: Tasks[Name]['question'],
  ): Promise<Tasks[Name]['answer']> => {
    if (stopping) throw new WorkersStopped('the workers are being stopped');
    const worker = await take();
    const counts = tasks.get(task) ?? { done: 0, failed: 0, died: 0 };
    tasks.set(task, counts);
    try {
      const answer = await worker.ask(task, question);
      counts.done += 1;
      return answer;
    } catch (error) {
      counts[error instanceof WorkerDied ? 'died' : 'failed'] += 1;
      throw error;
    } finally {
      release(worker);
    }
  };

  const atOnce = options.isLazy === true ? 0 : options.count;
  for (let index = 0; index < atOnce; index += 1) idle.push(spawn());
  return {
    count: options.count,
    ask: (task, question) => queue.add(() => askWorker(task, question)),
    preload: async (question) => {
      const everyone = Array.from({ length: options.count }, () =>
        queue.add(() => askWorker('load', question)),
      );
      await Promise.allSettled(everyone);
    },
    state: () => [...all].map(({ pid, rssBytes, taskCount }) => ({ pid, rssBytes, taskCount })),
    history: () => ({ tasks, ends }),
    stop: async () => {
      stopping = true;
      queue.clear();
      await Promise.all([...all].map((worker) => worker.end()));
    },
  };
}

/**
 * Bun collects garbage by how much memory the machine has, and a worker leaves a lot behind with each sentence: it is to
 * live as on a small machine. Measured over 320 sentences: 273 MB at most instead of 374, for the same CPU time.
 */
const workerEnvironment = { BUN_JSC_forceRAMSize: String(128 * 1024 * 1024) };

interface Waiting {
  readonly resolve: (answer: Tasks[TaskName]['answer']) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Timer;
  readonly memoryWatch: Timer | undefined;
}

class Worker {
  readonly #child: Subprocess;
  readonly #options: WorkersOptions;
  #waiting: (Waiting & { id: number }) | undefined;
  /** Why we ended it ourselves. */
  #killedBecause: string | undefined;
  alive = true;
  answered = false;
  rssBytes = 0;
  taskCount = 0;

  constructor(options: WorkersOptions, onEnd: () => void) {
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
        const reason = this.#killedBecause ?? `the worker ended (${signal ?? exitCode})`;
        this.#fail(new WorkerDied(reason));
      },
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  get isWornOut(): boolean {
    return this.taskCount >= tasksPerWorker || this.rssBytes > this.#options.memoryMb * 1024 * 1024;
  }

  ask<Name extends TaskName>(
    task: Name,
    question: Tasks[Name]['question'],
  ): Promise<Tasks[Name]['answer']> {
    this.taskCount += 1;
    const id = this.taskCount;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#options.log.warn({ task, pid: this.pid }, 'a worker took too long and is killed');
        this.#kill(`the worker took longer than ${this.#options.deadlineS} s`);
      }, this.#options.deadlineS * 1000);
      this.#waiting = { id, resolve, reject, timer, memoryWatch: this.#watchMemory() };
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
    this.rssBytes = reply.rssBytes;
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

  #kill(reason: string): void {
    this.#killedBecause = reason;
    this.#child.kill('SIGKILL');
  }

  #watchMemory(): Timer | undefined {
    const { hardMemoryMb } = this.#options;
    if (hardMemoryMb === undefined) return undefined;
    return setInterval(() => {
      const rssBytes = residentBytes(this.pid);
      if (rssBytes === undefined || rssBytes <= hardMemoryMb * 1024 * 1024) return;
      this.#kill(`the worker took more memory than ${hardMemoryMb} MB`);
    }, memoryLookMs);
  }
}

function stopWatching({ timer, memoryWatch }: Waiting): void {
  clearTimeout(timer);
  clearInterval(memoryWatch);
}
