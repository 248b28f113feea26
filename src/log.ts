import pino, { type Logger } from 'pino';

/** Characters. */
const maxBufferedChars = 64 * 1024;
/** Lines that cannot be written are buffered up to here; later ones are lost. */
const maxUnwrittenBytes = 1024 * 1024;

export type Log = Logger;

/**
 * JSON lines on standard error. Never log a key, a password or the text of an article.
 * @param level `silent`: no output
 */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, createStderrStream());
}

/**
 * Writes the lines of one turn of the event loop together, which saves a busy server a system call per request.
 */
function createStderrStream(): pino.DestinationStream {
  const output = pino.destination({ dest: 2, sync: true, maxLength: maxUnwrittenBytes });
  // The server works without a log.
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
