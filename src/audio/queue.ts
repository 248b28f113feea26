import PQueue from 'p-queue';
import { type Jobs, runInBackground } from '../background.ts';
import { FairScheduler, type ScheduledAudio, type SchedulingPriority } from './fair-scheduler.ts';
import { findQueuedAudio, listQueuedAudios, type QueuedAudio, resetRunningJobs } from './job-store.ts';
import { watchQueuePause } from './queue-pause.ts';
import {
  type JobOutcome,
  type SegmentCounts,
  SynthesisJob,
  type SynthesisJobDeps,
  type Task,
} from './synthesis-job.ts';

/** How long an interrupted audio waits before it is tried again. */
const retryDelayMs = 5_000;
const stopTimeoutMs = 6_000;
/** So many sentences may go before one whose voice is not at hand: loading it takes as long as some of them. */
const maxBypasses = 4;

/** The unfinished audios on their way through the workers. The rows are the truth: this can be rebuilt from them. */
export interface AudioQueue {
  /** @returns the place of a text accepted now */
  nextVirtualTime(siteId: number, priority: SchedulingPriority, cost: number): number;
  /** To be told of every committed change that makes an audio pending. */
  notifyChanged(audioId: number): Promise<void>;
  /** To be told of every committed change of an audio's priority. */
  notifyRescheduled(audioId: number): Promise<void>;
  /** To be told of a committed pause, or its end: when this returns no further sentence begins. */
  notifyPauseChanged(): Promise<void>;
  /** Begins with whatever is unfinished in the database. */
  start(): Promise<void>;
  /** Finishes the sentences in hand, gives the rest back, and takes nothing more. */
  stop(): Promise<void>;
  /** @returns unfinished posts, each language for itself; further voices are none */
  size(): number;
  /** @returns the voice of the audio whose turn is next; undefined when none waits */
  nextVoiceId(): number | undefined;
  /** @returns how far an audio is that is being made; undefined for one that was not begun since the start */
  getSegmentCounts(audioId: number): SegmentCounts | undefined;
}

interface QueueEntry {
  readonly queued: QueuedAudio;
  readonly job: SynthesisJob;
}

export interface QueueDeps extends SynthesisJobDeps {
  /** Told of an audio for which something was committed, like one more sentence. */
  readonly notifyUpdate: (audioId: number) => void;
  readonly jobs: Jobs;
}

