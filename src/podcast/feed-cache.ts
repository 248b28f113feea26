import { createHash } from 'node:crypto';
import type { Database } from '../database/open.ts';

const maxFeeds = 200;
const maxBytes = 32 * 1024 * 1024;
const maxAgeMs = 60_000;

/** A feed that was made. */
export interface CachedFeed {
  readonly rss: Uint8Array<ArrayBuffer>;
  /** With its quotes. */
  readonly etag: string;
  readonly isEmpty: boolean;
  /** How long it has been remembered. */
  readonly ageS: number;
  gzip(): Uint8Array<ArrayBuffer>;
}

/** What is made of a feed, and how long it may be taken for what would be made anew. */
interface RenderedFeed {
  readonly rss: string;
  readonly isEmpty: boolean;
  /** When the next of its posts comes out; null: none is to come. */
  readonly nextAt: string | null;
  /** It costs enough to stay for its time whatever is written meanwhile. */
  readonly isExpensive: boolean;
}

/** @param name site, language and whatever else makes it another feed */
export type FeedCache = (name: string, make: () => Promise<RenderedFeed>) => Promise<CachedFeed>;

interface CacheEntry {
  readonly version: number;
  readonly pending: Promise<EncodedFeed>;
  readonly renderedAtMs: number;
  feed: EncodedFeed | undefined;
}

interface EncodedFeed {
  readonly isEmpty: boolean;
  readonly nextAt: string | null;
  readonly isExpensive: boolean;
  readonly rss: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  gzip: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Remembers the feeds that were asked for last: a minute at most, until a post comes out, and until anything is written,
 * save those that are costly. Whoever asks while one is made gets that one.
 */
export function createFeedCache(database: Database): FeedCache {
  const kept = new Map<string, CacheEntry>();
  return async (name, make) => {
    // Asked before the rows are read: what is remembered may be newer than its version, never older.
    const version = database.dataVersion();
    const before = kept.get(name);
    const isGood = before !== undefined && isFresh(before, version);
    const entry: CacheEntry = isGood
      ? before
      : { version, pending: make().then(encodeFeed), renderedAtMs: Date.now(), feed: undefined };
    // The one that was asked for last stands last.
    kept.delete(name);
    kept.set(name, entry);
    const made = await entry.pending.catch((error: unknown) => {
      if (kept.get(name) === entry) kept.delete(name);
      throw error;
    });
    entry.feed = made;
    evictOldest(kept);
    return {
      rss: made.rss,
      etag: made.etag,
      isEmpty: made.isEmpty,
      ageS: Math.floor((Date.now() - entry.renderedAtMs) / 1000),
      gzip: () => {
        made.gzip ??= Bun.gzipSync(made.rss);
        return made.gzip;
      },
    };
  };
}

function isFresh({ version, renderedAtMs: madeAtMs, feed: made }: CacheEntry, now: number): boolean {
  const isOld = Date.now() - madeAtMs >= maxAgeMs;
  if (isOld) return false;
  if (made === undefined) return version === now;
  const { nextAt, isExpensive: isCostly } = made;
  const isOver = nextAt !== null && Date.parse(nextAt) <= Date.now();
  return !isOver && (isCostly || version === now);
}

function encodeFeed({ rss: text, ...told }: RenderedFeed): EncodedFeed {
  const rss = new TextEncoder().encode(text);
  // Weak: it is the same feed, compressed or not.
  const etag = `W/"${createHash('sha1').update(rss).digest('base64url')}"`;
  return { ...told, rss, etag, gzip: undefined };
}

function evictOldest(kept: Map<string, CacheEntry>): void {
  let bytes = kept.values().reduce((sum, entry) => sum + countBytes(entry), 0);
  for (const [name, entry] of kept) {
    if (kept.size <= maxFeeds && bytes <= maxBytes) return;
    bytes -= countBytes(entry);
    kept.delete(name);
  }
}

function countBytes({ feed: made }: CacheEntry): number {
  return made === undefined ? 0 : made.rss.length + (made.gzip?.length ?? 0);
}
