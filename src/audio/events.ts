import type { Queries } from '../database/open.ts';
import type { AudioStatus } from '../database/schema.ts';

/** What has become of the main audio of a post in a language. */
export interface AudioEvent {
  readonly type: 'audio.ready' | 'audio.failed' | 'audio.deleted';
  readonly siteId: number;
  readonly audioId: number;
  /** The client's own `post_id`. */
  readonly postId: string;
  readonly language: string;
  readonly status: AudioStatus | 'deleted';
  /** Of the MP3 that is ready now; null after a failure or a deletion. */
  readonly mediaKey: string | null;
  readonly durationMs: number | null;
  /** One plain sentence after a failure. */
  readonly error: string | null;
}

/**
 * Told of a change inside its transaction: what a listener writes is kept together with the change, or not at all.
 * A listener that throws undoes the change.
 */
export type AudioEventHandler = (db: Queries, change: AudioEvent) => Promise<void>;

/** @returns one listener that tells all of them, in order */
export function createDispatcher(listeners: readonly AudioEventHandler[]): AudioEventHandler {
  return async (db, change) => {
    for (const listener of listeners) await listener(db, change);
  };
}

/** @returns the change that made an audio ready or failed; undefined for a further voice, of which nobody is told */
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

/** Wakes those who wait for an audio's next sentence. */
export interface AudioUpdates {
  /** To be told of whatever was committed for an audio. */
  notify(audioId: number): void;
  /**
   * Ask before looking at the rows: what is told from then on ends the waiting.
   * @returns a promise that ends at the next news of an audio
   */
  waitForUpdate(audioId: number): Promise<void>;
  /** Ends all waiting: the server stops. */
  close(): void;
  readonly isClosed: boolean;
}

export function createAudioUpdates(): AudioUpdates {
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  let isClosed = false;
  const tell = (audioId: number): void => {
    waiting.get(audioId)?.resolve();
    waiting.delete(audioId);
  };
  return {
    notify: tell,
    waitForUpdate: (audioId) => {
      const known = waiting.get(audioId);
      if (known !== undefined) return known.promise;
      const news = Promise.withResolvers<void>();
      if (isClosed) news.resolve();
      else waiting.set(audioId, news);
      return news.promise;
    },
    close: () => {
      isClosed = true;
      for (const audioId of [...waiting.keys()]) tell(audioId);
    },
    get isClosed() {
      return isClosed;
    },
  };
}
