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

/** @returns the gain of a voice's first speaker in dB; undefined where it is unknown or was not measured */
export async function findGain(db: Queries, contentHash: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('voice')
    .select('gain_db')
    .where('content_hash', '=', contentHash)
    .where('speaker', '=', 0)
    .executeTakeFirst();
  return row?.gain_db ?? undefined;
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

/** @param measured of one voice, or what is known of it alone */
export async function setMeasured(
  db: Queries,
  voiceId: number,
  measured: Pick<Voice, 'gain_db' | 'real_time_factor'>,
): Promise<void> {
  await db.updateTable('voice').set(measured).where('id', '=', voiceId).execute();
}

/** A model card or licence that came with a voice, in place of an older one; null: none did. */
export async function keepLicenseText(
  db: Queries,
  contentHash: string,
  text: string | null,
): Promise<void> {
  await db.deleteFrom('voice_license_text').where('content_hash', '=', contentHash).execute();
  if (text === null) return;
  await db.insertInto('voice_license_text').values({ content_hash: contentHash, text }).execute();
}

export async function findLicenseText(
  db: Queries,
  contentHash: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('voice_license_text')
    .select('text')
    .where('content_hash', '=', contentHash)
    .executeTakeFirst();
  return row?.text;
}

export async function keepSample(db: Queries, voiceId: number, mp3: Uint8Array): Promise<void> {
  await db
    .insertInto('voice_sample')
    .values({ voice_id: voiceId, mp3 })
    .onConflict((conflict) => conflict.column('voice_id').doUpdateSet({ mp3 }))
    .execute();
}

export async function findSample(db: Queries, voiceId: number): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('voice_sample')
    .select('mp3')
    .where('voice_id', '=', voiceId)
    .executeTakeFirst();
  return row?.mp3;
}

/** What is of no use without the files of a voice, of all its speakers. */
export async function forgetSound(db: Queries, contentHash: string): Promise<void> {
  await db
    .deleteFrom('voice_sample')
    .where('voice_id', 'in', speakersOf(db, contentHash))
    .execute();
  await db.deleteFrom('voice_license_text').where('content_hash', '=', contentHash).execute();
}

function speakersOf(db: Queries, contentHash: string) {
  return db.selectFrom('voice').select('id').where('content_hash', '=', contentHash);
}

/** Changes all speakers of a model. @param changes at least one */
export function updateSpeakers(
  db: Queries,
  contentHash: string,
  changes: Partial<Voice>,
): Promise<Voice[]> {
  return db
    .updateTable('voice')
    .set(changes)
    .where('content_hash', '=', contentHash)
    .returningAll()
    .execute();
}

/** So many users of a voice are named. */
const namedMax = 20;

/** Users of a voice: the first of them by name, and how many there are. */
interface Users {
  readonly names: readonly string[];
  readonly count: number;
}

/** @returns the sites that have any speaker of a voice as default or further voice, and the posts spoken in one, be it a passage */
export async function usesOf(
  db: Queries,
  contentHash: string,
): Promise<{ sites: Users; posts: Users }> {
  const speakers = speakersOf(db, contentHash);
  const sites = db
    .selectFrom('site')
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
    );
  const posts = db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .where((row) =>
      row.or([
        row('audio.voice_id', 'in', speakers),
        // Passages in another language than the post's, in the version that is served or made.
        row(
          'audio.id',
          'in',
          row
            .selectFrom('planned_segment')
            .innerJoin('version', 'version.id', 'planned_segment.version_id')
            .select('version.audio_id')
            .where('version.expires_at', 'is', null)
            .where('planned_segment.voice_id', 'in', speakers),
        ),
      ]),
    );
  const siteNames = await sites.select('slug').orderBy('slug').limit(namedMax).execute();
  const siteCount = await sites.select((all) => all.fn.countAll<number>().as('count')).execute();
  const postNames = await posts
    .select(['post.external_id', 'site.slug'])
    .distinct()
    .orderBy('post.id')
    .limit(namedMax)
    .execute();
  const postCount = await posts
    .select((all) => all.fn.count<number>('post.id').distinct().as('count'))
    .execute();
  return {
    sites: { names: siteNames.map(({ slug }) => slug), count: siteCount[0]?.count ?? 0 },
    posts: {
      names: postNames.map(({ external_id, slug }) => `${external_id} of ${slug}`),
      count: postCount[0]?.count ?? 0,
    },
  };
}
