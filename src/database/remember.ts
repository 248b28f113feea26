import type { Database } from './open.ts';

/**
 * Remembers what is read again and again between two changes, like whose key it is that polls. Anything written, by
 * whatever process, makes it forget. What isn't there is not remembered: callers may invent names without end.
 * @param most entries remembered
 * @param find reads from the database
 */
export function rememberUntilWritten<T>(
  database: Database,
  most: number,
  find: (name: string) => Promise<T | undefined>,
): (name: string) => Promise<T | undefined> {
  const known = new Map<string, T>();
  let knownVersion = 0;
  return async (name) => {
    // Asked before the rows are read: what is remembered may be newer than its version, never older.
    const version = database.version();
    if (version !== knownVersion || known.size >= most) known.clear();
    knownVersion = version;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const found = await find(name);
    if (found !== undefined && version === knownVersion) known.set(name, found);
    return found;
  };
}
