import { type NotNull, sql } from 'kysely';
import { isPublic } from '../audio/posts/published-audio.ts';
import { mainFlag } from '../audio/store.ts';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';

/** A post of which a version is served. */
export interface PublishedPost {
  readonly post_id: string;
  readonly title: string | null;
  readonly url: string | null;
  /** From when on it is public. */
  readonly published_at: string;
  readonly version_id: number;
  readonly media_key: string;
  readonly byte_count: number;
  readonly duration_ms: number;
  readonly ready_at: string;
}

/** A feed is read whole each time: enough for weeks of a busy desk, and of bounded size. */
export const maxEpisodes = 300;

/** @returns the language of a site's default voice; English without one */
export async function findDefaultLanguage(db: Queries, site: Pick<Site, 'default_voice_id'>): Promise<string> {
  const voice = await db
    .selectFrom('voice')
    .select('language')
    .where('id', '=', site.default_voice_id ?? 0)
    .executeTakeFirst();
  return voice?.language ?? 'en';
}

/** Anyone may ask, and of a language with few posts all would be looked at. */
const maxScannedPosts = 20_000;

/** As the index on it has it. */
const publishedAt = sql<string>`coalesce(post.publish_at, post.created_at)`;

/**
 * @param most of them, out of the newest of the site; undefined: all
 * @returns public posts of a site that can be heard in a language, the newest first; while one is made again, its version before
 */
export async function listPublishedPosts(
  db: Queries,
  siteId: number,
  language: string,
  most?: number,
): Promise<PublishedPost[]> {
  const now = new Date().toISOString();
  const oldest = most === undefined ? undefined : await findOldestScanned(db, siteId);
  return (
    db
      .selectFrom('post')
      .innerJoin('audio', 'audio.post_id', 'post.id')
      .innerJoin('version', 'version.id', 'audio.version_id')
      .select([
        'post.external_id as post_id',
        'version.title',
        'post.url',
        publishedAt.as('published_at'),
        'version.id as version_id',
        'version.media_key',
        'version.byte_count',
        'version.duration_ms',
        'version.ready_at',
      ])
      // What has a header has them all.
      .$narrowType<{
        media_key: NotNull;
        byte_count: NotNull;
        duration_ms: NotNull;
        ready_at: NotNull;
      }>()
      .where('post.site_id', '=', siteId)
      .where((row) => isPublic(row, now))
      .$if(oldest !== undefined, (all) => all.where(publishedAt, '>=', oldest ?? ''))
      .where('audio.language', '=', language)
      .where('audio.is_main', '=', mainFlag)
      .where('version.header', 'is not', null)
      .where((version) =>
        version.or([version('version.expires_at', 'is', null), version('version.expires_at', '>', now)]),
      )
      .orderBy(publishedAt, 'desc')
      .orderBy('post.id', 'desc')
      .$if(most !== undefined, (all) => all.limit(most ?? 0))
      .execute()
  );
}

/** Fewer posts are looked through in a millisecond or two. */
const expensiveListSize = 2_000;

/** @returns whether a site has so many posts that to list those of a language may take a while */
export async function isExpensiveToList(db: Queries, siteId: number): Promise<boolean> {
  return (await findNthPublishedAt(db, siteId, expensiveListSize)) !== undefined;
}

/** @returns when the next post of a site becomes public, of itself; null: none does */
export async function findNextPublishedAt(db: Queries, siteId: number): Promise<string | null> {
  const row = await db
    .selectFrom('post')
    .select(publishedAt.as('published_at'))
    .where('site_id', '=', siteId)
    .where('visibility', '=', sql.lit('public'))
    .where(publishedAt, '>', new Date().toISOString())
    .orderBy(publishedAt)
    .limit(1)
    .executeTakeFirst();
  return row?.published_at ?? null;
}

/** @returns the languages that posts were read in */
export async function listAudioLanguages(db: Queries): Promise<string[]> {
  const rows = await db.selectFrom('audio').select('language').distinct().where('is_main', '=', mainFlag).execute();
  return rows.map(({ language }) => language);
}

/** @returns when the last post was published that a feed looks at; undefined: it looks at all */
function findOldestScanned(db: Queries, siteId: number): Promise<string | undefined> {
  return findNthPublishedAt(db, siteId, maxScannedPosts);
}

/** @returns when the post was published that has so many newer ones */
async function findNthPublishedAt(db: Queries, siteId: number, newer: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('post')
    .select(publishedAt.as('published_at'))
    .where('site_id', '=', siteId)
    .where('visibility', '=', sql.lit('public'))
    .orderBy(publishedAt, 'desc')
    .limit(1)
    .offset(newer)
    .executeTakeFirst();
  return row?.published_at;
}

/** @returns how the texts of versions begin: sentences without titles and headings, in order */
export function listOpenings(db: Queries, versionIds: readonly number[], sentenceMax: number) {
  return db
    .selectFrom('planned_segment')
    .select(['version_id', 'text'])
    .where('version_id', 'in', versionIds)
    .where('position', '<', sentenceMax)
    .where('source_field', '=', 'content')
    .where('kind', '!=', 'heading')
    .orderBy('version_id')
    .orderBy('position')
    .execute();
}
