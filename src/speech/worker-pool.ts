import { runInBackground } from '../background.ts';
import type { VoiceFiles } from './synthesize/voice-model.ts';
import { TaskCancelledError, WorkerCrashedError, type WorkerOptions, WorkerProcess } from './worker-process.ts';
import type { TaskName, Tasks } from './worker-protocol.ts';

/** Workers that crash at the start are not replaced in a tight loop. */
const restartDelayMs = 500;

/** The program ends. */
export class WorkersStoppedError extends WorkerCrashedError {
  override readonly name = 'WorkersStopped';
}

export interface WorkerPoolOptions extends WorkerOptions {
  readonly count: number;
  /** Start workers on demand: most commands need none. */
  readonly isLazy?: boolean;
}

interface TaskCounts {
  done: number;
  failed: number;
  died: number;
}

type Restarts = Record<WorkerProcess['endReason'], number>;

interface WorkerPoolStats {
  readonly tasks: ReadonlyMap<TaskName, TaskCounts>;
  readonly restarts: Readonly<Restarts>;
  readonly voiceLoads: number;
}

interface QueuedTask {
  readonly voice: string | undefined;
  /** Never throws. @returns a function that settles the call */
  start(worker: WorkerProcess): Promise<() => void>;
  reject(error: Error): void;
}

export interface CallOptions {
  /** Ends the task when it aborts, as its result is not needed. */
  readonly signal?: AbortSignal;
  /** Told when the task has ended, however it did: the CPU seconds it used, or its wall time. */
  readonly onUsed?: (workerSeconds: number) => void;
}

/** Child processes of this same executable, one task each at a time. */
export class WorkerPool {
  readonly count: number;
  readonly #options: WorkerPoolOptions;
  readonly #all = new Set<WorkerProcess>();
  /** The most recently used one is last. */
  readonly #idle: WorkerProcess[] = [];
  readonly #waiting: QueuedTask[] = [];
  readonly #tasks = new Map<TaskName, TaskCounts>();
  readonly #restarts: Restarts = { recycled: 0, died: 0, hung: 0, cancelled: 0 };
  #defaultVoice: VoiceFiles | undefined;
  #isStopping = false;
  /** Consecutive workers that died before their first reply. */
  #failedStarts = 0;
  #delayedStarts = 0;
  #voiceLoads = 0;
  #pinging: Promise<boolean> | undefined;

  constructor(options: WorkerPoolOptions) {
    this.count = options.count;
    this.#options = options;
    if (options.isLazy !== true) for (let index = 0; index < options.count; index += 1) this.#spawn();
  }

