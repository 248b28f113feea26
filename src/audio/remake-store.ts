import { sql } from 'kysely';
import type { Queries } from '../database/open.ts';
import type { Audio } from '../database/tables.ts';

/** The states of an audio that may hold what has changed since; one that waits will hear of it by itself. */
const remakable = ['ready', 'generating'] as const;

/** An audio that may be made again. */
export interface RemakableAudio
  extends Pick<Audio, 'id' | 'post_id' | 'voice_id' | 'is_main' | 'priority' | 'status'> {
  readonly site_id: number;
  /** Length of the text. */
  readonly cost: number;
}

/** @returns those of some audios that are ready or being made */
export function listRemakable(db: Queries, audioIds: readonly number[]): Promise<RemakableAudio[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.post_id', 'audio.voice_id', 'audio.is_main'])
    .select(['audio.priority', 'audio.status', 'post.site_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.id', 'in', audioIds)
    .where('audio.status', 'in', remakable)
    .orderBy('audio.id')
    .execute();
}

/** Which audios of a site are looked for. */
export interface MadeBefore {
  readonly siteId: number;
  readonly language: string | undefined;
  /** Those whose making began before this moment. */
  readonly before: string;
  /** Id of the last one that was seen, in its post. */
  readonly afterPost: number;
  readonly most: number;
}

/** @returns the audios of the next posts, by post */
export function listMadeBefore(
  db: Queries,
  { siteId, language, before, afterPost, most }: MadeBefore,
): Promise<{ id: number; post_id: number }[]> {
  return db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .select(['audio.id', 'audio.post_id'])
    .where('post.site_id', '=', siteId)
    .where('post.id', '>', afterPost)
    .where('audio.status', 'in', remakable)
    .where((row) => row.or([row(beganAt(), 'is', null), row(beganAt(), '<', before)]))
    .$if(language !== undefined, (all) => all.where('audio.language', '=', language ?? ''))
    .orderBy('post.id')
    .limit(most)
    .execute();
}

/** @returns the audios of one post that may be made again */
export async function audiosOfPost(
  db: Queries,
  postRowId: number,
  language: string | undefined,
): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .select('id')
    .where('post_id', '=', postRowId)
    .where('status', 'in', remakable)
    .$if(language !== undefined, (all) => all.where('language', '=', language ?? ''))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** When the making of the text that an audio has now began; null: before that was written down, or not at all. */
export function beganAt() {
  return sql<string | null>`coalesce(
    (select began_at from version
      where version.audio_id = audio.id and version.generation = audio.generation
      order by version.id desc limit 1),
    case audio.status when 'generating' then audio.updated_at end)`;
}
