import { type ExpressionBuilder, type NotNull, sql } from 'kysely';
import { findPublicSubscriptionError } from '../../auth/domain-access.ts';
import { timestamp } from '../../clock.ts';
import type { Queries } from '../../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../../database/query-cache.ts';
import type { Post, Site, Tables } from '../../database/schema.ts';
import { AppError, invalid } from '../../errors.ts';
import { parsePlayerSettings } from '../../sites/player-settings.ts';
import { type PublicAudio, type PublicAudioQuery, toTitleFields, toUrlFields } from '../schema.ts';
import { type AudioSummary, canonicalizeUrl, mainFlag, mediaUrl, selectAudioSummary, toAudioRecord } from '../store.ts';

/** An audio with its other languages and voices. */
export async function buildPublicAudio(
  db: Queries,
  site: Pick<Site, 'allow_switch' | 'player'>,
  audio: PublicAudioSummary,
  baseUrl: string,
): Promise<PublicAudio> {
  const variants = await findVariants(db, audio, site.allow_switch === 0);
  return {
    ...toAudioRecord(audio, baseUrl),
    ...toTitleFields(audio.title),
    ...toUrlFields(audio.url),
    voice: toVoiceRecord(audio),
    ...(await buildPlayback(db, audio, baseUrl)),
    variants: variants.flatMap((variant) => {
      const playable = toPlayable(baseUrl, variant);
      return playable === null ? [] : [{ language: variant.language, voice: toVoiceRecord(variant), ...playable }];
    }),
    player: parsePlayerSettings(site.player),
  };
}

function toPlayable(baseUrl: string, { media_key, duration_ms }: Pick<AudioSummary, 'media_key' | 'duration_ms'>) {
  if (media_key === null || duration_ms === null) return null;
  return {
    audio_url: mediaUrl(baseUrl, media_key, 'mp3'),
    duration_seconds: Math.round(duration_ms / 1000),
    segments_url: mediaUrl(baseUrl, media_key, 'json'),
  };
}

/** The timings of an audio that is ready; else the version that is served until then. */
export async function buildPlayback(db: Queries, audio: AudioSummary, baseUrl: string) {
  const playable = audio.status === 'ready' ? toPlayable(baseUrl, audio) : null;
  if (playable !== null) return { segments_url: playable.segments_url, last_ready: null };
  const lastReady = await findLastReady(db, audio.id);
  return { segments_url: null, last_ready: lastReady === undefined ? null : toPlayable(baseUrl, lastReady) };
}

export function toVoiceRecord({
  voice_id,
  voice_name,
  voice_language,
}: Pick<PublicAudioSummary, 'voice_id' | 'voice_name' | 'voice_language'>) {
  return { id: voice_id, name: voice_name, language: voice_language };
}

/** An audio with the details that a player shows. */
export type PublicAudioSummary = NonNullable<Awaited<ReturnType<typeof findPublicAudio>>>;

/** `now`: ISO 8601. */
type PublicPost = { siteId: number; postId: string; language: string; now: string };

const queryPublicSummary = prepareQuery((db, value: PlaceholderFor<PublicPost>) =>
  selectAudioSummary(db)
    .where('post.site_id', '=', value('siteId'))
    .where('post.external_id', '=', value('postId'))
    .where('audio.language', '=', value('language'))
    .where('audio.is_main', '=', mainFlag)
    .where((row) => isPublic(row, value('now'))),
);

/** @returns the main record of a post in a language; undefined while the post isn't public */
export async function findPublicStatus(
  db: Queries,
  siteId: number,
  postId: string,
  language: string,
): Promise<AudioSummary | undefined> {
  const now = timestamp();
  const [found] = await queryPublicSummary(db, { siteId, postId, language, now });
  return found;
}

/** What decides who may hear the audio of a post. */
type Audibility = Pick<Post, 'visibility' | 'publish_at'> &
  Pick<Site, 'active' | 'subscription' | 'trial_ends_at' | 'deleted_at'>;

export const audibilityColumns = [
  'post.visibility',
  'post.publish_at',
  'site.active',
  'site.subscription',
  'site.trial_ends_at',
  'site.deleted_at',
] as const;

/** @returns why the audio of a post may not be heard by everyone now; undefined if it may */
export function findPublicAccessError(post: Audibility): AppError | undefined {
  if (post.deleted_at !== null) return new AppError('media_gone');
  if (post.active === 0) return new AppError('public_site_inactive');
  const hidden = isPublicPost(post) ? undefined : new AppError('media_not_found');
  return findPublicSubscriptionError(post) ?? hidden;
}

