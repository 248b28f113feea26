import { currentTimeMs } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Audio, AudioStatus, Priority, Site } from '../database/schema.ts';
import type { DiskSpace } from '../disk-space.ts';
import { AppError, type FieldErrors, invalidFields } from '../errors.ts';
import { countCodePoints, findFieldErrors, parseIsoTimestamp, parsePrimaryLanguage } from '../http/validation.ts';
import { type PlanLimits, parseHttpUrl } from '../setting.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { countQueuedPosts } from './counters.ts';
import { listExtras, type PostDeletion } from './deletion.ts';
import { findPost, removeDeletedPost, updatePost } from './posts/store.ts';
import type { AudioQueue } from './queue.ts';
import { consumeQuota } from './quota.ts';
import { GenerateBody } from './schema.ts';
import {
  type AudioSummary,
  findAudio,
  getAudioSummary,
  hashRequest,
  insertAudio,
  insertPost,
  type PostFields,
  type QueuedText,
  requeueAudio,
  unfinishedStatuses,
} from './store.ts';

/** The result of a generate request. */
export interface EnqueueResult {
  /** False when the same text was accepted before: nothing was queued. */
  readonly queued: boolean;
  readonly message: string;
  readonly audio: AudioSummary;
}

interface EnqueueLimits {
  readonly quotaPosts: PlanLimits;
  readonly maxQueuedPosts: number;
  readonly maxQueuedPostsPerSite: number;
}

const duplicateMessages: Record<Exclude<AudioStatus, 'failed'>, string> = {
  pending: 'Audio already queued',
  generating: 'Audio already in progress',
  ready: 'Audio already ready',
};

/** What queues posts, for the first time or again. */
export interface SubmitDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly queue: AudioQueue;
  readonly postDeletion: PostDeletion;
  readonly diskSpace: Pick<DiskSpace, 'requireRoom'>;
  readonly config: EnqueueLimits;
}

/** An article with the voice that `chooseVoice` found for it. */
export interface Submission {
  readonly site: Site;
  readonly voice: InstalledVoice;
  readonly request: GenerateRequest;
}

/**
 * Accepts an article: its row is the queue. A duplicate changes nothing.
 * @throws AppError `post_quota_exceeded`, `queue_full`, `disk_space_low`
 */
export async function submitPost(
  db: Queries,
  { queue, postDeletion, diskSpace, config }: SubmitDeps,
  { site, voice, request }: Submission,
): Promise<EnqueueResult> {
  const { postId, title, content, contentType: content_type } = request;
  const { id: voice_id, language } = voice;
  const request_hash = hashRequest(request, voice_id);
  const voice_replaced = Number(request.voiceId !== null && request.voiceId !== voice_id);
  const before = await findPost(db, site.id, postId);
  const post_id = before?.id ?? (await insertPost(db, site.id, request));
  if (before === undefined) {
    // The deleted post with this id cannot be restored any more.
    await removeDeletedPost(db, site.id, postId);
  } else {
    await updatePost(db, post_id, request.post);
    await postDeletion.withdrawIfHidden(db, before, request.post);
  }
  const existing = before && (await findAudio(db, post_id, language));
  if (existing !== undefined && existing.status !== 'failed' && isSameRequest(existing, request, voice)) {
    const audio = await getAudioSummary(db, existing.id);
    return { queued: false, message: duplicateMessages[existing.status], audio };
  }
  diskSpace.requireRoom('posts');
  await consumeQuota(
    db,
    { site, postId, language, existing, acceptedAt: new Date(currentTimeMs()) },
    config.quotaPosts,
  );
  const waiting = existing !== undefined && unfinishedStatuses.includes(existing.status) ? existing : undefined;
  if (waiting === undefined) await checkQueueCapacity(db, site.id, config);
  const priority = request.priority ?? waiting?.priority ?? 'normal';
  // A text corrected while it waits keeps its place. Virtual times of different priorities are not comparable.
  const virtual_time =
    waiting?.priority === priority ? waiting.virtual_time : queue.nextVirtualTime(site.id, priority, content.length);
  const queued = { voice_id, voice_replaced, title, content, content_type, request_hash, priority, virtual_time };
  const audioId = existing?.id ?? (await insertAudio(db, { ...queued, post_id, language, is_main: 1 }));
  if (existing !== undefined) {
    await requeueAudio(db, existing.id, queued);
    await postDeletion.deleteAudios(db, await listStaleExtras(db, existing, queued));
  }
  queue.notifyChanged(db, audioId);
  const audio = await getAudioSummary(db, audioId);
  return { queued: true, message: 'Audio generation queued', audio };
}

/** @returns extra voices of another text, and an extra voice that becomes the main voice */
async function listStaleExtras(db: Queries, before: Audio, now: QueuedText): Promise<number[]> {
  const sameText =
    before.title === now.title && before.content === now.content && before.content_type === now.content_type;
  const extras = await listExtras(db, before.post_id, before.language);
  return extras.flatMap(({ id, voice_id }) => (!sameText || voice_id === now.voice_id ? [id] : []));
}

/** The text may have been submitted with a voice that this one has replaced, unless the request names the new one. */
function isSameRequest(existing: Audio, request: GenerateRequest, { id, formerIds }: InstalledVoice): boolean {
  const voiceIds = request.voiceId === id ? [id] : [id, ...formerIds];
  return voiceIds.some((voiceId) => existing.request_hash === hashRequest(request, voiceId));
}

