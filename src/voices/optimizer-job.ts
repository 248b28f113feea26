import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { CompileOutcome } from '../speech/optimize/optimize.ts';
import type { VoiceFiles } from '../speech/synthesize/voice-model.ts';
import { startWorkerPool, type WorkerPool, type WorkerPoolOptions } from '../speech/worker-pool.ts';
import { WorkerCrashedError, WorkerLimitError } from '../speech/worker-process.ts';
import type { Tasks } from '../speech/worker-protocol.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import type { Compilation, CompiledCache } from './optimizer-cache.ts';

/** At the lowest priority beside workers that speak, a large voice takes its time. */
const maxSeconds = 600;
/** Of a worker's memory: original and compiled model side by side. */
const maxMemoryShare = 2;
/** A compiled model is as large as its original, and a little more. */
const maxSizeRatio = 1.5;
const reservedDiskBytes = 64 * 1024 * 1024;
/** A child that ends early may have been killed for anything, like another program's memory; so often it is the model. */
const maxCrashes = 3;

/** Makes voices faster for this machine. */
export interface Compiler {
  /**
   * Compiles a voice in a child of its own, whether it was before or not, and keeps what came of it.
   * @returns undefined when another process is compiling this voice, or the program ends
   * @throws where that says nothing of the voice: it can't be written, the child was killed, the voice is gone
   */
  compile(files: VoiceFiles): Promise<Compilation | undefined>;
  stop(): Promise<void>;
}

export function createCompiler(cache: CompiledCache, options: Omit<WorkerPoolOptions, 'count'>): Compiler {
  const child = {
    ...options,
    count: 1,
    deadlineS: maxSeconds,
    hardMemoryMb: options.memoryMb * maxMemoryShare,
  };
  const running = new Set<WorkerPool>();
  /** By content hash: how often the child has ended early. */
  const deaths = new Map<string, number>();
  let isStopping = false;
  const askChild = async (params: Tasks['compile']['params']): Promise<CompileOutcome> => {
    const workers = startWorkerPool(child);
    running.add(workers);
    try {
      return await workers.call('compile', params);
    } finally {
      running.delete(workers);
      await workers.stop();
    }
  };
  const outcomeOf = async (params: Tasks['compile']['params']): Promise<CompileOutcome> => {
    try {
      return await askChild(params);
    } catch (error) {
      if (!isPermanentError(error) && !isDeathTooMany(error, params.voice)) throw error;
      return { outcome: 'original', reason: 'failed', snrDb: null, speedRatio: null };
    }
  };
  const isDeathTooMany = (error: unknown, { contentHash }: VoiceFiles): boolean => {
    if (!(error instanceof WorkerCrashedError)) return false;
    const count = (deaths.get(contentHash) ?? 0) + 1;
    deaths.set(contentHash, count % maxCrashes);
    return count === maxCrashes;
  };
  return {
    compile: async ({ modelPath, configPath, contentHash }) => {
      const into = isStopping ? undefined : cache.claim(contentHash);
      if (into === undefined) return undefined;
      try {
        checkDiskSpace(into, modelPath);
        const voice = { modelPath, configPath, contentHash };
        const outcome = await outcomeOf({ voice, into });
        // The child may have ended for no other reason.
        if (isStopping) return undefined;
        await cache.save(contentHash, outcome);
        // Afterwards: whoever removes a voice deletes what is kept of it only once its files are gone.
        if (statSync(modelPath, { throwIfNoEntry: false }) === undefined) {
          cache.delete(contentHash);
          throw new AppError('operation_failed', 'Compiling failed: the voice was removed');
        }
        return cache.find(contentHash);
      } catch (error) {
        if (isStopping) return undefined;
        throw error;
      } finally {
        cache.release(contentHash);
      }
    },
    stop: async () => {
      isStopping = true;
      await Promise.all([...running].map((workers) => workers.stop()));
    },
  };
}

/** A disk that is full makes no voice a bad one. @throws AppError `operation_failed` */
function checkDiskSpace(into: string, modelPath: string): void {
  const { bavail, bsize } = statfsSync(dirname(into));
  if (bavail * bsize > statSync(modelPath).size * maxSizeRatio + reservedDiskBytes) return;
  throw new AppError('operation_failed', 'Compiling failed: not enough disk space');
}

