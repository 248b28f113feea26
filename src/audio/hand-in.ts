import type { Database } from '../database/open.ts';
import type { Site } from '../database/tables.ts';
import type { Catalog } from '../voices/catalog.ts';
import { type Accepted, type AcceptLimits, type AlsoOnAccept, acceptRequest } from './accept.ts';
import { chooseVoice } from './choose-voice.ts';
import type { AudioQueue } from './production/queue.ts';
import type { Removal } from './removal/post-removal.ts';
import type { GenerateRequest } from './request.ts';

export interface HandInDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly queue: Pick<AudioQueue, 'turnOf' | 'changed'>;
  readonly removal: Pick<Removal, 'settle'>;
  readonly limits: AcceptLimits;
}

/**
 * Takes an article from whoever may hand one in: chooses the voice, stores it, and has it spoken.
 * @param also what belongs into the same transaction
 * @throws AppError `validation_failed`, `plan_restriction`: its voice; `post_quota_exceeded`, `queue_full`
 */
export async function handIn(
  { database, catalog, queue, removal, limits }: HandInDeps,
  site: Site,
  request: GenerateRequest,
  also?: AlsoOnAccept,
): Promise<Accepted> {
  const voice = await chooseVoice(catalog, site, request);
  const accepted = await acceptRequest(database, site, voice, request, limits, queue.turnOf, also);
  if (accepted.queued) await queue.changed(accepted.audio.id);
  await removal.settle(accepted.removed);
  return accepted;
}
