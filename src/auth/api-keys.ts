import { hash, randomBytes } from 'node:crypto';
import PQueue from 'p-queue';
import { currentTimeMs, timestamp } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { cacheUntilWrite, type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import type { ApiKey, Site } from '../database/schema.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import {
  clientNetwork,
  consumeAttempt,
  type RateBudget,
  type RateLimiter,
  type WindowCounter,
} from '../http/rate-limit.ts';
import { getBearerToken, requestContext } from '../http/request-context.ts';
import { requireName } from '../http/validation.ts';
import { insertAuditEntry } from './audit-log.ts';
import { findSubscriptionLapse } from './domain-access.ts';
import type { RequireSession } from './sessions.ts';
import { undoableSince } from './undo.ts';

const defaultKeyName = 'production';
const keyPrefix = 'svc_live_';
const secretByteCount = 32;
/** Characters of a key that are stored in plain text, for recognition. */
const prefixLength = keyPrefix.length + 6;

/** A new key; its value is not stored. */
export interface CreatedKey {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
}

/** @returns SHA-256, hex: the only stored form of a key */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function hasKeyFormat(text: string): boolean {
  return /^svc_live_[A-Za-z0-9_-]{43}$/.test(text);
}

function hasKeyPrefix(token: string): boolean {
  return token.startsWith(keyPrefix);
}

