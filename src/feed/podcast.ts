import { element, type Xml, xmlDocument } from '../http/xml.ts';
import { version } from '../version.ts';

/** A feed as podcast apps and directories take it. */
export interface Podcast {
  /** Where it is found itself. */
  readonly address: string;
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
export interface Episode {
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
export function rssOf(podcast: Podcast): string {
  const root = element(
    'rss',
    {
      version: '2.0',
      'xmlns:atom': 'http://www.w3.org/2005/Atom',
      'xmlns:itunes': 'http://www.itunes.com/dtds/podcast-1.0.dtd',
      'xmlns:podcast': 'https://podcastindex.org/namespace/1.0',
    },
    [element('channel', {}, [...channel(podcast), ...podcast.episodes.map(itemOf(podcast))])],
  );
  return xmlDocument(root);
}

function channel(podcast: Podcast): (Xml | undefined)[] {
  const { title, author, email, copyright, imageUrl, link, changedAt } = podcast;
  return [
    element('atom:link', { href: podcast.address, rel: 'self', type: 'application/rss+xml' }),
    element('title', {}, title),
    element('link', {}, link),
    element('description', {}, podcast.description),
    element('language', {}, podcast.language),
    copyright === '' ? undefined : element('copyright', {}, copyright),
    element('generator', {}, `Lectern ${version}`),
    changedAt === null ? undefined : element('lastBuildDate', {}, rfc822(changedAt)),
    element('image', {}, [
      element('url', {}, imageUrl),
      element('title', {}, title),
      element('link', {}, link),
    ]),
    element('itunes:image', { href: imageUrl }),
    categoryOf(podcast.category),
    element('itunes:explicit', {}, String(podcast.explicit)),
    element('itunes:author', {}, author),
    element('itunes:type', {}, 'episodic'),
    email === ''
      ? undefined
      : element('itunes:owner', {}, [
          element('itunes:name', {}, author),
          element('itunes:email', {}, email),
        ]),
    element('podcast:guid', {}, podcast.guid),
    element('podcast:medium', {}, 'podcast'),
  ];
}

function categoryOf(category: string): Xml {
  const [text = '', sub] = category.split(' > ');
  const below = sub === undefined ? [] : [element('itunes:category', { text: sub })];
  return element('itunes:category', { text }, below);
}

function itemOf({ language, explicit }: Podcast): (episode: Episode) => Xml {
  return ({ guid, title, link, excerpt, publishedAt, ...audio }) =>
    element('item', {}, [
      element('title', {}, title),
      link === null ? undefined : element('link', {}, link),
      // Readers take it for HTML, and text that looks like markup with it.
      excerpt === null
        ? undefined
        : element('description', {}, `<p>${Bun.escapeHTML(excerpt)}</p>`),
      element('guid', { isPermaLink: 'false' }, guid),
      element('pubDate', {}, rfc822(publishedAt)),
      element('enclosure', {
        url: audio.audioUrl,
        length: String(audio.byteCount),
        type: 'audio/mpeg',
      }),
      element('itunes:duration', {}, String(Math.round(audio.durationMs / 1000))),
      element('itunes:explicit', {}, String(explicit)),
      ...audio.transcripts.map(({ url, type }) =>
        element('podcast:transcript', { url, type, language, rel: relOf(type) }),
      ),
    ]);
}

/** Only cues with times can be shown as captions by whatever plays it. */
function relOf(type: Transcript['type']): string | undefined {
  return type === 'text/vtt' ? 'captions' : undefined;
}

/** As RFC 822 has it, with a year of four digits. */
function rfc822(iso: string): string {
  return new Date(iso).toUTCString().replace('GMT', '+0000');
}
