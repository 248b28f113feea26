import { join } from 'node:path';
import type { AnyElysia } from 'elysia';
import { createKeyRequestCounter } from '../analytics/aggregate.ts';
import { createIntake } from '../analytics/intake.ts';
import { deleteSiteEventBatch, startEventPurge } from '../analytics/store.ts';
import { createApp } from '../app.ts';
import { createAdHocSynthesizer, createSynthesisPool } from '../audio/ad-hoc/synthesis-pool.ts';
import { startCleanup } from '../audio/cleanup.ts';
import { createPostDeletion } from '../audio/deletion.ts';
import { createAudioUpdates, createDispatcher } from '../audio/events.ts';
import { createExtraVoices } from '../audio/extra-voices.ts';
import { createListenerLimiter } from '../audio/media/live-stream.ts';
import { createMediaFiles } from '../audio/media/media-files.ts';
import { backfillCanonicalUrls } from '../audio/posts/published-audio.ts';
import { createQueue } from '../audio/queue.ts';
import { refundOrConfirmQuota } from '../audio/quota.ts';
import { createSiteDeletion } from '../audio/site-deletion.ts';
import { mediaUrl } from '../audio/store.ts';
import { createKeyUsageTracker, createRequireApiKey, createRequireApiKeyOrSession } from '../auth/api-keys.ts';
import { createRequireDomain } from '../auth/domain-access.ts';
import { createEndpoint } from '../auth/endpoint.ts';
import { createPasswordHasher } from '../auth/passwords.ts';
import type { SessionLifetime } from '../auth/sessions.ts';
import { createRequireSession } from '../auth/sessions.ts';
import { logUnhandledErrors, runInBackground } from '../background.ts';
import { createBackupManager } from '../backup/manager.ts';
import { addNativeFolder } from '../build/native.ts';
import { buildServerUrl, type Config } from '../config.ts';
import { type Database, ensureDataFolder, lockDataFolder, openDatabase } from '../database/open.ts';
import { type CompletedRequest, createRequestHandler, type RequestHandler } from '../http/endpoint.ts';
import { getBasePath } from '../http/html.ts';
import { createFailureLimiter, createRateLimiter } from '../http/rate-limit.ts';
import { resolveClientAddress } from '../http/request-context.ts';
import { createLog, type Log } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { listAliases } from '../pronunciations/store.ts';
import { findSite } from '../sites/store.ts';
import { createFeedGuard } from '../sources/fetch.ts';
import { createFeedPoller } from '../sources/poller.ts';
import type { FindAliases } from '../speech/pronunciation/replacer.ts';
import { startWorkerPool, type WorkerPool } from '../speech/worker-pool.ts';
import type { HealthChecks } from '../system/routes.ts';
import { type Catalog, type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { createVoiceValidator } from '../voices/inspect.ts';
import { createVoiceInstaller } from '../voices/installer.ts';
import type { CompiledCache } from '../voices/optimizer-cache.ts';
import { createCompiler, startCompileJob } from '../voices/optimizer-job.ts';
import { createWebhookDispatcher, createWebhookGuard } from '../webhooks/delivery.ts';
import { createOutboxHandler } from '../webhooks/outbox.ts';
import { buildWorkerOptions } from './commands.ts';
import { openCompiledVoices } from './compiled-voices.ts';
import { listen } from './listen.ts';
import { nativeFolders } from './native-folders.ts';
import { selectMetricsReaders, serveMetrics } from './serve-metrics.ts';

const keyUsageIntervalMs = 30_000;
const keyUsageFailure = 'updating API key usage failed';
const readyTimeoutMs = 5_000;
/** How long requests under way may finish when the server stops. */
const requestDrainTimeoutMs = 1_500;

/** A server that takes requests. */
export interface RunningServer {
  /** Address that clients see. */
  readonly baseUrl: string;
  /** Address it listens on, as seen from this machine. */
  readonly localUrl: string;
  readonly database: Database;
  readonly catalog: Catalog;
  /** Finishes what is in hand and closes everything, within 10 s. */
  stop(): Promise<void>;
}

/**
 * The composition root of `serve` and `demo`.
 * @param morePages what is served beside the app
 * @throws AppError `operation_failed`: folder in use or not writable, port taken, database newer or damaged
 */
export async function startServer(config: Config, morePages?: (baseUrl: string) => AnyElysia): Promise<RunningServer> {
  const log = createLog(config.logLevel);
  ensureDataFolder(config.data);
  for (const folder of nativeFolders(config)) addNativeFolder(folder);
  const unlock = lockDataFolder(config.data);
  const database = openDatabase(config.data);
  const starting = Promise.withResolvers<RequestHandler>();
  const measuring = Promise.withResolvers<Metrics>();
  const stopMetrics = serveMetrics(config, measuring.promise, log);
  const server = listen(config.host, config.port, async (request, connection, allowIdle) => {
    const handler = await starting.promise;
    const forwardedFor = () => request.headers.get('x-forwarded-for');
    const address = () => resolveClientAddress(connection(), forwardedFor(), config.trustedProxies);
    return handler(request, address, allowIdle);
  });
  const localUrl = buildServerUrl(config.host, server.port ?? config.port);
  const baseUrl = config.baseUrl ?? localUrl;

  const workers = startWorkerPool({ ...buildWorkerOptions(config), count: config.workers, log });
  const compiled = openCompiledVoices(config, (problem) => log.warn(problem));
  const catalog = await openCatalog(database, config.voices, workers, compiled);
  const keyUsage = createKeyUsageTracker(database);
  const keyRequestCounter = createKeyRequestCounter(database);
  const { oldAudioRetentionHours } = config;
  const webhookGuard = createWebhookGuard(config.webhookAllowlist);
  const webhookDispatcher = createWebhookDispatcher({
    ...{ database, guard: webhookGuard, log, settings: config },
  });
  const toOutbox = createOutboxHandler((key) => mediaUrl(baseUrl, key, 'mp3'), webhookDispatcher.wake);
  const onChange = createDispatcher([
    refundOrConfirmQuota,
    toOutbox,
    (db, change) => extraVoices.onAudioEvent(db, change),
  ]);
  const audioUpdates = createAudioUpdates();
  const notifyUpdate = audioUpdates.notify;
  const rates = createRateLimiter({
    ...{ key: config.rateKey, track: config.rateTrack, page: config.ratePage, events: config.rateEvents },
  });
  const wrongKeys = createFailureLimiter(config.maxFailuresPerMinute);
  const signInFailures = createFailureLimiter(config.maxFailuresPerMinute);
  const metrics = createMetrics({
    read: database.read,
    dataFolder: config.data,
    workers,
    getWebhookCounts: () => webhookDispatcher.getCounts(),
    getFeedCounts: () => feedPoller.getCounts(),
    countLimitedCallers: () => rates.size() + wrongKeys.size() + signInFailures.size(),
  });
  const observer = metrics.jobMetrics;
  const getAliases: FindAliases = (siteId, language) => listAliases(database.read, siteId, language);
  const changes = { onAudioEvent: onChange, notifyUpdate, jobMetrics: observer, getAliases };
  const queue = createQueue({
    database,
    catalog,
    workers,
    log,
    oldAudioRetentionHours,
    ...changes,
  });
  const mediaFiles = createMediaFiles(database.read, join(config.data, 'media'), log);
  const postDeletion = createPostDeletion({ database, mediaFiles, queue, onAudioEvent: onChange });
  const lifetime = buildSessionLifetime(config);
  const siteDeletion = createSiteDeletion({
    database,
    mediaFiles,
    queue,
    deleteEventBatch: deleteSiteEventBatch,
    log,
  });
  const extraVoices = createExtraVoices({ database, catalog, queue, postDeletion, log });
  const feedGuard = createFeedGuard(config.feedAllowlist);
  const feedPoller = createFeedPoller({
    ...{ database, catalog, queue, postDeletion, limits: config },
    ...{ feedGuard, log },
  });
  const synthesisPool = createSynthesisPool(workers);
  const requireApiKey = createRequireApiKey(database, keyUsage, rates, wrongKeys);
  const requireSession = createRequireSession({ database, findSite, lifetime, log });
  const backups = createBackupManager(config.data, config.maxBackups, log);
  const authentication = {
    ...{ requireApiKey, requireSession },
    requireApiKeyOrSession: createRequireApiKeyOrSession(requireApiKey, requireSession, rates),
    ...createRequireDomain(database, baseUrl, rates.consume),
  };
  const app = createApp({
    ...{ config, baseUrl, database, log, workers, catalog, queue, mediaFiles, metrics, backups },
    ...authentication,
    endpoint: createEndpoint(authentication, config.maxBodyBytes),
    ...{ keyUsage, signInFailures, sessionLifetime: lifetime, passwords: createPasswordHasher() },
    voiceInstaller: createVoiceInstaller({
      ...{ database, catalog, compiled, folder: config.voices },
      validator: createVoiceValidator({ ...buildWorkerOptions(config), log }),
    }),
    ...{ getAliases, synthesisPool, adHocSynthesizer: createAdHocSynthesizer(synthesisPool) },
    ...{ audioUpdates, listenerLimiter: createListenerLimiter(config), postDeletion, siteDeletion },
    ...{ intake: createIntake(database, config.quotaEvents, log), keyRequestCounter },
    ...{ webhookDispatcher, webhookGuard, feedPoller, feedGuard },
    metricsAccess: selectMetricsReaders(config),
    health: createHealthChecks(database, catalog, workers),
  });
  const observe = (answered: CompletedRequest): void => {
    keyRequestCounter.record(answered);
    metrics.recordRequest(answered);
  };
  if (morePages !== undefined) app.use(morePages(baseUrl));
  measuring.resolve(metrics);
  const stopLoggingUnhandled = logUnhandledErrors(log);
  starting.resolve(createRequestHandler(app, getBasePath(baseUrl), log, observe));
  await backfillCanonicalUrls(database);
  await queue.start();
  webhookDispatcher.start();
  feedPoller.start();
  await siteDeletion.resume();
  const stopExtraVoices = extraVoices.start();
  const preloading = warmUpDefaultVoice(catalog, workers, queue.nextVoiceId(), log);
  runInBackground(preloading, log, 'loading the default voice failed');
  const stopCompiling = startIdleCompilation({ config, catalog, compiled, workers, log });
  const stopHousekeeping = startCleanup({ database, mediaFiles, postDeletion, log }, config);
  const stopForgetting = startEventPurge(database, log, config.eventRetentionDays);
  const saveUse = () => Promise.all([keyUsage.flush(), keyRequestCounter.flush()]);
  const keyUseTimer = setInterval(() => runInBackground(saveUse(), log, keyUsageFailure), keyUsageIntervalMs);

  return {
    baseUrl,
    localUrl,
    database,
    catalog,
    stop: async () => {
      // First: what stops us may end its child as well, and that is not to count against a voice.
      const compilingStopped = stopCompiling();
      clearInterval(keyUseTimer);
      stopHousekeeping();
      stopForgetting();
      audioUpdates.close();
      await Promise.race([server.stop(false), Bun.sleep(requestDrainTimeoutMs)]);
      await server.stop(true);
      await stopMetrics();
      await stopExtraVoices();
      await feedPoller.stop();
      await Promise.all([
        ...[queue.stop(), webhookDispatcher.stop(), siteDeletion.stop(), backups.stop()],
        compilingStopped,
      ]);
      await workers.stop();
      await saveUse().catch((error: unknown) => log.error({ err: error }, keyUsageFailure));
      await database.close();
      unlock();
      stopLoggingUnhandled();
    },
  };
}

function buildSessionLifetime({ sessionIdleTimeoutMinutes, maxSessionDays }: Config): SessionLifetime {
  return {
    idleTimeoutMs: sessionIdleTimeoutMinutes * 60_000,
    absoluteTimeoutMs: maxSessionDays * 86_400_000,
  };
}

function createHealthChecks(database: Database, catalog: Catalog, workers: WorkerPool): HealthChecks {
  return {
    database: async () => {
      await database.writeNormalSync(async (db) => {
        const at = new Date().toISOString();
        await db
          .insertInto('probe')
          .values({ id: 1, at })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ at }))
          .execute();
      });
      return undefined;
    },
    worker: async () => {
      const [voice] = await catalog.voices();
      if (voice === undefined) return 'no voice installed';
      if (workers.state().some(({ taskCount }) => taskCount > 0)) return undefined;
      const answer = workers.call('load', { voice: voice.files }).then(() => undefined);
      const late = Bun.sleep(readyTimeoutMs).then(() => 'no speech worker responded');
      return Promise.race([answer, late]);
    },
  };
}

