import { runInBackground } from '../background.ts';
import type { Cluster } from '../database/database.ts';
import type { Log } from '../log.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import {
  FairScheduler,
  type ScheduledWork,
  type SchedulingPriority,
  type ServedCharacters,
  type WorkOwner,
} from './fair-scheduler.ts';

/** Tasks that may go before one whose voice is not loaded: loading takes as long as some sentences. */
const maxBypasses = 4;

/** Work for one worker. */
export interface Task {
  /** For the order of the texts of a site. */
  readonly characters: number;
  /** Resolves as soon as the worker is free again; never throws. */
  run(): Promise<void>;
}

/** Something that hands out tasks: an audio, or a text that a client waits for. */
export interface WorkSource extends ScheduledWork {
  /** Whether it has a task that is not running. */
  readonly hasWork: boolean;
  /** Whether its next task processes text, of unknown length in time, rather than a sentence. */
  readonly isTextNext: boolean;
  /** Content hash of the voice that the next task needs; undefined: it needs none. */
  readonly nextVoiceHash: string | undefined;
  /**
   * Takes the next task, which must then be run.
   * @param isAlone whether no other work waits
   */
  nextTask(isAlone: boolean): Task | undefined;
}

/** Chooses the next task of each free worker, and measures its CPU time. */
export class WorkScheduler {
  readonly #workers: WorkerPool;
  readonly #log: Log;
  readonly #scheduler: FairScheduler<WorkSource>;
  readonly #running = new Set<Promise<void>>();
  /** Running tasks that process text, by site. */
  readonly #textTaskCounts = new Map<number | null, number>();
  /** Of which a task was taken. */
  readonly #started = new Set<WorkSource>();
  readonly #usedSeconds = new Map<number | null, number>();
  #bypassCount = 0;

  /** @param cluster whose machines count each other's tasks */
  constructor(workers: WorkerPool, log: Log, cluster?: Cluster) {
    this.#workers = workers;
    this.#log = log;
    const share = cluster && ((served: ServedCharacters) => cluster.send('queue.served', JSON.stringify(served)));
    this.#scheduler = new FairScheduler(share);
    cluster?.on('queue.served', (served) => this.#scheduler.addServed(JSON.parse(served) as ServedCharacters));
  }

  /** Measured worker seconds by site; null: the installation. */
  get usedSeconds(): ReadonlyMap<number | null, number> {
    return this.#usedSeconds;
  }

  /** @returns the virtual time of a text that is accepted now */
  nextVirtualTime(siteId: number, priority: SchedulingPriority, characters: number): number {
    return this.#scheduler.nextVirtualTime(siteId, priority, characters);
  }

  /** After a restart a site continues where its earliest text started. */
  resume(work: ScheduledWork, characters: number): void {
    this.#scheduler.resume(work, characters);
  }

  /** Call `fill` when it has work. */
  add(source: WorkSource): void {
    this.#scheduler.add(source);
  }

  remove(source: WorkSource): void {
    this.#started.delete(source);
    this.#scheduler.remove(source);
  }

  /** Puts a source behind the others of its site and priority. */
  rotate(source: WorkSource): void {
    this.#scheduler.rotate(source);
  }

  /** @returns calls workers, and charges what that takes to an owner, whose priority may change */
  createCall(getOwner: () => WorkOwner): WorkerPool['call'] {
    return (task, params, options) =>
      this.#workers.call(task, params, {
        ...options,
        onUsed: (seconds) => {
          const owner = getOwner();
          this.#scheduler.charge(owner, seconds);
          this.#usedSeconds.set(owner.siteId, (this.#usedSeconds.get(owner.siteId) ?? 0) + seconds);
        },
      });
  }

  /** @returns the source whose task is next */
  peek(): WorkSource | undefined {
    return this.#scheduler.next(this.#isRunnable);
  }

  /** Gives each free worker a task. */
  fill(): void {
    while (this.#running.size < this.#workers.count) {
      const source = this.#next();
      if (source === undefined) return;
      const isText = source.isTextNext;
      const task = source.nextTask(this.#scheduler.size === 1);
      if (task === undefined) return;
      const running = this.#start(source, task, isText);
      this.#running.add(running);
      const ended = running.finally(() => {
        this.#running.delete(running);
        // Whatever the task ended with, there may be work for the next one.
        this.fill();
      });
      runInBackground(ended, this.#log, 'queue task failed');
    }
  }

  /** Resolves when all running tasks have ended; stop the sources before. */
  async onIdle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  #start(source: WorkSource, task: Task, isText: boolean): Promise<void> {
    const { siteId, priority } = source;
    this.#started.add(source);
    const release = this.#scheduler.start({ siteId, priority }, task.characters);
    if (isText) this.#countTextTask(siteId, 1);
    // Later: a task may call `fill` when it starts.
    return Promise.resolve()
      .then(() => task.run())
      .finally(() => {
        release();
        if (isText) this.#countTextTask(siteId, -1);
      });
  }

  #countTextTask(siteId: number | null, change: number): void {
    this.#textTaskCounts.set(siteId, (this.#textTaskCounts.get(siteId) ?? 0) + change);
  }

  /** The texts of a site never occupy every worker: how long one takes is known afterwards. */
  readonly #isRunnable = (source: WorkSource): boolean => {
    if (!source.hasWork) return false;
    const maxTextTasks = Math.max(1, this.#workers.count - 1);
    return !source.isTextNext || (this.#textTaskCounts.get(source.siteId) ?? 0) < maxTextTasks;
  };

  #isVoiceLoaded({ nextVoiceHash }: WorkSource): boolean {
    return nextVoiceHash === undefined || this.#workers.isLoaded(nextVoiceHash);
  }

  /** Fair choice, except that up to four tasks whose voice is loaded may go before one whose voice is not. */
  #next(): WorkSource | undefined {
    const fair = this.peek();
    if (fair === undefined) return undefined;
    const hasOthers = this.#bypassCount < maxBypasses && this.#started.size > 1;
    const mayBypass = hasOthers && fair.priority !== 'interactive' && !this.#isVoiceLoaded(fair);
    const canBypass = (source: WorkSource) => this.#isRunnable(source) && this.#isVoiceLoaded(source);
    const other = mayBypass ? this.#scheduler.next(canBypass, this.#started) : undefined;
    this.#bypassCount = other === undefined ? 0 : this.#bypassCount + 1;
    return other ?? fair;
  }
}
