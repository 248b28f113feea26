import { isBusy, isDiskError } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { WorkerCrashedError, WorkerLimitError } from '../speech/worker-process.ts';
import type { TaskName, Tasks } from '../speech/worker-protocol.ts';
import type { PendingSegment } from './segment-plan.ts';

/** A task that timed out is tried on one more worker: the first may have hung. */
const maxTimeouts = 2;

/** Asks a worker, and another one when that one dies. */
export type CallWorker = <Name extends TaskName>(
  task: Name,
  params: Tasks[Name]['params'],
) => Promise<Tasks[Name]['result']>;

/**
 * @param deathsMax so many deaths are no accident any more
 * @param giveUp whether nobody wants the result any more
 * @returns a function that throws AppError `operation_failed` when the text ends every worker, or takes more than it may
 */
export function withCrashRetry(workers: WorkerPool, deathsMax: number, giveUp: () => boolean): CallWorker {
  return async (task, params) => {
    let timeouts = 0;
    // Ends: at most `maxCrashes` turns.
    for (let deaths = 1; ; deaths += 1) {
      try {
        return await workers.call(task, params);
      } catch (error) {
        if (!(error instanceof WorkerCrashedError) || giveUp()) throw error;
        if (error instanceof WorkerLimitError) {
          timeouts += 1;
          if (error.isTaskAtFault || timeouts >= maxTimeouts) throw limitExceededError(task, error);
        }
        if (deaths < deathsMax) continue;
        throw new AppError(
          'operation_failed',
          `Text processing failed: the worker crashed ${deaths} times on this article. Remove the part that causes it`,
        );
      }
    }
  };
}

function limitExceededError(task: TaskName, { message }: WorkerLimitError): AppError {
  return new AppError(
    'operation_failed',
    `Text processing failed: task "${task}" was stopped (${message}). Shorten or simplify the text, or exclude the part that causes it`,
  );
}

/** What is no fault of the audio and goes by: the disk full, another program writing, a worker gone, the server stopping. */
export function isTransientError(error: unknown): boolean {
  return (
    error instanceof WorkerCrashedError ||
    isBusy(error) ||
    isDiskError(error) ||
    (error instanceof AppError && error.code === 'busy')
  );
}

/** So many of the last segments per worker are not spoken in order. */
const tailSegmentsPerWorker = 4;

/** A planned segment that nobody has spoken yet. */
export type QueuedSegment = PendingSegment & {
  /** Its place in the text among those that must be spoken. */
  readonly position: number;
  /** How many workers it has cost their lives. */
  readonly crashCount: number;
};

/** The segments of an audio that must still be spoken, in the order of the text. */
export class PendingSegments {
  readonly #workerCount: number;
  readonly #waiting: QueuedSegment[] = [];
  /** Places of those that are being spoken. */
  readonly #runningPositions = new Set<number>();
  #count = 0;

  constructor(workerCount: number) {
    this.#workerCount = workerCount;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** The one that a listener hears first. */
  get first(): QueuedSegment | undefined {
    return this.#waiting[0];
  }

  add(segments: readonly PendingSegment[]): void {
    for (const segment of segments) {
      this.#waiting.push({ ...segment, position: this.#count, crashCount: 0 });
      this.#count += 1;
    }
  }

  /** Takes one out; whoever takes it says when it is spoken or put back. @param isEnd whether no others will come */
  acquire(isEnd: boolean): QueuedSegment | undefined {
    const [taken] = this.#waiting.splice(isEnd ? this.#findLongestOfTail() : 0, 1);
    if (taken !== undefined) this.#runningPositions.add(taken.position);
    return taken;
  }

  release({ position: place }: QueuedSegment): void {
    this.#runningPositions.delete(place);
  }

  /** It goes first. */
  requeue(segment: QueuedSegment): void {
    this.#waiting.unshift(segment);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /**
   * Towards the end the longest goes first, so that no worker has to wait for one that has just begun a long one. What a
   * listener hears next is always in work before.
   */
  #findLongestOfTail(): number {
    const next = this.#waiting[0]?.position ?? 0;
    const isNextInWork = [...this.#runningPositions].some((place) => place < next);
    if (!isNextInWork || this.#waiting.length > tailSegmentsPerWorker * this.#workerCount) return 0;
    const lengths = this.#waiting.map(({ params }) => params.ids.length);
    return lengths.indexOf(Math.max(...lengths));
  }
}
