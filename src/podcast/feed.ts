import { listOpenings, type PublishedPost } from '../audio/posts/published-audio.ts';
import type { Queries } from '../database/database.ts';
import type { Site } from '../database/schema.ts';
import { renderBrandHead, renderStyleLinks } from '../http/brand/brand.ts';
import { escapeHtml, htmlResponse, renderHtmlDocument, renderXmlDocument, type Xml, xmlElement } from '../http/html.ts';
import { acceptsGzip, isNotModified } from '../http/static-assets.ts';
import { parseFeedSettings } from '../sites/settings.ts';
import type { SiteWithDomains } from '../sites/store.ts';
import { getTexts } from '../texts.ts';
import { version } from '../version.ts';
import type { CachedFeed } from './feed-cache.ts';

const maxExcerptLength = 300;

/**
 * @param sentences the first sentences of a text
 * @returns as many of them as fit; the start of the first one if it is too long; null if there is none
 */
function buildExcerpt(sentences: readonly string[], maxLength = maxExcerptLength): string | null {
  const [first = '', ...further] = sentences.map(toSingleLine).filter((sentence) => sentence !== '');
  if (first === '') return null;
  if (countCharacters(first) > maxLength) return `${truncateAtWord(first, maxLength)}…`;
  let excerpt = first;
  for (const sentence of further) {
    if (countCharacters(excerpt) + countCharacters(sentence) >= maxLength) break;
    excerpt += ` ${sentence}`;
  }
  return excerpt;
}

/** Cuts between words if it can. */
function truncateAtWord(text: string, maxLength: number): string {
  const cut = [...text].slice(0, maxLength - 1).join('');
  return cut.replace(/(\S)\s+\S*$/, '$1');
}

function countCharacters(text: string): number {
  return [...text].length;
}

/** @returns text without line breaks and control characters */
function toSingleLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

export interface Podcast {
  readonly feedUrl: string;
  readonly guid: string;
  readonly title: string;
  readonly description: string;
  readonly link: string;
  readonly language: string;
  readonly imageUrl: string;
  /** `Category` or `Category > Subcategory`. */
  readonly category: string;
  readonly explicit: boolean;
  readonly author: string;
  /** Empty: no owner element. */
  readonly email: string;
  /** Empty: no copyright element. */
  readonly copyright: string;
  /** ISO 8601; null if nothing was published yet. */
  readonly changedAt: string | null;
  /** Newest first. */
  readonly episodes: readonly Episode[];
}

interface Episode {
  /** Never changes, even when the audio is regenerated. */
  readonly guid: string;
  readonly title: string;
  readonly link: string | null;
  /** Plain text; null if the site disables `timings_text`. */
  readonly excerpt: string | null;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly audioUrl: string;
  readonly byteCount: number;
  readonly durationMs: number;
  readonly transcripts: readonly Transcript[];
}

interface Transcript {
  readonly url: string;
  readonly type: 'text/vtt' | 'application/json';
}

/** @returns RSS 2.0 with the namespaces of Apple and of the Podcast Index */
export function renderRss(podcast: Podcast): string {
  const root = xmlElement(
    'rss',
    {
      version: '2.0',
      'xmlns:atom': 'http://www.w3.org/2005/Atom',
      'xmlns:itunes': 'http://www.itunes.com/dtds/podcast-1.0.dtd',
      'xmlns:podcast': 'https://podcastindex.org/namespace/1.0',
    },
    [xmlElement('channel', {}, [...buildChannel(podcast), ...podcast.episodes.map(createItemBuilder(podcast))])],
  );
  return renderXmlDocument(root);
}

function buildChannel(podcast: Podcast): (Xml | undefined)[] {
  const { title, author, email, copyright, imageUrl, link, changedAt } = podcast;
  return [
    xmlElement('atom:link', { href: podcast.feedUrl, rel: 'self', type: 'application/rss+xml' }),
    xmlElement('title', {}, title),
    xmlElement('link', {}, link),
    xmlElement('description', {}, podcast.description),
    xmlElement('language', {}, podcast.language),
    copyright === '' ? undefined : xmlElement('copyright', {}, copyright),
    xmlElement('generator', {}, `Lectern ${version}`),
    changedAt === null ? undefined : xmlElement('lastBuildDate', {}, formatRfc822(changedAt)),
    xmlElement('image', {}, [
      xmlElement('url', {}, imageUrl),
      xmlElement('title', {}, title),
      xmlElement('link', {}, link),
    ]),
    xmlElement('itunes:image', { href: imageUrl }),
    buildCategory(podcast.category),
    xmlElement('itunes:explicit', {}, String(podcast.explicit)),
    xmlElement('itunes:author', {}, author),
    xmlElement('itunes:type', {}, 'episodic'),
    email === ''
      ? undefined
      : xmlElement('itunes:owner', {}, [xmlElement('itunes:name', {}, author), xmlElement('itunes:email', {}, email)]),
    xmlElement('podcast:guid', {}, podcast.guid),
    xmlElement('podcast:medium', {}, 'podcast'),
  ];
}

