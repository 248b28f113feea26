import { readFileSync } from 'node:fs';
import lameWasm from './lame/lame.wasm' with { type: 'file' };

/** Layer III bit rates in kbit/s, by the four-bit index of a frame header. */
const MPEG1_BIT_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_BIT_RATES = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** MPEG-1 sample rates in Hz, by the two-bit index of a frame header; half of it for MPEG-2, a quarter for MPEG-2.5. */
const MPEG1_SAMPLE_RATES = [44_100, 48_000, 32_000];

export const FRAME_HEADER_BYTES = 4;

/**
 * Builds the header of a mono layer III frame without CRC and padding slot.
 * @returns the header and the length of the frame in bytes
 * @throws RangeError for an unsupported sample rate or bit rate
 */
export function frameHeader(sampleRateHz: number, bitRateKbps: number): { bytes: Uint8Array; frameBytes: number } {
  const divisor = sampleRateHz >= 32_000 ? 1 : sampleRateHz >= 16_000 ? 2 : 4;
  const version = divisor === 1 ? 0b11 : divisor === 2 ? 0b10 : 0b00;
  const rateIndex = MPEG1_SAMPLE_RATES.indexOf(sampleRateHz * divisor);
  const bitRateIndex = (divisor === 1 ? MPEG1_BIT_RATES : MPEG2_BIT_RATES).indexOf(bitRateKbps);
  if (rateIndex < 0 || bitRateIndex < 1) {
    throw new RangeError(`MP3 does not support ${bitRateKbps} kbit/s at ${sampleRateHz} Hz`);
  }
  const bytes = new Uint8Array(FRAME_HEADER_BYTES);
  bytes[0] = 0xff;
  bytes[1] = 0xe0 | (version << 3) | 0b011;
  bytes[2] = (bitRateIndex << 4) | (rateIndex << 2);
  bytes[3] = 0b11_00_0_1_00;
  return { bytes, frameBytes: frameLength(bytes, 0) };
}

/**
 * @param offset of the frame header
 * @returns the length of the frame in bytes, including the padding slot
 * @throws RangeError if no layer III frame begins there
 */
export function frameLength(bytes: Uint8Array, offset: number): number {
  const [sync = 0, versionAndLayer = 0, rates = 0] = bytes.subarray(offset, offset + 3);
  const version = (versionAndLayer >> 3) & 0b11;
  const bitRates = version === 0b11 ? MPEG1_BIT_RATES : MPEG2_BIT_RATES;
  const bitRateKbps = bitRates[rates >> 4] ?? 0;
  const divisor = version === 0b11 ? 1 : version === 0b10 ? 2 : 4;
  const sampleRateHz = (MPEG1_SAMPLE_RATES[(rates >> 2) & 0b11] ?? 0) / divisor;
  const isLayer3 = sync === 0xff && (versionAndLayer & 0b1110_0110) === 0b1110_0010;
  if (!isLayer3 || bitRateKbps === 0 || sampleRateHz === 0) {
    throw new RangeError(`no MP3 frame begins at byte ${offset}`);
  }
  const bytesTimesHz = (version === 0b11 ? 144_000 : 72_000) * bitRateKbps;
  return Math.floor(bytesTimesHz / sampleRateHz) + ((rates >> 1) & 1);
}

/** Bytes of side information that follow the header of a mono frame. */
export function sideInfoBytes(sampleRateHz: number): number {
  return sampleRateHz >= 32_000 ? 17 : 9;
}

/** LAME functions that `lame/build.sh` exports, with their names in lame.h. */
interface Lame {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  lame_init(): number;
  lame_set_num_channels(encoder: number, count: number): number;
  lame_set_mode(encoder: number, mode: number): number;
  lame_set_in_samplerate(encoder: number, hz: number): number;
  lame_set_out_samplerate(encoder: number, hz: number): number;
  lame_set_brate(encoder: number, kbps: number): number;
  lame_set_quality(encoder: number, quality: number): number;
  lame_set_scale(encoder: number, factor: number): number;
  lame_set_disable_reservoir(encoder: number, isDisabled: number): number;
  lame_set_bWriteVbrTag(encoder: number, isWritten: number): number;
  lame_init_params(encoder: number): number;
  lame_encode_buffer_ieee_float(
    encoder: number,
    left: number,
    right: number,
    sampleCount: number,
    output: number,
    outputBytes: number,
  ): number;
  lame_close(encoder: number): number;
}

