import { fetchAudio } from './fetch-audio.ts';
import type { PostRequest } from './item.ts';
import { createLoadingPost, type Post, toPost } from './post.ts';

const pollIntervalMs = 3_000;
/** What takes longer than this is asked for less often: the site's budget is that of all its readers. */
const fastPollWindowMs = 60_000;
const slowPollIntervalMs = 10_000;
const maxBackoffMs = 60_000;
/** So many failures in a row are told; it goes on trying all the same. */
const reportedFailureCount = 3;

/**
 * Tells of a post until it is ready or failed, or there turns out to be nothing. Rests while the page is hidden.
 * @param cache `no-cache` asks past the browser's cache: what it holds is out of date
 * @param signal ends it
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
      if (status !== 429 && refusals === reportedFailureCount) tell({ ...createLoadingPost(item), phase: 'broken' });
      await pause(backoffMs(refusals, restMs));
    }
  }
}

/** Never less than the server asks for; scattered, so that not all readers come back at once. */
function backoffMs(refusals: number, restMs: number): number {
  const doubledMs = Math.min(maxBackoffMs, pollIntervalMs * 2 ** (refusals - 1));
  return Math.max(restMs, doubledMs) * (1 + Math.random() / 2);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
