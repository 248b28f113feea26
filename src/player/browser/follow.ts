import type { PublicAudio } from '../../audio/schema.ts';
import type { Answer } from './ask.ts';

const pollPauseMs = 3_000;
/** What takes longer than this is asked for less often: the site's budget is that of all its readers. */
const eagerMs = 60_000;
const patientPauseMs = 10_000;
const longestPauseMs = 60_000;
/** So many failures in a row are told; it goes on trying all the same. */
const toldFailures = 3;

/** What is told of a post: `empty` where there is nothing, `broken` when the server cannot be reached. */
export type News = PublicAudio | 'empty' | 'broken';

/**
 * Follows a post until it is ready or failed, or there turns out to be nothing. Rests while the page is hidden.
 * @param signal ends it
 */
export async function follow(
  ask: () => Promise<Answer>,
  tell: (news: News) => void,
  signal: AbortSignal,
): Promise<void> {
  const begunMs = Date.now();
  let refusals = 0;
  while (true) {
    await pageIsShown(signal);
    const answer = await ask();
    if (signal.aborted) return;
    if (answer.kind === 'later') {
      refusals += 1;
      if (!answer.isLimited && refusals === toldFailures) tell('broken');
      await pause(backoffMs(refusals, answer.afterMs), signal);
      continue;
    }
    refusals = 0;
    if (answer.kind === 'nothing') return tell('empty');
    tell(answer.audio);
    if (/ready|failed/.test(answer.audio.status)) return;
    await pause(Date.now() - begunMs < eagerMs ? pollPauseMs : patientPauseMs, signal);
  }
}

/** Never less than the server asks for; scattered, so that not all readers come back at once. */
function backoffMs(refusals: number, afterMs: number): number {
  const doubledMs = Math.min(longestPauseMs, pollPauseMs * 2 ** (refusals - 1));
  return Math.max(afterMs, doubledMs) * (1 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function pageIsShown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve();
    const end = new AbortController();
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      end.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', look, { signal: end.signal });
    signal.addEventListener('abort', look, { signal: end.signal });
  });
}
