import PQueue from 'p-queue';
import { AppError } from '../errors.ts';
import { type SaidText, type SpeakingVoice, sayText } from '../speech/say.ts';
import type { Workers } from '../speech/workers.ts';
import { askPersistently } from './production/ask-persistently.ts';

const deathsMax = 3;
/** Whoever comes when so many are served would wait too long. */
const textsMax = 32;

/** Says texts at once, beside the queue of posts. */
export interface Saying {
  /**
   * @param signal aborted when nobody wants the sound any more: what is not begun is not said
   * @returns the MP3; undefined when nothing of the text can be spoken
   * @throws AppError `busy`, or as a worker finds
   */
  say(
    voice: SpeakingVoice,
    text: SaidText,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The posts keep at least half of the workers, or every other sentence of the only one. */
export function createSaying(workers: Workers): Saying {
  const turns = new PQueue({ concurrency: Math.max(1, Math.floor(workers.count / 2)) });
  let texts = 0;
  return {
    say: async (voice, text, signal) => {
      if (texts >= textsMax) throw new AppError('busy', 'Too many texts are being said just now');
      texts += 1;
      const persistently = askPersistently(workers, deathsMax, () => signal.aborted);
      // One sentence of each text at a time: a long one keeps no short one waiting.
      const own = new PQueue({ concurrency: 1 });
      const ask: Workers['ask'] = (task, question) =>
        own.add(() => turns.add(() => persistently(task, question), { signal }), { signal });
      try {
        return (await sayText({ ask }, voice, text))?.mp3;
      } catch (error) {
        // Nobody hears of it; it is no fault of ours either.
        throw signal.aborted ? new AppError('busy', 'The client has gone') : error;
      } finally {
        own.clear();
        texts -= 1;
      }
    },
  };
}
