import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewVoice, Voice } from '../database/schema.ts';
import { configPathOf } from './inspect.ts';

/** Larger files are no voices. */
export const modelByteMax = 500_000_000;
export const configByteMax = 1_000_000;
/** Of a model card, or the text of a licence. */
export const licenseTextByteMax = 200_000;

/** So long an interrupted download waits to be resumed. */
const strandedAfterMs = 7 * 86_400_000;

/** What is known of a voice beside its files. */
export type VoiceFacts = Partial<
  Pick<NewVoice, 'name' | 'gender' | 'license' | 'source' | 'plan_required'>
>;

/** A voice on its way in. */
export interface Arrival {
  /** In the folder of voices, under a name that no voice has; the config lies beside it. */
  readonly modelPath: string;
  /** Its file name to be, without `.onnx`. */
  readonly stem: string;
  readonly facts: VoiceFacts;
  /** Model card or licence, whole; null: none came with it. */
  readonly licenseText: string | null;
  /** By speaker number: as they are called where the voice comes from. */
  readonly speakers?: ReadonlyMap<number, Pick<Voice, 'name' | 'gender'>>;
}

/** @returns a path in the folder of voices under which a model can wait: it need only be renamed in the end */
export function arrivalPath(folder: string): string {
  mkdirSync(folder, { recursive: true });
  forgetStranded(folder);
  return join(folder, `.import-${crypto.randomUUID()}.part`);
}

/** Deletes what is left of an arrival. */
export function forgetArrival(modelPath: string): void {
  for (const path of [modelPath, configPathOf(modelPath), cardPathOf(modelPath)]) {
    rmSync(path, { force: true });
  }
}

/** Where a model card waits. */
export function cardPathOf(modelPath: string): string {
  return `${modelPath}.card`;
}

/** @returns the name without `.onnx`; undefined when it could lead anywhere else, or hide */
export function stemOf(fileName: string): string | undefined {
  return /^([\p{L}\p{N}][\p{L}\p{N}\p{M}_.+-]{0,99})\.onnx$/u.exec(fileName)?.[1];
}

/** What a program that was killed has left, and downloads that nobody went on with. */
function forgetStranded(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^\.(import|pull)-/.test(name)) continue;
    const path = join(folder, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changedAt > strandedAfterMs) rmSync(path, { force: true });
  }
}
