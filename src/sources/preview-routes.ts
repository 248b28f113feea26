import { Elysia } from 'elysia';
import { findPost } from '../audio/posts/store.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { consume, createMemoryLimiter, rateLimitError, setRateHeaders } from '../http/rate-limit.ts';
import { readJsonBody } from '../http/request-body.ts';
import { requestContext } from '../http/request-context.ts';
import { validate } from '../http/validation.ts';
import { fetchFeed, parseInWorker } from './fetch.ts';
import { rejectReason, toPostId, truncateGuid } from './items.ts';
import type { Feed, FeedEntry } from './parse-worker.ts';
import type { SourceDeps } from './routes.ts';
import { SourcePreview, SourcePreviewBody, SourcesParams } from './schema.ts';
import { validateTargetUrl } from './store.ts';

const maxBodyBytes = 20_000;
const maxItems = 100;
const defaultBackfill = 10;
/** Each is a request to somewhere else, made in our name. */
const maxPreviewsPerMinute = 10;
/** A slow server, and a reader that takes its time. */
const idleTimeoutS = 120;

export interface SourcePreviewDeps
  extends Pick<SourceDeps, 'database' | 'requireSession' | 'feedGuard' | 'feedPoller'> {
  readonly limits: {
    readonly maxContentLength: number;
    readonly feedTimeoutS: number;
    readonly maxFeedBytes: number;
  };
}

const previewOperation = endpointSpec({
  summary: 'Preview a feed',
  description:
    'Requires the editor role. Fetches the feed once and shows for its newest 100 items what would happen if the feed were added now. Nothing is stored or generated. 422 with the reason if the feed cannot be fetched or parsed. Limit: 10 requests per minute.',
  tag: 'Sources',
  access: 'session',
  params: SourcesParams,
  body: SourcePreviewBody,
  bodyExample: { url: 'https://www.example.org/feed.xml' },
  responses: {
    200: {
      description: 'The items of the feed, newest first',
      message: 'OK',
      data: SourcePreview,
      example: {
        url: 'https://www.example.org/feed.xml',
        format: 'rss',
        title: 'The Daily Example',
        item_count: 25,
        items: [
          {
            guid: 'https://www.example.org/news/4711',
            title: 'Harbor town reopens its lighthouse',
            url: 'https://www.example.org/news/4711',
            published_at: '2026-11-02T08:00:00.000Z',
            language: 'en',
            text_length: 2_140,
            excerpt: 'The lighthouse of Port Ellery opened its doors again on Saturday.',
            outcome: 'queued',
            post_id: 'https://www.example.org/news/4711',
          },
        ],
      },
    },
  },
  errors: ['not_found', 'not_allowed', 'rate_limited'],
});

/** What somebody wants to see before they name a feed. */
export function sourcePreviewRoutes(deps: SourcePreviewDeps) {
  const { database, requireSession, feedGuard, feedPoller, limits } = deps;
  const limiter = createMemoryLimiter(maxPreviewsPerMinute);
  return new Elysia({ name: 'source preview', prefix: '/v1/sites/:site/sources' }).post(
    '/preview',
    async ({ request, params }) => {
      const { user, site } = await requireSession.site(request, params.site, 'editor');
      const body = await readJsonBody(request, maxBodyBytes);
      const { url: given, backfill = defaultBackfill } = validate(SourcePreviewBody, body);
      const { taken, isSpent } = await consume(limiter, user.id);
      if (isSpent) {
        setRateHeaders(request, maxPreviewsPerMinute, taken);
        throw rateLimitError(request, taken);
      }
      requestContext(request).setIdleTimeout(idleTimeoutS);
      const fetched = await fetchFeed(feedGuard, {
        url: await validateTargetUrl(feedGuard, given),
        ...{ etag: null, lastModified: null, stopSignal: feedPoller.stopSignal },
        timeoutMs: limits.feedTimeoutS * 1000,
        maxBytes: limits.maxFeedBytes,
      });
      if (fetched.kind !== 'fetched') {
        throw invalidUrl(fetched.kind === 'failed' ? fetched.problem : 'the server returned status 304');
      }
      const { url, contentType } = fetched;
      const reading = await parseInWorker(fetched.bytes, { url, contentType, maxItems });
      if ('problem' in reading) throw invalidUrl(reading.problem);
      const items = await previewItems(database.read, site.id, reading.feed, {
        backfill,
        maxContentLength: limits.maxContentLength,
      });
      const { format, title, itemCount } = reading.feed;
      return envelope('OK', { url, format, title, item_count: itemCount, items });
    },
    toEndpointHook(previewOperation),
  );
}

type PreviewedItem = SourcePreview['items'][number];

async function previewItems(
  db: Queries,
  siteId: number,
  { items }: Feed,
  limits: { readonly backfill: number; readonly maxContentLength: number },
): Promise<PreviewedItem[]> {
  const previewed: PreviewedItem[] = [];
  for (const [index, entry] of items.entries()) {
    const postId = toPostId(entry.guid);
    const isKnown = (await findPost(db, siteId, postId)) !== undefined;
    previewed.push({
      ...{ guid: truncateGuid(entry.guid), title: entry.title, url: entry.url },
      ...{ published_at: entry.publishedAt, language: entry.language },
      ...{ text_length: entry.textLength, excerpt: entry.excerpt, post_id: postId },
      outcome:
        index >= limits.backfill ? 'skipped' : isKnown ? 'known' : previewOutcome(entry, limits.maxContentLength),
    });
  }
  return previewed;
}

function previewOutcome(entry: FeedEntry, maxContentLength: number): PreviewedItem['outcome'] {
  const outcome = rejectReason(entry, maxContentLength)?.outcome;
  if (outcome === undefined) return 'queued';
  return outcome === 'too_short' ? 'too_short' : 'refused';
}

function invalidUrl(problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { url: [problem] });
}
