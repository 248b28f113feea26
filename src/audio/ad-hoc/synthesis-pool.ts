import PQueue from 'p-queue';
import { AppError } from '../../errors.ts';
import { type SynthesisInput, type SynthesisVoice, synthesizeText } from '../../speech/synthesize-text.ts';
import type { WorkerPool } from '../../speech/worker-pool.ts';
import { withCrashRetry } from '../pending-segments.ts';

const maxCrashes = 3;
const maxConcurrentTexts = 32;
const maxConcurrentTextsPerSite = 16;

/** Runs worker tasks for texts that become no posts, beside the queue of posts. */
export interface SynthesisPool {
  /**
   * Reserves a slot for a text. The tasks of a slot run one at a time, alternating with those of other slots.
   * @param siteId null: the installation
   * @param signal tasks that have not started when it aborts are dropped
   * @throws AppError `busy`
   */
  acquire(siteId: number | null, signal: AbortSignal): SynthesisSlot;
  /**
   * Synthesizes a whole text in a slot of its own.
   * @returns the MP3; undefined when the text has nothing to speak
   * @throws AppError `busy`, or an error of the worker
   */
  synthesize(
    siteId: number | null,
    voice: SynthesisVoice,
    text: SynthesisInput,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

interface SynthesisSlot {
  /** @throws AppError `busy` after the signal aborted, or an error of the worker */
  readonly call: WorkerPool['call'];
  /** May be called more than once. */
  release(): void;
}

/** Posts keep at least half of the workers, or every other task of a single one. */
export function createSynthesisPool(workers: WorkerPool): SynthesisPool {
  const tasks = new PQueue({ concurrency: Math.max(1, Math.floor(workers.count / 2)) });
  /** Site ids by the task queue of a slot. */
  const slots = new Map<PQueue, number | null>();
  const acquire = (siteId: number | null, signal: AbortSignal): SynthesisSlot => {
    const ofSite = [...slots.values()].filter((one) => one !== null && one === siteId);
    if (slots.size >= maxConcurrentTexts || ofSite.length >= maxConcurrentTextsPerSite) {
      throw new AppError('busy', 'Too many concurrent synthesis requests');
    }
    const call = withCrashRetry(workers, maxCrashes, () => signal.aborted);
    // One task of each text at a time: a long text does not delay a short one.
    const own = new PQueue({ concurrency: 1 });
    slots.set(own, siteId);
    return {
      call: async (task, params) => {
        try {
          return await own.add(() => tasks.add(() => call(task, params), { signal }), { signal });
        } catch (error) {
          // Nobody receives it; it is not logged as an error of ours.
          throw signal.aborted ? new AppError('busy', 'Client disconnected') : error;
        }
      },
      release: () => {
        own.clear();
        slots.delete(own);
      },
    };
  };
  return {
    acquire,
    synthesize: async (siteId, voice, text, signal) => {
      const slot = acquire(siteId, signal);
      try {
        return (await synthesizeText(slot, voice, text))?.mp3;
      } finally {
        slot.release();
      }
    },
  };
}
