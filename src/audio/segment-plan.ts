import { createHash } from 'node:crypto';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { mp3SampleRate } from '../speech/encode/mp3.ts';
import { engineVersion } from '../speech/engine-version.ts';
import type { LeftOut, SourceSpan } from '../speech/extract/block.ts';
import type { Reading } from '../speech/narration-settings.ts';
import type { Alias } from '../speech/pronunciation/lexicon.ts';
import { batchesOf } from '../speech/segments.ts';
import { type Sentence, type TextSum, TextSummer, textSum } from '../speech/sentences.ts';
import type { SpeakQuestion, Tasks } from '../speech/worker-protocol.ts';
import { version } from '../version.ts';
import {
  type ClaimedAudio,
  dropUnfinishedVersions,
  insertPlan,
  insertVersion,
  isCurrent,
  plannedBefore,
  presentSegments,
} from './job-store.ts';
import type { Provenance } from './manifest/schema.ts';
import type { AskPersistently } from './pending-segments.ts';
import type { SentenceCounts } from './publish.ts';
import {
  type DraftedSegment,
  type ForeignSpeaking,
  Planner,
  type Speaker,
} from './segment-planner.ts';

/** Sentences of the first batch, of the second, and of all others. */
const batchCounts = [3, 40, 200];

/** A planned segment that nobody has spoken yet. */
export interface MissingSegment {
  readonly hash: string;
  readonly question: SpeakQuestion;
  /** Characters, for the fair share. */
  readonly cost: number;
}

/** What a plan is made for. */
export interface PlanSource {
  readonly audio: ClaimedAudio;
  readonly speaker: Speaker;
  /** What the site has said instead of words. */
  readonly aliases: readonly Alias[];
  readonly reading: Reading;
  /** Who may speak passages in other languages; empty where the site wants one voice. */
  readonly foreign: readonly ForeignSpeaking[];
}

type ReadArticle = Tasks['read']['answer'];

/** An article as an ordered list of segments, written down batch by batch. */
export class Plan {
  readonly versionId: number;
  readonly leftOut: LeftOut[];
  readonly sampleRateHz: number;
  readonly unknownSymbols = new Set<string>();
  readonly #database: Database;
  readonly #planner: Planner;
  readonly #source: PlanSource;
  readonly #sentenceCount: number;
  readonly #batches: ReturnType<typeof batchesOf>;
  /** By language. */
  readonly #foreignSpeakers: ReadonlyMap<string, Speaker>;
  readonly #kept: number;
  readonly #toSay = new TextSummer();
  readonly #hashes = new Set<string>();
  #sentencesPlanned = 0;
  #sentencesPhonemized = 0;
  #segmentsPlanned = 0;
  #presentAtPlanning = 0;

  /**
   * Reads the article and begins a version for it; its unfinished forerunners go.
   * @returns undefined when the audio was changed meanwhile
   */
  static async begin(
    database: Database,
    ask: AskPersistently,
    source: PlanSource,
  ): Promise<Plan | undefined> {
    const { audio, aliases, reading } = source;
    const { voice } = source.speaker;
    const { title, content, language } = audio;
    const foreign = source.foreign.map((one) => ({ language: one.language, aliases: one.aliases }));
    const article = await ask('read', { title, content, language, aliases, reading, foreign });
    checkRead(article);
    const foreignSpeakers = await speakersOf(article.sentences, source.foreign);
    const sampleRateHz = mp3SampleRate(voice.sample_rate_hz, audio.bit_rate_kbps);
    const versionId = await database.writeLazily(async (db) => {
      if (!(await isCurrent(db, audio.id, audio.generation))) return undefined;
      await dropUnfinishedVersions(db, audio.id);
      return insertVersion(db, {
        audio_id: audio.id,
        generation: audio.generation,
        voice_id: voice.id,
        title,
        sample_rate_hz: sampleRateHz,
        bit_rate_kbps: audio.bit_rate_kbps,
        // Claimed then; lexicon and settings were read after it.
        began_at: audio.updated_at,
      });
    });
    if (versionId === undefined) return undefined;
    const before = await plannedBefore(database.read, audio.version_id);
    const planner = new Planner(ask, { source, foreignSpeakers, sampleRateHz, before });
    return new Plan(database, planner, source, article, foreignSpeakers, versionId, sampleRateHz);
  }

  private constructor(
    database: Database,
    planner: Planner,
    source: PlanSource,
    article: ReadArticle,
    foreignSpeakers: ReadonlyMap<string, Speaker>,
    versionId: number,
    sampleRateHz: number,
  ) {
    this.#database = database;
    this.#planner = planner;
    this.#source = source;
    this.#sentenceCount = article.sentences.length;
    this.#batches = batchesOf(article.sentences, batchCounts);
    this.#foreignSpeakers = foreignSpeakers;
    this.#kept = article.coverage.kept;
    this.leftOut = article.leftOut;
    this.versionId = versionId;
    this.sampleRateHz = sampleRateHz;
  }

  get isComplete(): boolean {
    return this.#sentencesPlanned >= this.#sentenceCount;
  }

  /** Segments planned so far. */
  get segmentCount(): number {
    return this.#segmentsPlanned;
  }

  /** Different segments planned so far: a sentence that comes twice is spoken once. */
  get differentCount(): number {
    return this.#hashes.size;
  }

