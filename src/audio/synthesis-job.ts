import { runInBackground } from '../background.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { samplesPerFrame } from '../speech/encode/mp3.ts';
import { parseNarrationSettings } from '../speech/narration-settings.ts';
import type { FindAliases } from '../speech/pronunciation/replacer.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { WorkerCrashedError, WorkerLimitError } from '../speech/worker-process.ts';
import type { SynthesizedSegment } from '../speech/worker-protocol.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { type AudioEventHandler, findFinishedEvent } from './events.ts';
import {
  audioExists,
  type ClaimedAudio,
  claimAudio,
  insertSegment,
  markFailed,
  type QueuedAudio,
  replacePlannedHash,
  updateProgress,
} from './job-store.ts';
import { isTransientError, PendingSegments, type QueuedSegment, withCrashRetry } from './pending-segments.ts';
import {
  type FailureReason,
  getFailureReason,
  type JobMetrics,
  noSpeakableTextMessage,
  publishVersion,
} from './publish.ts';
import { SegmentPlan } from './segment-plan.ts';
import { hashSegment, listForeignSpeakers, resolveSpeaker } from './segment-planner.ts';

const maxCrashes = 5;
/** After so many deaths a segment is spoken in parts, more of them each time. */
const crashesBeforeSplit = 2;
/** A segment that timed out is tried once more, in parts: each time costs a whole deadline. */
const crashesPerTimeout = 3;
/** So often an audio may meet an error that nobody foresaw. */
const maxUnexpectedErrors = 3;
/** Spoken segments of an audio that may wait to be written; then its others wait too. */
const maxUnwrittenSegments = 8;

export interface SynthesisJobDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly workers: WorkerPool;
  readonly log: Log;
  readonly oldAudioRetentionHours: number;
  readonly getAliases: FindAliases;
  readonly onAudioEvent: AudioEventHandler;
  readonly jobMetrics: JobMetrics;
}

/**
 * How a production ended. `retry` when something passing was in the way, like a full disk; `fault` when something was that
 * nobody foresaw, which is tried again a few times.
 */
export type JobOutcome = 'ready' | 'failed' | 'replaced' | 'retry' | 'fault';

/** A piece of work for one worker. */
export interface Task {
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
interface ActiveJob {
  readonly audio: ClaimedAudio;
  readonly voice: InstalledVoice;
  readonly plan: SegmentPlan;
}

/**
 * One audio from claim to ready: read, plan in batches, speak what is missing, finish. Hands out its work step by step;
 * whoever runs the steps decides when.
 */
export class SynthesisJob {
  readonly #deps: SynthesisJobDeps;
  readonly #queued: QueuedAudio;
  readonly #previousErrorCount: number;
  readonly #onWork: () => void;
  readonly #onEnd: (outcome: JobOutcome) => void;
  readonly #pending: PendingSegments;
  #activeJob: ActiveJob | undefined;
  #voiceName = 'requested';
  #isStarted = false;
  #isFinished = false;
  #isPlanning = false;
  #hasSynthesizedSincePlan = false;
  #runningTaskCount = 0;
  #unwrittenCount = 0;
  #synthesizedCount = 0;

  /**
   * @param faultsBefore how often this audio has ended with `fault`
   * @param onWork called when there may be new steps
   * @param onEnd called once
   */
  constructor(
    deps: SynthesisJobDeps,
    queued: QueuedAudio,
    faultsBefore: number,
    onWork: () => void,
    onEnd: (outcome: JobOutcome) => void,
  ) {
    this.#deps = deps;
    this.#queued = queued;
    this.#pending = new PendingSegments(deps.workers.count);
    this.#previousErrorCount = faultsBefore;
    this.#onWork = onWork;
    this.#onEnd = onEnd;
  }

