import { sql } from 'kysely';
import type { Database, Queries } from '../database/open.ts';
import type { Audio } from '../database/schema.ts';
import type { Catalog } from '../voices/catalog.ts';
import type { AudioQueue } from './queue.ts';
import { countUnfinished, requeueAudio } from './store.ts';
import type { EnqueueLimits } from './submit.ts';

/** The states of an audio that may hold what has changed since; one that waits will hear of it by itself. */
const regenerableStatuses = ['ready', 'generating'] as const;

/** An audio that may be made again. */
interface RegenerableAudio extends Pick<Audio, 'id' | 'post_id' | 'voice_id' | 'is_main' | 'priority' | 'status'> {
  readonly site_id: number;
  /** Length of the text. */
  readonly cost: number;
}

/** @returns those of some audios that are ready or being made */
function listRegenerableAudios(db: Queries, audioIds: readonly number[]): Promise<RegenerableAudio[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.post_id', 'audio.voice_id', 'audio.is_main'])
    .select(['audio.priority', 'audio.status', 'post.site_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.id', 'in', audioIds)
    .where('audio.status', 'in', regenerableStatuses)
    .orderBy('audio.id')
    .execute();
}

/** Which audios of a site are looked for. */
interface RegenerateFilter {
  readonly siteId: number;
  readonly language: string | undefined;
  /** Those whose making began before this moment. */
  readonly before: string;
  /** Id of the last one that was seen, in its post. */
  readonly afterPostId: number;
  readonly limit: number;
}

/** @returns the audios of the next posts, by post */
function listAudiosMadeBefore(
  db: Queries,
  { siteId, language, before, afterPostId: afterPost, limit: most }: RegenerateFilter,
): Promise<{ id: number; post_id: number }[]> {
  return db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .select(['audio.id', 'audio.post_id'])
    .where('post.site_id', '=', siteId)
    .where('post.id', '>', afterPost)
    .where('audio.status', 'in', regenerableStatuses)
    .where((row) => row.or([row(selectBeganAt(), 'is', null), row(selectBeganAt(), '<', before)]))
    .$if(language !== undefined, (all) => all.where('audio.language', '=', language ?? ''))
    .orderBy('post.id')
    .limit(most)
    .execute();
}

/** @returns the audios of one post that may be made again */
export async function listRegenerableAudioIds(
  db: Queries,
  postRowId: number,
  language: string | undefined,
): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .select('id')
    .where('post_id', '=', postRowId)
    .where('status', 'in', regenerableStatuses)
    .$if(language !== undefined, (all) => all.where('language', '=', language ?? ''))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** When the making of the text that an audio has now began; null: before that was written down, or not at all. */
export function selectBeganAt() {
  return sql<string | null>`coalesce(
    (select began_at from version
      where version.audio_id = audio.id and version.generation = audio.generation
      order by version.id desc limit 1),
    case audio.status when 'generating' then audio.updated_at end)`;
}

/** Few at a time, so that no request waits long for the database. */
const batchSize = 50;
const pageSize = 500;
/** What is made again leaves the other half of the queue to what is new. */
const maxQueueShare = 0.5;

export interface RegenerateDeps {
  readonly database: Database;
  readonly catalog: Pick<Catalog, 'voices'>;
  readonly queue: Pick<AudioQueue, 'nextVirtualTime' | 'notifyChanged'>;
  readonly config: Pick<EnqueueLimits, 'maxQueuedPosts' | 'maxQueuedPostsPerSite'>;
}

/** What was put back to the queue. */
export interface RegenerateResult {
  /** Each language and each further voice of a post is one. */
  readonly audios: number;
  readonly posts: number;
  /** Audios left as they are, because their voice is not installed any more. */
  readonly voiceless: number;
  /** False: the queue has no room for more; to ask again later goes on from there. */
  readonly complete: boolean;
}

export const emptyRegenerateResult: RegenerateResult = {
  audios: 0,
  posts: 0,
  voiceless: 0,
  complete: true,
};

export function addRegenerateResults(one: RegenerateResult, other: RegenerateResult): RegenerateResult {
  return {
    audios: one.audios + other.audios,
    posts: one.posts + other.posts,
    voiceless: one.voiceless + other.voiceless,
    complete: one.complete && other.complete,
  };
}

/**
 * Has audios made again from the text and in the voice they have: for what was changed around them, in the lexicon or in the
 * settings of their site. Only sentences that come out otherwise are spoken, behind everything that is new, and no quota
 * is touched; until then the MP3 that is there is served. Of these audios those are left alone that wait (they will hear of
 * every change), failed, or have lost their voice.
 * @param audioIds whole posts, as far as they are to be counted
 */
export async function regenerateAudios(
  deps: RegenerateDeps,
  siteId: number,
  audioIds: readonly number[],
): Promise<RegenerateResult> {
  let remade = emptyRegenerateResult;
  for (let start = 0; start < audioIds.length && remade.complete; start += batchSize) {
    const batch = audioIds.slice(start, start + batchSize);
    remade = addRegenerateResults(remade, await regenerateBatch(deps, siteId, batch));
  }
  return remade;
}

/**
 * Has the audios of a site made again whose making began before a moment, in one language or all.
 * @param goesOn asked now and then; false ends it there
 */
export async function regenerateSite(
  deps: RegenerateDeps,
  asked: {
    readonly siteId: number;
    readonly language: string | undefined;
    readonly before: string;
  },
  goesOn: () => boolean,
): Promise<RegenerateResult> {
  let remade = emptyRegenerateResult;
  let afterPost = 0;
  // Ends: each turn goes on behind a later post.
  while (true) {
    const found = await listAudiosMadeBefore(deps.database.read, {
      ...{ ...asked, afterPostId: afterPost, limit: pageSize },
    });
    const last = found.at(-1);
    if (last === undefined) return remade;
    // The last post may have more audios than were found: they come with the next batch.
    const whole = found.filter(({ post_id }) => post_id !== last.post_id);
    const batch = found.length < pageSize || whole.length === 0 ? found : whole;
    const ids = batch.map(({ id }) => id);
    remade = addRegenerateResults(remade, await regenerateAudios(deps, asked.siteId, ids));
    if (!remade.complete) return remade;
    if (!goesOn()) return { ...remade, complete: false };
    afterPost = batch.at(-1)?.post_id ?? last.post_id;
    await Bun.sleep(0);
  }
}

async function regenerateBatch(
  { database, catalog, queue, config }: RegenerateDeps,
  siteId: number,
  audioIds: readonly number[],
): Promise<RegenerateResult> {
  const installed = new Set((await catalog.voices()).map(({ id }) => id));
  const { queued, ...remade } = await database.write(async (db) => {
    const all = await listRegenerableAudios(db, audioIds);
    const speaking = all.filter(({ voice_id }) => installed.has(voice_id));
    const fitting = await limitToQueueCapacity(db, siteId, speaking, config);
    for (const audio of fitting) await requeueForRegeneration(db, queue, audio);
    return {
      queued: fitting,
      audios: fitting.length,
      posts: new Set(fitting.map(({ post_id }) => post_id)).size,
      voiceless: all.length - speaking.length,
      complete: fitting.length === speaking.length,
    };
  });
  for (const { id } of queued) await queue.notifyChanged(id);
  return remade;
}

/** One that is being made has its place already, and so have further voices, which are no posts. */
async function limitToQueueCapacity(
  db: Queries,
  siteId: number,
  audios: readonly RegenerableAudio[],
  { maxQueuedPosts, maxQueuedPostsPerSite }: RegenerateDeps['config'],
): Promise<RegenerableAudio[]> {
  const { all, ofSite } = await countUnfinished(db, siteId);
  let room = Math.floor(Math.min(maxQueuedPosts * maxQueueShare - all, maxQueuedPostsPerSite * maxQueueShare - ofSite));
  const fitting: RegenerableAudio[] = [];
  for (const audio of audios) {
    if (audio.is_main === 1 && audio.status === 'ready') room -= 1;
    if (room < 0) break;
    fitting.push(audio);
  }
  return fitting;
}

async function requeueForRegeneration(
  db: Queries,
  queue: Pick<AudioQueue, 'nextVirtualTime'>,
  { id, site_id, is_main, status, priority: own, cost }: RegenerableAudio,
): Promise<void> {
  const priority = status === 'generating' ? own : 'low';
  const turn = queue.nextVirtualTime(site_id, is_main === 1 ? priority : 'further', cost);
  await requeueAudio(db, id, { priority, turn });
}
