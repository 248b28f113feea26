import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { AuthContext, RequireSession } from '../auth/sessions.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import type { OutboundGuard } from '../http/outbound-guard.ts';
import { decodeCursor, PageQuery, paginate } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { requestContext } from '../http/request-context.ts';
import { parseId, parseQuery, validate } from '../http/validation.ts';
import { listItems } from './item-store.ts';
import type { FeedPoller } from './poller.ts';
import {
  buildSourceRecords,
  formatAuditSubject,
  ItemsQuery,
  Source,
  SourceBody,
  SourceChanges,
  SourceItemPage,
  SourcePage,
  SourceParams,
  SourcesParams,
  toAuditState,
  toItemRecord,
  toViewerRecord,
} from './schema.ts';
import {
  deleteSource,
  findSource,
  insertSource,
  listSources,
  parseNewSettings,
  parseSettingsChanges,
  scheduleFetchNow,
  toSettings,
  updateSource,
} from './store.ts';

const maxBodyBytes = 20_000;

export interface SourceDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
  readonly feedGuard: OutboundGuard;
  readonly feedPoller: Pick<FeedPoller, 'wake' | 'stopSignal'>;
  /** Why nothing may be made for a site just now. @throws AppError `not_allowed` */
  readonly requireActiveSubscription: (site: Site) => void;
  readonly baseUrl: string;
  readonly limits: { readonly minFeedIntervalS: number };
}

const exampleSource = {
  id: 1,
  url: 'https://www.example.org/feed.xml',
  title: 'The Daily Example',
  enabled: true,
  disabled_reason: null,
  paused: null,
  language: null,
  voice_id: null,
  visibility: 'public',
  updates: true,
  backfill: 10,
  interval_minutes: null,
  last_fetch_at: '2026-11-02T08:15:01.000Z',
  last_status_code: 200,
  problem: null,
  failure_count: 0,
  next_fetch_at: '2026-11-02T08:30:40.000Z',
  moved_to: null,
  items: { posts: 10, waiting: 0, left_out: 15 },
  waiting_reason: null,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};
const exampleNewSource = {
  ...exampleSource,
  title: null,
  last_fetch_at: null,
  last_status_code: null,
  next_fetch_at: '2026-11-02T08:15:00.000Z',
  items: { posts: 0, waiting: 0, left_out: 0 },
};

const listOperation = endpointSpec({
  summary: 'List feeds',
  tag: 'Sources',
  access: 'session',
  params: SourcesParams,
  query: PageQuery,
  responses: {
    200: {
      description: 'A page of sources, oldest first',
      message: 'OK',
      data: SourcePage,
      example: { items: [exampleSource], next_cursor: null },
    },
  },
  errors: ['not_found'],
});