  get hasWork(): boolean {
    if (this.#isFinished || this.#unwrittenCount >= maxUnwrittenSegments) return false;
    return !this.#isStarted || this.#canPlan || this.#pending.length > 0;
  }

  /** Undefined until the article is read. */
  get segmentCounts(): SegmentCounts | undefined {
    if (this.#activeJob === undefined) return undefined;
    const { reusedSegmentCount: reusedCount, uniqueSegmentCount: differentCount, isComplete } = this.#activeJob.plan;
    return {
      done: reusedCount + this.#synthesizedCount,
      planned: differentCount,
      isPlanned: isComplete,
    };
  }

  /** Content hash of the voice that the next work needs loaded; undefined: it needs none. */
  get nextVoiceHash(): string | undefined {
    return this.#isPlanNext ? undefined : this.#pending.first?.params.voice.contentHash;
  }

  /**
   * The work that comes next; whoever takes it runs it.
   * @param isAlone whether nothing else waits for the workers
   */
  nextTask(isAlone: boolean): Task | undefined {
    if (!this.hasWork) return undefined;
    if (!this.#isStarted) {
      this.#isStarted = true;
      return this.#createTask(0, () => this.#start());
    }
    if (this.#isPlanNext) {
      this.#isPlanning = true;
      return this.#createTask(0, () => this.#planBatch());
    }
    const missing = this.#pending.acquire(isAlone && this.#activeJob?.plan.isComplete === true);
    if (missing === undefined) return undefined;
    this.#hasSynthesizedSincePlan = true;
    return { cost: missing.cost, run: () => this.#attempt(() => this.#synthesize(missing)) };
  }

  /** The text was changed or deleted: nothing more is handed out or written for it. */
  cancel(): void {
    this.#end('replaced');
  }

  get #canPlan(): boolean {
    const plan = this.#activeJob?.plan;
    return plan !== undefined && !plan.isComplete && !this.#isPlanning;
  }

  get #isPlanNext(): boolean {
    return this.#canPlan && (this.#pending.length === 0 || this.#hasSynthesizedSincePlan);
  }

  #createTask(cost: number, work: () => Promise<void>): Task {
    return { cost, run: () => this.#run(work) };
  }

  async #run(work: () => Promise<void>): Promise<void> {
    await this.#attempt(work);
    await this.#finishIfComplete();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.#runningTaskCount += 1;
    try {
      await work();
    } catch (error) {
      await this.#handleError(error);
    } finally {
      this.#runningTaskCount -= 1;
    }
  }

  async #start(): Promise<void> {
    const { database, catalog, workers } = this.#deps;
    const { id, generation } = this.#queued;
    const audio = await database.write((db) => claimAudio(db, id, generation));
    if (audio === undefined) return this.#end('replaced');
    const voice = await catalog.find(audio.voice_id);
    if (voice === undefined) throw new AppError('bad_voice', 'it is no longer installed');
    this.#voiceName = voice.name;
    const ask = withCrashRetry(workers, maxCrashes, () => this.#isFinished);
    const speaker = await resolveSpeaker(catalog, voice);
    const aliases = await this.#deps.getAliases(audio.site_id, audio.language);
    const reading = parseNarrationSettings(audio.reading);
    const foreign = reading.foreign_passages ? await listForeignSpeakers(catalog, audio, this.#deps.getAliases) : [];
    const source = { audio, speaker, aliases, reading, foreign };
    const plan = await SegmentPlan.create(database, ask, source);
    if (plan === undefined) return this.#end('replaced');
    if (this.#isFinished) return;
    this.#activeJob = { audio: { ...audio, content: '' }, voice, plan };
    if (!plan.isComplete) await this.#planBatch();
  }

  async #planBatch(): Promise<void> {
    this.#isPlanning = true;
    const { plan } = this.#requireActiveJob;
    const missing = await plan.planNextBatch();
    if (this.#isFinished) return;
    this.#pending.add(missing);
    this.#isPlanning = false;
    this.#hasSynthesizedSincePlan = false;
    this.#onWork();
  }

  async #synthesize(missing: QueuedSegment): Promise<void> {
    const { workers, catalog } = this.#deps;
    const voice = catalog.resolveFiles(missing.params.voice);
    const started = performance.now();
    let spoken: SynthesizedSegment;
    try {
      spoken = await workers.call('speak', { ...missing.params, voice });
    } catch (error) {
      if (error instanceof WorkerCrashedError && !this.#isFinished) return this.#retrySegment(missing, error);
      throw error;
    } finally {
      this.#pending.release(missing);
    }
    const workerSeconds = (performance.now() - started) / 1000;
    // Not awaited: the worker can speak the next one meanwhile.
    const writing = this.#run(() => this.#storeSegment(missing, spoken, workerSeconds));
    runInBackground(writing, this.#deps.log, 'storing segment failed');
  }

  async #storeSegment(missing: QueuedSegment, spoken: SynthesizedSegment, workerSeconds: number): Promise<void> {
    const { id, generation } = this.#queued;
    const { audio, plan } = this.#requireActiveJob;
    this.#unwrittenCount += 1;
    await this.#deps.database
      .writeNormalSync(async (db) => {
        const audioSeconds = (spoken.frameCount * samplesPerFrame(plan.sampleRateHz)) / plan.sampleRateHz;
        this.#deps.jobMetrics.recordSegment({ audioSeconds, workerSeconds });
        // Kept even if the text was replaced meanwhile: most of its sentences will come again.
        if (!(await audioExists(db, id))) return;
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
        const present = plan.reusedSegmentCount + this.#synthesizedCount + 1;
        const percent = Math.floor((100 * present) / plan.uniqueSegmentCount);
        if (!this.#isFinished && plan.isComplete) await updateProgress(db, id, generation, percent);
      })
      .finally(() => {
        this.#unwrittenCount -= 1;
      });
    this.#synthesizedCount += 1;
  }

  /** A segment that cost a worker its life is tried again, after the second time in parts. */
  async #retrySegment(missing: QueuedSegment, error: WorkerCrashedError): Promise<void> {
    const isOverLimit = error instanceof WorkerLimitError;
    const deaths = missing.crashCount + (isOverLimit ? crashesPerTimeout : 1);
    if (deaths >= maxCrashes) {
      const reason = isOverLimit ? error.message : `its worker crashed ${deaths} times`;
      throw new AppError('operation_failed', `Synthesis of a sentence failed: ${reason}`);
    }
    const { audio, plan } = this.#requireActiveJob;
    const inferenceCount = deaths < crashesBeforeSplit ? 1 : 2 ** (deaths - crashesBeforeSplit + 1);
    const question = { ...missing.params, inferenceCount };
    const hash = hashSegment(audio.site_id, question);
    if (hash !== missing.hash) {
      await this.#deps.database.writeNormalSync((db) => replacePlannedHash(db, plan.versionId, missing.hash, hash));
    }
    this.#pending.requeue({ ...missing, params: question, hash, crashCount: deaths });
  }

  async #finishIfComplete(): Promise<void> {
    if (this.#isFinished) return;
    const planned = this.#activeJob?.plan.isComplete === true && !this.#isPlanning;
    if (!planned || this.#pending.length > 0 || this.#runningTaskCount > 0) return this.#onWork();
    try {
      await this.#finish();
    } catch (error) {
      await this.#handleError(error);
    }
  }

  async #finish(): Promise<void> {
    const { audio, plan, voice } = this.#requireActiveJob;
    if (plan.segmentCount === 0) throw new AppError('operation_failed', noSpeakableTextMessage);
    if (plan.unknownSymbols.size > 0) {
      const unknownSymbols = [...plan.unknownSymbols];
      this.#deps.log.warn({ voice: voice.name, unknownSymbols }, 'unsupported phonemes');
    }
    const provenance = plan.buildProvenance();
    const finished = await this.#deps.database.write(async (db) => {
      const done = await publishVersion(db, {
        audioId: audio.id,
        revision: audio.generation,
        versionId: plan.versionId,
        leftOut: plan.leftOut,
        provenance,
        title: audio.title,
        artist: audio.site_name,
        url: audio.url,
        oldAudioRetentionHours: this.#deps.oldAudioRetentionHours,
      });
      if (done.end === 'ready') await this.#dispatchEvent(db);
      return done;
    });
    if (finished.end !== 'incomplete') return this.#end(finished.end);
    const { problems } = finished;
    this.#deps.log.error({ audio: audio.id, problems }, 'completeness check failed');
    throw new AppError('operation_failed', `Completeness check failed: ${problems[0]}`);
  }

