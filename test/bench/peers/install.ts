import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCacheFolder } from '../cache-folder.ts';

const pinned = ['package.json', 'bun.lock'].map((name) => ({
  name,
  path: join(import.meta.dir, name),
}));
const patienceMs = 120_000;

/**
 * Installs the compared engines, which are no dependencies of Lectern, into the user's cache. The first time they are
 * downloaded from the npm registry.
 * @returns the folder with its `node_modules`; undefined if they are not available
 */
export function installPeers(): string | undefined {
  const hash = createHash('sha256');
  for (const { path } of pinned) hash.update(readFileSync(path));
  const folder = join(getCacheFolder(), `peers-${hash.digest('hex').slice(0, 16)}`);
  mkdirSync(folder, { recursive: true });
  for (const { name, path } of pinned) copyFileSync(path, join(folder, name));
  const { success } = Bun.spawnSync(
    [process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts', '--silent'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], timeout: patienceMs },
  );
  return success ? folder : undefined;
}
