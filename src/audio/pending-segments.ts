import { isBusy, isDiskError } from '../database/database.ts';
import { AppError, operationFailed } from '../errors.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { WorkerCrashedError, WorkerLimitError } from '../speech/worker-process.ts';
import type { SynthesisParams, TaskName, Tasks } from '../speech/worker-protocol.ts';

/** So many crashes are the fault of the text of a post. */
export const maxCrashes = 5;
/** After so many crashes a segment is synthesized in parts, more of them each time. */
const crashesBeforeSplit = 2;
/** A timeout counts as several crashes, as it takes a whole deadline: the segment is retried once, in parts. */
const crashesPerTimeout = 3;
/** A task that timed out is tried on one more worker: the first may have hung. */
const maxTimeouts = 2;

/** Calls a worker, and another one if that one crashes. */
export type CallWorker = <Name extends TaskName>(
  task: Name,
  params: Tasks[Name]['params'],
) => Promise<Tasks[Name]['result']>;

/**
 * @param maxCrashes so many crashes are the fault of the text
 * @param isCancelled whether the result is no longer needed
 * @returns a function that throws AppError `operation_failed` when the text crashes every worker or exceeds a limit
 */
export function withCrashRetry(
  workers: Pick<WorkerPool, 'call'>,
  maxCrashes: number,
  isCancelled: () => boolean,
): CallWorker {
  return async (task, params) => {
    let timeouts = 0;
    // Ends: at most `maxCrashes` rounds.
    for (let crashCount = 1; ; crashCount += 1) {
      try {
        return await workers.call(task, params);
      } catch (error) {
        if (!(error instanceof WorkerCrashedError) || isCancelled()) throw error;
        if (error instanceof WorkerLimitError) {
          timeouts += 1;
          if (error.isTaskAtFault || timeouts >= maxTimeouts) throw limitExceededError(task, error);
        }
        if (crashCount < maxCrashes) continue;
        throw operationFailed(
          `Text processing failed: the worker crashed ${crashCount} times on this article. Remove the part that causes it`,
        );
      }
    }
  };
}

function limitExceededError(task: TaskName, { message }: WorkerLimitError): AppError {
  return operationFailed(
    `Text processing failed: task "${task}" was stopped (${message}). Shorten or simplify the text, or exclude the part that causes it`,
  );
}

/** Not the fault of the audio, and temporary: full disk, busy database, bucket out of reach, crashed worker, stopping server. */
export function isTransientError(error: unknown): boolean {
  return (
    error instanceof WorkerCrashedError ||
    isBusy(error) ||
    isDiskError(error) ||
    (error instanceof AppError && (error.code === 'busy' || error.code === 'sound_unavailable'))
  );
}

/** The last segments, per worker, are not synthesized in order. */
const tailSegmentsPerWorker = 4;

/** A planned segment that is not synthesized yet. */
export interface PendingSegment {
  readonly hash: string;
  readonly params: SynthesisParams;
  /** For the order of the texts of a site. */
  readonly characters: number;
}

/** A planned segment that is not synthesized yet. */
export type QueuedSegment = PendingSegment & {
  /** Its place in the text among the pending segments. */
  readonly position: number;
  readonly crashCount: number;
};

/**
 * @returns the segment as it is synthesized after its worker crashed, from the second time in parts
 * @throws AppError `operation_failed` after too many crashes
 */
export function prepareRetry(segment: QueuedSegment, error: WorkerCrashedError): QueuedSegment {
  const isOverLimit = error instanceof WorkerLimitError;
  const crashCount = segment.crashCount + (isOverLimit ? crashesPerTimeout : 1);
  if (crashCount >= maxCrashes) {
    const reason = isOverLimit ? error.message : `its worker crashed ${crashCount} times`;
    throw operationFailed(`Synthesis of a sentence failed: ${reason}`);
  }
  const inferenceCount = crashCount < crashesBeforeSplit ? 1 : 2 ** (crashCount - crashesBeforeSplit + 1);
  return { ...segment, params: { ...segment.params, inferenceCount }, crashCount };
}

/** The segments of an audio that must still be synthesized, in the order of the text. */
export class PendingSegments {
  readonly #workerCount: number;
  readonly #waiting: QueuedSegment[] = [];
  /** Of segments that a worker has. */
  readonly #runningPositions = new Set<number>();
  #count = 0;

  constructor(workerCount: number) {
    this.#workerCount = workerCount;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get first(): QueuedSegment | undefined {
    return this.#waiting[0];
  }

  add(segments: readonly PendingSegment[]): void {
    for (const segment of segments) {
      this.#waiting.push({ ...segment, position: this.#count, crashCount: 0 });
      this.#count += 1;
    }
  }

  /** Takes a segment, until `release`. @param isEnd whether no more segments will be added */
  acquire(isEnd: boolean): QueuedSegment | undefined {
    const [taken] = this.#waiting.splice(isEnd ? this.#findLongestOfTail() : 0, 1);
    if (taken !== undefined) this.#runningPositions.add(taken.position);
    return taken;
  }

  release({ position }: QueuedSegment): void {
    this.#runningPositions.delete(position);
  }

  /** Puts a segment back, as the next one. */
  requeue(segment: QueuedSegment): void {
    this.#waiting.unshift(segment);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /**
   * Near the end the longest goes first, so that no worker waits for another one that has just started a long segment. The
   * segment that a listener hears next always goes before.
   */
  #findLongestOfTail(): number {
    const next = this.#waiting[0]?.position ?? 0;
    const isNextInWork = [...this.#runningPositions].some((position) => position < next);
    if (!isNextInWork || this.#waiting.length > tailSegmentsPerWorker * this.#workerCount) return 0;
    const lengths = this.#waiting.map(({ params }) => params.ids.length);
    return lengths.indexOf(Math.max(...lengths));
  }
}
