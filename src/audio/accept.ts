import { createHash } from 'node:crypto';
import type { Database, Queries } from '../database/open.ts';
import type { Audio, AudioStatus, Priority, Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import type { PlanFigures } from '../setting.ts';
import type { InstalledVoice } from '../voices/catalog.ts';
import { takeQuota } from './quota.ts';
import { deleteAudios, extrasOf, type Removed } from './removal/store.ts';
import type { GenerateRequest } from './request.ts';
import {
  type AudioView,
  countUnfinished,
  findAudio,
  insertAudio,
  keepPost,
  type QueuedText,
  requeueAudio,
  unfinished,
  viewOf,
} from './store.ts';

/** What became of a generate request. */
export interface Accepted {
  /** False when the same text was accepted before: nothing was queued. */
  readonly queued: boolean;
  readonly message: string;
  readonly audio: AudioView;
  /** Further voices that don't fit the text any more; `Removal.settle` is told of them. */
  readonly removed: Removed;
}

export interface AcceptLimits {
  readonly quotaPosts: PlanFigures;
  readonly queuedPostsMax: number;
  readonly queuedPostsPerSiteMax: number;
}

const nothing: Removed = { audioIds: [], mediaKeys: [] };

const repeatMessage: Record<Exclude<AudioStatus, 'failed'>, string> = {
  pending: 'Audio already queued',
  generating: 'Audio already in progress',
  ready: 'Audio already ready',
};

/** What else belongs into the transaction that accepts a request. */
export type AlsoOnAccept = (db: Queries, accepted: Accepted) => Promise<void>;

/**
 * Stores a request, in one durable transaction; its row is the queue.
 * @param turnOf the place in the queue of a text so long
 * @param also is not called for a repeat, which changes nothing
 * @throws AppError `post_quota_exceeded`, `queue_full`; nothing is stored then
 */
export async function acceptRequest(
  database: Database,
  site: Site,
  voice: InstalledVoice,
  request: GenerateRequest,
  limits: AcceptLimits,
  turnOf: (siteId: number, priority: Priority, cost: number) => number,
  also: AlsoOnAccept = async () => {},
): Promise<Accepted> {
  const requestHash = hashOfRequest(request, voice.id);
  return database.write(async (db) => {
    const postRowId = await keepPost(db, site.id, request);
    const known = await findAudio(db, postRowId, voice.language);
    if (known !== undefined && known.request_hash === requestHash && known.status !== 'failed') {
      const message = repeatMessage[known.status];
      return { queued: false, message, audio: await viewOf(db, known.id), removed: nothing };
    }
    await takeQuota(
      db,
      {
        site,
        postId: request.postId,
        language: voice.language,
        known,
        acceptedAt: new Date(),
      },
      limits.quotaPosts,
    );
    const waiting = known !== undefined && isUnfinished(known) ? known : undefined;
    if (waiting === undefined) await checkRoom(db, site.id, limits);
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
    const audioId = known?.id ?? (await insertAudio(db, fresh));
    if (known !== undefined) await requeueAudio(db, known.id, queued);
    const removed = known === undefined ? nothing : await dropExtras(db, known, queued);
    const audio = await viewOf(db, audioId);
    const accepted = { queued: true, message: 'Audio generation queued', audio, removed };
    await also(db, accepted);
    return accepted;
  });
}

/** Another text ends its further voices; a voice that becomes the main one is no further voice any more. */
async function dropExtras(db: Queries, before: Audio, now: QueuedText): Promise<Removed> {
  const sameText = before.title === now.title && before.content === now.content;
  const extras = await extrasOf(db, before.post_id, before.language);
  const over = extras.filter(({ voice_id }) => !sameText || voice_id === now.voice_id);
  return deleteAudios(
    db,
    over.map(({ id }) => id),
  );
}

function hashOfRequest(request: GenerateRequest, voiceId: number): string {
  const text = JSON.stringify([request.title, request.content, voiceId]);
  return createHash('sha256').update(text).digest('hex');
}

function isUnfinished(audio: Audio): boolean {
  return unfinished.includes(audio.status);
}

async function checkRoom(db: Queries, siteId: number, limits: AcceptLimits): Promise<void> {
  const { all, ofSite } = await countUnfinished(db, siteId);
  if (all < limits.queuedPostsMax && ofSite < limits.queuedPostsPerSiteMax) return;
  throw new AppError('queue_full', 'The queue is full');
}
