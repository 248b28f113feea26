import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Config } from '../config.ts';
import { describeFileError, getErrno, listNames, publishFile, toFileError, writeFileAtomically } from '../files.ts';
import { cpuFingerprint, OptimizeOutcome, type OriginalOutcome, Sha256Hex } from '../speech/optimize/outcome.ts';
import type { OptimizedModel, VoiceFiles } from '../speech/synthesize/voice-model.ts';

/** A claim older than this is of a process that ended; another process may have its number now. */
const claimTimeoutMs = 15 * 60_000;
/** Changes of a folder within this time may have the same modification time. */
const mtimeResolutionMs = 100;
const shortHashLength = 16;
const partialSuffix = '.onnx.partial';
/** Includes partial files, also those of processes that were killed. */
const fileNamePattern = /^[0-9a-f]{16}-[0-9a-f]{16}\.([0-9a-f]+\.)?(onnx(\.partial)?|json(\.[0-9a-f]{8}\.partial)?)$/;

const OutcomeRecord = Type.Intersect([
  Type.Object({ format: Type.Literal(1), content_hash: Sha256Hex, machine: Sha256Hex }),
  OptimizeOutcome,
]);

/** The outcome for a voice on this machine, with the model where there is one. */
export type Optimization =
  | (Extract<OptimizeOutcome, { outcome: 'optimized' }> & { readonly model: OptimizedModel })
  | OriginalOutcome;

/** The optimized models of a data folder, and the outcomes for voices that have none. */
export interface OptimizerCache {
  /** @returns undefined for a voice that was not optimized yet, or whose model is missing or cut short */
  find(contentHash: string): Optimization | undefined;
  /**
   * @returns the path for the new model; undefined while another process optimizes this voice
   * @throws FileError
   */
  claim(contentHash: string): string | undefined;
  /**
   * Replaces all earlier outcomes for the voice, also those of other machines and versions.
   * @throws FileError also where the model is not as long as the outcome says
   */
  save(contentHash: string, outcome: OptimizeOutcome): Promise<void>;
  /** Ends a claim; an unsaved model is deleted. */
  release(contentHash: string): void;
  /** Deletes all files of a voice, as far as possible. */
  delete(contentHash: string): void;
  /** Deletes all files of other voices, and what ended processes left. */
  deleteOthers(contentHashes: readonly string[]): void;
}

/** @returns undefined where optimizing voices is disabled */
export function openConfiguredOptimizerCache(
  { data, optimizeVoices }: Config,
  onDeleteError?: (problem: string) => void,
): OptimizerCache | undefined {
  return optimizeVoices ? openOptimizerCache(join(data, 'optimized'), cpuFingerprint(), onDeleteError) : undefined;
}

/**
 * The file name of a model contains its hash: the runtime never writes the same bytes twice, and a worker that still loads the
 * previous model must not take the new one for a damaged file.
 * @param folder need not exist; several processes may use it
 */
