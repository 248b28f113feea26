import pino, { type Logger } from 'pino';

/** Characters. */
const maxBufferedChars = 64 * 1024;
/** What can't be written, as on a full disk, is kept up to here; what comes beyond it is lost. */
const maxUnwrittenBytes = 1024 * 1024;

export type Log = Logger;

/**
 * JSON lines on standard error. Never hand it a key, a password or the text of an article.
 * @param level the least serious that is written; `silent` for none
 */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, createStderrStream());
}

/**
 * Writes the lines of one turn of the event loop at once: each for itself, they would cost a busy server a system call a
 * request.
 */
function createStderrStream(): pino.DestinationStream {
  const output = pino.destination({ dest: 2, sync: true, maxLength: maxUnwrittenBytes });
  // A log that can't be written is no reason not to answer.
  output.on('error', () => {});
  let lines = '';
  const writeOut = () => {
    if (lines !== '') output.write(lines);
    lines = '';
  };
  process.on('exit', writeOut);
  return {
    write: (line) => {
      if (lines === '') setImmediate(writeOut);
      lines += line;
      if (lines.length > maxBufferedChars) writeOut();
    },
  };
}
