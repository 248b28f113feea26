import { currentTimeMs, hourMs } from '../../clock.ts';
import type { Queries } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { computeSegmentTimes } from '../../speech/encode/mp3-header.ts';
import { computeWordTimes } from '../../speech/phonemize/word-spans.ts';
import type { PodcastTranscript, Timings } from '../schema.ts';
import { findServedVersion, isMediaDeleted, listSegmentTexts, readVersionTiming, type ServedVersion } from './store.ts';

/** A finished MP3 as it is stored: an object, or a header and a row for each segment (`readMp3Layout`). */
export interface SegmentedMp3 {
  readonly versionId: number;
  /** Null: its segments have the frames. */
  readonly objectKey: string | null;
  readonly byteCount: number;
  readonly readyAt: string;
}

/** @throws AppError `media_gone` */
export function openMp3(version: ServedVersion): SegmentedMp3 {
  const { id, byte_count, ready_at, object_key } = version;
  if (byte_count === null || ready_at === null) throw new AppError('media_gone');
  return { versionId: id, objectKey: object_key, byteCount: byte_count, readyAt: ready_at };
}

/** Longer pauses, at normal speed, end a block. */
const maxPauseWithinBlockMs = 400;

/**
 * @param pauseMs after a segment; a segment whose pause is unknown is a separate block
 * @param speed of the version
 */
export function isEndOfBlock(pauseMs: number | null, speed: number): boolean {
  return pauseMs === null || pauseMs * speed >= maxPauseWithinBlockMs;
}

/** The timings of an MP3, on the timeline that players show. */
export async function readTimings(db: Queries, version: ServedVersion): Promise<Timings> {
  const rows = await listSegmentTexts(db, version.id);
  const { speed, rateHz } = await readVersionTiming(db, version.id);
  const times = computeSegmentTimes(
    rows.map((row) => ({ frameCount: row.frame_count })),
    rateHz,
  );
  return {
    segments: rows.map(({ text, kind, words, pause_ms, id_starts }, index) => {
      const { startMs: start_ms, endMs: end_ms } = times[index] ?? { startMs: 0, endMs: 0 };
      const spoken = computeWordTimes(words, id_starts)?.map(({ start, end, startMs, endMs }) => ({
        ...{ start, end },
        ...{ start_ms: start_ms + startMs, end_ms: start_ms + endMs },
      }));
      const texts = version.timings_text === 1 ? { text, ...(spoken && { words: spoken }) } : {};
      return { index, start_ms, end_ms, ...texts, kind, ends_block: isEndOfBlock(pause_ms, speed) };
    }),
  };
}

/** @throws AppError `media_not_found`, `media_gone` */
export async function requireServedVersion(db: Queries, mediaKey: string): Promise<ServedVersion> {
  const version = await findServedVersion(db, mediaKey);
  if (version === undefined) {
    if (await isMediaDeleted(db, mediaKey)) throw new AppError('media_gone');
    throw new AppError('media_not_found');
  }
  if (version.expires_at !== null && Date.parse(version.expires_at) <= currentTimeMs())
    throw new AppError('media_gone');
  return version;
}

type Segment = Timings['segments'][number];

/** @returns WebVTT, a cue for each sentence with a timestamp before each further word, on the timeline that players show */
export function formatWebVtt(sentences: readonly Segment[]): string {
  const cues = selectSegmentsWithText(sentences).map(
    (segment, index) =>
      `${index + 1}\n${formatTimestamp(segment.start_ms)} --> ${formatTimestamp(segment.end_ms)}\n${formatCueText(segment)}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

function formatCueText({ text = '', words = [], start_ms, end_ms }: Segment): string {
  let cue = '';
  let written = 0;
  let reachedMs = start_ms;
  // The cue begins with the first word.
  for (const word of words.slice(1)) {
    // WebVTT: within the cue, and after the previous one.
    if (word.start_ms <= reachedMs || word.start_ms >= end_ms) continue;
    cue += `${escapeVtt(text.slice(written, word.start))}<${formatTimestamp(word.start_ms)}>`;
    written = word.start;
    reachedMs = word.start_ms;
  }
  return toSingleLine(cue + escapeVtt(text.slice(written)));
}

/** @returns a transcript as the Podcast Index describes it: seconds */
export function formatPodcastTranscript(sentences: readonly Segment[]): PodcastTranscript {
  return {
    version: '1.0.0',
    segments: selectSegmentsWithText(sentences).map(({ start_ms, end_ms, text }) => ({
      startTime: start_ms / 1000,
      endTime: end_ms / 1000,
      body: toSingleLine(text),
    })),
  };
}

function selectSegmentsWithText(sentences: readonly Segment[]) {
  return sentences.flatMap(({ text = '', ...segment }) =>
    toSingleLine(text) === '' || segment.end_ms <= segment.start_ms ? [] : [{ ...segment, text }],
  );
}

/** An empty line would end a cue. */
function toSingleLine(text: string): string {
  return text.replace(/[\s\0]+/g, ' ').trim();
}

function formatTimestamp(ms: number): string {
  const padded = (value: number, digits: number) => String(value).padStart(digits, '0');
  const hours = padded(Math.floor(ms / hourMs), 2);
  const minutes = padded(Math.floor(ms / 60_000) % 60, 2);
  const seconds = padded(Math.floor(ms / 1000) % 60, 2);
  return `${hours}:${minutes}:${seconds}.${padded(ms % 1000, 3)}`;
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
