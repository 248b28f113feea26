import { isBusy, isDiskProblem } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { WorkerDied, WorkerOverLimit } from '../speech/worker-process.ts';
import type { TaskName, Tasks } from '../speech/worker-protocol.ts';
import type { MissingSegment } from './segment-plan.ts';

/** A task that timed out is tried on one more worker: the first may have hung. */
const timeoutsMax = 2;

/** Asks a worker, and another one when that one dies. */
export type AskPersistently = <Name extends TaskName>(
  task: Name,
  question: Tasks[Name]['question'],
) => Promise<Tasks[Name]['answer']>;

/**
 * @param deathsMax so many deaths are no accident any more
 * @param giveUp whether nobody wants the answer any more
 * @returns a function that throws AppError `operation_failed` when the text ends every worker, or takes more than it may
 */
export function askPersistently(
  workers: Workers,
  deathsMax: number,
  giveUp: () => boolean,
): AskPersistently {
  return async (task, question) => {
    let timeouts = 0;
    // Ends: at most `deathsMax` turns.
    for (let deaths = 1; ; deaths += 1) {
      try {
        return await workers.ask(task, question);
      } catch (error) {
        if (!(error instanceof WorkerDied) || giveUp()) throw error;
        if (error instanceof WorkerOverLimit) {
          timeouts += 1;
          if (error.isTaskAtFault || timeouts >= timeoutsMax) throw overLimit(task, error);
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

function overLimit(task: TaskName, { message }: WorkerOverLimit): AppError {
  return new AppError(
    'operation_failed',
    `Text processing failed: "${task}" was stopped, as ${message}. Shorten or simplify the text, or exclude the part that causes it`,
  );
}

/** What is no fault of the audio and goes by: the disk full, another program writing, a worker gone, the server stopping. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof WorkerDied ||
    isBusy(error) ||
    isDiskProblem(error) ||
    (error instanceof AppError && error.code === 'busy')
  );
}

/** So many of the last segments per worker are not spoken in order. */
const lastPerWorker = 4;

/** A planned segment that nobody has spoken yet. */
export type Unspoken = MissingSegment & {
  /** Its place in the text among those that must be spoken. */
  readonly place: number;
  /** How many workers it has cost their lives. */
  readonly deaths: number;
};

/** The segments of an audio that must still be spoken, in the order of the text. */
export class UnspokenSegments {
  readonly #workerCount: number;
  readonly #waiting: Unspoken[] = [];
  /** Places of those that are being spoken. */
  readonly #inWork = new Set<number>();
  #count = 0;

  constructor(workerCount: number) {
    this.#workerCount = workerCount;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** The one that a listener hears first. */
  get first(): Unspoken | undefined {
    return this.#waiting[0];
  }

  add(segments: readonly MissingSegment[]): void {
    for (const segment of segments) {
      this.#waiting.push({ ...segment, place: this.#count, deaths: 0 });
      this.#count += 1;
    }
  }

  /** Takes one out; whoever takes it says when it is spoken or put back. @param isEnd whether no others will come */
  take(isEnd: boolean): Unspoken | undefined {
    const [taken] = this.#waiting.splice(isEnd ? this.#longestOfTheLast() : 0, 1);
    if (taken !== undefined) this.#inWork.add(taken.place);
    return taken;
  }

  leave({ place }: Unspoken): void {
    this.#inWork.delete(place);
  }

  /** It goes first. */
  putBack(segment: Unspoken): void {
    this.#waiting.unshift(segment);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /**
   * Towards the end the longest goes first, so that no worker has to wait for one that has just begun a long one. What a
   * listener hears next is always in work before.
   */
  #longestOfTheLast(): number {
    const next = this.#waiting[0]?.place ?? 0;
    const isNextInWork = [...this.#inWork].some((place) => place < next);
    if (!isNextInWork || this.#waiting.length > lastPerWorker * this.#workerCount) return 0;
    const lengths = this.#waiting.map(({ question }) => question.ids.length);
    return lengths.indexOf(Math.max(...lengths));
  }
}
