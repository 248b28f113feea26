import { type Jobs, runInBackground } from '../background.ts';
import { afterCommit, type Queries } from '../database/database.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import type { ScheduledWork, SchedulingPriority } from './fair-scheduler.ts';
import { releaseAudios } from './job-store.ts';
import type { Bucket } from './media/bucket.ts';
import { isTransientError } from './pending-segments.ts';
import type { JobOutcome } from './publish.ts';
import {
  findQueuedAudio,
  findQueuePause,
  type Lane,
  listAbandonedIds,
  listNextAudios,
  listNextIds,
  listWaitingAudios,
  type QueuedAudio,
} from './queue-store.ts';
import { type SegmentCounts, SynthesisJob, type SynthesisJobDeps } from './synthesis-job.ts';
import type { WorkScheduler, WorkSource } from './work-scheduler.ts';

/** Before an interrupted audio is tried again, unless a lost connection to the database is restored. */
const retryDelayMs = 5_000;
const stopTimeoutMs = 6_000;
/** A command pauses the queue in another process. */
const pausePollIntervalMs = 500;
/** A machine of the cluster ends without notice, and notifications may be lost. */
const clusterPollIntervalMs = 2_000;
/** Share of the time in which the next audio of every site is read, which takes up to 0.2 s with 10,000 sites. */
const maxComparisonShare = 0.01;
/** Also where one comparison was slow. */
const maxComparisonDelayMs = 30_000;

interface QueueEntry {
  readonly queued: QueuedAudio;
  readonly job: SynthesisJob;
  readonly source: WorkSource & Lane;
}

interface LaneState extends Lane {
  /** The entry of its next audio, until that is started. */
  next: QueueEntry | undefined;
}

export interface QueueDeps extends SynthesisJobDeps {
  readonly workers: WorkerPool;
  readonly workScheduler: WorkScheduler;
  /** Called after each commit for an audio, for example of one more sentence. */
  readonly notifyUpdate: (audioId: number) => void;
  readonly jobs: Jobs;
  /** Undefined: audio is stored in the database. */
  readonly bucket: Bucket | undefined;
  /** Whether this server generates audio; else other machines on its database do. */
  readonly synthesizes: boolean;
}

/**
 * Hands unfinished audios to the scheduler: those that this machine has started, and the next one of each lane. The database rows
 * are the truth: whenever a lane may have changed, its next audio is read again.
 */
