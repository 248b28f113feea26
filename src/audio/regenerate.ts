import { type ExpressionBuilder, sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { Priority, Tables } from '../database/schema.ts';
import { countQueuedPosts } from './counters.ts';
import type { AudioQueue } from './queue.ts';
import type { RegeneratedAudios } from './schema.ts';
import { requeueAudio, unfinishedStatuses } from './store.ts';
import type { SubmitDeps } from './submit.ts';

/** Audio in these states may lack a change. Queued audio uses it anyway. */
const regenerableStatuses = ['ready', 'generating'] as const;

/** Removed audio can be restored, too. */
function isRegenerable(row: ExpressionBuilder<Tables, 'audio'>) {
  return row.or([row('audio.status', 'in', regenerableStatuses), row('audio.removed_at', 'is not', null)]);
}

type RegenerableAudio = Awaited<ReturnType<typeof listRegenerableAudios>>[number];

function listRegenerableAudios(db: Queries, audioIds: readonly number[]) {
  return selectAudios(db, audioIds).where(isRegenerable).execute();
}

function selectAudios(db: Queries, audioIds: readonly number[]) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.post_id', 'audio.voice_id', 'audio.is_main'])
    .select(['audio.priority', 'audio.status', 'post.site_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.id', 'in', audioIds)
    .orderBy('audio.id');
}

interface RegenerateFilter {
  readonly siteId: number;
  readonly language: string | undefined;
  /** Audio whose generation started before this ISO time. */
  readonly before: string;
}

/** @returns a page of audios after a post, by post */
function listAudiosMadeBefore(db: Queries, { siteId, language, before }: RegenerateFilter, afterPostId: number) {
  return db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .select(['audio.id', 'audio.post_id'])
    .where('post.site_id', '=', siteId)
    .where('post.id', '>', afterPostId)
    .where('audio.status', 'in', regenerableStatuses)
    .where((row) => row.or([row(selectStartedAt(), 'is', null), row(selectStartedAt(), '<', before)]))
    .$if(language !== undefined, (all) => all.where('audio.language', '=', language ?? ''))
    .orderBy('post.id')
    .limit(pageSize)
    .execute();
}

export async function listRegenerableAudioIds(
  db: Queries,
  postRowId: number,
  language: string | undefined,
): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .select('id')
    .where('post_id', '=', postRowId)
    .where(isRegenerable)
    .$if(language !== undefined, (all) => all.where('language', '=', language ?? ''))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** When the generation of the current text of an audio started; null: not started. */
export function selectStartedAt() {
  return sql<string | null>`coalesce(
    (select started_at from version
      where version.audio_id = audio.id and version.revision = audio.revision
      order by version.id desc limit 1),
    case audio.status when 'generating' then audio.updated_at end)`;
}

/** Few at a time, so that no request waits long for the database. */
const batchSize = 50;
const pageSize = 500;
/** Regenerated audio fills at most half of the queue; the rest is for new posts. */
const maxQueueShare = 0.5;

export const emptyRegenerateResult: RegeneratedAudios = { audios: 0, posts: 0, voiceless: 0, complete: true };

export function addRegenerateResults(a: RegeneratedAudios, b: RegeneratedAudios): RegeneratedAudios {
  return {
    audios: a.audios + b.audios,
    posts: a.posts + b.posts,
    voiceless: a.voiceless + b.voiceless,
    complete: a.complete && b.complete,
  };
}

/**
 * Regenerates audios from their stored text and voice, with the current pronunciations and settings. Only changed sentences
 * are synthesized, at low priority; the current MP3 is served until then. No quota is used. Audio that is queued or failed,
 * or whose voice is not installed, stays as it is.
 * @param audioIds whole posts, so that `posts` is correct
 * @throws AppError `disk_space_low`
 */
export async function regenerateAudios(
  deps: SubmitDeps,
  siteId: number,
  audioIds: readonly number[],
): Promise<RegeneratedAudios> {
  let result = emptyRegenerateResult;
  for (let start = 0; start < audioIds.length && result.complete; start += batchSize) {
    const batch = audioIds.slice(start, start + batchSize);
    result = addRegenerateResults(result, await regenerateBatch(deps, siteId, batch));
  }
  return result;
}

/**
 * Regenerates the audios of a site whose generation started before a time.
 * @param hasTime checked after each page; false ends the work
 */
export async function regenerateSite(
  deps: SubmitDeps,
  filter: RegenerateFilter,
  hasTime: () => boolean,
): Promise<RegeneratedAudios> {
  let result = emptyRegenerateResult;
  let afterPostId = 0;
  // Ends: each page starts after a later post.
  while (true) {
    const found = await listAudiosMadeBefore(deps.database.read, filter, afterPostId);
    const last = found.at(-1);
    if (last === undefined) return result;
    // The last post may have more audios than were found: they come with the next page.
    const whole = found.filter(({ post_id }) => post_id !== last.post_id);
    const batch = found.length < pageSize || whole.length === 0 ? found : whole;
    const ids = batch.map(({ id }) => id);
    result = addRegenerateResults(result, await regenerateAudios(deps, filter.siteId, ids));
    if (!result.complete) return result;
    if (!hasTime()) return { ...result, complete: false };
    afterPostId = batch.at(-1)?.post_id ?? last.post_id;
    await Bun.sleep(0);
  }
}

async function regenerateBatch(
  { database, catalog, queue, diskSpace, config }: SubmitDeps,
  siteId: number,
  audioIds: readonly number[],
): Promise<RegeneratedAudios> {
  diskSpace.requireRoom('posts');
  const installed = new Set((await catalog.voices()).flatMap(({ id, formerIds }) => [id, ...formerIds]));
  return database.write(siteId, async (db) => {
    const all = await listRegenerableAudios(db, audioIds);
    const speakable = all.filter(({ voice_id }) => installed.has(voice_id));
    const fitting = await limitToQueueCapacity(db, siteId, speakable, config);
    for (const audio of fitting) await requeueForRegeneration(db, queue, audio);
    return {
      audios: fitting.length,
      posts: new Set(fitting.map(({ post_id }) => post_id)).size,
      voiceless: all.length - speakable.length,
      complete: fitting.length === speakable.length,
    };
  });
}

/** Audio that is being generated already counts as queued; extra voices do not count as posts. */
async function limitToQueueCapacity(
  db: Queries,
  siteId: number,
  audios: readonly RegenerableAudio[],
  { maxQueuedPosts, maxQueuedPostsPerSite }: SubmitDeps['config'],
): Promise<RegenerableAudio[]> {
  const { all, ofSite } = await countQueuedPosts(db, siteId);
  let room = Math.floor(Math.min(maxQueuedPosts * maxQueueShare - all, maxQueuedPostsPerSite * maxQueueShare - ofSite));
  const fitting: RegenerableAudio[] = [];
  for (const audio of audios) {
    if (audio.is_main === 1 && audio.status !== 'generating') room -= 1;
    if (room < 0) break;
    fitting.push(audio);
  }
  return fitting;
}

/** Regenerates audios of which segments were deleted because they are damaged, before other work. */
export async function requeueDamagedAudios(db: Queries, queue: AudioQueue, audioIds: readonly number[]): Promise<void> {
  const audios = await selectAudios(db, audioIds).execute();
  for (const audio of audios) await requeueForRegeneration(db, queue, audio, 'high');
}

async function requeueForRegeneration(
  db: Queries,
  queue: AudioQueue,
  { id, site_id, is_main, status, priority: current, cost }: RegenerableAudio,
  newPriority: Priority = 'low',
): Promise<void> {
  const priority = unfinishedStatuses.includes(status) ? current : newPriority;
  const virtual_time = queue.nextVirtualTime(site_id, is_main === 1 ? priority : 'further', cost);
  await requeueAudio(db, id, { priority, virtual_time });
  queue.notifyChanged(db, id);
}
