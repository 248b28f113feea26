import { createHash } from 'node:crypto';
import type { Database, Queries } from '../database/open.ts';
import type { Audio, AudioStatus, Priority, Site } from '../database/schema.ts';
import { AppError, type FieldErrors } from '../errors.ts';
import { findFieldErrors, parseIsoTimestamp, parsePrimaryLanguage } from '../http/validation.ts';
import type { PlanLimits } from '../setting.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { chooseVoice } from './choose-voice.ts';
import { type DeletedAudio, deleteAudios, listExtras, type PostDeletion } from './deletion.ts';
import type { AudioQueue } from './queue.ts';
import { consumeQuota } from './quota.ts';
import { GenerateBody } from './schema.ts';
import {
  type AudioSummary,
  countUnfinished,
  findAudio,
  getAudioSummary,
  insertAudio,
  type QueuedText,
  requeueAudio,
  unfinishedStatuses,
  upsertPost,
} from './store.ts';

/** What became of a generate request. */
export interface EnqueueResult {
  /** False when the same text was accepted before: nothing was queued. */
  readonly queued: boolean;
  readonly message: string;
  readonly audio: AudioSummary;
  /** Further voices that don't fit the text any more; `Removal.settle` is told of them. */
  readonly deletedAudio: DeletedAudio;
}

export interface EnqueueLimits {
  readonly quotaPosts: PlanLimits;
  readonly maxQueuedPosts: number;
  readonly maxQueuedPostsPerSite: number;
}

const noDeletedAudio: DeletedAudio = { audioIds: [], mediaKeys: [] };

const duplicateMessages: Record<Exclude<AudioStatus, 'failed'>, string> = {
  pending: 'Audio already queued',
  generating: 'Audio already in progress',
  ready: 'Audio already ready',
};

/** What else belongs into the transaction that accepts a request. */
export type InTransaction = (db: Queries, accepted: EnqueueResult) => Promise<void>;

/**
 * Stores a request, in one durable transaction; its row is the queue.
 * @param turnOf the place in the queue of a text so long
 * @param also is not called for a repeat, which changes nothing
 * @throws AppError `post_quota_exceeded`, `queue_full`; nothing is stored then
 */
async function enqueuePost(
  database: Database,
  site: Site,
  voice: InstalledVoice,
  request: GenerateRequest,
  limits: EnqueueLimits,
  turnOf: (siteId: number, priority: Priority, cost: number) => number,
  also: InTransaction = async () => {},
): Promise<EnqueueResult> {
  const requestHash = hashRequest(request, voice.id);
  return database.write(async (db) => {
    const postRowId = await upsertPost(db, site.id, request);
    const existing = await findAudio(db, postRowId, voice.language);
    if (existing !== undefined && existing.request_hash === requestHash && existing.status !== 'failed') {
      const message = duplicateMessages[existing.status];
      return {
        queued: false,
        message,
        audio: await getAudioSummary(db, existing.id),
        deletedAudio: noDeletedAudio,
      };
    }
    await consumeQuota(
      db,
      {
        site,
        postId: request.postId,
        language: voice.language,
        existing,
        acceptedAt: new Date(),
      },
      limits.quotaPosts,
    );
    const waiting = existing !== undefined && isUnfinished(existing) ? existing : undefined;
    if (waiting === undefined) await checkQueueCapacity(db, site.id, limits);
    const cost = request.content.length;
    const priority = request.priority ?? waiting?.priority ?? 'normal';
    const queued = {
      voice_id: voice.id,
      title: request.title,
      content: request.content,
      request_hash: requestHash,
      priority,
      // A text corrected while it waits keeps its place; turns of another priority count from elsewhere.
      turn: waiting?.priority === priority ? waiting.turn : turnOf(site.id, priority, cost),
    };
    const fresh = { ...queued, post_id: postRowId, language: voice.language, is_main: 1 };
    const audioId = existing?.id ?? (await insertAudio(db, fresh));
    if (existing !== undefined) await requeueAudio(db, existing.id, queued);
    const deletedAudio = existing === undefined ? noDeletedAudio : await deleteStaleExtras(db, existing, queued);
    const audio = await getAudioSummary(db, audioId);
    const accepted = { queued: true, message: 'Audio generation queued', audio, deletedAudio };
    await also(db, accepted);
    return accepted;
  });
}

/** Another text ends its further voices; a voice that becomes the main one is no further voice any more. */
async function deleteStaleExtras(db: Queries, before: Audio, now: QueuedText): Promise<DeletedAudio> {
  const sameText = before.title === now.title && before.content === now.content;
  const extras = await listExtras(db, before.post_id, before.language);
  const over = extras.filter(({ voice_id }) => !sameText || voice_id === now.voice_id);
  return deleteAudios(
    db,
    over.map(({ id }) => id),
  );
}

function hashRequest(request: GenerateRequest, voiceId: number): string {
  const text = JSON.stringify([request.title, request.content, voiceId]);
  return createHash('sha256').update(text).digest('hex');
}

function isUnfinished(audio: Audio): boolean {
  return unfinishedStatuses.includes(audio.status);
}

async function checkQueueCapacity(db: Queries, siteId: number, limits: EnqueueLimits): Promise<void> {
  const { all, ofSite } = await countUnfinished(db, siteId);
  if (all < limits.maxQueuedPosts && ofSite < limits.maxQueuedPostsPerSite) return;
  throw new AppError('queue_full', 'Queue full');
}

