import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { operationFailed } from '../errors.ts';
import { mp3SampleRate } from '../speech/encode/mp3.ts';
import type { LeftOut, SourceSpan } from '../speech/extract/block.ts';
import { batchSentences } from '../speech/segments.ts';
import { digestText, type Sentence, type TextDigest, TextDigester } from '../speech/sentences.ts';
import type { Tasks } from '../speech/worker-protocol.ts';
import { engineVersion, version } from '../version.ts';
import type { Provenance } from './certificate/schema.ts';
import {
  deleteUnfinishedVersions,
  findExistingHashes,
  insertPlannedSegments,
  insertVersion,
  isClaimCurrent,
  listPreviousSegments,
  setSegmentCount,
} from './job-store.ts';
import type { CallWorker, PendingSegment } from './pending-segments.ts';
import type { SentenceCounts } from './publish.ts';
import {
  type ForeignSpeaker,
  type SegmentDraft,
  type SegmentPlanInput,
  SegmentPlanner,
  type Speaker,
} from './segment-planner.ts';

/** Sentences of the first batch, the second, and all others. */
const batchSizes = [3, 40, 200];

type ExtractedArticle = Tasks['read']['result'];

/** What a plan is created from, once its version is stored. */
interface SegmentPlanStart {
  readonly database: Database;
  readonly planner: SegmentPlanner;
  readonly input: SegmentPlanInput;
  /** By language. */
  readonly foreignSpeakers: ReadonlyMap<string, Speaker>;
}

/** An article as an ordered list of segments, stored batch by batch. */
export class SegmentPlan {
  readonly versionId: number;
  readonly leftOut: LeftOut[];
  readonly sampleRateHz: number;
  readonly unknownSymbols = new Set<string>();
  readonly #start: SegmentPlanStart;
  readonly #sentenceCount: number;
  readonly #extractedChars: number;
  readonly #batches: ReturnType<typeof batchSentences>;
  readonly #expectedText = new TextDigester();
  readonly #hashes = new Set<string>();
  #plannedSentenceCount = 0;
  #phonemizedSentenceCount = 0;
  #plannedSegmentCount = 0;
  #contentSegmentCount = 0;
  #reusedSegmentCount = 0;

  /**
   * Extracts the text of the article and stores a version for it, in place of unfinished earlier ones.
   * @returns undefined when the audio was changed meanwhile
   */
  static async create(
    database: Database,
    callWorker: CallWorker,
    input: SegmentPlanInput,
  ): Promise<SegmentPlan | undefined> {
    const { audio, aliases, reading, speaker } = input;
    const { title, content, content_type, language } = audio;
    const foreign = input.foreign.map((part) => ({ language: part.language, aliases: part.aliases }));
    const article = await callWorker('read', {
      ...{ title, content, contentType: content_type, language },
      ...{ aliases, reading, foreign, wantsUnknownWords: audio.is_main === 1 },
    });
    checkExtractedText(article);
    const foreignSpeakers = await resolveForeignSpeakers(article.sentences, input.foreign);
    const sampleRateHz = mp3SampleRate(speaker.voice.sample_rate_hz, audio.bit_rate_kbps);
    const versionId = await database.write(
      audio.site_id,
      async (db) => {
        if (!(await isClaimCurrent(db, audio))) return undefined;
        await deleteUnfinishedVersions(db, audio.id);
        return insertVersion(db, {
          audio_id: audio.id,
          revision: audio.revision,
          voice_id: speaker.voice.id,
          title,
          sample_rate_hz: sampleRateHz,
          bit_rate_kbps: audio.bit_rate_kbps,
          // When it was claimed: pronunciations and settings were read after that.
          started_at: audio.updated_at,
          unknown_words: article.unknownWords.length === 0 ? null : JSON.stringify(article.unknownWords),
        });
      },
      { sync: 'normal' },
    );
    if (versionId === undefined) return undefined;
    const previousSegments = await listPreviousSegments(database.read, audio.version_id);
    const planner = new SegmentPlanner(callWorker, { source: input, foreignSpeakers, sampleRateHz, previousSegments });
    return new SegmentPlan({ database, planner, input, foreignSpeakers }, article, versionId, sampleRateHz);
  }

  private constructor(
    start: SegmentPlanStart,
    { sentences, coverage, leftOut }: ExtractedArticle,
    versionId: number,
    sampleRateHz: number,
  ) {
    this.#start = start;
    this.#sentenceCount = sentences.length;
    this.#extractedChars = coverage.extractedChars;
    this.#batches = batchSentences(sentences, batchSizes);
    this.leftOut = leftOut;
    this.versionId = versionId;
    this.sampleRateHz = sampleRateHz;
  }