export function openOptimizerCache(
  folder: string,
  fingerprint: string,
  onDeleteError: (problem: string) => void = () => {},
): OptimizerCache {
  let known = new Map<string, Optimization>();
  let folderChangedAt: number | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const path = (contentHash: string, end: string): string =>
    join(folder, `${shortenHash(contentHash)}-${shortenHash(fingerprint)}${end}`);
  const partialPath = (contentHash: string): string => path(contentHash, `.${process.pid}${partialSuffix}`);
  const readIfChanged = (): void => {
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    const isSettled = changedAt === undefined || readAt - changedAt > mtimeResolutionMs;
    if (changedAt === folderChangedAt && isSettled) return;
    folderChangedAt = changedAt;
    readAt = Date.now();
    const records = listCacheFiles(folder).filter((name) => name.endsWith(`-${shortenHash(fingerprint)}.json`));
    known = new Map(records.flatMap((name) => readRecord(join(folder, name), fingerprint)));
  };
  const deleteWhere = (isObsolete: (name: string) => boolean): void => {
    for (const name of listCacheFiles(folder).filter(isObsolete)) {
      try {
        rmSync(join(folder, name), { force: true });
      } catch (error) {
        onDeleteError(`Deleting ${join(folder, name)} failed: ${describeFileError(error)}`);
      }
    }
  };
  const isOf = (name: string, contentHash: string): boolean => name.startsWith(`${shortenHash(contentHash)}-`);

  return {
    find: (contentHash) => {
      readIfChanged();
      return known.get(contentHash);
    },
    claim: (contentHash) => {
      const files = listCacheFiles(folder).filter((name) => isOf(name, contentHash));
      if (files.some((name) => isBeingWritten(folder, name))) return undefined;
      deleteWhere((name) => isAbandoned(folder, name));
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(partialPath(contentHash), '', { mode: 0o600 });
      } catch (error) {
        throw toFileError(folder, error);
      }
      return partialPath(contentHash);
    },
    save: async (contentHash, outcome) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const record = path(contentHash, '.json');
      const kept = [record];
      if (outcome.outcome === 'optimized') {
        const model = getModelPath(record, outcome.sha256);
        await publishFile(partialPath(contentHash), model, outcome.byte_count);
        kept.push(model);
      }
      const content = JSON.stringify({ format: 1, content_hash: contentHash, machine: fingerprint, ...outcome });
      await writeFileAtomically(record, [Buffer.from(content)]);
      deleteWhere((name) => isOf(name, contentHash) && !kept.includes(join(folder, name)));
    },
    release: (contentHash) => rmSync(partialPath(contentHash), { force: true }),
    delete: (contentHash) => deleteWhere((name) => isOf(name, contentHash)),
    deleteOthers: (contentHashes) =>
      deleteWhere((name) => !contentHashes.some((hash) => isOf(name, hash)) || isAbandoned(folder, name)),
  };
}

/** @returns the files of a voice, with the optimized model if there is one */
export function withOptimizedModel(files: VoiceFiles, found: Optimization | undefined): VoiceFiles {
  const { modelPath, configPath, contentHash } = files;
  const original = { modelPath, configPath, contentHash };
  return found?.outcome === 'optimized' ? { ...original, optimized: found.model } : original;
}

function shortenHash(hash: string): string {
  return hash.slice(0, shortHashLength);
}

function getModelPath(recordPath: string, sha256: string): string {
  return recordPath.replace(/json$/, `${shortenHash(sha256)}.onnx`);
}

function listCacheFiles(folder: string): string[] {
  return listNames(folder).filter((name) => fileNamePattern.test(name));
}

function isAbandoned(folder: string, name: string): boolean {
  return name.endsWith(partialSuffix) && !isBeingWritten(folder, name);
}

/** A partial file with our process number is of an earlier process: a process optimizes a voice once at a time. */
function isBeingWritten(folder: string, name: string): boolean {
  if (!name.endsWith(partialSuffix)) return false;
  const pid = Number(name.split('.').at(1));
  const since = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (pid === process.pid || Date.now() - since > claimTimeoutMs) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return getErrno(error) === 'EPERM';
  }
}

/** @returns the content hash and the outcome; nothing for a damaged record, another machine, or a missing model */
function readRecord(path: string, fingerprint: string): [string, Optimization][] {
  let record: unknown;
  try {
    record = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return [];
  }
  if (!Value.Check(OutcomeRecord, record) || record.machine !== fingerprint) return [];
  const { format: _, content_hash: contentHash, machine: __, ...outcome } = record;
  if (outcome.outcome === 'original') return [[contentHash, outcome]];
  const model = { path: getModelPath(path, outcome.sha256), sha256: outcome.sha256 };
  if (statSync(model.path, { throwIfNoEntry: false })?.size !== outcome.byte_count) return [];
  return [[contentHash, { ...outcome, model }]];
}
