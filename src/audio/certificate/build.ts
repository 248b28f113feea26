import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { samplesPerFrame } from '../../speech/encode/mp3.ts';
import { computeSegmentTimes, type SegmentTime } from '../../speech/encode/mp3-header.ts';
import type { LeftOut, SourceSpan } from '../../speech/extract/block.ts';
import { digestText } from '../../speech/sentences.ts';
import { checkDuration } from '../../speech/synthesize/synthesize-segment.ts';
import type { Certificate, Provenance } from './schema.ts';
import type { CertifiedRow, CertifiedVersion } from './store.ts';

export interface ReadyVersion extends Omit<CertifiedVersion, 'provenance' | 'ready_at'> {
  readonly provenance: string;
  readonly ready_at: string;
}

/** @returns false for a version that is not ready or has no certificate */
export function isReadyVersion(version: CertifiedVersion): version is ReadyVersion {
  return version.provenance !== null && version.ready_at !== null;
}

/**
 * Builds the certificate of a version from its rows only: the same rows always give the same certificate. Any new member
 * needs a new format, so that existing certificates keep their hash.
 * @param rows its segments in order, complete
 */
export function buildCertificate(version: ReadyVersion, rows: readonly CertifiedRow[]): Certificate {
  const { format, ...provenance }: Provenance = JSON.parse(version.provenance);
  const leftOut: LeftOut[] = JSON.parse(version.left_out);
  const times = computeSegmentTimes(
    rows.map(({ frame_count }) => ({ frameCount: frame_count ?? 0 })),
    version.sample_rate_hz,
  );
  return {
    format,
    site_id: version.site_id,
    post_id: version.external_id,
    language: version.language,
    audio_id: version.audio_id,
    version: version.id,
    made_at: version.ready_at,
    ...provenance,
    left_out: leftOut.map(({ span, reason, text }) => ({ ...span, reason, text })),
    segments: rows.map((row, index) => buildCertificateSegment(row, version.voice_id, times[index])),
    sound: {
      sample_rate_hz: version.sample_rate_hz,
      bit_rate_kbps: version.bit_rate_kbps,
      frames: sum(rows.map(({ frame_count }) => frame_count)),
      bytes: sum(rows.map(({ byte_count }) => byte_count)),
      duration_ms: times.at(-1)?.endMs ?? 0,
    },
  };
}

/** @returns SHA-256 of the canonical JSON (RFC 8785) of a certificate, hex */
export function hashCertificate(certificate: Certificate): string {
  return sha256(canonicalize(certificate) ?? '');
}

function buildCertificateSegment(row: CertifiedRow, voiceId: number, time: SegmentTime | undefined) {
  const phonemes = row.phoneme_count ?? 0;
  return {
    index: row.position,
    kind: row.kind,
    field: row.source_field,
    start: row.source_start,
    end: row.source_end,
    text_sha256: sha256(row.text),
    spoken_sha256: sha256(row.spoken ?? ''),
    voice_id: row.voice_id ?? voiceId,
    phonemes,
    ms_per_phoneme: phonemes === 0 ? 0 : Math.round((row.speech_ms ?? 0) / phonemes),
    start_ms: time?.startMs ?? 0,
    end_ms: time?.endMs ?? 0,
    pause_ms: row.pause_ms ?? 0,
    frames: row.frame_count ?? 0,
    bytes: row.byte_count ?? 0,
    sha256: row.frames_sha256 ?? '',
  };
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const fieldOrder: readonly SourceSpan['field'][] = ['intro', 'title', 'content', 'outro', 'disclosure'];

/**
 * Checks that the segments of a version contain the whole extracted text: each character in exactly one segment, in order,
 * and no audio too short or too long for its phonemes.
 * @returns one phrase for each problem; empty for complete audio
 */
export function findCompletenessErrors(
  { speed, coverage }: Pick<Provenance, 'speed' | 'coverage'>,
  rows: readonly CertifiedRow[],
  sampleRateHz: number,
): string[] {
  const problems = rows.flatMap((row, index) => {
    const errors = [findPositionError(row, index, rows[index - 1]), findAudioError(row, speed, sampleRateHz)];
    return errors.flatMap((problem) => (problem === undefined ? [] : [`segment ${index} ${problem}`]));
  });
  const spoken = digestText(rows.map(({ text }) => text));
  if (spoken.characters !== coverage.spoken_characters) {
    problems.push(`segments contain ${spoken.characters} characters, expected ${coverage.spoken_characters}`);
  } else if (spoken.sha256 !== coverage.spoken_sha256) {
    problems.push('the text of the segments differs from the source text');
  }
  return problems;
}

function findPositionError(row: CertifiedRow, index: number, before: CertifiedRow | undefined): string | undefined {
  if (row.position !== index) return `has position ${row.position}`;
  if (row.source_start > row.source_end) return 'ends before it starts';
  if (before === undefined) return undefined;
  const [here, earlier] = [row, before].map((segment) => fieldOrder.indexOf(segment.source_field));
  if ((here ?? 0) < (earlier ?? 0)) return `is out of order: ${row.source_field} was already read`;
  const overlaps = here === earlier && row.source_start < before.source_end;
  return overlaps ? 'overlaps the previous segment' : undefined;
}

function findAudioError(row: CertifiedRow, speed: number, sampleRateHz: number): string | undefined {
  const { frame_count, byte_count, speech_ms, phoneme_count } = row;
  if (frame_count === null || byte_count === null || speech_ms === null) return 'is missing';
  if (phoneme_count === null || row.frames_sha256 === null) return 'was created by an older version of Lectern';
  if (phoneme_count === 0) return 'contains no phonemes';
  const problem = checkDuration(speech_ms, phoneme_count, speed);
  if (problem !== undefined) return `is too ${problem}: the audio is incomplete`;
  const soundMs = (frame_count * samplesPerFrame(sampleRateHz) * 1000) / sampleRateHz;
  return soundMs < speech_ms ? 'is shorter than its speech' : undefined;
}
