import { homedir } from 'node:os';
import { join } from 'node:path';

/** @returns the folder of expensive files in the user's cache */
export function getCacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'lectern-bench');
}
