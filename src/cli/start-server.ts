import { join } from 'node:path';
import type { AnyElysia } from 'elysia';
import { createKeyRequestCounts } from '../analytics/aggregate.ts';
import { createIntake } from '../analytics/intake.ts';
import { deleteSomeEvents, forgetOldEvents } from '../analytics/purge.ts';
import { createApp } from '../app.ts';
import { createSaying, createTurns } from '../audio/ad-hoc/synthesis-pool.ts';
import { createExtraVoices } from '../audio/alternate-voices.ts';
import { keepHouse } from '../audio/cleanup.ts';
import { createRemoval } from '../audio/deletion.ts';
import { createWatch, tellEach } from '../audio/events.ts';
import { createListeners } from '../audio/media/live-stream.ts';
import { createMediaFiles } from '../audio/media/media-files.ts';
import { fillPages } from '../audio/posts/published-audio.ts';
import { createQueue } from '../audio/queue.ts';
import { settleQuota } from '../audio/quota.ts';
import { createSiteRemoval } from '../audio/site-deletion.ts';
import { mediaUrl } from '../audio/store.ts';
import { createKeyAccess, createKeyOrSessionAccess, createKeyUse } from '../auth/api-keys.ts';
import { createDomainAccess } from '../auth/domain-access.ts';
import { createPasswords } from '../auth/passwords.ts';
import type { SessionLifetime } from '../auth/sessions.ts';
import { createSessionAccess } from '../auth/sessions.ts';
import { inBackground, logUnhandled } from '../background.ts';
import { keepBackups } from '../backup/kept.ts';
import { useNativeFolder } from '../build/native.ts';
import { addressOf, type Config } from '../config.ts';
import { type Database, lockFolder, openDatabase, prepareDataFolder } from '../database/open.ts';
import { type Answered, type Handler, requestHandler } from '../http/endpoint.ts';
import { basePathOf } from '../http/html.ts';
import { createFailureLimits, createRateLimits } from '../http/rate-limit.ts';
import { clientAddress } from '../http/request-context.ts';
import { createLog, type Log } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { aliasesFor } from '../pronunciations/store.ts';
import { findSite } from '../sites/store.ts';
import { feedTargetsOf } from '../sources/fetch.ts';
import { createPolling } from '../sources/poller.ts';
import type { AliasesOf } from '../speech/pronunciation/lexicon.ts';
import { startWorkers, type Workers } from '../speech/worker-pool.ts';
import type { HealthChecks } from '../system/routes.ts';
import { type Catalog, type InstalledVoice, openCatalog } from '../voices/catalog.ts';
import { createGate } from '../voices/inspect.ts';
import { createInstallation } from '../voices/installer.ts';
import type { CompiledCache } from '../voices/optimizer-cache.ts';
import { createCompiler, keepCompiled } from '../voices/optimizer-job.ts';
import { createDelivering, webhookTargetsOf } from '../webhooks/delivery.ts';
import { outbox } from '../webhooks/outbox.ts';
import { workerOptions } from './commands.ts';
import { compiledVoices } from './compiled-voices.ts';
import { listen } from './listen.ts';
import { nativeFolders } from './native-folders.ts';
import { metricsReaders, serveMetrics } from './serve-metrics.ts';

