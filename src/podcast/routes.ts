import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { checkLanguage, parseLanguage } from '../audio/choose-voice.ts';
import {
  findDefaultLanguage,
  findNextPublishedAt,
  isExpensiveToList,
  listAudioLanguages,
  listPublishedPosts,
  maxEpisodes,
} from '../audio/posts/published-audio.ts';
import { mediaUrl } from '../audio/store.ts';
import { currentTimeMs } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, toEndpointHook } from '../http/endpoint.ts';
import { acceptsHtml, getBasePath } from '../http/html.ts';
import { allowAnyOrigin, preflightAnyOrigin } from '../http/request-context.ts';
import { type Asset, acceptsGzip, assetResponse, isNotModified } from '../http/static-assets.ts';
import { getQueryParam, parseQuery } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { parseFeedSettings } from '../sites/settings.ts';
import { listDomains } from '../sites/store.ts';
import cover from './cover.png' with { type: 'file' };
import pageScript from './episode-buttons.js' with { type: 'text' };
import { buildPodcast, type FeedUrls, feedPageResponse, renderFeedPage, renderRss } from './feed.ts';
import { type CachedFeed, FeedCache } from './feed-cache.ts';
import pageStyle from './feed-page.css' with { type: 'text' };

const Language = Type.String({
  description: 'BCP 47 language code; default: the language of the default voice of the site, else English',
});

const FeedQuery = Type.Object({
  domain: Type.String({ description: 'A domain of the site' }),
  lang: Type.Optional(Language),
  language: Type.Optional(Language),
});

const languageCacheMs = 60_000;

/** @returns whether any site has posts in a language; at most a minute old */
function createLanguageCheck(database: Database): (language: string) => Promise<boolean> {
  let cached: { readonly untilMs: number; readonly languages: Promise<string[]> } | undefined;
  return async (language) => {
    if (cached === undefined || cached.untilMs <= currentTimeMs()) {
      cached = { untilMs: currentTimeMs() + languageCacheMs, languages: listAudioLanguages(database.read) };
      cached.languages.catch(() => {
        cached = undefined;
      });
    }
    return (await cached.languages).includes(language);
  };
}

/** Feeds with a known `Last-Modified`. */
const maxTrackedFeeds = 1_000;
const cacheControl = 'public, max-age=300';

/**
 * Deleted posts change a feed, too, but leave no row with a time: `Last-Modified` is when this server first saw the current
 * content.
 */
function createFeedResponder() {
  const seen = new Map<string, { readonly etag: string; readonly since: Date }>();
  const getLastModified = (url: string, etag: string): Date => {
    const before = seen.get(url);
    if (before?.etag === etag) return before.since;
    // HTTP dates have whole seconds: two changes within one second must differ.
    const next = before === undefined ? 0 : before.since.getTime() + 1_000;
    const since = new Date(Math.max(currentTimeMs(), next));
    if (seen.size >= maxTrackedFeeds) seen.clear();
    seen.set(url, { etag, since });
    return since;
  };
  return (request: Request, url: string, feed: CachedFeed): Response => {
    const { bytes, etag, ageS } = feed;
    const lastModified = getLastModified(url, etag);
    const headers = {
      'content-type': 'application/rss+xml; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': cacheControl,
      // Caches count from the time of rendering.
      age: String(ageS),
      // Browsers get a page at the same address.
      vary: 'Accept, Sec-Fetch-Dest, Accept-Encoding',
      'last-modified': lastModified.toUTCString(),
      etag,
    };
    if (isNotModified(request, etag, lastModified)) {
      return new Response(null, { status: 304, headers });
    }
    if (!acceptsGzip(request)) return new Response(bytes, { headers });
    return new Response(feed.gzip(), { headers: { ...headers, 'content-encoding': 'gzip' } });
  };
}

const feedSpec = endpointSpec({
  summary: 'Get the podcast feed of a site',
  description: `RSS 2.0 with the namespaces of iTunes and the Podcast Index: the newest ${maxEpisodes} public posts with finished audio, in one language. Browsers (\`Accept: text/html\`) get a page with the same episodes. Available to any origin; no rate limit.`,
  tag: 'Public',
  access: 'none',
  query: FeedQuery,
  responses: {
    200: {
      description: 'The feed',
      content: [
        { type: 'application/rss+xml', schema: Type.String() },
        { type: 'text/html', schema: Type.String() },
      ],
      headers: {
        ETag: 'For `If-None-Match`',
        'Last-Modified': 'For `If-Modified-Since`',
        Age: 'Seconds since the feed was rendered; it is cached for up to one minute',
      },
    },
    304: { description: 'Not modified' },
  },
  errors: ['unknown_domain', 'public_subscription_inactive', 'public_trial_expired', 'feed_not_found'],
});

