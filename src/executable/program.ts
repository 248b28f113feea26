import { join } from 'node:path';

/** @returns the words that run this program once more: the executable, or from source Bun with `main.ts` */
export function programCommand(): string[] {
  const isCompiled = import.meta.dir.startsWith('/$bunfs');
  return isCompiled ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')];
}
