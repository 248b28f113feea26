import { Elysia } from 'elysia';
import { findPost } from '../audio/posts/store.ts';
import type { Queries } from '../database/database.ts';
import { invalid } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { validateOutboundUrl } from '../http/outbound-guard.ts';
import { consumeAttempt } from '../http/rate-limit.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import { fetchFeed, parseInWorker } from './fetch.ts';
import { rejectReason, toPostId, truncateGuid } from './items.ts';
import type { Feed, FeedEntry } from './parse-worker.ts';
import { SourcePreview, SourcePreviewBody } from './schema.ts';

const maxBodyBytes = 20_000;
const maxItems = 100;
const defaultBackfill = 10;
/** Each preview makes the server send a request to another host. */
const maxPreviewsPerMinute = 10;

const previewSpec = endpointSpec({
  summary: 'Preview a feed',
  description:
    'Requires the editor role. Fetches the feed once and shows for its newest 100 items what would happen if the feed were added now. Nothing is stored or generated. 422 with the reason if the feed cannot be fetched or parsed. Limit: 10 requests per minute.',
  tag: 'Sources',
  // A slow host and a large feed.
  idleTimeoutS: 120,
  access: 'session',
  role: 'editor',
  params: SiteParams,
  body: SourcePreviewBody,
  bodyExample: { url: 'https://www.example.org/feed.xml' },
  maxBodyBytes,
  responses: reply(200, 'OK', 'The items of the feed, newest first', SourcePreview, {
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
  }),
  errors: ['rate_limited'],
});

export function sourcePreviewRoutes(services: Services) {
  const { endpoint, database, config, createWindowCounter } = services;
  const previews = createWindowCounter('previews of sources', maxPreviewsPerMinute);
  return new Elysia({ name: 'source preview', prefix: '/v1/sites/:site/sources' }).post(
    '/preview',
    ...endpoint(previewSpec, async ({ request, user, site, body: { url: given, backfill = defaultBackfill } }) => {
      await consumeAttempt(request, previews, user.id);
      const { url, feed } = await fetchOnce(services, given);
      const { maxContentLength } = config;
      const items = await previewItems(database.read, site.id, feed, { backfill, maxContentLength });
      const { format, title, itemCount } = feed;
      return { url, format, title, item_count: itemCount, items };
    }),
  );
}

/**
 * @returns the feed, and its URL after redirects
 * @throws AppError `validation_failed` where it cannot be fetched or parsed
 */
async function fetchOnce(
  { feedGuard, jobs, config }: Pick<Services, 'feedGuard' | 'jobs' | 'config'>,
  given: string,
): Promise<{ readonly url: string; readonly feed: Feed }> {
  const fetched = await fetchFeed(feedGuard, {
    url: await validateOutboundUrl(feedGuard, given),
    ...{ etag: null, lastModified: null, stopSignal: jobs.stopSignal },
    timeoutMs: config.feedTimeoutS * 1000,
    maxBytes: config.maxFeedBytes,
  });
  if (fetched.kind !== 'fetched') {
    throw invalid('url', fetched.kind === 'failed' ? fetched.problem : 'the server returned status 304');
  }
  const { bytes, url, contentType } = fetched;
  const parsed = await parseInWorker(bytes, { url, contentType, maxItems }, config);
  if ('problem' in parsed) throw invalid('url', parsed.problem);
  return { url, feed: parsed.feed };
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
