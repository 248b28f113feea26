import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit } from '../auth/audit-log.ts';
import type { SessionAccess, SignedIn } from '../auth/sessions.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import type { Targets } from '../http/outbound-guard.ts';
import { PageQuery, pageFrom, startOfPage } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { factsOf } from '../http/request-context.ts';
import { idIn, readQuery, validate } from '../http/validation.ts';
import { listItems } from './item-store.ts';
import type { Polling } from './poller.ts';
import {
  auditedSource,
  auditName,
  forViewers,
  ItemsQuery,
  itemRecord,
  Source,
  SourceBody,
  SourceChanges,
  SourceItemPage,
  SourcePage,
  SourceParams,
  SourcesParams,
  sourceRecords,
} from './schema.ts';
import {
  changedSettings,
  deleteSource,
  findSource,
  insertSource,
  listSources,
  makeDue,
  newSettings,
  settingsOf,
  updateSource,
} from './store.ts';

const bodyByteMax = 20_000;

export interface SourceDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly feedTargets: Targets;
  readonly polling: Pick<Polling, 'nudge' | 'stopping'>;
  /** Why nothing may be made for a site just now. @throws AppError `not_allowed` */
  readonly checkServed: (site: Site) => void;
  readonly baseUrl: string;
  readonly limits: { readonly feedPauseS: number };
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
const freshSource = {
  ...exampleSource,
  title: null,
  last_fetch_at: null,
  last_status_code: null,
  next_fetch_at: '2026-11-02T08:15:00.000Z',
  items: { posts: 0, waiting: 0, left_out: 0 },
};

const listOperation = described({
  summary: 'Feeds of a site',
  tag: 'Sources',
  access: 'session',
  params: SourcesParams,
  query: PageQuery,
  answers: {
    200: {
      description: 'A page of sources, in the order in which they were named',
      message: 'OK',
      data: SourcePage,
      example: { items: [exampleSource], next_cursor: null },
    },
  },
  errors: ['not_found'],
});

