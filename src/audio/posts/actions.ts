import { diffStates, insertAuditEntry } from '../../auth/audit-log.ts';
import { timestamp } from '../../clock.ts';
import type { Queries } from '../../database/database.ts';
import type { Audio, Priority, Site } from '../../database/schema.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { chooseVoice } from '../choose-voice.ts';
import type { AudioQueue } from '../queue.ts';
import { listRegenerableAudioIds, regenerateAudios } from '../regenerate.ts';
import type { RegeneratedAudios } from '../schema.ts';
import {
  type AudioSummary,
  canonicalizeUrl,
  findAudio,
  insertFailedAudio,
  mainFlag,
  type PostFields,
  unfinishedStatuses,
} from '../store.ts';
import { type GenerateRequest, type Submission, type SubmitDeps, submitPost } from '../submit.ts';
import {
  type DeletedAudio,
  dismissFailedAudios,
  findDeletedPost,
  listFailedAudios,
  type PostRow,
  purgeDeletedPost,
  reinsertPost,
  removeDeletedPost,
  requirePost,
  updatePost,
} from './store.ts';

/** A user changes a post of a site; the change goes into the audit log. */
export interface PostAction {
  readonly site: Site;
  readonly userId: number;
  /** The client's own `post_id`. */
  readonly postId: string;
}

const noFailedAudioMessage = 'No failed audio for this post';

/** @param language undefined: all languages @throws AppError `post_not_found`, `conflict`, those of `submitPost` */
export async function retryPost(deps: SubmitDeps, action: PostAction, language?: string): Promise<AudioSummary[]> {
  const { database, catalog } = deps;
  const { site, userId, postId } = action;
  const post = await requirePost(database.read, site.id, postId);
  const failed = await listFailedAudios(database.read, post.id, language);
  if (failed.length === 0) throw new AppError('conflict', noFailedAudioMessage);
  const items: AudioSummary[] = [];
  for (const audio of failed) {
    const request = await buildRepeatedRequest(catalog, postId, audio);
    const voice = await chooseVoice(catalog, site, request);
    const { audio: queued } = await database.write(site.id, async (db) => {
      const result = await submitPost(db, deps, { site, voice, request });
      if (!result.queued) return result;
      await checkUnchanged(db, audio);
      await insertAuditEntry(db, {
        ...{ userId, action: 'post.retried', siteId: site.id, subject: postId },
        before: { language: audio.language, error: audio.error },
      });
      return result;
    });
    items.push(queued);
  }
  return items;
}

/** Undoes a retry that would replace a text submitted since by the older one. */
async function checkUnchanged(db: Queries, failed: Audio): Promise<void> {
  const now = await findAudio(db, failed.post_id, failed.language);
  if (now?.revision === failed.revision + 1) return;
  throw new AppError('conflict', 'The post was modified concurrently');
}

/** The request that an audio was generated for; without its voice if that is not usable any more. */
async function buildRepeatedRequest(catalog: Catalog, postId: string, audio: DeletedAudio): Promise<GenerateRequest> {
  const { content, content_type: contentType, title, voice_id, language, priority } = audio;
  const voice = await catalog.find(voice_id);
  const isUsable = voice?.enabled === 1;
  return { postId, content, contentType, title, language, priority, post: {}, voiceId: isUsable ? voice_id : null };
}

/** @param language undefined: all languages @throws AppError `post_not_found` */
export async function regeneratePost(
  deps: SubmitDeps,
  { site, userId, postId }: PostAction,
  language?: string,
): Promise<RegeneratedAudios> {
  const { database } = deps;
  const post = await requirePost(database.read, site.id, postId);
  if (language !== undefined && (await findAudio(database.read, post.id, language)) === undefined) {
    throw new AppError('post_not_found');
  }
  await database.write(site.id, (db) =>
    insertAuditEntry(db, {
      ...{ userId, action: 'post.remade', siteId: site.id },
      ...{ subject: post.external_id, after: { language: language ?? null } },
    }),
  );
  return regenerateAudios(deps, site.id, await listRegenerableAudioIds(database.read, post.id, language));
}

