import type { PublicAudio } from '../../audio/schema.ts';

/** What a server says of a post. */
export type Answer =
  | { readonly kind: 'found'; readonly audio: PublicAudio }
  /** No such post, domain or language, or not to be shown here: asking again changes nothing. */
  | { readonly kind: 'nothing' }
  /** Too many ask, or it cannot be reached. */
  | { readonly kind: 'later'; readonly isLimited: boolean; readonly afterMs: number };

/**
 * Asks once. The browser's cache sends the ETag along and makes an answer of a 304.
 * @param address of `GET /v1/public/audio`, with its query
 * @param cache `no-cache` where an earlier answer turned out to hold no more
 */
export async function askForAudio(
  address: string,
  cache: RequestCache,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const answer = await fetch(address, { signal, cache, credentials: 'omit' });
    if (answer.ok) {
      const { data } = (await answer.json()) as { data: PublicAudio };
      return { kind: 'found', audio: data };
    }
    if (answer.status < 500 && answer.status !== 429) return { kind: 'nothing' };
    const afterMs = 1000 * (Number(answer.headers.get('retry-after')) || 0);
    return { kind: 'later', isLimited: answer.status === 429, afterMs };
  } catch {
    return { kind: 'later', isLimited: false, afterMs: 0 };
  }
}
