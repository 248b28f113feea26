import { join } from 'node:path';
import type { Config } from '../config.ts';
import { machineKey } from '../speech/voice/compile/machine-key.ts';
import { type CompiledCache, openCompiledCache } from '../voices/compilation/cache.ts';

/** @returns undefined where the settings say that voices are used as they came */
export function compiledVoices({ data, compileVoices }: Config): CompiledCache | undefined {
  return compileVoices ? openCompiledCache(join(data, 'compiled'), machineKey()) : undefined;
}