const mono = 3;
/** 0 is best, 9 fastest. LAME's own 3 takes 1.4 × the time for 0.3 dB at most: docs/mp3.md. */
const quality = 5;
/** LAME scales samples by this factor below 192 kbit/s; the level must stay. */
const presetScale = 0.95;

/** Samples per call of the encoder; a multiple of both frame sizes. */
const slabSamples = 9216;
const bytesPerSample = 4;
/** Upper limit of the output for one slab, from lame.h. */
const outputBytes = 1.25 * slabSamples + 7200;

/** LAME in WebAssembly with its input and output buffers. */
interface LameInstance {
  readonly lame: Lame;
  readonly input: number;
  readonly output: number;
}

let lameInstance: LameInstance | undefined;

/**
 * Encodes mono PCM followed by silence at a constant bit rate with a new encoder. Without a bit reservoir every
 * frame is complete as soon as its samples are read, so nothing has to be flushed.
 * @param samples −1…1; clipped outside; NaN becomes silence
 * @param sampleCount total number of samples, including the silence
 * @returns whole frames without a tag
 */
function encodeWithLame(
  samples: Float32Array,
  sampleCount: number,
  { sampleRateHz, bitRateKbps }: { readonly sampleRateHz: number; readonly bitRateKbps: number },
): Uint8Array {
  lameInstance ??= loadLame();
  const { lame } = lameInstance;
  const slabs: Uint8Array[] = [];
  try {
    const encoder = openEncoder(lame, sampleRateHz, bitRateKbps);
    for (let start = 0; start < sampleCount; start += slabSamples) {
      const count = Math.min(slabSamples, sampleCount - start);
      slabs.push(encodeSlab(lameInstance, encoder, samples.subarray(start, start + count), count));
    }
    lame.lame_close(encoder);
  } catch (error) {
    // After a trap the state of the module is unknown: the next segment gets a new one.
    lameInstance = undefined;
    throw error;
  }
  return Buffer.concat(slabs);
}

function loadLame(): LameInstance {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(lameWasm)));
  const lame = instance.exports as unknown as Lame;
  lame._initialize();
  const input = lame.malloc(slabSamples * bytesPerSample);
  return { lame, input, output: lame.malloc(outputBytes) };
}

function openEncoder(lame: Lame, sampleRateHz: number, bitRateKbps: number): number {
  const encoder = lame.lame_init();
  lame.lame_set_num_channels(encoder, 1);
  lame.lame_set_mode(encoder, mono);
  lame.lame_set_in_samplerate(encoder, sampleRateHz);
  lame.lame_set_out_samplerate(encoder, sampleRateHz);
  lame.lame_set_brate(encoder, bitRateKbps);
  lame.lame_set_quality(encoder, quality);
  lame.lame_set_scale(encoder, 1 / presetScale);
  lame.lame_set_disable_reservoir(encoder, 1);
  lame.lame_set_bWriteVbrTag(encoder, 0);
  const result = lame.lame_init_params(encoder);
  if (result < 0) throw new Error(`Initializing LAME failed (code ${result})`);
  return encoder;
}

function encodeSlab(
  { lame, input, output }: LameInstance,
  encoder: number,
  samples: Float32Array,
  count: number,
): Uint8Array {
  // The memory may have grown and have a new buffer.
  const slab = new Float32Array(lame.memory.buffer, input, count);
  for (let i = 0; i < samples.length; i++) {
    slab[i] = Math.max(-1, Math.min(1, samples[i] ?? 0)) || 0;
  }
  slab.fill(0, samples.length);
  const written = lame.lame_encode_buffer_ieee_float(encoder, input, input, count, output, outputBytes);
  if (written < 0) throw new Error(`Encoding with LAME failed (code ${written})`);
  return new Uint8Array(lame.memory.buffer, output, written).slice();
}

