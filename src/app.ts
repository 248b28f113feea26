import { Elysia } from 'elysia';
import { analyticsRoutes } from './analytics/analytics.ts';
import { eventsRoutes } from './analytics/routes.ts';
import { speechRoutes } from './audio/ad-hoc/openai-routes.ts';
import { previewRoutes } from './audio/ad-hoc/preview-routes.ts';
import { certificateRoutes } from './audio/certificate/routes.ts';
import { mediaRoutes, streamRoutes } from './audio/media/routes.ts';
import { draftRoutes } from './audio/posts/drafts.ts';
import { bulkRoutes, editRoutes, regenerateRoutes } from './audio/posts/edit-routes.ts';
import { postRoutes } from './audio/posts/routes.ts';
import { listQuotaUsage } from './audio/quota.ts';
import { audioRoutes, liveRoutes, publicAudioRoutes } from './audio/routes.ts';
import { accountRoutes } from './auth/account-routes.ts';
import { auditRoutes, installationSettingsRoutes, userRoutes } from './auth/admin-routes.ts';
import { allowRequestOrigin } from './auth/domain-access.ts';
import { authRoutes } from './auth/routes.ts';
import { backupRoutes } from './backup/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import type { Site } from './database/schema.ts';
import { brandRoutes, toErrorPage } from './http/brand/brand.ts';
import { registerErrorHandler } from './http/endpoint.ts';
import { getBasePath } from './http/html.ts';
import { allowAnyOrigin } from './http/request-context.ts';
import { type MetricsAccess, metricsRoutes } from './metrics/routes.ts';
import { embedRoutes } from './player/embed/routes.ts';
import { oembedRoutes } from './player/oembed-routes.ts';
import { playerRoutes } from './player/routes.ts';
import { feedRoutes } from './podcast/routes.ts';
import { affectedRoutes } from './pronunciations/affected-routes.ts';
import { installationScope, type PronunciationScope, siteScope } from './pronunciations/entry.ts';
import { importExportRoutes, pronunciationRoutes } from './pronunciations/routes.ts';
import { unknownWordRoutes } from './pronunciations/unknown-words.ts';
import { referenceRoutes } from './reference/routes.ts';
import type { Services } from './services.ts';
import { domainRoutes, keyRoutes } from './sites/access-routes.ts';
import { siteRoutes, siteVoiceRoutes } from './sites/routes.ts';
import { findSite } from './sites/store.ts';
import { sourcePreviewRoutes, sourceRoutes } from './sources/routes.ts';
import { overviewRoutes } from './system/overview.ts';
import { queueRoutes } from './system/queue.ts';
import { type HealthChecks, healthRoutes, licenseRoutes, machineRoutes, systemRoutes } from './system/routes.ts';
import { version } from './version.ts';
import { publicVoicesRoutes, sampleRoutes, voiceRoutes } from './voices/routes.ts';
import { deliveryRoutes, webhookRoutes } from './webhooks/routes.ts';

export interface AppDeps extends Services {
  readonly metricsAccess: MetricsAccess;
  readonly health: HealthChecks;
}

/** Type of the API for clients written in TypeScript. */
export type App = ReturnType<typeof createApp>;

export function createApp(services: AppDeps) {
  // Host names of an intranet may have three characters or less.
  const app = new Elysia({ handler: { standardHostname: false } });
  const basePath = getBasePath(services.baseUrl);
  registerErrorHandler(app, services.log, {
    toPage: (request, error) => toErrorPage(request, error, basePath),
    onWrongMethod: (request, route) => {
      if (route.startsWith('/v1/public/')) allowRequestOrigin(request);
      if (route.startsWith('/v1/media/')) allowAnyOrigin(request);
    },
  });
  const { read } = services.database;
  const getQuotas = (sites: readonly Site[]) => listQuotaUsage(read, sites, services.config.quotaPosts);
  return app
    .use(healthRoutes(services, services.health))
    .use(referenceRoutes({ baseUrl: services.baseUrl, version }, () => app.routes))
    .use(brandRoutes())
    .use(dashboardRoutes(services))
    .use(player(services))
    .use(metricsRoutes(services.metrics, services.metricsAccess))
    .use(audioRoutes(services))
    .use(speechRoutes(services))
    .use(previewRoutes(services))
    .use(publicAudioRoutes(services))
    .use(streamRoutes(services))
    .use(publicVoicesRoutes(services))
    .use(feedRoutes(services))
    .use(eventsRoutes(services))
    .use(analyticsRoutes(services))
    .use(users(services))
    .use(siteRoutes(services, getQuotas))
    .use(domainRoutes(services))
    .use(keyRoutes(services))
    .use(siteVoiceRoutes(services))
    .use(voiceRoutes(services))
    .use(sampleRoutes(services))
    .use(installation(services))
    .use(posts(services))
    .use(sources(services))
    .use(pronunciations(services, installationScope))
    .use(sitePronunciations(services))
    .use(webhookRoutes(services))
    .use(deliveryRoutes(services))
    .use(mediaRoutes(services));
}

/** The routes of a machine that only synthesizes: health and metrics. */
export function createOperationApp(services: AppDeps) {
  const app = new Elysia({ handler: { standardHostname: false } });
  registerErrorHandler(app, services.log);
  return app.use(healthRoutes(services, services.health)).use(metricsRoutes(services.metrics, services.metricsAccess));
}

// In parts: TypeScript gives up on a longer chain.
function posts(services: Services) {
  return new Elysia({ name: 'all of posts' })
    .use(postRoutes(services))
    .use(editRoutes(services))
    .use(regenerateRoutes(services))
    .use(bulkRoutes(services))
    .use(draftRoutes(services))
    .use(liveRoutes(services))
    .use(certificateRoutes(services));
}

function users(services: Services) {
  return new Elysia({ name: 'users and their access' })
    .use(authRoutes(services))
    .use(accountRoutes(services))
    .use(userRoutes(services, findSite))
    .use(auditRoutes(services));
}

function player(services: Services) {
  return new Elysia({ name: 'players' })
    .use(playerRoutes(services))
    .use(embedRoutes(services))
    .use(oembedRoutes(services));
}

function installation(services: Services) {
  return new Elysia({ name: 'installation' })
    .use(installationSettingsRoutes(services))
    .use(overviewRoutes(services))
    .use(queueRoutes(services))
    .use(systemRoutes(services))
    .use(machineRoutes(services))
    .use(licenseRoutes(services))
    .use(backupRoutes(services));
}

function sources(services: Services) {
  return new Elysia({ name: 'all of sources' }).use(sourcePreviewRoutes(services)).use(sourceRoutes(services));
}

function sitePronunciations(services: Services) {
  return new Elysia({ name: 'pronunciations of sites' })
    .use(pronunciations(services, siteScope))
    .use(unknownWordRoutes(services));
}

function pronunciations<Prefix extends string>(services: Services, scope: PronunciationScope<Prefix>) {
  return new Elysia({ name: `all pronunciations of ${scope.name}` })
    .use(pronunciationRoutes(services, scope))
    .use(importExportRoutes(services, scope))
    .use(affectedRoutes(services, scope));
}