  get isComplete(): boolean {
    return this.#plannedSentenceCount >= this.#sentenceCount;
  }

  /** Segments of the content planned so far, without title and lines of the site. */
  get contentSegmentCount(): number {
    return this.#contentSegmentCount;
  }

  /** Different segments planned so far: a repeated sentence is synthesized once. */
  get uniqueSegmentCount(): number {
    return this.#hashes.size;
  }

  /** Different segments that existed before this plan. */
  get reusedSegmentCount(): number {
    return this.#reusedSegmentCount;
  }

  get sentenceCounts(): SentenceCounts {
    const phonemized = this.#phonemizedSentenceCount;
    return { phonemized, reused: this.#plannedSentenceCount - phonemized };
  }

  /** Call it once, when the plan is complete. */
  buildProvenance(): Provenance {
    const { input, foreignSpeakers } = this.#start;
    const speakers = [input.speaker, ...foreignSpeakers.values()];
    return createProvenance(input, speakers, this.#extractedChars, this.#expectedText.digest());
  }

  /** Plans the next batch of sentences. @returns the segments that must be synthesized */
  async planNextBatch(): Promise<PendingSegment[]> {
    const batch = this.#batches.next().value ?? [];
    const drafted = await this.#start.planner.draft(batch);
    for (const symbol of drafted.unknownSymbols) this.unknownSymbols.add(symbol);
    this.leftOut.push(...drafted.leftOut);
    for (const [index, { text }] of batch.entries()) {
      if (!drafted.silent.has(index)) this.#expectedText.add(text);
    }
    const isLast = this.#plannedSentenceCount + batch.length >= this.#sentenceCount;
    const segments = await this.#write(drafted.segments, isLast);
    this.#plannedSentenceCount += batch.length;
    this.#phonemizedSentenceCount += drafted.phonemizedCount;
    return segments;
  }

  async #write(segments: readonly SegmentDraft[], isLast: boolean): Promise<PendingSegment[]> {
    const { versionId: version_id } = this;
    const first = this.#plannedSegmentCount;
    const rows = segments.map(({ row }, index) => ({ ...row, version_id, position: first + index }));
    const fresh = segments.filter(({ row: { hash } }) => {
      const isNew = !this.#hashes.has(hash);
      this.#hashes.add(hash);
      return isNew;
    });
    // The rows first: the cleanup does not delete segments that a plan uses.
    const present = await this.#start.database.write(
      this.#start.input.audio.site_id,
      async (db) => {
        // Deleted or changed: the job is about to be cancelled.
        if (!(await isClaimCurrent(db, this.#start.input.audio))) return undefined;
        await insertPlannedSegments(db, rows);
        if (isLast) await setSegmentCount(db, version_id, first + rows.length);
        return findExistingHashes(
          db,
          fresh.map(({ row }) => row.hash),
        );
      },
      { sync: 'normal' },
    );
    if (present === undefined) return [];
    this.#plannedSegmentCount += rows.length;
    this.#contentSegmentCount += rows.filter(({ source_field }) => source_field === 'content').length;
    this.#reusedSegmentCount += present.size;
    return fresh.filter(({ row }) => !present.has(row.hash)).map(toPendingSegment);
  }
}

/** @throws Error when a reused segment was deleted meanwhile: the audio is planned again */
function toPendingSegment({ row: { hash, text }, params }: SegmentDraft): PendingSegment {
  if (params === undefined) throw new Error(`segment ${hash} is missing`);
  return { hash, params, characters: text.length };
}

/** @returns the speakers of the languages that occur */
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

/** @throws AppError `operation_failed` when the sentences are not the whole extracted text */
function checkExtractedText({ sentences, coverage }: ExtractedArticle): void {
  const inSentences = digestText(sentences.map(({ text }) => text));
  if (inSentences.sha256 === coverage.expectedText.sha256) return;
  throw operationFailed(
    `Text extraction failed: sentences contain ${inSentences.characters} of ${coverage.expectedText.characters} characters. Simplify the HTML of the article`,
  );
}

/**
 * @param speakers the voice of the article first
 * @param extractedChars characters of the extracted text
 * @param spoken those of them that the segments must contain
 */
function createProvenance(
  { audio, reading }: SegmentPlanInput,
  speakers: readonly Speaker[],
  extractedChars: number,
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
      kept_characters: extractedChars,
      silent_characters: extractedChars - spoken.characters,
      spoken_characters: spoken.characters,
      spoken_sha256: spoken.sha256,
    },
  };
}
