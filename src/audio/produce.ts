import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { LeftOut } from '../speech/document/block.ts';
import { mp3SampleRate } from '../speech/mp3.ts';
import type { PlannedSegment } from '../speech/segments.ts';
import type { Sentence } from '../speech/sentences.ts';
import type { SpeakQuestion } from '../speech/tasks.ts';
import { WorkerDied, type Workers } from '../speech/workers.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { finishVersion } from './finish.ts';
import { segmentHash } from './segment-hash.ts';
import {
  type ClaimedAudio,
  claimAudio,
  dropUnfinishedVersions,
  insertPlan,
  insertSegment,
  insertVersion,
  markFailed,
  presentSegments,
  type QueuedAudio,
  replacePlannedHash,
  setLeftOut,
  setProgress,
} from './store.ts';

/** The first batch is small, so that the first sound needn't wait for the plan of a long article. */
const batchSizes = [3, 40];
const batchSizeMax = 200;
const deathsMax = 5;
/** After so many deaths a segment is spoken in parts, more of them each time. */
const deathsBeforeSplit = 2;

export interface ProduceDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly workers: Workers;
  readonly log: Log;
  readonly oldAudioHours: number;
}

/** How a production ended. `retry` when something passing was in the way, like a full disk. */
export type Outcome = 'ready' | 'failed' | 'replaced' | 'retry';

/** A piece of work for one worker. */
export interface Step {
  /** Characters, for the fair share. */
  readonly cost: number;
  /** Ends as soon as the worker is free again; never throws. */
  run(): Promise<void>;
}

interface Missing {
  readonly hash: string;
  readonly question: SpeakQuestion;
  readonly cost: number;
  readonly deaths: number;
}

/**
 * One audio from claim to ready: read, plan in batches, speak what is missing, finish. Hands out its work step by step;
 * whoever runs the steps decides when.
 */
export class Production {
  readonly #deps: ProduceDeps;
  readonly #queued: QueuedAudio;
  readonly #onWork: () => void;
  readonly #onEnd: (outcome: Outcome) => void;
  #ended = false;
  #begun = false;
  #running = 0;
  #deaths = 0;

  #audio: ClaimedAudio | undefined;
  #voice: InstalledVoice | undefined;
  #gainDb = 0;
  #versionId = 0;
  #leftOut: LeftOut[] = [];
  #sentences: readonly Sentence[] = [];
  #planning = false;
  #batches = 0;
  #sentencesPlanned = 0;
  #segmentsPlanned = 0;
  #spokeSincePlan = false;
  readonly #missing: Missing[] = [];
  readonly #hashes = new Set<string>();
  #present = 0;

  /**
   * @param onWork called when there may be new steps
   * @param onEnd called once
   */
  constructor(
    deps: ProduceDeps,
    queued: QueuedAudio,
    onWork: () => void,
    onEnd: (outcome: Outcome) => void,
  ) {
    this.#deps = deps;
    this.#queued = queued;
    this.#onWork = onWork;
    this.#onEnd = onEnd;
  }

  get hasWork(): boolean {
    return !this.#ended && (!this.#begun || this.#canPlan || this.#missing.length > 0);
  }

  /** The work that comes next; whoever takes it runs it. */
  take(): Step | undefined {
    if (!this.hasWork) return undefined;
    if (!this.#begun) {
      this.#begun = true;
      return this.#step(0, () => this.#begin());
    }
    if (this.#canPlan && (this.#missing.length === 0 || this.#spokeSincePlan)) {
      this.#planning = true;
      return this.#step(0, () => this.#planBatch());
    }
    const missing = this.#missing.shift();
    if (missing === undefined) return undefined;
    this.#spokeSincePlan = true;
    return this.#step(missing.cost, () => this.#speak(missing));
  }

  /** The text was changed or deleted: nothing more is handed out or written for it. */
  drop(): void {
    this.#end('replaced');
  }

