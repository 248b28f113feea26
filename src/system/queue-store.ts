import { sql } from 'kysely';
import { beganAt } from '../audio/remake-store.ts';
import type { Queries } from '../database/open.ts';
import type { AudioStatus, Priority } from '../database/tables.ts';

/** Where an audio stands in the list: what is being made first, then by priority and time. */
export interface QueuePlace {
  readonly rank: number;
  /** ISO time; empty for what is being made, of which only the id counts. */
  readonly waiting_since: string;
  readonly id: number;
}

/** An unfinished audio with what is shown beside it. */
export interface QueueRow {
  readonly id: number;
  readonly site_id: number;
  readonly site_slug: string;
  readonly site_name: string;
  readonly external_id: string;
  readonly title: string | null;
  readonly language: string;
  readonly is_main: number;
  readonly voice_id: number;
  readonly voice_name: string;
  readonly status: AudioStatus;
  readonly priority: Priority;
  readonly progress_percent: number;
  readonly created_at: string;
  readonly since: string;
}

const rank = sql<number>`case
  when audio.status = 'generating' then 0
  when audio.is_main = 0 then 4
  else case audio.priority when 'high' then 1 when 'normal' then 2 else 3 end end`;
const waitingSince = sql<string>`case audio.status when 'generating' then '' else audio.updated_at end`;
const since = sql<string>`case audio.status when 'generating' then ${beganAt()} else audio.updated_at end`;
const unfinished = [sql.lit<AudioStatus>('pending'), sql.lit<AudioStatus>('generating')];

/** @returns where the unfinished audios of a page stand, in the order of the list */
export function listPlaces(
  db: Queries,
  {
    siteId,
    after,
    most,
  }: {
    readonly siteId: number | undefined;
    readonly after: QueuePlace | undefined;
    readonly most: number;
  },
): Promise<QueuePlace[]> {
  return (
    db
      .selectFrom('audio')
      .select([rank.as('rank'), waitingSince.as('waiting_since'), 'audio.id'])
      // As literals: for parameters SQLite does not use the index that holds just these, and reads long texts.
      .where('audio.status', 'in', unfinished)
      .$if(siteId !== undefined, (all) =>
        all.innerJoin('post', 'post.id', 'audio.post_id').where('post.site_id', '=', siteId ?? 0),
      )
      .$if(after !== undefined, (all) =>
        all.where(
          sql<boolean>`(${rank}, ${waitingSince}, audio.id) > (${after?.rank}, ${after?.waiting_since}, ${after?.id})`,
        ),
      )
      .orderBy(rank)
      .orderBy(waitingSince)
      .orderBy('audio.id')
      .limit(most)
      .execute()
  );
}

/** @returns what is shown of some audios, in no order; those that left the queue meanwhile are not among them */
export function findQueueRows(db: Queries, audioIds: readonly number[]): Promise<QueueRow[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .innerJoin('voice', 'voice.id', 'audio.voice_id')
    .select(['site.id as site_id', 'site.slug as site_slug', 'site.name as site_name'])
    .select(['voice.id as voice_id', 'voice.name as voice_name'])
    .select(['audio.id', 'audio.title', 'audio.language', 'audio.is_main', 'audio.status'])
    .select(['audio.priority', 'audio.progress_percent', 'audio.created_at', 'post.external_id'])
    .select([since.as('since')])
    .where('audio.id', 'in', audioIds)
    .where('audio.status', 'in', unfinished)
    .execute();
}
