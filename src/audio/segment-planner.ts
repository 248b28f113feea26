import { createHash } from 'node:crypto';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { engineVersion, plannerVersion } from '../speech/engine-version.ts';
import type { BlockKind, LeftOut, SourceSpan } from '../speech/extract/block.ts';
import type { Alias, AliasesOf } from '../speech/pronunciation/lexicon.ts';
import { inSentence, type PlannedSegment, type Stretch } from '../speech/segments.ts';
import { pauseAfter, type Sentence } from '../speech/sentences.ts';
import type { SpeakQuestion, Tasks } from '../speech/worker-protocol.ts';
import { version } from '../version.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices, defaultVoice } from '../voices/store.ts';
import type { ClaimedAudio, PlannedBefore } from './job-store.ts';
import type { AskPersistently } from './pending-segments.ts';
import type { PlanSource } from './segment-plan.ts';

/** All that shapes the sound of a segment but its phonemes. */
export type SoundShape = Omit<SpeakQuestion, 'ids' | 'soundingCount'>;

/**
 * The name of a segment: SHA-256 over everything that shapes its sound, hex. The site is in it, so that no site can
 * learn another's text, and deletion is complete.
 */
export function segmentHash(siteId: number, question: SpeakQuestion): string {
  const hash = createHash('sha256').update(shapeOf(siteId, question));
  return hash.update(Uint32Array.from(question.ids)).digest('hex');
}

/**
 * The name of what a sentence is planned from: SHA-256 over everything that the name of its segment, the words said in it
 * and the count of its phonemes follow from, hex. The program is in it, as another one may know better how a word is said.
 */
function planKey(
  siteId: number,
  { text, pieces }: Pick<Sentence, 'text' | 'pieces'>,
  sound: SoundShape,
): string {
  const said = JSON.stringify([version, plannerVersion, text, pieces]);
  return createHash('sha256').update(shapeOf(siteId, sound)).update(said).digest('hex');
}

