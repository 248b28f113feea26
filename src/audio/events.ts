import type { Queries } from '../database/database.ts';
import type { AudioStatus } from '../database/schema.ts';

/** What webhooks report, too. */
export const audioEventTypes = ['audio.ready', 'audio.failed', 'audio.deleted'] as const;

/** The main audio of a post in a language became ready, failed, or was deleted. */
export interface AudioEvent {
  readonly type: (typeof audioEventTypes)[number];
  readonly siteId: number;
  readonly audioId: number;
  /** The client's own `post_id`. */
  readonly postId: string;
  readonly language: string;
  readonly status: AudioStatus | 'deleted';
  /** Of the MP3; null unless ready. */
  readonly mediaKey: string | null;
  readonly durationMs: number | null;
  /** One plain sentence if failed. */
  readonly error: string | null;
}

/** Runs inside the transaction of the change. An error undoes the change. */
export type AudioEventHandler = (db: Queries, event: AudioEvent) => Promise<void>;

/** @returns a handler that calls all of them, in order */
export function createDispatcher(handlers: readonly AudioEventHandler[]): AudioEventHandler {
  return async (db, event) => {
    for (const handler of handlers) await handler(db, event);
  };
}

/** @returns the event of an audio that is ready or failed; undefined for an extra voice, which has no events */
export async function findFinishedEvent(db: Queries, audioId: number): Promise<AudioEvent | undefined> {
  const row = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .leftJoin('version', 'version.id', 'audio.version_id')
    .select([
      'post.site_id',
      'post.external_id',
      'audio.language',
      'audio.status',
      'audio.error',
      'version.media_key',
      'version.duration_ms',
    ])
    .where('audio.id', '=', audioId)
    .where('audio.is_main', '=', 1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const isReady = row.status === 'ready';
  return {
    type: isReady ? 'audio.ready' : 'audio.failed',
    siteId: row.site_id,
    audioId,
    postId: row.external_id,
    language: row.language,
    status: row.status,
    mediaKey: isReady ? row.media_key : null,
    durationMs: isReady ? row.duration_ms : null,
    error: row.error,
  };
}

/** Wakes what waits for the next sentence of an audio. */
export class AudioUpdates {
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Call it after each commit for an audio. */
  notify(audioId: number): void {
    this.#waiting.get(audioId)?.resolve();
    this.#waiting.delete(audioId);
  }

  /**
   * Call it before reading the rows, so that no update is missed.
   * @returns a promise that resolves at the next update of an audio
   */
  waitForUpdate(audioId: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return this.#waiting.getOrInsertComputed(audioId, () => Promise.withResolvers<void>()).promise;
  }

  /** Ends all waiting: the server stops. */
  close(): void {
    this.#isClosed = true;
    for (const audioId of [...this.#waiting.keys()]) this.notify(audioId);
  }
}
