import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { currentTimeMs } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { isPostgres } from '../database/dialect.ts';
import { AppError, operationFailed } from '../errors.ts';
import { createPrivateFolder, listNames, readFileChunks, writeFileAtomically } from '../files.ts';
import type { Log } from '../log.ts';
import { startVoiceHash, type VoiceFiles } from '../speech/synthesize/voice-model.ts';
import {
  countPartBytes,
  findStoredModel,
  hasOtherMachine,
  insertModelPart,
  insertWritingModel,
  isStemTaken,
  listStoredVoices,
  markModelLive,
  markModelLost,
  markVoiceMissing,
  markVoiceRemoved,
  readModelPart,
  readStoredConfig,
  type StoredModel,
  type StoredVoice,
  upsertStoredVoice,
} from './stored-voice-store.ts';
import { getOptimizerKey } from './voice-files.ts';

/** All objects of this kind, for `list`. */
export const voicePrefix = 'voices/';
const randomByteCount = 9;
/** Of a row, and of a read of an object. */
const partBytes = 1024 * 1024;
const windowBytes = 8 * 1024 * 1024;
/** After that, a voice that no machine has counts as uninstalled. */
const missingTimeoutMs = 10 * 60_000;

/** Excludes files that are still being written. */
const fetchedPattern = /^(own-)?[0-9a-f]{64}\.onnx(\.json)?$/;

/** This machine cannot get the files of a voice now; another one may. */
export class VoiceMissingError extends AppError {
  constructor() {
    super('not_ready', 'Voice unavailable on this machine. Try again later.');
    this.name = 'VoiceMissingError';
  }
}

/** The stored model is missing or damaged. */
class ModelLostError extends AppError {
  constructor(stem: string, problem: string) {
    super('operation_failed', `The stored model of voice ${stem} is lost: ${problem}. Install the voice again.`);
    this.name = 'ModelLostError';
  }
}