function buildCategory(category: string): Xml {
  const [text = '', sub] = category.split(' > ');
  const below = sub === undefined ? [] : [xmlElement('itunes:category', { text: sub })];
  return xmlElement('itunes:category', { text }, below);
}

function createItemBuilder({ language, explicit }: Podcast): (episode: Episode) => Xml {
  return ({ guid, title, link, excerpt, publishedAt, ...audio }) =>
    xmlElement('item', {}, [
      xmlElement('title', {}, title),
      link === null ? undefined : xmlElement('link', {}, link),
      // Readers parse it as HTML.
      excerpt === null ? undefined : xmlElement('description', {}, `<p>${Bun.escapeHTML(excerpt)}</p>`),
      xmlElement('guid', { isPermaLink: 'false' }, guid),
      xmlElement('pubDate', {}, formatRfc822(publishedAt)),
      xmlElement('enclosure', {
        url: audio.audioUrl,
        length: String(audio.byteCount),
        type: 'audio/mpeg',
      }),
      xmlElement('itunes:duration', {}, String(Math.round(audio.durationMs / 1000))),
      xmlElement('itunes:explicit', {}, String(explicit)),
      ...audio.transcripts.map(({ url, type }) =>
        // Only cues with times can be shown as captions by every app.
        xmlElement('podcast:transcript', { url, type, language, rel: type === 'text/vtt' ? 'captions' : undefined }),
      ),
    ]);
}

/** RFC 822 with a year of four digits. */
function formatRfc822(iso: string): string {
  return new Date(iso).toUTCString().replace('GMT', '+0000');
}

/** Enough for an excerpt. */
const maxOpeningSentences = 8;
const openingBatchSize = 1_000;
/** Of feed URLs without scheme, as defined by the Podcast Index. */
const podcastNamespace = 'ead4c236-bf58-58c6-a2c6-a6b28d128cb6';
/** Of episode GUIDs. */
const episodeNamespace = '5f1c6d0e-2b51-4a0c-9f0e-5d7f0a8b3c44';

export interface FeedUrls {
  readonly feed: string;
  /** Cover image of sites without one. */
  readonly cover: string;
  /** Page of a post without a URL. */
  readonly page: (post: PublishedPost) => string | null;
  readonly audio: (post: PublishedPost) => string;
  readonly vtt: (post: PublishedPost) => string | undefined;
  readonly transcript: (post: PublishedPost) => string | undefined;
}

export async function buildPodcast(
  db: Queries,
  site: SiteWithDomains,
  language: string,
  posts: readonly PublishedPost[],
  urls: FeedUrls,
): Promise<Podcast> {
  const settings = parseFeedSettings(site.feed);
  const hasTexts = site.timings_text === 1;
  const openings = hasTexts ? await loadOpenings(db, posts) : new Map<number, string[]>();
  const timestamps = posts.flatMap(({ ready_at, published_at }) => [ready_at, published_at]);
  return {
    feedUrl: urls.feed,
    guid: Bun.randomUUIDv5(stripScheme(urls.feed), podcastNamespace),
    title: settings.title.trim() || site.name,
    description:
      settings.description.trim() || getTexts(language).texts.podcastDescription.replace('{}', () => site.name),
    link: settings.link || `https://${site.domains[0] ?? ''}/`,
    language,
    imageUrl: settings.image_url || urls.cover,
    category: settings.category,
    explicit: settings.explicit,
    author: settings.author.trim() || site.name,
    email: settings.email,
    copyright: settings.copyright.trim(),
    changedAt: timestamps.sort().at(-1) ?? null,
    episodes: posts.map((post) => {
      const sentences = openings.get(post.version_id) ?? [];
      return {
        guid: computeEpisodeGuid(site, language, post.post_id),
        title: buildTitle(post, sentences),
        // Submitted URLs may contain spaces and quotes, which a feed must not have.
        link: URL.parse(post.url ?? '')?.href ?? urls.page(post),
        excerpt: buildExcerpt(sentences),
        publishedAt: post.published_at,
        audioUrl: urls.audio(post),
        byteCount: post.byte_count,
        durationMs: post.duration_ms,
        transcripts: hasTexts ? buildTranscripts(post, urls) : [],
      };
    }),
  };
}

const maxTitleLength = 80;

function buildTitle({ title, post_id }: PublishedPost, [first = '']: readonly string[]): string {
  const named = toSingleLine(title ?? '');
  return named || (buildExcerpt([first], maxTitleLength) ?? post_id);
}

function buildTranscripts(post: PublishedPost, urls: FeedUrls): Episode['transcripts'] {
  const vtt = urls.vtt(post);
  const transcript = urls.transcript(post);
  return [
    ...(vtt === undefined ? [] : [{ url: vtt, type: 'text/vtt' as const }]),
    ...(transcript === undefined ? [] : [{ url: transcript, type: 'application/json' as const }]),
  ];
}

