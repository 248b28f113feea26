import type { PublicAudio } from '../../audio/schema.ts';

/** What a server says of a post. */
export interface AudioResult {
  /** 0 when it cannot be reached. */
  readonly status: number;
  /** Undefined unless it is found. */
  readonly audio?: PublicAudio;
  /** So long it wants not to be asked. */
  readonly restMs: number;
}

/**
 * Asks once. The browser's cache sends the ETag along and makes an answer of a 304.
 * @param address of `GET /v1/public/audio`, with its query
 * @param cache `no-cache` asks past what the browser holds
 */
export async function fetchAudio(address: string, cache: RequestCache, signal: AbortSignal): Promise<AudioResult> {
  try {
    const answer = await fetch(address, { signal, cache, credentials: 'omit' });
    const { status, headers } = answer;
    const { data } = (await answer.json()) as { data: PublicAudio };
    // What is no number of seconds, as a date, asks for no rest that is known.
    return { status, audio: data, restMs: 1000 * (Number(headers.get('retry-after')) || 0) };
  } catch {
    return { status: 0, restMs: 0 };
  }
}
