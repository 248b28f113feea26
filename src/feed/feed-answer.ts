import { acceptsGzip } from '../http/accepts-gzip.ts';
import { isNotModified } from '../http/conditional.ts';
import type { MadeFeed } from './feed-memory.ts';

/** Feeds whose last change is remembered. */
const knownMax = 1_000;
const cacheControl = 'public, max-age=300';

/** Answers with a feed: 304 to whoever has it, compressed for whoever takes that. */
export type FeedAnswer = (request: Request, address: string, feed: MadeFeed) => Response;

/**
 * A feed changes also by what is gone from it, which no row tells: it is as old as this server has seen it unchanged.
 */
export function createFeedAnswer(): FeedAnswer {
  const known = new Map<string, { readonly etag: string; readonly since: Date }>();
  const changeOf = (address: string, etag: string): Date => {
    const before = known.get(address);
    if (before?.etag === etag) return before.since;
    // Times in headers have whole seconds: a second change within one must have another.
    const next = before === undefined ? 0 : before.since.getTime() + 1_000;
    const since = new Date(Math.max(Date.now(), next));
    if (known.size >= knownMax) known.clear();
    known.set(address, { etag, since });
    return since;
  };
  return (request, address, { rss, etag, ageS, gzip }) => {
    const lastModified = changeOf(address, etag);
    const headers = {
      'content-type': 'application/rss+xml; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': cacheControl,
      // Who keeps it counts from when it was made.
      age: String(ageS),
      vary: 'Accept-Encoding',
      'last-modified': lastModified.toUTCString(),
      etag,
    };
    if (isNotModified(request, etag, lastModified)) {
      return new Response(null, { status: 304, headers });
    }
    if (!acceptsGzip(request)) return new Response(rss, { headers });
    return new Response(gzip(), { headers: { ...headers, 'content-encoding': 'gzip' } });
  };
}
