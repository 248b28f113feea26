import { createHash } from 'node:crypto';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { engineVersion, plannerVersion } from '../speech/engine-version.ts';
import type { BlockKind, LeftOut, SourceSpan } from '../speech/extract/block.ts';
import type { Alias, FindAliases } from '../speech/pronunciation/replacer.ts';
import { type PlannedSegment, sliceSentence, type TextRange } from '../speech/segments.ts';
import { getPauseAfter, type Sentence } from '../speech/sentences.ts';
import type { SynthesisParams, Tasks } from '../speech/worker-protocol.ts';
import { version } from '../version.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices, selectDefaultVoice } from '../voices/store.ts';
import type { ClaimedAudio, PreviousSegment } from './job-store.ts';
import type { CallWorker } from './pending-segments.ts';
import type { SegmentPlanInput } from './segment-plan.ts';

/** All that shapes the sound of a segment but its phonemes. */
export type SegmentAudioParams = Omit<SynthesisParams, 'ids' | 'audiblePhonemes'>;

/**
 * The name of a segment: SHA-256 over everything that shapes its sound, hex. The site is in it, so that no site can
 * learn another's text, and deletion is complete.
 */
export function hashSegment(siteId: number, params: SynthesisParams): string {
  const hash = createHash('sha256').update(serializeAudioParams(siteId, params));
  return hash.update(Uint32Array.from(params.ids)).digest('hex');
}

/**
 * The name of what a sentence is planned from: SHA-256 over everything that the name of its segment, the words said in it
 * and the count of its phonemes follow from, hex. The program is in it, as another one may know better how a word is said.
 */
