import { type SaidText, type SpeakingVoice, sayText } from '../../speech/say.ts';
import type { Turns } from './turns.ts';

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
