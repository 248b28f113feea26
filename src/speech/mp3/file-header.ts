import {
  BIT_RATES_KBPS,
  CODEC_DELAY_SAMPLES,
  DECODER_DELAY_SAMPLES,
  mp3Format,
  samplesPerFrame,
} from '../mp3.ts';
import { FRAME_HEADER_BYTES, frameHeader, sideInfoBytes } from './frame.ts';
import { id3Tag, type Tags } from './id3.ts';

/** The size of a segment, all that the header needs of it. */
export interface SegmentSize {
  readonly byteLength: number;
  readonly frameCount: number;
}

/** What the header of a file is made from. */
export interface HeaderSource {
  /** In the order of the file. */
  readonly segments: Iterable<SegmentSize>;
  readonly sampleRateHz: number;
  readonly bitRateKbps: number;
  readonly tags: Tags;
}

/** The bytes before the first segment, and what players make of the whole. */
export interface FileHeader {
  readonly bytes: Uint8Array;
  /** Length of the file as played: all frames but the codec's delay. */
  readonly durationSamples: number;
}

const TOC_ENTRIES = 100;
const HAS_FRAMES_BYTES_TOC_QUALITY = 0b1111;
const XING_BYTES = 4 + 4 + 4 + 4 + TOC_ENTRIES + 4;
const LAME_BYTES = 36;

/**
 * The trimming that players do. They drop `delay + 529` samples at the start, so that a segment starts
 * at exactly the sum of the samples before it. At the end they drop `padding − 529`, here nothing: the
 * last pause is shorter by the delay and the duration is the sum of all frames less the delay.
 */
const DELAY_FIELD = CODEC_DELAY_SAMPLES - DECODER_DELAY_SAMPLES;
const PADDING_FIELD = DECODER_DELAY_SAMPLES;

/**
 * Writes what stands before the frames of the segments: the ID3 tag and one Info frame, which gives
 * the length, a seek table and the samples to trim.
 * @throws RangeError for a rate or bit rate that MP3 does not have
 */
export function fileHeader(source: HeaderSource): FileHeader {
  const { sampleRateHz, bitRateKbps } = mp3Format(source.sampleRateHz, source.bitRateKbps);
  const segments = [...source.segments];
  const frameCount = segments.reduce((sum, segment) => sum + segment.frameCount, 0);
  const soundBytes = segments.reduce((sum, segment) => sum + segment.byteLength, 0);

  const info = emptyInfoFrame(sampleRateHz, bitRateKbps);
  const streamBytes = info.bytes.length + soundBytes;
  const view = new DataView(info.bytes.buffer);
  let at = info.tagOffset;
  at = writeAscii(info.bytes, at, 'Info');
  view.setUint32(at, HAS_FRAMES_BYTES_TOC_QUALITY);
  view.setUint32(at + 4, frameCount);
  view.setUint32(at + 8, streamBytes);
  info.bytes.set(seekTable(segments, frameCount, info.bytes.length, streamBytes), at + 12);
  at += 12 + TOC_ENTRIES + 4;
  writeLameTag(info.bytes, at, bitRateKbps, streamBytes);

  const durationSamples = Math.max(
    0,
    frameCount * samplesPerFrame(sampleRateHz) - CODEC_DELAY_SAMPLES,
  );
  return { bytes: Buffer.concat([id3Tag(source.tags), info.bytes]), durationSamples };
}

/** Where a segment lies on the timeline that players show. */
export interface SegmentTime {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Places segments on the timeline of the file. A pause belongs to the segment before it, each segment
 * ends where the next starts, the last one at the end of the file.
 * @param segments all of the file, in order
 */
export function segmentTimes(
  segments: Iterable<Pick<SegmentSize, 'frameCount'>>,
  sampleRateHz: number,
): SegmentTime[] {
  const frameMs = (samplesPerFrame(sampleRateHz) * 1000) / sampleRateHz;
  const starts = [0];
  for (const { frameCount } of segments) starts.push((starts.at(-1) ?? 0) + frameCount);
  const delayMs = (CODEC_DELAY_SAMPLES * 1000) / sampleRateHz;
  return starts.slice(1).map((end, index) => ({
    startMs: Math.round((starts[index] ?? 0) * frameMs),
    endMs: Math.round(end * frameMs - (index === starts.length - 2 ? delayMs : 0)),
  }));
}

/** A silent frame with room for the tag: of the stream's bit rate or the next that is large enough. */
function emptyInfoFrame(sampleRateHz: number, bitRateKbps: number) {
  const tagOffset = FRAME_HEADER_BYTES + sideInfoBytes(sampleRateHz);
  for (const rate of BIT_RATES_KBPS) {
    if (rate < bitRateKbps) continue;
    const header = frameHeader(sampleRateHz, rate);
    if (header.frameBytes < tagOffset + XING_BYTES + LAME_BYTES) continue;
    const bytes = new Uint8Array(header.frameBytes);
    bytes.set(header.bytes);
    return { bytes, tagOffset };
  }
  throw new RangeError(`no Info frame fits at ${sampleRateHz} Hz`);
}

/** Entry i tells which 256th of the stream holds the moment i/100 of the way through. */
function seekTable(
  segments: readonly SegmentSize[],
  frameCount: number,
  infoBytes: number,
  streamBytes: number,
): Uint8Array {
  const toc = new Uint8Array(TOC_ENTRIES);
  let index = 0;
  let framesBefore = 0;
  let bytesBefore = infoBytes;
  for (let entry = 0; entry < TOC_ENTRIES; entry++) {
    const frame = (entry * frameCount) / TOC_ENTRIES;
    let segment = segments[index];
    while (segment && frame >= framesBefore + segment.frameCount) {
      framesBefore += segment.frameCount;
      bytesBefore += segment.byteLength;
      segment = segments[++index];
    }
    const within = segment ? ((frame - framesBefore) / segment.frameCount) * segment.byteLength : 0;
    toc[entry] = Math.min(255, Math.floor((256 * (bytesBefore + within)) / streamBytes));
  }
  return toc;
}

/** The LAME extension of the Info tag; what is not known stays 0. */
function writeLameTag(bytes: Uint8Array, offset: number, kbps: number, streamBytes: number): void {
  const view = new DataView(bytes.buffer);
  // Players read the delay only behind this name.
  writeAscii(bytes, offset, 'LAME3.100');
  const constantBitRate = 1;
  bytes[offset + 9] = constantBitRate;
  bytes[offset + 20] = kbps;
  bytes[offset + 21] = DELAY_FIELD >> 4;
  bytes[offset + 22] = ((DELAY_FIELD & 0xf) << 4) | (PADDING_FIELD >> 8);
  bytes[offset + 23] = PADDING_FIELD & 0xff;
  view.setUint32(offset + 28, streamBytes);
  view.setUint16(offset + 34, crc16(bytes.subarray(0, offset + 34)));
}

function writeAscii(bytes: Uint8Array, offset: number, text: string): number {
  bytes.set(Buffer.from(text, 'latin1'), offset);
  return offset + text.length;
}

/** CRC-16 with the reflected polynomial 0xA001, starting from 0, as LAME does it. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
