import { createHash } from 'node:crypto';
import { currentTimeMs } from '../clock.ts';
import type { Database } from '../database/database.ts';

const maxFeeds = 200;
const maxBytes = 32 * 1024 * 1024;
const maxAgeMs = 60_000;

/** A feed, and how long it may be served. */
interface RenderedFeed {
  /** RSS, or the page of the feed. */
  readonly text: string;
  readonly isEmpty: boolean;
  /** When its next post becomes public; null: none will. */
  readonly nextAt: string | null;
  /** Expensive feeds are cached for a time, regardless of writes. */
  readonly isExpensive: boolean;
}

/** A rendered feed as it is sent. */
export class CachedFeed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** With its quotes. Weak: the same for both encodings. */
  readonly etag: string;
  readonly isEmpty: boolean;
  readonly isExpensive: boolean;
  readonly #startedAtMs: number;
  readonly #nextAt: string | null;
  #gzip: Uint8Array<ArrayBuffer> | undefined;

  constructor({ text, isEmpty, isExpensive, nextAt }: RenderedFeed, startedAtMs: number) {
    this.bytes = new TextEncoder().encode(text);
    this.etag = `W/"${createHash('sha1').update(this.bytes).digest('base64url')}"`;
    this.isEmpty = isEmpty;
    this.isExpensive = isExpensive;
    this.#nextAt = nextAt;
    this.#startedAtMs = startedAtMs;
  }

  /** Seconds since it was rendered. */
  get ageS(): number {
    return Math.floor((currentTimeMs() - this.#startedAtMs) / 1000);
  }

  get byteCount(): number {
    return this.bytes.length + (this.#gzip?.length ?? 0);
  }

  /** Whether a post has become public since. */
  get isOutdated(): boolean {
    return this.#nextAt !== null && Date.parse(this.#nextAt) <= currentTimeMs();
  }

  gzip(): Uint8Array<ArrayBuffer> {
    this.#gzip ??= Bun.gzipSync(this.bytes);
    return this.#gzip;
  }
}

interface CacheEntry {
  readonly version: number;
  readonly startedAtMs: number;
  readonly pending: Promise<CachedFeed>;
  /** Undefined while it is rendered. */
  feed: CachedFeed | undefined;
}

/**
 * Keeps the feeds that were requested last: for a minute at most, until a post becomes public, and until anything is
 * written, except for expensive feeds. Concurrent requests share one rendering.
 */
export class FeedCache {
  readonly #database: Database;
  /** Least recently used first. */
  readonly #entries = new Map<string, CacheEntry>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param key site, language, format and everything else that the feed depends on */
  async get(key: string, render: () => Promise<RenderedFeed>): Promise<CachedFeed> {
    // Before the rows are read: a cached feed may be newer than its version, never older.
    const version = this.#database.dataVersion();
    const cached = this.#entries.get(key);
    const entry = cached !== undefined && isFresh(cached, version) ? cached : startRendering(version, render);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    try {
      entry.feed = await entry.pending;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
    this.#evict();
    return entry.feed;
  }

  #evict(): void {
    let bytes = this.#entries.values().reduce((sum, { feed }) => sum + (feed?.byteCount ?? 0), 0);
    for (const [key, { feed }] of this.#entries) {
      if (this.#entries.size <= maxFeeds && bytes <= maxBytes) return;
      bytes -= feed?.byteCount ?? 0;
      this.#entries.delete(key);
    }
  }
}

function startRendering(version: number, render: () => Promise<RenderedFeed>): CacheEntry {
  const startedAtMs = currentTimeMs();
  const pending = render().then((rendered) => new CachedFeed(rendered, startedAtMs));
  return { version, startedAtMs, pending, feed: undefined };
}

function isFresh({ startedAtMs, feed, version }: CacheEntry, currentVersion: number): boolean {
  if (currentTimeMs() - startedAtMs >= maxAgeMs || feed?.isOutdated) return false;
  return feed?.isExpensive || version === currentVersion;
}
