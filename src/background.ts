import PQueue from 'p-queue';
import type { Cluster } from './database/database.ts';
import type { Log } from './log.ts';

/** Does not wait for `work`, and logs its failure. @param failure log message */
export function runInBackground(work: Promise<unknown>, log: Log, failure: string): void {
  work.catch((error: unknown) => log.error({ err: error }, failure));
}

/**
 * Logs unhandled rejections, after which the server continues, and uncaught exceptions, which end it because its state is
 * unknown.
 * @returns removes the handlers
 */
export function logUnhandledErrors(log: Log): () => void {
  const onRejection = (error: unknown): void => {
    log.error({ err: error }, 'unhandled rejection');
  };
  const onException = (error: unknown): void => {
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
  };
}

export interface Schedule {
  readonly intervalMs: number;
  /** Before the first run. Default: none. */
  readonly delayMs?: number;
  /** Asked before each scheduled run; a run after a failure is not skipped. */
  readonly isDue?: () => boolean;
  /** Whether each server process runs it for itself. Default: one of them runs it for the installation. */
  readonly isPerServer?: boolean;
}

/** A task that runs periodically, never twice at once. */
export interface PeriodicJob {
  /** Adds a run to the schedule, after a delay. During a run: one more run follows. Wakes the server that runs it. */
  wake(delayMs?: number): void;
}

/** Tasks that run beside each other, each under a key that only one of them has at a time. */
export interface TaskQueue {
  /**
   * @returns the keys of the tasks that wait or run. Call it before the work is read from the database: what a task completes
   *   meanwhile may still be in the result, and must not be added again
   */
  listKeys(): ReadonlySet<number | string>;
  /**
   * Ignored while a task with this key waits or runs, and once the server stops.
   * @param task gets a signal that is aborted when the server waits for it no longer
   */
  add(key: number | string, task: (signal: AbortSignal) => Promise<void>, options?: TaskOptions): void;
}

interface TaskOptions {
  /** Higher first. Default: 0. */
  readonly priority?: number;
  /** Called when the task has ended, however it did. */
  readonly onEnd?: () => void;
}

interface TaskQueueOptions {
  readonly concurrency: number;
  /** The key of a task that failed stays busy for this time: the task would be due again at once. */
  readonly failureDelayMs: number;
}

/** How long running tasks may go on when the server stops. */
const taskGraceMs = 1_000;
const batchDelayMs = 20;

/**
 * The background jobs of a server, which stop together. Their work is in the rows of the database, so that a stop loses
 * nothing: a job reads the rows that are due.
 */
export class Jobs {
  readonly #log: Log;
  readonly #cluster: Cluster | undefined;
  readonly #stopping = new AbortController();
  readonly #abort = new AbortController();
  readonly #timers = new Set<Timer>();
  readonly #runs = new Set<Promise<void>>();
  readonly #queues: PQueue[] = [];

  /** @param cluster undefined: this server runs all jobs */
  constructor(log: Log, cluster?: Cluster) {
    this.#log = log;
    this.#cluster = cluster;
  }

  /** Aborted when the server begins to stop. */
  get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** @param name what the task does, for the log of its failures: "purging events" */
  every(
    name: string,
    { intervalMs, delayMs = 0, isDue, isPerServer = false }: Schedule,
    task: () => Promise<void>,
  ): PeriodicJob {
    const cluster = isPerServer ? undefined : this.#cluster;
    const isElsewhere = (): boolean => cluster?.isLeader === false;
    let isRunning = false;
    let isWanted = false;
    /** Of the last run; undefined: it succeeded. */
    let failure: string | undefined;
    const run = (): void => {
      if (isRunning || this.isStopping || isElsewhere()) return;
      isWanted = false;
      isRunning = true;
      const running = task()
        .then(() => {
          failure = undefined;
        })
        .catch((error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          // Once per outage and reason: a full disk would fill the log.
          if (message !== failure) this.#log.warn({ err: error }, `${name} failed`);
          else this.#log.debug({ err: error }, `${name} failed again`);
          failure = message;
        })
        .finally(() => {
          isRunning = false;
          this.#runs.delete(running);
          if (isWanted) run();
        });
      this.#runs.add(running);
    };
    const runIfDue = (): void => {
      if (failure !== undefined || isDue === undefined || isDue()) run();
    };
    const wake = (afterMs = 0): void => {
      if (afterMs > 0) this.#setTimer(() => wake(), afterMs);
      else if (isElsewhere()) cluster?.send('job.wake', name);
      else if (isRunning) isWanted = true;
      else run();
    };
    cluster?.on('job.wake', (woken) => {
      if (woken === name && !isElsewhere()) wake();
    });
    cluster?.onLeadership(run);
    if (delayMs === 0) run();
    else this.#setTimer(run, delayMs);
    this.#timers.add(setInterval(runIfDue, intervalMs));
    return { wake };
  }

  /** @param name what a task does, for the log of its failures: "storing webhook attempt" */
  createQueue(name: string, { concurrency, failureDelayMs }: TaskQueueOptions): TaskQueue {
    const queue = new PQueue({ concurrency });
    const busy = new Set<number | string>();
    this.#queues.push(queue);
    return {
      listKeys: () => new Set(busy),
      add: (key, task, { priority = 0, onEnd } = {}) => {
        if (busy.has(key) || this.isStopping) return;
        busy.add(key);
        const running = queue
          .add(() => task(this.#abort.signal), { priority })
          .catch(async (error: unknown) => {
            if (this.isStopping) return;
            this.#log.warn({ err: error, key }, `${name} failed`);
            await Bun.sleep(failureDelayMs);
          })
          .finally(() => {
            busy.delete(key);
            onEnd?.();
          });
        runInBackground(running, this.#log, `${name} failed`);
      },
    };
  }

  /**
   * Repeats a short write that reports whether there is more to do, with pauses, so that requests reach the database
   * in between. Ends early when the server stops.
   */
  async repeat(writeSome: () => Promise<boolean>): Promise<void> {
    while (!this.isStopping && (await writeSome())) await Bun.sleep(batchDelayMs);
  }

  /** Ends the schedules, drops the tasks that wait, and waits for the current runs; tasks get a moment. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    for (const queue of this.#queues) queue.clear();
    const tasks = Promise.all(this.#queues.map((queue) => queue.onPendingZero()));
    await Promise.race([tasks, Bun.sleep(taskGraceMs)]);
    this.#abort.abort();
    await Promise.race([tasks, Bun.sleep(taskGraceMs)]);
    await Promise.all(this.#runs);
  }

  #setTimer(run: () => void, delayMs: number): void {
    if (this.isStopping) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
  }
}
