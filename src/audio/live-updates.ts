import { type Static, Type } from '@sinclair/typebox';
import type { Jobs } from '../background.ts';
import { currentTimeMs } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import { countPosts } from './posts/post-list.ts';
import { listWaitingIds } from './queue-store.ts';
import { selectStartedAt } from './regenerate.ts';
import { selectAudioSummary, unfinishedStatuses } from './store.ts';

/** `data` of an `audio` event. */
export const LiveAudio = Type.Object(
  {
    post_id: Type.String(),
    language: Type.String(),
    voice_id: Type.Integer(),
    main: Type.Boolean({ description: 'False for extra voices' }),
    status: literalUnion(['pending', 'generating', 'ready', 'failed']),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    queue_position: nullable(Type.Integer({ minimum: 1 }), {
      description: 'Of the 50 next pending audios of the site: 1 is next; else null',
    }),
    seconds_left: nullable(Type.Integer(), { description: 'Estimate while generating; null: unknown' }),
    error: nullable(Type.String()),
  },
  { title: 'LiveAudio' },
);
export type LiveAudio = Static<typeof LiveAudio>;

/** Updates are collected for so long. */
const sendIntervalMs = 1_000;
const accessIntervalMs = 5_000;
/** Proxies close connections that are silent for longer, often after 60 s. */
const heartbeatIntervalMs = 15_000;
/** Audio in the queue of a site whose position is sent. */
const maxPositions = 50;
/** Beyond that a listener has to load everything again. */
const maxPendingEvents = 500;
/** SQLite takes 32,766 parameters in one statement. */
const queryBatchSize = 5_000;

interface Site {
  readonly listeners: Set<LiveListener>;
  /** As last sent. */
  counts: string;
  positions: ReadonlyMap<number, number>;
  /** Data of the last event of each unfinished audio. */
  readonly sent: Map<number, string>;
}

/** Sends the state of a site's audio, and the number of its posts in each state, to listeners. */
export class LiveUpdates {
  readonly #database: Database;
  readonly #sites = new Map<number, Site>();
  readonly #changed = new Set<number>();
  readonly #hasWritten: () => boolean;
  /** A new listener has not received anything. */
  #hasNewListener = false;
  #isClosed = false;

  constructor(database: Database) {
    this.#database = database;
    this.#hasWritten = createWriteWatcher(database);
  }

