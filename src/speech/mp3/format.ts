/** The sample rates MP3 knows: MPEG-2.5 up to 12 kHz, MPEG-2 up to 24 kHz, MPEG-1 from 32 kHz. */
const SAMPLE_RATES_HZ = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000] as const;

/** The bit rates a site may choose, in kbit/s. */
export const BIT_RATES_KBPS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160] as const;

const MPEG25_MAX_KBPS = 64;

/** Samples between the encoder's input and a decoder's output: 576 in the encoder, 529 in the decoder. */
export const CODEC_DELAY_SAMPLES = 1105;

/** What a decoder adds of its own; the Info frame counts without it. */
export const DECODER_DELAY_SAMPLES = 529;

/** The rate and bit rate that an MP3 is really encoded with. */
export interface Mp3Format {
  readonly sampleRateHz: number;
  readonly bitRateKbps: number;
}

/**
 * The rate to bring a voice to before encoding: its own where MP3 has it, else the next higher one.
 * Low bit rates have a ceiling, because the encoder would resample by itself, badly, beyond it.
 * @param hz rate of the voice
 * @param bitRateKbps one of `BIT_RATES_KBPS`
 */
export function mp3SampleRate(hz: number, bitRateKbps: number): number {
  const ceiling = highestSampleRate(bitRateKbps);
  return SAMPLE_RATES_HZ.find((rate) => rate >= Math.min(hz, ceiling)) ?? ceiling;
}

/**
 * The bit rate that is really used: MPEG-2.5 ends at 64 kbit/s.
 * @param bitRateKbps one of `BIT_RATES_KBPS`
 */
export function mp3BitRate(bitRateKbps: number, sampleRateHz: number): number {
  return sampleRateHz < 16_000 ? Math.min(bitRateKbps, MPEG25_MAX_KBPS) : bitRateKbps;
}

/**
 * Checks that the encoder takes this pair as it is.
 * @throws RangeError for a rate that `mp3SampleRate` would not have given, or a bit rate not offered
 */
export function mp3Format(sampleRateHz: number, bitRateKbps: number): Mp3Format {
  if (!BIT_RATES_KBPS.some((rate) => rate === bitRateKbps)) {
    throw new RangeError(`bit rate ${bitRateKbps} kbit/s is not one of ${BIT_RATES_KBPS}`);
  }
  if (mp3SampleRate(sampleRateHz, bitRateKbps) !== sampleRateHz) {
    throw new RangeError(`MP3 at ${bitRateKbps} kbit/s cannot carry ${sampleRateHz} Hz; resample`);
  }
  return { sampleRateHz, bitRateKbps: mp3BitRate(bitRateKbps, sampleRateHz) };
}

/** Samples that one MP3 frame decodes to. */
export function samplesPerFrame(sampleRateHz: number): number {
  return sampleRateHz >= 32_000 ? 1152 : 576;
}

function highestSampleRate(bitRateKbps: number): number {
  if (bitRateKbps < 40) return 22_050;
  if (bitRateKbps < 48) return 24_000;
  if (bitRateKbps < 64) return 32_000;
  return 48_000;
}
