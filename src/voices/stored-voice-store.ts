import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { prepareQuery } from '../database/query-cache.ts';

/** A user-installed voice from which machines get the files. */
export type StoredVoice = Awaited<ReturnType<typeof listStoredVoices>>[number];

/** Where the model of stored voices is. */
export interface StoredModel {
  readonly model_key: string;
  readonly byte_count: number;
  /** Null: in parts. */
  readonly object_key: string | null;
}

/** @returns also the removed ones, whose files some machines may still have */
export function listStoredVoices(db: Queries) {
  return queryStoredVoices(db, {});
}

const queryStoredVoices = prepareQuery((db) =>
  db
    .selectFrom('stored_voice')
    .select(['content_hash', 'stem', 'model_key', 'byte_count', 'object_key', 'removed_at', 'lost_at'])
    .orderBy('content_hash'),
);

export async function readStoredConfig(db: Queries, contentHash: string): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('stored_voice')
    .select('config')
    .where('content_hash', '=', contentHash)
    .executeTakeFirst();
  return row?.config;
}

/** @returns a model that is stored for another voice already */
export function findStoredModel(db: Queries, modelKey: string): Promise<StoredModel | undefined> {
  return db
    .selectFrom('stored_voice')
    .select(['model_key', 'byte_count', 'object_key'])
    .where('model_key', '=', modelKey)
    .where('removed_at', 'is', null)
    .where('lost_at', 'is', null)
    .executeTakeFirst();
}

/** @returns whether an installed voice has this file name, and another content */
export async function isStemTaken(db: Queries, stem: string, contentHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('stored_voice')
    .innerJoin('voice', 'voice.content_hash', 'stored_voice.content_hash')
    .select('stored_voice.stem')
    .where('stored_voice.stem', '=', stem)
    .where('stored_voice.content_hash', '!=', contentHash)
    .where('stored_voice.removed_at', 'is', null)
    .where('voice.replaced_by', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores a voice whose model is stored, or stores it again after its removal. */
export async function upsertStoredVoice(
  db: Queries,
  voice: StoredModel & Pick<StoredVoice, 'content_hash' | 'stem'> & { readonly config: Uint8Array },
): Promise<void> {
  await db
    .insertInto('stored_voice')
    .values(voice)
    .onConflict((conflict) =>
      conflict.column('content_hash').doUpdateSet({ ...voice, removed_at: null, lost_at: null }),
    )
    .execute();
  await db.deleteFrom('missing_voice').where('content_hash', '=', voice.content_hash).execute();
}

/** The machines that have the files delete them. */
export async function markVoiceRemoved(db: Queries, contentHash: string): Promise<void> {
  const voice = await db
    .updateTable('stored_voice')
    .set({ removed_at: timestamp() })
    .where('content_hash', '=', contentHash)
    .returning('model_key')
    .executeTakeFirst();
  if (voice !== undefined) await deleteUnusedModel(db, voice.model_key);
}

/** Nobody can get the model: a machine that has it stores it again. */
export async function markModelLost(db: Queries, { model_key, object_key }: StoredModel): Promise<void> {
  await db
    .updateTable('stored_voice')
    .set({ lost_at: timestamp() })
    .where('model_key', '=', model_key)
    // Else it was stored again meanwhile.
    .where('object_key', object_key === null ? 'is' : '=', object_key)
    .execute();
  await deleteModel(db, model_key, object_key === null ? [] : [object_key]);
}

async function deleteUnusedModel(db: Queries, modelKey: string): Promise<void> {
  if ((await findStoredModel(db, modelKey)) !== undefined) return;
  const rows = await db
    .selectFrom('stored_voice')
    .select('object_key')
    .where('model_key', '=', modelKey)
    .where('object_key', 'is not', null)
    .$narrowType<{ object_key: string }>()
    .execute();
  await deleteModel(
    db,
    modelKey,
    rows.map(({ object_key }) => object_key),
  );
}

/** An object is deleted from the bucket later, as those of audio. */
async function deleteModel(db: Queries, modelKey: string, objectKeys: readonly string[]): Promise<void> {
  await db.deleteFrom('stored_voice_part').where('model_key', '=', modelKey).execute();
  await db
    .updateTable('object')
    .set({ state: 'deleting', changed_at: timestamp() })
    .where('key', 'in', objectKeys)
    .where('state', '!=', 'deleting')
    .execute();
}

/** Before an upload: it is deleted if its voice is not stored within an hour. */
export async function insertWritingModel(db: Queries, key: string, byteCount: number): Promise<void> {
  // Of no site.
  const site_id = 0;
  await db
    .insertInto('object')
    .values({ key, site_id, byte_count: byteCount, state: 'writing', changed_at: timestamp() })
    .execute();
}

/** @returns false when the upload was given up */
export async function markModelLive(db: Queries, key: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('object')
    .set({ state: 'live', changed_at: timestamp() })
    .where('key', '=', key)
    .where('state', 'in', ['writing', 'live'])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function insertModelPart(
  db: Queries,
  part: { readonly model_key: string; readonly position: number; readonly content: Uint8Array },
): Promise<void> {
  await db
    .insertInto('stored_voice_part')
    .values(part)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function countPartBytes(db: Queries, modelKey: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('stored_voice_part')
    .select((row) => row.fn.sum<number | null>(row.fn<number>('length', ['content'])).as('bytes'))
    .where('model_key', '=', modelKey)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

export async function readModelPart(db: Queries, modelKey: string, position: number): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('stored_voice_part')
    .select('content')
    .where('model_key', '=', modelKey)
    .where('position', '=', position)
    .executeTakeFirst();
  return row?.content;
}

/** @returns since when a voice is missing, now unless another machine has noticed it before; undefined: it was removed */
export async function markVoiceMissing(db: Queries, voiceId: number): Promise<string | undefined> {
  const voice = await db
    .selectFrom('voice')
    .leftJoin('stored_voice', 'stored_voice.content_hash', 'voice.content_hash')
    .leftJoin('missing_voice', 'missing_voice.content_hash', 'voice.content_hash')
    .select(['voice.content_hash', 'missing_voice.since', 'stored_voice.removed_at'])
    .where('voice.id', '=', voiceId)
    .executeTakeFirst();
  if (voice === undefined || voice.removed_at !== null) return undefined;
  const { content_hash, since = null } = voice;
  if (since !== null) return since;
  const now = timestamp();
  await db.insertInto('missing_voice').values({ content_hash, since: now }).execute();
  return now;
}

export async function hasOtherMachine(db: Queries, machineId: number): Promise<boolean> {
  const machine = db.selectFrom('machine').select('id').where('id', '!=', machineId).limit(1);
  return (await machine.executeTakeFirst()) !== undefined;
}
