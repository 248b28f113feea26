import { sql } from 'kysely';
import type { Queries } from '../database/open.ts';
import type { NewVoice, Voice } from '../database/tables.ts';

/** What a voice file was found to be when it was last looked at. */
export interface KnownFile {
  readonly path: string;
  readonly stamp: string;
  readonly content_hash: string | null;
  readonly problem: string | null;
}

/** Adds a voice, or leaves it as it is when the same bytes and speaker are known: the id stays. */
export async function keepVoice(db: Queries, voice: NewVoice): Promise<Voice> {
  await db
    .insertInto('voice')
    .values(voice)
    .onConflict((conflict) => conflict.columns(['content_hash', 'speaker']).doNothing())
    .execute();
  return db
    .selectFrom('voice')
    .selectAll()
    .where('content_hash', '=', voice.content_hash)
    .where('speaker', '=', voice.speaker)
    .executeTakeFirstOrThrow();
}

export function listVoices(db: Queries): Promise<Voice[]> {
  return db.selectFrom('voice').selectAll().orderBy('id').execute();
}

export async function setGain(db: Queries, voiceId: number, gainDb: number): Promise<void> {
  await db.updateTable('voice').set({ gain_db: gainDb }).where('id', '=', voiceId).execute();
}

export function findKnownFile(db: Queries, path: string): Promise<KnownFile | undefined> {
  return db.selectFrom('voice_file').selectAll().where('path', '=', path).executeTakeFirst();
}

export async function keepKnownFile(db: Queries, file: KnownFile): Promise<void> {
  await db
    .insertInto('voice_file')
    .values(file)
    .onConflict((conflict) => conflict.column('path').doUpdateSet(file))
    .execute();
}

export async function forgetKnownFile(db: Queries, path: string): Promise<void> {
  await db.deleteFrom('voice_file').where('path', '=', path).execute();
}

export function findVoice(db: Queries, voiceId: number): Promise<Voice> {
  return db.selectFrom('voice').selectAll().where('id', '=', voiceId).executeTakeFirstOrThrow();
}

/** @param changes at least one */
export function updateVoice(db: Queries, voiceId: number, changes: Partial<Voice>): Promise<Voice> {
  return db
    .updateTable('voice')
    .set(changes)
    .where('id', '=', voiceId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** So many users of a voice are named. */
const namedMax = 20;

/** @returns who uses any speaker of a voice, in words; the end of a long list as a number */
export async function usesOf(
  db: Queries,
  contentHash: string,
): Promise<{ sites: string[]; posts: string[] }> {
  const speakers = db.selectFrom('voice').select('id').where('content_hash', '=', contentHash);
  const sites = await db
    .selectFrom('site')
    .select('slug')
    .where('deleted_at', 'is', null)
    .where((row) =>
      row.or([
        row('default_voice_id', 'in', speakers),
        row.exists(
          row
            .selectFrom(sql<{ value: number }>`json_each(site.extra_voices)`.as('extra'))
            .select('extra.value')
            .where('extra.value', 'in', speakers),
        ),
      ]),
    )
    .orderBy('slug')
    .execute();
  const posts = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['post.external_id', 'site.slug'])
    .distinct()
    .where('audio.voice_id', 'in', speakers)
    .orderBy('post.id')
    .execute();
  return {
    sites: shortened(sites.map(({ slug }) => slug)),
    posts: shortened(posts.map(({ external_id, slug }) => `${external_id} of ${slug}`)),
  };
}

function shortened(names: readonly string[]): string[] {
  if (names.length <= namedMax) return [...names];
  return [...names.slice(0, namedMax), `and ${names.length - namedMax} more`];
}
