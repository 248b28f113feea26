import { hash, randomBytes } from 'node:crypto';
import PQueue from 'p-queue';
import type { Database, Queries } from '../database/open.ts';
import { prepared, rememberUntilWritten, type Value } from '../database/query-cache.ts';
import type { ApiKey, Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { FailureLimits, RateLimits } from '../http/rate-limit.ts';
import { bearerOf, factsOf } from '../http/request-context.ts';
import { subscriptionProblem } from './domain-access.ts';
import type { SessionAccess } from './sessions.ts';

const keyStart = 'svc_live_';
const secretByteCount = 32;
/** As much of a key as is kept in the clear, to recognize it by. */
const prefixLength = keyStart.length + 6;

/** A fresh key; its value is never seen again. */
export interface CreatedKey {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
}

/** @returns SHA-256 of a key, hex: the only form in which it is stored */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** @returns whether a text can be a key at all */
function looksLikeKey(text: string): boolean {
  return /^svc_live_[A-Za-z0-9_-]{43}$/.test(text);
}

/** @returns whether a bearer token is meant as a key */
function startsLikeKey(token: string): boolean {
  return token.startsWith(keyStart);
}

export async function createKey(db: Queries, siteId: number, name: string): Promise<CreatedKey> {
  const key = keyStart + randomBytes(secretByteCount).toString('base64url');
  const created_at = new Date().toISOString();
  const prefix = key.slice(0, prefixLength);
  const { id } = await db
    .insertInto('api_key')
    .values({
      site_id: siteId,
      name,
      prefix,
      hash: hashOfKey(key),
      created_at,
      last_used_at: null,
      revoked_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, key, name, prefix, created_at };
}

/** A key without what it could be used or recognized by. */
export type KeptKey = Omit<ApiKey, 'hash' | 'site_id'>;

const keptColumns = ['id', 'name', 'prefix', 'created_at', 'last_used_at', 'revoked_at'] as const;

/**
 * @param before id of the last key of the page before
 * @returns the keys of a site, newest first
 */
export function listKeys(
  db: Queries,
  siteId: number,
  { before, most }: { before?: number | undefined; most?: number | undefined } = {},
): Promise<KeptKey[]> {
  return db
    .selectFrom('api_key')
    .select(keptColumns)
    .where('site_id', '=', siteId)
    .$if(before !== undefined, (all) => all.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .$if(most !== undefined, (all) => all.limit(most ?? 0))
    .execute();
}

export function findKey(db: Queries, siteId: number, keyId: number): Promise<KeptKey | undefined> {
  return db
    .selectFrom('api_key')
    .select(keptColumns)
    .where('site_id', '=', siteId)
    .where('id', '=', keyId)
    .executeTakeFirst();
}

/** @throws AppError `not_found` when there is no such key in force */
export async function siteOfKeyInForce(db: Queries, keyId: number): Promise<number> {
  const row = await db
    .selectFrom('api_key')
    .select('site_id')
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found', `There is no key ${keyId} in force`);
  return row.site_id;
}

export async function revokeKey(db: Queries, keyId: number): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ revoked_at: new Date().toISOString() })
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Revokes every key of a site and issues a new one; run it in a transaction. */
export async function rotateKeys(db: Queries, siteId: number, name: string): Promise<CreatedKey> {
  await db
    .updateTable('api_key')
    .set({ revoked_at: new Date().toISOString() })
    .where('site_id', '=', siteId)
    .where('revoked_at', 'is', null)
    .execute();
  return createKey(db, siteId, name);
}

/** Remembers when keys were used, without a write for each request. */
export interface KeyUse {
  note(keyId: number): void;
  /** Returns once all that was noted is written down, by whichever call. */
  save(): Promise<void>;
}

export function createKeyUse(database: Database): KeyUse {
  let used = new Map<number, number>();
  const saves = new PQueue({ concurrency: 1 });
  const save = async (): Promise<void> => {
    if (used.size === 0) return;
    const saving = used;
    used = new Map();
    await database.writeLazily(async (db) => {
      for (const [id, ms] of saving) {
        const last_used_at = new Date(ms).toISOString();
        await db.updateTable('api_key').set({ last_used_at }).where('id', '=', id).execute();
      }
    });
  };
  return {
    note: (keyId) => used.set(keyId, Date.now()),
    save: () => saves.add(save),
  };
}

/** Keys whose sites are remembered. */
const knownKeysMax = 1_000;

/**
 * The site that the API key of a request speaks for. Checked in this order: key, site, subscription, plan, rate.
 * @throws AppError `api_key_missing`, `api_key_invalid`, `site_inactive`, `subscription_inactive`, `trial_expired`,
 *   `plan_restriction`, `rate_limited`
 */
export type KeyAccess = (request: Request, options?: KeyOptions) => Promise<Site>;

/** What routes by key differ in. */
interface KeyOptions {
  /** What the request is counted in, `key` unless named. */
  readonly budget?: 'key' | 'track';
  /** The key may come as `Authorization: Bearer`, too; where both are there, `X-API-Key` counts. */
  readonly asBearer?: boolean;
}

/**
 * Remembers sites until anything in the database changes: polls come many times between two changes.
 * @param rates counts the requests of each key
 * @param wrongKeys counts the wrong keys of each address; a valid key passes whatever its address did
 */
export function createKeyAccess(
  database: Database,
  keyUse: KeyUse,
  rates: RateLimits,
  wrongKeys: FailureLimits,
): KeyAccess {
  const find = rememberUntilWritten(database, knownKeysMax, async (hash) => {
    const [found] = await sitesByKeyHash(database.read, { hash });
    return found;
  });
  return async (request, { budget = 'key', asBearer = false } = {}) => {
    const key = request.headers.get('x-api-key') || (asBearer && bearerOf(request));
    if (!key) throw new AppError('api_key_missing', 'API key missing');
    const found = looksLikeKey(key) ? await find(hashOfKey(key)) : undefined;
    if (found === undefined || found.revoked_at !== null) {
      await wrongKeys.count(request);
      throw new AppError('api_key_invalid', 'API key invalid');
    }
    checkSite(found);
    if (found.plan !== 'enterprise') {
      throw new AppError('plan_restriction', 'Plan restriction', {
        plan: [`the REST API needs the enterprise plan; this site has ${found.plan}`],
      });
    }
    keyUse.note(found.key_id);
    const facts = factsOf(request);
    facts.siteId = found.id;
    facts.keyId = found.key_id;
    await rates.take(request, budget, found.key_id);
    return found;
  };
}

/** Looked up by its hash: how long that takes tells nothing about the key. */
const sitesByKeyHash = prepared((db, value: Value<{ hash: string }>) =>
  db
    .selectFrom('api_key')
    .innerJoin('site', 'site.id', 'api_key.site_id')
    .selectAll('site')
    .select(['api_key.id as key_id', 'api_key.revoked_at'])
    .where('api_key.hash', '=', value('hash')),
);

function checkSite(site: Site): void {
  if (site.active === 0) throw new AppError('site_inactive', 'Site inactive');
  const problem = subscriptionProblem(site);
  if (problem === 'inactive') throw new AppError('subscription_inactive', 'Subscription inactive');
  if (problem === 'trial over') throw new AppError('trial_expired', 'Trial expired');
}

/**
 * The site that a request may speak for: that of its API key, or one that a signed-in user reads. Sessions are counted as
 * keys are.
 * @param siteParam id or slug of the site that a user names; a key has its own
 * @throws AppError as `KeyAccess` for a key; as `SessionAccess`, `validation_failed` without a site, `rate_limited`
 */
export type KeyOrSessionAccess = (request: Request, siteParam: string | undefined) => Promise<Site>;

export function createKeyOrSessionAccess(
  byKey: KeyAccess,
  bySession: SessionAccess,
  rates: RateLimits,
): KeyOrSessionAccess {
  return async (request, siteParam) => {
    if (isByKey(request)) return byKey(request, { asBearer: true });
    const { user } = await bySession.user(request);
    if (siteParam === undefined || siteParam === '') {
      throw new AppError('validation_failed', 'Validation failed', {
        site: ['is required in the query: ?site=ID'],
      });
    }
    const { site } = await bySession.site(request, siteParam, 'viewer');
    await rates.take(request, 'key', `user ${user.id}`);
    return site;
  };
}

/** Whoever shows nothing at all is told that a key is missing. */
function isByKey(request: Request): boolean {
  if (request.headers.get('x-api-key')) return true;
  const bearer = bearerOf(request);
  return bearer === undefined ? !request.headers.has('cookie') : startsLikeKey(bearer);
}
