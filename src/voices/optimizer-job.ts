import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, operationFailed } from '../errors.ts';
import type { Log } from '../log.ts';
import type { OptimizeOutcome } from '../speech/optimize/outcome.ts';
import type { VoiceFiles } from '../speech/synthesize/voice-model.ts';
import { startWorkerPool, type WorkerPool, type WorkerPoolOptions } from '../speech/worker-pool.ts';
import { WorkerCrashedError, WorkerLimitError } from '../speech/worker-process.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import type { Optimization, OptimizerCache } from './optimizer-cache.ts';
import { getOptimizerKey } from './voice-files.ts';

/** A large voice at the lowest priority, beside workers that speak. */
const maxSeconds = 600;
/** A large model has more to compute. */
const secondsPerMb = 3;
/** Of a worker's memory: original and optimized model side by side. */
const maxMemoryShare = 2;
/** An optimized model is slightly larger than its original. */
const maxSizeRatio = 1.5;
const reservedDiskBytes = 64 * 1024 * 1024;
/** Fewer crashes may have another cause, such as another program's memory use. */
const maxCrashes = 3;

export interface Optimizer {
  /**
   * Optimizes a voice in a process of its own and stores the outcome, in place of an earlier one.
   * @returns undefined while another process optimizes this voice, or when the program ends
   * @throws for errors of the machine: a full disk, a killed process, a missing file
   */
  optimize(files: VoiceFiles): Promise<Optimization | undefined>;
  stop(): Promise<void>;
}

export function createOptimizer(cache: OptimizerCache, options: Omit<WorkerPoolOptions, 'count'>): Optimizer {
  const poolOptions = {
    ...options,
    count: 1,
    hardMemoryMb: options.memoryMb * maxMemoryShare,
  };
  const running = new Set<WorkerPool>();
  /** By content hash. */
  const crashCounts = new Map<string, number>();
  let isStopping = false;
  const isPermanent = (error: unknown, contentHash: string): boolean => {
    if (error instanceof WorkerLimitError || (error instanceof AppError && error.code === 'bad_voice')) return true;
    if (!(error instanceof WorkerCrashedError)) return false;
    const count = (crashCounts.get(contentHash) ?? 0) + 1;
    crashCounts.set(contentHash, count % maxCrashes);
    return count === maxCrashes;
  };
  const runInChild = async (voice: VoiceFiles, into: string): Promise<OptimizeOutcome> => {
    const deadlineS = Math.ceil(maxSeconds + (secondsPerMb * statSync(voice.modelPath).size) / 1e6);
    const sandbox = options.sandbox && { ...options.sandbox, writable: [into] };
    const workers = startWorkerPool({ ...poolOptions, deadlineS, ...(sandbox && { sandbox }) });
    running.add(workers);
    try {
      return await workers.call('optimize', { voice, into });
    } catch (error) {
      if (!isPermanent(error, voice.contentHash)) throw error;
      return { outcome: 'original', reason: 'failed', snr_db: null, speed_ratio: null };
    } finally {
      running.delete(workers);
      await workers.stop();
    }
  };
  return {
    optimize: async ({ modelPath, configPath, contentHash }) => {
      const key = getOptimizerKey({ modelPath, contentHash });
      const into = isStopping ? undefined : cache.claim(key);
      if (into === undefined) return undefined;
      try {
        checkDiskSpace(into, modelPath);
        const outcome = await runInChild({ modelPath, configPath, contentHash }, into);
        // Stopping ends the child, which says nothing about the voice.
        if (isStopping) return undefined;
        await cache.save(key, outcome);
        // Checked last: removing a voice deletes its files first and then its optimized model.
        if (statSync(modelPath, { throwIfNoEntry: false }) === undefined) {
          cache.delete(key);
          throw operationFailed('Optimizing failed: the voice was removed');
        }
        return cache.find(key);
      } catch (error) {
        if (isStopping) return undefined;
        throw error;
      } finally {
        cache.release(key);
      }
    },
    stop: async () => {
      isStopping = true;
      await Promise.all([...running].map((workers) => workers.stop()));
    },
  };
}

/** @throws AppError `operation_failed` */
function checkDiskSpace(into: string, modelPath: string): void {
  const { bavail, bsize } = statfsSync(dirname(into));
  if (bavail * bsize > statSync(modelPath).size * maxSizeRatio + reservedDiskBytes) return;
  throw operationFailed('Optimizing failed: not enough disk space');
}

