import { runInBackground } from '../background.ts';
import type { VoiceFiles } from './synthesize/voice-model.ts';
import { WorkerCrashedError, type WorkerOptions, WorkerProcess } from './worker-process.ts';
import type { TaskName, Tasks } from './worker-protocol.ts';

/** A worker that dies at birth is not replaced in a tight loop. */
const restartDelayMs = 500;

/** There are no workers any more, because the program ends. Nobody is to blame. */
export class WorkersStoppedError extends WorkerCrashedError {
  override readonly name = 'WorkersStopped';
}

export interface WorkerPoolOptions extends WorkerOptions {
  readonly count: number;
  /** Each is started when there is a task for it: most commands have none. */
  readonly isLazy?: boolean;
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
interface WorkerPoolStats {
  readonly tasks: ReadonlyMap<TaskName, TaskCounts>;
  /** Workers that had to be replaced. */
  readonly restarts: { wornOut: number; died: number };
  /** Voices that workers have loaded, each time counted. */
  readonly voiceLoads: number;
}

/** Child processes of this same executable, one task each at a time. */
export interface WorkerPool {
  readonly count: number;
  /**
   * Waits for a free worker and asks it; for a task with a voice one that has it loaded, if any of the free ones does.
   * @throws WorkerDied when it ended over the task; AppError when the task itself is at fault
   */
  call<Name extends TaskName>(task: Name, params: Tasks[Name]['params']): Promise<Tasks[Name]['result']>;
  /** Lets every worker load a voice once, those to come as well, as soon as there is nothing else for it to do. */
  warmUpAll(voice: VoiceFiles): void;
  /** Has a voice loaded that will be needed soon, if no worker has it, and two are free: one is left for other tasks. */
  warmUp(voice: VoiceFiles): void;
  /**
   * Whether a voice can be spoken with now at no other voice's expense: a free worker has it, or none has it and a free one
   * has room for it.
   */
  isLoaded(contentHash: string): boolean;
  /** Process ids and memory, for health pages. */
  state(): { pid: number; rssBytes: number; taskCount: number }[];
  stats(): WorkerPoolStats;
  stop(): Promise<void>;
}

/** A task that waits for its worker. */
interface QueuedTask {
  /** Content hash of the voice it needs loaded. */
  readonly voice: string | undefined;
  /** Never throws. @returns what tells the asker how it ended */
  start(worker: WorkerProcess): Promise<() => void>;
  reject(error: Error): void;
}

/** Starts the workers; the first answers come as soon as they are up. */
export function startWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const all = new Set<WorkerProcess>();
  /** The one that was free last is at the end. */
  const idle: WorkerProcess[] = [];
  const waiting: QueuedTask[] = [];
  let usualVoice: VoiceFiles | undefined;
  let stopping = false;
  let stillbirths = 0;
  let birthsPutOff = 0;
  const tasks = new Map<TaskName, TaskCounts>();
  const ends = { wornOut: 0, died: 0 };
  let voiceLoads = 0;

