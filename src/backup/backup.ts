import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { type FileSum, packFile, parseManifest, readSmallEntry, readTar, Sha256, streamTar } from '../archive.ts';
import { deleteAllSessions } from '../auth/sessions.ts';
import { timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import { checkIntegrity, ensureDataFolder, lockDataFolder, openSqlite, snapshotDatabase } from '../database/sqlite.ts';
import { AppError, operationFailed } from '../errors.ts';
import {
  createPrivateFile,
  createPrivateFolder,
  publishFile,
  removePartialFiles,
  toFileError,
  writeFileAtomically,
} from '../files.ts';
import { version } from '../version.ts';

/** Of commands and requests for a backup. */
export const postgresBackupHint =
  'The database is PostgreSQL: back it up and restore it with its own tools, such as pg_dump. User-installed voices are in it, or in the bucket. Copy lectern.toml.';

const manifestName = 'manifest.json';
const maxManifestBytes = 1024 * 1024;
/** Nothing that could land outside the folder it is restored into. */
const partNamePattern = /^(lectern\.db|lectern\.toml|voices\/(?!\.{1,2}$)[^/\\\0]{1,200})$/;
const privateMode = 0o600;

const Manifest = Type.Object({
  format: Type.Literal(1),
  lectern: Type.String(),
  created_at: Type.String(),
  parts: Type.Array(
    Type.Object({
      name: Type.String({ pattern: partNamePattern.source }),
      byte_count: Type.Integer({ minimum: 0 }),
      sha256: Sha256,
    }),
  ),
});
/** The last entry of a backup, so that a file cut short has none. */
export type Manifest = Static<typeof Manifest>;

/** A file that goes into a backup, under its name there. */
interface Part {
  readonly name: string;
  readonly path: string;
}

/**
 * Writes everything a server needs into one tar file, also beside a running server: database (with every MP3),
 * user-installed voices, config file. The file appears under its name only when it is complete.
 * @param target must not exist yet
 * @throws AppError `operation_failed`; `bad_usage` for PostgreSQL
 */
export async function createBackup(
  { data, database: address, voices, configFile }: Pick<Config, 'data' | 'database' | 'voices' | 'configFile'>,
  target: string,
): Promise<Manifest> {
  if (address !== undefined) throw new AppError('bad_usage', `Backup not created. ${postgresBackupHint}`);
  if (existsSync(target)) {
    throw operationFailed(`Backup failed: ${target} already exists. Choose another file name.`);
  }
  const snapshot = `${target}.database.partial`;
  try {
    // Left by an interrupted backup.
    rmSync(snapshot, { force: true });
    removePartialFiles(dirname(target), new Set([target]));
    createPrivateFile(snapshot);
    snapshotDatabase(data, snapshot);
    const database = { name: 'lectern.db', path: snapshot };
    return await writeParts(target, [database, ...listConfigFile(configFile), ...listVoiceFiles(voices)]);
  } catch (error) {
    throw toFileError(target, error);
  } finally {
    rmSync(snapshot, { force: true });
  }
}

async function writeParts(target: string, parts: readonly Part[]): Promise<Manifest> {
  const manifest: Manifest = { format: 1, lectern: version, created_at: timestamp(), parts: [] };
  const archive = streamTar(async (tar) => {
    for (const { name, path } of parts) {
      const { size } = statSync(path);
      const sha256 = await packFile(tar, path, { name, size, mode: privateMode });
      manifest.parts.push({ name, byte_count: size, sha256 });
    }
    tar.entry({ name: manifestName, mode: privateMode }, JSON.stringify(manifest, null, 2));
  });
  await writeFileAtomically(target, archive, { mustBeNew: true });
  return manifest;
}

function listConfigFile(path: string): Part[] {
  return existsSync(path) ? [{ name: 'lectern.toml', path }] : [];
}

/** @returns the files of user-installed voices, as `voices/…` */
export function listVoiceFiles(folder: string): Part[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.onnx') || name.endsWith('.onnx.json'))
    .map((name) => ({ name: `voices/${name}`, path: join(folder, name) }))
    .filter(({ path }) => statSync(path).isFile());
}

/** Unpacked here first, and moved into place when all of it is verified. */
const stagingFolder = 'restoring';
/** What an unused folder may hold: the lock, unpacked libraries, and the rest of an interrupted restore. */
const ignorablePattern = /^(restoring|lock\.db(-journal)?|native-\d+)$/;

/**
 * Creates a data folder from a backup.
 * @param data empty or missing
 * @throws AppError `operation_failed`: the folder is in use or not empty, the backup is damaged or of a newer version
 */
export async function restore(source: string, data: string): Promise<Manifest> {
  if (!existsSync(source)) throw operationFailed(`File ${source} not found`);
  ensureDataFolder(data);
  const existing = readdirSync(data).find((name) => !ignorablePattern.test(name));
  if (existing !== undefined) {
    throw operationFailed(`Restore failed: ${data} is not empty (contains ${existing}). Restore into an empty folder.`);
  }
  const unlock = lockDataFolder(data);
  const unpacked = join(data, stagingFolder);
  try {
    rmSync(unpacked, { recursive: true, force: true });
    mkdirSync(unpacked, { mode: 0o700 });
    const manifest = await unpackParts(source, unpacked);
    if (!manifest.parts.some(({ name }) => name === 'lectern.db')) {
      throw operationFailed(`Backup ${source} contains no database`);
    }
    await prepareDatabase(unpacked, source);
    // The database last: a folder without one still counts as new.
    const names = readdirSync(unpacked).sort((name) => (name === 'lectern.db' ? 1 : -1));
    for (const name of names) await publishFile(join(unpacked, name), join(data, name), undefined);
    return manifest;
  } catch (error) {
    throw toFileError(data, error);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
    unlock();
  }
}

/** Unpacks a backup into an empty folder and verifies the checksum of every part. */
async function unpackParts(source: string, folder: string): Promise<Manifest> {
  const notBackup = (): AppError => operationFailed(`${source} is not a complete Lectern backup`);
  const sums = new Map<string, FileSum>();
  let manifestBytes: Buffer | undefined;
  await readTar(source, async (entry) => {
    const { name, type } = entry.header;
    if (name === manifestName) {
      manifestBytes = await readSmallEntry(entry, maxManifestBytes);
      if (manifestBytes === undefined) throw notBackup();
      return;
    }
    if (type !== 'file' || !partNamePattern.test(name) || sums.has(name)) throw notBackup();
    const path = join(folder, name);
    createPrivateFolder(dirname(path));
    const { byteCount, sha256 } = await writeFileAtomically(path, entry);
    sums.set(name, { byte_count: byteCount, sha256 });
  });
  // A tar file that ends early has no manifest.
  const parsed = parseManifest(Manifest, manifestBytes?.toString('utf8') ?? '');
  if ('problem' in parsed) throw notBackup();
  const { manifest } = parsed;
  const isIntact =
    manifest.parts.length === sums.size &&
    manifest.parts.every(({ name, ...sum }) => Bun.deepEquals(sum, sums.get(name)));
  if (isIntact) return manifest;
  throw operationFailed(`Backup ${source} is damaged: checksums do not match. Use another backup.`);
}

/** Checks the database, migrates it, and ends its sessions: a sign-out since the backup must stay in force. */
async function prepareDatabase(folder: string, source: string): Promise<void> {
  const [damage] = checkIntegrity(folder);
  if (damage !== undefined) {
    throw operationFailed(`The database in backup ${source} is damaged: ${damage}. Use another backup.`);
  }
  const database = openSqlite(folder);
  try {
    await database.write('server', deleteAllSessions);
  } finally {
    await database.close();
  }
}