const coverSpec = endpointSpec({
  summary: 'Get the default cover image',
  tag: 'Public',
  access: 'none',
  responses: {
    200: {
      description: 'A square image',
      content: { type: 'image/png', schema: Type.String({ format: 'binary' }) },
    },
    304: { description: 'Not modified' },
  },
});

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };
const script = { content: pageScript, type: 'text/javascript; charset=utf-8' };

/**
 * Whether a browser shows the feed to a person. Feed readers that also accept HTML name a feed format, or fetch it as no
 * document.
 */
function isOpenedByPerson(request: Request): boolean {
  const { headers } = request;
  const destination = headers.get('sec-fetch-dest') ?? 'document';
  return destination === 'document' && acceptsHtml(request) && !/(rss|atom)\+xml/i.test(headers.get('accept') ?? '');
}

/** Feeds for podcast apps and directories, by a domain of the site. */
export function feedRoutes(services: Services) {
  const { endpoint, requireDomainAnyOrigin, baseUrl } = services;
  const respond = createFeedResponder();
  const getFeed = createFeedReader(services);
  let image: Promise<Asset> | undefined;
  return new Elysia({ name: 'feed' })
    .get(
      '/v1/public/feed.xml',
      // Not `endpoint()`: the answer to a query without a domain has CORS headers, too.
      async ({ request }) => {
        const site = await requireDomainAnyOrigin(request, getQueryParam(request, 'domain'));
        if (!parseFeedSettings(site.feed).enabled) {
          throw new AppError('feed_not_found');
        }
        const isPage = isOpenedByPerson(request);
        const { feed, url } = await getFeed(
          site,
          parseLanguage(parseQuery(FeedQuery, request)),
          isPage ? 'page' : 'rss',
        );
        return isPage ? feedPageResponse(request, feed, site, baseUrl) : respond(request, url, feed);
      },
      toEndpointHook(feedSpec),
    )
    .options('/v1/public/feed.xml', ({ request }) => preflightAnyOrigin(request))
    .get('/v1/public/feed.css', ({ request }) => assetResponse(request, style, cacheControl))
    .get('/v1/public/feed.js', ({ request }) => assetResponse(request, script, cacheControl))
    .get(
      '/v1/public/cover.png',
      ...endpoint(coverSpec, async ({ request }) => {
        allowAnyOrigin(request);
        image ??= loadCover();
        return assetResponse(request, await image, 'public, max-age=86400');
      }),
    )
    .options('/v1/public/cover.png', ({ request }) => preflightAnyOrigin(request));
}

/** @returns a function that reads the feed of a site in a language; default: that of the site */
function createFeedReader({ database, catalog, baseUrl }: Pick<Services, 'database' | 'catalog' | 'baseUrl'>) {
  const { read } = database;
  const cache = new FeedCache(database);
  const hasPostsIn = createLanguageCheck(database);
  const hasVoiceIn = async (language: string) => (await catalog.voices()).some((voice) => voice.language === language);
  return async (
    site: Site,
    requested: string | undefined,
    format: 'rss' | 'page',
  ): Promise<{ feed: CachedFeed; url: string }> => {
    const language = requested ?? (await findDefaultLanguage(read, site));
    // Posts are not scanned for languages that neither a voice nor a post has.
    const isKnown = (await hasVoiceIn(language)) || (await hasPostsIn(language));
    if (!isKnown) await checkLanguage(catalog, language);
    const domains = await listDomains(read, site.id);
    const urls = buildFeedUrls(baseUrl, domains[0] ?? '', language);
    // Part of the key, so that changed settings of the site apply at once.
    const key = JSON.stringify([format, language, domains, site]);
    const feed = await cache.get(key, async () => {
      const nextAt = await findNextPublishedAt(read, site.id);
      const posts = await listPublishedPosts(read, site.id, language, maxEpisodes);
      const podcast = await buildPodcast(read, { ...site, domains }, language, posts, urls);
      const isExpensive = await isExpensiveToList(read, site.id);
      const text = format === 'rss' ? renderRss(podcast) : renderFeedPage(podcast, getBasePath(baseUrl));
      return { text, isEmpty: posts.length === 0, nextAt, isExpensive };
    });
    // A feed with episodes outlives the last voice of its language.
    if (feed.isEmpty) await checkLanguage(catalog, language);
    return { feed, url: urls.feed };
  };
}

function buildFeedUrls(baseUrl: string, domain: string, language: string): FeedUrls {
  const query = new URLSearchParams({ domain, lang: language });
  return {
    feed: `${baseUrl}/v1/public/feed.xml?${query}`,
    page: () => null,
    cover: `${baseUrl}/v1/public/cover.png`,
    audio: ({ media_key }) => mediaUrl(baseUrl, media_key, 'mp3'),
    vtt: ({ media_key }) => mediaUrl(baseUrl, media_key, 'vtt'),
    transcript: ({ media_key }) => mediaUrl(baseUrl, media_key, 'transcript.json'),
  };
}

async function loadCover(): Promise<Asset> {
  return { content: await Bun.file(cover).bytes(), type: 'image/png' };
}
