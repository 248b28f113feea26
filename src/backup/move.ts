import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { type Bucket, ObjectLostError, openBucket } from '../audio/media/bucket.ts';
import {
  requireBucket,
  requireNoOtherMarker,
  requireWritableBucket,
  soundPrefix,
} from '../audio/media/object-store.ts';
import { Sound } from '../audio/media/sound.ts';
import { listSegmentChecksums, unpackByteStarts } from '../audio/media/store.ts';
import type { Config } from '../config.ts';
import { type CopiedRow, copyRows } from '../database/copy-rows.ts';
import type { Database, Queries } from '../database/database.ts';
import { allowLongTransaction } from '../database/dialect.ts';
import { describePlace, openDatabase } from '../database/open.ts';
import { ensureDataFolder, lockDataFolder, requireDatabaseFile } from '../database/sqlite.ts';
import { AppError, operationFailed } from '../errors.ts';
import { createPrivateFolder, readFileChunks, writeFileAtomically } from '../files.ts';
import { openStoredVoices, voicePrefix } from '../voices/stored-voices.ts';
import { listVoiceFiles } from './backup.ts';
import { upgradeDatabase } from './manager.ts';

export interface MoveResult {
  readonly tables: number;
  readonly rows: number;
  /** Written to the bucket of the target. */
  readonly objects: number;
  /** Moved between database and bucket, or between buckets. */
  readonly sound_bytes: number;
  readonly voice_files: number;
}

/**
 * Copies an installation into another, empty one: between SQLite and PostgreSQL, and with sound in the database or in a bucket. Ids,
 * certificates, addresses and bytes stay. The database is filled in one transaction, after everything else; a repeated move reuses
 * the objects of an interrupted one. The source keeps everything.
 * @throws AppError `operation_failed`: one of them is in use, the target is not empty, or sound is damaged
 */
export async function moveInstallation(
  source: Config,
  target: Config,
  onProgress: (done: number, total: number) => void,
): Promise<MoveResult> {
  if (source.data === target.data) {
    throw new AppError('bad_usage', 'Nothing moved: source and target are the same data folder. Name another folder.');
  }
  if (!existsSync(source.data)) {
    throw operationFailed(`Nothing moved: data folder ${source.data} does not exist.`);
  }
  const place = describePlace(target);
  if (describePlace(source) === place) {
    throw operationFailed(
      `Nothing moved: source and target are both ${place}. LECTERN_DATABASE, or lectern.toml in ${source.data}, names the source; lectern.toml in ${target.data} names the target.`,
    );
  }
  await using opened = new AsyncDisposableStack();
  // A mistyped source is empty.
  if (source.database === undefined) requireDatabaseFile(source.data);
  const from = await openExclusively(source, opened, { mustExist: true });
  await requireBucket(from.read, source);
  const to = await openExclusively(target, opened);
  const places = {
    ...{ from: openBucket(source), to: openBucket(target) },
    isSameBucket: source.sound !== undefined && source.sound.url === target.sound?.url,
  };
  const copiedFiles = await copyVoices(source.voices, target.voices);
  const stored = openStoredVoices(from, source.data, places.from);
  const voiceFiles = copiedFiles + ((await stored?.exportTo(target.voices)) ?? 0);
  // No other process writes to the source during the move.
  return await from.write('server', async (reading) => {
    await allowLongTransaction(reading);
    return to.write('server', async (writing) => {
      const sound = new SoundMove(reading, places);
      await sound.requireEmptyBucket();
      const named = { db: writing, name: place };
      const copied = await copyRows(reading, named, (table, rows) => sound.convert(table, rows), onProgress);
      return { ...copied, objects: sound.objectCount, sound_bytes: sound.byteCount, voice_files: voiceFiles };
    });
  });
}

async function openExclusively(
  config: Config,
  opened: AsyncDisposableStack,
  { mustExist = false } = {},
): Promise<Database> {
  ensureDataFolder(config.data);
  opened.defer(lockDataFolder(config.data));
  await upgradeDatabase(config, true);
  const database = await openDatabase(config, { isExclusive: true, mustExist });
  opened.defer(() => database.close());
  return database;
}

