import { isEndOfBlock } from '../audio/media/segmented-mp3.ts';
import { escapeHtml, renderHtmlDocument } from '../http/html.ts';
import { formatDuration, type Podcast } from '../podcast/feed.ts';
import { getTexts } from '../texts.ts';

type Episode = Podcast['episodes'][number];

export interface PlannedSentence {
  readonly kind: string;
  readonly text: string;
  readonly pause_ms: number | null;
}

/** A paragraph, heading, quote or list item. */
export interface Block {
  readonly kind: string;
  readonly text: string;
}

/**
 * Restores the blocks that sentences came from.
 * @param speed of the speech
 */
export function groupIntoBlocks(sentences: readonly PlannedSentence[], speed: number): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const { kind, text, pause_ms } of sentences) {
    const last = blocks.at(-1);
    if (isOpen && last?.kind === kind) {
      blocks[blocks.length - 1] = { kind, text: `${last.text} ${text}` };
    } else blocks.push({ kind, text });
    isOpen = !isEndOfBlock(pause_ms, speed);
  }
  return blocks;
}

/** The site, as every exported page shows it. */
export interface ExportedSite {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  /** Path of the feed; undefined where none is written. */
  readonly feed: string | undefined;
  readonly languageCount: number;
}

/** A post as its page shows it; paths are relative to the folder. */
export interface ExportedPost extends Pick<Episode, 'title' | 'link' | 'excerpt' | 'publishedAt' | 'durationMs'> {
  readonly language: string;
  readonly page: string;
  readonly audio: string;
  readonly timings: string;
  /** Undefined if the site publishes no texts. */
  readonly vtt: string | undefined;
}

/** @returns the file of a page of the list */
export function getListPath(number: number): string {
  return number === 1 ? 'index.html' : `page-${number}.html`;
}

export function renderListPage(
  site: ExportedSite,
  posts: readonly ExportedPost[],
  { number, of }: { readonly number: number; readonly of: number },
): string {
  const texts = getTexts(site.language).texts.page;
  const feed = site.feed === undefined ? '' : `<p class="facts"><a href="${site.feed}">${texts.podcast}</a></p>`;
  const list = posts.map((post) => `<li>${renderEntry(site, post)}</li>`).join('\n');
  const step = (to: number, text: string) =>
    to < 1 || to > of ? '<span></span>' : `<a href="${getListPath(to)}">${text}</a>`;
  const steps =
    of === 1
      ? ''
      : `<nav aria-label="${texts.morePosts}">${step(number - 1, texts.newer)}${step(number + 1, texts.older)}</nav>`;
  return renderPage({
    site,
    title: site.title,
    language: site.language,
    rootPath: '',
    body: `<main>
<h1>${escapeHtml(site.title)}</h1>
<p class="about">${escapeHtml(site.description)}</p>
${posts.length === 0 ? `<p>${texts.noPosts}</p>` : `<ul class="posts">\n${list}\n</ul>`}
${steps}${feed}
</main>`,
  });
}

/**
 * @param timings content of the file beside the MP3
 * @param blocks text of the article; none if the site publishes no texts
 */
export function renderPostPage(
  site: ExportedSite,
  post: ExportedPost,
  timings: object,
  blocks: readonly Block[],
): string {
  const { title, language, link, vtt } = post;
  const { texts, language: textLanguage } = getTexts(language);
  const audio = `../${post.audio}`;
  const links = [
    ...(link === null ? [] : [`<a href="${escapeHtml(link)}">${texts.page.article}</a>`]),
    `<a href="${audio}" download>MP3</a>`,
    ...(vtt === undefined ? [] : [`<a href="../${vtt}" download>${texts.page.transcript}</a>`]),
  ];
  const playerTexts = textLanguage === 'en' ? '' : ` texts="${escapeHtml(JSON.stringify(texts.player))}"`;
  const article = blocks.length === 0 ? '' : `<article>\n${renderBlocks(blocks)}\n</article>`;
  return renderPage({
    site,
    title: `${title} – ${site.title}`,
    language,
    rootPath: '../',
    head: ['<script src="../from-folder.js" defer></script>', '<script src="../player.js" defer></script>'],
    body: `<header><a href="../index.html">${escapeHtml(site.title)}</a></header>
<main>
<h1>${escapeHtml(title)}</h1>
<ul class="facts">${renderFacts(site, post)}</ul>
<lectern-player audio-url="${audio}" segments-url="../${post.timings}" duration="${Math.round(post.durationMs / 1000)}" title="${escapeHtml(title)}" lang="${language}"${playerTexts} events="off"><audio controls preload="none" src="${audio}"></audio></lectern-player>
<ul class="facts">${links.map((link) => `<li>${link}</li>`).join('')}</ul>
${article}
</main>
<script type="application/json" id="timings">${JSON.stringify(timings).replaceAll('<', '\\u003c')}</script>`,
  });
}

function renderEntry(site: ExportedSite, post: ExportedPost): string {
  const { title, language, excerpt } = post;
  const lang = language === site.language ? '' : ` lang="${language}"`;
  return `<h2${lang}><a href="${post.page}">${escapeHtml(title)}</a></h2>
${excerpt === null ? '' : `<p${lang}>${escapeHtml(excerpt)}</p>`}
<ul class="facts">${renderFacts(site, post)}</ul>`;
}

function renderFacts(site: ExportedSite, post: ExportedPost): string {
  const { publishedAt, durationMs } = post;
  const day = new Intl.DateTimeFormat(site.language, { dateStyle: 'long', timeZone: 'UTC' });
  const names = new Intl.DisplayNames([site.language], { type: 'language' });
  return [
    `<time datetime="${escapeHtml(publishedAt)}">${day.format(new Date(publishedAt))}</time>`,
    formatDuration(durationMs),
    ...(site.languageCount > 1 ? [escapeHtml(names.of(post.language) ?? post.language)] : []),
  ]
    .map((fact) => `<li>${fact}</li>`)
    .join('');
}

function renderBlocks(blocks: readonly Block[]): string {
  return blocks
    .map(({ kind, text }, index) => {
      const escaped = escapeHtml(text);
      if (kind === 'heading') return `<h2>${escaped}</h2>`;
      if (kind === 'quote') return `<blockquote>${escaped}</blockquote>`;
      if (kind !== 'list') return `<p>${escaped}</p>`;
      const isFirst = blocks[index - 1]?.kind !== 'list';
      const isLast = blocks[index + 1]?.kind !== 'list';
      return `${isFirst ? '<ul>' : ''}<li>${escaped}</li>${isLast ? '</ul>' : ''}`;
    })
    .join('\n');
}

interface Page {
  readonly site: ExportedSite;
  readonly title: string;
  readonly language: string;
  /** Relative path from the page to the folder. */
  readonly rootPath: string;
  readonly head?: readonly string[];
  readonly body: string;
}

function renderPage({ site, title, language, rootPath: up, head = [], body }: Page): string {
  const name = escapeHtml(site.title);
  const feed =
    site.feed === undefined
      ? []
      : [`<link rel="alternate" type="application/rss+xml" title="${name}" href="${up}${site.feed}">`];
  return renderHtmlDocument({
    ...{ language, title, body },
    head: [
      `<meta property="og:site_name" content="${name}">`,
      `<link rel="stylesheet" href="${up}tokens.css">`,
      `<link rel="stylesheet" href="${up}page.css">`,
      ...feed,
      ...head,
    ],
  });
}
