import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { LeftOut } from '../../speech/document/block.ts';
import { type SegmentTime, segmentTimes } from '../../speech/mp3/file-header.ts';
import type { Certificate, Provenance } from './schema.ts';
import type { CertifiedRow, CertifiedVersion } from './store.ts';

/** A version of which everything is known. */
export interface MadeVersion extends Omit<CertifiedVersion, 'provenance' | 'ready_at'> {
  readonly provenance: string;
  readonly ready_at: string;
}

/** @returns false for a version that is not ready, or was made before there were certificates */
export function isMade(version: CertifiedVersion): version is MadeVersion {
  return version.provenance !== null && version.ready_at !== null;
}

/**
 * The certificate of a version, made of nothing but its rows: the same rows give the same certificate, for good. What is to
 * be in it beyond this is a new format: certificates of the old one must keep their names.
 * @param rows its segments in order; none is missing
 */
export function buildCertificate(version: MadeVersion, rows: readonly CertifiedRow[]): Certificate {
  const { format, ...provenance }: Provenance = JSON.parse(version.provenance);
  const leftOut: LeftOut[] = JSON.parse(version.left_out);
  const times = segmentTimes(
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
    segments: rows.map((row, index) => certifiedSegment(row, version.voice_id, times[index])),
    sound: {
      sample_rate_hz: version.sample_rate_hz,
      bit_rate_kbps: version.bit_rate_kbps,
      frames: sum(rows.map(({ frame_count }) => frame_count)),
      bytes: sum(rows.map(({ byte_count }) => byte_count)),
      duration_ms: times.at(-1)?.endMs ?? 0,
    },
  };
}

/** @returns a certificate's name: SHA-256 over its canonical JSON (RFC 8785), hex */
export function certificateSha256(certificate: Certificate): string {
  return sha256(canonicalize(certificate) ?? '');
}

function certifiedSegment(row: CertifiedRow, voiceId: number, time: SegmentTime | undefined) {
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
