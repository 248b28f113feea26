import { runInBackground } from '../background.ts';
import type { Database, Queries } from '../database/database.ts';
import type { FailureCode } from '../database/schema.ts';
import { AppError, operationFailed } from '../errors.ts';
import type { Log } from '../log.ts';
import { samplesPerFrame } from '../speech/encode/mp3.ts';
import { parseNarrationSettings } from '../speech/narration-settings.ts';
import type { FindAliases } from '../speech/pronunciation/replacer.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { WorkerCrashedError, WorkerLimitError } from '../speech/worker-process.ts';
import type { SynthesizedSegment } from '../speech/worker-protocol.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { VoiceMissingError } from '../voices/stored-voices.ts';
import { findOrReplaceVoice } from './choose-voice.ts';
import { type AudioEventHandler, findFinishedEvent } from './events.ts';
import {
  type AudioClaim,
  audioExists,
  type ClaimedAudio,
  claimAudio,
  findContent,
  insertSegment,
  markFailed,
  releaseClaim,
  replacePlannedHash,
  updateProgress,
} from './job-store.ts';
import {
  isTransientError,
  maxCrashes,
  PendingSegments,
  prepareRetry,
  type QueuedSegment,
  withCrashRetry,
} from './pending-segments.ts';
import {
  countContent,
  createNoTextError,
  getFailureCode,
  type JobMetrics,
  type JobOutcome,
  publishWhole,
  type UploadMp3,
} from './publish.ts';
import type { QueuedAudio } from './queue-store.ts';
import { SegmentPlan } from './segment-plan.ts';
import { hashSegment, listForeignSpeakers, resolveSpeaker } from './segment-planner.ts';
import type { Task } from './work-scheduler.ts';

const maxUnexpectedErrors = 3;
/** Synthesized segments of an audio that may wait to be written, before its other segments wait too. */
const maxUnwrittenSegments = 8;

export interface SynthesisJobDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly workers: Pick<WorkerPool, 'call' | 'count'>;
  readonly log: Log;
  readonly oldAudioRetentionHours: number;
  readonly getAliases: FindAliases;
  readonly onAudioEvent: AudioEventHandler;
  readonly jobMetrics: JobMetrics;
  /** Undefined: audio is stored in the database. */
  readonly uploadMp3: UploadMp3 | undefined;
}

export interface SegmentCounts {
  /** Synthesized or reused. */
  readonly done: number;
  /** Number of different segments planned so far. */
  readonly planned: number;
  /** Whether the whole text is planned. */
  readonly isPlanned: boolean;
}

interface ActiveJob {
  readonly audio: ClaimedAudio;
  readonly voice: InstalledVoice;
  readonly plan: SegmentPlan;
}

/**
 * Generates one audio: claims it, extracts the text, plans in batches, synthesizes missing segments, publishes. Hands out its
 * work as tasks; the queue decides when they run.
 */
export class SynthesisJob {
  readonly #deps: SynthesisJobDeps;
  readonly #queued: QueuedAudio;
  readonly #previousErrorCount: number;
  readonly #onWork: () => void;
  readonly #onEnd: (outcome: JobOutcome) => void;
  readonly #pending: PendingSegments;
  isStarted = false;
  #claim: AudioClaim;
  #activeJob: ActiveJob | undefined;
  #voiceName = 'requested';
  #isFinished = false;
  #isPlanning = false;
  /** After a timeout: its tasks must not occupy several workers for a whole deadline. */
  #isSequential = false;
  #hasSynthesizedSincePlan = false;
  #runningTaskCount = 0;
  #unwrittenCount = 0;
  #synthesizedCount = 0;

  /**
   * @param previousErrorCount how often this audio has ended with `unexpected_error`
   * @param onWork called when there may be new tasks
   * @param onEnd called once
   */
  constructor(
    deps: SynthesisJobDeps,
    queued: QueuedAudio,
    previousErrorCount: number,
    onWork: () => void,
    onEnd: (outcome: JobOutcome) => void,
  ) {
    this.#deps = deps;
    this.#queued = queued;
    this.#claim = queued;
    this.#pending = new PendingSegments(deps.workers.count);
    this.#previousErrorCount = previousErrorCount;
    this.#onWork = onWork;
    this.#onEnd = onEnd;
  }

