import { homedir } from 'node:os';
import { join } from 'node:path';

/** @returns where things are kept that take long to make or to fetch, in the user's cache */
export function getCacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'lectern-bench');
}