  /** Different segments that were there before anything was spoken for this plan. */
  get reusedCount(): number {
    return this.#presentAtPlanning;
  }

  /** Sentences planned so far, by whether a worker was asked about them or the version before had planned them. */
  get sentenceCounts(): SentenceCounts {
    const phonemized = this.#sentencesPhonemized;
    return { phonemized, reused: this.#sentencesPlanned - phonemized };
  }

  /** What the version is made with and from; to be asked once, when all is planned. */
  provenance(): Provenance {
    const speakers = [this.#source.speaker, ...this.#foreignSpeakers.values()];
    return provenanceOf(this.#source, speakers, this.#kept, this.#toSay.sum());
  }

  /** Plans the next batch of sentences. @returns its segments that must be spoken */
  async advance(): Promise<MissingSegment[]> {
    const batch = this.#batches.next().value ?? [];
    const drafted = await this.#planner.draft(batch);
    for (const symbol of drafted.unknownSymbols) this.unknownSymbols.add(symbol);
    this.leftOut.push(...drafted.leftOut);
    for (const [index, { text }] of batch.entries()) {
      if (!drafted.silent.has(index)) this.#toSay.add(text);
    }
    const missing = await this.#write(drafted.segments);
    this.#sentencesPlanned += batch.length;
    this.#sentencesPhonemized += drafted.phonemizedCount;
    return missing;
  }

  async #write(segments: readonly DraftedSegment[]): Promise<MissingSegment[]> {
    const rows = segments.map((segment, index) => ({
      version_id: this.versionId,
      position: this.#segmentsPlanned + index,
      hash: segment.hash,
      kind: segment.kind,
      text: segment.text,
      source_field: segment.span.field,
      source_start: segment.span.start,
      source_end: segment.span.end,
      spoken: segment.spoken,
      phoneme_count: segment.phonemeCount,
      pause_ms: segment.pauseMs,
      voice_id: segment.voiceId,
      plan_key: segment.planKey,
      sentence_start: segment.stretch.start,
      sentence_end: segment.stretch.end,
    }));
    const fresh = segments.filter(({ hash }) => {
      const isNew = !this.#hashes.has(hash);
      this.#hashes.add(hash);
      return isNew;
    });
    // The rows first: what a plan names is not collected as unused.
    const present = await this.#database.writeLazily(async (db) => {
      const { id, generation } = this.#source.audio;
      // Deleted, or another text by now: whoever runs the plan drops it in a moment.
      if (!(await isCurrent(db, id, generation))) return undefined;
      await insertPlan(db, rows);
      const hashes = fresh.map(({ hash }) => hash);
      return presentSegments(db, hashes);
    });
    if (present === undefined) return [];
    this.#segmentsPlanned += rows.length;
    this.#presentAtPlanning += present.size;
    return fresh.filter(({ hash }) => !present.has(hash)).map(missingSegment);
  }
}

/** @throws Error when it was taken over and has gone meanwhile: it is planned again */
function missingSegment({ hash, text, question }: DraftedSegment): MissingSegment {
  if (question === undefined) throw new Error(`the segment ${hash} has gone`);
  return { hash, question, cost: text.length };
}

/** Those whose languages occur. */
async function speakersOf(
  sentences: readonly Sentence[],
  foreign: readonly ForeignSpeaking[],
): Promise<ReadonlyMap<string, Speaker>> {
  const languages = new Set(sentences.map((sentence) => sentence.language));
  const speakers = new Map<string, Speaker>();
  for (const { language, speaker } of foreign) {
    if (languages.has(language)) speakers.set(language, await speaker());
  }
  return speakers;
}

/** @throws AppError `operation_failed` when the sentences don't say what the reader of the text kept */
function checkRead({ sentences, coverage }: ReadArticle): void {
  const inSentences = textSum(sentences.map(({ text }) => text));
  if (inSentences.sha256 === coverage.toSay.sha256) return;
  throw new AppError(
    'operation_failed',
    `The text was not read whole: ${inSentences.characters} characters are in its sentences, ${coverage.toSay.characters} are to be spoken`,
  );
}

/**
 * What a version is made with and from.
 * @param speakers the voice of the article first
 * @param kept characters that the reader of the text kept
 * @param spoken those of them that its segments must say
 */
function provenanceOf(
  { audio, reading }: PlanSource,
  speakers: readonly Speaker[],
  kept: number,
  spoken: TextSum,
): Provenance {
  const { title, content } = audio;
  const { intro, outro, disclosure, speed } = reading;
  const fields = { intro, title: title ?? '', content, outro, disclosure };
  const source = Object.entries(fields).filter(([, text]) => text !== '');
  return {
    format: 1,
    program: version,
    engine: engineVersion,
    speed,
    voices: speakers.map(({ voice, gainDb }) => ({
      id: voice.id,
      name: voice.name,
      content_sha256: voice.content_hash,
      speaker: voice.speaker,
      gain_db: gainDb,
      license: voice.license,
    })),
    source: source.map(([field, text]) => ({
      field: field as SourceSpan['field'],
      length: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    })),
    coverage: {
      kept_characters: kept,
      silent_characters: kept - spoken.characters,
      spoken_characters: spoken.characters,
      spoken_sha256: spoken.sha256,
    },
  };
}