/** Depends only on the post id: a post that is deleted and submitted again is the same episode. */
function computeEpisodeGuid({ id, created_at }: SiteWithDomains, language: string, postId: string) {
  const name = JSON.stringify([id, created_at, language, postId]);
  return `urn:uuid:${Bun.randomUUIDv5(name, episodeNamespace)}`;
}

function stripScheme(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/\/+$/, '');
}

async function loadOpenings(db: Queries, posts: readonly PublishedPost[]): Promise<Map<number, string[]>> {
  const openings = new Map<number, string[]>();
  for (let at = 0; at < posts.length; at += openingBatchSize) {
    const ids = posts.slice(at, at + openingBatchSize).map((post) => post.version_id);
    for (const { version_id, text } of await listOpenings(db, ids, maxOpeningSentences)) {
      openings.getOrInsertComputed(version_id, () => []).push(text);
    }
  }
  return openings;
}

/** The page of the feed: description, address and episodes, which play without scripts, too. */
export function renderFeedPage(podcast: Podcast, basePath: string): string {
  const { title, description, language, feedUrl, imageUrl, link, episodes } = podcast;
  const { texts, language: textLanguage } = getTexts(language);
  const { podcast: name, subscribe, copyAddress, noPosts } = texts.page;
  const list = episodes.map((episode) => renderEpisode(episode, podcast)).join('\n');
  return renderHtmlDocument({
    language: textLanguage,
    title: `${title} · ${name}`,
    head: [
      `<link rel="alternate" type="application/rss+xml" title="${escapeHtml(title)}" href="${escapeHtml(feedUrl)}">`,
      ...renderBrandHead(basePath),
      ...renderStyleLinks(basePath),
      `<link rel="stylesheet" href="${basePath}/v1/public/feed.css">`,
      `<script src="${basePath}/v1/public/feed.js" defer></script>`,
    ],
    body: `<main class="feed">
<header><img class="cover" src="${escapeHtml(imageUrl)}" alt="" width="160" height="160">
<div><p class="quiet">${name}</p>
<h1 lang="${escapeHtml(language)}">${escapeHtml(title)}</h1>
<p lang="${escapeHtml(language)}">${escapeHtml(description)}</p>
<p><a href="${escapeHtml(link)}">${escapeHtml(URL.parse(link)?.host ?? link)}</a></p></div></header>
<section class="subscribe"><label for="address">${subscribe}</label>
<div><input id="address" readonly value="${escapeHtml(feedUrl)}"><button type="button" class="button main copy" hidden>${copyAddress}</button></div></section>
${list === '' ? `<p>${noPosts}</p>` : `<ol class="episodes" role="list" lang="${escapeHtml(language)}">\n${list}\n</ol>`}
</main>`,
  });
}

function renderEpisode(
  { title, link, excerpt, publishedAt, durationMs, audioUrl }: Episode,
  { language }: Podcast,
): string {
  const { player } = getTexts(language).texts;
  const heading = escapeHtml(title);
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(publishedAt));
  return `<li><button type="button" class="play" aria-label="${player.play}: ${heading}" hidden></button>
<div><h2>${link === null ? heading : `<a href="${escapeHtml(link)}">${heading}</a>`}</h2>
<p class="quiet"><time datetime="${escapeHtml(publishedAt)}">${day}</time> · ${formatDuration(durationMs)}</p>
${excerpt === null ? '' : `<p>${escapeHtml(excerpt)}</p>`}
<audio controls preload="none" src="${escapeHtml(audioUrl)}" aria-label="${heading}"></audio></div></li>`;
}

/**
 * Private, so that a shared cache never serves the page to a podcast app.
 * @param feed a page of `renderFeedPage`
 */
export function feedPageResponse(
  request: Request,
  feed: CachedFeed,
  site: Pick<Site, 'feed'>,
  baseUrl: string,
): Response {
  const serverSource = `'self' ${new URL(baseUrl).origin}`;
  const imageOrigin = URL.parse(parseFeedSettings(site.feed).image_url)?.origin ?? '';
  const { headers } = htmlResponse('', {
    'media-src': serverSource,
    'img-src': `${serverSource} data: ${imageOrigin}`.trim(),
  });
  headers.set('cache-control', 'private, no-cache');
  headers.set('vary', 'Accept, Sec-Fetch-Dest, Accept-Encoding');
  headers.set('etag', feed.etag);
  if (isNotModified(request, feed.etag)) return new Response(null, { status: 304, headers });
  if (!acceptsGzip(request)) return new Response(feed.bytes, { headers });
  headers.set('content-encoding', 'gzip');
  return new Response(feed.gzip(), { headers });
}

/** `3:07`, `1:02:09` */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shownParts = parts[0] === 0 ? parts.slice(1) : parts;
  return shownParts.map((part, index) => (index === 0 ? part : String(part).padStart(2, '0'))).join(':');
}
