import { type NotNull, sql } from 'kysely';
import { isPublic } from '../audio/posts/published-audio.ts';
import { mainFlag } from '../audio/store.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type { Site } from '../database/schema.ts';

/** A post with a version that is served. */
export type PublishedPost = Awaited<ReturnType<typeof listPublishedPosts>>[number];

/** Limits the size of a feed; enough for weeks of a busy newsroom. */
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

/** Anyone may request a feed, and for a language with few posts all posts would be scanned. */
const maxScannedPosts = 20_000;

/** Same expression as in its index. */
const publishedAt = sql<string>`coalesce(post.publish_at, post.created_at)`;

/**
 * @param limit undefined: all. With a limit, only the newest posts of the site are scanned
 * @returns public posts of a site with served audio in a language, newest first
 */
export async function listPublishedPosts(db: Queries, siteId: number, language: string, limit?: number) {
  const now = timestamp();
  const oldest = limit === undefined ? undefined : await findNthPublishedAt(db, siteId, maxScannedPosts);
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
      // A version with a header has all of them.
      .$narrowType<{ media_key: NotNull; byte_count: NotNull; duration_ms: NotNull; ready_at: NotNull }>()
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
      .$if(limit !== undefined, (all) => all.limit(limit ?? 0))
      .execute()
  );
}

/** Fewer posts are scanned within one or two milliseconds. */
const expensiveListSize = 2_000;

/** @returns whether listing the posts of a language may take long, as the site has many posts */
export async function isExpensiveToList(db: Queries, siteId: number): Promise<boolean> {
  return (await findNthPublishedAt(db, siteId, expensiveListSize)) !== undefined;
}

/** @returns when the next scheduled post of a site becomes public; null: none is scheduled */
export async function findNextPublishedAt(db: Queries, siteId: number): Promise<string | null> {
  const row = await db
    .selectFrom('post')
    .select(publishedAt.as('published_at'))
    .where('site_id', '=', siteId)
    .where('visibility', '=', sql.lit('public'))
    .where(publishedAt, '>', timestamp())
    .orderBy(publishedAt)
    .limit(1)
    .executeTakeFirst();
  return row?.published_at ?? null;
}

/** @returns the languages of all audio */
export async function listAudioLanguages(db: Queries): Promise<string[]> {
  const rows = await db.selectFrom('audio').select('language').distinct().where('is_main', '=', mainFlag).execute();
  return rows.map(({ language }) => language);
}

/** @returns when the post with this many newer posts was published */
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

/** @returns the first sentences of versions, without titles and headings, in order */
export function listOpenings(db: Queries, versionIds: readonly number[], maxSentences: number) {
  return db
    .selectFrom('planned_segment')
    .select(['version_id', 'text'])
    .where('version_id', 'in', versionIds)
    .where('position', '<', maxSentences)
    .where('source_field', '=', 'content')
    .where('kind', '!=', 'heading')
    .orderBy('version_id')
    .orderBy('position')
    .execute();
}
