import type { Database, Queries } from '../database/open.ts';
import type { Audio } from '../database/schema.ts';
import type { AudioEventHandler } from './events.ts';
import type { MediaFiles } from './media/media-files.ts';
import type { AudioQueue } from './queue.ts';

/** SQLite takes 32,766 parameters in one statement. */
const deleteBatchSize = 5_000;

/** What was removed in a transaction, for what is kept outside the database. */
export interface DeletedAudio {
  readonly audioIds: readonly number[];
  readonly mediaKeys: readonly string[];
}

/**
 * Deletes audios with their versions; the addresses of their MP3s answer from then on that they are gone. Their
 * sentences stay for reuse.
 */
export async function deleteAudios(db: Queries, audioIds: readonly number[]): Promise<DeletedAudio> {
  if (audioIds.length === 0) return { audioIds, mediaKeys: [] };
  const versions = await db
    .selectFrom('version')
    .select('media_key')
    .where('audio_id', 'in', audioIds)
    .where('media_key', 'is not', null)
    .execute();
  const mediaKeys = versions.flatMap(({ media_key }) => media_key ?? []);
  const gone_at = new Date().toISOString();
  if (mediaKeys.length > 0) {
    const rows = mediaKeys.map((media_key) => ({ media_key, gone_at }));
    await db.insertInto('gone_media').values(rows).execute();
  }
  // The two name each other; the version goes with its audio.
  await db.updateTable('audio').set({ version_id: null }).where('id', 'in', audioIds).execute();
  await db.deleteFrom('audio').where('id', 'in', audioIds).execute();
  return { audioIds, mediaKeys };
}

/** Deletes audios and every sentence of theirs that no other plan names. */
export async function deleteAudiosWithSegments(
  db: Queries,
  siteId: number,
  audioIds: readonly number[],
): Promise<DeletedAudio> {
  if (audioIds.length === 0) return { audioIds, mediaKeys: [] };
  const planned = await db
    .selectFrom('planned_segment')
    .innerJoin('version', 'version.id', 'planned_segment.version_id')
    .select('planned_segment.hash')
    .distinct()
    .where('version.audio_id', 'in', audioIds)
    .execute();
  const removed = await deleteAudios(db, audioIds);
  for (let start = 0; start < planned.length; start += deleteBatchSize) {
    const hashes = planned.slice(start, start + deleteBatchSize).map(({ hash }) => hash);
    await db
      .deleteFrom('segment')
      .where('site_id', '=', siteId)
      .where('hash', 'in', hashes)
      .where((row) =>
        row.not(
          row.exists(
            row.selectFrom('planned_segment').select('position').whereRef('planned_segment.hash', '=', 'segment.hash'),
          ),
        ),
      )
      .execute();
  }
  return removed;
}

/** An audio of a post, as its deletion needs it. */
type PostAudio = Pick<Audio, 'id' | 'post_id' | 'language' | 'is_main'>;

/** @returns all audios of a post, further voices too, in one language or in all */
async function listPostAudios(
  db: Queries,
  siteId: number,
  postId: string,
  language: string | null,
): Promise<PostAudio[]> {
  const all = db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.post_id', 'audio.language', 'audio.is_main'])
    .where('post.site_id', '=', siteId)
    .where('post.external_id', '=', postId)
    .orderBy('audio.language');
  return (language === null ? all : all.where('audio.language', '=', language)).execute();
}

/** @returns the further voices of a post in a language */
export async function listExtras(
  db: Queries,
  postRowId: number,
  language: string,
): Promise<Pick<Audio, 'id' | 'voice_id'>[]> {
  return db
    .selectFrom('audio')
    .select(['id', 'voice_id'])
    .where('post_id', '=', postRowId)
    .where('language', '=', language)
    .where('is_main', '=', 0)
    .execute();
}

/** Deletes a post that has no audio left. */
async function deleteEmptyPost(db: Queries, postRowId: number): Promise<void> {
  await db
    .deleteFrom('post')
    .where('id', '=', postRowId)
    .where((row) =>
      row.not(row.exists(row.selectFrom('audio').select('audio.id').whereRef('audio.post_id', '=', 'post.id'))),
    )
    .execute();
}

/** Takes audio away, from the rows and from everything beside them. */
export interface PostDeletion {
  /**
   * Deletes a post's audio in every voice, its MP3s, sentences and timings; work for it stops.
   * @param language null: all of them
   * @param also what belongs into the same transaction, when there was something to delete
   * @returns the languages it was deleted in; empty when there is no such post
   */
  deletePost(
    siteId: number,
    postId: string,
    language: string | null,
    also?: (db: Queries, languages: readonly string[]) => Promise<void>,
  ): Promise<string[]>;
  /** To be told of what a committed transaction removed. */
  afterCommit(removed: DeletedAudio): Promise<void>;
  /** @returns sites in which something was deleted since it was last asked: they may have sentences of dropped plans */
  drainAffectedSites(): number[];
}

export interface PostDeletionDeps {
  readonly database: Database;
  readonly mediaFiles: Pick<MediaFiles, 'deleteFiles'>;
  readonly queue: Pick<AudioQueue, 'notifyChanged'>;
  readonly onAudioEvent: AudioEventHandler;
}

export function createPostDeletion(deps: PostDeletionDeps): PostDeletion {
  const { database, mediaFiles, queue, onAudioEvent: onChange } = deps;
  let touched = new Set<number>();
  const settle = async ({ audioIds, mediaKeys }: DeletedAudio): Promise<void> => {
    for (const id of audioIds) await queue.notifyChanged(id);
    await mediaFiles.deleteFiles(mediaKeys);
  };
  return {
    afterCommit: settle,
    deletePost: async (siteId, postId, language, also) => {
      const { languages, removed } = await database.write(async (db) => {
        const audios = await listPostAudios(db, siteId, postId, language);
        const removed = await deleteAudiosWithSegments(
          db,
          siteId,
          audios.map(({ id }) => id),
        );
        const mains = audios.filter(({ is_main }) => is_main === 1);
        for (const { id, language } of mains) {
          await onChange(db, {
            ...{ type: 'audio.deleted', status: 'deleted', siteId, audioId: id, postId, language },
            ...{ mediaKey: null, durationMs: null, error: null },
          });
        }
        const [first] = audios;
        if (first !== undefined) await deleteEmptyPost(db, first.post_id);
        const languages = mains.map((main) => main.language);
        if (languages.length > 0) await also?.(db, languages);
        return { languages, removed };
      });
      if (languages.length > 0) touched.add(siteId);
      await settle(removed);
      return languages;
    },
    drainAffectedSites: () => {
      const sites = [...touched];
      touched = new Set();
      return sites;
    },
  };
}
