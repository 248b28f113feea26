import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Queries } from '../../database/open.ts';
import { FileError, toFileError, writeFileAtomically } from '../../files.ts';
import type { Log } from '../../log.ts';
import { readMp3, type SegmentedMp3 } from './segmented-mp3.ts';

const maxAgeHours = 24;
/** The files made longest ago go first beyond it. */
const maxFolderBytes = 2_000_000_000;

/**
 * MP3s as real files, made when first asked for and deleted a day later: the operating system sends a file to any
 * number of slow listeners without holding it in memory, and with its length known. The rows stay the truth.
 */
export interface MediaFiles {
  /** @returns the path of the file where this process has written it already */
  findFile(mediaKey: string, mp3: SegmentedMp3): string | undefined;
  /**
   * @returns the path of the file, whole; undefined where it can't be written, as on a full disk
   * @throws AppError `media_gone` when the rows are deleted meanwhile
   */
  findOrCreateFile(mediaKey: string, mp3: SegmentedMp3): Promise<string | undefined>;
  /** Deletes the files of MP3s that are gone. */
  deleteFiles(mediaKeys: readonly string[]): Promise<void>;
  /** Deletes files made longer ago than a day, and the oldest beyond the folder's limit. */
  evict(): void;
}

/**
 * Files that an earlier process left are written anew before they are served: they may have been damaged since.
 * @param folder is made when needed; everything in it may be deleted at any time
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
  const pathOf = (mediaKey: string): string => join(folder, `${mediaKey}.mp3`);
  const madeFile = (mediaKey: string, mp3: SegmentedMp3): string | undefined => {
    const path = pathOf(mediaKey);
    if (!written.has(path)) return undefined;
    const made = statSync(path, { throwIfNoEntry: false });
    return made?.size === mp3.byteCount ? path : undefined;
  };
  return {
    findFile: madeFile,
    findOrCreateFile: (mediaKey, mp3) => {
      const made = madeFile(mediaKey, mp3);
      if (made !== undefined) return Promise.resolve(made);
      const path = pathOf(mediaKey);
      const known = writing.get(path);
      if (known !== undefined) return known;
      const started = write(path, mp3).finally(() => writing.delete(path));
      writing.set(path, started);
      return started;
    },
    deleteFiles: async (mediaKeys) => {
      for (const path of mediaKeys.map(pathOf)) {
        // One that is being written would be there after all. Whoever asked for it is told why it fails.
        await writing.get(path)?.catch(() => undefined);
        remove(path);
      }
    },
    evict: () => {
      const oldest = Date.now() - maxAgeHours * 3_600_000;
      let byteCount = 0;
      for (const file of listNewestFirst(folder)) {
        byteCount += file.byteCount;
        if (file.madeAt < oldest || byteCount > maxFolderBytes) remove(file.path);
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
    return status === undefined ? [] : [{ path, byteCount: status.size, madeAt: status.mtimeMs }];
  });
  return files.sort((one, other) => other.madeAt - one.madeAt);
}

function listFileNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