/** Sample rates of MP3: MPEG-2.5 up to 12 kHz, MPEG-2 up to 24 kHz, MPEG-1 from 32 kHz. */
const SAMPLE_RATES_HZ = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000] as const;

/** The bit rates a site may choose, in kbit/s. */
export const BIT_RATES_KBPS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160] as const;

const MPEG25_MAX_KBPS = 64;

/** Samples between the encoder's input and a decoder's output: 576 in the encoder, 529 in the decoder. */
export const CODEC_DELAY_SAMPLES = 1105;

/** The part of the delay that the decoder adds; the Info frame does not include it. */
export const DECODER_DELAY_SAMPLES = 529;

/** Effective sample rate and bit rate of an MP3. */
export interface Mp3Format {
  readonly sampleRateHz: number;
  readonly bitRateKbps: number;
}

/**
 * The sample rate to resample a voice to: its own if MP3 supports it, else the next higher one.
 * Low bit rates have the upper limit that LAME uses, to save bits for the most audible range.
 * @param hz sample rate of the voice
 * @param bitRateKbps one of `BIT_RATES_KBPS`
 */
export function mp3SampleRate(hz: number, bitRateKbps: number): number {
  const ceiling = maxSampleRate(bitRateKbps);
  return SAMPLE_RATES_HZ.find((rate) => rate >= Math.min(hz, ceiling)) ?? ceiling;
}

/**
 * The effective bit rate: MPEG-2.5 ends at 64 kbit/s.
 * @param bitRateKbps one of `BIT_RATES_KBPS`
 */
function mp3BitRate(bitRateKbps: number, sampleRateHz: number): number {
  return sampleRateHz < 16_000 ? Math.min(bitRateKbps, MPEG25_MAX_KBPS) : bitRateKbps;
}

/**
 * Checks that the encoder supports the sample rate at the bit rate.
 * @throws RangeError for a sample rate that `mp3SampleRate` does not return, or an unsupported bit rate
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

function maxSampleRate(bitRateKbps: number): number {
  if (bitRateKbps < 40) return 22_050;
  if (bitRateKbps < 48) return 24_000;
  if (bitRateKbps < 64) return 32_000;
  return 48_000;
}

/** Samples after a frame that the encoder needs before it outputs the frame. */
const LOOK_AHEAD_SAMPLES = 224;

/** Speech and pause of a segment as frames that may follow those of any other segment. */
export interface EncodedSegment {
  /** Whole frames without a tag or Info frame; none uses bits of an earlier frame. */
  readonly frames: Uint8Array;
  readonly frameCount: number;
  /** Decoded length: frames × samples per frame. */
  readonly sampleCount: number;
}

export interface SegmentEncoding {
  /** From `mp3SampleRate`. */
  readonly sampleRateHz: number;
  /** One of `BIT_RATES_KBPS`. */
  readonly bitRateKbps: number;
  /** Silence after the speech; 0 within a split sentence. */
  readonly pauseMs: number;
}

/**
 * Encodes a segment with a new encoder, so that its bytes depend only on the arguments.
 * The pause is shortened by the codec delay and rounded to whole frames.
 * @param samples mono PCM, −1…1 (clipped outside), edges trimmed and faded; may be empty
 * @throws RangeError for an unsupported sample rate or bit rate
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
  const frames = encoded.slice(0, measureFrames(encoded, frameCount));
  return { frames, frameCount, sampleCount };
}

function measureFrames(encoded: Uint8Array, frameCount: number): number {
  let offset = 0;
  for (let i = 0; i < frameCount; i++) offset += frameLength(encoded, offset);
  if (offset > encoded.length) {
    throw new Error(`Encoding with LAME failed: expected ${frameCount} frames, got ${encoded.length} bytes`);
  }
  return offset;
}
