import type { PublicAudio, Timings } from '../../audio/schema.ts';
import { renderBrandHead, renderMessagePage } from '../../http/brand/brand.ts';
import { escapeHtml, renderHtmlDocument } from '../../http/html.ts';
import { getTexts } from '../../texts.ts';

const path = '/v1/public/embed';

/**
 * @param named the selection of the request
 * @param audio the selected audio
 * @returns the URL of the embed page of an audio
 */
export function buildEmbedUrl(
  baseUrl: string,
  named: { readonly domain: string; readonly voice_id?: number; readonly theme?: 'light' | 'dark' },
  audio: { readonly post_id: string; readonly language: string },
): string {
  const { domain, voice_id, theme } = named;
  const query = new URLSearchParams({ domain, post_id: audio.post_id, lang: audio.language });
  if (voice_id !== undefined) query.set('voice_id', String(voice_id));
  if (theme !== undefined) query.set('theme', theme);
  return `${baseUrl}${path}?${query}`;
}

/** @returns the oEmbed URL of a page */
function buildOembedUrl(baseUrl: string, url: string, format: 'json' | 'xml'): string {
  return `${baseUrl}/v1/public/oembed?${new URLSearchParams({ url, format })}`;
}

/** Whether a URL is one of `buildEmbedUrl`. */
export function isEmbedUrl(baseUrl: string, address: URL): boolean {
  const pageUrl = new URL(baseUrl + path);
  return address.host === pageUrl.host && address.pathname === pageUrl.pathname;
}

/** Reload interval of a page without JavaScript, in seconds. */
const refreshS = 5;

type TimedText = Pick<Timings['segments'][number], 'text' | 'kind' | 'ends_block'>;

/** Content of an embed page. */
export interface EmbedPageData {
  readonly audio: PublicAudio;
  readonly domain: string;
  readonly siteName: string;
  /** Empty if the site publishes no text, or while there is none. */
  readonly segments: readonly TimedText[];
  readonly theme: 'light' | 'dark' | undefined;
  /** Absolute URL of the embed page. */
  readonly pageUrl: string;
  readonly baseUrl: string;
  /** Path part of `baseUrl`. */
  readonly basePath: string;
}

/**
 * A page that plays a post with the player, or with `<audio>` if scripts are disabled. All texts of the post are escaped.
 */
export function renderEmbedPage(shown: EmbedPageData): string {
  const { audio, pageUrl: address, baseUrl, basePath, theme } = shown;
  const { texts, language } = getTexts(audio.language);
  const title = audio.title ?? texts.player.listen;
  const discovery = (['json', 'xml'] as const).map((format) => {
    const type = format === 'json' ? 'application/json+oembed' : 'text/xml+oembed';
    return `<link rel="alternate" type="${type}" href="${escapeHtml(buildOembedUrl(baseUrl, address, format))}" title="${escapeHtml(title)}">`;
  });
  const head = [
    ...discovery,
    `<meta property="og:site_name" content="${escapeHtml(shown.siteName)}">`,
    ...(audio.url === null ? [] : [`<link rel="canonical" href="${escapeHtml(audio.url)}">`]),
    `<script async src="${basePath}/v1/public/player.js"></script>`,
    ...(getPlayable(audio) === null ? [`<noscript><meta http-equiv="refresh" content="${refreshS}"></noscript>`] : []),
  ];
  return renderPage({ language, basePath, theme, title, head, body: renderBody(shown, title) });
}

/** A page with a short message instead of audio. */
export function renderEmptyPage(
  kind: 'nothing' | 'unavailable',
  named: { language: string | undefined; theme: EmbedPageData['theme']; basePath: string },
): string {
  const { theme, basePath } = named;
  const { texts, language } = getTexts(named.language);
  return renderMessagePage({ language, basePath, theme, title: texts.page[kind], isFramed: true });
}

