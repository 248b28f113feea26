import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { describeFileError, publishFile, toFileError, writeFileAtomically } from '../files.ts';
import type { CompileOutcome } from '../speech/optimize/optimize.ts';
import type { CompiledModel, VoiceFiles } from '../speech/synthesize/voice-model.ts';

/** So long nobody compiles: another process has got the number. */
const claimTimeoutMs = 15 * 60_000;
/** Files that came within it may have been joined by others that bear the same time. */
const mtimeResolutionMs = 100;
/** Of a hash, in the name of a file. */
const shortHashLength = 16;
const partialSuffix = '.onnx.partial';
/** Files being written too, and what a process that was killed left of them. */
const fileNamePattern = /^[0-9a-f]{16}-[0-9a-f]{16}\.([0-9a-f]+\.)?(onnx(\.partial)?|json(\.[0-9a-f]{8}\.partial)?)$/;

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const commonMembers = { format: Type.Literal(1), content_hash: Hash, machine: Hash };
const CompilationRecord = Type.Union([
  Type.Object({
    ...commonMembers,
    outcome: Type.Literal('compiled'),
    sha256: Hash,
    byte_count: Type.Integer({ minimum: 1 }),
    snr_db: Type.Number(),
    speed_ratio: Type.Number(),
  }),
  Type.Object({
    ...commonMembers,
    outcome: Type.Literal('original'),
    reason: Type.Union([
      Type.Literal('unknown_architecture'),
      Type.Literal('other_sound'),
      Type.Literal('not_faster'),
      Type.Literal('failed'),
    ]),
    snr_db: Type.Union([Type.Number(), Type.Null()]),
    speed_ratio: Type.Union([Type.Number(), Type.Null()]),
  }),
]);
type CompilationRecord = Static<typeof CompilationRecord>;

/** What is known of a voice on this machine. */
export type Compilation =
  | (Extract<CompileOutcome, { outcome: 'compiled' }> & { readonly model: CompiledModel })
  | Extract<CompileOutcome, { outcome: 'original' }>;

/** The compiled models of a data folder, and what was found of voices that have none. */
export interface CompiledCache {
  /** @returns undefined for a voice that was not compiled yet, or whose file is gone or cut short */
  find(contentHash: string): Compilation | undefined;
  /**
   * @returns where a compiled model may be written now; undefined when another process compiles this voice
   * @throws FileError where nothing can be written
   */
  claim(contentHash: string): string | undefined;
  /**
   * Keeps what came of it, in place of what was there before, of other machines and versions too.
   * @throws FileError also where the model written is not as long as the outcome says
   */
  save(contentHash: string, outcome: CompileOutcome): Promise<void>;
  /** Gives a place back without anything in it. */
  release(contentHash: string): void;
  /** Deletes what there is of a voice, if it can: nothing else depends on it. */
  delete(contentHash: string): void;
  /** Deletes what there is of all other voices, and what processes that ended have left. */
  deleteOthers(contentHashes: readonly string[]): void;
}

/**
 * A file bears the hash of its model: compiled anew it is another file, as the runtime never writes the same bytes twice, and
 * a worker that was still asked for the one before must not take it for a damaged one.
 * @param folder need not exist; two processes may use it at once
 * @param machine what the models are good for
 * @param onLeft told of what could not be deleted, in one line
 */
