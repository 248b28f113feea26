import { sql } from 'kysely';
import type { Database, Queries } from '../database/open.ts';
import type { Audio } from '../database/schema.ts';
import type { Catalog } from '../voices/catalog.ts';
import type { AudioQueue } from './queue.ts';
import { countUnfinished, requeueAudio } from './store.ts';
import type { AcceptLimits } from './submit.ts';

/** The states of an audio that may hold what has changed since; one that waits will hear of it by itself. */
const remakable = ['ready', 'generating'] as const;

/** An audio that may be made again. */
interface RemakableAudio
  extends Pick<Audio, 'id' | 'post_id' | 'voice_id' | 'is_main' | 'priority' | 'status'> {
  readonly site_id: number;
  /** Length of the text. */
  readonly cost: number;
}

/** @returns those of some audios that are ready or being made */
function listRemakable(db: Queries, audioIds: readonly number[]): Promise<RemakableAudio[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.post_id', 'audio.voice_id', 'audio.is_main'])
    .select(['audio.priority', 'audio.status', 'post.site_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.id', 'in', audioIds)
    .where('audio.status', 'in', remakable)
    .orderBy('audio.id')
    .execute();
}

/** Which audios of a site are looked for. */
interface MadeBefore {
  readonly siteId: number;
  readonly language: string | undefined;
  /** Those whose making began before this moment. */
  readonly before: string;
  /** Id of the last one that was seen, in its post. */
  readonly afterPost: number;
  readonly most: number;
}

/** @returns the audios of the next posts, by post */
function listMadeBefore(
  db: Queries,
  { siteId, language, before, afterPost, most }: MadeBefore,
): Promise<{ id: number; post_id: number }[]> {
  return db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .select(['audio.id', 'audio.post_id'])
    .where('post.site_id', '=', siteId)
    .where('post.id', '>', afterPost)
    .where('audio.status', 'in', remakable)
    .where((row) => row.or([row(beganAt(), 'is', null), row(beganAt(), '<', before)]))
    .$if(language !== undefined, (all) => all.where('audio.language', '=', language ?? ''))
    .orderBy('post.id')
    .limit(most)
    .execute();
}

/** @returns the audios of one post that may be made again */
export async function audiosOfPost(
  db: Queries,
  postRowId: number,
  language: string | undefined,
): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .select('id')
    .where('post_id', '=', postRowId)
    .where('status', 'in', remakable)
    .$if(language !== undefined, (all) => all.where('language', '=', language ?? ''))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** When the making of the text that an audio has now began; null: before that was written down, or not at all. */
export function beganAt() {
  return sql<string | null>`coalesce(
    (select began_at from version
      where version.audio_id = audio.id and version.generation = audio.generation
      order by version.id desc limit 1),
    case audio.status when 'generating' then audio.updated_at end)`;
}

/** Few at a time, so that no request waits long for the database. */
const atOnce = 50;
const listedAtOnce = 500;
/** What is made again leaves the other half of the queue to what is new. */
const shareOfQueue = 0.5;

export interface RemakeDeps {
  readonly database: Database;
  readonly catalog: Pick<Catalog, 'voices'>;
  readonly queue: Pick<AudioQueue, 'turnOf' | 'changed'>;
  readonly limits: Pick<AcceptLimits, 'queuedPostsMax' | 'queuedPostsPerSiteMax'>;
}

/** What was put back to the queue. */
export interface Remade {
  /** Each language and each further voice of a post is one. */
  readonly audios: number;
  readonly posts: number;
  /** Audios left as they are, because their voice is not installed any more. */
  readonly voiceless: number;
  /** False: the queue has no room for more; to ask again later goes on from there. */
  readonly complete: boolean;
}

export const nothingRemade: Remade = { audios: 0, posts: 0, voiceless: 0, complete: true };

export function sumOf(one: Remade, other: Remade): Remade {
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
export async function remakeAudios(
  deps: RemakeDeps,
  siteId: number,
  audioIds: readonly number[],
): Promise<Remade> {
  let remade = nothingRemade;
  for (let start = 0; start < audioIds.length && remade.complete; start += atOnce) {
    const batch = audioIds.slice(start, start + atOnce);
    remade = sumOf(remade, await remakeBatch(deps, siteId, batch));
  }
  return remade;
}

/**
 * Has the audios of a site made again whose making began before a moment, in one language or all.
 * @param goesOn asked now and then; false ends it there
 */
export async function remakeSite(
  deps: RemakeDeps,
  asked: {
    readonly siteId: number;
    readonly language: string | undefined;
    readonly before: string;
  },
  goesOn: () => boolean,
): Promise<Remade> {
  let remade = nothingRemade;
  let afterPost = 0;
  // Ends: each turn goes on behind a later post.
  while (true) {
    const found = await listMadeBefore(deps.database.read, {
      ...{ ...asked, afterPost, most: listedAtOnce },
    });
    const last = found.at(-1);
    if (last === undefined) return remade;
    // The last post may have more audios than were found: they come with the next batch.
    const whole = found.filter(({ post_id }) => post_id !== last.post_id);
    const batch = found.length < listedAtOnce || whole.length === 0 ? found : whole;
    const ids = batch.map(({ id }) => id);
    remade = sumOf(remade, await remakeAudios(deps, asked.siteId, ids));
    if (!remade.complete) return remade;
    if (!goesOn()) return { ...remade, complete: false };
    afterPost = batch.at(-1)?.post_id ?? last.post_id;
    await Bun.sleep(0);
  }
}

async function remakeBatch(
  { database, catalog, queue, limits }: RemakeDeps,
  siteId: number,
  audioIds: readonly number[],
): Promise<Remade> {
  const installed = new Set((await catalog.voices()).map(({ id }) => id));
  const { queued, ...remade } = await database.write(async (db) => {
    const all = await listRemakable(db, audioIds);
    const speaking = all.filter(({ voice_id }) => installed.has(voice_id));
    const fitting = await thoseWithRoom(db, siteId, speaking, limits);
    for (const audio of fitting) await requeue(db, queue, audio);
    return {
      queued: fitting,
      audios: fitting.length,
      posts: new Set(fitting.map(({ post_id }) => post_id)).size,
      voiceless: all.length - speaking.length,
      complete: fitting.length === speaking.length,
    };
  });
  for (const { id } of queued) await queue.changed(id);
  return remade;
}

/** One that is being made has its place already, and so have further voices, which are no posts. */
async function thoseWithRoom(
  db: Queries,
  siteId: number,
  audios: readonly RemakableAudio[],
  { queuedPostsMax, queuedPostsPerSiteMax }: RemakeDeps['limits'],
): Promise<RemakableAudio[]> {
  const { all, ofSite } = await countUnfinished(db, siteId);
  let room = Math.floor(
    Math.min(queuedPostsMax * shareOfQueue - all, queuedPostsPerSiteMax * shareOfQueue - ofSite),
  );
  const fitting: RemakableAudio[] = [];
  for (const audio of audios) {
    if (audio.is_main === 1 && audio.status === 'ready') room -= 1;
    if (room < 0) break;
    fitting.push(audio);
  }
  return fitting;
}

async function requeue(
  db: Queries,
  queue: Pick<AudioQueue, 'turnOf'>,
  { id, site_id, is_main, status, priority: own, cost }: RemakableAudio,
): Promise<void> {
  const priority = status === 'generating' ? own : 'low';
  const turn = queue.turnOf(site_id, is_main === 1 ? priority : 'further', cost);
  await requeueAudio(db, id, { priority, turn });
}
