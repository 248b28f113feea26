import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { findPost } from '../audio/posts/store.ts';
import { requireActiveSubscription } from '../auth/domain-access.ts';
import { restorableSince } from '../auth/undo.ts';
import { currentTimeMs } from '../clock.ts';
import { fromColumns } from '../database/columns.ts';
import { afterCommit, type Queries } from '../database/database.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { paginateById } from '../http/pagination.ts';
import { consumeAttempt } from '../http/rate-limit.ts';
import { requestContext } from '../http/request-context.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import { fetchOnce } from './fetch.ts';
import { listItems } from './item-store.ts';
import { rejectReason, toPostId, truncateGuid } from './items.ts';
import type { Feed, FeedEntry } from './parse-worker.ts';
import {
  exampleNewSource,
  exampleSource,
  ItemsQuery,
  Source,
  SourceBody,
  SourceChanges,
  SourceItem,
  SourceItemPage,
  SourcePage,
  SourceParams,
  SourcePreview,
  SourcePreviewBody,
  SourcesQuery,
} from './schema.ts';
import {
  buildSourceRecords,
  createSource,
  deleteSource,
  findSource,
  listDeletedSources,
  listSources,
  parseNewSettings,
  parseSettingsChanges,
  restoreSource,
  scheduleFetchNow,
  toViewerRecord,
  updateSource,
} from './store.ts';

const maxBodyBytes = 20_000;

const viewerAccess = { tag: 'Sources', access: 'session', role: 'viewer' } as const;
const editorAccess = { ...viewerAccess, role: 'editor' } as const;

const listSpec = endpointSpec({
  summary: 'List feeds',
  ...viewerAccess,
  params: SiteParams,
  query: SourcesQuery,
  responses: reply(200, 'OK', 'A page of sources, oldest first', SourcePage),
});

const createSpec = endpointSpec({
  summary: 'Add a feed',
  description:
    'Requires the editor role. The feed is fetched at once and then at its interval. The newest items and all later items become posts. An item creates at most one post, with the same rules and monthly quota as a submitted post; items wait while the quota is used up or the queue is full. Use `POST …/sources/preview` to check a feed first.',
  ...editorAccess,
  params: SiteParams,
  body: SourceBody,
  bodyExample: { url: exampleSource.url },
  maxBodyBytes,
  responses: reply(201, 'Source created', 'The new source', Source, {
    example: exampleNewSource,
    headers: { Location: 'URL of the source' },
  }),
  errors: ['conflict'],
});

const showSpec = endpointSpec({
  summary: 'Get a feed',
  ...viewerAccess,
  params: SourceParams,
  responses: reply(200, 'OK', 'The source', Source),
});

const changeSpec = endpointSpec({
  summary: 'Update a feed',
  description:
    'Requires the editor role. Omitted fields do not change. A new URL is fetched at once like a new feed: known items stay known, and the newest `backfill` unknown items become posts. Existing posts do not change.',
  ...editorAccess,
  params: SourceParams,
  body: SourceChanges,
  bodyExample: { interval_minutes: 60 },
  maxBodyBytes,
  responses: reply(200, 'Source updated', 'The updated source', Source, {
    example: { ...exampleSource, interval_minutes: 60 },
  }),
  errors: ['conflict'],
});

const deleteSpec = endpointSpec({
  summary: 'Delete a feed',
  description:
    'Requires the editor role. Its posts stay. Until `LECTERN_DELETED_RETENTION_DAYS` are over, `…/restore` undoes it, unless the feed is added again; then its items are deleted, waiting ones too.',
  ...editorAccess,
  params: SourceParams,
  responses: reply(200, 'Source deleted', 'Deleted', Type.Object({ id: Type.Integer() }), { example: { id: 1 } }),
});

const restoreSpec = endpointSpec({
  summary: 'Undo the deletion of a feed',
  description:
    'Requires the editor role; within `LECTERN_DELETED_RETENTION_DAYS`. The feed has all its items, and is fetched when it is due.',
  ...editorAccess,
  params: SourceParams,
  responses: reply(200, 'Source restored', 'The source', Source),
  errors: ['conflict'],
});

const fetchSpec = endpointSpec({
  summary: 'Fetch a feed now',
  description:
    'Requires the editor role. The fetch starts within about a second; the source shows the result. 409 if the source is disabled or was fetched less than a minute ago (configurable).',
  ...editorAccess,
  params: SourceParams,
  responses: reply(202, 'Fetch queued', 'The source; the fetch is queued', Source),
  errors: ['conflict'],
});

const itemsSpec = endpointSpec({
  summary: 'List feed items',
  description: 'Newest first.',
  ...viewerAccess,
  params: SourceParams,
  query: ItemsQuery,
  responses: reply(200, 'OK', 'A page of items', SourceItemPage),
});