  get hasWork(): boolean {
    if (this.#isFinished || this.#unwrittenCount >= maxUnwrittenSegments) return false;
    if (this.#isSequential && this.#runningTaskCount > 0) return false;
    return !this.isStarted || this.#canPlan || this.#pending.length > 0;
  }

  /** Undefined until the text is extracted. */
  get segmentCounts(): SegmentCounts | undefined {
    const plan = this.#activeJob?.plan;
    if (plan === undefined) return undefined;
    const done = plan.reusedSegmentCount + this.#synthesizedCount;
    return { done, planned: plan.uniqueSegmentCount, isPlanned: plan.isComplete };
  }

  /** Whether the next task reads or plans. */
  get isTextNext(): boolean {
    return !this.isStarted || this.#isPlanNext;
  }

  /** Content hash of the voice that the next task needs; undefined: it needs none. */
  get nextVoiceHash(): string | undefined {
    return this.#isPlanNext ? undefined : this.#pending.first?.params.voice.contentHash;
  }

  /**
   * Takes the next task, which must then be run.
   * @param isAlone whether no other audio waits for the workers
   */
  nextTask(isAlone: boolean): Task | undefined {
    if (!this.hasWork) return undefined;
    if (!this.isStarted) {
      this.isStarted = true;
      return { characters: 0, run: () => this.#run(() => this.#start()) };
    }
    if (this.#isPlanNext) {
      this.#isPlanning = true;
      return { characters: 0, run: () => this.#run(() => this.#planBatch()) };
    }
    const segment = this.#pending.acquire(isAlone && this.#activeJob?.plan.isComplete === true);
    if (segment === undefined) return undefined;
    this.#hasSynthesizedSincePlan = true;
    return { characters: segment.characters, run: () => this.#attempt(() => this.#synthesize(segment)) };
  }

  /** Ends the job, as its text was changed or deleted: no more tasks or writes. */
  cancel(): void {
    this.#end(this.#claim === this.#queued ? 'not_claimed' : 'replaced');
  }

  get #canPlan(): boolean {
    const plan = this.#activeJob?.plan;
    return plan !== undefined && !plan.isComplete && !this.#isPlanning;
  }

  get #isPlanNext(): boolean {
    return this.#canPlan && (this.#pending.length === 0 || this.#hasSynthesizedSincePlan);
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
    const { site_id } = this.#queued;
    const claimed = await database.write(site_id, (db) => claimAudio(db, this.#queued, database.cluster?.machineId));
    if (claimed === undefined) return this.#end('not_claimed');
    this.#claim = claimed;
    database.cluster?.send('audio.changed', String(claimed.id));
    const voice = await findOrReplaceVoice(database, catalog, claimed);
    this.#voiceName = voice.name;
    const audio = { ...claimed, voice_id: voice.id };
    const callWorker = withCrashRetry(workers, maxCrashes, () => this.#isFinished);
    const speaker = await resolveSpeaker(catalog, voice);
    const aliases = await this.#deps.getAliases(audio.site_id, audio.language);
    const reading = parseNarrationSettings(audio.reading);
    const foreign = reading.foreign_passages ? await listForeignSpeakers(catalog, audio, this.#deps.getAliases) : [];
    const plan = await SegmentPlan.create(database, callWorker, { audio, speaker, aliases, reading, foreign });
    if (plan === undefined) return this.#end('replaced');
    if (this.#isFinished) return;
    this.#activeJob = { audio: { ...audio, content: '' }, voice, plan };
    if (!plan.isComplete) await this.#planBatch();
  }

  async #planBatch(): Promise<void> {
    this.#isPlanning = true;
    const segments = await this.#requireActiveJob.plan.planNextBatch();
    if (this.#isFinished) return;
    this.#pending.add(segments);
    this.#isPlanning = false;
    this.#hasSynthesizedSincePlan = false;
    this.#onWork();
  }

  async #synthesize(segment: QueuedSegment): Promise<void> {
    const { workers, catalog } = this.#deps;
    const voice = catalog.resolveFiles(segment.params.voice);
    const started = performance.now();
    let synthesized: SynthesizedSegment;
    try {
      synthesized = await workers.call('speak', { ...segment.params, voice });
    } catch (error) {
      if (error instanceof WorkerCrashedError && !this.#isFinished) return this.#retrySegment(segment, error);
      throw error;
    } finally {
      this.#pending.release(segment);
    }
    const workerSeconds = (performance.now() - started) / 1000;
    // Not awaited, so that the worker can synthesize the next segment.
    const writing = this.#run(() => this.#storeSegment(segment, synthesized, workerSeconds));
    runInBackground(writing, this.#deps.log, 'storing segment failed');
  }

  async #storeSegment(segment: QueuedSegment, synthesized: SynthesizedSegment, workerSeconds: number): Promise<void> {
    const { audio, plan } = this.#requireActiveJob;
    this.#unwrittenCount += 1;
    await this.#deps.database
      .write(
        audio.site_id,
        async (db) => {
          const audioSeconds = (synthesized.frameCount * samplesPerFrame(plan.sampleRateHz)) / plan.sampleRateHz;
          this.#deps.jobMetrics.recordSegment({ audioSeconds, workerSeconds });
          // Stored even if the text has been replaced: the new text contains most of its sentences.
          if (!(await audioExists(db, audio.id))) return;
          await insertSegment(db, audio.site_id, segment.hash, synthesized);
          const present = plan.reusedSegmentCount + this.#synthesizedCount + 1;
          const percent = Math.floor((100 * present) / plan.uniqueSegmentCount);
          if (!this.#isFinished && plan.isComplete) await updateProgress(db, audio, percent);
        },
        { sync: 'normal' },
      )
      .finally(() => {
        this.#unwrittenCount -= 1;
      });
    this.#synthesizedCount += 1;
  }

  async #retrySegment(segment: QueuedSegment, error: WorkerCrashedError): Promise<void> {
    this.#isSequential ||= error instanceof WorkerLimitError;
    const retried = prepareRetry(segment, error);
    const { audio, plan } = this.#requireActiveJob;
    const hash = hashSegment(audio.site_id, retried.params);
    if (hash !== segment.hash) {
      await this.#deps.database.write(
        audio.site_id,
        (db) => replacePlannedHash(db, plan.versionId, segment.hash, hash),
        { sync: 'normal' },
      );
    }
    this.#pending.requeue({ ...retried, hash });
  }

  async #finishIfComplete(): Promise<void> {
    if (this.#isFinished) return;
    const isPlanned = this.#activeJob?.plan.isComplete === true && !this.#isPlanning;
    if (!isPlanned || this.#pending.length > 0 || this.#runningTaskCount > 0) return this.#onWork();
    try {
      await this.#finish();
    } catch (error) {
      await this.#handleError(error);
    }
  }

  async #finish(): Promise<void> {
    const { audio, plan, voice } = this.#requireActiveJob;
    if (plan.contentSegmentCount === 0) throw createNoTextError(plan.leftOut, audio.language);
    if (plan.unknownSymbols.size > 0) {
      const unknownSymbols = [...plan.unknownSymbols];
      this.#deps.log.warn({ voice: voice.name, unknownSymbols }, 'unsupported phonemes');
    }
    const provenance = plan.buildProvenance();
    const { versionId, leftOut } = plan;
    const { database, uploadMp3, oldAudioRetentionHours } = this.#deps;
    const input = { audio, versionId, leftOut, provenance, oldAudioRetentionHours };
    const result = await publishWhole(database, uploadMp3, input, (db) => this.#dispatchEvent(db));
    if (result.end !== 'incomplete') return this.#end(result.end);
    const { problems } = result;
    this.#deps.log.error({ audio: audio.id, problems }, 'completeness check failed');
    throw operationFailed(`Completeness check failed: ${problems[0]}`);
  }

  /** Errors of the audio itself make it fail; temporary errors (full disk, stopping server) are retried later. */
  async #handleError(error: unknown): Promise<void> {
    if (this.#isFinished) return;
    if (error instanceof VoiceMissingError) return this.#giveBack();
    const isAudioError = error instanceof AppError && error.code !== 'busy';
    if (!isAudioError && !(error instanceof WorkerCrashedError)) {
      this.#deps.log.error({ err: error, audio: this.#queued.id }, 'synthesis interrupted');
    }
    if (isTransientError(error)) return this.#end('retry');
    if (error instanceof AppError) return this.#fail(error);
    if (this.#previousErrorCount + 1 < maxUnexpectedErrors) return this.#end('unexpected_error');
    return this.#fail(new AppError('internal', 'Synthesis failed: internal error. See the server log'));
  }

  async #giveBack(): Promise<void> {
    const { database, log } = this.#deps;
    const releasing = database.write(this.#queued.site_id, (db) => releaseClaim(db, this.#claim));
    await releasing.catch((error: unknown) => log.error({ err: error }, 'giving audio back failed'));
    this.#end('given_back');
    database.cluster?.send('audio.changed', String(this.#queued.id));
  }

  async #fail(cause: AppError): Promise<void> {
    const { id, site_id } = this.#queued;
    const error_code = getFailureCode(cause);
    const error = cause.code === 'bad_voice' ? `Voice ${this.#voiceName} failed: ${cause.message}` : cause.message;
    try {
      await this.#deps.database.write(site_id, async (db) => {
        const content_counts = error_code === 'no_text' ? await this.#countContent(db) : null;
        const isFailed = await markFailed(db, this.#claim, { error, error_code, content_counts });
        if (isFailed) await this.#dispatchEvent(db);
      });
      this.#end('failed', error_code);
    } catch (storing) {
      this.#deps.log.error({ err: storing, audio: id }, 'storing failure failed');
      this.#end('retry');
    }
  }

  async #countContent(db: Queries): Promise<string> {
    const content = await findContent(db, this.#queued.id);
    return JSON.stringify(countContent(content, this.#activeJob?.plan.leftOut ?? []));
  }

  async #dispatchEvent(db: Queries): Promise<void> {
    const event = await findFinishedEvent(db, this.#queued.id);
    if (event !== undefined) await this.#deps.onAudioEvent(db, event);
  }

  #end(outcome: JobOutcome, reason?: FailureCode): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#pending.clear();
    const { reusedSegmentCount: reusedCount = 0, sentenceCounts } = this.#activeJob?.plan ?? {};
    if (outcome !== 'not_claimed') {
      this.#deps.jobMetrics.recordJob({ outcome, reason, reusedCount, sentenceCounts });
    }
    this.#onEnd(outcome);
  }

  get #requireActiveJob(): ActiveJob {
    if (this.#activeJob === undefined) throw new Error('the synthesis job has not started');
    return this.#activeJob;
  }
}
