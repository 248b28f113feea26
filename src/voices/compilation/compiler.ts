import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Tasks } from '../../speech/tasks.ts';
import type { CompileOutcome } from '../../speech/voice/compile/compile.ts';
import type { VoiceFiles } from '../../speech/voice/voice-model.ts';
import { WorkerDied, WorkerOverLimit } from '../../speech/worker-process.ts';
import { startWorkers, type Workers, type WorkersOptions } from '../../speech/workers.ts';
import type { Compilation, CompiledCache } from './cache.ts';

/** At the lowest priority beside workers that speak, a large voice takes its time. */
const secondsMax = 600;
/** Of a worker's memory: original and compiled model side by side. */
const memoryShareMax = 2;
/** A compiled model is as large as its original, and a little more. */
const sizeShareMax = 1.5;
const spareBytes = 64 * 1024 * 1024;
/** A child that ends early may have been killed for anything, like another program's memory; so often it is the model. */
const deathsMax = 3;

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

export function createCompiler(
  cache: CompiledCache,
  options: Omit<WorkersOptions, 'count'>,
): Compiler {
  const child = {
    ...options,
    count: 1,
    deadlineS: secondsMax,
    hardMemoryMb: options.memoryMb * memoryShareMax,
  };
  const running = new Set<Workers>();
  /** By content hash: how often the child has ended early. */
  const deaths = new Map<string, number>();
  let isStopping = false;
  const askChild = async (question: Tasks['compile']['question']): Promise<CompileOutcome> => {
    const workers = startWorkers(child);
    running.add(workers);
    try {
      return await workers.ask('compile', question);
    } finally {
      running.delete(workers);
      await workers.stop();
    }
  };
  const outcomeOf = async (question: Tasks['compile']['question']): Promise<CompileOutcome> => {
    try {
      return await askChild(question);
    } catch (error) {
      if (!isForGood(error) && !isDeathTooMany(error, question.voice)) throw error;
      return { outcome: 'original', reason: 'failed', snrDb: null, speedRatio: null };
    }
  };
  const isDeathTooMany = (error: unknown, { contentHash }: VoiceFiles): boolean => {
    if (!(error instanceof WorkerDied)) return false;
    const count = (deaths.get(contentHash) ?? 0) + 1;
    deaths.set(contentHash, count % deathsMax);
    return count === deathsMax;
  };
  return {
    compile: async ({ modelPath, configPath, contentHash }) => {
      const into = isStopping ? undefined : cache.claim(contentHash);
      if (into === undefined) return undefined;
      try {
        checkRoom(into, modelPath);
        const voice = { modelPath, configPath, contentHash };
        const outcome = await outcomeOf({ voice, into });
        // The child may have ended for no other reason.
        if (isStopping) return undefined;
        await cache.keep(contentHash, outcome);
        // Afterwards: whoever removes a voice deletes what is kept of it only once its files are gone.
        if (statSync(modelPath, { throwIfNoEntry: false }) === undefined) {
          cache.forget(contentHash);
          throw new AppError('operation_failed', 'The voice was removed while it was compiled');
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
function checkRoom(into: string, modelPath: string): void {
  const { bavail, bsize } = statfsSync(dirname(into));
  if (bavail * bsize > statSync(modelPath).size * sizeShareMax + spareBytes) return;
  throw new AppError('operation_failed', 'The disk has no room for a compiled model');
}

/** What takes too much, or is no good as it came, will be so the next time. */
function isForGood(error: unknown): boolean {
  const isVoice = error instanceof AppError && error.code === 'bad_voice';
  return isVoice || error instanceof WorkerOverLimit;
}
