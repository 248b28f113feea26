import { randomId } from './random-id.ts';

const key = 'lectern-session';

/** @returns a random name that this tab keeps until it is closed; to be asked for with full consent only */
export function getTabSessionId(): string {
  const fresh = randomId();
  try {
    const known = sessionStorage.getItem(key);
    if (known === null) sessionStorage.setItem(key, fresh);
    return known ?? fresh;
  } catch {
    // The page may not store anything.
    return fresh;
  }
}
