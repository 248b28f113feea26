import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewVoice, Voice } from '../database/schema.ts';
import { getConfigPath } from './inspect.ts';

/** Larger files are no voices. */
export const maxModelBytes = 500_000_000;
export const maxConfigBytes = 1_000_000;
/** Of a model card, or the text of a licence. */
export const maxLicenseTextBytes = 200_000;

/** So long an interrupted download waits to be resumed. */
const staleAfterMs = 7 * 86_400_000;

/** What is known of a voice beside its files. */
export type VoiceMetadata = Partial<Pick<NewVoice, 'name' | 'gender' | 'license' | 'source' | 'plan_required'>>;

/** A voice on its way in. */
export interface StagedVoice {
  /** In the folder of voices, under a name that no voice has; the config lies beside it. */
  readonly modelPath: string;
  /** Its file name to be, without `.onnx`. */
  readonly stem: string;
  readonly metadata: VoiceMetadata;
  /** Model card or licence, whole; null: none came with it. */
  readonly licenseText: string | null;
  /** By speaker number: as they are called where the voice comes from. */
  readonly speakers?: ReadonlyMap<number, Pick<Voice, 'name' | 'gender'>>;
}

/** @returns a path in the folder of voices under which a model can wait: it need only be renamed in the end */
export function createStagingPath(folder: string): string {
  mkdirSync(folder, { recursive: true });
  deleteStaleFiles(folder);
  return join(folder, `.import-${crypto.randomUUID()}.part`);
}

/** Deletes what is left of an arrival. */
export function deleteStagedVoice(modelPath: string): void {
  for (const path of [modelPath, getConfigPath(modelPath), getModelCardPath(modelPath)]) {
    rmSync(path, { force: true });
  }
}

/** Where a model card waits. */
export function getModelCardPath(modelPath: string): string {
  return `${modelPath}.card`;
}

/** @returns the name without `.onnx`; undefined when it could lead anywhere else, or hide */
export function parseStem(fileName: string): string | undefined {
  return /^([\p{L}\p{N}][\p{L}\p{N}\p{M}_.+-]{0,99})\.onnx$/u.exec(fileName)?.[1];
}

/** What a program that was killed has left, and downloads that nobody went on with. */
function deleteStaleFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^\.(import|pull)-/.test(name)) continue;
    const path = join(folder, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changedAt > staleAfterMs) rmSync(path, { force: true });
  }
}
