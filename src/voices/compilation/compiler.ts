import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Tasks } from '../../speech/tasks.ts';
import type { CompileOutcome } from '../../speech/voice/compile/compile.ts';
import type { VoiceFiles } from '../../speech/voice/voice-model.ts';
import { WorkerDied } from '../../speech/worker-process.ts';
import { startWorkers, type Workers, type WorkersOptions } from '../../speech/workers.ts';
import type { Compilation, CompiledCache } from './cache.ts';

/** At the lowest priority beside workers that speak, a large voice takes its time. */
const secondsMax = 600;
/** Of a worker's memory: original and compiled model side by side. */
const memoryShareMax = 2;
/** A compiled model is as large as its original, and a little more. */
const sizeShareMax = 1.5;
const spareBytes = 64 * 1024 * 1024;

/** Makes voices faster for this machine. */
export interface Compiler {
  /**
   * Compiles a voice in a child of its own, whether it was before or not, and keeps what came of it.
   * @returns undefined when another process is compiling this voice, or the program ends
   * @throws where it can't be written
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
  return {
    compile: async ({ modelPath, configPath, contentHash }) => {
      const into = isStopping ? undefined : cache.claim(contentHash);
      if (into === undefined) return undefined;
      try {
        checkRoom(into, modelPath);
        const voice = { modelPath, configPath, contentHash };
        const outcome = await outcomeOf(askChild({ voice, into }));
        // The child may have ended for no other reason.
        if (isStopping) return undefined;
        cache.keep(contentHash, outcome);
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

/** What ends the child, or is no good as it came, will be so the next time. */
async function outcomeOf(answer: Promise<CompileOutcome>): Promise<CompileOutcome> {
  try {
    return await answer;
  } catch (error) {
    const isVoice = error instanceof AppError && error.code === 'bad_voice';
    if (!isVoice && !(error instanceof WorkerDied)) throw error;
    return { outcome: 'original', reason: 'failed', snrDb: null, speedRatio: null };
  }
}
