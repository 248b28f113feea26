import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, cacheFolders } from '../config.ts';

/**
 * Where native libraries may be unpacked, best first: the data folder if there is one (a container has no other
 * writable place), then a cache folder; none makes a data folder. The user is in the name: two users never share one.
 */
export function nativeFolders(config: Pick<Config, 'data'>): string[] {
  const inData = join(config.data, `native-${process.getuid?.() ?? 0}`);
  const elsewhere = cacheFolders();
  return existsSync(config.data) ? [inData, ...elsewhere] : elsewhere;
}
