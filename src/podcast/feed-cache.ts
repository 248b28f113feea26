import { createHash } from 'node:crypto';
import type { Database } from '../database/open.ts';

const feedsMax = 200;
const byteMax = 32 * 1024 * 1024;
const keptMaxMs = 60_000;

/** A feed that was made. */
export interface MadeFeed {
  readonly rss: Uint8Array<ArrayBuffer>;
  /** With its quotes. */
  readonly etag: string;
  readonly isEmpty: boolean;
  /** How long it has been remembered. */
  readonly ageS: number;
  gzip(): Uint8Array<ArrayBuffer>;
}

/** What is made of a feed, and how long it may be taken for what would be made anew. */
interface FreshFeed {
  readonly rss: string;
  readonly isEmpty: boolean;
  /** When the next of its posts comes out; null: none is to come. */
  readonly nextAt: string | null;
  /** It costs enough to stay for its time whatever is written meanwhile. */
  readonly isCostly: boolean;
}

/** @param name site, language and whatever else makes it another feed */
export type FeedMemory = (name: string, make: () => Promise<FreshFeed>) => Promise<MadeFeed>;

interface Kept {
  readonly version: number;
  readonly making: Promise<Made>;
  readonly madeAtMs: number;
  made: Made | undefined;
}

interface Made {
  readonly isEmpty: boolean;
  readonly nextAt: string | null;
  readonly isCostly: boolean;
  readonly rss: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  gzip: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Remembers the feeds that were asked for last: a minute at most, until a post comes out, and until anything is written,
 * save those that are costly. Whoever asks while one is made gets that one.
 */
export function createFeedMemory(database: Database): FeedMemory {
  const kept = new Map<string, Kept>();
  return async (name, make) => {
    // Asked before the rows are read: what is remembered may be newer than its version, never older.
    const version = database.version();
    const before = kept.get(name);
    const isGood = before !== undefined && isStillGood(before, version);
    const entry: Kept = isGood
      ? before
      : { version, making: make().then(madeOf), madeAtMs: Date.now(), made: undefined };
    // The one that was asked for last stands last.
    kept.delete(name);
    kept.set(name, entry);
    const made = await entry.making.catch((error: unknown) => {
      if (kept.get(name) === entry) kept.delete(name);
      throw error;
    });
    entry.made = made;
    forgetOldest(kept);
    return {
      rss: made.rss,
      etag: made.etag,
      isEmpty: made.isEmpty,
      ageS: Math.floor((Date.now() - entry.madeAtMs) / 1000),
      gzip: () => {
        made.gzip ??= Bun.gzipSync(made.rss);
        return made.gzip;
      },
    };
  };
}

function isStillGood({ version, madeAtMs, made }: Kept, now: number): boolean {
  const isOld = Date.now() - madeAtMs >= keptMaxMs;
  if (isOld) return false;
  if (made === undefined) return version === now;
  const { nextAt, isCostly } = made;
  const isOver = nextAt !== null && Date.parse(nextAt) <= Date.now();
  return !isOver && (isCostly || version === now);
}

function madeOf({ rss: text, ...told }: FreshFeed): Made {
  const rss = new TextEncoder().encode(text);
  // Weak: it is the same feed, compressed or not.
  const etag = `W/"${createHash('sha1').update(rss).digest('base64url')}"`;
  return { ...told, rss, etag, gzip: undefined };
}

function forgetOldest(kept: Map<string, Kept>): void {
  let bytes = kept.values().reduce((sum, entry) => sum + bytesOf(entry), 0);
  for (const [name, entry] of kept) {
    if (kept.size <= feedsMax && bytes <= byteMax) return;
    bytes -= bytesOf(entry);
    kept.delete(name);
  }
}

function bytesOf({ made }: Kept): number {
  return made === undefined ? 0 : made.rss.length + (made.gzip?.length ?? 0);
}