  start(jobs: Jobs): void {
    const isDue = () => this.#sites.size > 0 && (this.#hasNewListener || this.#changed.size > 0 || this.#hasWritten());
    jobs.every('sending live updates', { intervalMs: sendIntervalMs, isDue, isPerServer: true }, () => this.#send());
    const isHeard = () => this.#sites.size > 0;
    jobs.every('checking live listeners', { intervalMs: accessIntervalMs, isDue: isHeard, isPerServer: true }, () =>
      this.#checkAccess(),
    );
    jobs.every(
      'sending heartbeats',
      { intervalMs: heartbeatIntervalMs, isDue: isHeard, isPerServer: true },
      async () => {
        for (const listener of this.#listeners()) listener.push('heartbeat', ':\n\n');
      },
    );
  }

  /** Call it after each commit for an audio. */
  notify(audioId: number): void {
    if (this.#sites.size > 0) this.#changed.add(audioId);
  }

  /** @param isAllowed whether the listener may still know about the site; checked every few seconds */
  subscribe(siteId: number, isAllowed: () => Promise<boolean>): LiveListener {
    const site = this.#sites.getOrInsertComputed(siteId, () => {
      return { listeners: new Set(), counts: '', positions: new Map(), sent: new Map() };
    });
    const listener = new LiveListener(isAllowed, () => {
      site.listeners.delete(listener);
      if (site.listeners.size === 0) this.#sites.delete(siteId);
    });
    site.listeners.add(listener);
    site.counts = '';
    site.positions = new Map();
    site.sent.clear();
    this.#hasNewListener = true;
    if (this.#isClosed) listener.end();
    return listener;
  }

  /** Ends all streams: the server stops. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners()) listener.end();
  }

  #listeners(): LiveListener[] {
    return [...this.#sites.values()].flatMap(({ listeners }) => [...listeners]);
  }

  async #checkAccess(): Promise<void> {
    for (const listener of this.#listeners()) {
      if (!(await listener.isAllowed())) listener.end();
    }
  }

  async #send(): Promise<void> {
    const { read } = this.#database;
    const changed = [...this.#changed];
    this.#changed.clear();
    this.#hasNewListener = false;
    for (const [siteId, site] of this.#sites) {
      const counts = JSON.stringify(await countPosts(read, siteId));
      if (counts !== site.counts) broadcast(site, 'counts', counts);
      site.counts = counts;
      const waiting = await listWaitingIds(read, siteId, maxPositions);
      const positions = new Map(waiting.map((id, index) => [id, index + 1]));
      const moved = waiting.filter((id) => positions.get(id) !== site.positions.get(id));
      site.positions = positions;
      // Of deleted audio.
      if (site.sent.size > maxPendingEvents) site.sent.clear();
      for await (const audio of listLiveAudios(read, siteId, [...new Set([...changed, ...moved])])) {
        const data = JSON.stringify(toLiveAudio(audio, positions.get(audio.id)));
        if (site.sent.get(audio.id) === data) continue;
        if (unfinishedStatuses.includes(audio.status)) site.sent.set(audio.id, data);
        else site.sent.delete(audio.id);
        broadcast(site, 'audio', data, String(audio.id));
      }
    }
  }
}

function broadcast({ listeners }: Site, event: 'audio' | 'counts', data: string, key = event as string): void {
  const text = formatEvent(event, data);
  for (const listener of listeners) listener.push(key, text);
}

let eventCount = 0;

/** The id only shows a client that connects again that it has missed events. */
function formatEvent(event: 'audio' | 'counts' | 'resync', data: string): string {
  eventCount += 1;
  return `event: ${event}\ndata: ${data}\nid: ${eventCount}\n\n`;
}

export const resyncEvent = () => formatEvent('resync', '{}');

/** The stream of one client. Newer data replaces unread data. */
export class LiveListener {
  readonly isAllowed: () => Promise<boolean>;
  readonly #onEnd: () => void;
  readonly #pending = new Map<string, string>();
  #wake = Promise.withResolvers<void>();
  #isOver = false;

  constructor(isAllowed: () => Promise<boolean>, onEnd: () => void) {
    this.isAllowed = isAllowed;
    this.#onEnd = onEnd;
  }

  /** @param key of an event that this one replaces */
  push(key: string, event: string): void {
    if (this.#pending.size >= maxPendingEvents) {
      this.#pending.clear();
      this.#pending.set('resync', resyncEvent());
    }
    this.#pending.set(key, event);
    this.#wake.resolve();
  }

  /** Ends the stream; may be called more than once. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake.resolve();
    this.#onEnd();
  }

  async *read(): AsyncGenerator<Uint8Array, undefined> {
    const encoder = new TextEncoder();
    while (!this.#isOver) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      const text = [...this.#pending.values()].join('');
      this.#pending.clear();
      if (text !== '') yield encoder.encode(text);
    }
  }
}

type LiveAudioRow = Awaited<ReturnType<typeof findLiveAudios>>[number];

async function* listLiveAudios(
  db: Queries,
  siteId: number,
  audioIds: readonly number[],
): AsyncGenerator<LiveAudioRow, undefined> {
  for (let start = 0; start < audioIds.length; start += queryBatchSize) {
    yield* await findLiveAudios(db, siteId, audioIds.slice(start, start + queryBatchSize));
  }
}

function findLiveAudios(db: Queries, siteId: number, audioIds: readonly number[]) {
  return selectAudioSummary(db)
    .select(['audio.is_main', selectStartedAt().as('started_at')])
    .where('audio.id', 'in', audioIds)
    .where('post.site_id', '=', siteId)
    .orderBy('audio.id')
    .execute();
}

function toLiveAudio(audio: LiveAudioRow, position: number | undefined): LiveAudio {
  const progress = audio.progress_percent / 100;
  return {
    ...{ post_id: audio.external_id, language: audio.language, voice_id: audio.voice_id, main: audio.is_main === 1 },
    ...{ status: audio.status, progress },
    queue_position: audio.status === 'pending' ? (position ?? null) : null,
    seconds_left: audio.status === 'generating' ? estimateSecondsLeft(audio.started_at, progress) : null,
    error: audio.status === 'failed' ? audio.error : null,
  };
}

/** At the average speed so far. */
function estimateSecondsLeft(startedAt: string | null, progress: number): number | null {
  if (startedAt === null || progress === 0) return null;
  const elapsedMs = Math.max(0, currentTimeMs() - Date.parse(startedAt));
  return Math.ceil((elapsedMs * (1 - progress)) / progress / 1000);
}
