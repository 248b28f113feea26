import PQueue from 'p-queue';
import { residentBytes } from '../executable/process-usage.ts';
import { programCommand } from '../executable/program.ts';
import type { FeedQuestion, FeedReading } from './feed.ts';

/** The most hostile 10 MB that were found take two seconds and 300 MB. */
const deadlineMs = 20_000;
const memoryByteMax = 800_000_000;
const memoryLookMs = 50;
const tooMuch = { problem: 'the feed cannot be read: it takes too much time or memory' };

/** Readers at once: each is a process. */
const reading = new PQueue({ concurrency: 2 });

/**
 * Reads a feed in a process of its own, which ends when it takes too long or too much: what is in a feed is not ours, and reading
 * a large one would hold up every request meanwhile.
 */
export function askReader(bytes: Uint8Array, question: FeedQuestion): Promise<FeedReading> {
  return reading.add(() => readApart(bytes, question));
}

async function readApart(bytes: Uint8Array, question: FeedQuestion): Promise<FeedReading> {
  // Not among the words of a command: an address may hold a secret, and anybody on a machine sees those.
  const told = Buffer.from(`${JSON.stringify(question)}\n`);
  const child = Bun.spawn([...programCommand(), 'feed-reader'], {
    stdio: [Buffer.concat([told, bytes]), 'pipe', 'ignore'],
    // The environment may hold secrets that a parser of hostile text needn't see.
    env: {},
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  const memoryWatch = setInterval(() => {
    if ((residentBytes(child.pid) ?? 0) > memoryByteMax) child.kill('SIGKILL');
  }, memoryLookMs);
  try {
    const [printed, exitCode] = await Promise.all([
      new Response(child.stdout).json().catch(() => undefined),
      child.exited,
    ]);
    return exitCode === 0 && printed !== undefined ? (printed as FeedReading) : tooMuch;
  } finally {
    clearInterval(memoryWatch);
  }
}