/** @returns how many files */
async function copyVoices(from: string, to: string): Promise<number> {
  const files = listVoiceFiles(from);
  if (from === to || files.length === 0) return 0;
  createPrivateFolder(to);
  for (const { name, path } of files) {
    await writeFileAtomically(join(to, name.replace(/^voices\//, '')), readFileChunks(path));
  }
  return files.length;
}

/** Of an object, read at once. */
const windowBytes = 2 * 1024 * 1024;
/** Each may hold an MP3 in memory. */
const maxParallel = 4;

type Objects = Record<string, readonly CopiedRow[]>;
type VersionRow = CopiedRow & {
  readonly id: number;
  readonly media_key: string | null;
  readonly header: Uint8Array | null;
  readonly byte_starts: Uint8Array | null;
  readonly byte_count: number | null;
  readonly ready_at: string | null;
  readonly object_key: string | null;
};
type SegmentRow = CopiedRow & {
  readonly hash: string;
  readonly byte_count: number;
  readonly frames_sha256: string | null;
  readonly object_key: string | null;
  readonly object_start: number | null;
};
type ObjectRow = CopiedRow & { readonly key: string; readonly byte_count: number; readonly state: string };

/** The buckets of the two installations; undefined: the sound is in the database. */
interface SoundPlaces {
  readonly from: Bucket | undefined;
  readonly to: Bucket | undefined;
  /** The objects stay where they are. */
  readonly isSameBucket: boolean;
}

/**
 * Converts the rows that refer to sound, and moves the sound: out of the rows of segments into one object for each version, out of
 * objects into rows, or from bucket to bucket. The keys of objects follow from the rows, so that a repeated move finds those of an
 * interrupted one.
 */
class SoundMove {
  objectCount = 0;
  byteCount = 0;
  readonly #db: Queries;
  readonly #places: SoundPlaces;
  readonly #sound: Sound;
  readonly #transfers = new PQueue({ concurrency: maxParallel });
  /** Sizes of the objects that the target had already, by key. */
  readonly #present = new Map<string, number>();

  /** @param db of the source */
  constructor(db: Queries, places: SoundPlaces) {
    this.#db = db;
    this.#places = places;
    this.#sound = new Sound(db, places.from);
  }

  /** @throws AppError `operation_failed`: the bucket of the target has objects that are not of this move */
  async requireEmptyBucket(): Promise<void> {
    const { to, isSameBucket } = this.#places;
    if (to === undefined || isSameBucket) return;
    await requireWritableBucket(to);
    await requireNoOtherMarker(to, null);
    for await (const { key, byteCount } of to.list(soundPrefix)) {
      if (!(await this.#isOfMove(key))) {
        throw operationFailed(
          `The bucket ${to.url} of the target is not empty: it has ${key}. Move into an empty bucket.`,
        );
      }
      this.#present.set(key, byteCount);
    }
  }

  /** For `copyRows`. */
  async convert(table: string, rows: readonly CopiedRow[]): Promise<Objects> {
    const { from, to } = this.#places;
    if (table === 'version') {
      if (to !== undefined) return this.#uploadVersions(rows as readonly VersionRow[]);
      return { version: rows.map((row) => ({ ...row, object_key: null })) };
    }
    if (table === 'segment' && to !== undefined) return { segment: await this.#emptySegments(rows as SegmentRow[]) };
    if (table === 'segment' && from !== undefined) {
      return { segment: await this.#transfer(rows as SegmentRow[], (row) => this.#fillSegment(row)) };
    }
    if (table === 'installation' && !this.#places.isSameBucket) {
      return { installation: rows.map((row) => ({ ...row, bucket_marker: null })) };
    }
    // Requests of the last minutes; a move takes longer. Voices are moved as files, which the target stores again.
    if (table === 'rate_window' || table === 'stored_voice' || table === 'stored_voice_part') return {};
    if (table === 'object') return { object: to === undefined ? [] : await this.#copyObjects(rows as ObjectRow[]) };
    return { [table]: rows };
  }

  /** After an error the rest is not transferred. */
  async #transfer<Row, Result>(rows: readonly Row[], work: (row: Row) => Promise<Result>): Promise<Result[]> {
    try {
      return await this.#transfers.addAll(rows.map((row) => () => work(row)));
    } finally {
      this.#transfers.clear();
    }
  }

  async #isOfMove(key: string): Promise<boolean> {
    const object = await this.#db.selectFrom('object').select('key').where('key', '=', key).executeTakeFirst();
    if (object !== undefined) return true;
    const versionId = Number(/^sound\/\d+\/(\d{1,15})-/.exec(key)?.[1] ?? 0);
    const [version] = await this.#findKeys([versionId]);
    return version?.key === key;
  }

  /** @returns for ready versions without an object the key that theirs gets */
  async #findKeys(versionIds: readonly number[]) {
    const rows = await this.#db
      .selectFrom('version')
      .innerJoin('audio', 'audio.id', 'version.audio_id')
      .innerJoin('post', 'post.id', 'audio.post_id')
      .select(['version.id', 'version.media_key', 'version.byte_starts', 'post.site_id'])
      .where('version.id', 'in', versionIds)
      .where('version.header', 'is not', null)
      .where('version.object_key', 'is', null)
      .execute();
    return rows.map(({ id, site_id, media_key, byte_starts }) => {
      const name = createHash('sha256').update(`${media_key}`).digest('base64url').slice(0, 12);
      return { id, site_id, byte_starts, key: `${soundPrefix}${site_id}/${id}-${name}.mp3` };
    });
  }

  async #uploadVersions(rows: readonly VersionRow[]): Promise<Objects> {
    const keys = new Map((await this.#findKeys(rows.map(({ id }) => id))).map((version) => [version.id, version]));
    const objects = await this.#transfer(rows, async (row) => {
      const version = keys.get(row.id);
      if (version === undefined) return [];
      const mp3 = await this.#assemble(row);
      await this.#write(version.key, mp3);
      const { key, site_id } = version;
      return { key, site_id, byte_count: mp3.size, state: 'live', changed_at: row.ready_at };
    });
    const version = rows.map((row) => ({ ...row, object_key: row.object_key ?? keys.get(row.id)?.key ?? null }));
    return { version, object: objects.flat() };
  }

  /** @returns the MP3 of a version, each sentence compared with its checksum */
  async #assemble({ id, header, byte_starts, byte_count }: VersionRow): Promise<Blob> {
    const count = unpackByteStarts(byte_starts ?? new Uint8Array()).length;
    const checksums = await listSegmentChecksums(this.#db, id);
    const parts: Uint8Array[] = [header ?? new Uint8Array()];
    for (let position = 0; position < count; position += 1) {
      const frames = await this.#sound.readSegment(id, position);
      if (frames === undefined) throw damagedError(`sentence ${position} of version ${id} is missing`);
      requireChecksum(frames, checksums[position] ?? null, `sentence ${position} of version ${id}`);
      parts.push(frames);
    }
    const mp3 = new Blob(parts as Uint8Array<ArrayBuffer>[]);
    if (mp3.size !== byte_count)
      throw damagedError(`the MP3 of version ${id} has ${mp3.size} bytes, not ${byte_count}`);
    return mp3;
  }

  /** @returns segments whose frames are in an object of a version, without them */
  async #emptySegments(rows: readonly SegmentRow[]): Promise<CopiedRow[]> {
    const inRows = rows.filter(({ object_key }) => object_key === null).map(({ hash }) => hash);
    const uses = await this.#db
      .selectFrom('planned_segment')
      .select(['hash', 'version_id', 'position'])
      .where('hash', 'in', inRows)
      .orderBy('version_id')
      .orderBy('position')
      .execute();
    const versions = await this.#findKeys([...new Set(uses.map(({ version_id }) => version_id))]);
    const byId = new Map(versions.map((version) => [version.id, version]));
    const places = new Map<string, { object_key: string; object_start: number }>();
    for (const { hash, version_id, position } of uses) {
      const { key, byte_starts } = byId.get(version_id) ?? {};
      if (key === undefined || byte_starts == null) continue;
      const object_start = unpackByteStarts(byte_starts)[position] ?? 0;
      places.set(hash, { object_key: key, object_start });
    }
    return rows.map((row) => {
      const place = places.get(row.hash);
      return place === undefined ? row : { ...row, frames: Buffer.alloc(0), ...place };
    });
  }

  async #fillSegment(row: SegmentRow): Promise<CopiedRow> {
    const { hash, object_key, object_start, byte_count, frames_sha256 } = row;
    if (object_key === null) return row;
    const start = object_start ?? 0;
    const frames = await requireObject(this.#places.from?.read(object_key, start, start + byte_count), object_key);
    requireChecksum(frames, frames_sha256, `segment ${hash} in ${object_key}`);
    this.byteCount += frames.byteLength;
    return { ...row, frames: Buffer.from(frames), object_key: null, object_start: null };
  }

  /** @returns the objects that the target has; interrupted uploads stay behind */
  async #copyObjects(rows: readonly ObjectRow[]): Promise<CopiedRow[]> {
    const { from, isSameBucket } = this.#places;
    const isVoice = ({ key }: ObjectRow) => key.startsWith(voicePrefix);
    if (isSameBucket) return rows.map((row) => (isVoice(row) ? { ...row, state: 'deleting' } : row));
    const completeRows = rows.filter((row) => row.state !== 'writing' && !isVoice(row));
    await this.#transfer(completeRows, async ({ key, byte_count, state }) => {
      const parts: Uint8Array[] = [];
      try {
        for (let start = 0; start < byte_count; start += windowBytes) {
          const end = Math.min(byte_count, start + windowBytes);
          parts.push(await requireObject(from?.read(key, start, end), key));
        }
      } catch (error) {
        // It may be deleted already.
        if (state === 'deleting') return;
        throw error;
      }
      await this.#write(key, new Blob(parts as Uint8Array<ArrayBuffer>[]));
    });
    return completeRows;
  }

  /** Writes an object, unless it is there already, and reads it again. */
  async #write(key: string, content: Blob): Promise<void> {
    const { to } = this.#places;
    if (to === undefined) return;
    const isThere = this.#present.get(key) === content.size && (await hasContent(to, key, content));
    if (!isThere) {
      await to.put(key, content);
      if (!(await hasContent(to, key, content))) {
        throw operationFailed(`The bucket ${to.url} of the target returned other bytes of ${key} than it was given.`);
      }
    }
    this.objectCount += 1;
    this.byteCount += content.size;
  }
}

async function hasContent(bucket: Bucket, key: string, content: Blob): Promise<boolean> {
  for (let start = 0; start < content.size; start += windowBytes) {
    const end = Math.min(content.size, start + windowBytes);
    const [stored, expected] = await Promise.all([bucket.read(key, start, end), content.slice(start, end).bytes()]);
    if (Buffer.compare(stored, expected) !== 0) return false;
  }
  return true;
}

async function requireObject<T>(reading: Promise<T> | undefined, key: string): Promise<T> {
  try {
    const content = await reading;
    if (content !== undefined) return content;
  } catch (error) {
    if (!(error instanceof ObjectLostError)) throw error;
  }
  throw damagedError(`the object ${key} is missing`);
}

function requireChecksum(frames: Uint8Array, sha256: string | null, name: string): void {
  if (sha256 === null || createHash('sha256').update(frames).digest('hex') === sha256) return;
  throw damagedError(`${name} differs from its checksum`);
}

function damagedError(problem: string): AppError {
  return operationFailed(
    `The sound of the source is damaged: ${problem}. Run lectern check --audios on it, and start its server to repair it.`,
  );
}