interface DeleteOptions {
  /** Undefined: all languages. */
  readonly language?: string | undefined;
  /** Nothing is kept, also of a post that was deleted before. */
  readonly permanently?: boolean | undefined;
}

/** @returns the deleted languages @throws AppError `post_not_found` */
export function deletePost(
  { database, postDeletion }: Pick<SubmitDeps, 'database' | 'postDeletion'>,
  { site, userId, postId }: PostAction,
  { language, permanently = false }: DeleteOptions = {},
): Promise<string[]> {
  return database.write(site.id, async (db) => {
    const languages = await postDeletion.deletePost(db, site.id, postId, language ?? null);
    const purged = permanently ? await purgeDeletedPost(db, site.id, postId, language) : [];
    if (languages.length === 0) languages.push(...purged);
    if (languages.length === 0) throw new AppError('post_not_found');
    await insertAuditEntry(db, {
      ...{ userId, action: permanently ? 'post.purged' : 'post.deleted', siteId: site.id, subject: postId },
      before: { languages },
    });
    return languages;
  });
}

/**
 * Brings a deleted post back. Its audio is generated again from the kept text, under new addresses; what had failed is
 * failed again.
 * @throws AppError `post_not_found`, `conflict`, those of `submitPost`
 */
export async function restorePost(deps: SubmitDeps, { site, userId, postId }: PostAction): Promise<AudioSummary[]> {
  const { database, catalog } = deps;
  const deleted = await findDeletedPost(database.read, site.id, postId);
  if (deleted === undefined) throw new AppError('post_not_found');
  const failed = deleted.audios.filter(({ status }) => status === 'failed');
  const submissions: Submission[] = [];
  for (const audio of deleted.audios.filter(({ status }) => status !== 'failed')) {
    const request = await buildRepeatedRequest(catalog, postId, audio);
    submissions.push({ site, request, voice: await chooseVoice(catalog, site, request) });
  }
  return database.write(site.id, async (db) => {
    const now = await findDeletedPost(db, site.id, postId);
    if (now?.deleted_at !== deleted.deleted_at) throw new AppError('conflict', 'The post was modified concurrently');
    await removeDeletedPost(db, site.id, postId);
    const post_id = await reinsertPost(db, deleted, deleted.url === null ? null : canonicalizeUrl(deleted.url));
    const audios: AudioSummary[] = [];
    for (const audio of failed) audios.push(await insertFailedAudio(db, { ...audio, post_id }));
    for (const submission of submissions) audios.push((await submitPost(db, deps, submission)).audio);
    await insertAuditEntry(db, {
      ...{ userId, action: 'post.restored', siteId: site.id, subject: postId },
      after: { languages: deleted.audios.map(({ language }) => language) },
    });
    return audios.toSorted((a, b) => a.language.localeCompare(b.language));
  });
}

/** Marks the failed audio of a post as not needed: the post no longer counts as failed. @throws AppError `post_not_found`, `conflict` */
export function dismissPost(
  { database }: Pick<SubmitDeps, 'database'>,
  { site, userId, postId }: PostAction,
): Promise<void> {
  return database.write(site.id, async (db) => {
    const post = await requirePost(db, site.id, postId);
    const languages = await dismissFailedAudios(db, post.id, timestamp());
    if (languages.length === 0) throw new AppError('conflict', noFailedAudioMessage);
    await insertAuditEntry(db, {
      ...{ userId, action: 'post.dismissed', siteId: site.id, subject: postId },
      before: { languages },
    });
  });
}

interface PostChanges {
  readonly fields: PostFields;
  readonly priority?: 'high' | 'normal' | 'low' | undefined;
}