/** Whether everyone may still hear an audio. */
export async function isStillPublic(db: Queries, audioId: number): Promise<boolean> {
  const [post] = await queryAudibility(db, { audioId });
  return post !== undefined && findPublicAccessError(post) === undefined;
}

const queryAudibility = prepareQuery((db, value: PlaceholderFor<{ audioId: number }>) =>
  db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(audibilityColumns)
    .where('audio.id', '=', value('audioId')),
);

export interface AudioSelector {
  readonly siteId: number;
  readonly post: { readonly postId: string } | { readonly canonicalUrl: string };
  /** Null if the query has only a voice. */
  readonly language: string | null;
  /** Null: the main voice. */
  readonly voiceId: number | null;
  /** Excludes extra voices: the site does not allow to switch. */
  readonly mainOnly: boolean;
}

/** @throws AppError `validation_failed` */
export function parsePostSelector({
  post_id: postId,
  url,
}: Pick<PublicAudioQuery, 'post_id' | 'url'>): AudioSelector['post'] {
  if (postId !== undefined) return { postId };
  if (url === undefined) throw invalid('post_id', 'is required unless url is given');
  const canonicalUrl = canonicalizeUrl(url);
  if (canonicalUrl === null) throw invalid('url', 'must be an http(s) URL');
  return { canonicalUrl };
}

