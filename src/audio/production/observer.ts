import type { AppError } from '../../errors.ts';
import type { Outcome } from './produce.ts';

/**
 * Why an audio failed, in classes: its text has nothing to say, its voice is unusable, a sentence cannot be spoken, or the
 * server met an error that nobody foresaw.
 */
export type FailureReason = 'no_text' | 'voice' | 'speech' | 'internal';

/** Sentences that were planned, by where their phonemes came from: from a worker, or from the version before. */
export interface SentenceCounts {
  readonly phonemized: number;
  readonly reused: number;
}

/** Told of what is produced while it happens. Must not throw. */
export interface ProductionObserver {
  /** A segment was spoken. */
  spoken(segment: { readonly audioSeconds: number; readonly workerSeconds: number }): void;
  /** One making of an audio is over. */
  ended(end: {
    readonly outcome: Outcome;
    /** Where it failed. */
    readonly reason: FailureReason | undefined;
    /** Segments that were there already. */
    readonly reusedCount: number;
    /** Undefined: none was planned. */
    readonly sentenceCounts: SentenceCounts | undefined;
  }): void;
}

export const noSpeakableText = 'The content has no speakable text';

/** @param error that made an audio fail */
export function failureReason({ code, message }: AppError): FailureReason {
  if (code === 'bad_voice') return 'voice';
  if (code === 'internal') return 'internal';
  return message === noSpeakableText ? 'no_text' : 'speech';
}