const keyUsePauseMs = 30_000;
const keyUseFailure = 'updating API key usage failed';
const readyPatienceMs = 5_000;
/** How long requests under way may finish when the server stops. */
const requestPatienceMs = 1_500;

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
export async function startServer(
  config: Config,
  morePages?: (baseUrl: string) => AnyElysia,
): Promise<RunningServer> {
  const log = createLog(config.logLevel);
  prepareDataFolder(config.data);
  for (const folder of nativeFolders(config)) useNativeFolder(folder);
  const unlock = lockFolder(config.data);
  const database = openDatabase(config.data);
  const starting = Promise.withResolvers<Handler>();
  const measuring = Promise.withResolvers<Metrics>();
  const stopMetrics = serveMetrics(config, measuring.promise, log);
  const server = listen(config.host, config.port, async (request, connection, allowIdle) => {
    const handler = await starting.promise;
    const forwardedFor = () => request.headers.get('x-forwarded-for');
    const address = () => clientAddress(connection(), forwardedFor(), config.trustedProxies);
    return handler(request, address, allowIdle);
  });
  const localUrl = addressOf(config.host, server.port ?? config.port);
  const baseUrl = config.baseUrl ?? localUrl;

  const workers = startWorkers({ ...workerOptions(config), count: config.workers, log });
  const compiled = compiledVoices(config, (problem) => log.warn(problem));
  const catalog = await openCatalog(database, config.voices, workers, compiled);
  const keyUse = createKeyUse(database);
  const keyRequests = createKeyRequestCounts(database);
  const { oldAudioHours } = config;
  const webhookTargets = webhookTargetsOf(config.webhookAllow);
  const delivering = createDelivering({
    ...{ database, targets: webhookTargets, log, settings: config },
  });
  const toOutbox = outbox((key) => mediaUrl(baseUrl, key, 'mp3'), delivering.nudge);
  const onChange = tellEach([
    settleQuota,
    toOutbox,
    (db, change) => extraVoices.onChange(db, change),
  ]);
  const watch = createWatch();
  const onNews = watch.tell;
  const rates = createRateLimits(config.rates);
  const wrongKeys = createFailureLimits(config.failuresPerMinute);
  const signIns = createFailureLimits(config.failuresPerMinute);
  const metrics = createMetrics({
    read: database.read,
    dataFolder: config.data,
    workers,
    webhooks: () => delivering.counts(),
    feeds: () => polling.counts(),
    limitedCallers: () => rates.size() + wrongKeys.size() + signIns.size(),
  });
  const observer = metrics.production;
  const aliasesOf: AliasesOf = (siteId, language) => aliasesFor(database.read, siteId, language);
  const changes = { onChange, onNews, observer, aliasesOf };
  const queue = createQueue({ database, catalog, workers, log, oldAudioHours, ...changes });
  const mediaFiles = createMediaFiles(database.read, join(config.data, 'media'), log);
  const removal = createRemoval({ database, mediaFiles, queue, onChange });
  const lifetime = sessionLifetime(config);
  const siteRemoval = createSiteRemoval({
    database,
    mediaFiles,
    queue,
    deleteMore: deleteSomeEvents,
    log,
  });
  const extraVoices = createExtraVoices({ database, catalog, queue, removal, log });
  const feedTargets = feedTargetsOf(config.feedAllow);
  const polling = createPolling({
    ...{ database, catalog, queue, removal, limits: config },
    ...{ feedTargets, log },
  });
  const turns = createTurns(workers);
  const byKey = createKeyAccess(database, keyUse, rates, wrongKeys);
  const bySession = createSessionAccess({ database, findSite, lifetime, log });
  const backups = keepBackups(config.data, config.backupsKept, log);
  const app = createApp({
    backups,
    database,
    mediaFiles,
    catalog,
    queue,
    watch,
    listeners: createListeners(config),
    removal,
    turns,
    saying: createSaying(turns),
    aliasesOf,
    bySession,
    passwords: createPasswords(),
    signIns,
    sessionLifetime: lifetime,
    findSite,
    siteRemoval,
    keyUse,
    delivering,
    webhookTargets,
    ...{ feedTargets, polling },
    installation: createInstallation({
      ...{ database, catalog, compiled, folder: config.voices },
      gate: createGate({ ...workerOptions(config), log }),
    }),
    voicesFolder: config.voices,
    workers,
    dataFolder: config.data,
    byKey,
    byKeyOrSession: createKeyOrSessionAccess(byKey, bySession, rates),
    intake: createIntake(database, config.quotaEvents, log),
    keyRequests,
    quotaEvents: config.quotaEvents,
    ...createDomainAccess(database, baseUrl, rates.take),
    baseUrl,
    limits: config,
    metrics,
    metricsReaders: metricsReaders(config),
    health: healthChecks(database, catalog, workers),
    log,
  });
  const observe = (answered: Answered): void => {
    keyRequests.note(answered);
    metrics.answered(answered);
  };
  if (morePages !== undefined) app.use(morePages(baseUrl));
  measuring.resolve(metrics);
  const stopLoggingUnhandled = logUnhandled(log);
  starting.resolve(requestHandler(app, basePathOf(baseUrl), log, observe));
  await fillPages(database);
  await queue.start();
  delivering.start();
  polling.start();
  await siteRemoval.resume();
  const stopExtraVoices = extraVoices.start();
  const preloading = preloadUsualVoice(catalog, workers, queue.nextVoiceId(), log);
  inBackground(preloading, log, 'the usual voice could not be loaded');
  const stopCompiling = compileWhenIdle({ config, catalog, compiled, workers, log });
  const stopHousekeeping = keepHouse({ database, mediaFiles, removal, log }, config);
  const stopForgetting = forgetOldEvents(database, log, config.eventDays);
  const saveUse = () => Promise.all([keyUse.save(), keyRequests.save()]);
  const keyUseTimer = setInterval(() => inBackground(saveUse(), log, keyUseFailure), keyUsePauseMs);

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
      watch.close();
      await Promise.race([server.stop(false), Bun.sleep(requestPatienceMs)]);
      await server.stop(true);
      await stopMetrics();
      await stopExtraVoices();
      await polling.stop();
      await Promise.all([
        ...[queue.stop(), delivering.stop(), siteRemoval.stop(), backups.stop()],
        compilingStopped,
      ]);
      await workers.stop();
      await saveUse().catch((error: unknown) => log.error({ err: error }, keyUseFailure));
      await database.close();
      unlock();
      stopLoggingUnhandled();
    },
  };
}

