import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBucket } from '../audio/media/bucket.ts';
import { requireBucket } from '../audio/media/object-store.ts';
import type { Config } from '../config.ts';
import { copyRows } from '../database/copy-rows.ts';
import type { Database } from '../database/database.ts';
import { allowLongTransaction } from '../database/dialect.ts';
import { openDatabase } from '../database/open.ts';
import { ensureDataFolder, lockDataFolder } from '../database/sqlite.ts';
import { AppError } from '../errors.ts';
import { readFileChunks, toFileError, writeFileAtomically } from '../files.ts';
import { openStoredVoices } from '../voices/stored-voices.ts';
import { listVoiceFiles } from './backup.ts';
import { SoundMove } from './move-sound.ts';
import { upgradeDatabase } from './upgrade.ts';

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
    throw new AppError('operation_failed', `Nothing moved: data folder ${source.data} does not exist.`);
  }
  await using opened = new AsyncDisposableStack();
  const from = await openExclusively(source, opened);
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
      const copied = await copyRows(reading, writing, (table, rows) => sound.convert(table, rows), onProgress);
      return { ...copied, objects: sound.objectCount, sound_bytes: sound.byteCount, voice_files: voiceFiles };
    });
  });
}

async function openExclusively(config: Config, opened: AsyncDisposableStack): Promise<Database> {
  ensureDataFolder(config.data);
  opened.defer(lockDataFolder(config.data));
  await upgradeDatabase(config, true);
  const database = await openDatabase(config, { isExclusive: true });
  opened.defer(() => database.close());
  return database;
}

/** @returns how many files */
async function copyVoices(from: string, to: string): Promise<number> {
  const files = listVoiceFiles(from);
  if (from === to || files.length === 0) return 0;
  try {
    mkdirSync(to, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileError(to, error);
  }
  for (const { name, path } of files) {
    await writeFileAtomically(join(to, name.replace(/^voices\//, '')), readFileChunks(path));
  }
  return files.length;
}
