import type { ErrorCode } from '../errors.ts';
import type { LeftOut } from './extract/block.ts';
import type { Reading } from './narration-settings.ts';
import type { CompileOutcome } from './optimize/optimize.ts';
import type { PreviewedSentence, PronouncedWord } from './preview.ts';
import type { Alias } from './pronunciation/lexicon.ts';
import type { WordCount } from './pronunciation/unknown-words.ts';
import type { PlannedSegment } from './segments.ts';
import type { Coverage, Sentence } from './sentences.ts';
import type { VoiceConfig } from './synthesize/voice-config.ts';
import type { VoiceFiles } from './synthesize/voice-model.ts';

/** What a worker can be asked, and what it answers. Plain data: it crosses a process boundary. */
export interface Tasks {
  /** An article → its sentences. */
  read: {
    question: {
      title: string | null;
      content: string;
      language: string;
      aliases?: readonly Alias[];
      reading?: Reading;
      /** Languages that passages may be spoken in by voices of their own. */
      foreign?: readonly { language: string; aliases: readonly Alias[] }[];
      /** Whether words are wanted that the lexicon doesn't know. */
      wantsUnknownWords?: boolean;
    };
    answer: {
      sentences: Sentence[];
      leftOut: LeftOut[];
      coverage: Coverage;
      unknownWords: WordCount[];
    };
  };
  /** Sentences → segments with phoneme ids. */
  plan: {
    question: {
      voice: VoiceFiles;
      sentences: readonly Sentence[];
      /** The voices of passages in other languages. */
      foreign?: readonly { language: string; voice: VoiceFiles }[];
    };
    answer: {
      segments: readonly PlannedSegment[];
      /** Which of the sentences have no sound in this voice; `leftOut` says it of them. */
      silent: number[];
      leftOut: LeftOut[];
      unknownSymbols: string[];
    };
  };
  /** Sentences as they would be said. */
  preview: {
    question: Tasks['plan']['question'];
    answer: {
      sentences: PreviewedSentence[];
      leftOut: LeftOut[];
      unknownSymbols: string[];
    };
  };
  /** How words are said that stand alone. */
  pronounce: {
    question: { voice: VoiceFiles; language: string; words: readonly string[] };
    answer: { words: PronouncedWord[] };
  };
  /** A segment → sound. */
  speak: { question: SpeakQuestion; answer: SpokenSegment };
  /** Loads a voice, so that the first segment needn't wait for it. */
  load: { question: { voice: VoiceFiles }; answer: { sampleRateHz: number } };
  /** Looks at a voice nobody knows yet. */
  examine: {
    question: { modelPath: string; configPath: string };
    answer: { contentHash: string; config: VoiceConfig };
  };
  /** Has a voice nobody knows yet speak every sound its config names. */
  probe: { question: { voice: VoiceFiles }; answer: null };
  /** The gain that brings a voice to the target loudness. */
  measure: {
    question: { voice: VoiceFiles; speaker: number };
    answer: { gainDb: number; realTimeFactor: number };
  };
  /** Makes a voice faster for this machine, into a file, if the sound stays the same; at the lowest priority. */
  compile: { question: { voice: VoiceFiles; into: string }; answer: CompileOutcome };
}

export type TaskName = keyof Tasks;

/** Tasks that process text and run no model: their CPU time is limited. */
export const textTasks: ReadonlySet<TaskName> = new Set(['read', 'plan', 'preview', 'pronounce']);

/** Loaded voices kept per worker, as each takes memory: those used last. */
export const loadedVoicesMax = 2;

export interface SpeakQuestion {
  readonly voice: VoiceFiles;
  readonly speaker: number;
  readonly ids: readonly number[];
  readonly soundingCount: number;
  readonly pauseMs: number;
  readonly gainDb: number;
  readonly sampleRateHz: number;
  readonly bitRateKbps: number;
  /** Inferences to make of it: 1, or more after it has cost a worker its life. */
  readonly inferenceCount: number;
  /** 1: as the voice speaks. The pause is of this speed already. */
  readonly speed: number;
  /** Samples instead of MP3 frames; no bit rate counts then. */
  readonly isPcm?: boolean;
}

export interface SpokenSegment {
  /** MP3 frames, or samples of 16 bits, without any header. */
  readonly frames: Uint8Array;
  /** MP3 frames, or samples. */
  readonly frameCount: number;
  /** Of the frames, hex. */
  readonly framesSha256: string;
  /** Sound without the pause after it. */
  readonly speechMs: number;
}

/** One question on its way to a worker. */
export interface Request {
  readonly id: number;
  readonly task: TaskName;
  readonly question: Tasks[TaskName]['question'];
}

/** How a worker stands after a task. */
export interface WorkerState {
  readonly rssBytes: number;
  /** Content hashes of the voices it has loaded. */
  readonly voices: readonly string[];
  /** How often it has loaded one. */
  readonly voiceLoads: number;
}

/** What comes back for it. */
export type Reply = { readonly id: number; readonly state: WorkerState } & (
  | { readonly answer: Tasks[TaskName]['answer'] }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } }
);
