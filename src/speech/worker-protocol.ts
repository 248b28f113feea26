import type { ErrorCode } from '../errors.ts';
import type { LeftOut } from './extract/block.ts';
import type { ContentType } from './extract/document.ts';
import type { NarrationSettings } from './narration-settings.ts';
import type { OptimizeOutcome } from './optimize/outcome.ts';
import type { PreviewedSentence, PronouncedWord } from './preview.ts';
import type { Alias } from './pronunciation/replacer.ts';
import type { WordCount } from './pronunciation/unknown-words.ts';
import type { PlannedSegment } from './segments.ts';
import type { Coverage, Sentence } from './sentences.ts';
import type { VoiceConfig } from './synthesize/voice-config.ts';
import type { VoiceFiles } from './synthesize/voice-model.ts';

/** Params and result by task. Plain data: it crosses a process boundary. */
export interface Tasks {
  read: {
    params: {
      title: string | null;
      content: string;
      /** Null: HTML or plain text. */
      contentType?: ContentType | null;
      language: string;
      aliases?: readonly Alias[];
      reading?: NarrationSettings;
      foreign?: readonly { language: string; aliases: readonly Alias[] }[];
      wantsUnknownWords?: boolean;
    };
    result: {
      sentences: Sentence[];
      leftOut: LeftOut[];
      coverage: Coverage;
      unknownWords: WordCount[];
    };
  };
  plan: {
    params: {
      voice: VoiceFiles;
      sentences: readonly Sentence[];
      foreign?: readonly { language: string; voice: VoiceFiles }[];
    };
    result: {
      segments: readonly PlannedSegment[];
      /** Indices of sentences without sound in this voice. */
      silent: number[];
      leftOut: LeftOut[];
      unknownSymbols: string[];
    };
  };
  preview: {
    params: Tasks['plan']['params'];
    result: {
      sentences: PreviewedSentence[];
      leftOut: LeftOut[];
      unknownSymbols: string[];
    };
  };
  pronounce: {
    params: { voice: VoiceFiles; language: string; words: readonly string[] };
    result: { words: PronouncedWord[] };
  };
  speak: { params: SynthesisParams; result: SynthesizedSegment };
  /** Loads a voice before its first segment. */
  load: { params: { voice: VoiceFiles }; result: { sampleRateHz: number } };
  /** Inspects a new voice. */
  examine: {
    params: { modelPath: string; configPath: string };
    result: { contentHash: string; config: VoiceConfig };
  };
  /** Smoke test: synthesizes every symbol of a voice. */
  probe: { params: { voice: VoiceFiles }; result: null };
  /** The gain that brings a voice to the target loudness. */
  measure: {
    params: { voice: VoiceFiles; speaker: number };
    result: { gainDb: number; realTimeFactor: number };
  };
  /** Answered at once by a worker that works. */
  ping: { params: object; result: null };
  /** Optimizes a voice for this machine, at the lowest priority. */
  optimize: { params: { voice: VoiceFiles; into: string }; result: OptimizeOutcome };
}

export type TaskName = keyof Tasks;

/** Tasks that process text and run no model: their CPU time is limited. */
export const textTasks: ReadonlySet<TaskName> = new Set(['read', 'plan', 'preview', 'pronounce']);

/** Loaded voices per worker, the most recently used ones. */
export const maxLoadedVoices = 2;

export interface SynthesisParams {
  readonly voice: VoiceFiles;
  readonly speaker: number;
  readonly ids: readonly number[];
  readonly audiblePhonemes: number;
  readonly pauseMs: number;
  readonly gainDb: number;
  readonly sampleRateHz: number;
  readonly bitRateKbps: number;
  /** Number of inferences: 1, or more after a crash. */
  readonly inferenceCount: number;
  /** 1 is the normal rate of the voice. The pause is scaled already. */
  readonly speed: number;
  /** Samples instead of MP3 frames; the bit rate is ignored. */
  readonly isPcm?: boolean;
}

export interface SynthesizedSegment {
  /** MP3 frames or 16-bit samples, without a header. */
  readonly frames: Uint8Array;
  readonly frameCount: number;
  /** Hex. */
  readonly framesSha256: string;
  /** Without the pause after it. */
  readonly speechMs: number;
  /** Start of each phoneme id in ms; undefined: the voice gives no durations. */
  readonly idStartsMs: Uint16Array | undefined;
}

export interface WorkerRequest {
  readonly id: number;
  readonly task: TaskName;
  readonly params: Tasks[TaskName]['params'];
}

export interface WorkerState {
  readonly rssBytes: number;
  /** Content hashes of the loaded voices. */
  readonly voices: readonly string[];
  /** Number of times a voice was loaded. */
  readonly voiceLoads: number;
}

export type WorkerResponse = { readonly id: number; readonly state: WorkerState } & (
  | { readonly result: Tasks[TaskName]['result'] }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } }
);
