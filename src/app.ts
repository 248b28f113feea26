import { Elysia } from 'elysia';
import { analyticsRoutes } from './analytics/analytics-routes.ts';
import { eventsRoutes } from './analytics/routes.ts';
import { speechRoutes } from './audio/ad-hoc/openai-routes.ts';
import { previewRoutes } from './audio/ad-hoc/preview-routes.ts';
import { saySentenceRoutes } from './audio/ad-hoc/say-routes.ts';
import { certificateRoutes } from './audio/certificate/routes.ts';
import { streamRoutes } from './audio/media/live-stream.ts';
import { mediaRoutes } from './audio/media/routes.ts';
import { editRoutes, regenerateRoutes } from './audio/posts/edit-routes.ts';
import { publicAudioRoutes } from './audio/posts/public-routes.ts';
import { postRoutes } from './audio/posts/routes.ts';
import { listQuotaUsage } from './audio/quota.ts';
import { audioRoutes } from './audio/routes.ts';
import { auditRoutes } from './auth/audit-routes.ts';
import { allowRequestOrigin, requireActiveSubscription } from './auth/domain-access.ts';
import { authRoutes } from './auth/routes.ts';
import { userRoutes } from './auth/user-routes.ts';
import { backupRoutes } from './backup/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import type { Site } from './database/schema.ts';
import { allowAnyOrigin } from './http/cors.ts';
import { registerErrorHandler } from './http/endpoint.ts';
import { type MetricsAccess, metricsRoutes } from './metrics/routes.ts';
import { embedRoutes } from './player/embed/routes.ts';
import { oembedRoutes } from './player/oembed-routes.ts';
import { playerRoutes } from './player/routes.ts';
import { feedRoutes } from './podcast/routes.ts';
import { affectedRoutes } from './pronunciations/affected-routes.ts';
import { createInstallationScope, createSiteScope, type PronunciationScope } from './pronunciations/entry.ts';
import { importExportRoutes } from './pronunciations/import-export-routes.ts';
import { pronunciationRoutes } from './pronunciations/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import type { Services } from './services.ts';
import { domainRoutes } from './sites/domain-routes.ts';
import { keyRoutes } from './sites/key-routes.ts';
import { siteRoutes } from './sites/routes.ts';
import { findSite } from './sites/store.ts';
import { siteVoiceRoutes } from './sites/voice-routes.ts';
import { sourcePreviewRoutes } from './sources/preview-routes.ts';
import { sourceRoutes } from './sources/routes.ts';
import { queueRoutes } from './system/queue-routes.ts';
import { type HealthChecks, healthRoutes, licenseRoutes, systemRoutes } from './system/routes.ts';
import { version } from './version.ts';
import { publicVoicesRoutes } from './voices/public-routes.ts';
import { voiceRoutes } from './voices/routes.ts';
import { sampleRoutes } from './voices/sample-routes.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** Of the server beside the services. */
export interface AppDeps extends Services {
  readonly metricsAccess: MetricsAccess;
  readonly health: HealthChecks;
}

/** What a client written in TypeScript may ask, and what it gets. */
export type App = ReturnType<typeof createApp>;

/** Everything that is answered, in the order in which it is looked up. */
export function createApp(services: AppDeps) {
  const deps = withOldNames(services);
  // Hosts of an intranet may have names of three characters or less.
  const app = new Elysia({ handler: { standardHostname: false } });
  registerErrorHandler(app, deps.log, (request, route) => {
    if (route.startsWith('/v1/public/')) allowRequestOrigin(request);
    if (route.startsWith('/v1/media/')) allowAnyOrigin(request);
  });
  const { read } = deps.database;
  const getQuotas = (sites: readonly Site[]) => listQuotaUsage(read, sites, deps.config.quotaPosts);
  return app
    .use(healthRoutes(deps, deps.health))
    .use(referenceRoutes({ baseUrl: deps.baseUrl, version, routes: () => app.routes }))
    .use(dashboardRoutes(deps))
    .use(player(deps))
    .use(metricsRoutes(deps.metrics, deps.metricsAccess))
    .use(audioRoutes(deps))
    .use(speechRoutes(deps))
    .use(previewRoutes(deps))
    .use(saySentenceRoutes(deps))
    .use(publicAudioRoutes(deps))
    .use(streamRoutes(deps))
    .use(publicVoicesRoutes(deps))
    .use(feedRoutes(deps))
    .use(eventsRoutes(deps))
    .use(analyticsRoutes(deps))
    .use(authRoutes(deps))
    .use(userRoutes(deps, findSite))
    .use(auditRoutes(deps))
    .use(siteRoutes(deps, getQuotas))
    .use(domainRoutes(deps))
    .use(keyRoutes(deps))
    .use(siteVoiceRoutes(deps))
    .use(voiceRoutes(deps))
    .use(sampleRoutes(deps))
    .use(installation(deps))
    .use(posts(deps))
    .use(sources(deps))
    .use(pronunciations(deps, createInstallationScope(deps.requireSession)))
    .use(pronunciations(deps, createSiteScope(deps.requireSession)))
    .use(webhookRoutes(deps))
    .use(deliveryRoutes(deps))
    .use(mediaRoutes({ read, mediaFiles: deps.mediaFiles }));
}

// Until every route takes the services themselves.
function withOldNames(services: AppDeps) {
  const { config } = services;
  return {
    ...services,
    limits: config,
    quotaEvents: config.quotaEvents,
    installation: services.voiceInstaller,
    voicesFolder: config.voices,
    saying: services.adHocSynthesizer,
  };
}

// In parts: TypeScript gives up on a longer chain.
function posts(deps: ReturnType<typeof withOldNames>) {
  return new Elysia({ name: 'all of posts' })
    .use(postRoutes({ ...deps, requireActiveSubscription }))
    .use(editRoutes(deps))
    .use(regenerateRoutes({ ...deps, requireActiveSubscription }))
    .use(certificateRoutes(deps));
}

function player(deps: ReturnType<typeof withOldNames>) {
  return new Elysia({ name: 'players' }).use(playerRoutes()).use(embedRoutes(deps)).use(oembedRoutes(deps));
}

function installation(deps: ReturnType<typeof withOldNames>) {
  return new Elysia({ name: 'installation' })
    .use(queueRoutes(deps))
    .use(systemRoutes(deps))
    .use(licenseRoutes(deps))
    .use(backupRoutes(deps));
}

function sources(deps: ReturnType<typeof withOldNames>) {
  return new Elysia({ name: 'all of sources' }).use(sourcePreviewRoutes(deps)).use(sourceRoutes(deps));
}

function pronunciations<Prefix extends string>(
  deps: ReturnType<typeof withOldNames>,
  level: PronunciationScope<Prefix>,
) {
  return new Elysia({ name: `${level.name} lexicon` })
    .use(pronunciationRoutes(deps, level))
    .use(importExportRoutes(deps, level))
    .use(affectedRoutes({ ...deps, requireActiveSubscription }, level));
}
