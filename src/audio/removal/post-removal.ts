import type { Database, Queries } from '../../database/open.ts';
import type { OnAudioChange } from '../change.ts';
import type { MediaFiles } from '../media/files.ts';
import type { AudioQueue } from '../production/queue.ts';
import { audiosOfPost, deleteAudiosWholly, deleteEmptyPost, type Removed } from './store.ts';

/** Takes audio away, from the rows and from everything beside them. */
export interface Removal {
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
  settle(removed: Removed): Promise<void>;
  /** @returns sites in which something was deleted since it was last asked: they may have sentences of dropped plans */
  takeSites(): number[];
}

export interface RemovalDeps {
  readonly database: Database;
  readonly mediaFiles: Pick<MediaFiles, 'forget'>;
  readonly queue: Pick<AudioQueue, 'changed'>;
  readonly onChange: OnAudioChange;
}

export function createRemoval(deps: RemovalDeps): Removal {
  const { database, mediaFiles, queue, onChange } = deps;
  let touched = new Set<number>();
  const settle = async ({ audioIds, mediaKeys }: Removed): Promise<void> => {
    for (const id of audioIds) await queue.changed(id);
    await mediaFiles.forget(mediaKeys);
  };
  return {
    settle,
    deletePost: async (siteId, postId, language, also) => {
      const { languages, removed } = await database.write(async (db) => {
        const audios = await audiosOfPost(db, siteId, postId, language);
        const removed = await deleteAudiosWholly(
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
    takeSites: () => {
      const sites = [...touched];
      touched = new Set();
      return sites;
    },
  };
}
