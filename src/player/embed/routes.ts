import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { namedLanguage } from '../../audio/asked-language.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { assetAnswer } from '../../http/asset.ts';
import { errorAnswer } from '../../http/error-answer.ts';
import { described } from '../../http/operation.ts';
import { basePathOf, pageAnswer } from '../../http/page.ts';
import { queryValue } from '../../http/query-value.ts';
import { readQuery } from '../../http/validate.ts';
import type { OpenDomainAccess } from '../../sites/domain-access.ts';
import { embedAddress } from './address.ts';
import pageStyle from './page.css' with { type: 'text' };
import { embedPage, quietPage } from './page.ts';
import { EmbedQuery } from './schema.ts';
import { type ShownDeps, shownAudio } from './shown-audio.ts';

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
