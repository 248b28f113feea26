import { randomId } from './random-id.ts';

const key = 'lectern-session';

/** @returns a random ID of this tab, until it is closed; only with full consent */
export function getTabSessionId(): string {
  const fresh = randomId();
  try {
    const known = sessionStorage.getItem(key);
    if (known === null) sessionStorage.setItem(key, fresh);
    return known ?? fresh;
  } catch {
    // The page may not use storage.
    return fresh;
  }
}
