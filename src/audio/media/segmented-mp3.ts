import type { Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { computeSegmentTimes } from '../../speech/encode/mp3-header.ts';
import type { PodcastTranscript, Timings } from '../schema.ts';
import { findSegmentFrames, findServedVersion, isMediaDeleted, listSegmentTexts, type ServedVersion } from './store.ts';

/** A finished MP3 as it is stored: a header, and a row for each segment. */
export interface SegmentedMp3 {
  readonly versionId: number;
  readonly header: Uint8Array;
  /** Offset of each segment in the file. */
  readonly byteStarts: Float64Array;
  readonly byteCount: number;
  readonly readyAt: string;
}

/**
 * @throws AppError `media_not_found`, `media_gone`
 */
export async function openMp3(db: Queries, mediaKey: string): Promise<SegmentedMp3> {
  const { id, header, byte_starts, byte_count, ready_at } = await requireServedVersion(db, mediaKey);
  if (header === null || byte_starts === null || byte_count === null || ready_at === null) {
    throw mediaGone();
  }
  return {
    versionId: id,
    header,
    byteStarts: new Float64Array(new Uint8Array(byte_starts).buffer),
    byteCount: byte_count,
    readyAt: ready_at,
  };
}

/**
 * Reads a range of the file, a segment at a time, as the client takes it.
 * @param end exclusive
 */
export async function* readMp3(db: Queries, mp3: SegmentedMp3, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (start < mp3.header.byteLength) yield mp3.header.subarray(start, end);
  const { byteStarts } = mp3;
  for (let index = findSegmentIndex(byteStarts, start); index < byteStarts.length; index += 1) {
    const from = byteStarts[index] ?? 0;
    if (from >= end) return;
    const frames = await findSegmentFrames(db, mp3.versionId, index);
    if (frames === undefined) throw mediaGone();
    const part = frames.subarray(Math.max(0, start - from), end - from);
    if (part.byteLength > 0) yield part;
  }
}

/**
 * The timings of an MP3, on the timeline that players show.
 * @throws AppError `media_not_found`, `media_gone`
 */
export async function readTimings(db: Queries, mediaKey: string): Promise<Timings> {
  const version = await requireServedVersion(db, mediaKey);
  const rows = await listSegmentTexts(db, version.id);
  const times = computeSegmentTimes(
    rows.map((row) => ({ frameCount: row.frame_count })),
    version.sample_rate_hz,
  );
  return {
    segments: rows.map((row, index) => ({
      index,
      start_ms: times[index]?.startMs ?? 0,
      end_ms: times[index]?.endMs ?? 0,
      ...(version.timings_text === 1 ? { text: row.text } : {}),
      kind: row.kind,
    })),
  };
}

async function requireServedVersion(db: Queries, mediaKey: string): Promise<ServedVersion> {
  const version = await findServedVersion(db, mediaKey);
  if (version === undefined) {
    if (await isMediaDeleted(db, mediaKey)) throw mediaGone();
    throw new AppError('media_not_found', 'Media not found');
  }
  const isExpired = version.expires_at !== null && Date.parse(version.expires_at) <= Date.now();
  if (isExpired || version.header === null) throw mediaGone();
  return version;
}

function mediaGone(): AppError {
  return new AppError('media_gone', 'Audio replaced or deleted');
}

/** @returns the index of the last segment that begins at or before a byte; 0 when all begin after it */
function findSegmentIndex(byteStarts: Float64Array, byte: number): number {
  let low = 0;
  let high = byteStarts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((byteStarts[middle] ?? 0) <= byte) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

type Segment = Timings['segments'][number];

/** @returns WebVTT, a cue for each sentence, on the timeline that players show */
export function formatWebVtt(sentences: readonly Segment[]): string {
  const cues = selectSegmentsWithText(sentences).map(
    ({ start_ms, end_ms, text }, index) =>
      `${index + 1}\n${formatTimestamp(start_ms)} --> ${formatTimestamp(end_ms)}\n${escapeVtt(text)}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

/** @returns a transcript as the Podcast Index describes it: seconds */
export function formatPodcastTranscript(sentences: readonly Segment[]): PodcastTranscript {
  return {
    version: '1.0.0',
    segments: selectSegmentsWithText(sentences).map(({ start_ms, end_ms, text }) => ({
      startTime: start_ms / 1000,
      endTime: end_ms / 1000,
      body: text,
    })),
  };
}

function selectSegmentsWithText(sentences: readonly Segment[]) {
  return sentences.flatMap(({ text = '', ...times }) => {
    // An empty line would end a cue.
    const line = text.replace(/[\s\0]+/g, ' ').trim();
    return line === '' || times.end_ms <= times.start_ms ? [] : [{ ...times, text: line }];
  });
}

function formatTimestamp(ms: number): string {
  const padded = (value: number, digits: number) => String(value).padStart(digits, '0');
  const hours = padded(Math.floor(ms / 3_600_000), 2);
  const minutes = padded(Math.floor(ms / 60_000) % 60, 2);
  const seconds = padded(Math.floor(ms / 1000) % 60, 2);
  return `${hours}:${minutes}:${seconds}.${padded(ms % 1000, 3)}`;
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
