import { Elysia } from 'elysia';
import { certificateRoutes } from './audio/certificate/routes.ts';
import type { MediaFiles } from './audio/media/files.ts';
import { mediaRoutes } from './audio/media/routes.ts';
import { type StreamDeps, streamRoutes } from './audio/media/stream-routes.ts';
import { type EditDeps, editRoutes } from './audio/posts/edit-routes.ts';
import { remakeRoutes } from './audio/posts/remake-routes.ts';
import { postRoutes } from './audio/posts/routes.ts';
import { type PublicAudioDeps, publicAudioRoutes } from './audio/public/routes.ts';
import { quotaFigures } from './audio/quota.ts';
import { type AudioDeps, audioRoutes } from './audio/routes.ts';
import { type PreviewDeps, previewRoutes } from './audio/speech/preview-routes.ts';
import { type SpeechDeps, speechRoutes } from './audio/speech/routes.ts';
import { saySentenceRoutes } from './audio/speech/say-routes.ts';
import { type BackupDeps, backupRoutes } from './backup/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { type AnalyticsDeps, analyticsRoutes } from './events/analytics-routes.ts';
import { type EventsDeps, eventsRoutes } from './events/routes.ts';
import { type FeedDeps, feedRoutes } from './feed/routes.ts';
import { allowAnyOrigin } from './http/any-origin.ts';
import { errorHandling } from './http/handler.ts';
import { type HealthChecks, healthRoutes } from './http/health-routes.ts';
import { type SourcePreviewDeps, sourcePreviewRoutes } from './ingest/preview-routes.ts';
import { type SourceDeps, sourceRoutes } from './ingest/routes.ts';
import { exchangeRoutes } from './lexicon/exchange/routes.ts';
import { installationLevel, type Level, siteLevel } from './lexicon/level.ts';
import { lexiconRoutes } from './lexicon/routes.ts';
import { touchedRoutes } from './lexicon/touched/routes.ts';
import type { TouchedDeps } from './lexicon/touched/search.ts';
import type { Log } from './log.ts';
import { type MetricsDeps, metricsRoutes } from './metrics/routes.ts';
import { embedRoutes } from './player/embed/routes.ts';
import { oembedRoutes } from './player/oembed/routes.ts';
import { playerRoutes } from './player/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { allowReading } from './sites/domain-access.ts';
import { domainRoutes } from './sites/domain-routes.ts';
import { type KeyDeps, keyRoutes } from './sites/key-routes.ts';
import { type SiteDeps, siteRoutes } from './sites/routes.ts';
import { checkServed } from './sites/subscription.ts';
import { siteVoiceRoutes } from './sites/voice-routes.ts';
import { licenseRoutes } from './system/license-routes.ts';
import { type QueueDeps, queueRoutes } from './system/queue-routes.ts';
import { type SystemDeps, systemRoutes } from './system/routes.ts';
import { auditRoutes } from './users/audit-routes.ts';
import { type AuthDeps, authRoutes } from './users/auth-routes.ts';
import type { SessionAccess } from './users/session-access.ts';
import { type UserDeps, userRoutes } from './users/user-routes.ts';
import { version } from './version.ts';
import { type PublicVoicesDeps, publicVoicesRoutes } from './voices/public-routes.ts';
import { type VoiceDeps, voiceRoutes } from './voices/routes.ts';
import { type SayDeps, sayRoutes } from './voices/say-routes.ts';
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
    SayDeps,
    SystemDeps,
    EventsDeps,
    AnalyticsDeps,
    AuthDeps,
    UserDeps,
    MetricsDeps,
    WebhookDeps,
    Omit<SourceDeps, 'checkServed' | 'limits'> {
  readonly mediaFiles: MediaFiles;
  readonly queue: AudioDeps['queue'] & EditDeps['queue'] & QueueDeps['queue'];
  readonly workers: SystemDeps['workers'] & TouchedDeps['workers'];
  readonly bySession: SessionAccess;
  readonly siteRemoval: SiteDeps['siteRemoval'];
  readonly keyUse: KeyDeps['keyUse'];
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
  errorHandling(app, deps.log, (request, route) => {
    if (route.startsWith('/v1/public/')) allowReading(request);
    if (route.startsWith('/v1/media/')) allowAnyOrigin(request);
  });
  const { read } = deps.database;
  const quotasOf: SiteDeps['quotasOf'] = (sites) =>
    quotaFigures(read, sites, deps.limits.quotaPosts);
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
    .use(siteRoutes({ ...deps, quotasOf }))
    .use(domainRoutes(deps))
    .use(keyRoutes(deps))
    .use(siteVoiceRoutes(deps))
    .use(voiceRoutes(deps))
    .use(sayRoutes(deps))
    .use(installation(deps))
    .use(posts(deps))
    .use(sources(deps))
    .use(pronunciations(deps, installationLevel(deps.bySession)))
    .use(pronunciations(deps, siteLevel(deps.bySession)))
    .use(webhookRoutes(deps))
    .use(deliveryRoutes(deps))
    .use(mediaRoutes({ read, mediaFiles: deps.mediaFiles }));
}

// In parts: TypeScript gives up on a longer chain.
function posts(deps: AppDeps) {
  return new Elysia({ name: 'all of posts' })
    .use(postRoutes({ ...deps, checkServed }))
    .use(editRoutes(deps))
    .use(remakeRoutes({ ...deps, checkServed }))
    .use(certificateRoutes(deps));
}

function player(deps: AppDeps) {
  return new Elysia({ name: 'players' })
    .use(playerRoutes())
    .use(embedRoutes(deps))
    .use(oembedRoutes(deps));
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
    .use(sourceRoutes({ ...deps, checkServed }));
}

function pronunciations<Prefix extends string>(deps: AppDeps, level: Level<Prefix>) {
  return new Elysia({ name: `${level.name} lexicon` })
    .use(lexiconRoutes(deps, level))
    .use(exchangeRoutes(deps, level))
    .use(touchedRoutes({ ...deps, checkServed }, level));
}
