import iso639 from './iso-639.txt' with { type: 'text' };
import {
  BIT_RATES_KBPS,
  CODEC_DELAY_SAMPLES,
  DECODER_DELAY_SAMPLES,
  FRAME_HEADER_BYTES,
  frameHeader,
  mp3Format,
  samplesPerFrame,
  sideInfoBytes,
} from './mp3.ts';

/** Metadata that players show. */
export interface Id3Tags {
  readonly title?: string;
  readonly artist?: string;
  /** ISO 639-1 (`en`), also with a region (`en-US`, `en_US`). */
  readonly language?: string;
  /** Absolute URL of the article. Omitted if it is invalid. */
  readonly url?: string;
  readonly encoder?: string;
  /** ISO 8601 in UTC. */
  readonly createdAt?: string;
  /** Further values (TXXX) by name; printable ASCII. */
  readonly userText?: Readonly<Record<string, string>>;
}

const HEADER_BYTES = 10;
const UTF8 = 3;

/**
 * Builds an ID3v2.4 tag: TIT2, TPE1, TLAN, WOAS, TSSE, TDRC with TDEN, and a TXXX for each further value.
 * @returns an empty array without tags
 */
export function buildId3Tag(tags: Id3Tags): Uint8Array {
  const frames: Uint8Array[] = [];
  if (tags.title) frames.push(textFrame('TIT2', tags.title));
  if (tags.artist) frames.push(textFrame('TPE1', tags.artist));
  const language = tags.language && toIso639_2(tags.language);
  if (language) frames.push(textFrame('TLAN', language));
  // A parsed URL is ASCII, as WOAS requires: Punycode and percent-encoding.
  const url = tags.url && URL.parse(tags.url)?.href;
  if (url) frames.push(frame('WOAS', Buffer.from(url, 'latin1')));
  if (tags.encoder) frames.push(textFrame('TSSE', tags.encoder));
  // ID3 times have whole seconds and no time zone.
  const madeAt = tags.createdAt?.slice(0, 19);
  if (madeAt) frames.push(textFrame('TDRC', madeAt), textFrame('TDEN', madeAt));
  for (const [name, value] of Object.entries(tags.userText ?? {})) {
    frames.push(frame('TXXX', Buffer.concat([encodeText(name), Buffer.from([0]), encodeLine(value)])));
  }
  if (frames.length === 0) return new Uint8Array(0);

  const body = Buffer.concat(frames);
  const header = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0]);
  writeSynchsafe(header, 6, body.length);
  return Buffer.concat([header, body]);
}

function textFrame(id: string, text: string): Uint8Array {
  return frame(id, encodeText(text));
}

function encodeText(text: string): Uint8Array {
  return Buffer.concat([Buffer.from([UTF8]), encodeLine(text)]);
}

/** A NUL would separate two values. */
function encodeLine(text: string): Uint8Array {
  return Buffer.from(text.replace(/\p{Cc}+/gu, ' ').trim(), 'utf8');
}

function frame(id: string, content: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES + content.length);
  bytes.write(id, 0, 'latin1');
  writeSynchsafe(bytes, 4, content.length);
  bytes.set(content, HEADER_BYTES);
  return bytes;
}

/** Seven bits per byte, so that a length cannot look like an MPEG sync word. */
function writeSynchsafe(bytes: Uint8Array, offset: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[offset + i] = (value >> (7 * (3 - i))) & 0x7f;
}

/**
 * @param tag ISO 639-1, with or without a region
 * @returns the terminological ISO 639-2 code; undefined if there is none
 */
export function toIso639_2(tag: string): string | undefined {
  const [language = ''] = tag.toLowerCase().split(/[-_]/);
  if (language.length === 3) return language;
  return ISO_639.get(language);
}

/** The 639-2/T code of each ISO 639-1 code. */
const ISO_639 = new Map(
  iso639
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
);

export interface SegmentSize {
  readonly byteLength: number;
  readonly frameCount: number;
}

export interface HeaderSource {
  readonly segments: Iterable<SegmentSize>;
  readonly sampleRateHz: number;
  readonly bitRateKbps: number;
  readonly tags: Id3Tags;
}

export interface FileHeader {
  readonly bytes: Uint8Array;
  /** Length as played: all frames minus the codec delay. */
  readonly durationSamples: number;
}

const TOC_ENTRIES = 100;
const HAS_FRAMES_BYTES_TOC_QUALITY = 0b1111;
const XING_BYTES = 4 + 4 + 4 + 4 + TOC_ENTRIES + 4;
const LAME_BYTES = 36;

/**
 * Gapless playback: players drop `delay + 529` samples at the start, so that a segment starts at exactly the
 * sum of the samples before it, and `padding − 529` at the end, which is 0 here: the delay shortens the last
 * pause, and the duration is the sum of all frames minus the delay.
 */
const DELAY_FIELD = CODEC_DELAY_SAMPLES - DECODER_DELAY_SAMPLES;
const PADDING_FIELD = DECODER_DELAY_SAMPLES;

/**
 * Builds the ID3 tag and the Info frame with length, seek table and samples to trim.
 * @throws RangeError for an unsupported sample rate or bit rate
 */
export function buildFileHeader(source: HeaderSource): FileHeader {
  const { sampleRateHz, bitRateKbps } = mp3Format(source.sampleRateHz, source.bitRateKbps);
  const segments = [...source.segments];
  const frameCount = segments.reduce((sum, segment) => sum + segment.frameCount, 0);
  const soundBytes = segments.reduce((sum, segment) => sum + segment.byteLength, 0);

  const info = createInfoFrame(sampleRateHz, bitRateKbps);
  const streamBytes = info.bytes.length + soundBytes;
  const view = new DataView(info.bytes.buffer);
  let at = info.tagOffset;
  at = writeAscii(info.bytes, at, 'Info');
  view.setUint32(at, HAS_FRAMES_BYTES_TOC_QUALITY);
  view.setUint32(at + 4, frameCount);
  view.setUint32(at + 8, streamBytes);
  info.bytes.set(buildSeekTable(segments, frameCount, info.bytes.length, streamBytes), at + 12);
  at += 12 + TOC_ENTRIES + 4;
  writeLameTag(info.bytes, at, bitRateKbps, streamBytes);

  const durationSamples = Math.max(0, frameCount * samplesPerFrame(sampleRateHz) - CODEC_DELAY_SAMPLES);
  return { bytes: Buffer.concat([buildId3Tag(source.tags), info.bytes]), durationSamples };
}

export interface SegmentTime {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Times of the segments as players show them. A pause belongs to the segment before it; a segment ends where
 * the next one starts.
 * @param segments all segments of the file in order
 */
export function computeSegmentTimes(
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

/** A silent frame with room for the tag, at the bit rate of the stream or the next one that is large enough. */
function createInfoFrame(sampleRateHz: number, bitRateKbps: number) {
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

/** Entry i: position of the time i/100, in 256ths of the stream. */
function buildSeekTable(
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

/** The LAME extension of the Info tag; unknown values stay 0. */
function writeLameTag(bytes: Uint8Array, offset: number, kbps: number, streamBytes: number): void {
  const view = new DataView(bytes.buffer);
  // Players read the delay only after this name.
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

/** CRC-16 with the reflected polynomial 0xA001 and the initial value 0, as in LAME. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
