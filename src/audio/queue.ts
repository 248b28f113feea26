import PQueue from 'p-queue';
import { inBackground } from '../background.ts';
import { Schedule, type Scheduled, type Urgency } from './fair-scheduler.ts';
import { findQueued, listQueued, type QueuedAudio, releaseClaims } from './job-store.ts';
import { watchPause } from './queue-pause.ts';
import {
  type Outcome,
  type ProduceDeps,
  Production,
  type SegmentCounts,
  type Step,
} from './synthesis-job.ts';

/** How long an interrupted audio waits before it is tried again. */
const retryPauseMs = 5_000;
const stopPatienceMs = 6_000;
/** So many sentences may go before one whose voice is not at hand: loading it takes as long as some of them. */
const passesMax = 4;

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
  /** @returns the voice of the audio whose turn is next; undefined when none waits */
  nextVoiceId(): number | undefined;
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
  /** Those with a step taken: no other is begun before its turn. */
  const begun = new Set<number>();
  /** How many have gone before the one whose turn it is. */
  let passes = 0;
  /** How often an audio has met an error that nobody foresaw, in one generation of it. */
  const faults = new Map<number, { readonly generation: number; readonly count: number }>();
  // One turn per worker: whose sentence it is, is decided when the turn comes, not before.
  const turns = new PQueue({ concurrency: deps.workers.count });
  let running = false;

  const isRunnable = (audioId: number): boolean =>
    entries.get(audioId)?.production.hasWork ?? false;
  const isAtHand = (audioId: number): boolean => {
    const voice = entries.get(audioId)?.production.nextVoice;
    return voice === undefined || deps.workers.isAtHand(voice);
  };
  /** Whose turn it is, unless its voice has to be loaded first and another can be spoken meanwhile. */
  const nextScheduled = (): Scheduled | undefined => {
    const fair = schedule.next(isRunnable);
    if (fair === undefined) return undefined;
    const mayPass = passes < passesMax && begun.size > 1 && !isAtHand(fair.id);
    const other = mayPass
      ? schedule.next((id) => begun.has(id) && isRunnable(id) && isAtHand(id))
      : undefined;
    passes = other === undefined ? 0 : passes + 1;
    return other ?? fair;
  };
  const nextStep = (): Step | undefined => {
    const scheduled = nextScheduled();
    if (scheduled === undefined) return undefined;
    const step = entries.get(scheduled.id)?.production.take(schedule.size === 1);
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
      inBackground(turns.add(takeTurn).finally(fill), deps.log, 'a turn of the queue failed');
    }
  };
  const pause = watchPause(deps.database, deps.log, fill);
  const leave = (audioId: number): void => {
    entries.delete(audioId);
    begun.delete(audioId);
    schedule.remove(audioId);
  };
  const faultsOf = ({ id, generation }: QueuedAudio): number => {
    const known = faults.get(id);
    return known?.generation === generation ? known.count : 0;
  };
  const onEnd = (queued: QueuedAudio, outcome: Outcome): void => {
    leave(queued.id);
    deps.onNews(queued.id);
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
    if (voice !== undefined) deps.workers.prepare(voice.files);
  };
  const enter = (queued: QueuedAudio): void => {
    const onWork = (): void => {
      deps.onNews(queued.id);
      fill();
    };
    const production = new Production(deps, queued, faultsOf(queued), onWork, (outcome) => {
      if (entries.get(queued.id)?.production === production) onEnd(queued, outcome);
    });
    entries.set(queued.id, { queued, production });
    schedule.add(scheduledOf(queued));
    // Where more wait, there is no worker free to prepare anything.
    if (isOpen() && entries.size <= deps.workers.count) {
      inBackground(prepareVoice(queued.voice_id), deps.log, 'a voice could not be prepared');
    }
  };
  const reloadLater = (audioId: number): void => {
    const again = () => inBackground(changed(audioId), deps.log, 'an audio could not be queued');
    setTimeout(again, retryPauseMs).unref();
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
    nextVoiceId: () => {
      const next = schedule.next(isRunnable);
      return next === undefined ? undefined : entries.get(next.id)?.queued.voice_id;
    },
    segmentsOf: (audioId) => entries.get(audioId)?.production.segments,
    size: () => [...entries.values()].filter(({ queued }) => queued.is_main === 1).length,
  };
}

function scheduledOf({ id, site_id, is_main, priority, turn }: QueuedAudio): Scheduled {
  return { id, siteId: site_id, priority: is_main === 1 ? priority : 'further', turn };
}
