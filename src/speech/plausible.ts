/** Outside of it a phoneme was swallowed, or the voice hung on one; at the speed of the voice itself. */
const msPerPhoneme = { min: 15, max: 400 };
/** A word of one or two phonemes may be drawn out. */
const shortWordMs = 300;

/**
 * @param speechMs how long a segment sounds, without its pause
 * @param phonemeCount phonemes that must be heard in it
 * @returns what is wrong with that; undefined for what can be the whole of it
 */
export function durationProblem(
  speechMs: number,
  phonemeCount: number,
  speed: number,
): 'short' | 'long' | undefined {
  const ms = speechMs * speed;
  if (ms < msPerPhoneme.min * phonemeCount) return 'short';
  return ms > msPerPhoneme.max * phonemeCount + shortWordMs ? 'long' : undefined;
}