  /**
   * Runs a task in a free worker, preferably one that has the voice loaded.
   * @throws WorkerCrashedError if the worker crashed, or the task was cancelled; AppError of the task
   */
  call<Name extends TaskName>(
    task: Name,
    params: Tasks[Name]['params'],
    options: CallOptions = {},
  ): Promise<Tasks[Name]['result']> {
    if (this.#isStopping) return Promise.reject(createStoppedError());
    const { promise, resolve, reject } = Promise.withResolvers<Tasks[Name]['result']>();
    let running: WorkerProcess | undefined;
    const queued: QueuedTask = {
      voice: getRequiredVoice(task, params),
      start: async (worker) => {
        running = worker;
        const finish = await this.#callWorker(task, params, worker, options.onUsed).then(
          (result) => () => resolve(result),
          (error) => () => reject(error),
        );
        running = undefined;
        return finish;
      },
      reject,
    };
    const cancel = (): void => {
      running?.cancelTask();
      if (removeFrom(this.#waiting, queued)) reject(new TaskCancelledError('task cancelled by its caller'));
    };
    this.#waiting.push(queued);
    options.signal?.addEventListener('abort', cancel);
    if (options.signal?.aborted) cancel();
    this.#serve();
    return promise.finally(() => options.signal?.removeEventListener('abort', cancel));
  }

  /** @returns whether a worker has sent a message recently, or replies now */
  async isResponsive(timeoutMs: number): Promise<boolean> {
    if ([...this.#all].some((worker) => worker.isResponsive)) return true;
    this.#pinging ??= this.#ping().finally(() => {
      this.#pinging = undefined;
    });
    return Promise.race([this.#pinging, Bun.sleep(timeoutMs).then(() => false)]);
  }

  /** Checks all idle workers, or the next one that is idle. */
  async #ping(): Promise<boolean> {
    const pings = Array.from({ length: Math.max(1, this.#idle.length) }, () => this.call('ping', {}));
    return Promise.any(pings).then(
      () => true,
      () => false,
    );
  }

  /** Every current and future worker loads a voice once, when it is idle. */
  warmUpAll(voice: VoiceFiles): void {
    this.#defaultVoice = voice;
    for (const worker of this.#all) worker.isWarm = false;
    this.#serve();
  }

  /** Loads a voice that will be needed soon, unless a worker has it or only one worker is free. */
  warmUp(voice: VoiceFiles): void {
    const { contentHash } = voice;
    const isKnown = [...this.#all].some(
      (worker) => worker.hasVoice(contentHash) || worker.loadingVoice === contentHash,
    );
    const worker = selectWorker(contentHash, this.#idle, false);
    if (isKnown || this.#waiting.length > 0 || this.#idle.length < 2 || worker === undefined) return;
    this.#load(worker, voice);
  }

  /**
   * Whether a voice can be used now without unloading another: a free worker has it, or no worker has it and a free one
   * has room for it.
   */
  isLoaded(contentHash: string): boolean {
    if (this.#idle.some((worker) => worker.hasVoice(contentHash))) return true;
    const isElsewhere = [...this.#all].some((worker) => worker.hasVoice(contentHash));
    return !isElsewhere && this.#idle.some((worker) => worker.hasRoom);
  }

  state(): { pid: number; rssBytes: number; taskCount: number }[] {
    return [...this.#all].map(({ pid, state, taskCount }) => ({ pid, rssBytes: state.rssBytes, taskCount }));
  }

  stats(): WorkerPoolStats {
    return { tasks: this.#tasks, restarts: this.#restarts, voiceLoads: this.#voiceLoads };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const task of this.#waiting.splice(0)) task.reject(createStoppedError());
    await Promise.all([...this.#all].map((worker) => worker.stop()));
  }

  /** Tries again later if the system has no process or memory for one. */
  #spawn(): void {
    try {
      const worker = new WorkerProcess(this.#options, () => this.#onEnd(worker));
      this.#all.add(worker);
      this.#idle.push(worker);
    } catch (error) {
      this.#options.log.error({ err: error }, 'starting worker failed');
      this.#failedStarts += 1;
      this.#spawnLater();
    }
  }

  #spawnLater(): void {
    this.#delayedStarts += 1;
    setTimeout(() => {
      this.#delayedStarts -= 1;
      if (!this.#isStopping) this.#spawn();
      this.#serve();
    }, Math.min(this.#failedStarts, 10) * restartDelayMs);
  }

  #onEnd(worker: WorkerProcess): void {
    const hasStarted = worker.hasResponded || worker.endReason !== 'died';
    this.#failedStarts = hasStarted ? 0 : this.#failedStarts + 1;
    this.#all.delete(worker);
    if (!this.#isStopping) this.#restarts[worker.endReason] += 1;
    removeFrom(this.#idle, worker);
    this.#serve();
  }

  #spawnForWaiting(): void {
    const room = this.#options.count - this.#all.size - this.#delayedStarts;
    const needed = Math.min(room, this.#waiting.length - this.#idle.length - this.#delayedStarts);
    for (let index = 0; index < needed; index += 1) {
      if (this.#failedStarts === 0) this.#spawn();
      else this.#spawnLater();
    }
  }

  #serve(): void {
    if (this.#isStopping) return;
    this.#spawnForWaiting();
    const preparing = [...this.#all].flatMap((worker) => worker.loadingVoice ?? []);
    for (const task of [...this.#waiting]) {
      if (this.#idle.length === 0) return;
      // A worker that is already loading the voice is ready first.
      const isPrepared = task.voice !== undefined && removeFrom(preparing, task.voice);
      const worker = selectWorker(task.voice, this.#idle, isPrepared);
      if (worker === undefined) continue;
      removeFrom(this.#waiting, task);
      this.#occupy(worker, () => task.start(worker));
    }
    if (this.#waiting.length === 0) for (const worker of [...this.#idle]) this.#warm(worker);
  }

  #warm(worker: WorkerProcess): void {
    if (this.#defaultVoice === undefined || worker.isWarm) return;
    worker.isWarm = true;
    this.#load(worker, this.#defaultVoice);
  }

  /** @param work returns a function that settles the call */
  #occupy(worker: WorkerProcess, work: () => Promise<() => void>): void {
    removeFrom(this.#idle, worker);
    const occupied = async () => {
      const loadsBefore = worker.state.voiceLoads;
      const notify = await work();
      this.#voiceLoads += worker.state.voiceLoads - loadsBefore;
      this.#release(worker);
      worker.loadingVoice = undefined;
      // The caller may need a free worker immediately.
      notify();
      this.#serve();
    };
    runInBackground(occupied(), this.#options.log, 'worker task failed');
  }

  #release(worker: WorkerProcess): void {
    if (!worker.isAlive || this.#isStopping) return;
    // A successor would load the same voice again, endlessly if that alone exceeds the limit.
    if (worker.shouldRecycle && worker.loadingVoice === undefined) {
      runInBackground(worker.stop(), this.#options.log, 'stopping recycled worker failed');
      this.#spawn();
    } else this.#idle.push(worker);
  }

  #load(worker: WorkerProcess, voice: VoiceFiles): void {
    worker.loadingVoice = voice.contentHash;
    const nobody = (): void => {};
    // A task that needs the voice reports why it fails.
    this.#occupy(worker, () =>
      this.#callWorker('load', { voice }, worker).then(
        () => nobody,
        () => nobody,
      ),
    );
  }

  async #callWorker<Name extends TaskName>(
    task: Name,
    params: Tasks[Name]['params'],
    worker: WorkerProcess,
    onUsed?: CallOptions['onUsed'],
  ): Promise<Tasks[Name]['result']> {
    const counts = this.#tasks.getOrInsertComputed(task, () => ({ done: 0, failed: 0, died: 0 }));
    const started = performance.now();
    const cpuBefore = onUsed && worker.cpuSeconds;
    try {
      const result = await worker.call(task, params);
      counts.done += 1;
      return result;
    } catch (error) {
      counts[error instanceof WorkerCrashedError ? 'died' : 'failed'] += 1;
      throw error;
    } finally {
      const wallSeconds = (performance.now() - started) / 1000;
      const cpuAfter = onUsed && worker.isAlive ? worker.cpuSeconds : undefined;
      if (cpuBefore === undefined) onUsed?.(wallSeconds);
      // The CPU time of a worker that ended is unknown.
      else onUsed?.(cpuAfter === undefined ? Math.min(wallSeconds, worker.taskSeconds) : cpuAfter - cpuBefore);
    }
  }
}

export function startWorkerPool(options: WorkerPoolOptions): WorkerPool {
  return new WorkerPool(options);
}

/** @returns the best worker for a voice; undefined if another one is about to be ready */
function selectWorker(
  voice: string | undefined,
  idle: readonly WorkerProcess[],
  isPrepared: boolean,
): WorkerProcess | undefined {
  if (voice !== undefined) {
    const ready = idle.findLast((worker) => worker.hasVoice(voice));
    if (ready !== undefined || isPrepared) return ready;
  }
  return idle.toSorted((a, b) => a.state.voices.length - b.state.voices.length)[0];
}

function getRequiredVoice<Name extends TaskName>(task: Name, params: Tasks[Name]['params']): string | undefined {
  const needsModel = task === 'speak' || task === 'load' || task === 'measure';
  return needsModel && 'voice' in params ? params.voice.contentHash : undefined;
}

function createStoppedError(): WorkersStoppedError {
  return new WorkersStoppedError('worker pool stopped');
}

function removeFrom<Item>(list: Item[], item: Item): boolean {
  const place = list.indexOf(item);
  if (place >= 0) list.splice(place, 1);
  return place >= 0;
}
