import { readFileSync } from 'node:fs';
import lameWasm from './lame/lame.wasm' with { type: 'file' };

/** The functions of LAME that `lame/build.sh` lets out, by their names in lame.h. */
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
/** LAME multiplies everything by this below 192 kbit/s; here the level must stay. */
const presetScale = 0.95;

/** Fed at once; a multiple of both frame sizes. */
const slabSamples = 9216;
const bytesPerSample = 4;
/** The most that LAME makes of a slab, as lame.h puts it. */
const outputBytes = 1.25 * slabSamples + 7200;

/** LAME in WebAssembly, and the places in its memory that samples and frames pass through. */
interface Loaded {
  readonly lame: Lame;
  readonly input: number;
  readonly output: number;
}

let loaded: Loaded | undefined;

/**
 * Encodes mono PCM, and silence after it, at a constant bit rate with an encoder of its own. There is no bit
 * reservoir, so every frame is out as soon as its samples are in, and nothing has to be flushed.
 * @param samples −1…1; what is beyond is clipped, what is no number is silence
 * @param sampleCount how many to encode, silence included
 * @returns whole frames without any tag
 */
export function encodeWithLame(
  samples: Float32Array,
  sampleCount: number,
  { sampleRateHz, bitRateKbps }: { readonly sampleRateHz: number; readonly bitRateKbps: number },
): Uint8Array {
  loaded ??= loadLame();
  const { lame } = loaded;
  const slabs: Uint8Array[] = [];
  try {
    const encoder = openEncoder(lame, sampleRateHz, bitRateKbps);
    for (let start = 0; start < sampleCount; start += slabSamples) {
      const count = Math.min(slabSamples, sampleCount - start);
      slabs.push(encodeSlab(loaded, encoder, samples.subarray(start, start + count), count));
    }
    lame.lame_close(encoder);
  } catch (error) {
    // After a trap nobody knows what state the module is in; the next segment gets a new one.
    loaded = undefined;
    throw error;
  }
  return Buffer.concat(slabs);
}

function loadLame(): Loaded {
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
  if (result < 0) throw new Error(`LAME refuses its settings (${result})`);
  return encoder;
}

function encodeSlab(
  { lame, input, output }: Loaded,
  encoder: number,
  samples: Float32Array,
  count: number,
): Uint8Array {
  // The memory may have grown, and its buffer with it.
  const slab = new Float32Array(lame.memory.buffer, input, count);
  for (let i = 0; i < samples.length; i++) {
    slab[i] = Math.max(-1, Math.min(1, samples[i] ?? 0)) || 0;
  }
  slab.fill(0, samples.length);
  const written = lame.lame_encode_buffer_ieee_float(
    encoder,
    input,
    input,
    count,
    output,
    outputBytes,
  );
  if (written < 0) throw new Error(`LAME could not encode (${written})`);
  return new Uint8Array(lame.memory.buffer, output, written).slice();
}
