import { setPriority } from 'node:os';
import { dieWithParent } from '../executable/die-with-parent.ts';
import type { FeedQuestion } from './feed.ts';
import { readFeed } from './read-feed.ts';

const niceness = 10;

/**
 * The body of a process that reads one feed: bytes in by standard input, a `FeedReading` as JSON out.
 * @param words the `FeedQuestion`, as JSON
 */
export async function runFeedReader([question = '{}']: readonly string[]): Promise<void> {
  dieWithParent();
  try {
    setPriority(niceness);
  } catch {
    // A sandbox may forbid it; the work is the same.
  }
  const bytes = await Bun.stdin.bytes();
  const reading = readFeed(bytes, JSON.parse(question) as FeedQuestion);
  await Bun.write(Bun.stdout, JSON.stringify(reading));
}
