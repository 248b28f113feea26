import { AppError } from '../../errors.ts';
import type { TaskName, Tasks } from '../../speech/tasks.ts';
import { WorkerDied, WorkerOverLimit } from '../../speech/worker-process.ts';
import type { Workers } from '../../speech/workers.ts';

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
