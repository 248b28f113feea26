import { createHash } from 'node:crypto';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { mp3SampleRate } from '../speech/encode/mp3.ts';
import { engineVersion } from '../speech/engine-version.ts';
import type { LeftOut, SourceSpan } from '../speech/extract/block.ts';
import type { NarrationSettings } from '../speech/narration-settings.ts';
import type { Alias } from '../speech/pronunciation/replacer.ts';
import { batchSentences } from '../speech/segments.ts';
import { digestText, type Sentence, type TextDigest, TextDigester } from '../speech/sentences.ts';
import type { SynthesisParams, Tasks } from '../speech/worker-protocol.ts';
import { version } from '../version.ts';
import type { Provenance } from './certificate/schema.ts';
import {
  type ClaimedAudio,
  deleteUnfinishedVersions,
  findExistingHashes,
  insertPlannedSegments,
  insertVersion,
  isCurrentRevision,
  listPreviousSegments,
} from './job-store.ts';
import type { CallWorker } from './pending-segments.ts';
import type { SentenceCounts } from './publish.ts';
import { type ForeignSpeaker, type SegmentDraft, SegmentPlanner, type Speaker } from './segment-planner.ts';

/** Sentences of the first batch, of the second, and of all others. */
const batchSizes = [3, 40, 200];

/** A planned segment that nobody has spoken yet. */
export interface PendingSegment {
  readonly hash: string;
  readonly params: SynthesisParams;
  /** Characters, for the fair share. */
  readonly cost: number;
}

/** What a plan is made for. */
export interface SegmentPlanInput {
  readonly audio: ClaimedAudio;
  readonly speaker: Speaker;
  /** What the site has said instead of words. */
  readonly aliases: readonly Alias[];
  readonly reading: NarrationSettings;
  /** Who may speak passages in other languages; empty where the site wants one voice. */
  readonly foreign: readonly ForeignSpeaker[];
}

type ExtractedArticle = Tasks['read']['result'];

/** An article as an ordered list of segments, written down batch by batch. */
export class SegmentPlan {
  readonly versionId: number;
  readonly leftOut: LeftOut[];
  readonly sampleRateHz: number;
  readonly unknownSymbols = new Set<string>();
  readonly #database: Database;
  readonly #planner: SegmentPlanner;
  readonly #source: SegmentPlanInput;
  readonly #sentenceCount: number;
  readonly #batches: ReturnType<typeof batchSentences>;
  /** By language. */
  readonly #foreignSpeakers: ReadonlyMap<string, Speaker>;
  readonly #extractedChars: number;
  readonly #expectedText = new TextDigester();
  readonly #hashes = new Set<string>();
  #plannedSentenceCount = 0;
  #phonemizedSentenceCount = 0;
  #plannedSegmentCount = 0;
  #reusedSegmentCount = 0;

