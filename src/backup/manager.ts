import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { buildProgramCommand } from '../build/processes.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

/** Like a worker: speaking and answering go first. */
const niceness = 10;
const namePattern = /^lectern-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.tar$/;
/** A copy of the database, and the file it is packed into. */
const spaceFactor = 2;

/** A backup in the data folder. */
export interface StoredBackup {
  readonly name: string;
  readonly state: 'running' | 'ready' | 'failed';
  /** When it was begun, ISO 8601. */
  readonly createdAt: string;
  readonly byteCount: number | null;
  /** Why it failed, in one sentence. */
  readonly error: string | null;
}

/** Backups made by the server itself, in `{data}/backups`. */
export interface BackupManager {
  /** How many stay; older ones go when another is ready. */
  readonly limit: number;
  /** @returns newest first, with the one that is being made, or the last that failed */
  list(): StoredBackup[];
  /**
   * Begins one, in a process of its own.
   * @throws AppError `conflict` while one is being made, or without room for another
   */
  start(): StoredBackup;
  /** @returns the file of a finished one. @throws AppError `not_found` */
  getPath(name: string): string;
  /** @throws AppError `not_found`; `conflict` while it is being made */
  delete(name: string): void;
  /** Breaks off what is being made. */
  stop(): Promise<void>;
}

/** @param data the data folder; what an earlier server left unfinished there is removed */
export function createBackupManager(data: string, most: number, log: Log): BackupManager {
  const folder = join(data, 'backups');
  let running: { backup: StoredBackup; child: Subprocess } | undefined;
  let failed: StoredBackup | undefined;

  const finished = (): StoredBackup[] =>
    listNames(folder)
      // Its file is there a moment before its process has ended.
      .filter((name) => namePattern.test(name) && name !== running?.backup.name)
      .flatMap((name) => {
        const stat = statSync(join(folder, name), { throwIfNoEntry: false });
        return stat === undefined ? [] : [toReadyBackup(name, stat.size)];
      });
  const dropOld = (): void => {
    const old = finished().toSorted(compareNewestFirst).slice(most);
    for (const { name } of old) rmSync(join(folder, name), { force: true });
  };
  const settle = (backup: StoredBackup, error: string | undefined): void => {
    running = undefined;
    if (error === undefined) {
      log.info({ backup: backup.name }, 'backup created');
      dropOld();
      return;
    }
    log.error({ backup: backup.name, error }, 'backup failed');
    failed = { ...backup, state: 'failed', error };
  };
  for (const name of listNames(folder)) {
    if (name.endsWith('.partial')) rmSync(join(folder, name), { force: true });
  }

  return {
    limit: most,
    list: () => {
      const others = [running?.backup, failed].filter((one) => one !== undefined);
      return [...others, ...finished()].toSorted(compareNewestFirst);
    },
    start: () => {
      if (running !== undefined) throw new AppError('conflict', 'A backup is already running');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      checkFreeSpace(data);
      failed = undefined;
      const createdAt = new Date().toISOString();
      const name = `lectern-${createdAt.replace(/[:.]/g, '-')}.tar`;
      const backup: StoredBackup = {
        ...{ name, state: 'running', createdAt, byteCount: null, error: null },
      };
      const child = Bun.spawn([...buildProgramCommand(), 'backup', join(folder, name), '--data', data, '--json'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      running = { backup, child };
      lowerPriority(child.pid);
      waitForResult(child)
        .then((error) => settle(backup, error))
        .catch((error: unknown) => settle(backup, String(error)));
      return backup;
    },
    getPath: (name) => {
      const path = join(folder, name);
      if (!namePattern.test(name) || !existsSync(path)) throw backupNotFound(name);
      return path;
    },
    delete: (name) => {
      if (running?.backup.name === name) {
        throw new AppError('conflict', 'Backup not deleted: it is still running');
      }
      const path = join(folder, name);
      const hasFailed = failed?.name === name;
      if (!hasFailed && (!namePattern.test(name) || !existsSync(path))) throw backupNotFound(name);
      if (hasFailed) failed = undefined;
      rmSync(path, { force: true });
    },
    stop: async () => {
      running?.child.kill();
      await running?.child.exited;
    },
  };
}

function toReadyBackup(name: string, byteCount: number): StoredBackup {
  const createdAt = name.replace(namePattern, '$1T$2:$3:$4.$5Z');
  return { name, state: 'ready', createdAt, byteCount, error: null };
}

function compareNewestFirst(one: StoredBackup, other: StoredBackup): number {
  return one.createdAt < other.createdAt ? 1 : -1;
}

function listNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** A full disk would keep the server from speaking. @throws AppError `conflict` */
function checkFreeSpace(data: string): void {
  const { bavail, bsize } = statfsSync(data);
  const needed = spaceFactor * statSync(join(data, 'lectern.db')).size;
  if (bavail * bsize > needed) return;
  throw new AppError(
    'conflict',
    `Not enough disk space for a backup: about ${toMegabytes(needed)} MB needed temporarily, ${toMegabytes(bavail * bsize)} MB free`,
  );
}

function toMegabytes(byteCount: number): number {
  return Math.ceil(byteCount / 1024 / 1024);
}

/** @returns why it failed; undefined when it is well */
async function waitForResult(child: Subprocess<'ignore', 'ignore', 'pipe'>): Promise<string | undefined> {
  const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code === 0) return undefined;
  const [line = ''] = said.trim().split('\n').slice(-1);
  return line.replace(/^lectern: /, '') || 'The backup was interrupted';
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Gone already, or forbidden: it is made all the same.
  }
}

function backupNotFound(name: string): AppError {
  return new AppError('not_found', `Backup ${name} not found`);
}
