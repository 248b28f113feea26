import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { namedLanguage } from '../../audio/choose-voice.ts';
import {
  findPublicAudio,
  type PublicView,
  publicAudio,
  type Wanted,
} from '../../audio/posts/published-audio.ts';
import { type PublicAudio, PublicAudioQuery } from '../../audio/schema.ts';
import { pageAddress } from '../../audio/store.ts';
import type { OpenDomainAccess } from '../../auth/domain-access.ts';
import type { Queries } from '../../database/open.ts';
import type { Site } from '../../database/schema.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { described } from '../../http/endpoint.ts';
import { errorAnswer } from '../../http/error-response.ts';
import { basePathOf, pageAnswer } from '../../http/html.ts';
import { assetAnswer } from '../../http/static-assets.ts';
import { queryValue, readQuery } from '../../http/validation.ts';
import type { Catalog } from '../../voices/catalog.ts';
import pageStyle from './page.css' with { type: 'text' };
import { embedAddress, embedPage, quietPage } from './page.ts';

const { domain, post_id, url, lang, language, voice_id } = PublicAudioQuery.properties;

/** Query of the page that is put into others. */
export const EmbedQuery = Type.Object({
  ...{ domain, post_id, url },
  lang: Type.Optional({
    ...lang,
    description: "Else the language of the site's default voice, or one that the post is there in",
  }),
  ...{ language, voice_id },
  theme: Type.Optional(
    Type.Union([Type.Literal('light'), Type.Literal('dark')], {
      description: 'As the page around it is; else as the system of the reader is',
    }),
  ),
});
export type EmbedQuery = Static<typeof EmbedQuery>;

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

export interface EmbedDeps extends ShownDeps {
  readonly byDomainForAnyone: OpenDomainAccess;
}

const html = { type: 'text/html', schema: Type.String() };

const embedOperation = described({
  summary: 'A page that plays a post, for frames of other pages',
  description:
    'Works without JavaScript, by the `<audio>` of the browser; where scripts run it shows `<lectern-player>`. Any page may hold it in an `<iframe>`, and nothing counts.',
  tag: 'Public',
  access: 'none',
  query: EmbedQuery,
  answers: {
    200: {
      description: 'The page; while the audio is being made it says so, and looks again',
      content: html,
    },
    402: { description: 'A page that says that nothing is available at the moment', content: html },
    404: { description: 'A page that says that there is nothing', content: html },
  },
});

/** What a page shows where there is nothing to hear. */
const quiet: Partial<Record<ErrorCode, 'nothing' | 'unavailable'>> = {
  unknown_domain: 'nothing',
  post_not_found: 'nothing',
  public_subscription_inactive: 'unavailable',
  public_trial_expired: 'unavailable',
};

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };

/** A post in a frame. */
export function embedRoutes(deps: EmbedDeps) {
  const { byDomainForAnyone, baseUrl } = deps;
  const basePath = basePathOf(baseUrl);
  const { origin } = new URL(baseUrl);
  const answer = (page: string): Response => {
    const own = `'self' ${origin}`;
    const given = pageAnswer(page, {
      ...{ 'media-src': own, 'connect-src': own, 'script-src': own },
      // Whoever may link to an article may show it: readers of oEmbed stand on sites that nobody registered.
      'frame-ancestors': null,
    });
    // Its own reports tell where they come from; other sites learn nothing.
    given.headers.set('referrer-policy', 'same-origin');
    return given;
  };
  return new Elysia({ name: 'embed' })
    .get(
      '/v1/public/embed',
      async ({ request }) => {
        const query = readQuery(EmbedQuery, request);
        const { domain, theme } = query;
        const language = namedLanguage(query);
        try {
          const site = await byDomainForAnyone(request, queryValue(request, 'domain'));
          const audio = await shownAudio(deps, site, query);
          const address = embedAddress(baseUrl, query, audio);
          const shown = { audio, domain, siteName: site.name, theme, address, baseUrl, basePath };
          const page = answer(embedPage(shown));
          page.headers.set('cache-control', `public, max-age=${audio.status === 'ready' ? 60 : 3}`);
          return page;
        } catch (error) {
          const kind = error instanceof AppError ? quiet[error.code] : undefined;
          if (kind === undefined) throw error;
          const { headers, body } = answer(quietPage(kind, { language, theme, basePath }));
          return new Response(body, { status: errorAnswer(error).status, headers });
        }
      },
      embedOperation,
    )
    .get('/v1/public/embed.css', ({ request }) =>
      assetAnswer(request, style, 'public, max-age=300'),
    );
}