function shapeOf(siteId: number, sound: SoundShape): string {
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
export interface ForeignSpeaking {
  readonly language: string;
  readonly aliases: readonly Alias[];
  /** Asked for only where there is such a passage: an unheard voice is measured first. */
  speaker(): Promise<Speaker>;
}

/** @throws AppError `bad_voice` when the voice can't be measured */
export async function speakerOf(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  // Rounded, as it is part of every segment's name.
  return { voice, gainDb: Math.round((await catalog.gainOf(voice)) * 100) / 100 };
}

/** As `speakerOf`, for a voice that nobody asked for by its name. @throws AppError that says which voice it is */
async function foreignSpeakerOf(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  try {
    return await speakerOf(catalog, voice);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_voice') throw error;
    throw new AppError(
      'operation_failed',
      `The voice ${voice.name}, of a passage in ${voice.language}, cannot speak: ${error.message}`,
    );
  }
}

/**
 * Who speaks passages in other languages than the article's: of each language the site's own voice, else the one of the
 * lowest id that its plan allows.
 */
export function foreignVoices(
  voices: readonly InstalledVoice[],
  site: Pick<Site, 'plan' | 'default_voice_id'>,
  language: string,
): ReadonlyMap<string, InstalledVoice> {
  const allowed = allowedVoices(voices, site).filter((voice) => voice.language !== language);
  const byLanguage = new Map<string, InstalledVoice>();
  for (const [code, some] of Map.groupBy(allowed, (voice) => voice.language)) {
    const voice = defaultVoice(some, site);
    if (voice !== undefined) byLanguage.set(code, voice);
  }
  return byLanguage;
}

/** Who may speak passages in other languages, and how words are said in them. */
export async function foreignSpeaking(
  catalog: Catalog,
  audio: ClaimedAudio,
  aliasesOf: AliasesOf,
): Promise<ForeignSpeaking[]> {
  const voices = foreignVoices(await catalog.voices(), audio, audio.language);
  return Promise.all(
    [...voices].map(async ([language, voice]) => ({
      language,
      aliases: await aliasesOf(audio.site_id, language),
      speaker: () => foreignSpeakerOf(catalog, voice),
    })),
  );
}

/** A segment of a plan. */
export interface DraftedSegment {
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
  readonly stretch: Stretch;
  /** Undefined for what was taken over: it is spoken already. */
  readonly question: SpeakQuestion | undefined;
}

/** What sentences became. */
interface DraftedSentences {
  readonly segments: readonly DraftedSegment[];
  /** Indices of the sentences that have no sound. */
  readonly silent: ReadonlySet<number>;
  readonly leftOut: readonly LeftOut[];
  readonly unknownSymbols: readonly string[];
  /** How many sentences a worker was asked about. */
  readonly phonemizedCount: number;
}

/** What holds for all segments of an article. */
export interface PlannerOptions {
  readonly source: PlanSource;
  /** Of passages in other languages, by language. */
  readonly foreignSpeakers: ReadonlyMap<string, Speaker>;
  readonly sampleRateHz: number;
  /** What became of the sentences of the version that is served, by their keys. */
  readonly before: ReadonlyMap<string, readonly PlannedBefore[]>;
}

type AnsweredPlan = Tasks['plan']['answer'];

const nothingAsked: AnsweredPlan = { segments: [], silent: [], leftOut: [], unknownSymbols: [] };

/** Turns sentences into segments: takes over what became of the same ones before, and asks a worker about the others. */
export class Planner {
  readonly #ask: AskPersistently;
  readonly #options: PlannerOptions;

  constructor(ask: AskPersistently, options: PlannerOptions) {
    this.#ask = ask;
    this.#options = options;
  }

  async draft(sentences: readonly Sentence[]): Promise<DraftedSentences> {
    const keys = sentences.map((sentence) => this.#keyOf(sentence));
    const known = sentences.map((sentence, index) => this.#takenOver(sentence, keys[index] ?? ''));
    const asked = [...sentences.keys()].filter((index) => known[index] === undefined);
    const planned = await this.#phonemized(asked.flatMap((index) => sentences[index] ?? []));
    const fresh = Map.groupBy(planned.segments, ({ sentenceIndex }) => asked[sentenceIndex]);
    return {
      segments: keys.flatMap(
        (key, index) => known[index] ?? this.#drafted(fresh.get(index) ?? [], key),
      ),
      silent: new Set(planned.silent.flatMap((place) => asked[place] ?? [])),
      leftOut: planned.leftOut,
      unknownSymbols: planned.unknownSymbols,
      phonemizedCount: asked.length,
    };
  }

  async #phonemized(sentences: readonly Sentence[]): Promise<AnsweredPlan> {
    if (sentences.length === 0) return nothingAsked;
    const { source, foreignSpeakers } = this.#options;
    return this.#ask('plan', {
      voice: source.speaker.voice.files,
      sentences,
      foreign: [...foreignSpeakers].map(([language, { voice }]) => ({
        language,
        voice: voice.files,
      })),
    });
  }

  #keyOf(sentence: Sentence): string {
    const sound = this.#soundOf(sentence.language, pauseAfter(sentence));
    return planKey(this.#options.source.audio.site_id, sentence, sound);
  }

  /** @param segments of one sentence */
  #drafted(segments: readonly PlannedSegment[], key: string): DraftedSegment[] {
    const isRepeatable = segments.every(
      ({ isKnown, stretch }) => isKnown && stretch.start < stretch.end,
    );
    return segments.map(({ kind, text, span, spoken, stretch, ids, soundingCount, ...segment }) => {
      const sound = this.#soundOf(segment.language, segment.pauseMs);
      const question = { ...sound, ids, soundingCount };
      return {
        hash: segmentHash(this.#options.source.audio.site_id, question),
        ...{ kind, text, span, spoken, stretch, question },
        phonemeCount: soundingCount,
        pauseMs: question.pauseMs,
        voiceId: this.#voiceIdOf(segment.language),
        planKey: isRepeatable ? key : null,
      };
    });
  }

  /**
   * What became of the same sentence before, in its new place: the markup in and around it may be another.
   * @returns undefined where nobody knows, or not for all of it
   */
  #takenOver(sentence: Sentence, key: string): DraftedSegment[] | undefined {
    const before = this.#options.before.get(key);
    if (before === undefined) return undefined;
    const taken: DraftedSegment[] = [];
    let reached = 0;
    for (const { hash, spoken, phoneme_count, pause_ms, ...row } of before) {
      const stretch = { start: row.sentence_start ?? 0, end: row.sentence_end ?? 0 };
      if (stretch.start !== reached) return undefined;
      reached = stretch.end;
      taken.push({
        ...{ hash, kind: sentence.kind, ...inSentence(sentence, stretch), spoken, stretch },
        phonemeCount: phoneme_count,
        pauseMs: pause_ms,
        voiceId: this.#voiceIdOf(sentence.language),
        planKey: key,
        question: undefined,
      });
    }
    return reached === sentence.text.length ? taken : undefined;
  }

  /** @param pauseMs at the usual speed */
  #soundOf(language: string | undefined, pauseMs: number): SoundShape {
    const { source, sampleRateHz } = this.#options;
    const { voice, gainDb } = this.#speakerOf(language);
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

  #voiceIdOf(language: string | undefined): number | null {
    return language === undefined ? null : this.#speakerOf(language).voice.id;
  }

  #speakerOf(language: string | undefined): Speaker {
    const { source, foreignSpeakers } = this.#options;
    return language === undefined
      ? source.speaker
      : (foreignSpeakers.get(language) ?? source.speaker);
  }
}
