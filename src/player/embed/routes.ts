import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { parseLanguage } from '../../audio/choose-voice.ts';
import { readTimings, requireServedVersion } from '../../audio/media/segmented-mp3.ts';
import {
  type AudioSelector,
  buildPublicAudio,
  findPublicAudio,
  type PublicAudioSummary,
  parsePostSelector,
} from '../../audio/posts/published-audio.ts';
import { type PublicAudio, PublicAudioQuery, type Timings } from '../../audio/schema.ts';
import type { Queries } from '../../database/database.ts';
import type { Site } from '../../database/schema.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { endpointSpec } from '../../http/endpoint.ts';
import { toErrorResponse } from '../../http/error-response.ts';
import { getBasePath, htmlResponse } from '../../http/html.ts';
import { assetResponse } from '../../http/static-assets.ts';
import type { Services } from '../../services.ts';
import type { Catalog } from '../../voices/catalog.ts';
import pageStyle from './page.css' with { type: 'text' };
import { buildEmbedUrl, getPlayable, renderEmbedPage, renderEmptyPage } from './page.ts';

const { domain, post_id, url, lang, language, voice_id } = PublicAudioQuery.properties;

/** Query of the embed page. */
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

type EmbedSelector = Pick<EmbedQuery, 'post_id' | 'url' | 'lang' | 'language' | 'voice_id'>;

/**
 * The audio of an embed page. Without a language, as in pasted addresses: in the language of the site's default voice, else
 * in another language of the post.
 * @throws AppError `validation_failed`, `post_not_found`: also for a post whose audio failed and never was ready
 */
export async function findEmbedAudio(
  { database, catalog, baseUrl }: Pick<Services, 'database' | 'catalog' | 'baseUrl'>,
  site: Site,
  selector: EmbedSelector,
): Promise<PublicAudio> {
  const summary = await findAudioForEmbed(database.read, catalog, site, toAudioSelector(site, selector));
  if (summary === undefined) throw new AppError('post_not_found');
  const audio = await buildPublicAudio(database.read, site, summary, baseUrl);
  if (audio.status === 'failed' && audio.last_ready === null) {
    throw new AppError('post_not_found');
  }
  return audio;
}

async function findAudioForEmbed(
  db: Queries,
  catalog: Pick<Catalog, 'find'>,
  site: Site,
  selector: AudioSelector,
): Promise<PublicAudioSummary | undefined> {
  if (selector.language !== null || selector.voiceId !== null) return findPublicAudio(db, selector);
  const voice = site.default_voice_id === null ? undefined : await catalog.find(site.default_voice_id);
  const audio = await findPublicAudio(db, { ...selector, language: voice?.language ?? 'en' });
  return audio ?? findPublicAudio(db, selector);
}

function toAudioSelector(site: Site, selector: EmbedSelector): AudioSelector {
  return {
    siteId: site.id,
    post: parsePostSelector(selector),
    language: parseLanguage(selector) ?? null,
    voiceId: selector.voice_id ?? null,
    mainOnly: site.allow_switch === 0,
  };
}

/** @returns the sentences of the version to play; empty if there is none */
async function readText(db: Queries, audio: PublicAudio): Promise<Timings['segments']> {
  const [, mediaKey] = /([\w-]+)\.json$/.exec(getPlayable(audio)?.segments_url ?? '') ?? [];
  if (mediaKey === undefined) return [];
  return (await readTimings(db, await requireServedVersion(db, mediaKey))).segments;
}

const html = { type: 'text/html', schema: Type.String() };

const embedSpec = endpointSpec({
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

/** Errors that get a page instead of JSON. */
const emptyPageKinds: Partial<Record<ErrorCode, 'nothing' | 'unavailable'>> = {
  unknown_domain: 'nothing',
  post_not_found: 'nothing',
  public_subscription_inactive: 'unavailable',
  public_trial_expired: 'unavailable',
};

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };

/** The embed page of a post. */
export function embedRoutes(services: Services) {
  const { database, endpoint, requireDomainAnyOrigin, baseUrl } = services;
  const basePath = getBasePath(baseUrl);
  const toResponse = createPageResponder(baseUrl);
  return new Elysia({ name: 'embed' })
    .get(
      '/v1/public/embed',
      ...endpoint(embedSpec, async ({ request, query }) => {
        const { domain, theme } = query;
        const language = parseLanguage(query);
        try {
          const site = await requireDomainAnyOrigin(request, domain);
          const audio = await findEmbedAudio(services, site, query);
          const pageUrl = buildEmbedUrl(baseUrl, query, audio);
          const segments = await readText(database.read, audio);
          const page = { audio, domain, segments, siteName: site.name, theme, pageUrl, baseUrl, basePath };
          const response = toResponse(renderEmbedPage(page));
          response.headers.set('cache-control', `public, max-age=${audio.status === 'ready' ? 60 : 3}`);
          return response;
        } catch (error) {
          const kind = error instanceof AppError ? emptyPageKinds[error.code] : undefined;
          if (kind === undefined) throw error;
          const { headers, body } = toResponse(renderEmptyPage(kind, { language, theme, basePath }));
          return new Response(body, { status: toErrorResponse(error).status, headers });
        }
      }),
    )
    .get('/v1/public/embed.css', ({ request }) => assetResponse(request, style, 'public, max-age=300'));
}

function createPageResponder(baseUrl: string): (page: string) => Response {
  const serverSource = `'self' ${new URL(baseUrl).origin}`;
  return (page) => {
    const response = htmlResponse(page, {
      ...{ 'media-src': serverSource, 'connect-src': serverSource, 'script-src': serverSource },
      // Any site may embed it: consumers of oEmbed are not registered.
      'frame-ancestors': null,
    });
    // Its own event reports need the referrer; other sites get none.
    response.headers.set('referrer-policy', 'same-origin');
    return response;
  };
}
