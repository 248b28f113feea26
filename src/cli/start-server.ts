import { join } from 'node:path';
import type { AnyElysia } from 'elysia';
import { createKeyRequestCounter } from '../analytics/aggregate.ts';
import { AddressLimits, createIntake } from '../analytics/intake.ts';
import { startEventPurge } from '../analytics/store.ts';
import { type AppDeps, createApp, createOperationApp } from '../app.ts';
import { SynthesisPool } from '../audio/ad-hoc/synthesis-pool.ts';
import { correctCounters } from '../audio/counters.ts';
import { PostDeletion } from '../audio/deletion.ts';
import { AudioUpdates, createDispatcher } from '../audio/events.ts';
import { LiveUpdates } from '../audio/live-updates.ts';
import { type Bucket, openBucket } from '../audio/media/bucket.ts';
import { MediaFiles } from '../audio/media/media-files.ts';
import { prepareBucket, requireBucket } from '../audio/media/object-store.ts';
import { ListenerLimiter, Sound } from '../audio/media/sound.ts';
import { startDraftPurge } from '../audio/posts/drafts.ts';
import { AudioQueue } from '../audio/queue.ts';
import { refundOrConfirmQuota } from '../audio/quota.ts';
import { AudioRetention, ExtraVoices } from '../audio/site-audio.ts';
import { SiteDeletion } from '../audio/site-deletion.ts';
import { mediaUrl } from '../audio/store.ts';
import { AudioScrub, createUploadMp3, ObjectCleanup } from '../audio/stored-audio.ts';
import { WorkScheduler } from '../audio/work-scheduler.ts';
import { createKeyUsageTracker, createRequireApiKey, createRequireApiKeyOrSession } from '../auth/api-keys.ts';
import { createRequireDomain } from '../auth/domain-access.ts';
import { createEndpoint } from '../auth/endpoint.ts';
import { createRequireSession } from '../auth/sessions.ts';
import { createPasswordHasher, SignInLimits } from '../auth/sign-in.ts';
import { startUndoPurge, undoMs } from '../auth/undo.ts';
import { Jobs, logUnhandledErrors, runInBackground } from '../background.ts';
import { BackupManager, upgradeDatabase } from '../backup/manager.ts';
import { dayMs } from '../clock.ts';
import { buildServerUrl, type Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import type { MachineRole } from '../database/installation-schema.ts';
import { openDatabase, waitForDatabase } from '../database/open.ts';
import { ensureDataFolder, lockDataFolder } from '../database/sqlite.ts';
import { DiskSpace } from '../disk-space.ts';
import { type CompletedRequest, createRequestHandler, type RequestHandler } from '../http/endpoint.ts';
import { getBasePath } from '../http/html.ts';
import { listen } from '../http/listen.ts';
import {
  type CreateWindowCounter,
  createRateLimiter,
  deleteEndedWindows,
  MemoryWindowCounter,
  SharedWindowCounter,
  windowMs,
} from '../http/rate-limit.ts';
import { BodyLimits, createProxyWarning, resolveClientAddress } from '../http/request-context.ts';
import { createLog, type Log } from '../log.ts';
import { Metrics } from '../metrics/metrics.ts';
import { selectMetricsAccess, serveMetrics } from '../metrics/routes.ts';
import { listAliases } from '../pronunciations/store.ts';
import { listAcceptedWords } from '../pronunciations/unknown-words.ts';
import type { Services } from '../services.ts';
import { findSite } from '../sites/store.ts';
import { createFeedGuard } from '../sources/fetch.ts';
import { FeedPoller } from '../sources/poller.ts';
import type { FindAliases } from '../speech/pronunciation/replacer.ts';
import { startWorkerPool, type WorkerPool } from '../speech/worker-pool.ts';
import { createHealthChecks } from '../system/routes.ts';
import { type Catalog, findFirstEnabled, type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { createVoiceValidator } from '../voices/inspect.ts';
import { createVoiceInstaller } from '../voices/installer.ts';
import { type OptimizerCache, openConfiguredOptimizerCache } from '../voices/optimizer-cache.ts';
import { createOptimizer, startOptimizerJob } from '../voices/optimizer-job.ts';
import { openStoredVoices, type StoredVoices } from '../voices/stored-voices.ts';
import { createWebhookGuard, WebhookDispatcher } from '../webhooks/delivery.ts';
import { createOutboxHandler } from '../webhooks/outbox.ts';
import { addNativeFolders, buildWorkerOptions, prepareSandbox } from './command.ts';

const keyUsageIntervalMs = 30_000;
/** For files copied into the voices folder, which other machines need, and voices removed on another machine. */
const voiceShareIntervalMs = 5_000;
const keyUsageTask = 'updating API key usage';
/** For requests under way when the server stops. */
const requestDrainTimeoutMs = 1_500;

/** A server that takes requests. */
export interface RunningServer {
  /** Address that clients see. */
  readonly baseUrl: string;
  /** Address it listens on, as seen from this machine. */
  readonly localUrl: string;
  readonly database: Database;
  /** Takes requests for `LECTERN_STOP_DELAY_S`, then finishes requests and tasks under way and closes everything, within 10 s. */
  stop(): Promise<void>;
}

interface ServerOptions {
  /** `speak`: generates audio and nothing else, on a database that servers share; its port has health and metrics. */
  readonly role?: MachineRole;
  /** Routes beside the app. */
  readonly morePages?: (baseUrl: string) => AnyElysia;
}

/**
 * Starts `serve`, `demo` or `speak`. Waits for a PostgreSQL database that is briefly unavailable.
 * @throws AppError: folder in use or not writable, port taken, database newer, damaged or still unavailable
 */
export function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  const log = createLog(config.logLevel);
  return waitForDatabase(config, log, () => composeServer(config, log, options));
}

/** The composition root. */
async function composeServer(config: Config, log: Log, { role = 'serve', morePages }: ServerOptions) {
  ensureDataFolder(config.data);
  addNativeFolders(config);
  const workerOptions = buildWorkerOptions(config);
  // After a failure a listener or a worker would keep a process alive that serves nothing.
  await using started = new AsyncDisposableStack();
  const { unlock, database } = await openDataFolder(config, role, log, started);
  // The ports are taken first; requests wait until the server has started.
  const starting = Promise.withResolvers<RequestHandler>();
  let handle: RequestHandler = async (...received) => (await starting.promise)(...received);
  const measuring = Promise.withResolvers<Metrics>();
  const stopMetrics = serveMetrics(config, measuring.promise, log);
  started.defer(stopMetrics);
  const warnOfProxy = createProxyWarning(config.trustedProxies, log);
  let isDraining = false;
  const server = listen(config.host, config.port, (request, connection, allowIdle) => {
    const forwardedFor = request.headers.get('x-forwarded-for');
    if (forwardedFor !== null) warnOfProxy(connection());
    return handle(request, () => resolveClientAddress(connection(), forwardedFor, config.trustedProxies), allowIdle);
  });
  started.defer(() => server.stop(true));
  const localUrl = buildServerUrl(config.host, server.port ?? config.port);
  const baseUrl = config.baseUrl ?? localUrl;

  prepareSandbox(workerOptions.sandbox, log);
  const workers = startWorkerPool({ ...workerOptions, count: config.workers, isLazy: !config.preload, log });
  started.defer(() => workers.stop());
  const optimizerCache = openConfiguredOptimizerCache(config, (problem) => log.warn(problem));
  // No request is sent before the metrics exist.
  const bucket = openBucket(config, { log, recordRequest: (completed) => metrics.recordBucketRequest(completed) });
  const stored = openStoredVoices(database, config.data, bucket, log);
  const catalog = await openCatalog(database, config.voices, workers, optimizerCache, stored);
  const jobs = new Jobs(log, database.cluster);
  started.defer(() => jobs.stop());
  const diskSpace = new DiskSpace(config.data, config.diskReserveMb);
  const services = createServices({
    ...{ config, role, baseUrl, log, jobs, diskSpace, database, bucket, workers, optimizerCache, stored, catalog },
    isDraining: () => isDraining,
  });
  const { keyRequestCounter, metrics } = services;
  const app = role === 'serve' ? createApp(services) : createOperationApp(services);
  if (morePages !== undefined) app.use(morePages(baseUrl));
  measuring.resolve(metrics);
  const stopLoggingUnhandled = logUnhandledErrors(log);
  started.defer(stopLoggingUnhandled);
  const observe = (completed: CompletedRequest): void => {
    keyRequestCounter.record(completed);
    metrics.recordRequest(completed);
  };
  // Before the first request: a post that is accepted while the queue reads its rows would enter it twice.
  const stopOptimizing = await startJobs(services);
  const bodyLimits = new BodyLimits(config);
  handle = createRequestHandler(app, getBasePath(baseUrl), log, bodyLimits, {
    observe,
    isDraining: services.isDraining,
  });
  starting.resolve(handle);

  started.move();
  return {
    ...{ baseUrl, localUrl, database },
    stop: async () => {
      isDraining = true;
      database.cluster?.drain();
      if (role === 'serve') await Bun.sleep(config.stopDelayS * 1_000);
      // First: the signal that stops the server may end the optimizer too, which must not count against a voice.
      const optimizingStopped = stopOptimizing?.();
      const jobsStopped = jobs.stop();
      services.sound.bucket?.close();
      services.audioUpdates.close();
      services.liveUpdates.close();
      await Promise.race([server.stop(false), Bun.sleep(requestDrainTimeoutMs)]);
      await server.stop(true);
      await stopMetrics();
      await jobsStopped;
      await Promise.all([services.queue.stop(), services.backups.stop(), optimizingStopped]);
      await workers.stop();
      await saveKeyUsage(services).catch((error: unknown) => log.error({ err: error }, `${keyUsageTask} failed`));
      await database.close();
      unlock();
      stopLoggingUnhandled();
    },
  };
}

/** Locks, upgrades and opens the database. */
async function openDataFolder(config: Config, role: MachineRole, log: Log, started: AsyncDisposableStack) {
  const unlock = lockDataFolder(config.data);
  started.defer(unlock);
  const backup = await upgradeDatabase(config, true);
  if (backup !== undefined) log.info({ backup }, 'database upgraded');
  const database = await openDatabase(config, {
    log,
    machine: { role, workerCount: config.workers, generates: generatesPosts(config, role) },
  });
  started.defer(() => database.close());
  await requireBucket(database.read, config);
  return { unlock, database };
}

function generatesPosts(config: Config, role: MachineRole): boolean {
  return role === 'speak' || config.synthesis;
}

type StartedServices = Pick<
  Services,
  'config' | 'baseUrl' | 'log' | 'jobs' | 'isDraining' | 'diskSpace' | 'database' | 'workers' | 'catalog'
> & {
  readonly role: MachineRole;
  readonly bucket: Bucket | undefined;
  readonly optimizerCache: OptimizerCache | undefined;
  readonly stored: StoredVoices | undefined;
};

/** Creates everything that routes and background jobs use; nothing runs yet. */
function createServices(started: StartedServices) {
  const { config, role, baseUrl, log, jobs, diskSpace, database, bucket, workers, optimizerCache, stored, catalog } =
    started;
  const webhookGuard = createWebhookGuard(config.webhookAllowlist);
  const webhookDispatcher = new WebhookDispatcher(database, webhookGuard, jobs, config);
  const onAudioEvent = createDispatcher([
    refundOrConfirmQuota,
    createOutboxHandler((key) => mediaUrl(baseUrl, key, 'mp3'), webhookDispatcher.wake),
    (db, event) => extraVoices.onAudioEvent(db, event),
  ]);
  const audioUpdates = new AudioUpdates();
  const createWindowCounter: CreateWindowCounter = (name, limit, options) =>
    database.cluster
      ? new SharedWindowCounter(database.read, name, limit, options)
      : new MemoryWindowCounter(limit, options);
  const rates = createRateLimiter(config, createWindowCounter);
  const wrongKeys = createWindowCounter('wrong keys', config.maxFailuresPerMinute);
  const signInLimits = new SignInLimits(config, createWindowCounter);
  const addressLimits = new AddressLimits(config, createWindowCounter);
  const workScheduler = new WorkScheduler(workers, log, database.cluster);
  const backups = new BackupManager(config, diskSpace, log);
  const metrics = new Metrics({
    ...{ workScheduler, database, diskSpace, workers, backups },
    getWebhookCounts: () => webhookDispatcher.getCounts(),
    getFeedCounts: () => feedPoller.getCounts(),
    getScrub: () => audioScrub,
    getBucket: () => bucket,
    countRemovedMp3s: () => audioRetention.removedCount,
    countLimitedCallers: () => rates.size() + wrongKeys.size + signInLimits.size + addressLimits.size,
  });
  const getAliases: FindAliases = (siteId, language) => listAliases(database.read, siteId, language);
  const sound = new Sound(database.read, bucket, (key) => objectCleanup.replaceLost(key));
  const mediaFiles = new MediaFiles(database.read, sound, join(config.data, 'media'), log);
  const uploadMp3 = bucket && createUploadMp3(database, bucket, mediaFiles);
  const queue = new AudioQueue({
    ...{ database, catalog, workers, workScheduler, jobs, log, bucket, uploadMp3 },
    oldAudioRetentionHours: config.oldAudioRetentionHours,
    ...{ onAudioEvent, jobMetrics: metrics.jobMetrics, getAliases },
    synthesizes: generatesPosts(config, role),
    notifyUpdate: (audioId) => {
      notifyListeners(audioId);
      database.cluster?.send('audio.updated', String(audioId));
    },
  });
  const notifyListeners = (audioId: number): void => {
    audioUpdates.notify(audioId);
    liveUpdates.notify(audioId);
  };
  database.cluster?.on('audio.updated', (audioId) => notifyListeners(Number(audioId)));
  const liveUpdates = new LiveUpdates(database);
  const { deletedRetentionDays } = config;
  const postDeletion = new PostDeletion({ database, mediaFiles, queue, onAudioEvent, deletedRetentionDays });
  const audioServices = { database, catalog, queue, postDeletion, mediaFiles, bucket, diskSpace, jobs, log };
  const objectCleanup = new ObjectCleanup(audioServices, config.objectGraceDays);
  const extraVoices = new ExtraVoices(audioServices);
  const audioRetention = new AudioRetention(audioServices);
  const audioScrub = new AudioScrub(audioServices);
  const siteDeletion = new SiteDeletion(audioServices, deletedRetentionDays);
  const feedGuard = createFeedGuard(config.feedAllowlist);
  const feedPoller = new FeedPoller({ database, catalog, queue, postDeletion, diskSpace, config }, feedGuard, jobs);
  const keyUsage = createKeyUsageTracker(database);
  const sessionLifetime = {
    idleTimeoutMs: config.sessionIdleTimeoutMinutes * 60_000,
    absoluteTimeoutMs: config.maxSessionDays * dayMs,
  };
  const requireApiKey = createRequireApiKey(database, keyUsage, rates, wrongKeys);
  const requireSession = createRequireSession(database, findSite, sessionLifetime, log);
  const authentication = {
    ...{ requireApiKey, requireSession },
    requireApiKeyOrSession: createRequireApiKeyOrSession(requireApiKey, requireSession, rates),
    ...createRequireDomain(database, baseUrl, rates.consume),
  };
  return {
    ...started,
    ...authentication,
    endpoint: createEndpoint(authentication, config.maxBodyBytes),
    ...{ createWindowCounter, keyUsage, signInLimits, sessionLifetime, passwords: createPasswordHasher() },
    voiceInstaller: createVoiceInstaller({
      ...{ database, catalog, optimizerCache, stored, folder: config.voices },
      validator: createVoiceValidator({ ...buildWorkerOptions(config), log }),
    }),
    ...{ getAliases, getAcceptedWords: (siteId) => listAcceptedWords(database.read, siteId) },
    ...{ synthesisPool: new SynthesisPool(workScheduler) },
    ...{ queue, sound, mediaFiles, metrics, audioUpdates, listenerLimiter: new ListenerLimiter(config) },
    ...{ liveUpdates, liveLimiter: new ListenerLimiter(config) },
    ...{ postDeletion, siteDeletion, objectCleanup, audioRetention, audioScrub, extraVoices, backups },
    ...{
      intake: createIntake(database, config.quotaEvents, log),
      addressLimits,
      keyRequestCounter: createKeyRequestCounter(database),
    },
    ...{ webhookDispatcher, webhookGuard, feedPoller, feedGuard },
    metricsAccess: selectMetricsAccess(config),
    health: createHealthChecks(database, catalog, workers, diskSpace, sound),
  } satisfies AppDeps & StartedServices;
}

/** Starts the background jobs. @returns stops the optimizer of voices, if it is on */
async function startJobs(services: ReturnType<typeof createServices>): Promise<(() => Promise<void>) | undefined> {
  const { config, role, log, database, catalog, workers, optimizerCache, queue } = services;
  if (role === 'serve') await correctCounters(database, log);
  await prepareBucket(database, services.sound.bucket, log);
  await queue.start();
  // Also where only others deliver: it wakes them.
  services.webhookDispatcher.start();
  if (role === 'serve') startInstallationJobs(services);
  const sharing = { intervalMs: voiceShareIntervalMs, isPerServer: true };
  if (services.stored) services.jobs.every('sharing voices', sharing, () => catalog.share());
  runInBackground(warmUpDefaultVoice(services), log, 'loading the default voice failed');
  return (
    optimizerCache &&
    startOptimizerJob({
      ...{ catalog, workers, log, cache: optimizerCache },
      optimizer: createOptimizer(optimizerCache, { ...buildWorkerOptions(config), log }),
      onOptimized: (voice) => warmUpOptimizedVoice(voice, catalog, workers),
    })
  );
}

function startInstallationJobs(services: ReturnType<typeof createServices>): void {
  const { config, jobs, database } = services;
  services.liveUpdates.start(jobs);
  services.feedPoller.start();
  services.siteDeletion.start();
  services.objectCleanup.start();
  services.extraVoices.start();
  services.audioRetention.start();
  services.audioScrub.start(config.scrubDays);
  services.backups.startSchedule(jobs);
  services.postDeletion.startCleanup(jobs, config.unusedSegmentRetentionHours);
  startEventPurge(database, jobs, config.eventRetentionDays);
  startDraftPurge(database, jobs);
  startUndoPurge(database, jobs, config.deletedRetentionDays);
  jobs.every('deleting removed voices', { intervalMs: undoMs }, () => services.voiceInstaller.purge());
  if (database.cluster) {
    jobs.every('deleting ended rate windows', { intervalMs: windowMs }, () => deleteEndedWindows(database.read));
  }
  const schedule = { intervalMs: keyUsageIntervalMs, delayMs: keyUsageIntervalMs, isPerServer: true };
  jobs.every(keyUsageTask, schedule, () => saveKeyUsage(services));
}

async function saveKeyUsage({ keyUsage, keyRequestCounter }: ReturnType<typeof createServices>): Promise<void> {
  await Promise.all([keyUsage.flush(), keyRequestCounter.flush()]);
}

/** So that the first sentence after the optimization doesn't wait. */
async function warmUpOptimizedVoice(
  { content_hash }: InstalledVoice,
  catalog: Catalog,
  workers: WorkerPool,
): Promise<void> {
  const defaultVoice = findFirstEnabled(await catalog.voices());
  if (defaultVoice?.content_hash === content_hash) workers.warmUpAll(defaultVoice.files);
}

/** So that the first sentence doesn't wait. Loads the voice of the next audio, if there is one. */
async function warmUpDefaultVoice({
  config,
  catalog,
  workers,
  queue,
  log,
}: ReturnType<typeof createServices>): Promise<void> {
  const nextVoiceId = queue.nextVoiceId();
  const voices = await catalog.voices();
  const defaultVoice = voices.find(({ id }) => id === nextVoiceId) ?? findFirstEnabled(voices);
  if (config.preload && defaultVoice !== undefined) {
    await catalog.fetch(defaultVoice);
    workers.warmUpAll(defaultVoice.files);
  }
  await catalog.waitUntilInspected();
  for (const { file, problem } of catalog.broken()) log.warn({ file, problem }, 'voice unusable');
}