const createOperation = described({
  summary: 'Name a feed',
  description:
    'For editors. It is fetched at once, and from then on at its interval: the newest items become posts, and each new one does. Each item makes one post ever, by the same rules and the same monthly quota as a post that is handed in; what the quota or a full queue leaves no room for waits. `POST …/sources/preview` shows what a feed holds beforehand.',
  tag: 'Sources',
  access: 'session',
  params: SourcesParams,
  body: SourceBody,
  bodyExample: { url: exampleSource.url },
  answers: {
    201: {
      description: 'Named',
      message: 'Source created',
      data: Source,
      example: freshSource,
      headers: { Location: 'Address of the source' },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const showOperation = described({
  summary: 'One feed',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  answers: {
    200: { description: 'The source', message: 'OK', data: Source, example: exampleSource },
  },
  errors: ['not_found'],
});

const changeOperation = described({
  summary: 'Change a feed',
  description:
    'For editors. What is not named stays. Another address is fetched at once and begins anew: of its items, those that are known stay known, and of the others the newest become posts, as many as `backfill` says. Posts that were made stay as they are.',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  body: SourceChanges,
  bodyExample: { interval_minutes: 60 },
  answers: {
    200: {
      description: 'Changed',
      message: 'Source updated',
      data: Source,
      example: { ...exampleSource, interval_minutes: 60 },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const deleteOperation = described({
  summary: 'Take a feed away',
  description: 'For editors. Its posts stay; what waits is not made.',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  answers: {
    200: {
      description: 'Taken away',
      message: 'Source deleted',
      data: Type.Object({ id: Type.Integer() }),
      example: { id: 1 },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const fetchOperation = described({
  summary: 'Fetch a feed now',
  description:
    'For editors. Within a second or so; the source then shows what came of it. 409 when it is switched off, or was fetched less than a minute ago (a setting).',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  answers: {
    202: {
      description: 'It is fetched now',
      message: 'Fetch queued',
      data: Source,
      example: exampleSource,
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const itemsOperation = described({
  summary: 'What has become of the items of a feed',
  description: 'Newest first.',
  tag: 'Sources',
  access: 'session',
  params: SourceParams,
  query: ItemsQuery,
  answers: {
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
  const { database, bySession, feedTargets, polling, baseUrl } = deps;
  const recordOf = async (site: Site, source: FeedSource): Promise<Source> => {
    const [record] = await sourceRecords(database.read, site, [source]);
    if (record === undefined) throw new Error('a source has no record');
    return record;
  };
  return new Elysia({ name: 'sources', prefix: '/v1/sites/:site/sources' })
    .get(
      '',
      async ({ request, params }) => {
        const { site, part } = await bySession.site(request, params.site, 'viewer');
        const { limit, after } = startOfPage(readQuery(PageQuery, request), Type.Integer());
        const rows = await listSources(database.read, site.id, after, limit + 1);
        const page = pageFrom(
          rows,
          limit,
          ({ id }) => id,
          (source) => source,
        );
        const records = await sourceRecords(database.read, site, page.items);
        const items = part === 'editor' ? records : records.map(forViewers);
        return envelope('OK', { items, next_cursor: page.next_cursor });
      },
      listOperation,
    )
    .post(
      '',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const asked = validate(SourceBody, await readJsonBody(request, bodyByteMax));
        const settings = await newSettings(feedTargets, asked);
        const made = await database.write(async (db) => {
          const source = await insertSource(db, site.id, settings);
          await audit(db, {
            ...{ userId: user.id, action: 'source.created', siteId: site.id },
            ...{ subject: auditName(source), after: auditedSource(source) },
          });
          return source;
        });
        polling.nudge();
        const location = `${baseUrl}/v1/sites/${site.id}/sources/${made.id}`;
        const body = envelope('Source created', await recordOf(site, made));
        return Response.json(body, { status: 201, headers: { location } });
      },
      createOperation,
    )
    .get(
      '/:source',
      async ({ request, params }) => {
        const { site, part } = await bySession.site(request, params.site, 'viewer');
        const source = await findSource(database.read, site.id, idIn(params.source));
        const record = await recordOf(site, source);
        return envelope('OK', part === 'editor' ? record : forViewers(record));
      },
      showOperation,
    )
    .patch(
      '/:source',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const id = idIn(params.source);
        await findSource(database.read, site.id, id);
        const asked = validate(SourceChanges, await readJsonBody(request, bodyByteMax));
        const changes = await changedSettings(feedTargets, asked);
        const changed = await database.write(async (db) => {
          const before = await findSource(db, site.id, id);
          const now = await updateSource(db, before, { ...settingsOf(before), ...changes });
          await audit(db, {
            ...{ userId: user.id, action: 'source.changed', siteId: site.id },
            subject: auditName(now),
            ...{ before: auditedSource(before), after: auditedSource(now) },
          });
          return now;
        });
        polling.nudge();
        return envelope('Source updated', await recordOf(site, changed));
      },
      changeOperation,
    )
    .delete(
      '/:source',
      async ({ request, params }) => {
        const editor = await bySession.site(request, params.site, 'editor');
        const id = idIn(params.source);
        await database.write(async (db) => {
          await audited(db, editor, 'source.deleted', await findSource(db, editor.site.id, id));
          await deleteSource(db, editor.site.id, id);
        });
        return envelope('Source deleted', { id });
      },
      deleteOperation,
    )
    .post(
      '/:source/fetch',
      async ({ request, params }) => {
        const editor = await bySession.site(request, params.site, 'editor');
        deps.checkServed(editor.site);
        const id = idIn(params.source);
        const source = await database.write(async (db) => {
          const before = await findSource(db, editor.site.id, id);
          checkMayBeFetched(request, before, deps.limits.feedPauseS);
          await makeDue(db, id);
          await audited(db, editor, 'source.fetched', before);
          return findSource(db, editor.site.id, id);
        });
        polling.nudge();
        const body = envelope('Fetch queued', await recordOf(editor.site, source));
        return Response.json(body, { status: 202 });
      },
      fetchOperation,
    )
    .get(
      '/:source/items',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        const query = readQuery(ItemsQuery, request);
        const { limit, after } = startOfPage(query, Type.Integer());
        const { id } = await findSource(database.read, site.id, idIn(params.source));
        const rows = await listItems(database.read, {
          ...{ sourceId: id, outcome: query.outcome, before: after },
          limit: limit + 1,
        });
        return envelope(
          'OK',
          pageFrom(rows, limit, ({ id }) => id, itemRecord),
        );
      },
      itemsOperation,
    );
}

async function audited(
  db: Queries,
  { user, site }: SignedIn & { readonly site: Site },
  action: string,
  source: FeedSource,
): Promise<void> {
  await audit(db, {
    ...{ userId: user.id, action, siteId: site.id },
    subject: auditName(source),
  });
}

/** @throws AppError `conflict`, with when to come again on its answer */
function checkMayBeFetched(request: Request, source: FeedSource, pauseS: number): void {
  if (source.enabled === 0) throw new AppError('conflict', 'The source is switched off');
  const since = (Date.now() - Date.parse(source.last_fetch_at ?? '1970-01-01')) / 1000;
  if (since >= pauseS) return;
  const seconds = Math.max(1, Math.ceil(pauseS - since));
  factsOf(request).answerHeaders['retry-after'] = String(seconds);
  throw new AppError('conflict', `It was fetched just now: ask again in ${seconds} s`);
}
