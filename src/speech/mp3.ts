import { frameLength } from './mp3/frame.ts';
import { encodeWithLame } from './mp3/lame.ts';

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
 * Low bit rates have a ceiling, LAME's own: beyond it too few bits are left for what is heard best.
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
function mp3BitRate(bitRateKbps: number, sampleRateHz: number): number {
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

/** Input beyond the last whole frame that the encoder wants to see before it gives that frame out. */
const LOOK_AHEAD_SAMPLES = 224;

/** One sentence and its pause as frames that can follow any other segment's frames. */
export interface EncodedSegment {
  /** Whole MP3 frames, no tag and no Info frame; none needs bits of an earlier one. */
  readonly frames: Uint8Array;
  readonly frameCount: number;
  /** What a decoder makes of it: frames × samples per frame. */
  readonly sampleCount: number;
}

/** How a segment is encoded. */
export interface SegmentEncoding {
  /** A rate from `mp3SampleRate`. */
  readonly sampleRateHz: number;
  /** One of `BIT_RATES_KBPS`. */
  readonly bitRateKbps: number;
  /** Planned silence after the speech; 0 inside a split sentence. */
  readonly pauseMs: number;
}

/**
 * Encodes one segment with a fresh encoder, so that its bytes depend on nothing but the arguments.
 * The codec's delay and the rounding to whole frames come out of the pause.
 * @param samples mono PCM, −1…1 (beyond, it clips), edges trimmed and faded; may be empty
 * @throws RangeError for a rate or bit rate that MP3 does not have
 */
export function encodeSegment(samples: Float32Array, options: SegmentEncoding): EncodedSegment {
  const { sampleRateHz, bitRateKbps } = mp3Format(options.sampleRateHz, options.bitRateKbps);
  const perFrame = samplesPerFrame(sampleRateHz);
  const pauseSamples = (options.pauseMs * sampleRateHz) / 1000;
  const frameCount = Math.max(
    Math.ceil((CODEC_DELAY_SAMPLES + samples.length) / perFrame),
    Math.round((samples.length + pauseSamples) / perFrame),
  );
  const sampleCount = frameCount * perFrame;
  const encoded = encodeWithLame(samples, sampleCount + LOOK_AHEAD_SAMPLES, {
    sampleRateHz,
    bitRateKbps,
  });
  const frames = encoded.slice(0, lengthOfFrames(encoded, frameCount));
  return { frames, frameCount, sampleCount };
}

function lengthOfFrames(encoded: Uint8Array, frameCount: number): number {
  let offset = 0;
  for (let i = 0; i < frameCount; i++) offset += frameLength(encoded, offset);
  if (offset > encoded.length) {
    throw new Error(`expected ${frameCount} whole MP3 frames, got ${encoded.length} bytes`);
  }
  return offset;
}