/** What takes too much, or is no good as it came, will be so the next time. */
function isPermanentError(error: unknown): boolean {
  const isVoice = error instanceof AppError && error.code === 'bad_voice';
  return isVoice || error instanceof WorkerLimitError;
}

const defaultIntervals = {
  /** So long nobody has asked for anything before a voice is compiled. */
  lookMs: 5_000,
  /** A server that is never idle for so long gains most: it goes on beside the speech, at the lowest priority. */
  patienceMs: 5 * 60_000,
  /** What could not be written is tried again after it. */
  retryMs: 15 * 60_000,
};

interface CompileJobDeps {
  readonly catalog: Catalog;
  readonly cache: CompiledCache;
  readonly compiler: Compiler;
  /** Whose rest is waited for. */
  readonly workers: Pick<WorkerPool, 'stats'>;
  readonly log: Log;
  /** Told of a voice that speaks faster from now on. */
  readonly onCompiled: (voice: InstalledVoice) => Promise<void>;
}

/**
 * Has every installed voice compiled for this machine, one at a time, when nothing is spoken. What failed before this server
 * is tried once more: there may be more memory or time for it now.
 * @returns what ends it
 */
export function startCompileJob(deps: CompileJobDeps, pauses = defaultIntervals): () => Promise<void> {
  const { catalog, cache, compiler, workers, log, onCompiled } = deps;
  const setAside = new Map<string, number>();
  /** Content hashes of the voices that this server has compiled, or could not. */
  const judged = new Set<string>();
  let tasksBefore = Number.NaN;
  let waitingSince: number | undefined;
  let isLooking = false;
  let compiling: Promise<void> | undefined;
  let isStopped = false;
  /** Whether what is left of voices that are gone was deleted. */
  let isForgotten = false;

  const compile = async (voice: InstalledVoice): Promise<void> => {
    const { contentHash } = voice.files;
    try {
      const found = await compiler.compile(voice.files);
      if (found === undefined) return;
      judged.add(contentHash);
      const what = found.outcome === 'compiled' ? 'voice compiled' : 'voice not compiled';
      log.info({ voice: voice.stem, ...toLogFields(found) }, what);
      if (found.outcome === 'compiled') await onCompiled(voice);
    } catch (error) {
      setAside.set(contentHash, performance.now() + pauses.retryMs);
      log.warn({ err: error, voice: voice.stem }, 'compiling voice failed, retry scheduled');
    }
  };
  const nextOf = (voices: readonly InstalledVoice[]): InstalledVoice | undefined => {
    const due = voices.filter(({ files }) => (setAside.get(files.contentHash) ?? 0) < performance.now());
    const found = ({ files }: InstalledVoice) => cache.find(files.contentHash);
    return (
      due.find((voice) => found(voice) === undefined) ??
      due.find((voice) => isFailed(found(voice)) && !judged.has(voice.files.contentHash))
    );
  };
  const look = async (): Promise<void> => {
    const tasks = countTasks(workers);
    const isIdle = tasks === tasksBefore;
    tasksBefore = tasks;
    await catalog.waitUntilInspected();
    if (isStopped) return;
    const voices = await catalog.voices();
    if (!isForgotten) cache.deleteOthers(voices.map(({ files }) => files.contentHash));
    isForgotten = true;
    const next = nextOf(voices);
    if (next === undefined) {
      waitingSince = undefined;
      return;
    }
    waitingSince ??= performance.now();
    if (!isIdle && performance.now() - waitingSince <= pauses.patienceMs) return;
    compiling = compile(next);
    await compiling;
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => log.warn({ err: error }, 'checking voices for compilation failed'))
      .finally(() => {
        isLooking = false;
      });
  }, pauses.lookMs);

  return async () => {
    clearInterval(timer);
    isStopped = true;
    await compiler.stop();
    // Not the look: new voices are still being examined then, one after another.
    await compiling;
  };
}

function countTasks(workers: Pick<WorkerPool, 'stats'>): number {
  const counts = [...workers.stats().tasks.values()];
  return counts.reduce((sum, { done, failed, died }) => sum + done + failed + died, 0);
}

function isFailed(found: Compilation | undefined): boolean {
  return found?.outcome === 'original' && found.reason === 'failed';
}

function toLogFields(found: Compilation): object {
  const { outcome, snrDb, speedRatio } = found;
  return {
    outcome,
    ...(found.outcome === 'original' && { reason: found.reason }),
    snrDb,
    speedRatio,
  };
}
