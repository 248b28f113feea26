import PQueue from 'p-queue';
import { AppError } from '../../errors.ts';
import { type SaidText, type SpeakingVoice, sayText } from '../../speech/synthesize-text.ts';
import type { Workers } from '../../speech/worker-pool.ts';
import { askPersistently } from '../pending-segments.ts';

const deathsMax = 3;
/** Whoever comes when so many are served would wait too long. */
const textsMax = 32;
/** No site takes all the places. */
const textsPerSiteMax = 16;

/** Lets workers do something for texts that become no posts, beside the queue of posts. */
export interface Turns {
  /**
   * Takes a text in: its tasks are done one at a time, in turn with those of the others.
   * @param siteId whose text it is; null: the installation's own
   * @param signal aborted when nobody wants the answer any more: what is not begun is not done
   * @throws AppError `busy`
   */
  begin(siteId: number | null, signal: AbortSignal): Turn;
}

/** What is done for one text. */
interface Turn {
  /** @throws AppError `busy` when nobody wants the answer any more, else as a worker finds */
  readonly ask: Workers['ask'];
  /** Makes room for another text; may be called more than once. */
  end(): void;
}

/** The posts keep at least half of the workers, or every other task of the only one. */
export function createTurns(workers: Workers): Turns {
  const turns = new PQueue({ concurrency: Math.max(1, Math.floor(workers.count / 2)) });
  /** Those that are being served, with their sites. */
  const texts = new Map<object, number | null>();
  return {
    begin: (siteId, signal) => {
      const ofSite = [...texts.values()].filter((one) => one !== null && one === siteId);
      if (texts.size >= textsMax || ofSite.length >= textsPerSiteMax) {
        throw new AppError('busy', 'Too many texts are being said just now');
      }
      const persistently = askPersistently(workers, deathsMax, () => signal.aborted);
      // One task of each text at a time: a long one keeps no short one waiting.
      const own = new PQueue({ concurrency: 1 });
      texts.set(own, siteId);
      return {
        ask: async (task, question) => {
          try {
            const inTurn = () => turns.add(() => persistently(task, question), { signal });
            return await own.add(inTurn, { signal });
          } catch (error) {
            // Nobody hears of it; it is no fault of ours either.
            throw signal.aborted ? new AppError('busy', 'The client has gone') : error;
          }
        },
        end: () => {
          own.clear();
          texts.delete(own);
        },
      };
    },
  };
}

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

export function createSaying(turns: Turns): Saying {
  return {
    say: async (voice, text, signal) => {
      const turn = turns.begin(null, signal);
      try {
        return (await sayText(turn, voice, text))?.mp3;
      } finally {
        turn.end();
      }
    },
  };
}
