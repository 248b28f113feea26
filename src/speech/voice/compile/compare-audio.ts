import type { VoiceSession } from '../session.ts';
import type { VoiceConfig } from '../voice-config.ts';
import { phonemeIdsMax } from '../voice-model.ts';
import { framePowers } from './spectrum.ts';
import { testIds } from './test-ids.ts';

/**
 * Both limits lie where ears are, with a margin, and well above what float32 leaves open: a real Piper voice as it was
 * exported is itself only 88 to 104 dB from the same graph in float64 (docs/voices.md, "How alike is alike enough").
 *
 * Over a whole sentence: at −60 dB a difference has a millionth of the sound's power. MP3 at 64 kbit/s, in which everything
 * is heard, leaves 20 to 30 dB.
 */
const minSnrDb = 60;
/**
 * In each short frame and critical band, for what a whole sentence averages away: a click, a wrong quiet passage. A sound
 * hides a difference in its own band and at its own time that lies 5 to 38 dB below it, least where the sound is a pure tone
 * (the psychoacoustic models of MPEG-1, ISO 11172-3, annex D); here it has to be 40 dB.
 */
const maskingDb = 40;
/**
 * Where nothing hides it, a difference is heard above the threshold in quiet: −5 dB SPL at the least, near 3.5 kHz. Speech
 * at 70 dB SPL, louder than conversation, is 75 dB above that. 16-bit PCM has its noise at −98 dB of full scale, some 80 dB
 * below speech of −18 dB.
 */
const thresholdDb = 75;
/** What is the same to the last bit has no end of it, and JSON no infinity. */
const maxSnrDb = 200;

/** A short sentence, a usual one, and the longest there is. */
const idCounts = { short: 15, usual: 100, longest: phonemeIdsMax };

/** Lets a voice say sentences of several lengths, with and without its noise, by its first and its last speaker; closes it. */
export async function speakTestSentences(
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

/** How far apart two sounds are. */
export interface AudioDifference {
  /** Signal-to-noise ratio in dB, 200 at most. */
  readonly snrDb: number;
  /** The highest that the difference rises above what ears can't tell, in any frame and band, in dB; negative: nowhere. */
  readonly audibleDb: number;
}

/** @returns undefined where the lengths differ, or what is expected is silent or no numbers */
export function compareAudio(
  expected: Float32Array,
  actual: Float32Array | undefined,
  sampleRateHz: number,
): AudioDifference | undefined {
  if (actual?.length !== expected.length) return undefined;
  const difference = expected.map((sample, place) => sample - (actual[place] ?? 0));
  const [signal, noise] = [energy(expected), energy(difference)];
  if (!(signal > 0) || !Number.isFinite(signal + noise)) return undefined;
  const threshold = (signal / expected.length) * power(-thresholdDb);
  let highest = 0;
  for (const { first, second } of framePowers(expected, difference, sampleRateHz)) {
    for (const [band, noisePower] of second.entries()) {
      const hidden = Math.max((first[band] ?? 0) * power(-maskingDb), threshold);
      highest = Math.max(highest, noisePower / hidden);
    }
  }
  return {
    snrDb: noise === 0 ? maxSnrDb : Math.min(maxSnrDb, decibels(signal / noise)),
    audibleDb: highest === 0 ? -maxSnrDb : Math.max(-maxSnrDb, decibels(highest)),
  };
}

/** @returns the difference of the sentence that differs most; undefined where one cannot be compared at all */
export function worstDifference(
  expected: readonly Float32Array[],
  actual: readonly Float32Array[],
  sampleRateHz: number,
): AudioDifference | undefined {
  const worst = { snrDb: maxSnrDb, audibleDb: -maxSnrDb };
  for (const [place, samples] of expected.entries()) {
    const one = compareAudio(samples, actual[place], sampleRateHz);
    if (one === undefined) return undefined;
    worst.snrDb = Math.min(worst.snrDb, one.snrDb);
    worst.audibleDb = Math.max(worst.audibleDb, one.audibleDb);
  }
  return worst;
}

/** Whether nobody can tell the two apart. */
export function isInaudible({ snrDb, audibleDb }: AudioDifference): boolean {
  return snrDb >= minSnrDb && audibleDb <= 0;
}

function energy(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample ** 2;
  return sum;
}

function decibels(ratio: number): number {
  return 10 * Math.log10(ratio);
}

function power(dB: number): number {
  return 10 ** (dB / 10);
}
