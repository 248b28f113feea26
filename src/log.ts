import pino, { type Logger } from 'pino';

export type Log = Logger;

/**
 * JSON lines on standard error. Never hand it a key, a password or the text of an article.
 * @param level the least serious that is written; `silent` for none
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
