import { createHash } from 'node:crypto';
import {
  formatPodcastTranscript,
  formatWebVtt,
  openMp3,
  readTimings,
  requireServedVersion,
} from '../audio/media/segmented-mp3.ts';
import type { Sound } from '../audio/media/sound.ts';
import { readVersionTiming } from '../audio/media/store.ts';
import {
  findDefaultLanguage,
  isPublic,
  listPublishedPosts,
  maxEpisodes,
  type PublishedPost,
} from '../audio/posts/published-audio.ts';
import { mainFlag } from '../audio/store.ts';
import { browserBundle } from '../build/browser-bundles.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { readStyleFiles, stylePaths } from '../http/brand/brand.ts';
import cover from '../podcast/cover.png' with { type: 'file' };
import { buildPodcast, type Podcast, renderRss } from '../podcast/feed.ts';
import { parseFeedSettings } from '../sites/settings.ts';
import type { SiteWithDomains } from '../sites/store.ts';
import { type ExportFolder, type FileCounts, openExportFolder } from './folder.ts';
import pageScript from './from-folder.js' with { type: 'text' };
import pageStyle from './page.css' with { type: 'text' };
import {
  type ExportedPost,
  type ExportedSite,
  getListPath,
  groupIntoBlocks,
  type PlannedSentence,
  renderListPage,
  renderPostPage,
} from './pages.ts';

const maxStemLength = 40;
const hashLength = 10;

/** Paths of the files of a post in an exported folder. */
interface PostFiles {
  readonly page: string;
  readonly audio: string;
  readonly timings: string;
  readonly vtt: string;
  readonly transcript: string;
}

/**
 * Names that are valid and distinct on every file system, also a case-insensitive one: the ASCII letters and digits of
 * the `post_id`, and its hash.
 * @param mediaKey of the rendition: another MP3 gets another name, so that no cache returns the old one
 */
function buildFilePaths(postId: string, language: string, mediaKey: string): PostFiles {
  const name = `${toFileStem(postId)}.${language}`;
  const audio = `audio/${name}.${computeShortHash(mediaKey)}`;
  return {
    page: `posts/${name}.html`,
    audio: `${audio}.mp3`,
    timings: `${audio}.json`,
    vtt: `${audio}.vtt`,
    transcript: `${audio}.transcript.json`,
  };
}

function toFileStem(postId: string): string {
  const words =
    postId
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return [words.join('-').slice(0, maxStemLength), computeShortHash(postId)].filter(Boolean).join('-');
}

function computeShortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}

/** @returns languages in which a site has public posts with audio */
async function listPublishedLanguages(db: Queries, siteId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .innerJoin('version', 'version.id', 'audio.version_id')
    .select('audio.language')
    .distinct()
    .where('post.site_id', '=', siteId)
    .where((row) => isPublic(row, timestamp()))
    .where('audio.is_main', '=', mainFlag)
    .where('version.header', 'is not', null)
    .orderBy('audio.language')
    .execute();
  return rows.map(({ language }) => language);
}

/** @returns the sentences of the article in order */
function listSentences(db: Queries, versionId: number): Promise<PlannedSentence[]> {
  return db
    .selectFrom('planned_segment')
    .select(['kind', 'text', 'pause_ms'])
    .where('version_id', '=', versionId)
    .where('source_field', '=', 'content')
    .orderBy('position')
    .execute();
}

const postsPerPage = 100;

export interface ExportOptions {
  readonly folder: string;
  /** The files are for this user alone, else as the umask allows. */
  readonly isPrivate: boolean;
  /** Undefined: all. */
  readonly language?: string | undefined;
  /** Public address of the folder, without a trailing slash; undefined: no feed is written. */
  readonly baseUrl?: string | undefined;
  /** @param share 0…1 of the MP3s' bytes */
  readonly onProgress: (share: number, done: number, of: number) => void;
}

export interface ExportResult extends FileCounts {
  readonly posts: number;
  readonly languages: readonly string[];
  readonly feeds: readonly string[];
}

/** The posts of one language. */
interface Edition {
  readonly language: string;
  readonly feed: string | undefined;
  readonly posts: readonly (PublishedPost & { readonly files: PostFiles })[];
}

