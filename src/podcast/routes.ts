import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { checkLanguage, namedLanguage } from '../audio/choose-voice.ts';
import { mediaUrl } from '../audio/store.ts';
import type { OpenDomainAccess } from '../auth/domain-access.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { allowAnyOrigin, preflightForAnyone } from '../http/cors.ts';
import { described } from '../http/endpoint.ts';
import { type Asset, acceptsGzip, assetAnswer, isNotModified } from '../http/static-assets.ts';
import { queryValue, readQuery } from '../http/validation.ts';
import { feedSettingsOf } from '../sites/feed-settings.ts';
import { listDomains } from '../sites/store.ts';
import type { Catalog } from '../voices/catalog.ts';
import cover from './cover.png' with { type: 'file' };
import { type Addresses, rssOf, sitePodcast } from './feed.ts';
import { createFeedMemory, type MadeFeed } from './feed-cache.ts';
import {
  episodeMax,
  isCostlyToList,
  listPublished,
  listReadLanguages,
  nextPublishedAt,
  usualLanguage,
} from './store.ts';

const Language = Type.String({
  description:
    "BCP 47 language code; that of the site's default voice unless named, and English without one",
});

/** Query of a feed. */
const FeedQuery = Type.Object({
  domain: Type.String({ description: 'A domain of the site' }),
  lang: Type.Optional(Language),
  language: Type.Optional(Language),
});

const keptMs = 60_000;

/** @returns whether there are posts, of whatever site, that were read in a language; as of a minute ago at most */
function createReadLanguages(database: Database): (language: string) => Promise<boolean> {
  let known: { readonly untilMs: number; readonly languages: Promise<string[]> } | undefined;
  return async (language) => {
    if (known === undefined || known.untilMs <= Date.now()) {
      known = { untilMs: Date.now() + keptMs, languages: listReadLanguages(database.read) };
      known.languages.catch(() => {
        known = undefined;
      });
    }
    return (await known.languages).includes(language);
  };
}

/** Feeds whose last change is remembered. */
const knownMax = 1_000;
const cacheControl = 'public, max-age=300';

/** Answers with a feed: 304 to whoever has it, compressed for whoever takes that. */
export type FeedAnswer = (request: Request, address: string, feed: MadeFeed) => Response;

/**
 * A feed changes also by what is gone from it, which no row tells: it is as old as this server has seen it unchanged.
 */
function createFeedAnswer(): FeedAnswer {
  const known = new Map<string, { readonly etag: string; readonly since: Date }>();
  const changeOf = (address: string, etag: string): Date => {
    const before = known.get(address);
    if (before?.etag === etag) return before.since;
    // Times in headers have whole seconds: a second change within one must have another.
    const next = before === undefined ? 0 : before.since.getTime() + 1_000;
    const since = new Date(Math.max(Date.now(), next));
    if (known.size >= knownMax) known.clear();
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
  readonly byDomainForAnyone: OpenDomainAccess;
  readonly baseUrl: string;
}

const feedOperation = described({
  summary: 'The podcast feed of a site',
  description: `RSS 2.0 with the namespaces of iTunes and the Podcast Index: the newest ${episodeMax} posts that are public and can be heard, in one language. Any origin may read it, and nothing counts.`,
  tag: 'Public',
  access: 'none',
  query: FeedQuery,
  answers: {
    200: {
      description: 'The feed',
      content: { type: 'application/rss+xml', schema: Type.String() },
      headers: {
        ETag: 'For `If-None-Match`',
        'Last-Modified': 'For `If-Modified-Since`',
        Age: 'Seconds since it was made: it is remembered for a minute at most',
      },
    },
    304: { description: 'Unchanged' },
  },
  errors: [
    'unknown_domain',
    'public_subscription_inactive',
    'public_trial_expired',
    'feed_not_found',
    'validation_failed',
  ],
});

const coverOperation = described({
  summary: 'The picture of feeds that have set none',
  tag: 'Public',
  access: 'none',
  answers: {
    200: {
      description: 'A square picture',
      content: { type: 'image/png', schema: Type.String({ format: 'binary' }) },
    },
    304: { description: 'Unchanged since the ETag that was sent' },
  },
});

/** What podcast apps and directories ask: anyone, by a domain of the site. */
export function feedRoutes(deps: FeedDeps) {
  const { database, byDomainForAnyone, baseUrl } = deps;
  const feedAnswer = createFeedAnswer();
  const remembered = createFeedMemory(database);
  const wasReadIn = createReadLanguages(database);
  const isSpoken = async (language: string) =>
    (await deps.catalog.voices()).some((voice) => voice.language === language);
  let picture: Promise<Asset> | undefined;
  return new Elysia({ name: 'feed' })
    .get(
      '/v1/public/feed.xml',
      async ({ request }) => {
        const site = await byDomainForAnyone(request, queryValue(request, 'domain'));
        if (!feedSettingsOf(site.feed).enabled) {
          throw new AppError('feed_not_found', 'This site has no feed');
        }
        const { read } = database;
        const named = namedLanguage(readQuery(FeedQuery, request));
        const language = named ?? (await usualLanguage(read, site));
        const mayBeThere = (await isSpoken(language)) || (await wasReadIn(language));
        // Of invented languages no posts are looked for.
        if (!mayBeThere) await checkLanguage(deps.catalog, language);
        const domains = await listDomains(read, site.id);
        const addresses = addressesOf(baseUrl, domains[0] ?? '', language);
        // What is set of a site is heard of at once.
        const name = JSON.stringify([language, domains, site]);
        const feed = await remembered(name, async () => {
          const nextAt = await nextPublishedAt(read, site.id);
          const posts = await listPublished(read, site.id, language, episodeMax);
          const podcast = await sitePodcast(read, { ...site, domains }, language, posts, addresses);
          const isCostly = await isCostlyToList(read, site.id);
          return { rss: rssOf(podcast), isEmpty: posts.length === 0, nextAt, isCostly };
        });
        // A feed that has subscribers outlives the last voice of its language.
        if (feed.isEmpty) await checkLanguage(deps.catalog, language);
        return feedAnswer(request, addresses.feed, feed);
      },
      feedOperation,
    )
    .options('/v1/public/feed.xml', ({ request }) => preflightForAnyone(request))
    .get(
      '/v1/public/cover.png',
      async ({ request }) => {
        allowAnyOrigin(request);
        picture ??= readPicture();
        return assetAnswer(request, await picture, 'public, max-age=86400');
      },
      coverOperation,
    )
    .options('/v1/public/cover.png', ({ request }) => preflightForAnyone(request));
}

function addressesOf(baseUrl: string, domain: string, language: string): Addresses {
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

async function readPicture(): Promise<Asset> {
  return { content: await Bun.file(cover).bytes(), type: 'image/png' };
}