function computePlanKey(
  siteId: number,
  { text, tokens }: Pick<Sentence, 'text' | 'tokens'>,
  sound: SegmentAudioParams,
): string {
  const said = JSON.stringify([version, plannerVersion, text, tokens]);
  return createHash('sha256').update(serializeAudioParams(siteId, sound)).update(said).digest('hex');
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

/** A voice, and the gain that brings it to the common loudness, in dB. */
export interface Speaker {
  readonly voice: InstalledVoice;
  readonly gainDb: number;
}

/** A language of passages, and who speaks it. */
export interface ForeignSpeaker {
  readonly language: string;
  readonly aliases: readonly Alias[];
  /** Asked for only where there is such a passage: an unheard voice is measured first. */
  resolveSpeaker(): Promise<Speaker>;
}

/** @throws AppError `bad_voice` when the voice can't be measured */
export async function resolveSpeaker(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  // Rounded, as it is part of every segment's name.
  return { voice, gainDb: Math.round((await catalog.getGain(voice)) * 100) / 100 };
}

/** As `resolveSpeaker`, for a voice that nobody asked for by its name. @throws AppError that says which voice it is */
async function resolveForeignSpeaker(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  try {
    return await resolveSpeaker(catalog, voice);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_voice') throw error;
    throw new AppError(
      'operation_failed',
      `Voice ${voice.name} for a passage in ${voice.language} failed: ${error.message}`,
    );
  }
}

/**
 * Who speaks passages in other languages than the article's: of each language the site's own voice, else the one of the
 * lowest id that its plan allows.
 */
export function selectForeignVoices(
  voices: readonly InstalledVoice[],
  site: Pick<Site, 'plan' | 'default_voice_id'>,
  language: string,
): ReadonlyMap<string, InstalledVoice> {
  const allowed = allowedVoices(voices, site).filter((voice) => voice.language !== language);
  const byLanguage = new Map<string, InstalledVoice>();
  for (const [code, some] of Map.groupBy(allowed, (voice) => voice.language)) {
    const voice = selectDefaultVoice(some, site);
    if (voice !== undefined) byLanguage.set(code, voice);
  }
  return byLanguage;
}

/** Who may speak passages in other languages, and how words are said in them. */
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

/** A segment of a plan. */
export interface SegmentDraft {
  readonly hash: string;
  readonly kind: BlockKind;
  readonly text: string;
  readonly span: SourceSpan;
  readonly spoken: string | null;
  readonly phonemeCount: number | null;
  /** At the speed of the article. */
  readonly pauseMs: number | null;
  /** Who speaks it, where that is not the voice of the article. */
  readonly voiceId: number | null;
  /** Null where the next plan must not take it over. */
  readonly planKey: string | null;
  /** Where it lies in the text of its sentence. */
  readonly range: TextRange;
  /** Undefined for what was taken over: it is spoken already. */
  readonly params: SynthesisParams | undefined;
}

/** What sentences became. */
interface SentenceDrafts {
  readonly segments: readonly SegmentDraft[];
  /** Indices of the sentences that have no sound. */
  readonly silent: ReadonlySet<number>;
  readonly leftOut: readonly LeftOut[];
  readonly unknownSymbols: readonly string[];
  /** How many sentences a worker was asked about. */
  readonly phonemizedCount: number;
}

/** What holds for all segments of an article. */
export interface SegmentPlannerOptions {
  readonly source: SegmentPlanInput;
  /** Of passages in other languages, by language. */
  readonly foreignSpeakers: ReadonlyMap<string, Speaker>;
  readonly sampleRateHz: number;
  /** What became of the sentences of the version that is served, by their keys. */
  readonly previousSegments: ReadonlyMap<string, readonly PreviousSegment[]>;
}

type PlanResult = Tasks['plan']['result'];

const emptyPlanResult: PlanResult = { segments: [], silent: [], leftOut: [], unknownSymbols: [] };

/** Turns sentences into segments: takes over what became of the same ones before, and asks a worker about the others. */
export class SegmentPlanner {
  readonly #call: CallWorker;
  readonly #options: SegmentPlannerOptions;

  constructor(ask: CallWorker, options: SegmentPlannerOptions) {
    this.#call = ask;
    this.#options = options;
  }

  async draft(sentences: readonly Sentence[]): Promise<SentenceDrafts> {
    const keys = sentences.map((sentence) => this.#computeKey(sentence));
    const known = sentences.map((sentence, index) => this.#reuseFromPrevious(sentence, keys[index] ?? ''));
    const asked = [...sentences.keys()].filter((index) => known[index] === undefined);
    const planned = await this.#phonemize(asked.flatMap((index) => sentences[index] ?? []));
    const fresh = Map.groupBy(planned.segments, ({ sentenceIndex }) => asked[sentenceIndex]);
    return {
      segments: keys.flatMap((key, index) => known[index] ?? this.#toDrafts(fresh.get(index) ?? [], key)),
      silent: new Set(planned.silent.flatMap((place) => asked[place] ?? [])),
      leftOut: planned.leftOut,
      unknownSymbols: planned.unknownSymbols,
      phonemizedCount: asked.length,
    };
  }

  async #phonemize(sentences: readonly Sentence[]): Promise<PlanResult> {
    if (sentences.length === 0) return emptyPlanResult;
    const { source, foreignSpeakers } = this.#options;
    return this.#call('plan', {
      voice: source.speaker.voice.files,
      sentences,
      foreign: [...foreignSpeakers].map(([language, { voice }]) => ({
        language,
        voice: voice.files,
      })),
    });
  }

  #computeKey(sentence: Sentence): string {
    const sound = this.#buildAudioParams(sentence.language, getPauseAfter(sentence));
    return computePlanKey(this.#options.source.audio.site_id, sentence, sound);
  }

  /** @param segments of one sentence */
  #toDrafts(segments: readonly PlannedSegment[], key: string): SegmentDraft[] {
    const isRepeatable = segments.every(
      ({ hasOnlyKnownSymbols, range }) => hasOnlyKnownSymbols && range.start < range.end,
    );
    return segments.map(({ kind, text, span, spoken, range, ids, audiblePhonemes, ...segment }) => {
      const sound = this.#buildAudioParams(segment.language, segment.pauseMs);
      const params = { ...sound, ids, audiblePhonemes };
      return {
        hash: hashSegment(this.#options.source.audio.site_id, params),
        ...{ kind, text, span, spoken, range, params },
        phonemeCount: audiblePhonemes,
        pauseMs: params.pauseMs,
        voiceId: this.#findVoiceId(segment.language),
        planKey: isRepeatable ? key : null,
      };
    });
  }

  /**
   * What became of the same sentence before, in its new place: the markup in and around it may be another.
   * @returns undefined where nobody knows, or not for all of it
   */
  #reuseFromPrevious(sentence: Sentence, key: string): SegmentDraft[] | undefined {
    const before = this.#options.previousSegments.get(key);
    if (before === undefined) return undefined;
    const taken: SegmentDraft[] = [];
    let reached = 0;
    for (const { hash, spoken, phoneme_count, pause_ms, ...row } of before) {
      const range = { start: row.sentence_start ?? 0, end: row.sentence_end ?? 0 };
      if (range.start !== reached) return undefined;
      reached = range.end;
      taken.push({
        ...{ hash, kind: sentence.kind, ...sliceSentence(sentence, range), spoken, range },
        phonemeCount: phoneme_count,
        pauseMs: pause_ms,
        voiceId: this.#findVoiceId(sentence.language),
        planKey: key,
        params: undefined,
      });
    }
    return reached === sentence.text.length ? taken : undefined;
  }

  /** @param pauseMs at the usual speed */
  #buildAudioParams(language: string | undefined, pauseMs: number): SegmentAudioParams {
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
      speed,
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
