import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hourMs } from '../../clock.ts';
import type { Queries } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { createPrivateFolder, FileError, listNames, writeFileAtomically } from '../../files.ts';
import type { Log } from '../../log.ts';
import type { SegmentedMp3 } from './segmented-mp3.ts';
import type { Sound } from './sound.ts';
import { listSegmentChecksums, listSegmentPlaces, type Mp3Layout, readMp3Layout } from './store.ts';

/** An MP3 that is about to be published. */
interface NewMp3 extends Pick<SegmentedMp3, 'versionId' | 'byteCount'> {
  readonly layout: Mp3Layout;
}

const maxAgeHours = 24;
/** Beyond it the oldest files are deleted first. */
const maxFolderBytes = 2_000_000_000;

/**
 * MP3s as files, written at the first request and deleted a day later: the operating system sends a file to any number of
 * slow clients without holding it in memory, and with a known length. The database or the bucket remains the source. A file of an
 * earlier process may be damaged: its checksums are compared once, before it is served.
 */
export class MediaFiles {
  readonly #read: Queries;
  readonly #sound: Sound;
  readonly #folder: string;
  readonly #log: Log;
  readonly #writing = new Map<string, Promise<string | undefined>>();
  /** Paths of the files this process has written or verified. */
  readonly #verified = new Set<string>();

  /** @param folder created when needed; everything in it may be deleted at any time */
  constructor(read: Queries, sound: Sound, folder: string, log: Log) {
    this.#read = read;
    this.#sound = sound;
    this.#folder = folder;
    this.#log = log;
  }

  /** @returns the path of the file if this process has written or verified it */
  findFile(mediaKey: string, { byteCount }: SegmentedMp3): string | undefined {
    const path = this.#buildPath(mediaKey);
    if (!this.#verified.has(path)) return undefined;
    return statSync(path, { throwIfNoEntry: false })?.size === byteCount ? path : undefined;
  }

  /**
   * @returns the path of the whole file; undefined if it cannot be written, as on a full disk
   * @throws AppError `media_gone` if the rows are deleted meanwhile
   */
  async findOrCreateFile(mediaKey: string, mp3: SegmentedMp3): Promise<string | undefined> {
    const existing = this.findFile(mediaKey, mp3);
    if (existing !== undefined) return existing;
    const path = this.#buildPath(mediaKey);
    return this.#writing.getOrInsertComputed(path, () =>
      this.#verifyOrWrite(path, mp3).finally(() => this.#writing.delete(path)),
    );
  }

  /**
   * Writes the file of an MP3 that is about to be published, from the frames of its segments.
   * @throws AppError `busy`: no space, or the frames are not those of the segments
   */
  async createFile(mediaKey: string, mp3: NewMp3): Promise<string> {
    const path = this.#buildPath(mediaKey);
    const { layout, byteCount } = mp3;
    try {
      createPrivateFolder(this.#folder);
      await writeFileAtomically(path, this.#readNew(mp3), { byteCount });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#log.warn({ err: error }, 'writing MP3 file failed');
      throw new AppError('busy', error.message);
    }
    if (!(await matchesRows(this.#read, path, mp3, layout))) {
      this.#remove(path);
      throw new AppError('busy', 'The frames of a segment were modified');
    }
    this.#verified.add(path);
    return path;
  }

  async *#readNew({ layout, versionId }: NewMp3): AsyncGenerator<Uint8Array> {
    yield layout.header;
    yield* this.#sound.readSegments(versionId, await listSegmentPlaces(this.#read, versionId));
  }

  async deleteFiles(mediaKeys: readonly string[]): Promise<void> {
    for (const mediaKey of mediaKeys) {
      const path = this.#buildPath(mediaKey);
      // A write in progress would create the file again. Its error goes to the request that started it.
      await this.#writing.get(path)?.catch(() => undefined);
      this.#remove(path);
    }
  }

  /** Deletes files older than a day, and the oldest beyond the limit of the folder. */
  evict(): void {
    const oldest = Date.now() - maxAgeHours * hourMs;
    let byteCount = 0;
    for (const file of listNewestFirst(this.#folder)) {
      byteCount += file.byteCount;
      if (file.modifiedAt < oldest || byteCount > maxFolderBytes) this.#remove(file.path);
    }
  }

  #buildPath(mediaKey: string): string {
    return join(this.#folder, `${mediaKey}.mp3`);
  }

  async #verifyOrWrite(path: string, mp3: SegmentedMp3): Promise<string | undefined> {
    const { byteCount } = mp3;
    const layout = await readMp3Layout(this.#read, mp3.versionId);
    try {
      if (!(await matchesRows(this.#read, path, mp3, layout))) {
        createPrivateFolder(this.#folder);
        await writeFileAtomically(path, this.#sound.read(mp3, 0, byteCount), { byteCount });
        if (mp3.objectKey !== null && !(await matchesRows(this.#read, path, mp3, layout))) {
          this.#remove(path);
          await this.#sound.reportDamage(mp3.objectKey);
          throw new AppError('media_gone');
        }
      }
      this.#verified.add(path);
      return path;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#log.warn({ err: error }, 'writing MP3 file failed, sent from database');
      return undefined;
    }
  }

  #remove(path: string): void {
    this.#verified.delete(path);
    rmSync(path, { force: true });
  }
}

/** Whether a file has the content of the rows: header, and segments by their stored checksums. Holds one segment in memory. */
async function matchesRows(
  read: Queries,
  path: string,
  { versionId, byteCount }: Pick<SegmentedMp3, 'versionId' | 'byteCount'>,
  { header, byteStarts }: Mp3Layout,
): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== byteCount) return false;
  const checksums = [hashSha256(header), ...(await listSegmentChecksums(read, versionId))];
  const starts = [0, ...byteStarts];
  if (checksums.length !== starts.length) return false;
  const file = Bun.file(path);
  for (const [index, start] of starts.entries()) {
    // An unreadable file is written again.
    const part = await file
      .slice(start, starts[index + 1] ?? byteCount)
      .bytes()
      .catch(() => undefined);
    if (part === undefined || hashSha256(part) !== checksums[index]) return false;
  }
  return true;
}

function hashSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function listNewestFirst(folder: string) {
  const files = listNames(folder).flatMap((name) => {
    const path = join(folder, name);
    const status = statSync(path, { throwIfNoEntry: false });
    return status === undefined ? [] : [{ path, byteCount: status.size, modifiedAt: status.mtimeMs }];
  });
  return files.sort((a, b) => b.modifiedAt - a.modifiedAt);
}
