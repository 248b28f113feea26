import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { getCode, type Queries } from '../../database/database.ts';
import { frameLength, samplesPerFrame } from '../../speech/encode/mp3.ts';
import { computeSegmentTimes, type SegmentTime } from '../../speech/encode/mp3-header.ts';
import type { LeftOut, SourceSpan } from '../../speech/extract/block.ts';
import { digestText } from '../../speech/sentences.ts';
import { checkDuration } from '../../speech/synthesize/synthesize-segment.ts';
import { ObjectLostError } from '../media/bucket.ts';
import type { Sound } from '../media/sound.ts';
import { listSegmentPlaces, unpackByteStarts } from '../media/store.ts';
import type { Certificate, Provenance } from './schema.ts';
import {
  type CertifiedRow,
  type CertifiedVersion,
  findMp3,
  findServedVersion,
  listSegments,
  type StoredMp3,
} from './store.ts';

interface ReadyVersion extends Omit<CertifiedVersion, 'provenance' | 'ready_at'> {
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

export interface VerificationResult {
  readonly audioId: number;
  /** Undefined if it cannot be built. */
  readonly certificate: Certificate | undefined;
  readonly sha256: string | null;
  /** One phrase for each; empty for intact audio. */
  readonly problems: readonly string[];
}

/**
 * Builds the certificate of an audio again and checks everything it covers: rows, frames, also those in the bucket, MP3 header,
 * and the file in the media folder. Beside a server that replaces or deletes the audio meanwhile, checks the version that is
 * served then.
 * @returns undefined if the audio is unknown, was never ready or is deleted
 */
export async function verifyAudio(
  db: Queries,
  sound: Sound,
  mediaFolder: string,
  audioId: number,
): Promise<VerificationResult | undefined> {
  // Ends: each round verifies a newer version.
  while (true) {
    const version = await findServedVersion(db, audioId);
    if (version === undefined) return undefined;
    const verifying = verifyVersion(db, sound, mediaFolder, version);
    const isIntact = await verifying.then(
      ({ problems }) => problems.length === 0,
      () => false,
    );
    if (isIntact || (await findServedVersion(db, audioId))?.id === version.id) return verifying;
  }
}

async function verifyVersion(
  db: Queries,
  sound: Sound,
  mediaFolder: string,
  version: CertifiedVersion,
): Promise<VerificationResult> {
  const audioId = version.audio_id;
  const sha256 = version.certificate_sha256;
  const problem = (text: string) => ({ audioId, certificate: undefined, sha256, problems: [text] });
  if (!isReadyVersion(version)) return problem('has no certificate: it was generated by an older version of Lectern');
  const rows = await listSegments(db, version.id);
  let certificate: Certificate;
  let incomplete: string[];
  try {
    certificate = buildCertificate(version, rows);
    incomplete = findCompletenessErrors(certificate, rows, version.sample_rate_hz);
  } catch {
    return problem('its provenance cannot be read');
  }
  const mp3 = await findMp3(db, version.id);
  const hash = createHash('sha256');
  const problems = [
    ...findCertificateProblems(certificate, version),
    ...incomplete,
    ...findHeaderProblems(mp3, version, certificate, hash),
    ...(await findFrameProblems(db, sound, mp3, rows, hash)),
  ];
  const path = join(mediaFolder, `${mp3.media_key}.mp3`);
  problems.push(...(await findFileProblems(path, hash)));
  return { audioId, certificate, sha256, problems };
}

function findCertificateProblems(certificate: Certificate, version: ReadyVersion): string[] {
  if (hashCertificate(certificate) === version.certificate_sha256) return [];
  return [`its database rows changed since they were certified on ${version.ready_at}`];
}

/** @param hash updated with the header */
function findHeaderProblems(
  { header, byte_count, byte_starts, duration_ms: stored }: StoredMp3,
  version: ReadyVersion,
  { segments, sound: { bytes, duration_ms } }: Certificate,
  hash: Hash,
): string[] {
  if (header === null || byte_starts === null) return ['its MP3 header is missing'];
  hash.update(header);
  const problems: string[] = [];
  if (!Buffer.from(header).includes(`certificate_sha256\0${version.certificate_sha256}`)) {
    problems.push('its MP3 header names a different certificate');
  }
  if (byte_count !== header.byteLength + bytes) {
    problems.push(`MP3 size is ${header.byteLength + bytes} bytes, expected ${byte_count}`);
  }
  if (Math.round(stored ?? 0) !== duration_ms) {
    problems.push(`MP3 duration is ${duration_ms} ms, expected ${Math.round(stored ?? 0)}`);
  }
  const starts = unpackByteStarts(byte_starts);
  let start = header.byteLength;
  const areRight = segments.every((segment, index) => {
    const isRight = starts[index] === start;
    start += segment.bytes;
    return isRight;
  });
  if (!areRight || starts.length !== segments.length) {
    problems.push('the stored segment offsets do not match the MP3');
  }
  return problems;
}

/** @param hash updated with all frames */
async function findFrameProblems(
  db: Queries,
  sound: Sound,
  { id: versionId, object_key, byte_starts }: StoredMp3,
  rows: readonly CertifiedRow[],
  hash: Hash,
): Promise<string[]> {
  const problems: string[] = [];
  const starts = unpackByteStarts(byte_starts ?? new Uint8Array());
  const places = (await listSegmentPlaces(db, versionId)).map((place) =>
    object_key === null ? place : { ...place, object_key, object_start: starts[place.position] ?? 0 },
  );
  // A segment without a row is reported already by `findCompletenessErrors`.
  const stored = rows.filter(({ frames_sha256 }) => frames_sha256 !== null);
  if (places.length < stored.length) problems.push('segments were deleted while they were checked');
  const rowAt = new Map(rows.map((row) => [row.position, row]));
  let index = 0;
  try {
    for await (const frames of sound.readSegments(versionId, places)) {
      const row = rowAt.get(places[index]?.position ?? -1);
      index += 1;
      hash.update(frames);
      if (row !== undefined) problems.push(...findSegmentProblems(row, frames));
    }
  } catch (error) {
    if (!(error instanceof ObjectLostError)) throw error;
    problems.push(`object ${error.key} is not in the bucket, or shorter`);
  }
  return problems;
}

function findSegmentProblems(
  { position, frames_sha256, byte_count, frame_count }: CertifiedRow,
  frames: Uint8Array,
): string[] {
  const isModified = createHash('sha256').update(frames).digest('hex') !== frames_sha256;
  const isWhole = frames.byteLength === byte_count && countFrames(frames) === frame_count;
  return [
    ...(isModified ? [`segment ${position} has modified frames`] : []),
    ...(isWhole ? [] : [`segment ${position} does not have ${frame_count} complete MP3 frames`]),
  ];
}

function countFrames(bytes: Uint8Array): number | undefined {
  let count = 0;
  let at = 0;
  try {
    for (; at < bytes.byteLength; count += 1) at += frameLength(bytes, at);
  } catch {
    return undefined;
  }
  return at === bytes.byteLength ? count : undefined;
}

/** Compares the file in the media folder with the database, if it exists. */
async function findFileProblems(path: string, hash: Hash): Promise<string[]> {
  const fileHash = createHash('sha256');
  try {
    for await (const part of createReadStream(path)) fileHash.update(part);
  } catch (error) {
    // A server may delete it at any moment.
    if (getCode(error) === 'ENOENT') return [];
    throw error;
  }
  return fileHash.digest('hex') === hash.digest('hex')
    ? []
    : [`${path} does not match the audio. Delete the file; it is created again on demand`];
}
