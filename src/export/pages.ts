import { htmlDocument, htmlText } from '../http/html.ts';
import type { Block } from './blocks.ts';
import { textsIn } from './texts.ts';

/** What every page of an export says of the site. */
export interface ExportedSite {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  /** Path of the feed; undefined where none is written. */
  readonly feed: string | undefined;
  readonly languageCount: number;
}

/** A post as its page shows it; paths begin at the folder. */
export interface ExportedPost {
  readonly title: string;
  readonly language: string;
  readonly link: string | null;
  readonly excerpt: string | null;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly durationMs: number;
  readonly page: string;
  readonly audio: string;
  readonly timings: string;
  /** Undefined where the site gives no texts away. */
  readonly vtt: string | undefined;
}

/** @returns name of a page of the list; the first one is where a visitor begins */
export function listPath(number: number): string {
  return number === 1 ? 'index.html' : `page-${number}.html`;
}

/**
 * @param number of the page, of so many
 * @returns a page of the list of posts
 */
export function listPage(
  site: ExportedSite,
  posts: readonly ExportedPost[],
  { number, of }: { readonly number: number; readonly of: number },
): string {
  const texts = textsIn(site.language);
  const feed =
    site.feed === undefined
      ? ''
      : `<p class="facts"><a href="${site.feed}">${texts.podcast}</a></p>`;
  const list = posts.map((post) => `<li>${entry(site, post)}</li>`).join('\n');
  const step = (to: number, text: string) =>
    to < 1 || to > of ? '<span></span>' : `<a href="${listPath(to)}">${text}</a>`;
  const steps =
    of === 1
      ? ''
      : `<nav aria-label="${texts.pages}">${step(number - 1, texts.newer)}${step(number + 1, texts.older)}</nav>`;
  return page({
    site,
    title: site.title,
    language: site.language,
    up: '',
    body: `<main>
<h1>${htmlText(site.title)}</h1>
<p class="about">${htmlText(site.description)}</p>
${posts.length === 0 ? `<p>${texts.nothing}</p>` : `<ul class="posts">\n${list}\n</ul>`}
${steps}${feed}
</main>`,
  });
}

/**
 * @param timings as they stand beside the MP3
 * @param blocks text of the article; none where the site gives no texts away
 */
export function postPage(
  site: ExportedSite,
  post: ExportedPost,
  timings: object,
  blocks: readonly Block[],
): string {
  const { title, language, link, vtt } = post;
  const texts = textsIn(language);
  const audio = `../${post.audio}`;
  const links = [
    ...(link === null ? [] : [`<a href="${htmlText(link)}">${texts.article}</a>`]),
    `<a href="${audio}" download>${texts.audio}</a>`,
    ...(vtt === undefined ? [] : [`<a href="../${vtt}" download>${texts.transcript}</a>`]),
  ];
  const article = blocks.length === 0 ? '' : `<article>\n${markup(blocks)}\n</article>`;
  return page({
    site,
    title: `${title} – ${site.title}`,
    language,
    up: '../',
    head: [
      '<script src="../from-folder.js" defer></script>',
      '<script src="../player.js" defer></script>',
    ],
    body: `<header><a href="../index.html">${htmlText(site.title)}</a></header>
<main>
<h1>${htmlText(title)}</h1>
<ul class="facts">${facts(site, post)}</ul>
<lectern-player audio-url="${audio}" segments-url="../${post.timings}" duration="${Math.round(post.durationMs / 1000)}" title="${htmlText(title)}" lang="${language}" events="off"><audio controls preload="none" src="${audio}"></audio></lectern-player>
<ul class="facts">${links.map((one) => `<li>${one}</li>`).join('')}</ul>
${article}
</main>
<script type="application/json" id="timings">${JSON.stringify(timings).replaceAll('<', '\\u003c')}</script>`,
  });
}

function entry(site: ExportedSite, post: ExportedPost): string {
  const { title, language, excerpt } = post;
  const lang = language === site.language ? '' : ` lang="${language}"`;
  return `<h2${lang}><a href="${post.page}">${htmlText(title)}</a></h2>
${excerpt === null ? '' : `<p${lang}>${htmlText(excerpt)}</p>`}
<ul class="facts">${facts(site, post)}</ul>`;
}

function facts(site: ExportedSite, post: ExportedPost): string {
  const { publishedAt, durationMs } = post;
  const day = new Intl.DateTimeFormat(site.language, { dateStyle: 'long', timeZone: 'UTC' });
  const names = new Intl.DisplayNames([site.language], { type: 'language' });
  return [
    `<time datetime="${htmlText(publishedAt)}">${day.format(new Date(publishedAt))}</time>`,
    clock(durationMs),
    ...(site.languageCount > 1 ? [htmlText(names.of(post.language) ?? post.language)] : []),
  ]
    .map((fact) => `<li>${fact}</li>`)
    .join('');
}

function markup(blocks: readonly Block[]): string {
  return blocks
    .map(({ kind, text }, index) => {
      const shown = htmlText(text);
      if (kind === 'heading') return `<h2>${shown}</h2>`;
      if (kind === 'quote') return `<blockquote>${shown}</blockquote>`;
      if (kind !== 'list') return `<p>${shown}</p>`;
      const isFirst = blocks[index - 1]?.kind !== 'list';
      const isLast = blocks[index + 1]?.kind !== 'list';
      return `${isFirst ? '<ul>' : ''}<li>${shown}</li>${isLast ? '</ul>' : ''}`;
    })
    .join('\n');
}

interface Page {
  readonly site: ExportedSite;
  readonly title: string;
  readonly language: string;
  /** Way from the page to the folder. */
  readonly up: string;
  readonly head?: readonly string[];
  readonly body: string;
}

function page({ site, title, language, up, head = [], body }: Page): string {
  const name = htmlText(site.title);
  const feed =
    site.feed === undefined
      ? []
      : [
          `<link rel="alternate" type="application/rss+xml" title="${name}" href="${up}${site.feed}">`,
        ];
  return htmlDocument({
    ...{ language, title, body },
    head: [
      `<meta property="og:site_name" content="${name}">`,
      `<link rel="stylesheet" href="${up}page.css">`,
      ...feed,
      ...head,
    ],
  });
}

/** `3:07`, `1:02:09` */
function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? part : String(part).padStart(2, '0'))).join(':');
}
