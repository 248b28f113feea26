import { namedLanguage } from '../../audio/asked-language.ts';
import { pageAddress } from '../../audio/page-address.ts';
import { publicAudio } from '../../audio/public/audio.ts';
import { findPublicAudio, type PublicView, type Wanted } from '../../audio/public/store.ts';
import type { PublicAudio } from '../../audio/schema.ts';
import type { Queries } from '../../database/open.ts';
import type { Site } from '../../database/tables.ts';
import { AppError } from '../../errors.ts';
import type { Catalog } from '../../voices/catalog.ts';
import type { EmbedQuery } from './schema.ts';

export interface ShownDeps {
  readonly database: { readonly read: Queries };
  readonly catalog: Pick<Catalog, 'find'>;
  readonly baseUrl: string;
}

type Named = Pick<EmbedQuery, 'post_id' | 'url' | 'lang' | 'language' | 'voice_id'>;

/**
 * The audio that a page in a frame shows. Who names no language, as whoever pastes an address, gets that of the site's default
 * voice, else one that is there.
 * @throws AppError `validation_failed`, `post_not_found`: also of a post of which there is nothing to hear, nor will be
 */
export async function shownAudio(
  { database, catalog, baseUrl }: ShownDeps,
  site: Site,
  named: Named,
): Promise<PublicAudio> {
  const wanted = readWanted(site, named);
  const found = await findShown(database.read, catalog, site, wanted);
  if (found === undefined) throw new AppError('post_not_found', 'Post not found');
  const audio = await publicAudio(database.read, site, found, baseUrl);
  if (audio.status === 'failed' && audio.last_ready === null) {
    throw new AppError('post_not_found', 'Post not found');
  }
  return audio;
}

async function findShown(
  db: Queries,
  catalog: Pick<Catalog, 'find'>,
  site: Site,
  wanted: Wanted,
): Promise<PublicView | undefined> {
  if (wanted.language !== null || wanted.voiceId !== null) return findPublicAudio(db, wanted);
  const voice =
    site.default_voice_id === null ? undefined : await catalog.find(site.default_voice_id);
  const usual = await findPublicAudio(db, { ...wanted, language: voice?.language ?? 'en' });
  return usual ?? findPublicAudio(db, wanted);
}

function readWanted(site: Site, named: Named): Wanted {
  return {
    siteId: site.id,
    post: readPost(named),
    language: namedLanguage(named) ?? null,
    voiceId: named.voice_id ?? null,
    mainOnly: site.allow_switch === 0,
  };
}

function readPost({ post_id: postId, url }: Named): Wanted['post'] {
  if (postId !== undefined) return { postId };
  if (url === undefined) throw wrong('post_id', 'is required, or url instead');
  const page = pageAddress(url);
  if (page === null) throw wrong('url', 'must be an http(s) URL');
  return { page };
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
