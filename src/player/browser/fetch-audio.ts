import type { PublicAudio } from '../../audio/schema.ts';

/** Response of the server for a post. */
export interface AudioResult {
  /** 0 if the server is unreachable. */
  readonly status: number;
  /** Undefined unless the post was found. */
  readonly audio?: PublicAudio;
  /** Delay that the server requests, in milliseconds. */
  readonly restMs: number;
}

/**
 * Sends one request. The browser cache sends the ETag and resolves a 304.
 * @param address URL of `GET /v1/public/audio` with its query
 * @param cache `no-cache` revalidates the browser cache
 */
export async function fetchAudio(address: string, cache: RequestCache, signal: AbortSignal): Promise<AudioResult> {
  try {
    const answer = await fetch(address, { signal, cache, credentials: 'omit' });
    const { status, headers } = answer;
    const { data } = (await answer.json()) as { data: PublicAudio };
    // A value that is not a number, such as a date, is ignored.
    return { status, audio: data, restMs: 1000 * (Number(headers.get('retry-after')) || 0) };
  } catch {
    return { status: 0, restMs: 0 };
  }
}