/** Of the queue, for each site, however many posts of others wait. */
const reservedShare = 0.01;

async function checkQueueCapacity(db: Queries, siteId: number, limits: EnqueueLimits): Promise<void> {
  const { all, ofSite } = await countQueuedPosts(db, siteId);
  const isFull = all >= limits.maxQueuedPosts && ofSite >= Math.floor(limits.maxQueuedPosts * reservedShare);
  if (isFull || ofSite >= limits.maxQueuedPostsPerSite) throw new AppError('queue_full');
}

/** A generate request that has passed every check that needs no database. */
export interface GenerateRequest {
  readonly postId: string;
  readonly content: string;
  readonly contentType: Audio['content_type'];
  readonly title: string | null;
  readonly post: PostFields;
  readonly voiceId: number | null;
  /** BCP 47 primary code. */
  readonly language: string | null;
  /** Null: keep the priority of a queued audio, else normal. */
  readonly priority: Priority | null;
}

/**
 * @param body the parsed JSON body
 * @param maxContentLength longest content, in code points
 * @throws AppError `validation_failed` with every wrong field
 */
export function parseGenerateRequest(body: unknown, maxContentLength: number): GenerateRequest {
  const errors = findFieldErrors(GenerateBody, body);
  const report = (field: string, problem: string | undefined): void => {
    if (problem !== undefined) errors[field] = [problem];
  };
  const typed = pickValidFields(body, errors);

  const { post_id: postId, content, post_title = typed.title, post_url = typed.url } = typed;
  if (postId !== undefined) report('post_id', validatePostId(postId));
  if (content !== undefined) report('content', validateContentLength(content, maxContentLength));
  const title = emptyToNull(post_title);
  const url = emptyToNull(post_url);
  if (url !== null) report(typed.post_url === undefined ? 'url' : 'post_url', validateUrl(url));
  const language = typed.language == null ? null : parsePrimaryLanguage(typed.language);
  if (language === undefined) report('language', 'must be a language code such as en or de');
  const publishAt = typed.publish_at == null ? null : parseIsoTimestamp(typed.publish_at);
  if (publishAt === undefined) report('publish_at', 'must be an ISO 8601 date and time');
  if (Object.keys(errors).length > 0 || postId === undefined || content === undefined) {
    throw invalidFields(errors);
  }

  return {
    postId,
    content,
    // Null also for posts that were stored before there was a choice.
    contentType: typed.content_type == null || typed.content_type === 'text/html' ? null : typed.content_type,
    title,
    post: {
      ...(post_url !== undefined && { url }),
      ...(typed.publish_at !== undefined && { publish_at: publishAt ?? null }),
      ...(typed.visibility != null && { visibility: typed.visibility }),
    },
    voiceId: typed.voice_id ?? null,
    language: language ?? null,
    priority: typed.priority ?? null,
  };
}

/** @returns the members without an error */
function pickValidFields(body: unknown, errors: FieldErrors): Partial<GenerateBody> {
  if (errors['body'] !== undefined) return {};
  return Object.fromEntries(Object.entries(body as GenerateBody).filter(([field]) => errors[field] === undefined));
}

/** Client ids may contain `/`, `:` and spaces, but no unprintable characters and no folder names of a path. */
function validatePostId(postId: string): string | undefined {
  if (postId === '.' || postId === '..') return 'must not be . or ..';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(postId) || !postId.isWellFormed()) {
    return 'must contain only printable characters';
  }
  return postId.trim() === '' ? 'must not be blank' : undefined;
}

/** @param max in code points, without scripts and style sheets; @returns the problem with the length of an article */
export function validateContentLength(content: string, max: number): string | undefined {
  // Counting walks the text; its UTF-16 length decides most cases.
  if (content.length <= max) return undefined;
  const text = removePrograms(content);
  const isTooLong = text.length > 2 * max || (text.length > max && countCodePoints(text) > max);
  return isTooLong ? `must be at most ${max} characters` : undefined;
}

/** In linear time: an element without an end ends the search for others of its kind. */
function removePrograms(html: string): string {
  const starts = /<(script|style)[\s>]/gi;
  const unended = new Set<string>();
  let text = '';
  let from = 0;
  for (let start = starts.exec(html); start !== null; start = starts.exec(html)) {
    const name = (start[1] ?? '').toLowerCase();
    if (unended.has(name)) continue;
    const endTag = new RegExp(`</${name}\\s{0,9}>`, 'gi');
    endTag.lastIndex = starts.lastIndex;
    if (endTag.exec(html) === null) {
      unended.add(name);
      continue;
    }
    text += html.slice(from, start.index);
    from = endTag.lastIndex;
    starts.lastIndex = from;
  }
  return text + html.slice(from);
}

/** @returns the problem with the URL of a post */
export function validateUrl(url: string): string | undefined {
  const parsed = parseHttpUrl(url);
  if (parsed === undefined) return 'must be an http(s) URL';
  // Feeds and players publish it.
  if (parsed.username !== '' || parsed.password !== '') {
    return 'must not contain a user name or password';
  }
  return undefined;
}

function emptyToNull(given: string | null | undefined): string | null {
  return given === undefined || given === null || given.trim() === '' ? null : given;
}
