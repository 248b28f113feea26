import { setPriority } from 'node:os';
import { dieWithParent } from '../executable/die-with-parent.ts';
import type { FeedQuestion } from './feed.ts';
import { readFeed } from './read-feed.ts';

const niceness = 10;

const lineEnd = 0x0a;

/**
 * The body of a process that reads one feed. Standard input: a line with the `FeedQuestion` as JSON, then the bytes of the feed;
 * out goes a `FeedReading` as JSON.
 */
export async function runFeedReader(): Promise<void> {
  dieWithParent();
  try {
    setPriority(niceness);
  } catch {
    // A sandbox may forbid it; the work is the same.
  }
  const given = await Bun.stdin.bytes();
  const end = given.indexOf(lineEnd);
  const question = JSON.parse(new TextDecoder().decode(given.subarray(0, end))) as FeedQuestion;
  const reading = readFeed(given.subarray(end + 1), question);
  await Bun.write(Bun.stdout, JSON.stringify(reading));
}
