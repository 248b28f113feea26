import type { Queries } from '../database/open.ts';
import type { AudioStatus } from '../database/tables.ts';

/** What has become of the main audio of a post in a language. */
export interface AudioChange {
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
export type OnAudioChange = (db: Queries, change: AudioChange) => Promise<void>;

/** @returns one listener that tells all of them, in order */
export function tellEach(listeners: readonly OnAudioChange[]): OnAudioChange {
  return async (db, change) => {
    for (const listener of listeners) await listener(db, change);
  };
}

/** @returns the change that made an audio ready or failed; undefined for a further voice, of which nobody is told */
export async function settledChange(
  db: Queries,
  audioId: number,
): Promise<AudioChange | undefined> {
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
