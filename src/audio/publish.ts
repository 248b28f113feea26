import { currentTimeMs, timestamp } from '../clock.ts';
import type { Queries } from '../database/open.ts';
import type { FailureCode } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { buildFileHeader, type Id3Tags } from '../speech/encode/mp3-header.ts';
import type { LeftOut } from '../speech/extract/block.ts';
import { version as program } from '../version.ts';
import { buildCertificate, findCompletenessErrors, hashCertificate } from './certificate/build.ts';
import type { Certificate, Provenance } from './certificate/schema.ts';
import { findVersion, listSegments } from './certificate/store.ts';
import { type ClaimedAudio, isCurrentRevision, markReady } from './job-store.ts';
import { createMediaKey } from './media/store.ts';
import type { ContentCounts } from './schema.ts';

/** Planned sentences: phonemized by a worker, or reused from the previous version. */
export interface SentenceCounts {
  readonly phonemized: number;
  readonly reused: number;
}

/** `retry`: after a temporary error, such as a full disk. `unexpected_error`: retried a few times. */
export type JobOutcome = 'ready' | 'failed' | 'replaced' | 'retry' | 'unexpected_error';

/** Counts what synthesis jobs produce. Must not throw. */
export interface JobMetrics {
  recordSegment(segment: { readonly audioSeconds: number; readonly workerSeconds: number }): void;
  recordJob(end: {
    readonly outcome: JobOutcome;
    /** Undefined unless failed. */
    readonly reason: FailureCode | undefined;
    /** Number of segments. */
    readonly reusedCount: number;
    /** Undefined: nothing was planned. */
    readonly sentenceCounts: SentenceCounts | undefined;
  }): void;
}

const noSpeakableTextMessage = 'The content has no speakable text';
const foreignScriptMessage = `${noSpeakableTextMessage}: it is in a script that`;

/** A title alone is no audio of an article. @param language BCP 47 code of the audio */
export function createNoTextError(leftOut: readonly Pick<LeftOut, 'reason'>[], language: string): AppError {
  if (!leftOut.some(({ reason }) => reason === 'foreign script')) {
    return new AppError('operation_failed', noSpeakableTextMessage);
  }
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
  return new AppError(
    'operation_failed',
    `${foreignScriptMessage} a voice for ${name} cannot speak. Send the language of the content, and install a voice for it.`,
  );
}

/** @returns what a content without speakable text has: pictures, and words that are left out */
export function countContent(content: string, leftOut: readonly Pick<LeftOut, 'text' | 'reason'>[]): ContentCounts {
  const pictures = content.match(/<(?:img|amp-img)(?=[\s/>])|!\[/gi) ?? [];
  const words = leftOut
    .filter(({ reason }) => reason !== 'script' && reason !== 'style')
    .flatMap(({ text }) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []);
  return { pictures: pictures.length, words: words.length };
}

/** @param error that made an audio fail */
export function getFailureCode({ code, message }: AppError): FailureCode {
  if (code === 'bad_voice') return 'voice';
  if (code === 'internal') return 'internal';
  if (message.startsWith(foreignScriptMessage)) return 'language';
  return message.startsWith(noSpeakableTextMessage) ? 'no_text' : 'speech';
}

export interface PublishInput {
  readonly audio: ClaimedAudio;
  readonly versionId: number;
  readonly leftOut: readonly LeftOut[];
  readonly provenance: Provenance;
  readonly oldAudioRetentionHours: number;
}

/**
 * `replaced`: the audio was changed or deleted meanwhile. `incomplete`: a part of the text is missing, too short, or there
 * twice. Nothing is written in both cases.
 */
export type PublishResult =
  | { readonly end: 'ready' | 'replaced' }
  | { readonly end: 'incomplete'; readonly problems: readonly string[] };

/**
 * Checks that a version is complete, builds its certificate and MP3 header, and makes it the served version. Run it in a
 * transaction.
 * @throws Error when a planned segment was deleted: it must be synthesized again
 */
export async function publishVersion(db: Queries, input: PublishInput): Promise<PublishResult> {
  const { audio, versionId, provenance } = input;
  if (!(await isCurrentRevision(db, audio.id, audio.revision))) return { end: 'replaced' };
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

  const content = {
    left_out: JSON.stringify(input.leftOut),
    provenance: JSON.stringify(provenance),
    ready_at: timestamp(),
  };
  const certificate = buildCertificate({ ...version, ...content }, rows);
  const sha256 = hashCertificate(certificate);
  const header = buildFileHeader({
    segments,
    sampleRateHz: version.sample_rate_hz,
    bitRateKbps: version.bit_rate_kbps,
    tags: buildTags(audio, certificate, sha256),
  });
  const oldExpiresAt = timestamp(currentTimeMs() + input.oldAudioRetentionHours * 3_600_000);
  await markReady(
    db,
    audio.id,
    versionId,
    {
      ...content,
      certificate_sha256: sha256,
      media_key: createMediaKey(),
      header: header.bytes,
      duration_ms: (header.durationSamples / version.sample_rate_hz) * 1000,
      ...computeByteStarts(header.bytes.byteLength, segments),
    },
    oldExpiresAt,
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

function buildTags({ title, site_name: artist, url }: ClaimedAudio, certificate: Certificate, sha256: string): Id3Tags {
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