  /**
   * Reads the article and begins a version for it; its unfinished forerunners go.
   * @returns undefined when the audio was changed meanwhile
   */
  static async create(database: Database, ask: CallWorker, source: SegmentPlanInput): Promise<SegmentPlan | undefined> {
    const { audio, aliases, reading } = source;
    const { voice } = source.speaker;
    const { title, content, language } = audio;
    const foreign = source.foreign.map((one) => ({ language: one.language, aliases: one.aliases }));
    const article = await ask('read', { title, content, language, aliases, reading, foreign });
    checkExtractedText(article);
    const foreignSpeakers = await resolveForeignSpeakers(article.sentences, source.foreign);
    const sampleRateHz = mp3SampleRate(voice.sample_rate_hz, audio.bit_rate_kbps);
    const versionId = await database.writeNormalSync(async (db) => {
      if (!(await isCurrentRevision(db, audio.id, audio.generation))) return undefined;
      await deleteUnfinishedVersions(db, audio.id);
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
    const previousSegments = await listPreviousSegments(database.read, audio.version_id);
    const planner = new SegmentPlanner(ask, {
      source,
      foreignSpeakers,
      sampleRateHz,
      previousSegments,
    });
    return new SegmentPlan(database, planner, source, article, foreignSpeakers, versionId, sampleRateHz);
  }

  private constructor(
    database: Database,
    planner: SegmentPlanner,
    source: SegmentPlanInput,
    article: ExtractedArticle,
    foreignSpeakers: ReadonlyMap<string, Speaker>,
    versionId: number,
    sampleRateHz: number,
  ) {
    this.#database = database;
    this.#planner = planner;
    this.#source = source;
    this.#sentenceCount = article.sentences.length;
    this.#batches = batchSentences(article.sentences, batchSizes);
    this.#foreignSpeakers = foreignSpeakers;
    this.#extractedChars = article.coverage.extractedChars;
    this.leftOut = article.leftOut;
    this.versionId = versionId;
    this.sampleRateHz = sampleRateHz;
  }

  get isComplete(): boolean {
    return this.#plannedSentenceCount >= this.#sentenceCount;
  }

  /** Segments planned so far. */
  get segmentCount(): number {
    return this.#plannedSegmentCount;
  }

  /** Different segments planned so far: a sentence that comes twice is spoken once. */
  get uniqueSegmentCount(): number {
    return this.#hashes.size;
  }

  /** Different segments that were there before anything was spoken for this plan. */
  get reusedSegmentCount(): number {
    return this.#reusedSegmentCount;
  }

  /** Sentences planned so far, by whether a worker was asked about them or the version before had planned them. */
  get sentenceCounts(): SentenceCounts {
    const phonemized = this.#phonemizedSentenceCount;
    return { phonemized, reused: this.#plannedSentenceCount - phonemized };
  }

  /** What the version is made with and from; to be asked once, when all is planned. */
  buildProvenance(): Provenance {
    const speakers = [this.#source.speaker, ...this.#foreignSpeakers.values()];
    return createProvenance(this.#source, speakers, this.#extractedChars, this.#expectedText.digest());
  }

  /** Plans the next batch of sentences. @returns its segments that must be spoken */
  async planNextBatch(): Promise<PendingSegment[]> {
    const batch = this.#batches.next().value ?? [];
    const drafted = await this.#planner.draft(batch);
    for (const symbol of drafted.unknownSymbols) this.unknownSymbols.add(symbol);
    this.leftOut.push(...drafted.leftOut);
    for (const [index, { text }] of batch.entries()) {
      if (!drafted.silent.has(index)) this.#expectedText.add(text);
    }
    const missing = await this.#write(drafted.segments);
    this.#plannedSentenceCount += batch.length;
    this.#phonemizedSentenceCount += drafted.phonemizedCount;
    return missing;
  }

  async #write(segments: readonly SegmentDraft[]): Promise<PendingSegment[]> {
    const rows = segments.map((segment, index) => ({
      version_id: this.versionId,
      position: this.#plannedSegmentCount + index,
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
      sentence_start: segment.range.start,
      sentence_end: segment.range.end,
    }));
    const fresh = segments.filter(({ hash }) => {
      const isNew = !this.#hashes.has(hash);
      this.#hashes.add(hash);
      return isNew;
    });
    // The rows first: what a plan names is not collected as unused.
    const present = await this.#database.writeNormalSync(async (db) => {
      const { id, generation } = this.#source.audio;
      // Deleted, or another text by now: whoever runs the plan drops it in a moment.
      if (!(await isCurrentRevision(db, id, generation))) return undefined;
      await insertPlannedSegments(db, rows);
      const hashes = fresh.map(({ hash }) => hash);
      return findExistingHashes(db, hashes);
    });
    if (present === undefined) return [];
    this.#plannedSegmentCount += rows.length;
    this.#reusedSegmentCount += present.size;
    return fresh.filter(({ hash }) => !present.has(hash)).map(toPendingSegment);
  }
}

/** @throws Error when it was taken over and has gone meanwhile: it is planned again */
function toPendingSegment({ hash, text, params }: SegmentDraft): PendingSegment {
  if (params === undefined) throw new Error(`segment ${hash} is missing`);
  return { hash, params: params, cost: text.length };
}

/** Those whose languages occur. */
async function resolveForeignSpeakers(
  sentences: readonly Sentence[],
  foreign: readonly ForeignSpeaker[],
): Promise<ReadonlyMap<string, Speaker>> {
  const languages = new Set(sentences.map((sentence) => sentence.language));
  const speakers = new Map<string, Speaker>();
  for (const { language, resolveSpeaker } of foreign) {
    if (languages.has(language)) speakers.set(language, await resolveSpeaker());
  }
  return speakers;
}

/** @throws AppError `operation_failed` when the sentences don't say what the reader of the text kept */
function checkExtractedText({ sentences, coverage }: ExtractedArticle): void {
  const inSentences = digestText(sentences.map(({ text }) => text));
  if (inSentences.sha256 === coverage.expectedText.sha256) return;
  throw new AppError(
    'operation_failed',
    `Text extraction failed: sentences contain ${inSentences.characters} of ${coverage.expectedText.characters} characters. Simplify the HTML of the article`,
  );
}

/**
 * What a version is made with and from.
 * @param speakers the voice of the article first
 * @param kept characters that the reader of the text kept
 * @param spoken those of them that its segments must say
 */
function createProvenance(
  { audio, reading }: SegmentPlanInput,
  speakers: readonly Speaker[],
  kept: number,
  spoken: TextDigest,
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
