import { inBackground } from '../background.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { samplesPerFrame } from '../speech/encode/mp3.ts';
import { readingOf } from '../speech/narration-settings.ts';
import type { AliasesOf } from '../speech/pronunciation/lexicon.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { WorkerDied, WorkerOverLimit } from '../speech/worker-process.ts';
import type { SpokenSegment } from '../speech/worker-protocol.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { type OnAudioChange, settledChange } from './events.ts';
import {
  type ClaimedAudio,
  claimAudio,
  exists,
  insertSegment,
  markFailed,
  type QueuedAudio,
  replacePlannedHash,
  setProgress,
} from './job-store.ts';
import { askPersistently, isPassing, type Unspoken, UnspokenSegments } from './pending-segments.ts';
import {
  type FailureReason,
  failureReason,
  finishVersion,
  noSpeakableText,
  type ProductionObserver,
} from './publish.ts';
import { Plan } from './segment-plan.ts';
import { foreignSpeaking, segmentHash, speakerOf } from './segment-planner.ts';

const deathsMax = 5;
/** After so many deaths a segment is spoken in parts, more of them each time. */
const deathsBeforeSplit = 2;
/** A segment that timed out is tried once more, in parts: each time costs a whole deadline. */
const deathsPerTimeout = 3;
/** So often an audio may meet an error that nobody foresaw. */
const faultsMax = 3;
/** Spoken segments of an audio that may wait to be written; then its others wait too. */
const unwrittenMax = 8;

export interface ProduceDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly workers: Workers;
  readonly log: Log;
  readonly oldAudioHours: number;
  readonly aliasesOf: AliasesOf;
  readonly onChange: OnAudioChange;
  readonly observer: ProductionObserver;
}

/**
 * How a production ended. `retry` when something passing was in the way, like a full disk; `fault` when something was that
 * nobody foresaw, which is tried again a few times.
 */
export type Outcome = 'ready' | 'failed' | 'replaced' | 'retry' | 'fault';

/** A piece of work for one worker. */
export interface Step {
  /** Characters, for the fair share. */
  readonly cost: number;
  /** Ends as soon as the worker is free again; never throws. */
  run(): Promise<void>;
}

/** How far an audio is. */
export interface SegmentCounts {
  /** Spoken, or there before. */
  readonly done: number;
  /** Different ones planned so far: what comes twice is spoken once. */
  readonly planned: number;
  /** Whether `planned` is all of them. */
  readonly isPlanned: boolean;
}

/** What is being made, once it is claimed and read. */
interface Making {
  readonly audio: ClaimedAudio;
  readonly voice: InstalledVoice;
  readonly plan: Plan;
}

/**
 * One audio from claim to ready: read, plan in batches, speak what is missing, finish. Hands out its work step by step;
 * whoever runs the steps decides when.
 */
export class Production {
  readonly #deps: ProduceDeps;
  readonly #queued: QueuedAudio;
  readonly #faultsBefore: number;
  readonly #onWork: () => void;
  readonly #onEnd: (outcome: Outcome) => void;
  readonly #missing: UnspokenSegments;
  #making: Making | undefined;
  #voiceName = 'asked for';
  #begun = false;
  #ended = false;
  #planning = false;
  #spokeSincePlan = false;
  #running = 0;
  #unwritten = 0;
  #spoken = 0;

  /**
   * @param faultsBefore how often this audio has ended with `fault`
   * @param onWork called when there may be new steps
   * @param onEnd called once
   */
  constructor(
    deps: ProduceDeps,
    queued: QueuedAudio,
    faultsBefore: number,
    onWork: () => void,
    onEnd: (outcome: Outcome) => void,
  ) {
    this.#deps = deps;
    this.#queued = queued;
    this.#missing = new UnspokenSegments(deps.workers.count);
    this.#faultsBefore = faultsBefore;
    this.#onWork = onWork;
    this.#onEnd = onEnd;
  }