  /** The audio's own fault makes it fail; what passes (disk full, server stopping) is tried again later. */
  async #handleError(error: unknown): Promise<void> {
    if (this.#isFinished) return;
    const isOwnFault = error instanceof AppError && error.code !== 'busy';
    if (!isOwnFault && !(error instanceof WorkerCrashedError)) {
      const audio = this.#queued.id;
      this.#deps.log.error({ err: error, audio }, 'synthesis interrupted');
    }
    if (isTransientError(error)) return this.#end('retry');
    if (error instanceof AppError) return this.#fail(error);
    if (this.#previousErrorCount + 1 < maxUnexpectedErrors) return this.#end('fault');
    return this.#fail(new AppError('internal', 'Synthesis failed: internal error. See the server log'));
  }

  async #fail(cause: AppError): Promise<void> {
    const { id, generation } = this.#queued;
    const message = cause.code === 'bad_voice' ? `Voice ${this.#voiceName} failed: ${cause.message}` : cause.message;
    try {
      await this.#deps.database.write(async (db) => {
        if (await markFailed(db, id, generation, message)) await this.#dispatchEvent(db);
      });
      this.#end('failed', getFailureReason(cause));
    } catch (storing) {
      this.#deps.log.error({ err: storing, audio: id }, 'storing failure failed');
      this.#end('retry');
    }
  }

  /** Listeners write in the same transaction as the change. */
  async #dispatchEvent(db: Queries): Promise<void> {
    const change = await findFinishedEvent(db, this.#queued.id);
    if (change !== undefined) await this.#deps.onAudioEvent(db, change);
  }

  #end(outcome: JobOutcome, reason?: FailureReason): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#pending.clear();
    const { reusedSegmentCount: reusedCount = 0, sentenceCounts } = this.#activeJob?.plan ?? {};
    this.#deps.jobMetrics.recordJob({ outcome, reason, reusedCount, sentenceCounts });
    this.#onEnd(outcome);
  }

  get #requireActiveJob(): ActiveJob {
    if (this.#activeJob === undefined) throw new Error('the synthesis job has not started');
    return this.#activeJob;
  }
}
