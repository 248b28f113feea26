import { randomBytes } from 'node:crypto';
import type { Queries } from '../database/open.ts';
import type { AppError } from '../errors.ts';
import { buildFileHeader, type Id3Tags } from '../speech/encode/mp3-header.ts';
import type { LeftOut } from '../speech/extract/block.ts';
import { version as program } from '../version.ts';
import { buildCertificate, findCompletenessErrors, hashCertificate } from './certificate/build.ts';
import type { Certificate, Provenance } from './certificate/schema.ts';
import { findVersion, listSegments } from './certificate/store.ts';
import { isCurrentRevision, markReady } from './job-store.ts';
import type { JobOutcome } from './synthesis-job.ts';

/**
 * Why an audio failed, in classes: its text has nothing to say, its voice is unusable, a sentence cannot be spoken, or the
 * server met an error that nobody foresaw.
 */
export type FailureReason = 'no_text' | 'voice' | 'speech' | 'internal';

/** Sentences that were planned, by where their phonemes came from: from a worker, or from the version before. */
export interface SentenceCounts {
  readonly phonemized: number;
  readonly reused: number;
}

/** Told of what is produced while it happens. Must not throw. */
export interface JobMetrics {
  /** A segment was spoken. */
  recordSegment(segment: { readonly audioSeconds: number; readonly workerSeconds: number }): void;
  /** One making of an audio is over. */
  recordJob(end: {
    readonly outcome: JobOutcome;
    /** Where it failed. */
    readonly reason: FailureReason | undefined;
    /** Segments that were there already. */
    readonly reusedCount: number;
    /** Undefined: none was planned. */
    readonly sentenceCounts: SentenceCounts | undefined;
  }): void;
}

export const noSpeakableTextMessage = 'The content has no speakable text';

/** @param error that made an audio fail */
export function getFailureReason({ code, message }: AppError): FailureReason {
  if (code === 'bad_voice') return 'voice';
  if (code === 'internal') return 'internal';
  return message === noSpeakableTextMessage ? 'no_text' : 'speech';
}

const mediaKeyByteCount = 18;

export interface PublishInput {
  readonly audioId: number;
  readonly revision: number;
  readonly versionId: number;
  readonly leftOut: readonly LeftOut[];
  readonly provenance: Provenance;
  readonly title: string | null;
  readonly artist: string;
  readonly url: string | null;
  readonly oldAudioRetentionHours: number;
}

/**
 * How it ended: `replaced` when the audio was changed or deleted meanwhile, `incomplete` when something of the text is
 * missing, too short, or there twice. Nothing is written in both cases.
 */
export type PublishResult =
  | { readonly end: 'ready' | 'replaced' }
  | { readonly end: 'incomplete'; readonly problems: readonly string[] };

/**
 * Proves a version complete, builds certificate and header over its segments, and makes it the one that is served; run it in
 * a transaction.
 * @throws Error when a planned segment has gone: it is to be spoken again
 */
export async function publishVersion(db: Queries, finishing: PublishInput): Promise<PublishResult> {
  const { audioId, versionId, provenance } = finishing;
  if (!(await isCurrentRevision(db, audioId, finishing.revision))) return { end: 'replaced' };
  const version = await findVersion(db, versionId);
  if (version === undefined) return { end: 'replaced' };
  const rows = await listSegments(db, versionId);
  const segments = rows.map(({ position, byte_count, frame_count }) => {
    if (byte_count === null || frame_count === null) {
      throw new Error(`segment ${position} of version ${versionId} is missing`);
    }
    return { byteLength: byte_count, frameCount: frame_count };
  });
  const problems = findCompletenessErrors(provenance, rows, version.sample_rate_hz);
  if (problems.length > 0) return { end: 'incomplete', problems };

  const made = {
    ...version,
    left_out: JSON.stringify(finishing.leftOut),
    provenance: JSON.stringify(provenance),
    ready_at: new Date().toISOString(),
  };
  const certificate = buildCertificate(made, rows);
  const sha256 = hashCertificate(certificate);
  const header = buildFileHeader({
    segments,
    sampleRateHz: version.sample_rate_hz,
    bitRateKbps: version.bit_rate_kbps,
    tags: buildTags(finishing, certificate, sha256),
  });
  await markReady(
    db,
    audioId,
    versionId,
    {
      left_out: made.left_out,
      provenance: made.provenance,
      certificate_sha256: sha256,
      ready_at: made.ready_at,
      media_key: randomBytes(mediaKeyByteCount).toString('base64url'),
      header: header.bytes,
      duration_ms: (header.durationSamples / version.sample_rate_hz) * 1000,
      ...computeByteStarts(header.bytes.byteLength, segments),
    },
    new Date(Date.now() + finishing.oldAudioRetentionHours * 3_600_000).toISOString(),
  );
  return { end: 'ready' };
}

function computeByteStarts(headerBytes: number, segments: readonly { readonly byteLength: number }[]) {
  const byteStarts = new Float64Array(segments.length);
  let byteCount = headerBytes;
  for (const [index, { byteLength }] of segments.entries()) {
    byteStarts[index] = byteCount;
    byteCount += byteLength;
  }
  return { byte_count: byteCount, byte_starts: new Uint8Array(byteStarts.buffer) };
}

function buildTags({ title, artist, url }: PublishInput, certificate: Certificate, sha256: string): Id3Tags {
  const { language, made_at, voices, post_id } = certificate;
  return {
    artist,
    language,
    ...(title === null ? {} : { title }),
    ...(url === null ? {} : { url }),
    encoder: `Lectern ${program}`,
    createdAt: made_at,
    userText: {
      post_id,
      voice: voices.map(({ name }) => name).join(', '),
      voice_sha256: voices.map(({ content_sha256 }) => content_sha256).join(', '),
      certificate_sha256: sha256,
    },
  };
}
