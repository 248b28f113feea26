import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { PublicAudio } from '../audio/schema.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { endpointSpec } from '../http/endpoint.ts';
import { renderXmlDocument, xmlElement } from '../http/html.ts';
import { preflightAnyOrigin } from '../http/request-context.ts';
import { parseQuery } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { parseHttpUrl } from '../setting.ts';
import { buildEmbedUrl, isEmbedUrl } from './embed/page.ts';
import { EmbedQuery, findEmbedAudio } from './embed/routes.ts';

const Size = Type.Optional(Type.Integer({ minimum: 1, description: 'Pixels' }));

/** Query of `GET /v1/public/oembed`. */
const OembedQuery = Type.Object({
  url: Type.String({
    maxLength: 8_000,
    description: 'URL of an article on a domain of a site, or of its embed page',
  }),
  maxwidth: Size,
  maxheight: Size,
  format: Type.Optional(Type.String({ description: '`json` (default) or `xml`; any other value gets 501' })),
});
type OembedQuery = Static<typeof OembedQuery>;

/** The oEmbed response for an article. */
export const Oembed = Type.Object(
  {
    type: Type.Literal('rich'),
    version: Type.Literal('1.0'),
    title: Type.String(),
    author_name: Type.String({ description: 'Name of the site' }),
    author_url: Type.Optional(Type.String({ description: 'The article' })),
    provider_name: Type.String(),
    provider_url: Type.String(),
    cache_age: Type.Integer({ description: 'Seconds' }),
    html: Type.String({ description: 'An `<iframe>`' }),
    width: Type.Integer(),
    height: Type.Integer(),
  },
  { title: 'Oembed' },
);
export type Oembed = Static<typeof Oembed>;

/** Pixels. Below `narrowWidth` the player has more lines. */
const width = 600;
const height = 156;
const narrowWidth = 560;
const narrowHeight = 200;
const cacheS = 3_600;
/** While audio is generated or regenerated. */
const unfinishedCacheS = 60;

const example = {
  type: 'rich',
  version: '1.0',
  title: 'Harbor town reopens its lighthouse',
  author_name: 'The Daily Example',
  author_url: 'https://www.example.org/news/4711',
  provider_name: 'Lectern',
  provider_url: 'https://audio.example.org',
  cache_age: 3_600,
  html: '<iframe src="https://audio.example.org/v1/public/embed?domain=www.example.org&amp;post_id=news%2F4711&amp;lang=en" width="600" height="156" title="Harbor town reopens its lighthouse" loading="lazy" style="border:0"></iframe>',
  width: 600,
  height: 156,
};

const oembedSpec = endpointSpec({
  summary: 'Get oEmbed data for an article',
  description:
    '[oEmbed](https://oembed.com), type `rich`. Article pages and embed pages can announce it with `<link rel="alternate" type="application/json+oembed">`. Any origin; no rate limit.',
  tag: 'Public',
  access: 'none',
  query: OembedQuery,
  responses: {
    200: {
      description: 'An `<iframe>` with the player',
      content: [
        { type: 'application/json', schema: Oembed, example },
        { type: 'text/xml', schema: Type.String() },
      ],
    },
  },
  errors: [
    'unknown_domain',
    'post_not_found',
    'public_subscription_inactive',
    'public_trial_expired',
    'format_not_supported',
  ],
});

/** oEmbed, for sites and editors that show a player for a pasted URL. */
export function oembedRoutes(services: Services) {
  const { endpoint } = services;
  return new Elysia({ name: 'oembed' })
    .get(
      '/v1/public/oembed',
      ...endpoint(oembedSpec, async ({ request, query }) => {
        const { format = 'json' } = query;
        if (format !== 'json' && format !== 'xml') {
          throw new AppError('format_not_supported', 'Format not supported. Use json or xml.');
        }
        const oembed = await buildOembed(services, request, query);
        const isJson = format === 'json';
        return new Response(isJson ? JSON.stringify(oembed) : renderOembedXml(oembed), {
          headers: {
            'content-type': isJson ? 'application/json' : 'text/xml; charset=utf-8',
            'cache-control': `public, max-age=${unfinishedCacheS}`,
          },
        });
      }),
    )
    .options('/v1/public/oembed', ({ request }) => preflightAnyOrigin(request));
}

async function buildOembed(services: Services, request: Request, query: OembedQuery): Promise<Oembed> {
  const { baseUrl, requireDomainAnyOrigin } = services;
  const selector = parseEmbedSelector(query.url, baseUrl);
  const site = await requireDomainAnyOrigin(request, selector.domain);
  const audio = await findEmbedAudio(services, site, selector);
  return {
    type: 'rich',
    version: '1.0',
    title: audio.title ?? site.name,
    author_name: site.name,
    ...(audio.url === null ? {} : { author_url: audio.url }),
    provider_name: 'Lectern',
    provider_url: baseUrl,
    cache_age: audio.status === 'ready' ? cacheS : unfinishedCacheS,
    ...buildIframe(baseUrl, selector, site, audio, query),
  };
}

/** @throws AppError `post_not_found` for a URL that cannot be an article */
function parseEmbedSelector(url: string, baseUrl: string): EmbedQuery {
  const address = parseHttpUrl(url);
  if (address === undefined) throw new AppError('post_not_found');
  if (!isEmbedUrl(baseUrl, address)) return { domain: address.host, url };
  try {
    return parseQuery(EmbedQuery, new Request(address.href));
  } catch {
    throw new AppError('post_not_found');
  }
}

/** @returns an `<iframe>` within the size that the query allows */
function buildIframe(
  baseUrl: string,
  selector: EmbedQuery,
  site: Site,
  { post_id, language, title }: PublicAudio,
  { maxwidth = width, maxheight = Number.POSITIVE_INFINITY }: OembedQuery,
): Pick<Oembed, 'html' | 'width' | 'height'> {
  const size = {
    width: Math.min(width, maxwidth),
    height: Math.min(maxwidth < narrowWidth ? narrowHeight : height, maxheight),
  };
  const frame = xmlElement('iframe', {
    src: buildEmbedUrl(baseUrl, selector, { post_id, language }),
    ...{ width: String(size.width), height: String(size.height) },
    ...{ title: title ?? site.name, loading: 'lazy', style: 'border:0' },
  });
  return { html: frame.xml.replace(/\/>$/, '></iframe>'), ...size };
}

function renderOembedXml(answer: Oembed): string {
  const members = Object.entries(answer).map(([name, value]) => xmlElement(name, {}, String(value)));
  return renderXmlDocument(xmlElement('oembed', {}, members));
}