/** @returns the audio of the newest matching post that is public */
export function findPublicAudio(db: Queries, selector: AudioSelector) {
  const { siteId, post, language, voiceId, mainOnly } = selector;
  return selectPlayerAudio(db)
    .where('post.site_id', '=', siteId)
    .where((row) =>
      'canonicalUrl' in post
        ? row('post.canonical_url', '=', post.canonicalUrl)
        : row('post.external_id', '=', post.postId),
    )
    .where((row) => isPublic(row, timestamp()))
    .$if(language !== null, (query) => query.where('audio.language', '=', language ?? ''))
    .$if(voiceId !== null, (query) => query.where((row) => isSpokenBy(row, voiceId ?? 0)))
    .$if(voiceId === null || mainOnly, (query) => query.where('audio.is_main', '=', mainFlag))
    .orderBy('post.id', 'desc')
    .orderBy('audio.is_main', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Whether an audio has a voice, its successor, or its predecessor. */
function isSpokenBy(row: ExpressionBuilder<Tables, 'audio' | 'voice'>, voiceId: number) {
  const successor = row.selectFrom('voice as named').select('named.replaced_by').where('named.id', '=', voiceId);
  return row.or([
    row('audio.voice_id', '=', voiceId),
    row('audio.voice_id', '=', successor),
    row('voice.replaced_by', '=', voiceId),
  ]);
}

/**
 * @param mainOnly excludes extra voices
 * @returns the other ready audios of a post, by language, main voice first
 */
function findVariants(db: Queries, audio: Pick<PublicAudioSummary, 'id' | 'post_row_id'>, mainOnly: boolean) {
  return selectPlayerAudio(db)
    .where('audio.post_id', '=', audio.post_row_id)
    .where('audio.id', '!=', audio.id)
    .where('audio.status', '=', 'ready')
    .$if(mainOnly, (query) => query.where('audio.is_main', '=', mainFlag))
    .orderBy('audio.language')
    .orderBy('audio.is_main', 'desc')
    .orderBy('audio.voice_id')
    .execute();
}

/** @returns the newest version of an audio that is still served */
function findLastReady(db: Queries, audioId: number) {
  return db
    .selectFrom('version')
    .select(['media_key', 'duration_ms'])
    .where('audio_id', '=', audioId)
    .where((row) => isServed(row, timestamp()))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Audio with what a player shows. */
export function selectPlayerAudio(db: Queries) {
  return selectAudioSummary(db)
    .innerJoin('voice', 'voice.id', 'audio.voice_id')
    .select([
      'audio.post_id as post_row_id',
      'audio.title',
      'post.url',
      'voice.name as voice_name',
      'voice.language as voice_language',
    ]);
}

/** Whether a post is public now; the same as `isPublic`, for a row. */
export function isPublicPost({ visibility, publish_at }: Pick<Post, 'visibility' | 'publish_at'>): boolean {
  return visibility === 'public' && (publish_at === null || publish_at <= timestamp());
}

/** Whether a version is served at a time, for a query. */
function isServed(row: ExpressionBuilder<Tables, 'version'>, now: string) {
  return row.and([
    row('version.header', 'is not', null),
    row.or([row('version.expires_at', 'is', null), row('version.expires_at', '>', now)]),
  ]);
}

/** Whether a post is public at a time, for a query. */
export function isPublic(row: ExpressionBuilder<Tables, 'post'>, now: string) {
  return row.and([
    // A literal, as SQLite does not use the partial index of public posts for a parameter.
    row('post.visibility', '=', sql.lit('public')),
    row.or([row('post.publish_at', 'is', null), row('post.publish_at', '<=', now)]),
  ]);
}

/** A post with a version that is served. */
export type PublishedPost = Awaited<ReturnType<typeof listPublishedPosts>>[number];

/** Limits the size of a feed; enough for weeks of a busy newsroom. */
export const maxEpisodes = 300;

/** @returns the language of a site's default voice; English without one */
export async function findDefaultLanguage(db: Queries, site: Pick<Site, 'default_voice_id'>): Promise<string> {
  const voice = await db
    .selectFrom('voice')
    .select('language')
    .where('id', '=', site.default_voice_id ?? 0)
    .executeTakeFirst();
  return voice?.language ?? 'en';
}

/** Anyone may request a feed, and for a language with few posts all posts would be scanned. */
const maxScannedPosts = 20_000;

/** Same expression as in its index. */
const publishedAt = sql<string>`coalesce(post.publish_at, post.created_at)`;

/**
 * @param limit undefined: all. With a limit, only the newest posts of the site are scanned
 * @returns public posts of a site with served audio in a language, newest first
 */
export async function listPublishedPosts(db: Queries, siteId: number, language: string, limit?: number) {
  const now = timestamp();
  const oldest = limit === undefined ? undefined : await findNthPublishedAt(db, siteId, maxScannedPosts);
  return (
    db
      .selectFrom('post')
      .innerJoin('audio', 'audio.post_id', 'post.id')
      .innerJoin('version', 'version.id', 'audio.version_id')
      .select([
        'post.external_id as post_id',
        'version.title',
        'post.url',
        publishedAt.as('published_at'),
        'version.id as version_id',
        'version.media_key',
        'version.byte_count',
        'version.duration_ms',
        'version.ready_at',
      ])
      // A version with a header has all of them.
      .$narrowType<{ media_key: NotNull; byte_count: NotNull; duration_ms: NotNull; ready_at: NotNull }>()
      .where('post.site_id', '=', siteId)
      .where((row) => isPublic(row, now))
      .$if(oldest !== undefined, (all) => all.where(publishedAt, '>=', oldest ?? ''))
      .where('audio.language', '=', language)
      .where('audio.is_main', '=', mainFlag)
      .where((row) => isServed(row, now))
      .orderBy(publishedAt, 'desc')
      .orderBy('post.id', 'desc')
      .$if(limit !== undefined, (all) => all.limit(limit ?? 0))
      .execute()
  );
}

/** Fewer posts are scanned within one or two milliseconds. */
const expensiveListSize = 2_000;

/** @returns whether listing the posts of a language may take long, as the site has many posts */
export async function isExpensiveToList(db: Queries, siteId: number): Promise<boolean> {
  return (await findNthPublishedAt(db, siteId, expensiveListSize)) !== undefined;
}

function selectPublishedAt(db: Queries, siteId: number) {
  return db
    .selectFrom('post')
    .select(publishedAt.as('published_at'))
    .where('site_id', '=', siteId)
    .where('visibility', '=', sql.lit('public'));
}

/** @returns when the next scheduled post of a site becomes public; null: none is scheduled */
export async function findNextPublishedAt(db: Queries, siteId: number): Promise<string | null> {
  const row = await selectPublishedAt(db, siteId)
    .where(publishedAt, '>', timestamp())
    .orderBy(publishedAt)
    .limit(1)
    .executeTakeFirst();
  return row?.published_at ?? null;
}

/** @returns the languages of all audio */
export async function listAudioLanguages(db: Queries): Promise<string[]> {
  const rows = await db.selectFrom('audio').select('language').distinct().where('is_main', '=', mainFlag).execute();
  return rows.map(({ language }) => language);
}

/** @returns when the post with this many newer posts was published */
async function findNthPublishedAt(db: Queries, siteId: number, newer: number): Promise<string | undefined> {
  const row = await selectPublishedAt(db, siteId)
    .orderBy(publishedAt, 'desc')
    .limit(1)
    .offset(newer)
    .executeTakeFirst();
  return row?.published_at;
}

/** @returns the first sentences of versions, without titles and headings, in order */
export function listOpenings(db: Queries, versionIds: readonly number[], maxSentences: number) {
  return db
    .selectFrom('planned_segment')
    .select(['version_id', 'text'])
    .where('version_id', 'in', versionIds)
    .where('position', '<', maxSentences)
    .where('source_field', '=', 'content')
    .where('kind', '!=', 'heading')
    .orderBy('version_id')
    .orderBy('position')
    .execute();
}