function renderBody({ audio, domain, siteName, segments, theme }: EmbedPageData, title: string): string {
  const { texts, language } = getTexts(audio.language);
  const playable = getPlayable(audio);
  const spoken = audio.language === language ? '' : ` lang="${escapeHtml(audio.language)}"`;
  const heading = `<h1${spoken}>${escapeHtml(title)}</h1>`;
  const plain =
    playable === null
      ? `<p class="plain state" role="status">${escapeHtml(texts.page.generating)} (${audio.progress_percent} %)</p>`
      : `<audio class="plain" controls preload="none" src="${escapeHtml(playable.audio_url)}" aria-label="${escapeHtml(title)}"></audio>`;
  const article =
    audio.url === null
      ? ''
      : `<a href="${escapeHtml(audio.url)}" target="_blank" rel="noopener">${escapeHtml(texts.page.article)}</a>`;
  const download =
    playable === null
      ? ''
      : `<a class="plain" href="${escapeHtml(playable.audio_url)}" download>${escapeHtml(texts.player.download)}</a>`;
  const attributes = Object.entries({
    ...{ 'post-id': audio.post_id, domain, language: audio.language, lang: language, title },
    ...{
      download: '',
      transcript: 'off',
      article: '.text',
      settings: JSON.stringify({ ...audio.player, layout: 'compact' }),
    },
    ...(language === 'en' ? {} : { texts: JSON.stringify(texts.player) }),
    ...(theme === undefined ? {} : { theme }),
    // Without other voices the player needs no API request: all readers of a site share its rate limit.
    ...(audio.status !== 'ready' || playable === null || audio.variants.length > 0
      ? {}
      : {
          'audio-url': playable.audio_url,
          'segments-url': playable.segments_url,
          duration: String(playable.duration_seconds),
          voice: audio.voice.name,
        }),
  }).map(([name, value]) => `${name}="${escapeHtml(value)}"`);
  return `<p class="paper">${escapeHtml(siteName)}</p>
${heading}
${plain}
<lectern-player ${attributes.join(' ')}></lectern-player>
<article class="text"${spoken}>${renderText(segments)}</article>
<p class="about"><span>${escapeHtml(siteName)}</span> ${[article, download].filter((link) => link !== '').join(' ')}</p>`;
}

/** @returns the text without its title, which is the heading of the page */
function renderText(segments: readonly TimedText[]): string {
  const blocks: TimedText[][] = [[]];
  for (const segment of segments) {
    blocks.at(-1)?.push(segment);
    if (segment.ends_block) blocks.push([]);
  }
  return blocks
    .filter(([first]) => first?.text !== undefined && first.kind !== 'title')
    .map((block) => {
      const tag = block[0]?.kind === 'heading' ? 'h2' : 'p';
      return `<${tag}>${escapeHtml(block.map(({ text }) => text).join(' '))}</${tag}>`;
    })
    .join('\n');
}

interface Playable {
  readonly audio_url: string;
  readonly duration_seconds: number;
  readonly segments_url: string;
}

/** @returns the version to play, the previous one while a new one is generated; null if there is none */
export function getPlayable({ audio_url, duration_seconds, segments_url, last_ready }: PublicAudio): Playable | null {
  return audio_url === null || duration_seconds === null || segments_url === null
    ? last_ready
    : { audio_url, duration_seconds, segments_url };
}

interface Page {
  readonly language: string;
  readonly basePath: string;
  readonly theme: EmbedPageData['theme'];
  readonly title: string;
  readonly head: readonly string[];
  readonly body: string;
}

function renderPage({ language, basePath, theme, title, head, body }: Page): string {
  return renderHtmlDocument({
    ...{ language, title, theme },
    head: [
      '<meta name="robots" content="noindex">',
      ...renderBrandHead(basePath),
      ...['/assets/tokens.css', '/v1/public/embed.css'].map(
        (path) => `<link rel="stylesheet" href="${basePath}${path}">`,
      ),
      ...head,
    ],
    body: `<main>\n${body}\n</main>`,
  });
}
