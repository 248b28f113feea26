import type { Queries } from '../database/open.ts';
import { feedSettingsOf } from '../sites/feed-settings.ts';
import type { SiteWithDomains } from '../sites/store.ts';
import { excerptOf, inOneLine } from './excerpt.ts';
import type { Episode, Podcast } from './podcast.ts';
import { listOpenings, type PublishedPost } from './store.ts';

/** Enough for an excerpt. */
const openingSentences = 8;
/** A statement takes so many values at most. */
const openingsAtOnce = 1_000;
/** Of the names of feeds without their scheme, as the Podcast Index has it. */
const podcastNamespace = 'ead4c236-bf58-58c6-a2c6-a6b28d128cb6';
/** Of the names of episodes. */
const episodeNamespace = '5f1c6d0e-2b51-4a0c-9f0e-5d7f0a8b3c44';

/** Where a feed and what belongs to it are found. */
export interface Addresses {
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
export async function sitePodcast(
  db: Queries,
  site: SiteWithDomains,
  language: string,
  posts: readonly PublishedPost[],
  addresses: Addresses,
): Promise<Podcast> {
  const settings = feedSettingsOf(site.feed);
  const givesTexts = site.timings_text === 1;
  const openings = givesTexts ? await openingsOf(db, posts) : new Map<number, string[]>();
  const moments = posts.flatMap(({ ready_at, published_at }) => [ready_at, published_at]);
  return {
    address: addresses.feed,
    guid: Bun.randomUUIDv5(withoutScheme(addresses.feed), podcastNamespace),
    title: settings.title.trim() || site.name,
    description: settings.description.trim() || usualDescription(site.name, language),
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
        guid: episodeGuid(site, language, post.post_id),
        title: titleOf(post, sentences),
        // Pages are handed in with spaces and quotes in their addresses, which no feed may have.
        link: URL.parse(post.url ?? '')?.href ?? addresses.page(post),
        excerpt: excerptOf(sentences),
        publishedAt: post.published_at,
        audioUrl: addresses.audio(post),
        byteCount: post.byte_count,
        durationMs: post.duration_ms,
        transcripts: givesTexts ? transcriptsOf(post, addresses) : [],
      };
    }),
  };
}

const titleLengthMax = 80;

function titleOf({ title, post_id }: PublishedPost, [first = '']: readonly string[]): string {
  const named = inOneLine(title ?? '');
  return named || (excerptOf([first], titleLengthMax) ?? post_id);
}

function transcriptsOf(post: PublishedPost, addresses: Addresses): Episode['transcripts'] {
  const vtt = addresses.vtt(post);
  const transcript = addresses.transcript(post);
  return [
    ...(vtt === undefined ? [] : [{ url: vtt, type: 'text/vtt' as const }]),
    ...(transcript === undefined ? [] : [{ url: transcript, type: 'application/json' as const }]),
  ];
}

/** The post's own name decides, not what was made of it: deleted and handed in again it is the same episode. */
function episodeGuid({ id, created_at }: SiteWithDomains, language: string, postId: string) {
  const name = JSON.stringify([id, created_at, language, postId]);
  return `urn:uuid:${Bun.randomUUIDv5(name, episodeNamespace)}`;
}

function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/\/+$/, '');
}

async function openingsOf(
  db: Queries,
  posts: readonly PublishedPost[],
): Promise<Map<number, string[]>> {
  const openings = new Map<number, string[]>();
  for (let at = 0; at < posts.length; at += openingsAtOnce) {
    const ids = posts.slice(at, at + openingsAtOnce).map((post) => post.version_id);
    for (const { version_id, text } of await listOpenings(db, ids, openingSentences)) {
      openings.getOrInsertComputed(version_id, () => []).push(text);
    }
  }
  return openings;
}

function usualDescription(siteName: string, language: string): string {
  const texts: Readonly<Record<string, string>> = {
    de: `Artikel von ${siteName}, vorgelesen.`,
    fr: `Les articles de ${siteName}, lus à voix haute.`,
    es: `Los artículos de ${siteName}, leídos en voz alta.`,
  };
  return texts[language] ?? `Articles of ${siteName}, read aloud.`;
}