type EditionPost = Edition['posts'][number];

/**
 * Writes the public posts of a site into a folder, for a web server or a USB stick; works beside a running server. In a
 * folder of an earlier export, only changes are written, and only files of exports are replaced or deleted.
 * @throws AppError `operation_failed`
 */
export async function exportSite(
  db: Queries,
  sound: Sound,
  site: SiteWithDomains,
  options: ExportOptions,
): Promise<ExportResult> {
  const planned = await loadEditions(db, site, options);
  const folder = await openExportFolder(options.folder, site.slug, listPaths(planned), options.isPrivate);
  // The audio first: files that refer to it are written after it.
  const editions = await writeAllAudio(db, sound, folder, planned, options.onProgress);
  const podcasts = await Promise.all(
    editions.map((edition) => buildEditionPodcast(db, site, edition, options.baseUrl ?? '')),
  );
  const { script } = await browserBundle('wholePlayer');
  await folder.write('player.js', script);
  await folder.write('from-folder.js', pageScript);
  await folder.write('page.css', pageStyle);
  for (const [path, content] of await readStyleFiles()) await folder.write(path, content);
  await writePages(db, folder, site, editions, podcasts);
  const withFeed = editions.filter(({ feed }) => feed !== undefined);
  if (withFeed.length > 0) await folder.write('cover.png', await Bun.file(cover).bytes());
  for (const [index, { feed }] of editions.entries()) {
    const podcast = podcasts[index];
    if (feed === undefined || podcast === undefined) continue;
    const episodes = podcast.episodes.slice(0, maxEpisodes);
    await folder.write(feed, renderRss({ ...podcast, episodes }));
  }
  return {
    posts: editions.reduce((sum, { posts }) => sum + posts.length, 0),
    languages: editions.map(({ language }) => language),
    feeds: withFeed.flatMap(({ feed }) => feed ?? []),
    ...(await folder.finish()),
  };
}

async function loadEditions(
  db: Queries,
  site: SiteWithDomains,
  { language, baseUrl }: ExportOptions,
): Promise<Edition[]> {
  const first = language ?? (await findDefaultLanguage(db, site));
  const others = language === undefined ? await listPublishedLanguages(db, site.id) : [];
  const hasFeed = baseUrl !== undefined && parseFeedSettings(site.feed).enabled;
  const editions: Edition[] = [];
  for (const language of new Set([first, ...others])) {
    const posts = await listPublishedPosts(db, site.id, language);
    if (posts.length === 0 && others.length > 0) continue;
    editions.push({
      language,
      // The first language has the plain name, even without posts.
      feed: hasFeed ? (language === first ? 'feed.xml' : `feed-${language}.xml`) : undefined,
      posts: posts.map((post) => ({ ...post, files: buildFilePaths(post.post_id, language, post.media_key) })),
    });
  }
  return editions;
}

function listPaths(editions: readonly Edition[]): string[] {
  const posts = editions.flatMap((edition) => edition.posts);
  return [
    ...['player.js', 'from-folder.js', 'page.css', ...stylePaths],
    ...(editions.some(({ feed }) => feed !== undefined) ? ['cover.png'] : []),
    ...Array.from({ length: countPages(posts) }, (_, index) => getListPath(index + 1)),
    ...editions.flatMap(({ feed }) => feed ?? []),
    ...posts.flatMap(({ files }) => Object.values(files) as string[]),
  ];
}

function countPages(posts: readonly unknown[]): number {
  return Math.max(1, Math.ceil(posts.length / postsPerPage));
}

/** @returns the editions without posts that were deleted or replaced during the export */
async function writeAllAudio(
  db: Queries,
  sound: Sound,
  folder: ExportFolder,
  editions: readonly Edition[],
  onProgress: ExportOptions['onProgress'],
): Promise<Edition[]> {
  const all = editions.flatMap(({ posts }) => posts);
  const byteCount = all.reduce((sum, post) => sum + post.byte_count, 0);
  const written = new Set<EditionPost>();
  let bytes = 0;
  for (const [index, post] of all.entries()) {
    const onBytes = (count: number): void => {
      bytes += count;
      onProgress(bytes / Math.max(1, byteCount), index + 1, all.length);
    };
    if (await runUnlessDeleted(() => writeAudio(db, sound, folder, post, onBytes))) written.add(post);
  }
  return editions.map((edition) => ({ ...edition, posts: edition.posts.filter((post) => written.has(post)) }));
}