const defaultIntervals = {
  /** No task in this time: the server is idle. */
  pollMs: 5_000,
  /** After this time without an idle moment a voice is optimized beside the speech, at the lowest priority. */
  maxWaitMs: 5 * 60_000,
  /** After an error of the machine, such as a full disk. */
  retryMs: 15 * 60_000,
};

interface OptimizerJobDeps {
  readonly catalog: Catalog;
  readonly cache: OptimizerCache;
  readonly optimizer: Optimizer;
  readonly workers: Pick<WorkerPool, 'stats'>;
  readonly log: Log;
  /** Called when an optimized model is available. */
  readonly onOptimized: (voice: InstalledVoice) => Promise<void>;
}

/**
 * Optimizes every installed voice for this machine while the server is idle, one at a time. A voice that failed in an earlier
 * run of the server is tried once more: there may be more memory or time for it now.
 * @returns stops it
 */
export function startOptimizerJob(deps: OptimizerJobDeps, intervals = defaultIntervals): () => Promise<void> {
  const { catalog, cache, optimizer, workers, log, onOptimized } = deps;
  /** By optimizer key, of voices that failed in this run of the server. */
  const retryAt = new Map<string, number>();
  let tasksBefore = Number.NaN;
  let waitingSince: number | undefined;
  let isPolling = false;
  let optimizing: Promise<void> | undefined;
  let isStopped = false;
  let isCleaned = false;

  const optimize = async (voice: InstalledVoice): Promise<void> => {
    const { stem, files } = voice;
    try {
      const found = await optimizer.optimize(files);
      if (found === undefined) return;
      const { outcome, snr_db: snrDb, speed_ratio: speedRatio } = found;
      const reason = outcome === 'original' ? found.reason : undefined;
      if (reason === 'failed') retryAt.set(getOptimizerKey(files), Number.POSITIVE_INFINITY);
      const message = outcome === 'optimized' ? 'voice optimized' : 'voice not optimized';
      log.info({ voice: stem, outcome, reason, snrDb, speedRatio }, message);
      if (outcome === 'optimized') await onOptimized(voice);
    } catch (error) {
      retryAt.set(getOptimizerKey(files), performance.now() + intervals.retryMs);
      log.warn({ err: error, voice: stem }, 'optimizing voice failed, retry scheduled');
    }
  };
  const selectNext = (voices: readonly InstalledVoice[]): InstalledVoice | undefined => {
    // One that is not fetched yet is not needed here yet.
    const present = voices.filter(({ files }) => existsSync(files.modelPath));
    const due = present.filter(({ files }) => (retryAt.get(getOptimizerKey(files)) ?? 0) < performance.now());
    const outcomes = new Map(due.map((voice) => [voice, cache.find(getOptimizerKey(voice.files))]));
    return (
      due.find((voice) => outcomes.get(voice) === undefined) ?? due.find((voice) => hasFailed(outcomes.get(voice)))
    );
  };
  const poll = async (): Promise<void> => {
    const tasks = countTasks(workers);
    const isIdle = tasks === tasksBefore;
    tasksBefore = tasks;
    await catalog.waitUntilInspected();
    if (isStopped) return;
    const voices = await catalog.voices();
    if (!isCleaned) cache.deleteOthers(voices.map(({ files }) => getOptimizerKey(files)));
    isCleaned = true;
    const next = selectNext(voices);
    waitingSince = next && (waitingSince ?? performance.now());
    if (next === undefined || waitingSince === undefined) return;
    if (!isIdle && performance.now() - waitingSince <= intervals.maxWaitMs) return;
    optimizing = optimize(next);
    await optimizing;
  };
  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    poll()
      .catch((error: unknown) => log.warn({ err: error }, 'checking voices for optimization failed'))
      .finally(() => {
        isPolling = false;
      });
  }, intervals.pollMs);

  return async () => {
    clearInterval(timer);
    isStopped = true;
    await optimizer.stop();
    // Not the poll: it may wait until all new voices are inspected.
    await optimizing;
  };
}

function countTasks(workers: Pick<WorkerPool, 'stats'>): number {
  const counts = [...workers.stats().tasks.values()];
  return counts.reduce((sum, { done, failed, died }) => sum + done + failed + died, 0);
}

function hasFailed(found: Optimization | undefined): boolean {
  return found?.outcome === 'original' && found.reason === 'failed';
}