  get hasWork(): boolean {
    if (this.#ended || this.#unwritten >= unwrittenMax) return false;
    return !this.#begun || this.#canPlan || this.#missing.length > 0;
  }

  /** Undefined until the article is read. */
  get segments(): SegmentCounts | undefined {
    if (this.#making === undefined) return undefined;
    const { reusedCount, differentCount, isComplete } = this.#making.plan;
    return {
      done: reusedCount + this.#spoken,
      planned: differentCount,
      isPlanned: isComplete,
    };
  }

  /** Content hash of the voice that the next work needs loaded; undefined: it needs none. */
  get nextVoice(): string | undefined {
    return this.#isPlanNext ? undefined : this.#missing.first?.question.voice.contentHash;
  }

  /**
   * The work that comes next; whoever takes it runs it.
   * @param isAlone whether nothing else waits for the workers
   */
  take(isAlone: boolean): Step | undefined {
    if (!this.hasWork) return undefined;
    if (!this.#begun) {
      this.#begun = true;
      return this.#step(0, () => this.#begin());
    }
    if (this.#isPlanNext) {
      this.#planning = true;
      return this.#step(0, () => this.#planBatch());
    }
    const missing = this.#missing.take(isAlone && this.#making?.plan.isComplete === true);
    if (missing === undefined) return undefined;
    this.#spokeSincePlan = true;
    return { cost: missing.cost, run: () => this.#attempt(() => this.#speak(missing)) };
  }

  /** The text was changed or deleted: nothing more is handed out or written for it. */
  drop(): void {
    this.#end('replaced');
  }

  get #canPlan(): boolean {
    const plan = this.#making?.plan;
    return plan !== undefined && !plan.isComplete && !this.#planning;
  }

  get #isPlanNext(): boolean {
    return this.#canPlan && (this.#missing.length === 0 || this.#spokeSincePlan);
  }

  #step(cost: number, work: () => Promise<void>): Step {
    return { cost, run: () => this.#run(work) };
  }

  async #run(work: () => Promise<void>): Promise<void> {
    await this.#attempt(work);
    await this.#finishIfComplete();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.#running += 1;
    try {
      await work();
    } catch (error) {
      await this.#stumble(error);
    } finally {
      this.#running -= 1;
    }
  }

