import { join } from 'node:path';
import type { Config } from '../config.ts';
import { cpuFingerprint } from '../speech/optimize/cpu-fingerprint.ts';
import { type CompiledCache, openCompiledCache } from '../voices/optimizer-cache.ts';

/**
 * @param onLeft told of what could not be deleted
 * @returns undefined where the settings say that voices are used as they came
 */
export function openCompiledVoices(
  { data, optimizeVoices }: Config,
  onLeft?: (problem: string) => void,
): CompiledCache | undefined {
  if (!optimizeVoices) return undefined;
  return openCompiledCache(join(data, 'compiled'), cpuFingerprint(), onLeft);
}
