import type { VoiceSession } from '../session.ts';
import type { VoiceConfig } from '../voice-config.ts';
import { testIds } from './test-ids.ts';

/** What brings less isn't told from chance, and not worth a file. */
export const speedRatioMin = 1.05;

/** A sentence of usual length. */
const idCount = 100;
const rounds = { least: 5, most: 15 };

/** So long a model is heard at a time: some systems count CPU time in hundredths of a second. */
const heardSecondsMin = 0.05;

/**
 * How many times as fast the compiled model is, by CPU time: both say the same sentence in turns, until their quarters agree
 * on which side of `ratioMin` it is, or enough was heard.
 * @returns the median of the rounds
 */
export async function speedRatioOf(
  { original, compiled }: { readonly original: VoiceSession; readonly compiled: VoiceSession },
  config: VoiceConfig,
  ratioMin: number,
): Promise<number> {
  const ids = testIds(config, idCount);
  const [, length] = config.scales;
  /** @returns CPU seconds for one sentence */
  const seconds = async (session: VoiceSession): Promise<number> => {
    const before = process.cpuUsage();
    for (let count = 1; ; count += 1) {
      await session.run(ids, 0, [0, length, 0]);
      const { user, system } = process.cpuUsage(before);
      const spent = (user + system) / 1e6;
      if (spent >= heardSecondsMin) return spent / count;
    }
  };
  // Memory grows to its size in the first run.
  await seconds(original);
  await seconds(compiled);
  const ratios: number[] = [];
  while (ratios.length < rounds.most) {
    // Each goes first as often as the other.
    const compiledFirst = ratios.length % 2 === 1 ? await seconds(compiled) : undefined;
    const originalSeconds = await seconds(original);
    ratios.push(originalSeconds / (compiledFirst ?? (await seconds(compiled))));
    ratios.sort((a, b) => a - b);
    const isClear = quantile(ratios, 0.25) >= ratioMin || quantile(ratios, 0.75) < ratioMin;
    if (ratios.length >= rounds.least && isClear) break;
  }
  return quantile(ratios, 0.5);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.round((sorted.length - 1) * share)] ?? 0;
}