async function writeAudio(
  db: Queries,
  sound: Sound,
  folder: ExportFolder,
  { media_key, byte_count, files }: EditionPost,
  onBytes: (count: number) => void,
): Promise<void> {
  const mp3 = openMp3(await requireServedVersion(db, media_key));
  const parts = () => sound.read(mp3, 0, mp3.byteCount);
  await folder.writeStream(files.audio, byte_count, parts, onBytes);
}

/** @returns false for audio that a running server has deleted */
async function runUnlessDeleted(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AppError && /^media_/.test(error.code)) return false;
    throw error;
  }
}

function buildEditionPodcast(
  db: Queries,
  site: SiteWithDomains,
  { language, posts, feed = '' }: Edition,
  baseUrl: string,
): Promise<Podcast> {
  const files = new Map(posts.map((post) => [post.version_id, post.files]));
  const at = (kind: keyof PostFiles) => (post: PublishedPost) =>
    `${baseUrl}/${files.get(post.version_id)?.[kind] ?? ''}`;
  return buildPodcast(db, site, language, posts, {
    ...{ feed: `${baseUrl}/${feed}`, cover: `${baseUrl}/cover.png` },
    ...{ page: at('page'), audio: at('audio'), vtt: at('vtt'), transcript: at('transcript') },
  });
}

async function writePages(
  db: Queries,
  folder: ExportFolder,
  site: SiteWithDomains,
  editions: readonly Edition[],
  podcasts: readonly Podcast[],
): Promise<void> {
  const givesTexts = site.timings_text === 1;
  const [main] = podcasts;
  const about: ExportedSite = {
    title: main?.title ?? site.name,
    description: main?.description ?? '',
    language: editions[0]?.language ?? 'en',
    feed: editions[0]?.feed,
    languageCount: editions.length,
  };
  const exportedPosts: ExportedPost[] = [];
  for (const [index, { language, posts }] of editions.entries()) {
    for (const [place, { files, ...post }] of posts.entries()) {
      const episode = podcasts[index]?.episodes[place];
      if (episode === undefined) continue;
      const { title, excerpt, publishedAt, durationMs } = episode;
      const exported = {
        ...{ title, excerpt, publishedAt, durationMs, language, link: post.url },
        ...{ page: files.page, audio: files.audio, timings: files.timings },
        vtt: givesTexts ? files.vtt : undefined,
      };
      const isWritten = await runUnlessDeleted(() => writePost(db, folder, about, post, exported, files));
      if (isWritten) exportedPosts.push(exported);
    }
  }
  exportedPosts.sort((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1));
  const of = countPages(exportedPosts);
  for (let number = 1; number <= of; number += 1) {
    const posts = exportedPosts.slice((number - 1) * postsPerPage, number * postsPerPage);
    await folder.write(getListPath(number), renderListPage(about, posts, { number, of }));
  }
}

async function writePost(
  db: Queries,
  folder: ExportFolder,
  site: ExportedSite,
  { media_key, version_id }: PublishedPost,
  post: ExportedPost,
  files: PostFiles,
): Promise<void> {
  const timings = await readTimings(db, await requireServedVersion(db, media_key));
  await folder.write(files.timings, JSON.stringify(timings));
  const givesTexts = post.vtt !== undefined;
  if (givesTexts) {
    await folder.write(files.vtt, formatWebVtt(timings.segments));
    await folder.write(files.transcript, JSON.stringify(formatPodcastTranscript(timings.segments)));
  }
  const sentences = givesTexts ? await listSentences(db, version_id) : [];
  const { speed } = await readVersionTiming(db, version_id);
  const blocks = groupIntoBlocks(sentences, speed);
  await folder.write(files.page, renderPostPage(site, post, timings, blocks));
}
