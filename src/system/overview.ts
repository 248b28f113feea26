import { Elysia } from 'elysia';
import { findLastLoadDay, listListening, listTopPostsToday } from '../analytics/analytics.ts';
import { buildPostPage } from '../audio/posts/post-list.ts';
import { findFailures } from '../audio/posts/store.ts';
import { findQueuePause } from '../audio/queue-store.ts';
import { currentTimeMs, hourMs, timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { findUnknownWordsOfSite } from '../pronunciations/unknown-words.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import { listDomainClaims } from '../sites/store.ts';
import { listSources } from '../sources/store.ts';
import { findEndpointHealth } from '../webhooks/delivery-store.ts';
import { listEndpoints } from '../webhooks/endpoints.ts';
import { listQueuePositions, loadQueueItems } from './queue.ts';
import { type Need, Overview } from './schema.ts';

const shownDayCount = 60;
const latestCount = 4;
const maxItems = 5;
const newNameDays = 7;

const overviewSpec = endpointSpec({
  summary: 'Get the overview of a site',
  description: 'Open problems, listening figures, posts in progress and the newest posts, in one response.',
  tag: 'Sites',
  access: 'session',
  role: 'viewer',
  params: SiteParams,
  responses: reply(200, 'OK', 'The overview', Overview),
});

export function overviewRoutes(services: Services) {
  const { endpoint, database, queue, baseUrl, config } = services;
  return new Elysia({ name: 'overview' }).get(
    '/v1/sites/:site/overview',
    ...endpoint(overviewSpec, async ({ user, site, siteRole }) => {
      const { read } = database;
      const { id, time_zone: timeZone } = site;
      const { deletedRetentionDays } = config;
      const page = await buildPostPage(
        read,
        { siteId: id, timeZone },
        { limit: latestCount },
        { baseUrl, deletedRetentionDays },
      );
      const positions = await listQueuePositions(read, id, undefined, maxItems);
      const top = await listTopPostsToday(read, site, maxItems);
      return {
        needs: [
          ...(await listSiteNeeds(read, id, page.counts.failed)),
          ...(siteRole === 'editor' ? await listNewNames(services, id) : []),
          ...(user.role === 'admin' ? await listAdminNeeds(services, id) : []),
        ],
        counts: page.counts,
        listening: { days: await listListening(read, site, shownDayCount) },
        top_today: top.flatMap(({ value, name, name_language, plays }) =>
          value === null || plays === 0 ? [] : [{ post_id: value, post_title: name, language: name_language, plays }],
        ),
        player_seen_on: (await findLastLoadDay(read, id)) ?? null,
        generating: await loadQueueItems(
          read,
          queue,
          positions.map((position) => position.id),
        ),
        latest: page.items,
      };
    }),
  );
}

const noSubject = { id: null, name: null };

async function listSiteNeeds(db: Queries, siteId: number, failedCount: number): Promise<Need[]> {
  const pause = await findQueuePause(db);
  return [
    ...(pause === undefined
      ? []
      : [{ kind: 'queue_paused' as const, ...noSubject, count: 1, since: pause.since, details: [pause.by] }]),
    ...(failedCount === 0 ? [] : [await describeFailures(db, siteId, failedCount)]),
    ...(await listFailingWebhooks(db, siteId)),
    ...(await listFailingSources(db, siteId)),
  ];
}

async function describeFailures(db: Queries, siteId: number, count: number): Promise<Need> {
  const failures = await findFailures(db, siteId, maxItems);
  const since = failures.map(({ first_at }) => first_at).toSorted()[0] ?? null;
  return { kind: 'failed_posts', ...noSubject, count, since, details: failures.map(({ error }) => error ?? '') };
}

/** Only hosts: the rest of the URL of a webhook may be a secret. */
async function listFailingWebhooks(db: Queries, siteId: number): Promise<Need[]> {
  const webhooks = await listEndpoints(db, siteId);
  const needs = await Promise.all(
    webhooks.map(async (webhook): Promise<Need[]> => {
      const { since, undelivered, last_error } = await findEndpointHealth(db, webhook);
      const isWatched = webhook.active === 1 || webhook.disabled_reason !== null;
      if (!isWatched || since === null) return [];
      const details = [webhook.disabled_reason ?? last_error ?? ''];
      const { id, url } = webhook;
      return [{ kind: 'webhook_failing', id, name: new URL(url).host, count: undelivered, since, details }];
    }),
  );
  return needs.flat();
}

async function listFailingSources(db: Queries, siteId: number): Promise<Need[]> {
  const failing = (await listSources(db, siteId)).filter(
    ({ enabled, problem, disabled_reason }) => disabled_reason !== null || (enabled === 1 && problem !== null),
  );
  return failing.map(({ id, title, url, failure_count, problem, disabled_reason }) => ({
    ...{ kind: 'source_failing', id, name: title ?? new URL(url).host, count: failure_count, since: null },
    details: [disabled_reason ?? problem ?? ''],
  }));
}

async function listNewNames({ database, getAliases }: Services, siteId: number): Promise<Need[]> {
  const words = await findUnknownWordsOfSite(database.read, siteId, newNameDays, getAliases);
  if (words.length === 0) return [];
  const since = words.map((word) => word.since).toSorted()[0] ?? null;
  const details = words.slice(0, maxItems).map(({ word }) => word);
  return [{ kind: 'new_names', ...noSubject, count: words.length, since, details }];
}

async function listAdminNeeds({ database, diskSpace, backups }: Services, siteId: number): Promise<Need[]> {
  const claims = await listDomainClaims(database.read, siteId);
  const diskProblem = diskSpace.findProblem('events');
  const backup = findBackupProblem(backups);
  return [
    ...(diskProblem === undefined
      ? []
      : [{ kind: 'disk' as const, ...noSubject, count: 1, since: null, details: [diskProblem] }]),
    ...(backup === undefined ? [] : [{ kind: 'backup' as const, ...noSubject, count: 1, ...backup }]),
    ...(claims.length === 0
      ? []
      : [
          {
            ...{ kind: 'domain_pending' as const, ...noSubject, count: claims.length },
            since: claims[0]?.requested_at ?? null,
            details: claims.slice(0, maxItems).map(({ domain }) => domain),
          },
        ]),
  ];
}

/** The last backup has failed, or two scheduled ones are missing. */
function findBackupProblem(backups: Services['backups']): Pick<Need, 'since' | 'details'> | undefined {
  const [last] = backups.list();
  if (last?.state === 'failed') return { since: last.created_at, details: [last.error ?? ''] };
  const { intervalHours, lastSuccessAt } = backups;
  const limit = timestamp(currentTimeMs() - 2 * intervalHours * hourMs);
  if (intervalHours === 0 || lastSuccessAt === undefined || lastSuccessAt > limit) return undefined;
  return { since: lastSuccessAt, details: [`no backup for ${2 * intervalHours} hours`] };
}
