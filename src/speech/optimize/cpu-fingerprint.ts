import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { onnxRuntimeVersion } from '../../build/native.ts';
import { engineVersion } from '../engine-version.ts';

/** Raise it with every change of how voices are rewritten or judged: all are compiled anew then. */
const compilerVersion = 3;

/**
 * What compiled voices are good for: this kind of processor with all that it can do, this version of the runtime, and this
 * way to compile.
 * @returns SHA-256, hex
 */
export function cpuFingerprint(): string {
  const parts = [
    ...[compilerVersion, engineVersion, onnxRuntimeVersion],
    ...[process.platform, process.arch, cpus()[0]?.model ?? '', ...readProcessorFeatures()],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** @returns what Linux says of the first processor that can change what a runtime does; nothing elsewhere */
function readProcessorFeatures(): string[] {
  try {
    const [first = ''] = readFileSync('/proc/cpuinfo', 'utf8').split('\n\n');
    return first.split('\n').filter((line) => /^(flags|Features|CPU (implementer|part|variant))\b/.test(line));
  } catch {
    return [];
  }
}
