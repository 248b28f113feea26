import { createHash } from 'node:crypto';
import type { NewPlannedSegment } from '../database/schema.ts';
import { AppError, operationFailed } from '../errors.ts';
import type { LeftOut, SourceSpan } from '../speech/extract/block.ts';
import type { NarrationSettings } from '../speech/narration-settings.ts';
import { packWords } from '../speech/phonemize/word-spans.ts';
import type { Alias, FindAliases } from '../speech/pronunciation/replacer.ts';
import { type PlannedSegment, sliceSentence, type TextRange } from '../speech/segments.ts';
import { getPauseAfter, type Sentence } from '../speech/sentences.ts';
import type { SynthesisParams, Tasks } from '../speech/worker-protocol.ts';
import { engineVersion, plannerVersion, version } from '../version.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices, type DefaultVoices, selectDefaultVoice } from '../voices/store.ts';
import type { ClaimedAudio, PreviousSegment } from './job-store.ts';
import type { CallWorker } from './pending-segments.ts';

/** Everything that determines the sound of a segment, except its phonemes. */
export type SegmentAudioParams = Omit<SynthesisParams, 'ids' | 'audiblePhonemes'>;

/**
 * The key of a segment: SHA-256 of everything that determines its sound, hex. Includes the site, so that no site can learn
 * the text of another one, and deletion is complete.
 */
export function hashSegment(siteId: number, params: SynthesisParams): string {
  const hash = createHash('sha256').update(serializeAudioParams(siteId, params));
  return hash.update(Uint32Array.from(params.ids)).digest('hex');
}

/**
 * The key of a sentence in a plan: SHA-256 of everything that determines its segments, hex. Includes the program version, as
 * another version may pronounce a word differently.
 */
function computePlanKey(
  siteId: number,
  { text, tokens }: Pick<Sentence, 'text' | 'tokens'>,
  sound: SegmentAudioParams,
): string {
  const content = JSON.stringify([version, plannerVersion, text, tokens]);
  return createHash('sha256').update(serializeAudioParams(siteId, sound)).update(content).digest('hex');
}

function serializeAudioParams(siteId: number, sound: SegmentAudioParams): string {
  return JSON.stringify([
    engineVersion,
    siteId,
    sound.voice.contentHash,
    sound.speaker,
    sound.pauseMs,
    sound.gainDb,
    sound.sampleRateHz,
    sound.bitRateKbps,
    sound.inferenceCount,
    sound.speed,
  ]);
}

/** A voice with the gain that brings it to the common loudness, in dB. */
export interface Speaker {
  readonly voice: InstalledVoice;
  readonly gainDb: number;
}

/** The voice for passages in another language. */
export interface ForeignSpeaker {
  readonly language: string;
  readonly aliases: readonly Alias[];
  /** Called only if there is such a passage, as a new voice must be measured first. */
  resolveSpeaker(): Promise<Speaker>;
}

/** @throws AppError `bad_voice` when the voice can't be measured */
export async function resolveSpeaker(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  // Rounded, as it is part of the key of every segment.
  return { voice, gainDb: Math.round((await catalog.getGain(voice)) * 100) / 100 };
}

/** Like `resolveSpeaker`, for an automatically selected voice. @throws AppError that names the voice */
async function resolveForeignSpeaker(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  try {
    return await resolveSpeaker(catalog, voice);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_voice') throw error;
    throw operationFailed(`Voice ${voice.name} for a passage in ${voice.language} failed: ${error.message}`);
  }
}

/**
 * The voices for foreign spans: for each language the voice that reads posts in it.
 */
export function selectForeignVoices(
  voices: readonly InstalledVoice[],
  site: DefaultVoices,
  language: string,
): ReadonlyMap<string, InstalledVoice> {
  const allowed = allowedVoices(voices, site).filter((voice) => voice.language !== language);
  const byLanguage = new Map<string, InstalledVoice>();
  for (const code of new Set(allowed.map((voice) => voice.language))) {
    const voice = selectDefaultVoice(allowed, site, code);
    if (voice !== undefined) byLanguage.set(code, voice);
  }
  return byLanguage;
}

export async function listForeignSpeakers(
  catalog: Catalog,
  audio: ClaimedAudio,
  getAliases: FindAliases,
): Promise<ForeignSpeaker[]> {
  const voices = selectForeignVoices(await catalog.voices(), audio, audio.language);
  return Promise.all(
    [...voices].map(async ([language, voice]) => ({
      language,
      aliases: await getAliases(audio.site_id, language),
      resolveSpeaker: () => resolveForeignSpeaker(catalog, voice),
    })),
  );
}

/** A segment of a plan that is not stored yet. */
export interface SegmentDraft {
  readonly row: Omit<NewPlannedSegment, 'version_id' | 'position'>;
  /** Undefined if reused: it is synthesized already. */
  readonly params: SynthesisParams | undefined;
}

interface SentenceDrafts {
  readonly segments: readonly SegmentDraft[];
  /** Indices of the sentences that have no sound. */
  readonly silent: ReadonlySet<number>;
  readonly leftOut: readonly LeftOut[];
  readonly unknownSymbols: readonly string[];
  readonly phonemizedCount: number;
}

export interface SegmentPlannerOptions {
  readonly source: SegmentPlanInput;
  /** For passages in other languages, by language. */
  readonly foreignSpeakers: ReadonlyMap<string, Speaker>;
  readonly sampleRateHz: number;
  /** Of the served version, by the keys of their sentences. */
  readonly previousSegments: ReadonlyMap<string, readonly PreviousSegment[]>;
}

