import { hash, randomBytes } from 'node:crypto';
import PQueue from 'p-queue';
import type { Database, Queries } from '../database/open.ts';
import type { ApiKey } from '../database/tables.ts';
import { AppError } from '../errors.ts';

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
export function looksLikeKey(text: string): boolean {
  return /^svc_live_[A-Za-z0-9_-]{43}$/.test(text);
}

/** @returns whether a bearer token is meant as a key */
export function startsLikeKey(token: string): boolean {
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
