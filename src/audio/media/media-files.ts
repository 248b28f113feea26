import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Queries } from '../../database/open.ts';
import { FileError, toFileError, writeFileAtomically } from '../../files.ts';
import type { Log } from '../../log.ts';
import { readMp3, type SegmentedMp3 } from './segmented-mp3.ts';

const maxAgeHours = 24;
/** Beyond it the oldest files are deleted first. */
const maxFolderBytes = 2_000_000_000;

/**
 * MP3s as files, written at the first request and deleted a day later: the operating system sends a file to any number of
 * slow clients without holding it in memory, and with a known length. The database rows remain the source.
 */
export interface MediaFiles {
  /** @returns the path of the file where this process has written it already */
  findFile(mediaKey: string, mp3: SegmentedMp3): string | undefined;
  /**
   * @returns the path of the file, whole; undefined where it can't be written, as on a full disk
   * @throws AppError `media_gone` when the rows are deleted meanwhile
   */
  findOrCreateFile(mediaKey: string, mp3: SegmentedMp3): Promise<string | undefined>;
  /** Deletes the files of deleted MP3s. */
  deleteFiles(mediaKeys: readonly string[]): Promise<void>;
  /** Deletes files older than a day, and the oldest beyond the limit of the folder. */
  evict(): void;
}

/**
 * Files of an earlier process are written again before they are served, as they may be damaged.
 * @param folder created when needed; everything in it may be deleted at any time
 */
export function createMediaFiles(read: Queries, folder: string, log: Log): MediaFiles {
  const writing = new Map<string, Promise<string | undefined>>();
  /** Paths of the files this process has written. */
  const written = new Set<string>();
  const write = async (path: string, mp3: SegmentedMp3): Promise<string | undefined> => {
    const { byteCount } = mp3;
    try {
      createFolder(folder);
      await writeFileAtomically(path, readMp3(read, mp3, 0, byteCount), { byteCount, mode: 0o600 });
      written.add(path);
      return path;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      log.warn({ err: error }, 'writing MP3 file failed, sent from database');
      return undefined;
    }
  };
  const remove = (path: string): void => {
    written.delete(path);
    rmSync(path, { force: true });
  };
  const buildPath = (mediaKey: string): string => join(folder, `${mediaKey}.mp3`);
  const findFile = (mediaKey: string, mp3: SegmentedMp3): string | undefined => {
    const path = buildPath(mediaKey);
    if (!written.has(path)) return undefined;
    const status = statSync(path, { throwIfNoEntry: false });
    return status?.size === mp3.byteCount ? path : undefined;
  };
  return {
    findFile,
    findOrCreateFile: (mediaKey, mp3) => {
      const existing = findFile(mediaKey, mp3);
      if (existing !== undefined) return Promise.resolve(existing);
      const path = buildPath(mediaKey);
      const running = writing.get(path);
      if (running !== undefined) return running;
      const started = write(path, mp3).finally(() => writing.delete(path));
      writing.set(path, started);
      return started;
    },
    deleteFiles: async (mediaKeys) => {
      for (const path of mediaKeys.map(buildPath)) {
        // A write in progress would create the file again. Its error goes to the request that started it.
        await writing.get(path)?.catch(() => undefined);
        remove(path);
      }
    },
    evict: () => {
      const oldest = Date.now() - maxAgeHours * 3_600_000;
      let byteCount = 0;
      for (const file of listNewestFirst(folder)) {
        byteCount += file.byteCount;
        if (file.modifiedAt < oldest || byteCount > maxFolderBytes) remove(file.path);
      }
    },
  };
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileError(folder, error);
  }
}

function listNewestFirst(folder: string) {
  const files = listFileNames(folder).flatMap((name) => {
    const path = join(folder, name);
    const status = statSync(path, { throwIfNoEntry: false });
    return status === undefined ? [] : [{ path, byteCount: status.size, modifiedAt: status.mtimeMs }];
  });
  return files.sort((one, other) => other.modifiedAt - one.modifiedAt);
}

function listFileNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