export interface SubmitDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly queue: Pick<AudioQueue, 'nextVirtualTime' | 'notifyChanged'>;
  readonly postDeletion: Pick<PostDeletion, 'afterCommit'>;
  readonly limits: EnqueueLimits;
}

/**
 * Takes an article from whoever may hand one in: chooses the voice, stores it, and has it spoken.
 * @param also what belongs into the same transaction
 * @throws AppError `validation_failed`, `plan_restriction`: its voice; `post_quota_exceeded`, `queue_full`
 */
export async function submitPost(
  { database, catalog, queue, postDeletion: removal, limits }: SubmitDeps,
  site: Site,
  request: GenerateRequest,
  also?: InTransaction,
): Promise<EnqueueResult> {
  const voice = await chooseVoice(catalog, site, request);
  const accepted = await enqueuePost(database, site, voice, request, limits, queue.nextVirtualTime, also);
  if (accepted.queued) await queue.notifyChanged(accepted.audio.id);
  await removal.afterCommit(accepted.deletedAudio);
  return accepted;
}

/** A generate request that has passed every check that needs no database. */
export interface GenerateRequest {
  readonly postId: string;
  readonly content: string;
  readonly title: string | null;
  readonly post: PostFields;
  readonly voiceId: number | null;
  /** BCP 47 primary code. */
  readonly language: string | null;
  /** Null where the request says nothing of it. */
  readonly priority: Priority | null;
}

/** What a request says of the post itself; what it doesn't name stays as it was. */
interface PostFields {
  readonly url?: string | null;
  readonly publish_at?: string | null;
  readonly visibility?: 'public' | 'private';
}

/**
 * @param body the parsed JSON body
 * @param maxContentLength longest content, in code points
 * @throws AppError `validation_failed` naming every field that is wrong
 */
export function parseGenerateRequest(body: unknown, maxContentLength: number): GenerateRequest {
  const errors = new ValidationErrors(findFieldErrors(GenerateBody, body));
  const typed = pickValidFields(body, errors);
  const { post_id: postId, content } = typed;

  if (postId !== undefined) errors.add('post_id', validatePostId(postId));
  if (content !== undefined && content.length > maxContentLength) {
    errors.add('content', validateLength(content, maxContentLength));
  }
  const title = emptyToNull(typed.post_title);
  const url = emptyToNull(typed.post_url);
  if (url !== null) errors.add('post_url', validateUrl(url));
  const language = typed.language == null ? null : parsePrimaryLanguage(typed.language);
  if (language === undefined) errors.add('language', 'must be a language code such as en or de');
  const publishAt = typed.publish_at == null ? null : parseIsoTimestamp(typed.publish_at);
  if (publishAt === undefined) errors.add('publish_at', 'must be an ISO 8601 date and time');
  if (!errors.isEmpty || postId === undefined || content === undefined) throw errors.toError();

  return {
    postId,
    content,
    title,
    post: {
      ...(typed.post_url !== undefined && { url }),
      ...(typed.publish_at !== undefined && { publish_at: publishAt ?? null }),
      ...(typed.visibility != null && { visibility: typed.visibility }),
    },
    voiceId: typed.voice_id ?? null,
    language: language ?? null,
    priority: typed.priority ?? null,
  };
}

class ValidationErrors {
  readonly #fields: FieldErrors;

  constructor(found: FieldErrors) {
    this.#fields = found;
  }

  has(field: string): boolean {
    return this.#fields[field] !== undefined;
  }

  get isEmpty(): boolean {
    return Object.keys(this.#fields).length === 0;
  }

  add(field: string, problem: string | undefined): void {
    if (problem === undefined) return;
    const known = this.#fields[field];
    if (known === undefined) this.#fields[field] = [problem];
    else if (!known.includes(problem)) known.push(problem);
  }

  toError(): AppError {
    return new AppError('validation_failed', 'Validation failed', this.#fields);
  }
}

/** @returns the members that nothing was found wrong with */
function pickValidFields(body: unknown, errors: ValidationErrors): Partial<GenerateBody> {
  if (errors.has('body')) return {};
  return Object.fromEntries(Object.entries(body as GenerateBody).filter(([field]) => !errors.has(field)));
}

/** Client ids hold `/`, `:` and spaces; what can't be printed or means a folder in a path is refused. */
function validatePostId(postId: string): string | undefined {
  if (postId === '.' || postId === '..') return 'must not be . or ..';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(postId) || !postId.isWellFormed()) {
    return 'must contain only printable characters';
  }
  return postId.trim() === '' ? 'must not be blank' : undefined;
}

/** @returns what is wrong with a text of more code points than allowed */
export function validateLength(text: string, max: number): string | undefined {
  // Counting code points walks the string; its UTF-16 length settles most cases.
  const length = text.length > 2 * max ? text.length : countCodePoints(text);
  if (length > max) return `must be at most ${max} characters`;
  return undefined;
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) count -= 1;
  }
  return count;
}

/** @returns what is wrong with the address of a post */
export function validateUrl(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return 'must be an http(s) URL';
  // Feeds and players show it to everyone.
  if (parsed.username !== '' || parsed.password !== '') {
    return 'must not contain a user name or password';
  }
  return undefined;
}

function emptyToNull(given: string | null | undefined): string | null {
  return given === undefined || given === null || given.trim() === '' ? null : given;
}
