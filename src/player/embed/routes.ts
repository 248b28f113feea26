import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { parseLanguage } from '../../audio/choose-voice.ts';
import {
  type AudioSelector,
  buildPublicAudio,
  findPublicAudio,
  type PublicAudioSummary,
} from '../../audio/posts/published-audio.ts';
import { type PublicAudio, PublicAudioQuery } from '../../audio/schema.ts';
import { canonicalizeUrl } from '../../audio/store.ts';
import type { RequireDomainAnyOrigin } from '../../auth/domain-access.ts';
import type { Queries } from '../../database/open.ts';
import type { Site } from '../../database/schema.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { endpointSpec, toEndpointHook } from '../../http/endpoint.ts';
import { toErrorResponse } from '../../http/error-response.ts';
import { getBasePath, htmlResponse } from '../../http/html.ts';
import { assetResponse } from '../../http/static-assets.ts';
import { getQueryParam, parseQuery } from '../../http/validation.ts';
import type { Catalog } from '../../voices/catalog.ts';
import pageStyle from './page.css' with { type: 'text' };
import { buildEmbedUrl, renderEmbedPage, renderEmptyPage } from './page.ts';

const { domain, post_id, url, lang, language, voice_id } = PublicAudioQuery.properties;

/** Query of the page that is put into others. */
export const EmbedQuery = Type.Object({
  ...{ domain, post_id, url },
  lang: Type.Optional({
    ...lang,
    description: "Default: the language of the site's default voice, or another language of the post",
  }),
  ...{ language, voice_id },
  theme: Type.Optional(
    Type.Union([Type.Literal('light'), Type.Literal('dark')], {
      description: 'Color scheme; default: the system setting of the reader',
    }),
  ),
});
export type EmbedQuery = Static<typeof EmbedQuery>;

export interface EmbedAudioDeps {
  readonly database: { readonly read: Queries };
  readonly catalog: Pick<Catalog, 'find'>;
  readonly baseUrl: string;
}

type EmbedSelector = Pick<EmbedQuery, 'post_id' | 'url' | 'lang' | 'language' | 'voice_id'>;

/**
 * The audio that a page in a frame shows. Who names no language, as whoever pastes an address, gets that of the site's default
 * voice, else one that is there.
 * @throws AppError `validation_failed`, `post_not_found`: also of a post of which there is nothing to hear, nor will be
 */
export async function findEmbedAudio(
  { database, catalog, baseUrl }: EmbedAudioDeps,
  site: Site,
  named: EmbedSelector,
): Promise<PublicAudio> {
  const wanted = toAudioQuery(site, named);
  const found = await findAudioForEmbed(database.read, catalog, site, wanted);
  if (found === undefined) throw new AppError('post_not_found', 'Post not found');
  const audio = await buildPublicAudio(database.read, site, found, baseUrl);
  if (audio.status === 'failed' && audio.last_ready === null) {
    throw new AppError('post_not_found', 'Post not found');
  }
  return audio;
}

async function findAudioForEmbed(
  db: Queries,
  catalog: Pick<Catalog, 'find'>,
  site: Site,
  wanted: AudioSelector,
): Promise<PublicAudioSummary | undefined> {
  if (wanted.language !== null || wanted.voiceId !== null) return findPublicAudio(db, wanted);
  const voice = site.default_voice_id === null ? undefined : await catalog.find(site.default_voice_id);
  const usual = await findPublicAudio(db, { ...wanted, language: voice?.language ?? 'en' });
  return usual ?? findPublicAudio(db, wanted);
}

function toAudioQuery(site: Site, named: EmbedSelector): AudioSelector {
  return {
    siteId: site.id,
    post: parsePost(named),
    language: parseLanguage(named) ?? null,
    voiceId: named.voice_id ?? null,
    mainOnly: site.allow_switch === 0,
  };
}

function parsePost({ post_id: postId, url }: EmbedSelector): AudioSelector['post'] {
  if (postId !== undefined) return { postId };
  if (url === undefined) throw invalid('post_id', 'is required, or url instead');
  const page = canonicalizeUrl(url);
  if (page === null) throw invalid('url', 'must be an http(s) URL');
  return { page };
}

function invalid(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}

export interface EmbedDeps extends EmbedAudioDeps {
  readonly requireDomainAnyOrigin: RequireDomainAnyOrigin;
}

const html = { type: 'text/html', schema: Type.String() };

const embedOperation = endpointSpec({
  summary: 'Get the embed page of a post',
  description:
    'Page for an `<iframe>`. Without JavaScript it uses the `<audio>` element of the browser, else `<lectern-player>`. Any page may embed it; no rate limit.',
  tag: 'Public',
  access: 'none',
  query: EmbedQuery,
  responses: {
    200: {
      description: 'The embed page. While the audio is being generated it shows the progress and reloads.',
      content: html,
    },
    402: { description: 'A page that says that the audio is unavailable', content: html },
    404: { description: 'A page that says that there is no audio', content: html },
  },
});

/** What a page shows where there is nothing to hear. */
const emptyPageKinds: Partial<Record<ErrorCode, 'nothing' | 'unavailable'>> = {
  unknown_domain: 'nothing',
  post_not_found: 'nothing',
  public_subscription_inactive: 'unavailable',
  public_trial_expired: 'unavailable',
};

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };

/** A post in a frame. */
export function embedRoutes(deps: EmbedDeps) {
  const { requireDomainAnyOrigin, baseUrl } = deps;
  const basePath = getBasePath(baseUrl);
  const { origin } = new URL(baseUrl);
  const answer = (page: string): Response => {
    const own = `'self' ${origin}`;
    const given = htmlResponse(page, {
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
        const query = parseQuery(EmbedQuery, request);
        const { domain, theme } = query;
        const language = parseLanguage(query);
        try {
          const site = await requireDomainAnyOrigin(request, getQueryParam(request, 'domain'));
          const audio = await findEmbedAudio(deps, site, query);
          const pageUrl = buildEmbedUrl(baseUrl, query, audio);
          const shown = { audio, domain, siteName: site.name, theme, pageUrl, baseUrl, basePath };
          const page = answer(renderEmbedPage(shown));
          page.headers.set('cache-control', `public, max-age=${audio.status === 'ready' ? 60 : 3}`);
          return page;
        } catch (error) {
          const kind = error instanceof AppError ? emptyPageKinds[error.code] : undefined;
          if (kind === undefined) throw error;
          const { headers, body } = answer(renderEmptyPage(kind, { language, theme, basePath }));
          return new Response(body, { status: toErrorResponse(error).status, headers });
        }
      },
      toEndpointHook(embedOperation),
    )
    .get('/v1/public/embed.css', ({ request }) => assetResponse(request, style, 'public, max-age=300'));
}
