import {
  type CreatedKey,
  createKey,
  findKey,
  type KeptKey,
  listKeys,
  revokeKey,
  rotateKeys,
} from '../auth/api-keys.ts';
import { audit, difference } from '../auth/audit-log.ts';
import type { Queries } from '../database/open.ts';
import type { Plan, Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { checkReading } from '../speech/narration-settings.ts';
import { isUnlocked } from '../voices/store.ts';
import { checkFeed } from './feed-settings.ts';
import {
  auditedSite,
  findSite,
  insertSite,
  listDomains,
  type NewSite,
  type SiteChanges,
  type SiteWithDomains,
  siteRecord,
  updateSite,
} from './store.ts';

/** What a site is to be told about voices. */
export interface VoiceChoice {
  readonly defaultVoiceId?: number | null | undefined;
  readonly extraVoices?: readonly number[] | undefined;
}

/**
 * Whether a site may use the voices it is given.
 * @param voices those that are installed
 * @throws AppError `validation_failed`: unknown, disabled or named twice; `plan_restriction`: above the site's plan
 */
export function checkVoiceChoice(
  voices: readonly Voice[],
  plan: Plan,
  { defaultVoiceId, extraVoices }: VoiceChoice,
): void {
  if (typeof defaultVoiceId === 'number') {
    checkVoice(voices, plan, 'default_voice_id', defaultVoiceId);
  }
  for (const voiceId of extraVoices ?? []) checkVoice(voices, plan, 'extra_voices', voiceId);
  if (extraVoices !== undefined && new Set(extraVoices).size < extraVoices.length) {
    throw wrong('extra_voices', 'must not name a voice twice');
  }
}

function checkVoice(voices: readonly Voice[], plan: Plan, field: string, voiceId: number): void {
  const voice = voices.find(({ id, enabled }) => id === voiceId && enabled === 1);
  if (voice === undefined) throw wrong(field, `there is no voice ${voiceId}`);
  if (!isUnlocked(voice, { plan })) {
    throw new AppError('plan_restriction', 'Plan restriction', {
      [field]: [`voice ${voiceId} needs the plan ${voice.plan_required}`],
    });
  }
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}

/**
 * Changes of sites, domains and keys, each with its entry in the audit log. Run them in a transaction: both are kept, or
 * neither. `userId` is null where a command makes the change.
 */

/** @throws AppError `domain_taken`, `validation_failed` */
export async function addSite(
  db: Queries,
  userId: number | null,
  site: NewSite,
): Promise<SiteWithDomains> {
  const made = await insertSite(db, site);
  await audit(db, {
    ...{ userId, action: 'site.created', siteId: made.id, subject: made.slug },
    after: siteRecord(made),
  });
  return made;
}

/** @throws AppError `not_found`; `validation_failed`: a selector or an address that can't be used */
export async function changeSite(
  db: Queries,
  userId: number | null,
  siteId: number,
  changes: SiteChanges,
): Promise<SiteWithDomains> {
  checkReading(changes.reading ?? {});
  checkFeed(changes.feed ?? {});
  const before = await findSite(db, String(siteId));
  const after = await updateSite(db, siteId, changes);
  const changed = difference(auditedSite(before), auditedSite(after));
  if (changed !== undefined) {
    const subject = after.slug;
    await audit(db, { userId, action: 'site.updated', siteId, subject, ...changed });
  }
  return after;
}

/**
 * @param domain the one that is added, removed or made primary
 * @returns the domains as they are then, the primary one first
 */
export async function changeDomains(
  db: Queries,
  userId: number | null,
  { siteId, action, domain }: { siteId: number; action: string; domain: string },
  work: () => Promise<unknown>,
): Promise<string[]> {
  const before = await listDomains(db, siteId);
  await work();
  const after = await listDomains(db, siteId);
  if (!Bun.deepEquals(before, after)) {
    await audit(db, {
      ...{ userId, action, siteId, subject: domain },
      ...{ before: { domains: before }, after: { domains: after } },
    });
  }
  return after;
}

export async function addKey(
  db: Queries,
  userId: number | null,
  siteId: number,
  name: string,
): Promise<CreatedKey> {
  const { key, ...kept } = await createKey(db, siteId, name);
  await audit(db, { userId, action: 'key.created', siteId, subject: name, after: kept });
  return { key, ...kept };
}

/** Makes a key invalid; one that is already stays as it is. @throws AppError `not_found` */
export async function endKey(
  db: Queries,
  userId: number | null,
  siteId: number,
  keyId: number,
): Promise<KeptKey> {
  const before = await findKey(db, siteId, keyId);
  if (before === undefined) throw new AppError('not_found', `There is no key ${keyId}`);
  if (before.revoked_at !== null) return before;
  await revokeKey(db, keyId);
  const after = (await findKey(db, siteId, keyId)) ?? before;
  const subject = before.name;
  await audit(db, { userId, action: 'key.revoked', siteId, subject, before, after });
  return after;
}

/** Makes every key of a site invalid, and a new one. */
export async function replaceKeys(
  db: Queries,
  userId: number | null,
  siteId: number,
  name: string,
): Promise<CreatedKey> {
  const inForce = (await listKeys(db, siteId)).filter((one) => one.revoked_at === null);
  const { key, ...kept } = await rotateKeys(db, siteId, name);
  await audit(db, {
    ...{ userId, action: 'key.rotated', siteId, subject: name },
    before: { keys: inForce.map(({ id, name, prefix }) => ({ id, name, prefix })) },
    after: kept,
  });
  return { key, ...kept };
}
