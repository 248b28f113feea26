import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { runInBackground } from '../../background.ts';
import { timestamp } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Database, Queries } from '../../database/database.ts';
import { rowsOf } from '../../database/dialect.ts';
import { type DatabasePlace, describePlace } from '../../database/open.ts';
import { operationFailed } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type Bucket, ObjectLostError } from './bucket.ts';
import { listSegmentPlaces, unpackByteStarts } from './store.ts';

/** All objects of this kind, for `list`. */
export const soundPrefix = 'sound/';
const randomByteCount = 9;

/** An MP3 that is written into the bucket before the transaction that publishes it. */
export interface NewObject {
  readonly key: string;
  readonly site_id: number;
  readonly byte_count: number;
}

/** @returns a key that no other object has or had */
export function createObjectKey(siteId: number, versionId: number): string {
  return `${soundPrefix}${siteId}/${versionId}-${randomBytes(randomByteCount).toString('base64url')}.mp3`;
}

export async function insertWritingObject(db: Queries, object: NewObject): Promise<void> {
  await db
    .insertInto('object')
    .values({ ...object, state: 'writing', changed_at: timestamp() })
    .execute();
}

/**
 * Makes an object the MP3 of a version, and takes the frames out of the rows of its segments. Rows that a version without an
 * object needs keep them. The version is ready already.
 * @throws Error when the object was given up, or a segment was deleted meanwhile: the version is published again
 */
export async function attachObject(
  db: Queries,
  key: string,
  versionId: number,
  byteStarts: Float64Array,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('object')
    .set({ state: 'live', changed_at: timestamp() })
    .where('key', '=', key)
    .where('state', '=', 'writing')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Error(`object ${key} is no longer writable`);
  const places = await listSegmentPlaces(db, versionId);
  if (places.length !== byteStarts.length) throw new Error(`a segment of version ${versionId} is missing`);
  const starts = new Map(places.map(({ hash, position }) => [hash, byteStarts[position] ?? 0]));
  const planned = rowsOf(db, [...starts], { hash: 'text', first_byte: 'integer' });
  await sql`
    update segment set frames = ${Buffer.alloc(0)}, object_key = ${key}, object_start = planned.first_byte
    from ${planned} as planned
    where segment.hash = planned.hash and not exists (
      select 1 from planned_segment
      join version on version.id = planned_segment.version_id
      where planned_segment.hash = segment.hash and version.header is not null and version.object_key is null)
  `.execute(db);
}

function markForDeletion(db: Queries) {
  return db.updateTable('object').set({ state: 'deleting', changed_at: timestamp() }).where('state', '!=', 'deleting');
}

/** The objects of versions are deleted after a time. */
export async function markObjectsForDeletion(
  db: Queries,
  column: 'id' | 'audio_id',
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await markForDeletion(db)
    .where('key', 'in', (objects) =>
      objects
        .selectFrom('version')
        .select('object_key')
        .where(column, 'in', ids)
        .where('object_key', 'is not', null)
        .$narrowType<{ object_key: string }>(),
    )
    .execute();
}

/** All objects of a deleted site are deleted as soon as possible: as if they had been marked long ago. */
export async function markSiteObjectsForDeletion(db: Queries, siteId: number): Promise<void> {
  await db
    .updateTable('object')
    .set({ state: 'deleting', changed_at: timestamp(0) })
    .where('site_id', '=', siteId)
    .where('state', '!=', 'writing')
    .execute();
}

/** @returns the keys of some objects that no version has */
export async function listDueObjects(
  db: Queries,
  { writingBefore, markedBefore }: { readonly writingBefore: string; readonly markedBefore: string },
  limit: number,
): Promise<string[]> {
  // Each part uses the partial index; with `or` SQLite reads all of it.
  const select = (state: 'writing' | 'deleting', before: string) =>
    db
      .selectFrom('object')
      .select('key')
      .where('state', '!=', 'live')
      .where('state', '=', state)
      .where('changed_at', '<=', before);
  const rows = await select('writing', writingBefore).unionAll(select('deleting', markedBefore)).limit(limit).execute();
  return rows.map(({ key }) => key);
}

export function findObject(db: Queries, key: string) {
  return db.selectFrom('object').selectAll().where('key', '=', key).executeTakeFirst();
}

/**
 * Before objects are deleted, or when they are lost: their segments are played from a later object that has them, or
 * synthesized again.
 */
export async function releaseSegments(db: Queries, keys: readonly string[]): Promise<void> {
  await markForDeletion(db).where('key', 'in', keys).execute();
  const others = await db
    .selectFrom('segment')
    .innerJoin('planned_segment', 'planned_segment.hash', 'segment.hash')
    .innerJoin('version', 'version.id', 'planned_segment.version_id')
    .innerJoin('object', 'object.key', 'version.object_key')
    .select(['segment.hash', 'planned_segment.position', 'version.object_key', 'version.byte_starts'])
    .where('segment.object_key', 'in', keys)
    .where('object.state', '=', 'live')
    .where('version.byte_starts', 'is not', null)
    .execute();
  for (const { hash, position, object_key, byte_starts } of others) {
    const object_start = unpackByteStarts(byte_starts ?? new Uint8Array())[position] ?? 0;
    await db.updateTable('segment').set({ object_key, object_start }).where('hash', '=', hash).execute();
  }
  await db.deleteFrom('segment').where('object_key', 'in', keys).execute();
}