interface ModelBucket {
  put(key: string, content: Blob): Promise<void>;
  /** @throws AppError `media_gone`, `sound_unavailable` */
  read(key: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A voice in the folder of a machine. */
export interface LocalVoice {
  readonly stem: string;
  readonly files: VoiceFiles;
}

/** What `insert` stores. */
export interface UploadedVoice extends StoredModel {
  readonly content_hash: string;
  readonly stem: string;
  readonly config: Uint8Array;
}

/** @returns undefined with SQLite, which one machine uses */
export function openStoredVoices(
  database: Database,
  data: string,
  bucket: ModelBucket | undefined,
  log?: Log,
): StoredVoices | undefined {
  if (!isPostgres(database.read)) return undefined;
  return new StoredVoices(database, getFetchedFolder(data), bucket, log);
}

/** Of the voices that a machine has fetched: a cache. */
export function getFetchedFolder(data: string): string {
  return join(data, 'fetched-voices');
}

/**
 * The user-installed voices of the machines on a PostgreSQL database: the models are in the bucket, or without one in rows. A
 * machine fetches a model at its first use.
 */
export class StoredVoices {
  readonly #database: Database;
  readonly #folder: string;
  readonly #bucket: ModelBucket | undefined;
  readonly #log: Log | undefined;
  /** By path. */
  readonly #downloads = new Map<string, Promise<void>>();
  /** Content hashes of voices that are not shared, as another one has the name. */
  readonly #shadowed = new Set<string>();

  constructor(database: Database, folder: string, bucket: ModelBucket | undefined, log: Log | undefined) {
    this.#database = database;
    this.#folder = folder;
    this.#bucket = bucket;
    this.#log = log;
  }

  /**
   * Writes their configs into the folder of fetched voices. A model may still have to be fetched.
   * @param isLocal whether the folder of the machine has a voice
   */
  async listPlaces(
    isLocal: (contentHash: string) => boolean,
  ): Promise<{ readonly places: readonly LocalVoice[]; readonly removed: ReadonlySet<string> }> {
    const rows = await listStoredVoices(this.#database.read);
    const places: LocalVoice[] = [];
    for (const row of rows) {
      if (row.removed_at !== null || isLocal(row.content_hash)) continue;
      const files = this.#filesOf(row);
      if (row.lost_at !== null && !existsSync(files.modelPath)) continue;
      if (await this.#writeConfig(files)) places.push({ stem: row.stem, files });
    }
    return {
      places,
      removed: new Set(rows.flatMap((row) => (row.removed_at === null ? [] : [row.content_hash]))),
    };
  }

  isFetched({ modelPath }: Pick<VoiceFiles, 'modelPath'>): boolean {
    return modelPath.startsWith(`${this.#folder}/`);
  }

  /** Downloads the model of a voice unless the file exists. @throws VoiceMissingError */
  async fetch(files: VoiceFiles): Promise<void> {
    const { modelPath } = files;
    if (!this.isFetched(files) || existsSync(modelPath)) return;
    const download = this.#downloads.getOrInsertComputed(modelPath, () =>
      this.#download(files).finally(() => this.#downloads.delete(modelPath)),
    );
    await download;
  }

  /**
   * Stores the model of a voice, unless it is stored. `insert` follows.
   * @param files where they are now
   * @param uploaded the same model, uploaded for another voice
   * @throws AppError `sound_unavailable`
   */
  async upload(
    stem: string,
    { modelPath, configPath, contentHash }: VoiceFiles,
    modelKey: string,
    uploaded?: StoredModel,
  ): Promise<UploadedVoice> {
    const known = uploaded ?? (await findStoredModel(this.#database.read, modelKey));
    const { byte_count, object_key } = known ?? (await this.#uploadModel(modelPath, modelKey));
    const config = readFileSync(configPath);
    return { content_hash: contentHash, stem, model_key: modelKey, byte_count, object_key, config };
  }

  /**
   * In the transaction that installs it.
   * @throws AppError `conflict`: another voice has the name; `busy`: the upload took too long
   */
  async insert(db: Queries, uploaded: UploadedVoice): Promise<void> {
    const { stem, content_hash, object_key, model_key, byte_count } = uploaded;
    if (await isStemTaken(db, stem, content_hash)) throw new AppError('conflict', `Voice ${stem} already exists`);
    const isThere =
      object_key === null ? (await countPartBytes(db, model_key)) === byte_count : await markModelLive(db, object_key);
    if (!isThere) throw new AppError('busy', `Storing voice ${stem} failed. Try again.`);
    await upsertStoredVoice(db, uploaded);
  }

  /** In the transaction that removes it. */
  async remove(db: Queries, contentHash: string): Promise<void> {
    await markVoiceRemoved(db, contentHash);
  }

  /**
   * Stores the voices of this machine that are not stored yet, such as files that were copied into its folder, or lost.
   * @returns those that another machine has removed
   */
  async share(local: readonly LocalVoice[]): Promise<LocalVoice[]> {
    const rows = await listStoredVoices(this.#database.read);
    const known = new Map(rows.map((row) => [row.content_hash, row]));
    this.#deleteUnused(rows);
    const removed: LocalVoice[] = [];
    for (const voice of local) {
      const row = known.get(voice.files.contentHash);
      if (row !== undefined && row.removed_at !== null) removed.push(voice);
      else if (row === undefined || row.lost_at !== null) await this.#shareOne(voice);
    }
    const isLocal = (row: StoredVoice) => local.some(({ files }) => files.contentHash === row.content_hash);
    for (const row of rows.filter((row) => row.removed_at === null && row.lost_at !== null && !isLocal(row))) {
      const files = this.#filesOf(row);
      if (existsSync(files.modelPath)) await this.#shareOne({ stem: row.stem, files });
    }
    return removed;
  }

  /**
   * Call it for a voice whose files this machine does not have, before it counts as uninstalled.
   * @throws VoiceMissingError until no machine has stored it for ten minutes
   */
  async requireUninstalled(voiceId: number): Promise<void> {
    const { read, cluster } = this.#database;
    if (cluster === undefined || !(await hasOtherMachine(read, cluster.machineId))) return;
    const since = await this.#database.write('server', (db) => markVoiceMissing(db, voiceId));
    if (since !== undefined && currentTimeMs() - Date.parse(since) < missingTimeoutMs) throw new VoiceMissingError();
  }

  /**
   * Copies the files of all voices into a folder, unless it has them.
   * @returns how many files
   * @throws AppError `operation_failed`
   */
  async exportTo(folder: string): Promise<number> {
    let count = 0;
    for (const row of await listStoredVoices(this.#database.read)) {
      const { stem, content_hash, model_key } = row;
      const configPath = join(folder, `${stem}.onnx.json`);
      if (row.removed_at !== null || row.lost_at !== null || existsSync(configPath)) continue;
      const config = await readStoredConfig(this.#database.read, content_hash);
      if (config === undefined) continue;
      createPrivateFolder(folder);
      const modelPath = join(folder, `${model_key === content_hash ? stem : model_key}.onnx`);
      if (!existsSync(modelPath)) {
        await writeFileAtomically(modelPath, this.#readModel(row, config));
        count += 1;
      }
      await writeFileAtomically(configPath, [config]);
      count += 1;
    }
    return count;
  }

  #filesOf({ content_hash, model_key }: StoredVoice): VoiceFiles {
    return {
      modelPath: join(this.#folder, getModelName(content_hash, model_key)),
      configPath: join(this.#folder, `${content_hash}.onnx.json`),
      contentHash: content_hash,
    };
  }

  /** @returns false when the voice is stored no longer */
  async #writeConfig({ configPath, contentHash }: VoiceFiles): Promise<boolean> {
    if (existsSync(configPath)) return true;
    const config = await readStoredConfig(this.#database.read, contentHash);
    if (config === undefined) return false;
    createPrivateFolder(this.#folder);
    await writeFileAtomically(configPath, [config]);
    return true;
  }

  async #download({ modelPath, configPath, contentHash }: VoiceFiles): Promise<void> {
    const row = (await listStoredVoices(this.#database.read)).find((voice) => voice.content_hash === contentHash);
    if (row === undefined || row.removed_at !== null || row.lost_at !== null) throw new VoiceMissingError();
    try {
      await writeFileAtomically(modelPath, this.#readModel(row, readFileSync(configPath)));
      this.#log?.info({ voice: row.stem, bytes: row.byte_count }, 'voice fetched');
    } catch (error) {
      this.#log?.warn({ err: error, voice: row.stem }, 'fetching voice failed');
      if (error instanceof ModelLostError) {
        await this.#database.write('server', (db) => markModelLost(db, row));
      }
      throw new VoiceMissingError();
    }
  }

  /** @throws ModelLostError; AppError `sound_unavailable` */
  async *#readModel(model: StoredVoice, config: Uint8Array): AsyncGenerator<Uint8Array> {
    const hash = startVoiceHash(model.byte_count);
    const pieces = model.object_key === null ? this.#readParts(model) : this.#readObject(model.object_key, model);
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
    if (hash.update(config).digest('hex') === model.content_hash) return;
    throw new ModelLostError(model.stem, 'the content differs from its hash');
  }

  async *#readParts({ stem, model_key, byte_count }: StoredVoice): AsyncGenerator<Uint8Array> {
    for (let position = 0; position * partBytes < byte_count; position += 1) {
      const part = await readModelPart(this.#database.read, model_key, position);
      if (part === undefined) throw new ModelLostError(stem, `part ${position} is missing`);
      yield part;
    }
  }

  async *#readObject(key: string, { stem, byte_count }: StoredVoice): AsyncGenerator<Uint8Array> {
    if (this.#bucket === undefined) throw operationFailed('Voice is in a bucket. Set LECTERN_SOUND.');
    for (let start = 0; start < byte_count; start += windowBytes) {
      try {
        yield await this.#bucket.read(key, start, Math.min(byte_count, start + windowBytes));
      } catch (error) {
        if (error instanceof AppError && error.code === 'media_gone')
          throw new ModelLostError(stem, `${key} is missing`);
        throw error;
      }
    }
  }

  async #uploadModel(path: string, model_key: string): Promise<StoredModel> {
    const byte_count = statSync(path).size;
    if (this.#bucket === undefined) {
      await this.#uploadParts(path, model_key);
      return { model_key, byte_count, object_key: null };
    }
    const object_key = `${voicePrefix}${model_key}-${randomBytes(randomByteCount).toString('base64url')}.onnx`;
    await this.#database.write('server', (db) => insertWritingModel(db, object_key, byte_count));
    await this.#bucket.put(object_key, Bun.file(path));
    return { model_key, byte_count, object_key };
  }

  /** Each in a transaction of its own, as others wait meanwhile. */
  async #uploadParts(path: string, model_key: string): Promise<void> {
    let position = 0;
    for await (const content of splitParts(readFileChunks(path))) {
      const part = { model_key, position, content };
      await this.#database.write('server', (db) => insertModelPart(db, part), { sync: 'normal' });
      position += 1;
    }
  }

  async #shareOne({ stem, files }: LocalVoice): Promise<void> {
    if (this.#shadowed.has(files.contentHash)) return;
    try {
      if (await isStemTaken(this.#database.read, stem, files.contentHash)) {
        throw new AppError('conflict', `Voice ${stem} already exists`);
      }
      const uploaded = await this.upload(stem, files, getOptimizerKey(files));
      await this.#database.write('server', (db) => this.insert(db, uploaded));
      this.#log?.info({ voice: stem }, 'voice stored for other machines');
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
      this.#shadowed.add(files.contentHash);
      this.#log?.warn({ voice: stem }, 'voice not stored for other machines: theirs has other files');
    }
  }

  #deleteUnused(rows: readonly StoredVoice[]): void {
    const live = rows.filter(({ removed_at }) => removed_at === null);
    const kept = new Set(
      live.flatMap((row) => [getModelName(row.content_hash, row.model_key), `${row.content_hash}.onnx.json`]),
    );
    for (const name of listNames(this.#folder)) {
      if (fetchedPattern.test(name) && !kept.has(name)) rmSync(join(this.#folder, name), { force: true });
    }
  }
}

/** A shared model has its SHA-256 as name, as in the voices folder. */
function getModelName(contentHash: string, modelKey: string): string {
  return modelKey === contentHash ? `own-${contentHash}.onnx` : `${modelKey}.onnx`;
}

async function* splitParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= partBytes; rest = rest.subarray(partBytes)) yield rest.subarray(0, partBytes);
  }
  if (rest.length > 0) yield rest;
}