  get #isPlanned(): boolean {
    return this.#audio !== undefined && this.#sentencesPlanned >= this.#sentences.length;
  }

  get #canPlan(): boolean {
    return this.#versionId !== 0 && !this.#planning && !this.#isPlanned;
  }

  #step(cost: number, work: () => Promise<void>): Step {
    return {
      cost,
      run: async () => {
        this.#running += 1;
        try {
          await work();
        } catch (error) {
          await this.#stumble(error);
        } finally {
          this.#running -= 1;
        }
        await this.#finishIfComplete();
      },
    };
  }

  async #begin(): Promise<void> {
    const { database, catalog, workers } = this.#deps;
    const { id, generation } = this.#queued;
    const audio = await database.write((db) => claimAudio(db, id, generation));
    if (audio === undefined) return this.#end('replaced');
    this.#audio = { ...audio, content: '' };
    const voice = await catalog.find(audio.voice_id);
    if (voice === undefined) throw new AppError('bad_voice', 'The voice is not installed any more');
    this.#voice = voice;
    const { title, content, language } = audio;
    const [{ sentences, leftOut }, gainDb] = await Promise.all([
      this.#persistently(() => workers.ask('read', { title, content, language })),
      catalog.gainOf(voice),
    ]);
    if (this.#ended) return;
    this.#gainDb = Math.round(gainDb * 100) / 100;
    this.#leftOut = leftOut;
    this.#sentences = sentences;
    this.#versionId = await database.writeLazily(async (db) => {
      await dropUnfinishedVersions(db, id);
      return insertVersion(db, {
        audio_id: id,
        generation,
        voice_id: voice.id,
        title,
        sample_rate_hz: mp3SampleRate(voice.sample_rate_hz, audio.bit_rate_kbps),
        bit_rate_kbps: audio.bit_rate_kbps,
      });
    });
    if (sentences.length > 0) await this.#planBatch();
  }

  async #planBatch(): Promise<void> {
    this.#planning = true;
    const voice = this.#theVoice;
    const size = batchSizes[this.#batches] ?? batchSizeMax;
    const batch = this.#sentences.slice(this.#sentencesPlanned, this.#sentencesPlanned + size);
    const plan = await this.#persistently(() =>
      this.#deps.workers.ask('plan', { voice: voice.files, sentences: batch }),
    );
    if (this.#ended) return;
    if (plan.unknownSymbols.length > 0) {
      const { unknownSymbols } = plan;
      this.#deps.log.warn({ voice: voice.name, unknownSymbols }, 'symbols the voice never learned');
    }
    this.#leftOut.push(...plan.leftOut);
    await this.#addToPlan(plan.segments);
    this.#batches += 1;
    this.#sentencesPlanned += batch.length;
    this.#planning = false;
    this.#spokeSincePlan = false;
    this.#onWork();
  }

  async #addToPlan(segments: readonly PlannedSegment[]): Promise<void> {
    const planned = segments.map((segment) => {
      const question = this.#questionFor(segment);
      return { segment, question, hash: segmentHash(this.#theAudio.site_id, question) };
    });
    const rows = planned.map(({ segment, hash }, index) => ({
      version_id: this.#versionId,
      position: this.#segmentsPlanned + index,
      hash,
      kind: segment.kind,
      text: segment.text,
      source_field: segment.span.field,
      source_start: segment.span.start,
      source_end: segment.span.end,
    }));
    const fresh = planned.filter(({ hash }) => {
      const isNew = !this.#hashes.has(hash);
      this.#hashes.add(hash);
      return isNew;
    });
    const present = await this.#deps.database.writeLazily(async (db) => {
      await insertPlan(db, rows);
      return presentSegments(
        db,
        fresh.map(({ hash }) => hash),
      );
    });
    this.#segmentsPlanned += rows.length;
    this.#present += present.size;
    for (const { segment, question, hash } of fresh) {
      if (present.has(hash)) continue;
      this.#missing.push({ hash, question, cost: segment.text.length, deaths: 0 });
    }
  }

  #questionFor(segment: PlannedSegment): SpeakQuestion {
    const audio = this.#theAudio;
    const voice = this.#theVoice;
    return {
      voice: voice.files,
      speaker: voice.speaker,
      ids: segment.ids,
      soundingCount: segment.soundingCount,
      pauseMs: segment.pauseMs,
      gainDb: this.#gainDb,
      sampleRateHz: mp3SampleRate(voice.sample_rate_hz, audio.bit_rate_kbps),
      bitRateKbps: audio.bit_rate_kbps,
      inferenceCount: 1,
    };
  }

  async #speak(missing: Missing): Promise<void> {
    const { workers, database } = this.#deps;
    const { id, generation } = this.#queued;
    let spoken: Awaited<ReturnType<typeof workers.ask<'speak'>>>;
    try {
      spoken = await workers.ask('speak', missing.question);
    } catch (error) {
      if (!(error instanceof WorkerDied)) throw error;
      return this.#speakAgain(missing);
    }
    // Kept even if the text was replaced meanwhile: most of its sentences will come again.
    await database.writeLazily(async (db) => {
      await insertSegment(db, {
        hash: missing.hash,
        site_id: this.#theAudio.site_id,
        frames: spoken.frames,
        frame_count: spoken.frameCount,
        byte_count: spoken.frames.byteLength,
        speech_ms: spoken.speechMs,
        created_at: new Date().toISOString(),
      });
      this.#present += 1;
      if (!this.#ended && this.#isPlanned) await setProgress(db, id, generation, this.#progress);
    });
  }

  /** A segment that cost a worker its life is tried again, after the second time in parts. */
  async #speakAgain(missing: Missing): Promise<void> {
    const deaths = missing.deaths + 1;
    if (deaths >= deathsMax) {
      throw new AppError(
        'operation_failed',
        `A sentence could not be spoken: the voice failed on it ${deaths} times`,
      );
    }
    const inferenceCount = deaths < deathsBeforeSplit ? 1 : 2 ** (deaths - deathsBeforeSplit + 1);
    const question = { ...missing.question, inferenceCount };
    const hash = segmentHash(this.#theAudio.site_id, question);
    if (hash !== missing.hash) {
      await this.#deps.database.writeLazily((db) =>
        replacePlannedHash(db, this.#versionId, missing.hash, hash),
      );
    }
    this.#missing.unshift({ ...missing, question, hash, deaths });
  }

  async #persistently<T>(ask: () => Promise<T>): Promise<T> {
    while (true) {
      try {
        return await ask();
      } catch (error) {
        this.#deaths += 1;
        if (!(error instanceof WorkerDied) || this.#ended) throw error;
        if (this.#deaths < deathsMax) continue;
        throw new AppError(
          'operation_failed',
          'The article could not be read: its text ends the program',
        );
      }
    }
  }

  async #finishIfComplete(): Promise<void> {
    if (this.#ended) return;
    const complete =
      this.#versionId !== 0 &&
      this.#isPlanned &&
      !this.#planning &&
      this.#missing.length === 0 &&
      this.#running === 0;
    if (!complete) return this.#onWork();
    try {
      if (this.#segmentsPlanned === 0) {
        throw new AppError('operation_failed', 'The content has no speakable text');
      }
      await this.#finish();
    } catch (error) {
      await this.#stumble(error);
    }
  }

  async #finish(): Promise<void> {
    const { id, generation } = this.#queued;
    const audio = this.#theAudio;
    const ready = await this.#deps.database.write(async (db) => {
      await setLeftOut(db, this.#versionId, JSON.stringify(this.#leftOut));
      return finishVersion(db, {
        audioId: id,
        generation,
        versionId: this.#versionId,
        sampleRateHz: mp3SampleRate(this.#theVoice.sample_rate_hz, audio.bit_rate_kbps),
        bitRateKbps: audio.bit_rate_kbps,
        title: audio.title,
        artist: audio.site_name,
        language: audio.language,
        url: audio.url,
        oldAudioHours: this.#deps.oldAudioHours,
      });
    });
    this.#end(ready ? 'ready' : 'replaced');
  }

  /** The audio's own fault makes it fail; anything else (disk full, server stopping) is tried again later. */
  async #stumble(error: unknown): Promise<void> {
    if (this.#ended) return;
    const { id, generation } = this.#queued;
    if (!(error instanceof AppError) || error.code === 'busy') {
      if (!(error instanceof WorkerDied)) {
        this.#deps.log.error({ err: error, audio: id }, 'making an audio was interrupted');
      }
      return this.#end('retry');
    }
    const voice = this.#voice?.name ?? 'asked for';
    const message =
      error.code === 'bad_voice'
        ? `The voice ${voice} cannot speak: ${error.message}`
        : error.message;
    try {
      await this.#deps.database.write((db) => markFailed(db, id, generation, message));
      this.#end('failed');
    } catch (storing) {
      this.#deps.log.error({ err: storing, audio: id }, 'a failure could not be stored');
      this.#end('retry');
    }
  }

  #end(outcome: Outcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#missing.length = 0;
    this.#onEnd(outcome);
  }

  get #progress(): number {
    return Math.floor((100 * this.#present) / Math.max(1, this.#hashes.size));
  }

  get #theAudio(): ClaimedAudio {
    if (this.#audio === undefined) throw new Error('the audio was not claimed');
    return this.#audio;
  }

  get #theVoice(): InstalledVoice {
    if (this.#voice === undefined) throw new Error('the voice was not chosen');
    return this.#voice;
  }
}
