import type { Site } from '../database/schema.ts';
import { renderBrandHead, renderStyleLinks } from '../http/brand/brand.ts';
import { escapeHtml, htmlResponse, renderHtmlDocument } from '../http/html.ts';
import { acceptsGzip, isNotModified } from '../http/static-assets.ts';
import { parseFeedSettings } from '../sites/settings.ts';
import { getTexts } from '../texts.ts';
import type { Podcast } from './feed.ts';
import type { CachedFeed } from './feed-cache.ts';

type Episode = Podcast['episodes'][number];

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
${list === '' ? `<p>${noPosts}</p>` : `<ol class="episodes" lang="${escapeHtml(language)}">\n${list}\n</ol>`}
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
