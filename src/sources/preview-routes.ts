import { Elysia } from 'elysia';
import { findPost } from '../audio/posts/store.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { limiterOf, rateLimited, sayRate, take } from '../http/rate-limit.ts';
import { readJsonBody } from '../http/request-body.ts';
import { factsOf } from '../http/request-context.ts';
import { validate } from '../http/validation.ts';
import { askReader, fetchFeed } from './fetch.ts';
import { postIdOf, shownGuid, unfitness } from './items.ts';
import type { Feed, FeedEntry } from './parse-worker.ts';
import type { SourceDeps } from './routes.ts';
import { SourcePreview, SourcePreviewBody, SourcesParams } from './schema.ts';
import { checkedUrl } from './store.ts';

const bodyByteMax = 20_000;
const itemsMax = 100;
const backfillUsual = 10;
/** Each is a request to somewhere else, made in our name. */
const previewsPerMinute = 10;
/** A slow server, and a reader that takes its time. */
const idleMaxS = 120;

export interface SourcePreviewDeps
  extends Pick<SourceDeps, 'database' | 'bySession' | 'feedTargets' | 'polling'> {
  readonly limits: {
    readonly contentLengthMax: number;
    readonly feedTimeoutS: number;
    readonly feedByteMax: number;
  };
}

const previewOperation = described({
  summary: 'See what a feed holds',
  description:
    'For editors. Fetches it once, and tells of its newest 100 items what would become of each if it were named now. Nothing is stored, nothing is made. A feed that cannot be fetched or read is a 422 that says why. Ten a minute.',
  tag: 'Sources',
  access: 'session',
  params: SourcesParams,
  body: SourcePreviewBody,
  bodyExample: { url: 'https://www.example.org/feed.xml' },
  answers: {
    200: {
      description: 'What it holds, newest first',
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
  const { database, bySession, feedTargets, polling, limits } = deps;
  const limiter = limiterOf(previewsPerMinute);
  return new Elysia({ name: 'source preview', prefix: '/v1/sites/:site/sources' }).post(
    '/preview',
    async ({ request, params }) => {
      const { user, site } = await bySession.site(request, params.site, 'editor');
      const body = await readJsonBody(request, bodyByteMax);
      const { url: given, backfill = backfillUsual } = validate(SourcePreviewBody, body);
      const { taken, isSpent } = await take(limiter, user.id);
      if (isSpent) {
        sayRate(request, previewsPerMinute, taken);
        throw rateLimited(request, taken);
      }
      factsOf(request).allowIdle(idleMaxS);
      const fetched = await fetchFeed(feedTargets, {
        url: await checkedUrl(feedTargets, given),
        ...{ etag: null, lastModified: null, stopping: polling.stopping },
        timeoutMs: limits.feedTimeoutS * 1000,
        byteMax: limits.feedByteMax,
      });
      if (fetched.kind !== 'fetched') {
        throw wrongUrl(fetched.kind === 'failed' ? fetched.problem : 'the server answered 304');
      }
      const { url, contentType } = fetched;
      const reading = await askReader(fetched.bytes, { url, contentType, itemsMax });
      if ('problem' in reading) throw wrongUrl(reading.problem);
      const items = await previewedItems(database.read, site.id, reading.feed, {
        backfill,
        contentLengthMax: limits.contentLengthMax,
      });
      const { format, title, itemCount } = reading.feed;
      return envelope('OK', { url, format, title, item_count: itemCount, items });
    },
    previewOperation,
  );
}

type PreviewedItem = SourcePreview['items'][number];

async function previewedItems(
  db: Queries,
  siteId: number,
  { items }: Feed,
  limits: { readonly backfill: number; readonly contentLengthMax: number },
): Promise<PreviewedItem[]> {
  const previewed: PreviewedItem[] = [];
  for (const [index, entry] of items.entries()) {
    const postId = postIdOf(entry.guid);
    const isKnown = (await findPost(db, siteId, postId)) !== undefined;
    previewed.push({
      ...{ guid: shownGuid(entry.guid), title: entry.title, url: entry.url },
      ...{ published_at: entry.publishedAt, language: entry.language },
      ...{ text_length: entry.textLength, excerpt: entry.excerpt, post_id: postId },
      outcome:
        index >= limits.backfill
          ? 'skipped'
          : isKnown
            ? 'known'
            : fitness(entry, limits.contentLengthMax),
    });
  }
  return previewed;
}

function fitness(entry: FeedEntry, contentLengthMax: number): PreviewedItem['outcome'] {
  const outcome = unfitness(entry, contentLengthMax)?.outcome;
  if (outcome === undefined) return 'queued';
  return outcome === 'too_short' ? 'too_short' : 'refused';
}

function wrongUrl(problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { url: [problem] });
}