export function createQueue(deps: QueueDeps): AudioQueue {
  const schedule = new FairScheduler();
  const entries = new Map<number, QueueEntry>();
  /** Those with a step taken: no other is begun before its turn. */
  const begun = new Set<number>();
  /** How many have gone before the one whose turn it is. */
  let passes = 0;
  /** How often an audio has met an error that nobody foresaw, in one generation of it. */
  const faults = new Map<number, { readonly generation: number; readonly count: number }>();
  // One turn per worker: whose sentence it is, is decided when the turn comes, not before.
  const turns = new PQueue({ concurrency: deps.workers.count });
  let running = false;

  const isRunnable = (audioId: number): boolean => entries.get(audioId)?.job.hasWork ?? false;
  const isAtHand = (audioId: number): boolean => {
    const voice = entries.get(audioId)?.job.nextVoiceHash;
    return voice === undefined || deps.workers.isLoaded(voice);
  };
  /** Whose turn it is, unless its voice has to be loaded first and another can be spoken meanwhile. */
  const nextScheduled = (): ScheduledAudio | undefined => {
    const fair = schedule.next(isRunnable);
    if (fair === undefined) return undefined;
    const mayPass = passes < maxBypasses && begun.size > 1 && !isAtHand(fair.id);
    const other = mayPass ? schedule.next((id) => begun.has(id) && isRunnable(id) && isAtHand(id)) : undefined;
    passes = other === undefined ? 0 : passes + 1;
    return other ?? fair;
  };
  const nextStep = (): Task | undefined => {
    const scheduled = nextScheduled();
    if (scheduled === undefined) return undefined;
    const step = entries.get(scheduled.id)?.job.nextTask(schedule.size === 1);
    if (step === undefined) return undefined;
    begun.add(scheduled.id);
    schedule.charge(scheduled, step.cost);
    return step;
  };
  const isOpen = (): boolean => running && !pause.isPaused;
  const takeTurn = async (): Promise<void> => {
    if (isOpen()) await nextStep()?.run();
  };
  const fill = (): void => {
    while (isOpen() && turns.pending + turns.size < turns.concurrency) {
      if (schedule.next(isRunnable) === undefined) return;
      // Whatever a turn ended with, there may be work for the next one.
      runInBackground(turns.add(takeTurn).finally(fill), deps.log, 'queue task failed');
    }
  };
  const pause = watchQueuePause(deps.database, deps.jobs, fill);
  const leave = (audioId: number): void => {
    entries.delete(audioId);
    begun.delete(audioId);
    schedule.remove(audioId);
  };
  const faultsOf = ({ id, generation }: QueuedAudio): number => {
    const known = faults.get(id);
    return known?.generation === generation ? known.count : 0;
  };
  const onEnd = (queued: QueuedAudio, outcome: JobOutcome): void => {
    leave(queued.id);
    deps.notifyUpdate(queued.id);
    if (!running) return;
    deps.log.info({ audio: queued.id, outcome }, 'audio ended');
    if (outcome === 'fault') {
      faults.set(queued.id, { generation: queued.generation, count: faultsOf(queued) + 1 });
    } else if (outcome !== 'retry') faults.delete(queued.id);
    if (outcome === 'retry' || outcome === 'fault') reloadLater(queued.id);
    fill();
  };
  /** Has a voice loaded while the text is read, where a worker has nothing else to do. */
  const prepareVoice = async (voiceId: number): Promise<void> => {
    // What is wrong with it shows again when it is needed.
    const voice = await deps.catalog.find(voiceId).catch(() => undefined);
    if (voice !== undefined) deps.workers.warmUp(voice.files);
  };
  const enter = (queued: QueuedAudio): void => {
    const onWork = (): void => {
      deps.notifyUpdate(queued.id);
      fill();
    };
    const production = new SynthesisJob(deps, queued, faultsOf(queued), onWork, (outcome) => {
      if (entries.get(queued.id)?.job === production) onEnd(queued, outcome);
    });
    entries.set(queued.id, { queued, job: production });
    schedule.add(toScheduledAudio(queued));
    // Where more wait, there is no worker free to prepare anything.
    if (isOpen() && entries.size <= deps.workers.count) {
      runInBackground(prepareVoice(queued.voice_id), deps.log, 'warming up voice failed');
    }
  };
  const reloadLater = (audioId: number): void => {
    const again = () => runInBackground(changed(audioId), deps.log, 'queueing audio failed');
    setTimeout(again, retryDelayMs).unref();
  };
  /** Its row is committed already: whatever fails here is tried again, not told to the client. */
  const changed = async (audioId: number): Promise<void> => {
    try {
      await reload(audioId);
      deps.notifyUpdate(audioId);
    } catch (error) {
      deps.log.error({ err: error, audio: audioId }, 'queueing audio failed, will retry');
      reloadLater(audioId);
    }
  };
  const reload = async (audioId: number): Promise<void> => {
    if (!running) return;
    const queued = await findQueuedAudio(deps.database.read, audioId);
    const before = entries.get(audioId);
    // Two changes in quick succession may be read in either order.
    if (before !== undefined && before.queued.generation >= (queued?.generation ?? Infinity)) return;
    leave(audioId);
    before?.job.cancel();
    if (queued !== undefined) enter(queued);
    fill();
  };
  const moved = async (audioId: number): Promise<void> => {
    const queued = await findQueuedAudio(deps.database.read, audioId);
    const entry = entries.get(audioId);
    if (entry === undefined || queued === undefined) return;
    // Another generation is on its way here by `changed`.
    if (entry.queued.generation !== queued.generation) return;
    entries.set(audioId, { ...entry, queued });
    schedule.add(toScheduledAudio(queued));
    fill();
  };

  return {
    nextVirtualTime: (siteId, priority, cost) => schedule.nextVirtualTime(siteId, priority, cost),
    notifyChanged: changed,
    notifyRescheduled: moved,
    notifyPauseChanged: pause.poll,
    start: async () => {
      await deps.database.write(resetRunningJobs);
      await pause.poll();
      pause.start();
      running = true;
      for (const queued of await listQueuedAudios(deps.database.read)) {
        schedule.resume(toScheduledAudio(queued), queued.cost);
        enter(queued);
      }
      fill();
    },
    stop: async () => {
      running = false;
      const patience = Bun.sleep(stopTimeoutMs);
      await Promise.race([turns.onIdle(), patience]);
      for (const { job: production } of entries.values()) production.cancel();
      // Best effort: the next start does it in any case.
      await deps.database.write(resetRunningJobs).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'resetting running jobs failed');
      });
    },
    nextVoiceId: () => {
      const next = schedule.next(isRunnable);
      return next === undefined ? undefined : entries.get(next.id)?.queued.voice_id;
    },
    getSegmentCounts: (audioId) => entries.get(audioId)?.job.segmentCounts,
    size: () => [...entries.values()].filter(({ queued }) => queued.is_main === 1).length,
  };
}

function toScheduledAudio({ id, site_id, is_main, priority, turn: virtualTime }: QueuedAudio): ScheduledAudio {
  return { id, siteId: site_id, priority: is_main === 1 ? priority : 'further', virtualTime };
}