type PlanResult = Tasks['plan']['result'];

const emptyPlanResult: PlanResult = { segments: [], silent: [], leftOut: [], unknownSymbols: [] };

export interface SegmentPlanInput {
  readonly audio: ClaimedAudio;
  readonly speaker: Speaker;
  /** Pronunciations of the site. */
  readonly aliases: readonly Alias[];
  readonly reading: NarrationSettings;
  /** Voices for passages in other languages; empty if the site wants one voice. */
  readonly foreign: readonly ForeignSpeaker[];
}

/** Turns sentences into segments: reuses those of the previous version, and has a worker phonemize the others. */
export class SegmentPlanner {
  readonly #call: CallWorker;
  readonly #options: SegmentPlannerOptions;

  constructor(callWorker: CallWorker, options: SegmentPlannerOptions) {
    this.#call = callWorker;
    this.#options = options;
  }

  async draft(sentences: readonly Sentence[]): Promise<SentenceDrafts> {
    const keys = sentences.map((sentence) => this.#computeKey(sentence));
    const reused = sentences.map((sentence, index) => this.#reuseFromPrevious(sentence, keys[index] ?? ''));
    const fresh = [...sentences.keys()].filter((index) => reused[index] === undefined);
    const planned = await this.#phonemize(fresh.flatMap((index) => sentences[index] ?? []));
    const bySentence = Map.groupBy(planned.segments, ({ sentenceIndex }) => fresh[sentenceIndex]);
    return {
      segments: keys.flatMap((key, index) => reused[index] ?? this.#toDrafts(bySentence.get(index) ?? [], key)),
      silent: new Set(planned.silent.flatMap((place) => fresh[place] ?? [])),
      leftOut: planned.leftOut,
      unknownSymbols: planned.unknownSymbols,
      phonemizedCount: fresh.length,
    };
  }

  async #phonemize(sentences: readonly Sentence[]): Promise<PlanResult> {
    if (sentences.length === 0) return emptyPlanResult;
    const { source, foreignSpeakers } = this.#options;
    return this.#call('plan', {
      voice: source.speaker.voice.files,
      sentences,
      foreign: [...foreignSpeakers].map(([language, { voice }]) => ({ language, voice: voice.files })),
    });
  }

  #computeKey(sentence: Sentence): string {
    const sound = this.#buildAudioParams(sentence.language, getPauseAfter(sentence), sentence.rate);
    return computePlanKey(this.#options.source.audio.site_id, sentence, sound);
  }

  /** @param segments of one sentence */
  #toDrafts(segments: readonly PlannedSegment[], key: string): SegmentDraft[] {
    const isRepeatable = segments.every(
      ({ hasOnlyKnownSymbols, range }) => hasOnlyKnownSymbols && range.start < range.end,
    );
    return segments.map(({ kind, spoken, ids, audiblePhonemes, language, pauseMs, rate, words, ...place }) => {
      const params = { ...this.#buildAudioParams(language, pauseMs, rate), ids, audiblePhonemes };
      return {
        params,
        row: {
          hash: hashSegment(this.#options.source.audio.site_id, params),
          ...{ kind, spoken, ...toColumns(place) },
          words: packWords(words),
          phoneme_count: audiblePhonemes,
          pause_ms: params.pauseMs,
          voice_id: this.#findVoiceId(language),
          plan_key: isRepeatable ? key : null,
        },
      };
    });
  }

  /**
   * The segments of the same sentence in the previous version, at their new place: the markup may differ.
   * @returns undefined if there are none, or not for the whole sentence
   */
  #reuseFromPrevious(sentence: Sentence, key: string): SegmentDraft[] | undefined {
    const previous = this.#options.previousSegments.get(key);
    if (previous === undefined) return undefined;
    const { kind, language } = sentence;
    const voice_id = this.#findVoiceId(language);
    const reused: SegmentDraft[] = [];
    let reached = 0;
    for (const { sentence_start, sentence_end, ...row } of previous) {
      const range = { start: sentence_start ?? 0, end: sentence_end ?? 0 };
      if (range.start !== reached) return undefined;
      reached = range.end;
      const columns = toColumns({ ...sliceSentence(sentence, range), range });
      reused.push({ row: { ...row, ...columns, kind, voice_id, plan_key: key }, params: undefined });
    }
    return reached === sentence.text.length ? reused : undefined;
  }

  /**
   * @param pauseMs at normal speed
   * @param rate relative to the speed of the article
   */
  #buildAudioParams(language: string | undefined, pauseMs: number, rate = 1): SegmentAudioParams {
    const { source, sampleRateHz } = this.#options;
    const { voice, gainDb } = this.#findSpeaker(language);
    const { speed } = source.reading;
    return {
      voice: voice.files,
      speaker: voice.speaker,
      pauseMs: Math.round(pauseMs / speed),
      gainDb,
      sampleRateHz,
      bitRateKbps: source.audio.bit_rate_kbps,
      inferenceCount: 1,
      speed: speed * rate,
    };
  }

  #findVoiceId(language: string | undefined): number | null {
    return language === undefined ? null : this.#findSpeaker(language).voice.id;
  }

  #findSpeaker(language: string | undefined): Speaker {
    const { source, foreignSpeakers } = this.#options;
    return language === undefined ? source.speaker : (foreignSpeakers.get(language) ?? source.speaker);
  }
}

function toColumns({ text, span, range }: { text: string; span: SourceSpan; range: TextRange }) {
  return {
    text,
    ...{ source_field: span.field, source_start: span.start, source_end: span.end },
    ...{ sentence_start: range.start, sentence_end: range.end },
  };
}