export function openCompiledCache(
  folder: string,
  machine: string,
  onLeft: (problem: string) => void = () => {},
): CompiledCache {
  let known = new Map<string, Compilation>();
  let folderChangedAt: number | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const path = (contentHash: string, end: string): string =>
    join(folder, `${shortenHash(contentHash)}-${shortenHash(machine)}${end}`);
  const partialOf = (contentHash: string): string => path(contentHash, `.${process.pid}${partialSuffix}`);
  const readIfChanged = (): void => {
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    const isSettled = changedAt === undefined || readAt - changedAt > mtimeResolutionMs;
    if (changedAt === folderChangedAt && isSettled) return;
    folderChangedAt = changedAt;
    readAt = Date.now();
    known = new Map(
      listCacheFiles(folder)
        .filter((name) => name.endsWith(`-${shortenHash(machine)}.json`))
        .flatMap((name) => {
          const found = readRecord(folder, name, machine);
          return found === undefined ? [] : [found];
        }),
    );
  };
  const removeWhere = (isLeaving: (name: string) => boolean): void => {
    for (const name of listCacheFiles(folder)) {
      if (!isLeaving(name)) continue;
      try {
        rmSync(join(folder, name), { force: true });
      } catch (error) {
        onLeft(`Deleting ${join(folder, name)} failed: ${describeFileError(error)}`);
      }
    }
  };

  return {
    find: (contentHash) => {
      readIfChanged();
      return known.get(contentHash);
    },
    claim: (contentHash) => {
      const claims = listCacheFiles(folder).filter((name) => name.startsWith(shortenHash(contentHash)));
      if (claims.some((name) => isBeingWritten(folder, name))) return undefined;
      removeWhere((name) => isAbandoned(folder, name));
      const partial = partialOf(contentHash);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(partial, '', { mode: 0o600 });
      } catch (error) {
        throw toFileError(folder, error);
      }
      return partial;
    },
    save: async (contentHash, outcome) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      let model: string | undefined;
      if (outcome.outcome === 'compiled') {
        const { sha256, byteCount } = outcome;
        model = path(contentHash, `.${shortenHash(sha256)}.onnx`);
        await publishFile(partialOf(contentHash), model, byteCount);
      }
      const record = JSON.stringify(toRecord(contentHash, machine, outcome));
      await writeFileAtomically(path(contentHash, '.json'), [Buffer.from(record)], { mode: 0o600 });
      removeWhere(
        (name) =>
          name.startsWith(`${shortenHash(contentHash)}-`) &&
          (!name.includes(`-${shortenHash(machine)}.`) || (name.endsWith('.onnx') && join(folder, name) !== model)),
      );
    },
    release: (contentHash) => rmSync(partialOf(contentHash), { force: true }),
    delete: (contentHash) => removeWhere((name) => name.startsWith(`${shortenHash(contentHash)}-`)),
    deleteOthers: (contentHashes) => {
      const staying = new Set(contentHashes.map(shortenHash));
      removeWhere((name) => !staying.has(name.slice(0, shortHashLength)) || isAbandoned(folder, name));
    },
  };
}

/** @returns the files of a voice as they are best used, by what is known of it on this machine */
export function withCompiledModel(files: VoiceFiles, found: Compilation | undefined): VoiceFiles {
  const { modelPath, configPath, contentHash } = files;
  const original = { modelPath, configPath, contentHash };
  return found?.outcome === 'compiled' ? { ...original, compiled: found.model } : original;
}

function shortenHash(hash: string): string {
  return hash.slice(0, shortHashLength);
}

/** @returns the cache's own files; none when there is no folder */
function listCacheFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => fileNamePattern.test(name));
  } catch {
    return [];
  }
}

/** What a process that ended was writing. A process compiles one voice at a time. */
function isAbandoned(folder: string, name: string): boolean {
  return name.endsWith(partialSuffix) && !isBeingWritten(folder, name);
}

/** Whether a process is still writing this file. One of our own number is one that had it before us. */
function isBeingWritten(folder: string, name: string): boolean {
  if (!name.endsWith(partialSuffix)) return false;
  const pid = Number(name.split('.').at(1));
  const since = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (pid === process.pid || Date.now() - since > claimTimeoutMs) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // That of another user is one, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function toRecord(contentHash: string, machine: string, outcome: CompileOutcome): CompilationRecord {
  const head = { format: 1, content_hash: contentHash, machine } as const;
  const { snrDb, speedRatio } = outcome;
  if (outcome.outcome === 'original') {
    const { reason } = outcome;
    return { ...head, outcome: 'original', reason, snr_db: snrDb, speed_ratio: speedRatio };
  }
  const { sha256, byteCount } = outcome;
  return {
    ...{ ...head, outcome: 'compiled', sha256, byte_count: byteCount },
    ...{ snr_db: outcome.snrDb, speed_ratio: outcome.speedRatio },
  };
}

/** @returns undefined for what is damaged, or of something else */
function readRecord(folder: string, name: string, machine: string): [string, Compilation] | undefined {
  let record: unknown;
  try {
    record = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
  if (!Value.Check(CompilationRecord, record) || record.machine !== machine) return undefined;
  const { content_hash: contentHash } = record;
  if (record.outcome === 'original') {
    const { reason, snr_db: snrDb, speed_ratio: speedRatio } = record;
    return [contentHash, { outcome: 'original', reason, snrDb, speedRatio }];
  }
  const { sha256, byte_count: byteCount, snr_db: snrDb, speed_ratio: speedRatio } = record;
  const path = join(folder, name.replace(/json$/, `${shortenHash(sha256)}.onnx`));
  if (statSync(path, { throwIfNoEntry: false })?.size !== byteCount) return undefined;
  const model = { path, sha256 };
  return [contentHash, { outcome: 'compiled', sha256, byteCount, snrDb, speedRatio, model }];
}