/** Changes a post but not its text. @throws AppError `post_not_found`, `conflict`: nothing is queued whose priority could change */
export function editPost(
  { database, queue, postDeletion }: Pick<SubmitDeps, 'database' | 'queue' | 'postDeletion'>,
  { site, userId, postId }: PostAction,
  { fields, priority }: PostChanges,
): Promise<PostRow> {
  return database.write(site.id, async (db) => {
    const before = await requirePost(db, site.id, postId);
    const changed = diffStates(pickEditable(before), { ...pickEditable(before), ...fields });
    if (changed !== undefined) {
      await updatePost(db, before.id, fields);
      await postDeletion.withdrawIfHidden(db, before, fields);
    }
    const moved = priority === undefined ? [] : await prioritizePost(db, queue, before.id, priority);
    if (changed !== undefined || moved.length > 0) {
      await insertAuditEntry(db, {
        ...{ userId, action: 'post.updated', siteId: site.id, subject: before.external_id },
        before: { ...changed?.before, ...summarizePreviousPriorities(moved) },
        after: { ...changed?.after, ...(moved.length > 0 && { priority }) },
      });
    }
    return requirePost(db, site.id, postId);
  });
}

function pickEditable({ url, publish_at, visibility }: PostRow): Required<PostFields> {
  return { url, publish_at, visibility };
}

/** One value where all languages had the same priority, else one by language. */
function summarizePreviousPriorities(moved: readonly PriorityChange[]): object {
  const [first] = moved;
  if (first === undefined) return {};
  const isSame = moved.every(({ previousPriority }) => previousPriority === first.previousPriority);
  if (isSame) return { priority: first.previousPriority };
  return { priority: Object.fromEntries(moved.map((change) => [change.language, change.previousPriority])) };
}

/** A queued audio, with the length of its text as cost. */
function selectQueuedAudios(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.language', 'audio.is_main', 'audio.priority', 'audio.status'])
    .select(['post.site_id', 'post.external_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.status', 'in', unfinishedStatuses);
}

type PriorityQueue = Pick<AudioQueue, 'nextVirtualTime' | 'notifyChanged'>;
type QueuedAudio = Awaited<ReturnType<ReturnType<typeof selectQueuedAudios>['execute']>>[number];

/** An audio whose priority was changed. */
interface PriorityChange extends QueuedAudio {
  readonly previousPriority: Priority;
}

/**
 * Changes the priority of a queued audio.
 * @returns undefined if it has that priority already
 * @throws AppError `not_found`; `conflict` for an extra voice
 */
export async function prioritizeAudio(
  db: Queries,
  queue: PriorityQueue,
  audioId: number,
  priority: Priority,
): Promise<PriorityChange | undefined> {
  const audio = await selectQueuedAudios(db).where('audio.id', '=', audioId).executeTakeFirst();
  if (audio === undefined) throw notFound('Audio', audioId, 'is not queued');
  if (audio.is_main !== 1) {
    throw new AppError('conflict', 'Priority not changed: extra voices always have the lowest priority');
  }
  return changePriority(db, queue, audio, priority);
}

/**
 * Changes the priority of all queued languages of a post.
 * @returns those with a new priority
 * @throws AppError `conflict` when none is queued
 */
async function prioritizePost(
  db: Queries,
  queue: PriorityQueue,
  postRowId: number,
  priority: Priority,
): Promise<PriorityChange[]> {
  const audios = await selectQueuedAudios(db)
    .where('audio.post_id', '=', postRowId)
    .where('audio.is_main', '=', mainFlag)
    .orderBy('audio.language')
    .execute();
  if (audios.length === 0) throw new AppError('conflict', 'No queued audio for this post');
  const changes: PriorityChange[] = [];
  for (const audio of audios) {
    const change = await changePriority(db, queue, audio, priority);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

async function changePriority(
  db: Queries,
  queue: PriorityQueue,
  audio: QueuedAudio,
  priority: Priority,
): Promise<PriorityChange | undefined> {
  if (audio.priority === priority) return undefined;
  // Virtual times of different priorities are not comparable.
  const virtual_time = queue.nextVirtualTime(audio.site_id, priority, audio.cost);
  // `updated_at` stays: it is since when the audio waits.
  await db.updateTable('audio').set({ priority, virtual_time }).where('id', '=', audio.id).execute();
  queue.notifyChanged(db, audio.id);
  return { ...audio, priority, previousPriority: audio.priority };
}
