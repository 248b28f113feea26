import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { checkLanguage, parseLanguage } from '../audio/choose-voice.ts';
import { mediaUrl } from '../audio/store.ts';
import type { RequireDomainAnyOrigin } from '../auth/domain-access.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { allowAnyOrigin, preflightAnyOrigin } from '../http/cors.ts';
import { endpointSpec, toEndpointHook } from '../http/endpoint.ts';
import { type Asset, acceptsGzip, assetResponse, isNotModified } from '../http/static-assets.ts';
import { getQueryParam, parseQuery } from '../http/validation.ts';
import { parseFeedSettings } from '../sites/feed-settings.ts';
import { listDomains } from '../sites/store.ts';
import type { Catalog } from '../voices/catalog.ts';
import cover from './cover.png' with { type: 'file' };
import { buildPodcast, type FeedUrls, renderRss } from './feed.ts';
import { type CachedFeed, createFeedCache } from './feed-cache.ts';
import {
  findDefaultLanguage,
  findNextPublishedAt,
  isExpensiveToList,
  listAudioLanguages,
  listPublishedPosts,
  maxEpisodes,
} from './store.ts';

const Language = Type.String({
  description: 'BCP 47 language code; default: the language of the default voice of the site, else English',
});

/** Query of a feed. */
const FeedQuery = Type.Object({
  domain: Type.String({ description: 'A domain of the site' }),
  lang: Type.Optional(Language),
  language: Type.Optional(Language),
});

const languageCacheMs = 60_000;

/** @returns whether there are posts, of whatever site, that were read in a language; as of a minute ago at most */
function createLanguageCheck(database: Database): (language: string) => Promise<boolean> {
  let known: { readonly untilMs: number; readonly languages: Promise<string[]> } | undefined;
  return async (language) => {
    if (known === undefined || known.untilMs <= Date.now()) {
      known = {
        untilMs: Date.now() + languageCacheMs,
        languages: listAudioLanguages(database.read),
      };
      known.languages.catch(() => {
        known = undefined;
      });
    }
    return (await known.languages).includes(language);
  };
}

/** Feeds whose last change is remembered. */
const maxTrackedFeeds = 1_000;
const cacheControl = 'public, max-age=300';

/** Answers with a feed: 304 to whoever has it, compressed for whoever takes that. */
export type FeedResponder = (request: Request, address: string, feed: CachedFeed) => Response;

/**
 * A feed changes also by what is gone from it, which no row tells: it is as old as this server has seen it unchanged.
 */
function createFeedResponder(): FeedResponder {
  const known = new Map<string, { readonly etag: string; readonly since: Date }>();
  const changeOf = (address: string, etag: string): Date => {
    const before = known.get(address);
    if (before?.etag === etag) return before.since;
    // Times in headers have whole seconds: a second change within one must have another.
    const next = before === undefined ? 0 : before.since.getTime() + 1_000;
    const since = new Date(Math.max(Date.now(), next));
    if (known.size >= maxTrackedFeeds) known.clear();
    known.set(address, { etag, since });
    return since;
  };
  return (request, address, { rss, etag, ageS, gzip }) => {
    const lastModified = changeOf(address, etag);
    const headers = {
      'content-type': 'application/rss+xml; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': cacheControl,
      // Who keeps it counts from when it was made.
      age: String(ageS),
      vary: 'Accept-Encoding',
      'last-modified': lastModified.toUTCString(),
      etag,
    };
    if (isNotModified(request, etag, lastModified)) {
      return new Response(null, { status: 304, headers });
    }
    if (!acceptsGzip(request)) return new Response(rss, { headers });
    return new Response(gzip(), { headers: { ...headers, 'content-encoding': 'gzip' } });
  };
}

export interface FeedDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly requireDomainAnyOrigin: RequireDomainAnyOrigin;
  readonly baseUrl: string;
}

const feedOperation = endpointSpec({
  summary: 'Get the podcast feed of a site',
  description: `RSS 2.0 with the namespaces of iTunes and the Podcast Index: the newest ${maxEpisodes} public posts with finished audio, in one language. Available to any origin; no rate limit.`,
  tag: 'Public',
  access: 'none',
  query: FeedQuery,
  responses: {
    200: {
      description: 'The feed',
      content: { type: 'application/rss+xml', schema: Type.String() },
      headers: {
        ETag: 'For `If-None-Match`',
        'Last-Modified': 'For `If-Modified-Since`',
        Age: 'Seconds since the feed was rendered; it is cached for up to one minute',
      },
    },
    304: { description: 'Not modified' },
  },
  errors: [
    'unknown_domain',
    'public_subscription_inactive',
    'public_trial_expired',
    'feed_not_found',
    'validation_failed',
  ],
});

const coverOperation = endpointSpec({
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

/** What podcast apps and directories ask: anyone, by a domain of the site. */
export function feedRoutes(deps: FeedDeps) {
  const { database, requireDomainAnyOrigin, baseUrl } = deps;
  const feedAnswer = createFeedResponder();
  const remembered = createFeedCache(database);
  const wasReadIn = createLanguageCheck(database);
  const isSpoken = async (language: string) =>
    (await deps.catalog.voices()).some((voice) => voice.language === language);
  let picture: Promise<Asset> | undefined;
  return new Elysia({ name: 'feed' })
    .get(
      '/v1/public/feed.xml',
      async ({ request }) => {
        const site = await requireDomainAnyOrigin(request, getQueryParam(request, 'domain'));
        if (!parseFeedSettings(site.feed).enabled) {
          throw new AppError('feed_not_found', 'Feed disabled for this site');
        }
        const { read } = database;
        const named = parseLanguage(parseQuery(FeedQuery, request));
        const language = named ?? (await findDefaultLanguage(read, site));
        const mayBeThere = (await isSpoken(language)) || (await wasReadIn(language));
        // Of invented languages no posts are looked for.
        if (!mayBeThere) await checkLanguage(deps.catalog, language);
        const domains = await listDomains(read, site.id);
        const addresses = buildFeedUrls(baseUrl, domains[0] ?? '', language);
        // What is set of a site is heard of at once.
        const name = JSON.stringify([language, domains, site]);
        const feed = await remembered(name, async () => {
          const nextAt = await findNextPublishedAt(read, site.id);
          const posts = await listPublishedPosts(read, site.id, language, maxEpisodes);
          const podcast = await buildPodcast(read, { ...site, domains }, language, posts, addresses);
          const isExpensive = await isExpensiveToList(read, site.id);
          return { rss: renderRss(podcast), isEmpty: posts.length === 0, nextAt, isExpensive };
        });
        // A feed that has subscribers outlives the last voice of its language.
        if (feed.isEmpty) await checkLanguage(deps.catalog, language);
        return feedAnswer(request, addresses.feed, feed);
      },
      toEndpointHook(feedOperation),
    )
    .options('/v1/public/feed.xml', ({ request }) => preflightAnyOrigin(request))
    .get(
      '/v1/public/cover.png',
      async ({ request }) => {
        allowAnyOrigin(request);
        picture ??= loadCover();
        return assetResponse(request, await picture, 'public, max-age=86400');
      },
      toEndpointHook(coverOperation),
    )
    .options('/v1/public/cover.png', ({ request }) => preflightAnyOrigin(request));
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
