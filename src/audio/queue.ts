import PQueue from 'p-queue';
import { type Jobs, runInBackground } from '../background.ts';
import { afterCommit, type Queries } from '../database/open.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import { FairScheduler, type ScheduledAudio, type SchedulingPriority } from './fair-scheduler.ts';
import { findQueuedAudio, listQueuedAudios, type QueuedAudio, resetRunningJobs } from './job-store.ts';
import type { JobOutcome } from './publish.ts';
import { findQueuePause } from './queue-pause.ts';
import { type SegmentCounts, SynthesisJob, type SynthesisJobDeps, type Task } from './synthesis-job.ts';

/** Before an interrupted audio is tried again. */
const retryDelayMs = 5_000;
const stopTimeoutMs = 6_000;
/** A command pauses the queue in another process. */
const pausePollIntervalMs = 500;
/** Sentences that may go before one whose voice is not loaded: loading takes as long as some sentences. */
const maxBypasses = 4;

interface QueueEntry {
  readonly queued: QueuedAudio;
  readonly job: SynthesisJob;
}

export interface QueueDeps extends SynthesisJobDeps {
  /** Called after each commit for an audio, for example of one more sentence. */
  readonly notifyUpdate: (audioId: number) => void;
  readonly jobs: Jobs;
}

/** Gives the unfinished audios to the workers. The database rows are the truth: the queue is rebuilt from them. */
export class AudioQueue {
  readonly #deps: QueueDeps;
  readonly #scheduler = new FairScheduler();
  readonly #entries = new Map<number, QueueEntry>();
  /** Audios of which a task was taken. */
  readonly #startedIds = new Set<number>();
  /** Unexpected errors of an audio in one revision. */
  readonly #unexpectedErrors = new Map<number, { readonly revision: number; readonly count: number }>();
  // A slot per worker. Which audio gets it is decided when the slot is free, not before.
  readonly #slots: PQueue;
  #bypassCount = 0;
  #isRunning = false;
  #isPaused = false;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#slots = new PQueue({ concurrency: deps.workers.count });
  }

  /** Starts with the unfinished audios of the database. */
  async start(): Promise<void> {
    const { database, jobs } = this.#deps;
    await database.write('server', resetRunningJobs);
    await this.#readPause();
    const schedule = { intervalMs: pausePollIntervalMs, isDue: createWriteWatcher(database) };
    jobs.every('reading queue pause state', schedule, () => this.#readPause());
    this.#isRunning = true;
    for (const queued of await listQueuedAudios(database.read)) {
      this.#scheduler.resume(toScheduledAudio(queued), queued.cost);
      this.#enter(queued);
    }
    this.#fill();
  }

  /** Finishes the running sentences, gives the rest back, and takes nothing more. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.race([this.#slots.onIdle(), Bun.sleep(stopTimeoutMs)]);
    for (const { job } of this.#entries.values()) job.cancel();
    // Best effort: the next start does it in any case.
    await this.#deps.database.write('server', resetRunningJobs).catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'resetting running jobs failed');
    });
  }

  /** @returns the place in the queue of a text that is accepted now */
  nextVirtualTime(siteId: number, priority: SchedulingPriority, cost: number): number {
    return this.#scheduler.nextVirtualTime(siteId, priority, cost);
  }

  /** Call it in each transaction that makes an audio pending or deletes it. */
  notifyChanged(db: Queries, audioId: number): void {
    afterCommit(db, () => this.#reloadOrRetry(audioId));
  }

  /** Call it in each transaction that changes the priority of an audio. */
  notifyRescheduled(db: Queries, audioId: number): void {
    afterCommit(db, () => this.#reschedule(audioId));
  }

  /** Call it in the transaction of a pause or its end: after its commit no further sentence starts while paused. */
  notifyPauseChanged(db: Queries): void {
    afterCommit(db, () => this.#readPause());
  }

  /** @returns the voice of the audio that is next; undefined when none waits */
  nextVoiceId(): number | undefined {
    const next = this.#scheduler.next(this.#hasWork);
    return next && this.#entries.get(next.id)?.queued.voice_id;
  }

  /** @returns the progress of an audio; undefined when it was not started since the server started */
  getSegmentCounts(audioId: number): SegmentCounts | undefined {
    return this.#entries.get(audioId)?.job.segmentCounts;
  }

  get #isOpen(): boolean {
    return this.#isRunning && !this.#isPaused;
  }

  readonly #hasWork = (audioId: number): boolean => this.#entries.get(audioId)?.job.hasWork ?? false;

  /** Whether the next task of an audio needs no voice, or one that a worker has loaded. */
  #isVoiceLoaded(audioId: number): boolean {
    const voice = this.#entries.get(audioId)?.job.nextVoiceHash;
    return voice === undefined || this.#deps.workers.isLoaded(voice);
  }

  /** Fair choice, except that up to four tasks whose voice is loaded may go before one whose voice is not. */
  #nextScheduled(): ScheduledAudio | undefined {
    const fair = this.#scheduler.next(this.#hasWork);
    if (fair === undefined) return undefined;
    const mayBypass = this.#bypassCount < maxBypasses && this.#startedIds.size > 1 && !this.#isVoiceLoaded(fair.id);
    const canBypass = (id: number) => this.#startedIds.has(id) && this.#hasWork(id) && this.#isVoiceLoaded(id);
    const other = mayBypass ? this.#scheduler.next(canBypass) : undefined;
    this.#bypassCount = other === undefined ? 0 : this.#bypassCount + 1;
    return other ?? fair;
  }

  #nextTask(): Task | undefined {
    const scheduled = this.#nextScheduled();
    if (scheduled === undefined) return undefined;
    const task = this.#entries.get(scheduled.id)?.job.nextTask(this.#scheduler.size === 1);
    if (task === undefined) return undefined;
    this.#startedIds.add(scheduled.id);
    this.#scheduler.charge(scheduled, task.cost);
    return task;
  }

  #fill(): void {
    const runNextTask = async () => (this.#isOpen ? this.#nextTask()?.run() : undefined);
    while (this.#isOpen && this.#slots.pending + this.#slots.size < this.#slots.concurrency) {
      if (this.#scheduler.next(this.#hasWork) === undefined) return;
      // Whatever the task ended with, there may be work for the next one.
      const running = this.#slots.add(runNextTask).finally(() => this.#fill());
      runInBackground(running, this.#deps.log, 'queue task failed');
    }
  }

  async #readPause(): Promise<void> {
    this.#isPaused = (await findQueuePause(this.#deps.database.read)) !== undefined;
    this.#fill();
  }

  async #reschedule(audioId: number): Promise<void> {
    const queued = await findQueuedAudio(this.#deps.database.read, audioId);
    const entry = this.#entries.get(audioId);
    // `notifyChanged` follows for another revision.
    if (entry === undefined || queued === undefined || entry.queued.revision !== queued.revision) return;
    this.#entries.set(audioId, { ...entry, queued });
    this.#scheduler.add(toScheduledAudio(queued));
    this.#fill();
  }

  async #reloadOrRetry(audioId: number): Promise<void> {
    try {
      await this.#reload(audioId);
      this.#deps.notifyUpdate(audioId);
    } catch (error) {
      this.#deps.log.error({ err: error, audio: audioId }, 'queueing audio failed, will retry');
      this.#reloadLater(audioId);
    }
  }

  async #reload(audioId: number): Promise<void> {
    if (!this.#isRunning) return;
    const queued = await findQueuedAudio(this.#deps.database.read, audioId);
    const before = this.#entries.get(audioId);
    // Two changes in quick succession may be read in either order.
    if (before !== undefined && before.queued.revision >= (queued?.revision ?? Infinity)) return;
    this.#leave(audioId);
    before?.job.cancel();
    if (queued !== undefined) this.#enter(queued);
    this.#fill();
  }

  #reloadLater(audioId: number): void {
    const reload = () => runInBackground(this.#reloadOrRetry(audioId), this.#deps.log, 'queueing audio failed');
    setTimeout(reload, retryDelayMs).unref();
  }

  #enter(queued: QueuedAudio): void {
    const { workers, log, notifyUpdate } = this.#deps;
    const onWork = (): void => {
      notifyUpdate(queued.id);
      this.#fill();
    };
    const job = new SynthesisJob(this.#deps, queued, this.#countUnexpectedErrors(queued), onWork, (outcome) => {
      if (this.#entries.get(queued.id)?.job === job) this.#onEnd(queued, outcome);
    });
    this.#entries.set(queued.id, { queued, job });
    this.#scheduler.add(toScheduledAudio(queued));
    // With more audios than workers, no worker is free to load a voice ahead.
    if (this.#isOpen && this.#entries.size <= workers.count) {
      runInBackground(this.#warmUpVoice(queued.voice_id), log, 'warming up voice failed');
    }
  }

  #leave(audioId: number): void {
    this.#entries.delete(audioId);
    this.#startedIds.delete(audioId);
    this.#scheduler.remove(audioId);
  }

  #onEnd(queued: QueuedAudio, outcome: JobOutcome): void {
    const { id, revision } = queued;
    this.#leave(id);
    this.#deps.notifyUpdate(id);
    if (!this.#isRunning) return;
    this.#deps.log.info({ audio: id, outcome }, 'audio ended');
    if (outcome === 'unexpected_error') {
      this.#unexpectedErrors.set(id, { revision, count: this.#countUnexpectedErrors(queued) + 1 });
    } else if (outcome !== 'retry') this.#unexpectedErrors.delete(id);
    if (outcome === 'retry' || outcome === 'unexpected_error') this.#reloadLater(id);
    this.#fill();
  }

  #countUnexpectedErrors({ id, revision }: QueuedAudio): number {
    const known = this.#unexpectedErrors.get(id);
    return known?.revision === revision ? known.count : 0;
  }

  /** Loads a voice while the text is read. */
  async #warmUpVoice(voiceId: number): Promise<void> {
    // An error of the voice is reported when it is needed.
    const voice = await this.#deps.catalog.find(voiceId).catch(() => undefined);
    if (voice !== undefined) this.#deps.workers.warmUp(voice.files);
  }
}

function toScheduledAudio({ id, site_id, is_main, priority, virtual_time: virtualTime }: QueuedAudio): ScheduledAudio {
  return { id, siteId: site_id, priority: is_main === 1 ? priority : 'further', virtualTime };
}