export async function deleteObjectRows(db: Queries, keys: readonly string[]): Promise<void> {
  await db.deleteFrom('object').where('key', 'in', keys).where('state', '=', 'deleting').execute();
}

/** @returns the objects that the bucket should have, by key after another one */
export function listObjectRows(db: Queries, after: string, limit: number) {
  return db.selectFrom('object').selectAll().where('key', '>', after).orderBy('key').limit(limit).execute();
}

/** @returns those of some objects that audio still needs */
export async function filterLiveObjects(db: Queries, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await db
    .selectFrom('object')
    .select('key')
    .where('key', 'in', keys)
    .where('state', '=', 'live')
    .orderBy('key')
    .execute();
  return rows.map(({ key }) => key);
}

/** @throws AppError `operation_failed` when audio is in a bucket, and none is configured */
export async function requireBucket(db: Queries, config: DatabasePlace & Pick<Config, 'sound'>): Promise<void> {
  if (config.sound !== undefined || !(await hasObjects(db))) return;
  throw operationFailed(
    `Audio of ${describePlace(config)} is in an S3 bucket. Set LECTERN_SOUND, LECTERN_SOUND_KEY and LECTERN_SOUND_SECRET.`,
  );
}

async function hasObjects(db: Queries): Promise<boolean> {
  return (await db.selectFrom('object').select('key').limit(1).executeTakeFirst()) !== undefined;
}

/**
 * At the start of a server. A bucket that is out of reach is waited for.
 * @throws AppError as `requireOwnBucket`
 */
export async function prepareBucket(database: Database, bucket: Bucket | undefined, log: Log): Promise<void> {
  if (bucket === undefined) return;
  await bucket.probe();
  if (bucket.problem === undefined) return requireOwnBucket(database, bucket);
  bucket.onAvailable(() => runInBackground(requireOwnBucket(database, bucket), log, 'bucket not recognized'));
}

/** For commands. @throws AppError `operation_failed`: out of reach, missing, or read-only */
export async function requireWritableBucket(bucket: Bucket): Promise<void> {
  await bucket.probe();
  if (bucket.problem !== undefined) throw bucket.createError();
}

/** The database has the name of its own one. */
const markerPrefix = 'lectern-marker-';

/**
 * Marks the bucket of a database before its first object, and recognizes it later: in another bucket all audio would seem lost.
 * A restored or copied database has the marker, too.
 * @throws AppError `operation_failed`: it is another bucket, or that of another database; `sound_unavailable`
 */
export async function requireOwnBucket(database: Database, bucket: Bucket): Promise<void> {
  const { marker, isNew } = await chooseMarker(database);
  if (await isMarked(bucket, marker)) return;
  if (!isNew && (await hasObjects(database.read))) {
    throw operationFailed(
      `The bucket ${bucket.url} is not that of this database: it has no object ${marker}. Correct LECTERN_SOUND. If it is the right one and lost its objects, upload any file under this name; audio is then generated again when it is requested.`,
    );
  }
  await requireNoOtherMarker(bucket, marker);
  await bucket.put(marker, new Blob(['This bucket belongs to an installation of Lectern. Keep this object.']));
}

/** @returns the name of the marker; servers that start at the same time get the same one, before any of them writes it */
async function chooseMarker(database: Database): Promise<{ marker: string; isNew: boolean }> {
  const marker = await findMarker(database.read);
  if (marker !== null) return { marker, isNew: false };
  return database.write('server', async (db) => {
    const chosen = await findMarker(db);
    if (chosen !== null) return { marker: chosen, isNew: false };
    const created = `${markerPrefix}${randomBytes(randomByteCount).toString('base64url')}`;
    await db.updateTable('installation').set({ bucket_marker: created }).execute();
    return { marker: created, isNew: true };
  });
}

export async function findMarker(db: Queries): Promise<string | null> {
  return (await db.selectFrom('installation').select('bucket_marker').executeTakeFirstOrThrow()).bucket_marker;
}

async function isMarked(bucket: Bucket, marker: string): Promise<boolean> {
  try {
    await bucket.read(marker, 0, 1);
    return true;
  } catch (error) {
    if (error instanceof ObjectLostError) return false;
    throw error;
  }
}

/**
 * @param own null: there is none yet
 * @throws AppError `operation_failed`: another database has marked the bucket; `sound_unavailable`
 */
export async function requireNoOtherMarker(bucket: Bucket, own: string | null): Promise<void> {
  for await (const { key } of bucket.list(markerPrefix)) {
    if (key === own) continue;
    throw operationFailed(
      `The bucket ${bucket.url} belongs to another database, which has marked it by the object ${key}. Set LECTERN_SOUND to a bucket for this database alone. If that database no longer exists, or no longer uses the bucket, delete this object and try again.`,
    );
  }
}