interface CompileJobOptions {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly compiled: CompiledCache | undefined;
  readonly workers: WorkerPool;
  readonly log: Log;
}

/** @returns what ends it */
function startIdleCompilation({ config, catalog, compiled, workers, log }: CompileJobOptions) {
  if (compiled === undefined) return async () => {};
  return startCompileJob({
    ...{ catalog, workers, log, cache: compiled },
    compiler: createCompiler(compiled, { ...buildWorkerOptions(config), log }),
    onCompiled: (voice) => warmUpCompiledVoice(voice, catalog, workers),
  });
}

/** The first sentence after it shouldn't wait either. */
async function warmUpCompiledVoice(
  { content_hash }: InstalledVoice,
  catalog: Catalog,
  workers: WorkerPool,
): Promise<void> {
  const [usual] = await catalog.voices();
  if (usual?.content_hash === content_hash) workers.warmUpAll(usual.files);
}

/** So that the first sentence needn't wait for it. @param nextVoiceId of the audio that is made next */
async function warmUpDefaultVoice(
  catalog: Catalog,
  workers: WorkerPool,
  nextVoiceId: number | undefined,
  log: Log,
): Promise<void> {
  const voices = await catalog.voices();
  const usual = voices.find(({ id }) => id === nextVoiceId) ?? voices[0];
  if (usual !== undefined) workers.warmUpAll(usual.files);
  await catalog.waitUntilInspected();
  for (const { file, problem } of catalog.broken()) log.warn({ file, problem }, 'voice unusable');
}