async function insertKey(db: Queries, siteId: number, givenName = defaultKeyName): Promise<CreatedKey> {
  const name = requireName(givenName);
  const key = keyPrefix + randomBytes(secretByteCount).toString('base64url');
  const summary = { name, prefix: key.slice(0, prefixLength), created_at: timestamp() };
  const { id } = await db
    .insertInto('api_key')
    .values({ site_id: siteId, ...summary, hash: hashKey(key), last_used_at: null, revoked_at: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { key, id, ...summary };
}

/** A key without secrets. */
export type KeySummary = Omit<ApiKey, 'hash' | 'site_id'>;

const keySummaryColumns = ['id', 'name', 'prefix', 'created_at', 'last_used_at', 'revoked_at'] as const;

/**
 * @param before id of the last key of the page before
 * @returns the keys of a site, newest first
 */
export function listKeys(
  db: Queries,
  siteId: number,
  { before, limit }: { before?: number | undefined; limit?: number | undefined } = {},
): Promise<KeySummary[]> {
  return db
    .selectFrom('api_key')
    .select(keySummaryColumns)
    .where('site_id', '=', siteId)
    .$if(before !== undefined, (all) => all.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .$if(limit !== undefined, (all) => all.limit(limit ?? 0))
    .execute();
}

/** @throws AppError `not_found` for an unknown or revoked key */
export async function findSiteOfActiveKey(db: Queries, keyId: number): Promise<number> {
  const row = await db
    .selectFrom('api_key')
    .select('site_id')
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw notFound('Active API key', keyId);
  return row.site_id;
}

/**
 * Changes of keys, each with its entry in the audit log; run them in a transaction. `userId` is null where a command makes
 * the change.
 */
export async function createKey(
  db: Queries,
  userId: number | null,
  siteId: number,
  name?: string,
): Promise<CreatedKey> {
  const created = await insertKey(db, siteId, name);
  const { key: _, ...after } = created;
  await insertAuditEntry(db, { userId, action: 'key.created', siteId, subject: created.name, after });
  return created;
}

/** A revoked key stays as it is. @throws AppError `not_found` */
export async function revokeKey(
  db: Queries,
  userId: number | null,
  siteId: number,
  keyId: number,
): Promise<KeySummary> {
  const before = (await listKeys(db, siteId)).find(({ id }) => id === keyId);
  if (before === undefined) throw notFound('API key', keyId);
  if (before.revoked_at !== null) return before;
  const after = { ...before, revoked_at: timestamp() };
  await db.updateTable('api_key').set({ revoked_at: after.revoked_at }).where('id', '=', keyId).execute();
  await insertAuditEntry(db, { userId, action: 'key.revoked', siteId, subject: before.name, before, after });
  return after;
}

/**
 * Undoes a revocation: the same key is valid again. Only for a minute, so that a key that leaked is never valid again later.
 * @throws AppError `not_found`
 */
export async function restoreKey(
  db: Queries,
  userId: number | null,
  siteId: number,
  keyId: number,
): Promise<KeySummary> {
  const after = await db
    .updateTable('api_key')
    .set({ revoked_at: null })
    .where('id', '=', keyId)
    .where('site_id', '=', siteId)
    .where('revoked_at', '>', undoableSince())
    .returning(keySummaryColumns)
    .executeTakeFirst();
  if (after === undefined)
    throw new AppError('not_found', `API key ${keyId} not found among those revoked in the last minute`);
  await insertAuditEntry(db, { userId, action: 'key.restored', siteId, subject: after.name, after });
  return after;
}

/** Revokes all keys of a site and creates one. */
export async function rotateKeys(
  db: Queries,
  userId: number | null,
  siteId: number,
  name?: string,
): Promise<CreatedKey> {
  const revoked = await db
    .updateTable('api_key')
    .set({ revoked_at: timestamp() })
    .where('site_id', '=', siteId)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name', 'prefix'])
    .execute();
  const created = await insertKey(db, siteId, name);
  const { key: _, ...after } = created;
  const before = { keys: revoked.toSorted((a, b) => b.id - a.id) };
  await insertAuditEntry(db, { userId, action: 'key.rotated', siteId, subject: created.name, before, after });
  return created;
}

/** Records when keys are used, without a write for each request. */
export interface KeyUsageTracker {
  record(keyId: number): void;
  /** Resolves when all recorded uses are written. */
  flush(): Promise<void>;
}

export function createKeyUsageTracker(database: Database): KeyUsageTracker {
  let used = new Map<number, number>();
  const saves = new PQueue({ concurrency: 1 });
  const save = async (): Promise<void> => {
    if (used.size === 0) return;
    const saving = used;
    used = new Map();
    const update = async (db: Queries): Promise<void> => {
      for (const [id, ms] of saving) {
        const last_used_at = timestamp(ms);
        await db.updateTable('api_key').set({ last_used_at }).where('id', '=', id).execute();
      }
    };
    try {
      await database.write('server', update, { sync: 'normal' });
    } catch (error) {
      // Written at the next flush, unless a key was used again meanwhile.
      used = new Map([...saving, ...used]);
      throw error;
    }
  };
  return {
    record: (keyId) => used.set(keyId, currentTimeMs()),
    flush: () => saves.add(save),
  };
}

const maxCachedKeys = 1_000;

/**
 * The site of the API key of a request. Checked in this order: key, site, subscription, plan, rate.
 * @throws AppError `api_key_missing`, `api_key_invalid`, `site_inactive`, `subscription_inactive`, `trial_expired`,
 *   `plan_restriction`, `rate_limited`
 */
export type RequireApiKey = (request: Request, options?: KeyOptions) => Promise<Site>;

interface KeyOptions {
  /** Rate budget; default: `key`. Null: the request is not counted. */
  readonly budget?: RateBudget | null;
  /** Also accepts `Authorization: Bearer`; `X-API-Key` takes precedence. */
  readonly allowBearer?: boolean;
}

/**
 * Caches sites until the database changes.
 * @param rates counts the requests of each key
 * @param wrongKeys counts wrong keys by address; valid keys are never limited by it
 */
export function createRequireApiKey(
  database: Database,
  keyUsage: KeyUsageTracker,
  rates: RateLimiter,
  wrongKeys: WindowCounter,
): RequireApiKey {
  const find = cacheUntilWrite(database, maxCachedKeys, async (hash) => {
    const [found] = await findSitesByKeyHash(database.read, { hash });
    return found;
  });
  return async (request, { budget = 'key', allowBearer = false } = {}) => {
    const key = request.headers.get('x-api-key') || (allowBearer && getBearerToken(request));
    if (!key) throw new AppError('api_key_missing');
    const keyRow = hasKeyFormat(key) ? await find(hashKey(key)) : undefined;
    if (keyRow === undefined || keyRow.revoked_at !== null) {
      await consumeAttempt(request, wrongKeys, clientNetwork(request));
      throw new AppError('api_key_invalid');
    }
    requireServedSite(keyRow);
    if (keyRow.plan !== 'enterprise') {
      throw new AppError('plan_restriction', 'Plan restriction', {
        plan: [`the REST API requires the enterprise plan; this site is on ${keyRow.plan}`],
      });
    }
    keyUsage.record(keyRow.key_id);
    const context = requestContext(request);
    context.siteId = keyRow.id;
    context.timeZone = keyRow.time_zone;
    context.keyId = keyRow.key_id;
    context.hasCredentials = true;
    if (budget !== null) await rates.consume(request, budget, keyRow.key_id);
    return keyRow;
  };
}

/** Looked up by hash: the response time reveals nothing about the key. */
const findSitesByKeyHash = prepareQuery((db, value: PlaceholderFor<{ hash: string }>) =>
  db
    .selectFrom('api_key')
    .innerJoin('site', 'site.id', 'api_key.site_id')
    .selectAll('site')
    .select(['api_key.id as key_id', 'api_key.revoked_at'])
    .where('api_key.hash', '=', value('hash'))
    .where('site.deleted_at', 'is', null),
);

function requireServedSite(site: Site): void {
  if (site.active === 0) throw new AppError('site_inactive');
  const problem = findSubscriptionLapse(site);
  if (problem === 'inactive') throw new AppError('subscription_inactive');
  if (problem === 'trial_expired') throw new AppError('trial_expired');
}

/**
 * The site of the API key, or the one that a signed-in user names. Sessions have the rate limit of keys.
 * @param siteParam id or slug; ignored with a key
 * @throws AppError as `RequireApiKey` for a key; as `RequireSession`, `validation_failed` without a site, `rate_limited`
 */
export type RequireApiKeyOrSession = (
  request: Request,
  siteParam: string | undefined,
  options?: Pick<KeyOptions, 'budget'>,
) => Promise<Site>;

export function createRequireApiKeyOrSession(
  requireApiKey: RequireApiKey,
  requireSession: RequireSession,
  rates: RateLimiter,
): RequireApiKeyOrSession {
  return async (request, siteParam, { budget = 'key' } = {}) => {
    if (usesApiKey(request)) return requireApiKey(request, { allowBearer: true, budget });
    const { user } = await requireSession.user(request);
    if (siteParam === undefined || siteParam === '') {
      throw invalid('site', 'is required: add ?site=ID to the query');
    }
    const { site } = await requireSession.site(request, siteParam, 'viewer');
    if (budget !== null) await rates.consume(request, budget, `user ${user.id}`);
    return site;
  };
}

/** Without any credentials the error names the missing key. */
function usesApiKey(request: Request): boolean {
  if (request.headers.get('x-api-key')) return true;
  const bearer = getBearerToken(request);
  return bearer === undefined ? !request.headers.has('cookie') : hasKeyPrefix(bearer);
}