  const spawn = (): void => {
    const worker = new WorkerProcess(options, () => {
      stillbirths = worker.hasResponded ? 0 : stillbirths + 1;
      all.delete(worker);
      if (!stopping) ends[worker.shouldRecycle ? 'wornOut' : 'died'] += 1;
      removeFrom(idle, worker);
      serve();
    });
    all.add(worker);
    idle.push(worker);
  };
  const spawnForWaiting = (): void => {
    const room = options.count - all.size - birthsPutOff;
    const needed = Math.min(room, waiting.length - idle.length - birthsPutOff);
    for (let index = 0; index < needed; index += 1) {
      if (stillbirths === 0) {
        spawn();
        continue;
      }
      birthsPutOff += 1;
      setTimeout(() => {
        birthsPutOff -= 1;
        if (!stopping) spawn();
        serve();
      }, Math.min(stillbirths, 10) * restartDelayMs);
    }
  };
  const serve = (): void => {
    if (stopping) return;
    spawnForWaiting();
    const preparing = [...all].flatMap((worker) => worker.loadingVoice ?? []);
    for (const task of [...waiting]) {
      if (idle.length === 0) return;
      // Whoever prepares its voice is ready sooner than one that begins to load it now.
      const isPrepared = task.voice !== undefined && removeFrom(preparing, task.voice);
      const worker = selectWorker(task.voice, idle, isPrepared);
      if (worker === undefined) continue;
      removeFrom(waiting, task);
      occupyLater(worker, () => task.start(worker));
    }
    if (waiting.length === 0) for (const worker of [...idle]) warm(worker);
  };
  const warm = (worker: WorkerProcess): void => {
    if (usualVoice === undefined || worker.isWarm) return;
    worker.isWarm = true;
    load(worker, usualVoice);
  };
  const occupy = async (worker: WorkerProcess, work: () => Promise<() => void>): Promise<void> => {
    removeFrom(idle, worker);
    const loadsBefore = worker.state.voiceLoads;
    const tell = await work();
    voiceLoads += worker.state.voiceLoads - loadsBefore;
    release(worker);
    worker.loadingVoice = undefined;
    // Whoever is told may look for a free worker at once.
    tell();
    serve();
  };
  const occupyLater = (worker: WorkerProcess, work: () => Promise<() => void>): void => {
    runInBackground(occupy(worker, work), options.log, 'worker task failed');
  };
  const release = (worker: WorkerProcess): void => {
    if (!worker.isAlive || stopping) return;
    // Its successor would have to load the same voice again, and for ever where that alone wears it out.
    if (worker.shouldRecycle && worker.loadingVoice === undefined) {
      runInBackground(worker.stop(), options.log, 'stopping recycled worker failed');
      spawn();
    } else idle.push(worker);
  };
  const load = (worker: WorkerProcess, voice: VoiceFiles): void => {
    worker.loadingVoice = voice.contentHash;
    const nobody = (): void => {};
    const loading = () => counted('load', { voice }, worker);
    // Whoever needs it is told why it fails.
    occupyLater(worker, () =>
      loading().then(
        () => nobody,
        () => nobody,
      ),
    );
  };
  const counted = async <Name extends TaskName>(
    task: Name,
    params: Tasks[Name]['params'],
    worker: WorkerProcess,
  ): Promise<Tasks[Name]['result']> => {
    const counts = tasks.get(task) ?? { done: 0, failed: 0, died: 0 };
    tasks.set(task, counts);
    try {
      const result = await worker.call(task, params);
      counts.done += 1;
      return result;
    } catch (error) {
      counts[error instanceof WorkerCrashedError ? 'died' : 'failed'] += 1;
      throw error;
    }
  };

  if (options.isLazy !== true) for (let index = 0; index < options.count; index += 1) spawn();
  return {
    count: options.count,
    call: (task, params) => {
      if (stopping) return Promise.reject(createStoppedError());
      const { promise, resolve, reject } = Promise.withResolvers<Tasks[typeof task]['result']>();
      waiting.push({
        voice: getRequiredVoice(task, params),
        start: (worker) =>
          counted(task, params, worker).then(
            (result) => () => resolve(result),
            (error) => () => reject(error),
          ),
        reject: reject,
      });
      serve();
      return promise;
    },
    warmUpAll: (voice) => {
      usualVoice = voice;
      for (const worker of all) worker.isWarm = false;
      serve();
    },
    warmUp: (voice) => {
      const { contentHash } = voice;
      const isKnown = [...all].some((one) => one.hasVoice(contentHash) || one.loadingVoice === contentHash);
      const worker = selectWorker(contentHash, idle, false);
      if (isKnown || waiting.length > 0 || idle.length < 2 || worker === undefined) return;
      load(worker, voice);
    },
    isLoaded: (contentHash) => {
      if (idle.some((worker) => worker.hasVoice(contentHash))) return true;
      const isElsewhere = [...all].some((worker) => worker.hasVoice(contentHash));
      return !isElsewhere && idle.some((worker) => worker.hasRoom);
    },
    state: () => [...all].map(({ pid, state, taskCount }) => ({ pid, rssBytes: state.rssBytes, taskCount })),
    stats: () => ({ tasks, restarts: ends, voiceLoads }),
    stop: async () => {
      stopping = true;
      for (const task of waiting.splice(0)) task.reject(createStoppedError());
      await Promise.all([...all].map((worker) => worker.stop()));
    },
  };
}

/** @returns the worker that a task disturbs least; undefined when it should wait for another that is getting ready */
function selectWorker(
  voice: string | undefined,
  idle: readonly WorkerProcess[],
  isPrepared: boolean,
): WorkerProcess | undefined {
  if (voice !== undefined) {
    const ready = idle.findLast((worker) => worker.hasVoice(voice));
    if (ready !== undefined || isPrepared) return ready;
  }
  return idle.toSorted((one, other) => one.state.voices.length - other.state.voices.length)[0];
}

/** @returns the content hash of the voice that must be loaded for a task */
function getRequiredVoice<Name extends TaskName>(task: Name, params: Tasks[Name]['params']): string | undefined {
  const needsModel = task === 'speak' || task === 'load' || task === 'measure';
  return needsModel && 'voice' in params ? params.voice.contentHash : undefined;
}

function createStoppedError(): WorkersStoppedError {
  return new WorkersStoppedError('worker pool stopped');
}

/** @returns whether it was there */
function removeFrom<Item>(list: Item[], item: Item): boolean {
  const place = list.indexOf(item);
  if (place >= 0) list.splice(place, 1);
  return place >= 0;
}
