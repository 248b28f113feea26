import { Elysia } from 'elysia';
import { type AnalyticsDeps, analyticsRoutes } from './analytics/analytics-routes.ts';
import { type EventsDeps, eventsRoutes } from './analytics/routes.ts';
import { type SpeechDeps, speechRoutes } from './audio/ad-hoc/openai-routes.ts';
import { type PreviewDeps, previewRoutes } from './audio/ad-hoc/preview-routes.ts';
import { saySentenceRoutes } from './audio/ad-hoc/say-routes.ts';
import { certificateRoutes } from './audio/certificate/routes.ts';
import { type StreamDeps, streamRoutes } from './audio/media/live-stream.ts';
import type { MediaFiles } from './audio/media/media-files.ts';
import { mediaRoutes } from './audio/media/routes.ts';
import { type EditDeps, editRoutes, regenerateRoutes } from './audio/posts/edit-routes.ts';
import { type PublicAudioDeps, publicAudioRoutes } from './audio/posts/public-routes.ts';
import { postRoutes } from './audio/posts/routes.ts';
import { listQuotaUsage } from './audio/quota.ts';
import { type AudioDeps, audioRoutes } from './audio/routes.ts';
import { auditRoutes } from './auth/audit-routes.ts';
import { allowRequestOrigin, requireActiveSubscription } from './auth/domain-access.ts';
import { type AuthDeps, authRoutes } from './auth/routes.ts';
import type { RequireSession } from './auth/sessions.ts';
import { type UserDeps, userRoutes } from './auth/user-routes.ts';
import { type BackupDeps, backupRoutes } from './backup/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { allowAnyOrigin } from './http/cors.ts';
import { registerErrorHandler } from './http/endpoint.ts';
import type { Log } from './log.ts';
import { type MetricsDeps, metricsRoutes } from './metrics/routes.ts';
import { embedRoutes } from './player/embed/routes.ts';
import { oembedRoutes } from './player/oembed-routes.ts';
import { playerRoutes } from './player/routes.ts';
import { type FeedDeps, feedRoutes } from './podcast/routes.ts';
import type { AffectedDeps } from './pronunciations/affected-posts.ts';
import { affectedRoutes } from './pronunciations/affected-routes.ts';
import { createInstallationScope, createSiteScope, type PronunciationScope } from './pronunciations/entry.ts';
import { importExportRoutes } from './pronunciations/import-export-routes.ts';
import { pronunciationRoutes } from './pronunciations/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { domainRoutes } from './sites/domain-routes.ts';
import { type KeyDeps, keyRoutes } from './sites/key-routes.ts';
import { type SiteDeps, siteRoutes } from './sites/routes.ts';
import { siteVoiceRoutes } from './sites/voice-routes.ts';
import { type SourcePreviewDeps, sourcePreviewRoutes } from './sources/preview-routes.ts';
import { type SourceDeps, sourceRoutes } from './sources/routes.ts';
import { type QueueDeps, queueRoutes } from './system/queue-routes.ts';
import { type HealthChecks, healthRoutes, licenseRoutes, type SystemDeps, systemRoutes } from './system/routes.ts';
import { version } from './version.ts';
import { type PublicVoicesDeps, publicVoicesRoutes } from './voices/public-routes.ts';
import { type VoiceDeps, voiceRoutes } from './voices/routes.ts';
import { type SampleDeps, sampleRoutes } from './voices/sample-routes.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { type WebhookDeps, webhookRoutes } from './webhooks/routes.ts';

export interface AppDeps
  extends AudioDeps,
    PublicAudioDeps,
    StreamDeps,
    SpeechDeps,
    PreviewDeps,
    PublicVoicesDeps,
    FeedDeps,
    VoiceDeps,
    SampleDeps,
    SystemDeps,
    EventsDeps,
    AnalyticsDeps,
    AuthDeps,
    UserDeps,
    MetricsDeps,
    WebhookDeps,
    Omit<SourceDeps, 'requireActiveSubscription' | 'limits'> {
  readonly mediaFiles: MediaFiles;
  readonly queue: AudioDeps['queue'] & EditDeps['queue'] & QueueDeps['queue'];
  readonly workers: SystemDeps['workers'] & AffectedDeps['workers'];
  readonly requireSession: RequireSession;
  readonly siteDeletion: SiteDeps['siteDeletion'];
  readonly keyUsage: KeyDeps['keyUsage'];
  readonly backups: BackupDeps['backups'];
  readonly health: HealthChecks;
  readonly log: Log;
  readonly limits: AudioDeps['limits'] & SourceDeps['limits'] & SourcePreviewDeps['limits'];
}

/** What a client written in TypeScript may ask, and what it gets. */
export type App = ReturnType<typeof createApp>;

/** Everything that is answered, in the order in which it is looked up. */
export function createApp(deps: AppDeps) {
  // Hosts of an intranet may have names of three characters or less.
  const app = new Elysia({ handler: { standardHostname: false } });
  registerErrorHandler(app, deps.log, (request, route) => {
    if (route.startsWith('/v1/public/')) allowRequestOrigin(request);
    if (route.startsWith('/v1/media/')) allowAnyOrigin(request);
  });
  const { read } = deps.database;
  const getQuotas: SiteDeps['getQuotas'] = (sites) => listQuotaUsage(read, sites, deps.limits.quotaPosts);
  return app
    .use(healthRoutes(deps.health))
    .use(referenceRoutes({ baseUrl: deps.baseUrl, version, routes: () => app.routes }))
    .use(dashboardRoutes(deps))
    .use(player(deps))
    .use(metricsRoutes(deps))
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
    .use(userRoutes(deps))
    .use(auditRoutes(deps))
    .use(siteRoutes({ ...deps, getQuotas }))
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

// In parts: TypeScript gives up on a longer chain.
function posts(deps: AppDeps) {
  return new Elysia({ name: 'all of posts' })
    .use(postRoutes({ ...deps, requireActiveSubscription }))
    .use(editRoutes(deps))
    .use(regenerateRoutes({ ...deps, requireActiveSubscription }))
    .use(certificateRoutes(deps));
}

function player(deps: AppDeps) {
  return new Elysia({ name: 'players' }).use(playerRoutes()).use(embedRoutes(deps)).use(oembedRoutes(deps));
}

function installation(deps: AppDeps) {
  return new Elysia({ name: 'installation' })
    .use(queueRoutes(deps))
    .use(systemRoutes(deps))
    .use(licenseRoutes(deps))
    .use(backupRoutes(deps));
}

function sources(deps: AppDeps) {
  return new Elysia({ name: 'all of sources' })
    .use(sourcePreviewRoutes(deps))
    .use(sourceRoutes({ ...deps, requireActiveSubscription }));
}

function pronunciations<Prefix extends string>(deps: AppDeps, level: PronunciationScope<Prefix>) {
  return new Elysia({ name: `${level.name} lexicon` })
    .use(pronunciationRoutes(deps, level))
    .use(importExportRoutes(deps, level))
    .use(affectedRoutes({ ...deps, requireActiveSubscription }, level));
}