function sessionLifetime({ sessionIdleMinutes, sessionDays }: Config): SessionLifetime {
  return { idleMs: sessionIdleMinutes * 60_000, absoluteMs: sessionDays * 86_400_000 };
}

function healthChecks(database: Database, catalog: Catalog, workers: Workers): HealthChecks {
  return {
    database: async () => {
      await database.writeLazily(async (db) => {
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
      if (voice === undefined) return 'no voice is installed';
      if (workers.state().some(({ taskCount }) => taskCount > 0)) return undefined;
      const answer = workers.ask('load', { voice: voice.files }).then(() => undefined);
      const late = Bun.sleep(readyPatienceMs).then(() => 'no speech worker answers');
      return Promise.race([answer, late]);
    },
  };
}

interface Compiling {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly compiled: CompiledCache | undefined;
  readonly workers: Workers;
  readonly log: Log;
}

/** @returns what ends it */
function compileWhenIdle({ config, catalog, compiled, workers, log }: Compiling) {
  if (compiled === undefined) return async () => {};
  return keepCompiled({
    ...{ catalog, workers, log, cache: compiled },
    compiler: createCompiler(compiled, { ...workerOptions(config), log }),
    onCompiled: (voice) => preloadCompiled(voice, catalog, workers),
  });
}

/** The first sentence after it shouldn't wait either. */
async function preloadCompiled(
  { content_hash }: InstalledVoice,
  catalog: Catalog,
  workers: Workers,
): Promise<void> {
  const [usual] = await catalog.voices();
  if (usual?.content_hash === content_hash) workers.preload(usual.files);
}

/** So that the first sentence needn't wait for it. @param nextVoiceId of the audio that is made next */
async function preloadUsualVoice(
  catalog: Catalog,
  workers: Workers,
  nextVoiceId: number | undefined,
  log: Log,
): Promise<void> {
  const voices = await catalog.voices();
  const usual = voices.find(({ id }) => id === nextVoiceId) ?? voices[0];
  if (usual !== undefined) workers.preload(usual.files);
  await catalog.settled();
  for (const { file, problem } of catalog.broken()) log.warn({ file, problem }, 'voice not usable');
}
