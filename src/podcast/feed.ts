import type { Queries } from '../database/open.ts';
import { renderXmlDocument, type Xml, xmlElement } from '../http/html.ts';
import { parseFeedSettings } from '../sites/feed-settings.ts';
import type { SiteWithDomains } from '../sites/store.ts';
import { version } from '../version.ts';
import { listOpenings, type PublishedPost } from './store.ts';

const maxExcerptLength = 300;

/**
 * @param sentences with which a text begins
 * @returns as many of them as fit; of a first one that is too long its beginning; null where there is none
 */
function buildExcerpt(sentences: readonly string[], most = maxExcerptLength): string | null {
  const [first = '', ...further] = sentences.map(toSingleLine).filter((sentence) => sentence !== '');
  if (first === '') return null;
  if (countCharacters(first) > most) return `${truncateAtWord(first, most)}…`;
  let excerpt = first;
  for (const sentence of further) {
    if (countCharacters(excerpt) + countCharacters(sentence) >= most) break;
    excerpt += ` ${sentence}`;
  }
  return excerpt;
}

/** Whole words, where there are any. */
function truncateAtWord(text: string, most: number): string {
  const cut = [...text].slice(0, most - 1).join('');
  return cut.replace(/(\S)\s+\S*$/, '$1');
}

function countCharacters(text: string): number {
  return [...text].length;
}

/** @returns text without breaks and characters that say nothing */
function toSingleLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** A feed as podcast apps and directories take it. */
export interface Podcast {
  /** Where it is found itself. */
  readonly feedUrl: string;
  readonly guid: string;
  readonly title: string;
  readonly description: string;
  readonly link: string;
  readonly language: string;
  readonly imageUrl: string;
  /** A subcategory stands behind ` > `. */
  readonly category: string;
  readonly explicit: boolean;
  readonly author: string;
  /** Empty: nobody is named as owner. */
  readonly email: string;
  /** Empty: nothing is said. */
  readonly copyright: string;
  /** ISO 8601; null while nothing was ever published. */
  readonly changedAt: string | null;
  /** The newest first. */
  readonly episodes: readonly Episode[];
}

/** A post that can be heard. */
interface Episode {
  /** Stays the same for good, however often the audio is made again. */
  readonly guid: string;
  readonly title: string;
  /** The page of the post. */
  readonly link: string | null;
  /** Plain text; null where the site's texts are not given away. */
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

/** @returns the feed as RSS 2.0 with the namespaces of Apple and of the Podcast Index */
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
      // Readers take it for HTML, and text that looks like markup with it.
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
        xmlElement('podcast:transcript', { url, type, language, rel: getRel(type) }),
      ),
    ]);
}

/** Only cues with times can be shown as captions by whatever plays it. */
function getRel(type: Transcript['type']): string | undefined {
  return type === 'text/vtt' ? 'captions' : undefined;
}

/** As RFC 822 has it, with a year of four digits. */
function formatRfc822(iso: string): string {
  return new Date(iso).toUTCString().replace('GMT', '+0000');
}

/** Enough for an excerpt. */
const maxOpeningSentences = 8;
/** A statement takes so many values at most. */
const openingBatchSize = 1_000;
/** Of the names of feeds without their scheme, as the Podcast Index has it. */
const podcastNamespace = 'ead4c236-bf58-58c6-a2c6-a6b28d128cb6';
/** Of the names of episodes. */
const episodeNamespace = '5f1c6d0e-2b51-4a0c-9f0e-5d7f0a8b3c44';

/** Where a feed and what belongs to it are found. */
export interface FeedUrls {
  readonly feed: string;
  /** Picture of sites that have set none. */
  readonly cover: string;
  /** Page of posts that name none; null: there is none. */
  readonly page: (post: PublishedPost) => string | null;
  readonly audio: (post: PublishedPost) => string;
  /** Undefined: there is none. */
  readonly vtt: (post: PublishedPost) => string | undefined;
  readonly transcript: (post: PublishedPost) => string | undefined;
}

/** Puts together what the feed of a site in a language says. */
export async function buildPodcast(
  db: Queries,
  site: SiteWithDomains,
  language: string,
  posts: readonly PublishedPost[],
  addresses: FeedUrls,
): Promise<Podcast> {
  const settings = parseFeedSettings(site.feed);
  const givesTexts = site.timings_text === 1;
  const openings = givesTexts ? await loadOpenings(db, posts) : new Map<number, string[]>();
  const moments = posts.flatMap(({ ready_at, published_at }) => [ready_at, published_at]);
  return {
    feedUrl: addresses.feed,
    guid: Bun.randomUUIDv5(stripScheme(addresses.feed), podcastNamespace),
    title: settings.title.trim() || site.name,
    description: settings.description.trim() || defaultDescription(site.name, language),
    link: settings.link || `https://${site.domains[0] ?? ''}/`,
    language,
    imageUrl: settings.image_url || addresses.cover,
    category: settings.category,
    explicit: settings.explicit,
    author: settings.author.trim() || site.name,
    email: settings.email,
    copyright: settings.copyright.trim(),
    changedAt: moments.sort().at(-1) ?? null,
    episodes: posts.map((post) => {
      const sentences = openings.get(post.version_id) ?? [];
      return {
        guid: computeEpisodeGuid(site, language, post.post_id),
        title: buildTitle(post, sentences),
        // Pages are handed in with spaces and quotes in their addresses, which no feed may have.
        link: URL.parse(post.url ?? '')?.href ?? addresses.page(post),
        excerpt: buildExcerpt(sentences),
        publishedAt: post.published_at,
        audioUrl: addresses.audio(post),
        byteCount: post.byte_count,
        durationMs: post.duration_ms,
        transcripts: givesTexts ? buildTranscripts(post, addresses) : [],
      };
    }),
  };
}

const maxTitleLength = 80;

function buildTitle({ title, post_id }: PublishedPost, [first = '']: readonly string[]): string {
  const named = toSingleLine(title ?? '');
  return named || (buildExcerpt([first], maxTitleLength) ?? post_id);
}

function buildTranscripts(post: PublishedPost, addresses: FeedUrls): Episode['transcripts'] {
  const vtt = addresses.vtt(post);
  const transcript = addresses.transcript(post);
  return [
    ...(vtt === undefined ? [] : [{ url: vtt, type: 'text/vtt' as const }]),
    ...(transcript === undefined ? [] : [{ url: transcript, type: 'application/json' as const }]),
  ];
}

/** The post's own name decides, not what was made of it: deleted and handed in again it is the same episode. */
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

function defaultDescription(siteName: string, language: string): string {
  const texts: Readonly<Record<string, string>> = {
    de: `Artikel von ${siteName}, vorgelesen.`,
    fr: `Les articles de ${siteName}, lus à voix haute.`,
    es: `Los artículos de ${siteName}, leídos en voz alta.`,
  };
  return texts[language] ?? `Articles by ${siteName}, read aloud.`;
}
