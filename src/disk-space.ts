import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from './errors.ts';

const megabyte = 1024 * 1024;
/** Of a disk of 5 GB and more; on a smaller one its share. */
const maxDefaultReserveBytes = 256 * megabyte;
const defaultReserveShare = 0.05;
/** Listener events are refused first, so that they never stop posts. */
const eventReserveFactor = 2;
const measurementLifetimeMs = 1_000;

/** What needs disk space: listener events, or posts and uploads. */
export type DiskUse = 'events' | 'posts';

export interface DiskMeasurement {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** The free space of the disk that holds the data folder, and the part of it that is kept for accepted work. */
export class DiskSpace {
  readonly #folder: string;
  readonly #reserveMb: number | undefined;
  #measurement: DiskMeasurement = { freeBytes: 0, totalBytes: 0 };
  #expiresAtMs = Number.NEGATIVE_INFINITY;

  /** @param reserveMb below so much free space posts are refused; undefined: 256 MB, at most 5 % of the disk */
  constructor(folder: string, reserveMb: number | undefined) {
    this.#folder = folder;
    this.#reserveMb = reserveMb;
  }

  /** At most a second old. */
  measure(): DiskMeasurement {
    const now = performance.now();
    if (now >= this.#expiresAtMs) {
      const { bavail, blocks, bsize } = statfsSync(this.#folder);
      this.#measurement = { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
      this.#expiresAtMs = now + measurementLifetimeMs;
    }
    return this.#measurement;
  }

  getReserve(use: DiskUse): number {
    const bytes =
      this.#reserveMb === undefined
        ? Math.min(maxDefaultReserveBytes, Math.floor(this.measure().totalBytes * defaultReserveShare))
        : this.#reserveMb * megabyte;
    return use === 'events' ? bytes * eventReserveFactor : bytes;
  }

  /** @param byteCount of the planned write */
  hasRoom(use: DiskUse, byteCount = 0): boolean {
    return this.measure().freeBytes - byteCount >= this.getReserve(use);
  }

  /** @param byteCount of the planned write. @throws AppError `disk_space_low` */
  requireRoom(use: DiskUse, byteCount = 0): void {
    if (this.hasRoom(use, byteCount)) return;
    const refused = use === 'events' ? 'events' : 'posts and uploads';
    throw new AppError('disk_space_low', `Disk space too low: the server refuses ${refused} until space is freed`);
  }

  /** @returns the free space and the refused operations, for operators; undefined: none are refused */
  findProblem(use: DiskUse): string | undefined {
    if (this.hasRoom(use)) return undefined;
    const low = use === 'events' && this.hasRoom('posts') ? 'events' : 'posts';
    const refused = low === 'events' ? 'listener events' : 'posts, uploads and listener events';
    const [free, reserve] = [this.measure().freeBytes, this.getReserve(low)].map((bytes) => toMegabytes(bytes));
    return `${free} MB free, below the reserve of ${reserve} MB: ${refused} are refused`;
  }
}

function toMegabytes(byteCount: number): number {
  return Math.floor(byteCount / megabyte);
}

/** @returns bytes of the database and its write-ahead log */
export function getDatabaseSize(dataFolder: string): number {
  const paths = ['lectern.db', 'lectern.db-wal'].map((name) => join(dataFolder, name));
  return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}
