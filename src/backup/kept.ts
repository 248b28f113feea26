import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { programCommand } from '../build/processes.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

/** Like a worker: speaking and answering go first. */
const niceness = 10;
const nameForm = /^lectern-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.tar$/;
/** A copy of the database, and the file it is packed into. */
const roomFactor = 2;

/** A backup in the data folder. */
export interface KeptBackup {
  readonly name: string;
  readonly state: 'running' | 'ready' | 'failed';
  /** When it was begun, ISO 8601. */
  readonly createdAt: string;
  readonly byteCount: number | null;
  /** Why it failed, in one sentence. */
  readonly error: string | null;
}

/** Backups made by the server itself, in `{data}/backups`. */
export interface KeptBackups {
  /** How many stay; older ones go when another is ready. */
  readonly most: number;
  /** @returns newest first, with the one that is being made, or the last that failed */
  list(): KeptBackup[];
  /**
   * Begins one, in a process of its own.
   * @throws AppError `conflict` while one is being made, or without room for another
   */
  begin(): KeptBackup;
  /** @returns the file of a finished one. @throws AppError `not_found` */
  fileOf(name: string): string;
  /** @throws AppError `not_found`; `conflict` while it is being made */
  remove(name: string): void;
  /** Breaks off what is being made. */
  stop(): Promise<void>;
}

/** @param data the data folder; what an earlier server left unfinished there is removed */
export function keepBackups(data: string, most: number, log: Log): KeptBackups {
  const folder = join(data, 'backups');
  let running: { backup: KeptBackup; child: Subprocess } | undefined;
  let failed: KeptBackup | undefined;

  const finished = (): KeptBackup[] =>
    namesIn(folder)
      // Its file is there a moment before its process has ended.
      .filter((name) => nameForm.test(name) && name !== running?.backup.name)
      .flatMap((name) => {
        const stat = statSync(join(folder, name), { throwIfNoEntry: false });
        return stat === undefined ? [] : [readyBackup(name, stat.size)];
      });
  const dropOld = (): void => {
    const old = finished().toSorted(newestFirst).slice(most);
    for (const { name } of old) rmSync(join(folder, name), { force: true });
  };
  const settle = (backup: KeptBackup, error: string | undefined): void => {
    running = undefined;
    if (error === undefined) {
      log.info({ backup: backup.name }, 'a backup is ready');
      dropOld();
      return;
    }
    log.error({ backup: backup.name, error }, 'a backup failed');
    failed = { ...backup, state: 'failed', error };
  };
  for (const name of namesIn(folder)) {
    if (name.endsWith('.partial')) rmSync(join(folder, name), { force: true });
  }

  return {
    most,
    list: () => {
      const others = [running?.backup, failed].filter((one) => one !== undefined);
      return [...others, ...finished()].toSorted(newestFirst);
    },
    begin: () => {
      if (running !== undefined) throw new AppError('conflict', 'A backup is being made already');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      checkRoom(data);
      failed = undefined;
      const createdAt = new Date().toISOString();
      const name = `lectern-${createdAt.replace(/[:.]/g, '-')}.tar`;
      const backup: KeptBackup = {
        ...{ name, state: 'running', createdAt, byteCount: null, error: null },
      };
      const child = Bun.spawn(
        [...programCommand(), 'backup', join(folder, name), '--data', data, '--json'],
        { stdio: ['ignore', 'ignore', 'pipe'] },
      );
      running = { backup, child };
      makeNice(child.pid);
      outcomeOf(child)
        .then((error) => settle(backup, error))
        .catch((error: unknown) => settle(backup, String(error)));
      return backup;
    },
    fileOf: (name) => {
      const path = join(folder, name);
      if (!nameForm.test(name) || !existsSync(path)) throw noBackup(name);
      return path;
    },
    remove: (name) => {
      if (running?.backup.name === name) {
        throw new AppError('conflict', 'This backup is being made');
      }
      const path = join(folder, name);
      const hasFailed = failed?.name === name;
      if (!hasFailed && (!nameForm.test(name) || !existsSync(path))) throw noBackup(name);
      if (hasFailed) failed = undefined;
      rmSync(path, { force: true });
    },
    stop: async () => {
      running?.child.kill();
      await running?.child.exited;
    },
  };
}

function readyBackup(name: string, byteCount: number): KeptBackup {
  const createdAt = name.replace(nameForm, '$1T$2:$3:$4.$5Z');
  return { name, state: 'ready', createdAt, byteCount, error: null };
}

function newestFirst(one: KeptBackup, other: KeptBackup): number {
  return one.createdAt < other.createdAt ? 1 : -1;
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** A full disk would keep the server from speaking. @throws AppError `conflict` */
function checkRoom(data: string): void {
  const { bavail, bsize } = statfsSync(data);
  const needed = roomFactor * statSync(join(data, 'lectern.db')).size;
  if (bavail * bsize > needed) return;
  throw new AppError(
    'conflict',
    `There is no room for a backup: it takes about ${inMb(needed)} MB for a while, ${inMb(bavail * bsize)} MB are free`,
  );
}

function inMb(byteCount: number): number {
  return Math.ceil(byteCount / 1024 / 1024);
}

/** @returns why it failed; undefined when it is well */
async function outcomeOf(
  child: Subprocess<'ignore', 'ignore', 'pipe'>,
): Promise<string | undefined> {
  const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code === 0) return undefined;
  const [line = ''] = said.trim().split('\n').slice(-1);
  return line.replace(/^lectern: /, '') || 'It was broken off';
}

function makeNice(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Gone already, or forbidden: it is made all the same.
  }
}

function noBackup(name: string): AppError {
  return new AppError('not_found', `There is no backup ${name}`);
}
