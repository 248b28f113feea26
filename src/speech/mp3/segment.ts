import { Mp3Encoder } from '@breezystack/lamejs';
import { CODEC_DELAY_SAMPLES, mp3Format, samplesPerFrame } from './format.ts';
import { frameLength } from './frame.ts';

/** Input beyond the last whole frame that the encoder wants to see before it gives that frame out. */
const LOOK_AHEAD_SAMPLES = 224;

/** Fed at once; a multiple of both frame sizes. */
const SLAB_SAMPLES = 9216;

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
 * @param samples mono PCM, −1…1, edges trimmed and faded; may be empty
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
  const input = toInt16(samples, frameCount * perFrame + LOOK_AHEAD_SAMPLES);
  const encoded = encode(input, sampleRateHz, bitRateKbps);
  const frames = encoded.slice(0, lengthOfFrames(encoded, frameCount));
  return { frames, frameCount, sampleCount: frameCount * perFrame };
}

function toInt16(samples: Float32Array, length: number): Int16Array {
  const pcm = new Int16Array(length);
  for (let i = 0; i < samples.length; i++) {
    pcm[i] = Math.max(-32_768, Math.min(32_767, Math.round((samples[i] ?? 0) * 32_767)));
  }
  return pcm;
}

/**
 * The encoder is built without a bit reservoir, so every frame is out as soon as its samples are in,
 * and nothing has to be flushed.
 */
function encode(pcm: Int16Array, sampleRateHz: number, bitRateKbps: number): Uint8Array {
  const encoder = new Mp3Encoder(1, sampleRateHz, bitRateKbps);
  const slabs: Uint8Array[] = [];
  for (let start = 0; start < pcm.length; start += SLAB_SAMPLES) {
    // Typed as Uint8Array, but an Int8Array.
    const { buffer, byteOffset, byteLength } = encoder.encodeBuffer(
      pcm.subarray(start, start + SLAB_SAMPLES),
    );
    slabs.push(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return Buffer.concat(slabs);
}

function lengthOfFrames(encoded: Uint8Array, frameCount: number): number {
  let offset = 0;
  for (let i = 0; i < frameCount; i++) offset += frameLength(encoded, offset);
  if (offset > encoded.length) {
    throw new Error(`expected ${frameCount} whole MP3 frames, got ${encoded.length} bytes`);
  }
  return offset;
}
