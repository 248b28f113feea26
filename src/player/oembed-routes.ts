import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { PublicAudio } from '../audio/schema.ts';
import type { OpenDomainAccess } from '../auth/domain-access.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { preflightForAnyone } from '../http/cors.ts';
import { described } from '../http/endpoint.ts';
import { element, xmlDocument } from '../http/html.ts';
import { readQuery } from '../http/validation.ts';
import { embedAddress, isEmbedAddress } from './embed/page.ts';
import { EmbedQuery, type ShownDeps, shownAudio } from './embed/routes.ts';

const Size = Type.Optional(Type.Integer({ minimum: 1, description: 'Pixels' }));

/** Query of `GET /v1/public/oembed`. */
const OembedQuery = Type.Object({
  url: Type.String({
    maxLength: 8_000,
    description: 'Address of an article on a domain of a site, or of its page for frames',
  }),
  maxwidth: Size,
  maxheight: Size,
  format: Type.Optional(
    Type.String({ description: '`json` or `xml`; JSON unless named. Any other is a 501' }),
  ),
});
type OembedQuery = Static<typeof OembedQuery>;

/** What stands for an article in another page. */
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

/** Pixels. Narrower than `narrow` the player has more lines. */
const width = 600;
const height = 156;
const narrow = 560;
const narrowHeight = 200;
const cacheS = 3_600;
/** While the audio is being made, or made anew. */
const unfinishedCacheS = 60;

export interface OembedDeps extends ShownDeps {
  readonly byDomainForAnyone: OpenDomainAccess;
}

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

const oembedOperation = described({
  summary: 'What stands for an article in other pages (oEmbed)',
  description:
    'As [oEmbed](https://oembed.com) has it, type `rich`. Pages of articles and pages for frames may name it by `<link rel="alternate" type="application/json+oembed">`. Any origin may read it, and nothing counts.',
  tag: 'Public',
  access: 'none',
  query: OembedQuery,
  answers: {
    200: {
      description: 'A frame with a player',
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

/** What other sites and editors ask for when somebody pastes an address. */
export function oembedRoutes(deps: OembedDeps) {
  return new Elysia({ name: 'oembed' })
    .get(
      '/v1/public/oembed',
      async ({ request }) => {
        const query = readQuery(OembedQuery, request);
        const { format = 'json' } = query;
        if (format !== 'json' && format !== 'xml') {
          throw new AppError('format_not_supported', 'This format is not supported: json or xml');
        }
        const answer = await oembedOf(deps, request, query);
        const isJson = format === 'json';
        return new Response(isJson ? JSON.stringify(answer) : xmlOf(answer), {
          headers: {
            'content-type': isJson ? 'application/json' : 'text/xml; charset=utf-8',
            'cache-control': `public, max-age=${unfinishedCacheS}`,
          },
        });
      },
      oembedOperation,
    )
    .options('/v1/public/oembed', ({ request }) => preflightForAnyone(request));
}

async function oembedOf(deps: OembedDeps, request: Request, query: OembedQuery): Promise<Oembed> {
  const { baseUrl, byDomainForAnyone } = deps;
  const named = namedBy(query.url, baseUrl);
  const site = await byDomainForAnyone(request, named.domain);
  const audio = await shownAudio(deps, site, named);
  return {
    type: 'rich',
    version: '1.0',
    title: audio.title ?? site.name,
    author_name: site.name,
    ...(audio.url === null ? {} : { author_url: audio.url }),
    provider_name: 'Lectern',
    provider_url: baseUrl,
    cache_age: audio.status === 'ready' ? cacheS : unfinishedCacheS,
    ...frameOf(baseUrl, named, site, audio, query),
  };
}

/** @throws AppError `post_not_found` for an address that can be nobody's article */
function namedBy(url: string, baseUrl: string): EmbedQuery {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) throw notFound();
  if (!isEmbedAddress(baseUrl, address)) return { domain: address.host, url };
  try {
    return readQuery(EmbedQuery, new Request(address.href));
  } catch {
    throw notFound();
  }
}

/** No wider and no higher than it may be. */
function frameOf(
  baseUrl: string,
  named: EmbedQuery,
  site: Site,
  { post_id, language, title }: PublicAudio,
  { maxwidth = width, maxheight = Number.POSITIVE_INFINITY }: OembedQuery,
): Pick<Oembed, 'html' | 'width' | 'height'> {
  const size = {
    width: Math.min(width, maxwidth),
    height: Math.min(maxwidth < narrow ? narrowHeight : height, maxheight),
  };
  const frame = element('iframe', {
    src: embedAddress(baseUrl, named, { post_id, language }),
    ...{ width: String(size.width), height: String(size.height) },
    ...{ title: title ?? site.name, loading: 'lazy', style: 'border:0' },
  });
  return { html: frame.xml.replace(/\/>$/, '></iframe>'), ...size };
}

function xmlOf(answer: Oembed): string {
  const members = Object.entries(answer).map(([name, value]) => element(name, {}, String(value)));
  return xmlDocument(element('oembed', {}, members));
}

function notFound(): AppError {
  return new AppError('post_not_found', 'Post not found');
}
