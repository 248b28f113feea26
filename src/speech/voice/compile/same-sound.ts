import type { VoiceSession } from '../session.ts';
import type { VoiceConfig } from '../voice-config.ts';
import { phonemeIdsMax } from '../voice-model.ts';
import { testIds } from './test-ids.ts';

/** A difference so far below the sound that nobody hears it, nor the MP3 encoder. */
export const snrDbMin = 100;
/** What is the same to the last bit has no end of it, and JSON no infinity. */
const snrDbMax = 200;

/** A short sentence, a usual one, and the longest there is. */
const idCounts = { short: 15, usual: 100, longest: phonemeIdsMax };

/** Lets a voice say sentences of several lengths, with and without its noise, by its first and its last speaker; closes it. */
export async function testSounds(
  session: VoiceSession,
  config: VoiceConfig,
): Promise<readonly Float32Array[]> {
  const [, length] = config.scales;
  const quiet = [0, length, 0] as const;
  const { short, usual, longest } = idCounts;
  const last = config.speakers.length - 1;
  try {
    return [
      await session.run(testIds(config, short), 0, quiet),
      await session.run(testIds(config, usual), 0, quiet),
      await session.run(testIds(config, usual), 0, config.scales),
      ...(last > 0 ? [await session.run(testIds(config, usual), last, quiet)] : []),
      await session.run(testIds(config, longest), 0, quiet),
    ];
  } finally {
    await session.close();
  }
}

/** @returns the signal-to-noise ratio of the sound that differs most, in dB, 200 at most; undefined where it has none */
export function similarityDb(
  expected: readonly Float32Array[],
  sounds: readonly Float32Array[],
): number | undefined {
  const ratios = expected.map((samples, index) => snrDb(samples, sounds[index]));
  const least = Math.min(snrDbMax, ...ratios);
  return Number.isFinite(least) ? least : undefined;
}

/** In dB; none where the lengths differ, or what is expected is silent or no numbers. */
function snrDb(expected: Float32Array, samples: Float32Array | undefined): number {
  if (samples?.length !== expected.length) return Number.NaN;
  let signal = 0;
  let difference = 0;
  for (let i = 0; i < expected.length; i += 1) {
    const sample = expected[i] ?? 0;
    signal += sample ** 2;
    difference += (sample - (samples[i] ?? 0)) ** 2;
  }
  if (signal === 0) return Number.NaN;
  return difference === 0 ? snrDbMax : 10 * Math.log10(signal / difference);
}
