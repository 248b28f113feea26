import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { parseManifest, Sha256, sumBytes } from '../archive.ts';
import { operationFailed } from '../errors.ts';
import { removePartialFiles, toFileError, writeFileAtomically } from '../files.ts';
import { nullable } from '../http/validation.ts';
import { version } from '../version.ts';

const manifestName = 'lectern-export.json';
/** An interrupted export loses no more than this of its manifest. */
const manifestIntervalMs = 2_000;

/** Nothing that leads out of the folder. */
const pathPattern = '^([a-z0-9][a-z0-9-]*/)?[a-z0-9][a-z0-9.-]*$';

const Manifest = Type.Object({
  format: Type.Literal(1),
  lectern: Type.String(),
  site: Type.String(),
  files: Type.Array(
    Type.Object({
      path: Type.String({ pattern: pathPattern, maxLength: 200 }),
      byte_count: nullable(Type.Integer({ minimum: 0 })),
      sha256: nullable(Sha256),
    }),
  ),
});
/** The files of exports, which a later one may replace and delete. Sums are null for files not written yet. */
type Manifest = Static<typeof Manifest>;
type ManifestEntry = Manifest['files'][number];

/** @throws AppError `operation_failed` */
function readManifestEntries(path: string): Map<string, ManifestEntry> {
  if (!existsSync(path)) return new Map();
  const parsed = statSync(path).isFile() ? parseManifest(Manifest, readFileSync(path, 'utf8')) : undefined;
  if (parsed !== undefined && 'manifest' in parsed)
    return new Map(parsed.manifest.files.map((file) => [file.path, file]));
  throw operationFailed(
    `Export failed: ${path} is damaged, so files of earlier exports cannot be identified. Export into an empty folder.`,
  );
}

export interface FileCounts {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

/**
 * @param paths everything that may be written
 * @param isPrivate the files are for this user alone, else as the umask allows
 * @throws AppError `operation_failed`: a file exists that no export wrote, or the folder can't be written
 */
export async function openExportFolder(
  folder: string,
  site: string,
  paths: readonly string[],
  isPrivate: boolean,
): Promise<ExportFolder> {
  const exportFolder = new ExportFolder(folder, site, isPrivate);
  await exportFolder.claim(paths);
  return exportFolder;
}

/** A folder that is brought up to date with a site. A file appears under its name only when it is complete. */
export class ExportFolder {
  readonly #folder: string;
  readonly #site: string;
  readonly #isPrivate: boolean;
  readonly #entries: Map<string, ManifestEntry>;
  readonly #kept = new Set<string>();
  readonly #counts = { written: 0, unchanged: 0, removed: 0 };
  #manifestWrittenAt = 0;

  constructor(folder: string, site: string, isPrivate: boolean) {
    this.#folder = folder;
    this.#site = site;
    this.#isPrivate = isPrivate;
    this.#entries = readManifestEntries(this.#at(manifestName));
  }

  /** Names files in the manifest before they are written, so that the next export recognizes them as its own. */
  async claim(paths: readonly string[]): Promise<void> {
    const foreign = paths.find((path) => !this.#entries.has(path) && existsSync(this.#at(path)));
    if (foreign !== undefined) {
      throw operationFailed(
        `Export failed: ${this.#at(foreign)} was not created by an export. Export into another folder.`,
      );
    }
    for (const path of paths) {
      if (!this.#entries.has(path)) this.#entries.set(path, { path, byte_count: null, sha256: null });
    }
    const ownPaths = new Set([manifestName, ...this.#entries.keys()].map((path) => this.#at(path)));
    withFileError(this.#folder, () => {
      for (const parent of new Set([manifestName, ...paths].map((path) => dirname(this.#at(path))))) {
        mkdirSync(parent, { recursive: true, mode: this.#isPrivate ? 0o700 : 0o777 });
        removePartialFiles(parent, ownPaths);
      }
    });
    await this.#writeManifest();
  }

  /** Writes a file unless it has that content already. */
  async write(path: string, content: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(content);
    const isNew = await this.#replace(path, bytes);
    await this.#keep({ path, ...sumBytes(bytes) }, isNew);
  }

  /** Writes a file whose name determines its content: an existing complete one is kept. */
  async writeStream(
    path: string,
    byteCount: number,
    parts: () => AsyncIterable<Uint8Array>,
    onBytes: (count: number) => void,
  ): Promise<void> {
    const entry = this.#entries.get(path);
    const isComplete = statSync(this.#at(path), { throwIfNoEntry: false })?.size === byteCount;
    if (entry !== undefined && entry.sha256 !== null && isComplete) {
      onBytes(byteCount);
      return this.#keep(entry, false);
    }
    const content = reportProgress(parts(), onBytes);
    const { sha256 } = await writeFileAtomically(this.#at(path), content, { byteCount, mode: this.#mode });
    await this.#keep({ path, byte_count: byteCount, sha256 }, true);
  }

  /** Deletes what an earlier export wrote and this one did not. */
  async finish(): Promise<FileCounts> {
    for (const path of [...this.#entries.keys()].filter((entry) => !this.#kept.has(entry))) {
      this.#entries.delete(path);
      const file = this.#at(path);
      withFileError(file, () => {
        if (existsSync(file)) this.#counts.removed += 1;
        rmSync(file, { force: true });
        removeIfEmpty(dirname(file), this.#folder);
      });
    }
    await this.#writeManifest();
    return this.#counts;
  }

  async #keep(entry: ManifestEntry, isNew: boolean): Promise<void> {
    this.#entries.set(entry.path, entry);
    this.#kept.add(entry.path);
    this.#counts[isNew ? 'written' : 'unchanged'] += 1;
    if (performance.now() - this.#manifestWrittenAt > manifestIntervalMs) await this.#writeManifest();
  }

  async #writeManifest(): Promise<void> {
    const files = [...this.#entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const manifest: Manifest = { format: 1, lectern: version, site: this.#site, files };
    await this.#replace(manifestName, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    this.#manifestWrittenAt = performance.now();
  }

  /** @returns false when the file has that content already */
  async #replace(path: string, bytes: Buffer): Promise<boolean> {
    const file = this.#at(path);
    const isSame = statSync(file, { throwIfNoEntry: false })?.size === bytes.length && bytes.equals(readFileSync(file));
    if (!isSame) await writeFileAtomically(file, [bytes], { mode: this.#mode });
    return !isSame;
  }

  get #mode() {
    return this.#isPrivate ? 0o600 : 'umask';
  }

  #at(path: string): string {
    return join(this.#folder, path);
  }
}

async function* reportProgress(
  parts: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield part;
    onBytes(part.byteLength);
  }
}

function removeIfEmpty(parent: string, folder: string): void {
  if (parent === folder) return;
  try {
    rmdirSync(parent);
  } catch {
    // Not empty, or deleted already.
  }
}

function withFileError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toFileError(path, error);
  }
}