export function sourceRoutes(services: Services) {
  const { endpoint, database, feedGuard, feedPoller, baseUrl, config } = services;
  return new Elysia({ name: 'sources', prefix: '/v1/sites/:site/sources' })
    .get(
      '',
      ...endpoint(listSpec, async ({ site, siteRole, query }) => {
        const deleted = await listDeletedSources(database.read, site.id, restorableSince(config.deletedRetentionDays));
        const buildItems = async (sources: readonly FeedSource[]) => {
          const items = await buildSourceRecords(database.read, site, sources);
          return siteRole === 'editor' ? items : items.map(toViewerRecord);
        };
        const page =
          query.state === 'deleted'
            ? { items: await buildItems(deleted), next_cursor: null }
            : await paginateById(
                query,
                (after, limit) => listSources(database.read, site.id, after, limit),
                buildItems,
              );
        return { ...page, deleted: deleted.length };
      }),
    )
    .post(
      '',
      ...endpoint(createSpec, async ({ request, user, site, body }) => {
        const settings = await parseNewSettings(feedGuard, body);
        const source = await database.write(site.id, (db) => {
          afterCommit(db, () => feedPoller.wake());
          return createSource(db, user.id, site.id, settings);
        });
        const record = await buildSourceRecord(database.read, site, source);
        requestContext(request).responseHeaders['location'] = `${baseUrl}/v1/sites/${site.id}/sources/${source.id}`;
        return record;
      }),
    )
    .get(
      '/:source',
      ...endpoint(showSpec, async ({ site, siteRole, params }) => {
        const source = await findSource(database.read, site.id, parseId(params.source));
        const record = await buildSourceRecord(database.read, site, source);
        return siteRole === 'editor' ? record : toViewerRecord(record);
      }),
    )
    .patch(
      '/:source',
      ...endpoint(changeSpec, async ({ user, site, params, body }) => {
        const before = await findSource(database.read, site.id, parseId(params.source));
        const changes = await parseSettingsChanges(feedGuard, body);
        const source = await database.write(site.id, (db) => {
          afterCommit(db, () => feedPoller.wake());
          return updateSource(db, user.id, before, changes);
        });
        return buildSourceRecord(database.read, site, source);
      }),
    )
    .delete(
      '/:source',
      ...endpoint(deleteSpec, async ({ user, site, params }) => {
        const id = parseId(params.source);
        await database.write(site.id, (db) => deleteSource(db, user.id, site.id, id));
        return { id };
      }),
    )
    .post(
      '/:source/restore',
      ...endpoint(restoreSpec, async ({ user, site, params }) => {
        const id = parseId(params.source);
        const source = await database.write(site.id, (db) => {
          afterCommit(db, () => feedPoller.wake());
          return restoreSource(db, user.id, site.id, id, restorableSince(config.deletedRetentionDays));
        });
        return buildSourceRecord(database.read, site, source);
      }),
    )
    .use(sourceItemRoutes(services));
}

function sourceItemRoutes({ endpoint, database, feedPoller, config }: Services) {
  return new Elysia({ name: 'source items' })
    .post(
      '/:source/fetch',
      ...endpoint(fetchSpec, async ({ request, user, site, params }) => {
        requireActiveSubscription(site);
        const id = parseId(params.source);
        const source = await database.write(site.id, async (db) => {
          afterCommit(db, () => feedPoller.wake());
          const before = await findSource(db, site.id, id);
          checkFetchInterval(request, before, config.minFeedIntervalS);
          await scheduleFetchNow(db, user.id, before);
          return findSource(db, site.id, id);
        });
        return buildSourceRecord(database.read, site, source);
      }),
    )
    .get(
      '/:source/items',
      ...endpoint(itemsSpec, async ({ site, params, query }) => {
        const { id: sourceId } = await findSource(database.read, site.id, parseId(params.source));
        return paginateById(
          query,
          (before, limit) => listItems(database.read, { sourceId, outcome: query.outcome, before, limit }),
          (items) => items.map((item) => fromColumns(SourceItem, item)),
        );
      }),
    );
}

async function buildSourceRecord(db: Queries, site: Site, source: FeedSource): Promise<Source> {
  const [record] = await buildSourceRecords(db, site, [source]);
  if (record === undefined) throw new Error('source record missing');
  return record;
}

/** @throws AppError `conflict`, with `Retry-After` where the feed was fetched less than `minIntervalS` ago */
function checkFetchInterval(request: Request, source: FeedSource, minIntervalS: number): void {
  const elapsedS = (currentTimeMs() - Date.parse(source.last_fetch_at ?? '1970-01-01')) / 1000;
  if (source.enabled === 0 || elapsedS >= minIntervalS) return;
  const seconds = Math.max(1, Math.ceil(minIntervalS - elapsedS));
  requestContext(request).responseHeaders['retry-after'] = String(seconds);
  throw new AppError('conflict', `Feed fetched recently. Try again in ${seconds} s.`);
}

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
  responses: reply(200, 'OK', 'The items of the feed, newest first', SourcePreview),
  errors: ['rate_limited'],
});

export function sourcePreviewRoutes(services: Services) {
  const { endpoint, database, config, createWindowCounter } = services;
  const previews = createWindowCounter('previews of sources', maxPreviewsPerMinute);
  return new Elysia({ name: 'source preview', prefix: '/v1/sites/:site/sources' }).post(
    '/preview',
    ...endpoint(previewSpec, async ({ request, user, site, body: { url: given, backfill = defaultBackfill } }) => {
      await consumeAttempt(request, previews, user.id);
      const { url, feed } = await fetchOnce(services, given, maxItems);
      const { maxContentLength } = config;
      const items = await previewItems(database.read, site.id, feed, { backfill, maxContentLength });
      const { format, title, itemCount } = feed;
      return { url, format, title, item_count: itemCount, items };
    }),
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
