import type { PublicAudio } from '../../audio/schema.ts';
import type { PostRequest } from './item.ts';
import { createLoadingPost, type Post, toPost } from './post.ts';

const pollIntervalMs = 3_000;
/** After this time the player polls less often: all readers of a site share its rate limit. */
const fastPollWindowMs = 60_000;
const slowPollIntervalMs = 10_000;
const maxBackoffMs = 60_000;

/**
 * Polls a post until it is ready, failed or not found. Pauses while the page is hidden.
 * @param cache `no-cache` revalidates the browser cache
 * @param signal ends the polling
 */
export async function pollPost(
  { item, language: firstLanguage, isLanguageGuessed, address, streamAddress }: PostRequest,
  cache: RequestCache,
  tell: (post: Post) => void,
  signal: AbortSignal,
): Promise<void> {
  const begunMs = Date.now();
  let language = firstLanguage;
  let refusals = 0;
  while (!signal.aborted) {
    if (document.hidden) {
      await pause(pollIntervalMs);
      continue;
    }
    const { status, audio, restMs } = await fetchAudio(address(language), cache, signal);
    if (signal.aborted) return;
    if (audio !== undefined) {
      refusals = 0;
      tell(toPost(item, audio, streamAddress(audio.post_id, audio.language)));
      if (/ready|failed/.test(audio.status)) return;
      await pause(Date.now() - begunMs < fastPollWindowMs ? pollIntervalMs : slowPollIntervalMs);
    } else if (status >= 400 && status < 500 && status !== 429) {
      if (language === 'en' || !isLanguageGuessed) return tell({ ...createLoadingPost(item), phase: 'empty' });
      language = 'en';
    } else {
      refusals += 1;
      const waitMs = backoffMs(refusals, restMs);
      if (status !== 429) tell({ ...createLoadingPost(item), phase: 'broken', retryAtMs: Date.now() + waitMs });
      await pause(waitMs);
    }
  }
}

/** At least the delay that the server requests, with jitter, so that readers do not return at the same time. */
function backoffMs(refusals: number, restMs: number): number {
  const doubledMs = Math.min(maxBackoffMs, pollIntervalMs * 2 ** (refusals - 1));
  return Math.max(restMs, doubledMs) * (1 + Math.random() / 2);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Response of the server for a post. */
interface AudioResult {
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
async function fetchAudio(address: string, cache: RequestCache, signal: AbortSignal): Promise<AudioResult> {
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
