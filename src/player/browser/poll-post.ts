import { fetchAudio } from './fetch-audio.ts';
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
