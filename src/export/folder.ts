import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError } from '../errors.ts';
import { removePartialFiles, toFileError, writeFileAtomically } from '../files.ts';
import { version } from '../version.ts';

const manifestName = 'lectern-export.json';

/** Nothing that leads out of the folder. */
const pathPattern = '^([a-z0-9][a-z0-9-]*/)?[a-z0-9][a-z0-9.-]*$';

const Manifest = Type.Object({
  format: Type.Literal(1),
  lectern: Type.String(),
  site: Type.String(),
  files: Type.Array(
    Type.Object({
      path: Type.String({ pattern: pathPattern, maxLength: 200 }),
      byte_count: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
      sha256: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
    }),
  ),
});
/** What an export has written into a folder, and so may replace and delete. Sums are null of what is only about to be written. */
type Manifest = Static<typeof Manifest>;

/**
 * @returns undefined where nothing was exported yet
 * @throws AppError `operation_failed`
 */
function readManifest(path: string): Manifest | undefined {
  if (!existsSync(path)) return undefined;
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    manifest = undefined;
  }
  if (Value.Check(Manifest, manifest)) return manifest;
  throw new AppError(
    'operation_failed',
    `Export failed: ${path} is damaged, so files of earlier exports cannot be identified. Export into an empty folder.`,
  );
}

/** What is known of the files written so far is kept so often: an export that breaks off loses no more. */
const manifestIntervalMs = 2_000;

type ManifestEntry = Manifest['files'][number];

/** What became of the files. */
export interface FileCounts {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** A folder that is brought to what a site is now. A file appears under its name only when it is whole. */
export interface ExportFolder {
  /** Writes a file unless it holds that already. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Writes a file whose name says what is in it: one that is there whole stays. */
  writeStream(
    path: string,
    byteCount: number,
    parts: () => AsyncIterable<Uint8Array>,
    onBytes: (count: number) => void,
  ): Promise<void>;
  /** Deletes what an earlier export wrote and this one did not. */
  finish(): Promise<FileCounts>;
}

/**
 * @param paths everything that may be written
 * @throws AppError `operation_failed`: a file stands there that no export made, or the folder can't be written
 */
export async function openExportFolder(folder: string, site: string, paths: readonly string[]): Promise<ExportFolder> {
  const at = (path: string): string => join(folder, path);
  const manifestPath = at(manifestName);
  const before = readManifest(manifestPath);
  const known = new Map<string, ManifestEntry>((before?.files ?? []).map((file) => [file.path, file]));
  const foreign = paths.find((path) => !known.has(path) && existsSync(at(path)));
  if (foreign !== undefined) {
    throw new AppError(
      'operation_failed',
      `Export failed: ${at(foreign)} was not created by an export. Export into another folder.`,
    );
  }
  const stays = new Set<string>();
  const counts = { written: 0, unchanged: 0, removed: 0 };
  let keptAt = 0;

  const keep = async (): Promise<void> => {
    const files = [...known.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    const manifest: Manifest = { format: 1, lectern: version, site, files };
    const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    if (!hasContent(manifestPath, text)) await writeFileAtomically(manifestPath, [text]);
    keptAt = performance.now();
  };
  const note = async (entry: ManifestEntry, isNew: boolean): Promise<void> => {
    known.set(entry.path, entry);
    stays.add(entry.path);
    counts[isNew ? 'written' : 'unchanged'] += 1;
    if (performance.now() - keptAt > manifestIntervalMs) await keep();
  };

  // Told before anything is written: whatever is found there later is known to be the export's own.
  for (const path of paths) {
    if (!known.has(path)) known.set(path, { path, byte_count: null, sha256: null });
  }
  const own = new Set([manifestName, ...known.keys()].map(at));
  withFileError(folder, () => {
    for (const parent of new Set([manifestName, ...paths].map((path) => dirname(at(path))))) {
      mkdirSync(parent, { recursive: true });
      removePartialFiles(parent, own);
    }
  });
  await keep();
  return {
    write: async (path, content) => {
      const bytes = Buffer.from(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const isNew = !hasContent(at(path), bytes);
      if (isNew) await writeFileAtomically(at(path), [bytes]);
      await note({ path, byte_count: bytes.length, sha256 }, isNew);
    },
    writeStream: async (path, byteCount, parts, onBytes) => {
      const entry = known.get(path);
      const isThere = statSync(at(path), { throwIfNoEntry: false })?.size === byteCount;
      if (entry !== undefined && entry.sha256 !== null && isThere) {
        onBytes(byteCount);
        await note(entry, false);
        return;
      }
      const poured = reportProgress(parts(), onBytes);
      const { sha256 } = await writeFileAtomically(at(path), poured, { byteCount });
      await note({ path, byte_count: byteCount, sha256 }, true);
    },
    finish: async () => {
      for (const path of [...known.keys()].filter((one) => !stays.has(one))) {
        known.delete(path);
        withFileError(at(path), () => {
          if (existsSync(at(path))) counts.removed += 1;
          rmSync(at(path), { force: true });
          removeIfEmpty(dirname(at(path)), folder);
        });
      }
      await keep();
      return counts;
    },
  };
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

function hasContent(path: string, content: Buffer): boolean {
  const isThere = statSync(path, { throwIfNoEntry: false })?.size === content.length;
  return isThere && content.equals(readFileSync(path));
}

function removeIfEmpty(parent: string, folder: string): void {
  if (parent === folder) return;
  try {
    rmdirSync(parent);
  } catch {
    // Something is in it, or it is gone already.
  }
}

function withFileError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toFileError(path, error);
  }
}
