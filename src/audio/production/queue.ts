import PQueue from 'p-queue';
import { watchPause } from './pause.ts';
import {
  type Outcome,
  type ProduceDeps,
  Production,
  type SegmentCounts,
  type Step,
} from './produce.ts';
import { Schedule, type Scheduled, type Urgency } from './schedule.ts';
import { findQueued, listQueued, type QueuedAudio, releaseClaims } from './store.ts';

/** How long an interrupted audio waits before it is tried again. */
const retryPauseMs = 5_000;
const stopPatienceMs = 6_000;

/** The unfinished audios on their way through the workers. The rows are the truth: this can be rebuilt from them. */
export interface AudioQueue {
  /** @returns the place of a text accepted now */
  turnOf(siteId: number, priority: Urgency, cost: number): number;
  /** To be told of every committed change that makes an audio pending. */
  changed(audioId: number): Promise<void>;
  /** To be told of every committed change of an audio's priority. */
  moved(audioId: number): Promise<void>;
  /** To be told of a committed pause, or its end: when this returns no further sentence begins. */
  pauseChanged(): Promise<void>;
  /** Begins with whatever is unfinished in the database. */
  start(): Promise<void>;
  /** Finishes the sentences in hand, gives the rest back, and takes nothing more. */
  stop(): Promise<void>;
  /** @returns unfinished posts, each language for itself; further voices are none */
  size(): number;
  /** @returns how far an audio is that is being made; undefined for one that was not begun since the start */
  segmentsOf(audioId: number): SegmentCounts | undefined;
}

interface Entry {
  readonly queued: QueuedAudio;
  readonly production: Production;
}

export interface QueueDeps extends ProduceDeps {
  /** Told of an audio for which something was committed, like one more sentence. */
  readonly onNews: (audioId: number) => void;
}

export function createQueue(deps: QueueDeps): AudioQueue {
  const schedule = new Schedule();
  const entries = new Map<number, Entry>();
  /** How often an audio, as it is now, has met an error that nobody foresaw. */
  const faults = new Map<number, number>();
  // One turn per worker: whose sentence it is, is decided when the turn comes, not before.
  const turns = new PQueue({ concurrency: deps.workers.count });
  let running = false;

  const isRunnable = (audioId: number): boolean =>
    entries.get(audioId)?.production.hasWork ?? false;
  const nextStep = (): Step | undefined => {
    const scheduled = schedule.next(isRunnable);
    if (scheduled === undefined) return undefined;
    const step = entries.get(scheduled.id)?.production.take();
    if (step !== undefined) schedule.charge(scheduled, step.cost);
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
      turns
        .add(takeTurn)
        .catch((error: unknown) => deps.log.error({ err: error }, 'a turn of the queue failed'))
        .then(fill);
    }
  };
  const pause = watchPause(deps.database, deps.log, fill);
  const leave = (audioId: number): void => {
    entries.delete(audioId);
    schedule.remove(audioId);
  };
  const onEnd = (queued: QueuedAudio, outcome: Outcome): void => {
    leave(queued.id);
    deps.onNews(queued.id);
    if (!running) return;
    deps.log.info({ audio: queued.id, outcome }, 'audio ended');
    if (outcome === 'fault') faults.set(queued.id, (faults.get(queued.id) ?? 0) + 1);
    else if (outcome !== 'retry') faults.delete(queued.id);
    if (outcome === 'retry' || outcome === 'fault') reloadLater(queued.id);
    fill();
  };
  const enter = (queued: QueuedAudio): void => {
    const onWork = (): void => {
      deps.onNews(queued.id);
      fill();
    };
    const faultsBefore = faults.get(queued.id) ?? 0;
    const production = new Production(deps, queued, faultsBefore, onWork, (outcome) => {
      if (entries.get(queued.id)?.production === production) onEnd(queued, outcome);
    });
    entries.set(queued.id, { queued, production });
    schedule.add(scheduledOf(queued));
  };
  const reloadLater = (audioId: number): void => {
    setTimeout(() => void changed(audioId), retryPauseMs).unref();
  };
  /** Its row is committed already: whatever fails here is tried again, not told to the client. */
  const changed = async (audioId: number): Promise<void> => {
    try {
      await reload(audioId);
      deps.onNews(audioId);
    } catch (error) {
      deps.log.error({ err: error, audio: audioId }, 'an audio could not be queued just now');
      reloadLater(audioId);
    }
  };
  const reload = async (audioId: number): Promise<void> => {
    if (!running) return;
    const queued = await findQueued(deps.database.read, audioId);
    const before = entries.get(audioId);
    // Two changes in quick succession may be read in either order.
    if (before !== undefined && before.queued.generation >= (queued?.generation ?? Infinity))
      return;
    leave(audioId);
    before?.production.drop();
    if (queued !== undefined) enter(queued);
    fill();
  };
  const moved = async (audioId: number): Promise<void> => {
    const queued = await findQueued(deps.database.read, audioId);
    const entry = entries.get(audioId);
    if (entry === undefined || queued === undefined) return;
    // Another generation is on its way here by `changed`.
    if (entry.queued.generation !== queued.generation) return;
    entries.set(audioId, { ...entry, queued });
    schedule.add(scheduledOf(queued));
    fill();
  };

  return {
    turnOf: (siteId, priority, cost) => schedule.turnOf(siteId, priority, cost),
    changed,
    moved,
    pauseChanged: pause.look,
    start: async () => {
      await deps.database.write(releaseClaims);
      await pause.look();
      pause.start();
      running = true;
      for (const queued of await listQueued(deps.database.read)) {
        schedule.resume(scheduledOf(queued), queued.cost);
        enter(queued);
      }
      fill();
    },
    stop: async () => {
      running = false;
      pause.stop();
      const patience = Bun.sleep(stopPatienceMs);
      await Promise.race([turns.onIdle(), patience]);
      for (const { production } of entries.values()) production.drop();
      // Best effort: the next start does it in any case.
      await deps.database.write(releaseClaims).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'claims are released at the next start');
      });
    },
    segmentsOf: (audioId) => entries.get(audioId)?.production.segments,
    size: () => [...entries.values()].filter(({ queued }) => queued.is_main === 1).length,
  };
}

function scheduledOf({ id, site_id, is_main, priority, turn }: QueuedAudio): Scheduled {
  return { id, siteId: site_id, priority: is_main === 1 ? priority : 'further', turn };
}