const createOperation = endpointSpec({
  summary: 'Add a feed',
  description:
    'Requires the editor role. The feed is fetched at once and then at its interval. The newest items and all later items become posts. An item creates at most one post, with the same rules and monthly quota as a submitted post; items wait while the quota is used up or the queue is full. Use `POST …/sources/preview` to check a feed first.',
  tag: 'Sources',
  access: 'session',
  params: SourcesParams,
  body: SourceBody,
  bodyExample: { url: exampleSource.url },
  responses: {
    201: {
      description: 'The new source',
      message: 'Source created',
      data: Source,
      example: exampleNewSource,
      headers: { Location: 'URL of the source' },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const showOperation = endpointSpec({
  summary: 'Get a feed',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  responses: {
    200: { description: 'The source', message: 'OK', data: Source, example: exampleSource },
  },
  errors: ['not_found'],
});

const changeOperation = endpointSpec({
  summary: 'Update a feed',
  description:
    'Requires the editor role. Omitted fields do not change. A new URL is fetched at once like a new feed: known items stay known, and the newest `backfill` unknown items become posts. Existing posts do not change.',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  body: SourceChanges,
  bodyExample: { interval_minutes: 60 },
  responses: {
    200: {
      description: 'The updated source',
      message: 'Source updated',
      data: Source,
      example: { ...exampleSource, interval_minutes: 60 },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const deleteOperation = endpointSpec({
  summary: 'Delete a feed',
  description: 'Requires the editor role. Its posts stay; waiting items are dropped.',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  responses: {
    200: {
      description: 'Deleted',
      message: 'Source deleted',
      data: Type.Object({ id: Type.Integer() }),
      example: { id: 1 },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const fetchOperation = endpointSpec({
  summary: 'Fetch a feed now',
  description:
    'Requires the editor role. The fetch starts within about a second; the source shows the result. 409 if the source is disabled or was fetched less than a minute ago (configurable).',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  responses: {
    202: {
      description: 'The source; the fetch is queued',
      message: 'Fetch queued',
      data: Source,
      example: exampleSource,
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const itemsOperation = endpointSpec({
  summary: 'List feed items',
  description: 'Newest first.',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  query: ItemsQuery,
  responses: {
    200: {
      description: 'A page of items',
      message: 'OK',
      data: SourceItemPage,
      example: {
        items: [
          {
            id: 25,
            guid: 'https://www.example.org/news/4711',
            title: 'Harbor town reopens its lighthouse',
            url: 'https://www.example.org/news/4711',
            outcome: 'queued',
            reason: null,
            post_id: 'https://www.example.org/news/4711',
            seen_at: '2026-11-02T08:15:01.000Z',
            updated_at: '2026-11-02T08:15:02.000Z',
          },
        ],
        next_cursor: null,
      },
    },
  },
  errors: ['not_found'],
});

/** The feeds that a site takes its posts from. */
export function sourceRoutes(deps: SourceDeps) {
  const { database, requireSession, feedGuard, feedPoller, baseUrl } = deps;
  const recordOf = async (site: Site, source: FeedSource): Promise<Source> => {
    const [record] = await buildSourceRecords(database.read, site, [source]);
    if (record === undefined) throw new Error('source record missing');
    return record;
  };
  return new Elysia({ name: 'sources', prefix: '/v1/sites/:site/sources' })
    .get(
      '',
      async ({ request, params }) => {
        const { site, part } = await requireSession.site(request, params.site, 'viewer');
        const { limit, after } = decodeCursor(parseQuery(PageQuery, request), Type.Integer());
        const rows = await listSources(database.read, site.id, after, limit + 1);
        const page = paginate(
          rows,
          limit,
          ({ id }) => id,
          (source) => source,
        );
        const records = await buildSourceRecords(database.read, site, page.items);
        const items = part === 'editor' ? records : records.map(toViewerRecord);
        return envelope('OK', { items, next_cursor: page.next_cursor });
      },
      toEndpointHook(listOperation),
    )
    .post(
      '',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        const asked = validate(SourceBody, await readJsonBody(request, maxBodyBytes));
        const settings = await parseNewSettings(feedGuard, asked);
        const made = await database.write(async (db) => {
          const source = await insertSource(db, site.id, settings);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'source.created', siteId: site.id },
            ...{ subject: formatAuditSubject(source), after: toAuditState(source) },
          });
          return source;
        });
        feedPoller.wake();
        const location = `${baseUrl}/v1/sites/${site.id}/sources/${made.id}`;
        const body = envelope('Source created', await recordOf(site, made));
        return Response.json(body, { status: 201, headers: { location } });
      },
      toEndpointHook(createOperation),
    )
    .get(
      '/:source',
      async ({ request, params }) => {
        const { site, part } = await requireSession.site(request, params.site, 'viewer');
        const source = await findSource(database.read, site.id, parseId(params.source));
        const record = await recordOf(site, source);
        return envelope('OK', part === 'editor' ? record : toViewerRecord(record));
      },
      toEndpointHook(showOperation),
    )
    .patch(
      '/:source',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        const id = parseId(params.source);
        await findSource(database.read, site.id, id);
        const asked = validate(SourceChanges, await readJsonBody(request, maxBodyBytes));
        const changes = await parseSettingsChanges(feedGuard, asked);
        const changed = await database.write(async (db) => {
          const before = await findSource(db, site.id, id);
          const now = await updateSource(db, before, { ...toSettings(before), ...changes });
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'source.changed', siteId: site.id },
            subject: formatAuditSubject(now),
            ...{ before: toAuditState(before), after: toAuditState(now) },
          });
          return now;
        });
        feedPoller.wake();
        return envelope('Source updated', await recordOf(site, changed));
      },
      toEndpointHook(changeOperation),
    )
    .delete(
      '/:source',
      async ({ request, params }) => {
        const editor = await requireSession.site(request, params.site, 'editor');
        const id = parseId(params.source);
        await database.write(async (db) => {
          await auditSource(db, editor, 'source.deleted', await findSource(db, editor.site.id, id));
          await deleteSource(db, editor.site.id, id);
        });
        return envelope('Source deleted', { id });
      },
      toEndpointHook(deleteOperation),
    )
    .post(
      '/:source/fetch',
      async ({ request, params }) => {
        const editor = await requireSession.site(request, params.site, 'editor');
        deps.requireActiveSubscription(editor.site);
        const id = parseId(params.source);
        const source = await database.write(async (db) => {
          const before = await findSource(db, editor.site.id, id);
          checkFetchAllowed(request, before, deps.limits.minFeedIntervalS);
          await scheduleFetchNow(db, id);
          await auditSource(db, editor, 'source.fetched', before);
          return findSource(db, editor.site.id, id);
        });
        feedPoller.wake();
        const body = envelope('Fetch queued', await recordOf(editor.site, source));
        return Response.json(body, { status: 202 });
      },
      toEndpointHook(fetchOperation),
    )
    .get(
      '/:source/items',
      async ({ request, params }) => {
        const { site } = await requireSession.site(request, params.site, 'viewer');
        const query = parseQuery(ItemsQuery, request);
        const { limit, after } = decodeCursor(query, Type.Integer());
        const { id } = await findSource(database.read, site.id, parseId(params.source));
        const rows = await listItems(database.read, {
          ...{ sourceId: id, outcome: query.outcome, before: after },
          limit: limit + 1,
        });
        return envelope(
          'OK',
          paginate(rows, limit, ({ id }) => id, toItemRecord),
        );
      },
      toEndpointHook(itemsOperation),
    );
}

async function auditSource(
  db: Queries,
  { user, site }: AuthContext & { readonly site: Site },
  action: string,
  source: FeedSource,
): Promise<void> {
  await insertAuditEntry(db, {
    ...{ userId: user.id, action, siteId: site.id },
    subject: formatAuditSubject(source),
  });
}

/** @throws AppError `conflict`, with when to come again on its answer */
function checkFetchAllowed(request: Request, source: FeedSource, pauseS: number): void {
  if (source.enabled === 0) throw new AppError('conflict', 'The source is disabled');
  const since = (Date.now() - Date.parse(source.last_fetch_at ?? '1970-01-01')) / 1000;
  if (since >= pauseS) return;
  const seconds = Math.max(1, Math.ceil(pauseS - since));
  requestContext(request).responseHeaders['retry-after'] = String(seconds);
  throw new AppError('conflict', `Feed fetched recently. Try again in ${seconds} s.`);
}
