import { sql } from 'kysely';
import { beganAt } from '../../audio/remake-store.ts';
import type { Queries } from '../../database/open.ts';
import type { AudioStatus } from '../../database/tables.ts';
import type { Owner } from '../store.ts';

/** The states of an audio that has, or will have, the word in it. */
const current = ['ready', 'generating', 'pending'] as const;

/** An audio that may have a word in it. */
export interface CurrentAudio {
  readonly id: number;
  readonly post_id: number;
  readonly external_id: string;
  readonly site_id: number;
  readonly language: string;
  readonly status: AudioStatus;
  readonly version_id: number | null;
  /** When its making began; null: before that was written down. */
  readonly began_at: string | null;
}

/** @returns the next posts of a site, or of all, by their row ids */
export async function nextPosts(
  db: Queries,
  owner: Owner,
  after: number,
  most: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('post')
    .select('id')
    .where('id', '>', after)
    .$if(owner !== null, (all) => all.where('site_id', '=', owner ?? 0))
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** @param language empty: every one; else also audios that may have passages in it */
export function currentAudios(
  db: Queries,
  postRowIds: readonly number[],
  language: string,
): Promise<CurrentAudio[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.id', 'audio.post_id', 'audio.language', 'audio.status', 'audio.version_id'])
    .select(['post.external_id', 'post.site_id', beganAt().as('began_at')])
    .where('audio.post_id', 'in', postRowIds)
    .where('audio.status', 'in', current)
    .$if(language !== '', (all) =>
      all.where((row) =>
        row.or([
          row('audio.language', '=', language),
          sql<boolean>`json_extract(site.reading, '$.foreign_passages')`,
        ]),
      ),
    )
    .orderBy('audio.post_id')
    .orderBy('audio.id')
    .execute();
}

/** @returns the sentences of versions as they are written, in order; with the language of passages in another one */
export function sentencesOf(
  db: Queries,
  versionIds: readonly number[],
): Promise<{ version_id: number; text: string; language: string | null }[]> {
  if (versionIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('planned_segment')
    .leftJoin('voice', 'voice.id', 'planned_segment.voice_id')
    .select(['version_id', 'text', 'voice.language'])
    .where('version_id', 'in', versionIds)
    .orderBy('version_id')
    .orderBy('position')
    .execute();
}

/** @returns when an entry that holds for a site, or any, was changed last; empty where there is none */
export async function newestChange(db: Queries, owner: Owner): Promise<string> {
  const row = await db
    .selectFrom('pronunciation')
    .select((is) => is.fn.max('updated_at').as('at'))
    .$if(owner !== null, (all) =>
      all.where((is) => is.or([is('site_id', 'is', null), is('site_id', '=', owner)])),
    )
    .executeTakeFirst();
  return row?.at ?? '';
}

/** @returns the text of an audio that is not made yet, and how its site has it read */
export function articleOf(db: Queries, audioId: number) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.title', 'audio.content', 'audio.language', 'site.reading'])
    .where('audio.id', '=', audioId)
    .executeTakeFirst();
}