  async #begin(): Promise<void> {
    const { database, catalog, workers } = this.#deps;
    const { id, generation } = this.#queued;
    const audio = await database.write((db) => claimAudio(db, id, generation));
    if (audio === undefined) return this.#end('replaced');
    const voice = await catalog.find(audio.voice_id);
    if (voice === undefined) throw new AppError('bad_voice', 'it is not installed any more');
    this.#voiceName = voice.name;
    const ask = askPersistently(workers, deathsMax, () => this.#ended);
    const speaker = await speakerOf(catalog, voice);
    const aliases = await this.#deps.aliasesOf(audio.site_id, audio.language);
    const reading = readingOf(audio.reading);
    const foreign = reading.foreign_passages
      ? await foreignSpeaking(catalog, audio, this.#deps.aliasesOf)
      : [];
    const source = { audio, speaker, aliases, reading, foreign };
    const plan = await Plan.begin(database, ask, source);
    if (plan === undefined) return this.#end('replaced');
    if (this.#ended) return;
    this.#making = { audio: { ...audio, content: '' }, voice, plan };
    if (!plan.isComplete) await this.#planBatch();
  }

  async #planBatch(): Promise<void> {
    this.#planning = true;
    const { plan } = this.#theMaking;
    const missing = await plan.advance();
    if (this.#ended) return;
    this.#missing.add(missing);
    this.#planning = false;
    this.#spokeSincePlan = false;
    this.#onWork();
  }

  async #speak(missing: Unspoken): Promise<void> {
    const { workers, catalog } = this.#deps;
    const voice = catalog.filesNow(missing.question.voice);
    const started = performance.now();
    let spoken: SpokenSegment;
    try {
      spoken = await workers.ask('speak', { ...missing.question, voice });
    } catch (error) {
      if (error instanceof WorkerDied && !this.#ended) return this.#speakAgain(missing, error);
      throw error;
    } finally {
      this.#missing.leave(missing);
    }
    const workerSeconds = (performance.now() - started) / 1000;
    // Not awaited: the worker can speak the next one meanwhile.
    const writing = this.#run(() => this.#write(missing, spoken, workerSeconds));
    inBackground(writing, this.#deps.log, 'a segment could not be stored');
  }

  async #write(missing: Unspoken, spoken: SpokenSegment, workerSeconds: number): Promise<void> {
    const { id, generation } = this.#queued;
    const { audio, plan } = this.#theMaking;
    this.#unwritten += 1;
    await this.#deps.database
      .writeLazily(async (db) => {
        const audioSeconds =
          (spoken.frameCount * samplesPerFrame(plan.sampleRateHz)) / plan.sampleRateHz;
        this.#deps.observer.spoken({ audioSeconds, workerSeconds });
        // Kept even if the text was replaced meanwhile: most of its sentences will come again.
        if (!(await exists(db, id))) return;
        await insertSegment(db, {
          hash: missing.hash,
          site_id: audio.site_id,
          frames: spoken.frames,
          frame_count: spoken.frameCount,
          byte_count: spoken.frames.byteLength,
          speech_ms: spoken.speechMs,
          frames_sha256: spoken.framesSha256,
          created_at: new Date().toISOString(),
        });
        const present = plan.reusedCount + this.#spoken + 1;
        const percent = Math.floor((100 * present) / plan.differentCount);
        if (!this.#ended && plan.isComplete) await setProgress(db, id, generation, percent);
      })
      .finally(() => {
        this.#unwritten -= 1;
      });
    this.#spoken += 1;
  }

  /** A segment that cost a worker its life is tried again, after the second time in parts. */
  async #speakAgain(missing: Unspoken, error: WorkerDied): Promise<void> {
    const isOverLimit = error instanceof WorkerOverLimit;
    const deaths = missing.deaths + (isOverLimit ? deathsPerTimeout : 1);
    if (deaths >= deathsMax) {
      const reason = isOverLimit ? error.message : `its worker crashed ${deaths} times`;
      throw new AppError('operation_failed', `Synthesis of a sentence failed: ${reason}`);
    }
    const { audio, plan } = this.#theMaking;
    const inferenceCount = deaths < deathsBeforeSplit ? 1 : 2 ** (deaths - deathsBeforeSplit + 1);
    const question = { ...missing.question, inferenceCount };
    const hash = segmentHash(audio.site_id, question);
    if (hash !== missing.hash) {
      await this.#deps.database.writeLazily((db) =>
        replacePlannedHash(db, plan.versionId, missing.hash, hash),
      );
    }
    this.#missing.putBack({ ...missing, question, hash, deaths });
  }

  async #finishIfComplete(): Promise<void> {
    if (this.#ended) return;
    const planned = this.#making?.plan.isComplete === true && !this.#planning;
    if (!planned || this.#missing.length > 0 || this.#running > 0) return this.#onWork();
    try {
      await this.#finish();
    } catch (error) {
      await this.#stumble(error);
    }
  }

  async #finish(): Promise<void> {
    const { audio, plan, voice } = this.#theMaking;
    if (plan.segmentCount === 0) throw new AppError('operation_failed', noSpeakableText);
    if (plan.unknownSymbols.size > 0) {
      const unknownSymbols = [...plan.unknownSymbols];
      this.#deps.log.warn({ voice: voice.name, unknownSymbols }, 'symbols the voice never learned');
    }
    const provenance = plan.provenance();
    const finished = await this.#deps.database.write(async (db) => {
      const done = await finishVersion(db, {
        audioId: audio.id,
        generation: audio.generation,
        versionId: plan.versionId,
        leftOut: plan.leftOut,
        provenance,
        title: audio.title,
        artist: audio.site_name,
        url: audio.url,
        oldAudioHours: this.#deps.oldAudioHours,
      });
      if (done.end === 'ready') await this.#tell(db);
      return done;
    });
    if (finished.end !== 'incomplete') return this.#end(finished.end);
    const { problems } = finished;
    this.#deps.log.error({ audio: audio.id, problems }, 'an audio came out incomplete');
    throw new AppError('operation_failed', `The audio came out incomplete: ${problems[0]}`);
  }

  /** The audio's own fault makes it fail; what passes (disk full, server stopping) is tried again later. */
  async #stumble(error: unknown): Promise<void> {
    if (this.#ended) return;
    const isOwnFault = error instanceof AppError && error.code !== 'busy';
    if (!isOwnFault && !(error instanceof WorkerDied)) {
      const audio = this.#queued.id;
      this.#deps.log.error({ err: error, audio }, 'making an audio was interrupted');
    }
    if (isPassing(error)) return this.#end('retry');
    if (error instanceof AppError) return this.#fail(error);
    if (this.#faultsBefore + 1 < faultsMax) return this.#end('fault');
    return this.#fail(new AppError('internal', 'The server failed at this audio'));
  }

  async #fail(cause: AppError): Promise<void> {
    const { id, generation } = this.#queued;
    const message =
      cause.code === 'bad_voice'
        ? `The voice ${this.#voiceName} cannot speak: ${cause.message}`
        : cause.message;
    try {
      await this.#deps.database.write(async (db) => {
        if (await markFailed(db, id, generation, message)) await this.#tell(db);
      });
      this.#end('failed', failureReason(cause));
    } catch (storing) {
      this.#deps.log.error({ err: storing, audio: id }, 'a failure could not be stored');
      this.#end('retry');
    }
  }

  /** Listeners write in the same transaction as the change. */
  async #tell(db: Queries): Promise<void> {
    const change = await settledChange(db, this.#queued.id);
    if (change !== undefined) await this.#deps.onChange(db, change);
  }

  #end(outcome: Outcome, reason?: FailureReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#missing.clear();
    const { reusedCount = 0, sentenceCounts } = this.#making?.plan ?? {};
    this.#deps.observer.ended({ outcome, reason, reusedCount, sentenceCounts });
    this.#onEnd(outcome);
  }

  get #theMaking(): Making {
    if (this.#making === undefined) throw new Error('the audio was not begun');
    return this.#making;
  }
}
