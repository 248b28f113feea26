import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewVoice, Voice } from '../database/schema.ts';
import { getConfigPath } from './inspect.ts';

export const maxModelBytes = 500_000_000;
export const maxConfigBytes = 1_000_000;
/** Of a model card or license text. */
export const maxLicenseTextBytes = 200_000;

/** An interrupted download can be resumed for this time. */
const staleAfterMs = 7 * 86_400_000;

export type VoiceMetadata = Partial<Pick<NewVoice, 'name' | 'gender' | 'license' | 'source' | 'plan_required'>>;

/** A voice whose files are in the voices folder under a staging name. */
export interface StagedVoice {
  /** The config is beside it, and the model is here unless it is shared. */
  readonly modelPath: string;
  /** Of a model that several voices share: staged beside another voice, or installed already. */
  readonly sharedModelPath?: string;
  /** The final file name without `.onnx`. */
  readonly stem: string;
  readonly metadata: VoiceMetadata;
  /** Model card or license; null: none. */
  readonly licenseText: string | null;
  /** By speaker number. */
  readonly speakers?: ReadonlyMap<number, Pick<Voice, 'name' | 'gender'>>;
}

/** @returns a path in the voices folder, so that installing the model is a rename */
export function createStagingPath(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  deleteStaleFiles(folder);
  return join(folder, `.import-${crypto.randomUUID()}.part`);
}

export function deleteStagedVoice(modelPath: string): void {
  for (const path of [modelPath, getConfigPath(modelPath), getModelCardPath(modelPath)]) {
    rmSync(path, { force: true });
  }
}

export function getModelCardPath(modelPath: string): string {
  return `${modelPath}.card`;
}

/** @returns the name without `.onnx`; undefined for a path, a hidden file or another ending */
export function parseStem(fileName: string): string | undefined {
  return /^([\p{L}\p{N}][\p{L}\p{N}\p{M}_.+-]{0,99})\.onnx$/u.exec(fileName)?.[1];
}

/** Files of killed programs and abandoned downloads. */
function deleteStaleFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^\.(import|pull)-/.test(name)) continue;
    const path = join(folder, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changedAt > staleAfterMs) rmSync(path, { force: true });
  }
}