export class AudioQueue {
  readonly #deps: QueueDeps;
  readonly #entries = new Map<number, QueueEntry>();
  readonly #lanes = new Map<string, LaneState>();
  /** Whose next audio must be read. */
  readonly #staleLanes = new Set<LaneState>();
  #isReadingLanes = false;
  /** Unexpected errors of an audio in one revision. */
  readonly #unexpectedErrors = new Map<number, { readonly revision: number; readonly count: number }>();
  /** Audios that this machine gave back or failed to generate a moment ago: other machines may claim them first. */
  readonly #held = new Set<number>();
  /** Of audios that are read again later. */
  readonly #retries = new Map<number, Timer>();
  #isRunning = false;
  #isPaused = false;
  /** By `performance.now()`. */
  #nextComparisonMs = 0;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** Starts with the unfinished audios of the database. */
  async start(): Promise<void> {
    const { database, jobs, log, bucket, workScheduler } = this.#deps;
    bucket?.onAvailable(() => workScheduler.fill());
    // The queue takes unfinished audios of either status: a full disk must not stop a server with much to serve.
    await this.#release().catch((error: unknown) => {
      if (!isTransientError(error)) throw error;
      log.warn({ err: error }, 'resetting running jobs failed');
    });
    await this.#readPause();
    const schedule = { intervalMs: pausePollIntervalMs, isDue: createWriteWatcher(database), isPerServer: true };
    jobs.every('reading queue pause state', schedule, () => this.#readPause());
    this.#isRunning = this.#deps.synthesizes;
    for (const { cost, ...next } of await listNextAudios(database.read)) {
      workScheduler.resume(toScheduledWork(next), cost);
      if (this.#isRunning) this.#setNext(this.#getLane(toScheduledWork(next)), next);
    }
    if (!this.#isRunning) return;
    for (const id of await listAbandonedIds(database.read)) await this.#reload(id);
    workScheduler.fill();
    if (database.cluster === undefined) return;
    database.cluster.on('audio.changed', (id) => {
      runInBackground(this.#applyRemoteChange(Number(id)), log, 'applying a change by another machine failed');
    });
    database.cluster.onRestored(() => {
      for (const id of [...this.#retries.keys()]) this.#retry(id);
    });
    const polling = { intervalMs: clusterPollIntervalMs, delayMs: clusterPollIntervalMs, isPerServer: true };
    jobs.every('reading the queue', polling, () => this.#compareRows());
  }

  /** Finishes the running sentences, gives the rest back, and takes nothing more. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.race([this.#deps.workScheduler.onIdle(), Bun.sleep(stopTimeoutMs)]);
    for (const { job } of this.#entries.values()) job.cancel();
    // Best effort: the next start does it in any case.
    await this.#release().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'resetting running jobs failed');
    });
  }

  /** @returns the place in the queue of a text that is accepted now */
  nextVirtualTime(siteId: number, priority: SchedulingPriority, cost: number): number {
    return this.#deps.workScheduler.nextVirtualTime(siteId, priority, cost);
  }

  /** Call it in each transaction that makes an audio pending, changes its priority or deletes it. */
  notifyChanged(db: Queries, audioId: number): void {
    afterCommit(db, () => {
      this.#notifyMachines(audioId);
      return this.#reloadOrRetry(audioId);
    });
  }

  /** Call it in the transaction of a pause or its end: after its commit no further sentence starts while paused. */
  notifyPauseChanged(db: Queries): void {
    afterCommit(db, () => this.#readPause());
  }

  /** @returns the voice of the audio that is next; undefined when none waits */
  nextVoiceId(): number | undefined {
    const next = this.#deps.workScheduler.peek();
    return [...this.#entries.values()].find(({ source }) => source === next)?.queued.voice_id;
  }

  /** @returns the progress of an audio; undefined when it was not started since the server started */
  getSegmentCounts(audioId: number): SegmentCounts | undefined {
    return this.#entries.get(audioId)?.job.segmentCounts;
  }

  get #isOpen(): boolean {
    return this.#isRunning && !this.#isPaused;
  }

  get #machineId(): number | undefined {
    return this.#deps.database.cluster?.machineId;
  }

  async #release(): Promise<void> {
    const { database } = this.#deps;
    for (const id of await database.write('server', (db) => releaseAudios(db, this.#machineId)))
      this.#notifyMachines(id);
  }

  #notifyMachines(audioId: number): void {
    this.#deps.database.cluster?.send('audio.changed', String(audioId));
  }

  async #readPause(): Promise<void> {
    this.#isPaused = (await findQueuePause(this.#deps.database.read)) !== undefined;
    this.#deps.workScheduler.fill();
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
    const queued = await findQueuedAudio(this.#deps.database.read, audioId, this.#machineId);
    const before = this.#entries.get(audioId);
    if (before !== undefined && !this.#isNext(before)) {
      // Its priority may have changed.
      if (before.queued.revision === queued?.revision) this.#schedule(queued, before.job);
      // Two changes in quick succession may be read in either order.
      if (before.queued.revision >= (queued?.revision ?? Infinity)) return;
    }
    if (before !== undefined) this.#drop(before);
    if (queued?.status === 'pending') this.#readLane(toScheduledWork(queued));
    // Of this machine, or of one that is gone.
    else if (queued !== undefined && !this.#held.has(audioId)) this.#enter(queued);
    this.#deps.workScheduler.fill();
  }

  #reloadLater(audioId: number): void {
    clearTimeout(this.#retries.get(audioId));
    this.#retries.set(audioId, setTimeout(() => this.#retry(audioId), retryDelayMs).unref());
  }

  #retry(audioId: number): void {
    clearTimeout(this.#retries.get(audioId));
    this.#retries.delete(audioId);
    this.#held.delete(audioId);
    const reloading = this.#reloadOrRetry(audioId).then(() => this.#deps.workScheduler.fill());
    runInBackground(reloading, this.#deps.log, 'queueing audio failed');
  }

  /** Finds the audio of machines that ended, and changes by other machines whose notification was lost. */
  async #compareRows(): Promise<void> {
    const { read } = this.#deps.database;
    for (const id of await listAbandonedIds(read)) if (!this.#entries.has(id)) await this.#applyRemoteChange(id);
    const startMs = performance.now();
    if (startMs < this.#nextComparisonMs) return;
    const nextIds = new Map((await listNextIds(read)).map(({ id, ...lane }) => [this.#getLane(lane), id]));
    const endMs = performance.now();
    this.#nextComparisonMs = endMs + Math.min((endMs - startMs) / maxComparisonShare, maxComparisonDelayMs);
    for (const lane of this.#lanes.values()) {
      if (lane.next?.queued.id !== nextIds.get(lane)) this.#readLane(lane);
    }
  }

  /** Applies a change by another machine. */
  async #applyRemoteChange(audioId: number): Promise<void> {
    const { read } = this.#deps.database;
    const entry = this.#entries.get(audioId);
    if (entry === undefined || (await findQueuedAudio(read, audioId, this.#machineId)) !== undefined) {
      return this.#reload(audioId);
    }
    // Else its job is about to publish it.
    const isElsewhere = (await findQueuedAudio(read, audioId, undefined)) !== undefined;
    if (isElsewhere || entry.job.segmentCounts === undefined) this.#drop(entry);
  }

  #getLane({ siteId, priority }: Lane): LaneState {
    return this.#lanes.getOrInsertComputed(`${siteId} ${priority}`, () => ({ siteId, priority, next: undefined }));
  }

  /** Reads the next audio of a lane again, after its last change; lanes are read one after the other. */
  #readLane(lane: Lane): void {
    this.#staleLanes.add(this.#getLane(lane));
    if (!this.#isReadingLanes) runInBackground(this.#readStaleLanes(), this.#deps.log, 'reading the queue failed');
  }

  async #readStaleLanes(): Promise<void> {
    this.#isReadingLanes = true;
    try {
      // Also those that are added meanwhile.
      for (const lane of this.#staleLanes) {
        this.#staleLanes.delete(lane);
        if (this.#isRunning) await this.#readNext(lane);
      }
    } finally {
      this.#isReadingLanes = false;
    }
  }

  async #readNext(lane: LaneState): Promise<void> {
    const { database, workers, workScheduler } = this.#deps;
    try {
      // What this machine is about to claim, and what it holds, is pending, too.
      const audios = await listWaitingAudios(database.read, lane, workers.count + this.#held.size + 1);
      const isFree = ({ id }: QueuedAudio) => !this.#held.has(id) && this.#entries.get(id)?.job.isStarted !== true;
      this.#setNext(lane, audios.find(isFree));
      workScheduler.fill();
    } catch (error) {
      setTimeout(() => this.#readLane(lane), retryDelayMs).unref();
      throw error;
    }
  }

  #setNext(lane: LaneState, queued: QueuedAudio | undefined): void {
    const before = lane.next !== undefined && this.#isNext(lane.next) ? lane.next : undefined;
    if (before !== undefined && Bun.deepEquals(before.queued, queued)) return;
    lane.next = queued && this.#enter(queued);
    // Afterwards, so that the site always has work.
    if (before !== undefined && before.queued.id !== queued?.id) this.#leave(before.queued.id);
  }

  /** Whether it is the next one of its lane: it is not started, and only reading the lane replaces it. */
  #isNext(entry: QueueEntry): boolean {
    const isCurrent = this.#entries.get(entry.queued.id) === entry;
    return isCurrent && !entry.job.isStarted && entry.queued.status === 'pending';
  }

  /** Removes an entry whose audio was changed, deleted or claimed by another machine. */
  #drop(entry: QueueEntry): void {
    if (this.#isNext(entry)) this.#readLane(entry.source);
    else {
      this.#leave(entry.queued.id);
      entry.job.cancel();
    }
  }

  #enter(queued: QueuedAudio): QueueEntry {
    const { workers, workScheduler, log, notifyUpdate } = this.#deps;
    const { id, voice_id } = queued;
    const onWork = (): void => {
      notifyUpdate(id);
      workScheduler.fill();
    };
    // The last tasks of a replaced job are charged, too.
    const call = workScheduler.createCall(() => this.#entries.get(id)?.source ?? source);
    const deps = { ...this.#deps, workers: { count: workers.count, call } };
    const job = new SynthesisJob(deps, queued, this.#countUnexpectedErrors(queued), onWork, (outcome) => {
      if (this.#entries.get(id)?.job === job) this.#onEnd(queued, outcome);
    });
    const entry = this.#schedule(queued, job);
    const { source } = entry;
    // With more audios than workers, no worker is free to load a voice ahead.
    if (this.#isOpen && this.#entries.size <= workers.count) {
      runInBackground(this.#warmUpVoice(voice_id), log, 'warming up voice failed');
    }
    return entry;
  }

  /** Gives a job its place, or another one. */
  #schedule(queued: QueuedAudio, job: SynthesisJob): QueueEntry {
    const { workScheduler } = this.#deps;
    const before = this.#entries.get(queued.id);
    const entry = { queued, job, source: this.#createSource(queued, job) };
    this.#entries.set(queued.id, entry);
    workScheduler.add(entry.source);
    if (before !== undefined) workScheduler.remove(before.source);
    return entry;
  }

  #createSource(queued: QueuedAudio, job: SynthesisJob): WorkSource & Lane {
    const { bucket } = this.#deps;
    const work = toScheduledWork(queued);
    // While the bucket takes nothing, nothing more is started, but listeners hear what was started to its end.
    const isOpen = (): boolean => this.#isOpen && (bucket?.problem === undefined || job.isStarted);
    return {
      ...work,
      get hasWork() {
        return isOpen() && job.hasWork;
      },
      get isTextNext() {
        return job.isTextNext;
      },
      get nextVoiceHash() {
        return job.nextVoiceHash;
      },
      nextTask: (isAlone) => {
        if (!job.isStarted) this.#readLane(work);
        return job.nextTask(isAlone);
      },
    };
  }

  #leave(audioId: number): void {
    const entry = this.#entries.get(audioId);
    this.#entries.delete(audioId);
    if (entry !== undefined) this.#deps.workScheduler.remove(entry.source);
  }

  #onEnd(queued: QueuedAudio, outcome: JobOutcome): void {
    const { id, revision } = queued;
    this.#leave(id);
    this.#deps.notifyUpdate(id);
    if (!this.#isRunning) return;
    if (outcome !== 'not_claimed') this.#deps.log.info({ audio: id, outcome }, 'audio ended');
    if (outcome === 'unexpected_error') {
      this.#unexpectedErrors.set(id, { revision, count: this.#countUnexpectedErrors(queued) + 1 });
    } else if (outcome !== 'retry') this.#unexpectedErrors.delete(id);
    if (outcome === 'retry' || outcome === 'given_back' || outcome === 'unexpected_error') {
      this.#held.add(id);
      this.#reloadLater(id);
    }
    this.#readLane(toScheduledWork(queued));
    this.#deps.workScheduler.fill();
  }

  #countUnexpectedErrors({ id, revision }: QueuedAudio): number {
    const previous = this.#unexpectedErrors.get(id);
    return previous?.revision === revision ? previous.count : 0;
  }

  /** Loads a voice while the text is read. */
  async #warmUpVoice(voiceId: number): Promise<void> {
    // An error of the voice is reported when it is needed.
    const voice = await this.#deps.catalog.find(voiceId).catch(() => undefined);
    if (voice !== undefined) this.#deps.workers.warmUp(voice.files);
  }
}

function toScheduledWork({ id, site_id: siteId, priority, virtual_time: virtualTime }: QueuedAudio) {
  return { id, siteId, priority, virtualTime } satisfies ScheduledWork;
}
