import { isBusy, isDiskProblem } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { WorkerDied } from '../../speech/worker-process.ts';

/** What is no fault of the audio and goes by: the disk full, another program writing, a worker gone, the server stopping. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof WorkerDied ||
    isBusy(error) ||
    isDiskProblem(error) ||
    (error instanceof AppError && error.code === 'busy')
  );
}
