import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type Static, Type } from '@sinclair/typebox';
import { onnxRuntimeVersion } from '../../build/native.ts';
import { engineVersion } from '../../version.ts';

/** Increase it with every change of the rewrite or the checks: it invalidates all optimized models. */
const optimizerVersion = 7;

/** @returns SHA-256 (hex) of the processor with its features, the runtime version and the optimizer version */
export function cpuFingerprint(): string {
  const parts = [
    ...[optimizerVersion, engineVersion, onnxRuntimeVersion],
    ...[process.platform, process.arch, cpus()[0]?.model ?? '', ...readProcessorFeatures()],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** @returns the lines of `/proc/cpuinfo` that can change what a runtime does; none outside Linux */
function readProcessorFeatures(): string[] {
  try {
    const [first = ''] = readFileSync('/proc/cpuinfo', 'utf8').split('\n\n');
    return first.split('\n').filter((line) => /^(flags|Features|CPU (implementer|part|variant))\b/.test(line));
  } catch {
    return [];
  }
}

/** Why the original model is used. `failed`: over a limit, or the result does not run. */
export const OriginalReason = Type.Union([
  Type.Literal('unknown_architecture'),
  Type.Literal('other_sound'),
  Type.Literal('not_faster'),
  Type.Literal('failed'),
]);
export type OriginalReason = Static<typeof OriginalReason>;

export const Sha256Hex = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The result of optimizing a voice. `speed_ratio`: CPU time of the original over that of the optimized model. */
export const OptimizeOutcome = Type.Union([
  Type.Object({
    outcome: Type.Literal('optimized'),
    /** Of the file. */
    sha256: Sha256Hex,
    byte_count: Type.Integer({ minimum: 1 }),
    snr_db: Type.Number(),
    speed_ratio: Type.Number(),
  }),
  Type.Object({
    outcome: Type.Literal('original'),
    reason: OriginalReason,
    snr_db: Type.Union([Type.Number(), Type.Null()]),
    speed_ratio: Type.Union([Type.Number(), Type.Null()]),
  }),
]);
export type OptimizeOutcome = Static<typeof OptimizeOutcome>;
export type OriginalOutcome = Extract<OptimizeOutcome, { outcome: 'original' }>;
