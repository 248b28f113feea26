import { isIP } from 'node:net';
import { parse } from 'tldts';
import { diffStates, insertAuditEntry, listAuditEntries } from '../auth/audit-log.ts';
import { normalizeDomain } from '../auth/domain-access.ts';
import { undoableSince } from '../auth/undo.ts';
import type { Queries } from '../database/database.ts';
import type { Plan, UserRole } from '../database/schema.ts';
import { AppError, invalid } from '../errors.ts';
import { requireName, requireTimestamp } from '../http/validation.ts';
import { parseTimeZone } from '../setting.ts';
import { validateNarrationSettings } from '../speech/narration-settings.ts';
import { type InstalledVoice, isNamedBy } from '../voices/catalog.ts';
import { isUnlocked, listVoices } from '../voices/store.ts';
import { type SiteChanges, validateFeedChanges } from './settings.ts';
import {
  addDomain,
  deleteDomainClaim,
  findSite,
  insertDomainClaim,
  insertSite,
  listDomains,
  maxDomains,
  type NewSite,
  removeDomain,
  type SiteWithDomains,
  setPrimaryDomain,
  toAuditState,
  toSiteRecord,
  updateSiteRow,
} from './store.ts';

/**
 * @param voices all installed voices
 * @throws AppError `validation_failed`: unknown, disabled or duplicate; `plan_restriction`: above the site's plan
 */
export function validateVoiceChoice(
  voices: readonly InstalledVoice[],
  plan: Plan,
  { default_voice_id, default_voices, extra_voices }: SiteChanges,
): void {
  if (default_voice_id != null) validateVoice(voices, plan, 'default_voice_id', default_voice_id);
  for (const voiceId of extra_voices ?? []) validateVoice(voices, plan, 'extra_voices', voiceId);
  if (hasDuplicates(extra_voices)) throw invalid('extra_voices', 'must not contain duplicates');
  const languages = default_voices?.map((voiceId) => validateVoice(voices, plan, 'default_voices', voiceId).language);
  if (hasDuplicates(languages)) throw invalid('default_voices', 'must contain at most one voice per language');
}

function hasDuplicates(values: readonly unknown[] = []): boolean {
  return new Set(values).size < values.length;
}

function validateVoice(voices: readonly InstalledVoice[], plan: Plan, field: string, voiceId: number): InstalledVoice {
  const voice = voices.find((voice) => isNamedBy(voice, voiceId) && voice.enabled === 1);
  if (voice === undefined) throw invalid(field, `voice ${voiceId} not found`);
  if (!isUnlocked(voice, { plan })) {
    throw new AppError('plan_restriction', 'Plan restriction', {
      [field]: [`voice ${voiceId} requires the ${voice.plan_required} plan`],
    });
  }
  return voice;
}

/**
 * Changes of sites and domains, each with its entry in the audit log; run them in a transaction. `userId` is null for the
 * command line.
 */

/**
 * @param force also adds public suffixes and IP addresses
 * @throws AppError `domain_taken`, `validation_failed`
 */
export async function createSite(
  db: Queries,
  userId: number | null,
  site: NewSite,
  force = false,
): Promise<SiteWithDomains> {
  if (!force) for (const host of site.domains) requireOwnableDomain(normalizeDomain(host));
  const created = await insertSite(db, parseSettings(site));
  await insertAuditEntry(db, {
    ...{ userId, action: 'site.created', siteId: created.id, subject: created.slug },
    after: toSiteRecord(created),
  });
  return created;
}

/** @throws AppError `validation_failed` */
function parseSettings<Settings extends Pick<SiteChanges, 'name' | 'trial_ends_at' | 'time_zone'>>(
  settings: Settings,
): Settings {
  const { name, trial_ends_at, time_zone } = settings;
  return {
    ...settings,
    ...(name !== undefined && { name: requireName(name) }),
    ...(trial_ends_at != null && { trial_ends_at: requireTimestamp('trial_ends_at', trial_ends_at) }),
    ...(time_zone !== undefined && { time_zone: requireTimeZone(time_zone) }),
  };
}

function requireTimeZone(text: string): string {
  const name = parseTimeZone(text);
  if (name !== undefined) return name;
  throw invalid('time_zone', 'must be an IANA time zone such as Europe/Berlin');
}

/** @returns the settings with the successors of voices that are gone */
async function resolveVoices<
  Settings extends Pick<SiteChanges, 'default_voice_id' | 'default_voices' | 'extra_voices'>,
>(db: Queries, settings: Settings): Promise<Settings> {
  const { default_voice_id, default_voices, extra_voices } = settings;
  if (default_voice_id == null && default_voices === undefined && extra_voices === undefined) return settings;
  const successors = new Map((await listVoices(db)).map(({ id, replaced_by }) => [id, replaced_by]));
  const resolve = (id: number): number => successors.get(id) ?? id;
  const resolveAll = (ids: readonly number[]): number[] => [...new Set(ids.map(resolve))];
  return {
    ...settings,
    ...(default_voice_id != null && { default_voice_id: resolve(default_voice_id) }),
    ...(default_voices !== undefined && { default_voices: resolveAll(default_voices) }),
    ...(extra_voices !== undefined && { extra_voices: resolveAll(extra_voices) }),
  };
}

