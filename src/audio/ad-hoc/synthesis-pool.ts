import PQueue from 'p-queue';
import { AppError } from '../../errors.ts';
import { type SynthesisInput, type SynthesisVoice, synthesizeText } from '../../speech/synthesize-text.ts';
import type { WorkerPool } from '../../speech/worker-pool.ts';
import { withCrashRetry } from '../pending-segments.ts';

const maxCrashes = 3;
/** Whoever comes when so many are served would wait too long. */
const maxConcurrentTexts = 32;
/** No site takes all the places. */
const maxConcurrentTextsPerSite = 16;

/** Lets workers do something for texts that become no posts, beside the queue of posts. */
export interface SynthesisPool {
  /**
   * Takes a text in: its tasks are done one at a time, in turn with those of the others.
   * @param siteId whose text it is; null: the installation's own
   * @param signal aborted when nobody wants the answer any more: what is not begun is not done
   * @throws AppError `busy`
   */
  acquire(siteId: number | null, signal: AbortSignal): SynthesisSlot;
}

/** What is done for one text. */
interface SynthesisSlot {
  /** @throws AppError `busy` when nobody wants the answer any more, else as a worker finds */
  readonly call: WorkerPool['call'];
  /** Makes room for another text; may be called more than once. */
  release(): void;
}

/** The posts keep at least half of the workers, or every other task of the only one. */
export function createSynthesisPool(workers: WorkerPool): SynthesisPool {
  const turns = new PQueue({ concurrency: Math.max(1, Math.floor(workers.count / 2)) });
  /** Those that are being served, with their sites. */
  const texts = new Map<object, number | null>();
  return {
    acquire: (siteId, signal) => {
      const ofSite = [...texts.values()].filter((one) => one !== null && one === siteId);
      if (texts.size >= maxConcurrentTexts || ofSite.length >= maxConcurrentTextsPerSite) {
        throw new AppError('busy', 'Too many concurrent synthesis requests');
      }
      const persistently = withCrashRetry(workers, maxCrashes, () => signal.aborted);
      // One task of each text at a time: a long one keeps no short one waiting.
      const own = new PQueue({ concurrency: 1 });
      texts.set(own, siteId);
      return {
        call: async (task, question) => {
          try {
            const inTurn = () => turns.add(() => persistently(task, question), { signal });
            return await own.add(inTurn, { signal });
          } catch (error) {
            // Nobody hears of it; it is no fault of ours either.
            throw signal.aborted ? new AppError('busy', 'Client disconnected') : error;
          }
        },
        release: () => {
          own.clear();
          texts.delete(own);
        },
      };
    },
  };
}

/** Says texts at once, beside the queue of posts. */
export interface AdHocSynthesizer {
  /**
   * @param signal aborted when nobody wants the sound any more: what is not begun is not said
   * @returns the MP3; undefined when nothing of the text can be spoken
   * @throws AppError `busy`, or as a worker finds
   */
  synthesize(
    voice: SynthesisVoice,
    text: SynthesisInput,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export function createAdHocSynthesizer(turns: SynthesisPool): AdHocSynthesizer {
  return {
    synthesize: async (voice, text, signal) => {
      const turn = turns.acquire(null, signal);
      try {
        return (await synthesizeText(turn, voice, text))?.mp3;
      } finally {
        turn.release();
      }
    },
  };
}
