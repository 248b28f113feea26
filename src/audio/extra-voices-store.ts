import type { Queries } from '../database/open.ts';
import type { Site } from '../database/tables.ts';
import { further, insertAudio, main } from './store.ts';

/** What a site says of voices its listeners may switch to. */
export type SwitchSettings = Pick<Site, 'id' | 'plan' | 'allow_switch' | 'extra_voices'>;

export function listSwitchSettings(db: Queries): Promise<SwitchSettings[]> {
  return switchSettings(db).orderBy('id').execute();
}

export function findSwitchSettings(db: Queries, siteId: number): Promise<SwitchSettings> {
  return switchSettings(db).where('id', '=', siteId).executeTakeFirstOrThrow();
}

function switchSettings(db: Queries) {
  return db.selectFrom('site').select(['id', 'plan', 'allow_switch', 'extra_voices']);
}

/** @returns further voices of a site's posts that it wants no more, and those that failed; at most so many */
export async function listUnwanted(
  db: Queries,
  siteId: number,
  wantedVoiceIds: readonly number[],
  most: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('audio.id')
    .where('post.site_id', '=', siteId)
    .where('audio.is_main', '=', further)
    .where((is) =>
      is.or([
        is('audio.voice_id', 'not in', wantedVoiceIds),
        is('audio.status', '=', 'failed' as const),
      ]),
    )
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** A main audio that is ready, but not in a further voice. */
export interface Lacking {
  readonly id: number;
  /** Length of title and content. */
  readonly cost: number;
}

/** @param audioId one of the site's audios; undefined: any */
export function listLacking(
  db: Queries,
  siteId: number,
  voice: { readonly id: number; readonly language: string },
  most: number,
  audioId?: number,
): Promise<Lacking[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select((row) => ['audio.id', row.fn<number>('length', ['audio.content']).as('cost')])
    .where('post.site_id', '=', siteId)
    .where('audio.is_main', '=', main)
    .where('audio.status', '=', 'ready')
    .where('audio.language', '=', voice.language)
    .where('audio.voice_id', '!=', voice.id)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('audio as extra')
            .select('extra.id')
            .whereRef('extra.post_id', '=', 'audio.post_id')
            .where('extra.voice_id', '=', voice.id)
            .where('extra.is_main', '=', further),
        ),
      ),
    )
    .$if(audioId !== undefined, (all) => all.where('audio.id', '=', audioId ?? 0))
    .limit(most)
    .execute();
}

/** Queues a further voice of a main audio's text. @returns its id */
export async function insertExtra(
  db: Queries,
  mainId: number,
  voiceId: number,
  turn: number,
): Promise<number> {
  const text = await db
    .selectFrom('audio')
    .select(['post_id', 'language', 'title', 'content', 'request_hash'])
    .where('id', '=', mainId)
    .executeTakeFirstOrThrow();
  const extra = { voice_id: voiceId, is_main: 0, priority: 'low' as const, turn };
  return insertAudio(db, { ...text, ...extra });
}