/** @throws AppError `not_found`; `validation_failed`: a name, time, selector or address that can't be used */
export async function updateSite(
  db: Queries,
  userId: number | null,
  siteId: number,
  changes: SiteChanges,
): Promise<SiteWithDomains> {
  validateNarrationSettings(changes.reading ?? {});
  validateFeedChanges(changes.feed ?? {});
  const before = await findSite(db, String(siteId));
  const after = await updateSiteRow(db, before, await resolveVoices(db, parseSettings(changes)));
  const changed = diffStates(toAuditState(before), toAuditState(after));
  if (changed !== undefined) {
    const subject = after.slug;
    await insertAuditEntry(db, { userId, action: 'site.updated', siteId, subject, ...changed });
  }
  return after;
}

/**
 * Hosts of an intranet, such as `localhost` and `cms`, are no public suffixes.
 * @throws AppError `validation_failed` for a host that has no single owner: a public suffix, an IP address
 */
function requireOwnableDomain(domain: string): void {
  const refuse = (reason: string) =>
    invalid(
      'domain',
      `${domain} is ${reason}. An admin can add it with "force" in the API or --force on the command line.`,
    );
  if (domain.startsWith('[') || isIP(domain) !== 0) throw refuse('an IP address');
  const found = parse(domain, { allowPrivateDomains: true, extractHostname: false, validateHostname: false });
  if (found.publicSuffix === domain && (found.isIcann === true || found.isPrivate === true)) {
    throw refuse('a public suffix, under which anyone can have a host');
  }
}

/** The changes of the domains of a site, by the last part of their action in the audit log. */
const domainChanges = { added: addDomain, primary: setPrimaryDomain, removed: removeDomain };
export type DomainChange = keyof typeof domainChanges;

/**
 * @param force also adds public suffixes and IP addresses
 * @returns the new domains, the primary one first
 * @throws AppError `validation_failed` for an invalid host name; as the change
 */
export async function changeDomain(
  db: Queries,
  userId: number | null,
  siteId: number,
  change: DomainChange,
  host: string,
  force = false,
): Promise<{ domains: string[]; isChanged: boolean }> {
  const domain = normalizeDomain(host);
  const before = await listDomains(db, siteId);
  if (change === 'added' && !force && !before.includes(domain)) requireOwnableDomain(domain);
  if (change === 'added') await deleteDomainClaim(db, siteId, domain);
  await domainChanges[change](db, siteId, domain);
  const domains = await listDomains(db, siteId);
  const isChanged = !Bun.deepEquals(before, domains);
  if (isChanged) {
    await insertAuditEntry(db, {
      ...{ userId, action: `domain.${change}`, siteId, subject: domain },
      ...{ before: { domains: before }, after: { domains } },
    });
  }
  return { domains, isChanged };
}

/**
 * Undoes the removal of a domain; its position comes from the audit log. An editor cannot undo a removal by an admin.
 * @throws AppError `not_found`, also when it was more than a minute ago; `domain_taken`, `conflict` as `addDomain`
 */
export async function restoreDomain(
  db: Queries,
  user: { readonly id: number; readonly role: UserRole },
  siteId: number,
  host: string,
): Promise<void> {
  const subject = normalizeDomain(host);
  const removals = await listAuditEntries(db, {
    ...{ siteId, action: 'domain.removed', from: undoableSince(), limit: maxDomains },
    ...{ actor: undefined, to: undefined, before: undefined },
  });
  const removal = removals.find((entry) => entry.subject === subject);
  if (removal?.before == null || (user.role !== 'admin' && removal.user_id !== user.id)) {
    throw new AppError('not_found', `Domain ${subject} not found among those removed in the last minute`);
  }
  await changeDomain(db, user.id, siteId, 'added', subject, true);
  const { domains } = JSON.parse(removal.before) as { domains: string[] };
  if (domains[0] === subject) await changeDomain(db, user.id, siteId, 'primary', subject);
}

/**
 * Stores the request of an editor for a domain, until an admin decides. It gives no access, and other sites may request the same host.
 * @throws AppError `validation_failed`, `domain_taken`, `conflict`
 */
export async function requestDomain(
  db: Queries,
  user: { readonly id: number; readonly email: string },
  siteId: number,
  host: string,
): Promise<void> {
  const domain = normalizeDomain(host);
  requireOwnableDomain(domain);
  const isNew = await insertDomainClaim(db, siteId, { domain, requested_by: user.email });
  if (isNew) await insertAuditEntry(db, { userId: user.id, action: 'domain.requested', siteId, subject: domain });
}

/** @returns false if the user has not requested the domain */
export async function withdrawDomainRequest(
  db: Queries,
  user: { readonly id: number; readonly email: string },
  siteId: number,
  host: string,
): Promise<boolean> {
  const domain = normalizeDomain(host);
  const claim = await deleteDomainClaim(db, siteId, domain, user.email);
  if (claim === undefined) return false;
  await insertAuditEntry(db, { userId: user.id, action: 'domain.withdrawn', siteId, subject: domain });
  return true;
}

/**
 * Registers a requested domain, or drops the request.
 * @throws AppError `not_found` without such a request; `domain_taken` if another site has got the domain since
 */
export async function resolveDomainRequest(
  db: Queries,
  userId: number | null,
  siteId: number,
  resolution: 'approved' | 'rejected',
  host: string,
): Promise<void> {
  const domain = normalizeDomain(host);
  const claim = await deleteDomainClaim(db, siteId, domain);
  if (claim === undefined) throw new AppError('not_found', `No request for ${domain} found on this site`);
  const before = await listDomains(db, siteId);
  if (resolution === 'approved') await addDomain(db, siteId, domain);
  const { requested_by } = claim;
  await insertAuditEntry(db, {
    ...{ userId, action: `domain.${resolution}`, siteId, subject: domain },
    ...{ before: { domains: before, requested_by }, after: { domains: await listDomains(db, siteId) } },
  });
}
