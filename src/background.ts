import type { Log } from './log.ts';

/**
 * Lets work go on that nobody waits for. A failure is logged and ends nothing else.
 * @param failure what failed, for the log
 */
export function runInBackground(work: Promise<unknown>, log: Log, failure: string): void {
  work.catch((error: unknown) => log.error({ err: error }, failure));
}

/**
 * The last resort of a server. A rejected promise that nobody handles is logged as an error, and the server goes on. An
 * exception that nobody catches still ends it, as nobody knows what it has left in memory; the log then says why.
 * @returns what takes it back
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
