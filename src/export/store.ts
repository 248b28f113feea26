import { sql } from 'kysely';
import { isPublic } from '../audio/public/store.ts';
import { main } from '../audio/store.ts';
import type { Queries } from '../database/open.ts';
import type { PlannedSentence } from './blocks.ts';

/** @returns languages in which a site has public posts that can be heard */
export async function listPublishedLanguages(db: Queries, siteId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .innerJoin('version', 'version.id', 'audio.version_id')
    .select('audio.language')
    .distinct()
    .where('post.site_id', '=', siteId)
    .where((row) => isPublic(row, new Date().toISOString()))
    .where('audio.is_main', '=', main)
    .where('version.header', 'is not', null)
    .orderBy('audio.language')
    .execute();
  return rows.map(({ language }) => language);
}

/** @returns the sentences of the article itself, in order, and the speed of the version */
export async function readArticle(
  db: Queries,
  versionId: number,
): Promise<{ sentences: PlannedSentence[]; speed: number }> {
  const sentences = await db
    .selectFrom('planned_segment')
    .select(['kind', 'text', 'pause_ms'])
    .where('version_id', '=', versionId)
    .where('source_field', '=', 'content')
    .orderBy('position')
    .execute();
  const version = await db
    .selectFrom('version')
    .select(sql<number | null>`json_extract(provenance, '$.speed')`.as('speed'))
    .where('id', '=', versionId)
    .executeTakeFirst();
  return { sentences, speed: version?.speed ?? 1 };
}
