import { AppError } from '../../errors.ts';
import type { TaskName, Tasks } from '../../speech/tasks.ts';
import { WorkerDied } from '../../speech/worker-process.ts';
import type { Workers } from '../../speech/workers.ts';

/** Asks a worker, and another one when that one dies. */
export type AskPersistently = <Name extends TaskName>(
  task: Name,
  question: Tasks[Name]['question'],
) => Promise<Tasks[Name]['answer']>;

/**
 * @param deathsMax so many deaths are no accident any more
 * @param giveUp whether nobody wants the answer any more
 * @returns a function that throws AppError `operation_failed` when the text ends every worker
 */
export function askPersistently(
  workers: Workers,
  deathsMax: number,
  giveUp: () => boolean,
): AskPersistently {
  return async (task, question) => {
    for (let deaths = 1; ; deaths += 1) {
      try {
        return await workers.ask(task, question);
      } catch (error) {
        if (!(error instanceof WorkerDied) || giveUp()) throw error;
        if (deaths < deathsMax) continue;
        throw new AppError(
          'operation_failed',
          'The article could not be read: its text ends the program',
        );
      }
    }
  };
}
