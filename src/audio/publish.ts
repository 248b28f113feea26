import { currentTimeMs, hourMs, timestamp } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import type { FailureCode } from '../database/schema.ts';
import { type AppError, operationFailed } from '../errors.ts';
import { buildFileHeader, type Id3Tags } from '../speech/encode/mp3-header.ts';
import type { LeftOut } from '../speech/extract/block.ts';
import { version as program } from '../version.ts';
import { buildCertificate, findCompletenessErrors, hashCertificate } from './certificate/certificate.ts';
import type { Certificate, Provenance } from './certificate/schema.ts';
import { findVersion, listSegments } from './certificate/store.ts';
import { type ClaimedAudio, type FinishedVersion, isClaimCurrent, markReady } from './job-store.ts';
import { attachObject } from './media/object-store.ts';
import { createMediaKey, unpackByteStarts } from './media/store.ts';
import type { ContentCounts } from './schema.ts';

/** Planned sentences: phonemized by a worker, or reused from the previous version. */
export interface SentenceCounts {
  readonly phonemized: number;
  readonly reused: number;
}

/**
 * `not_claimed`: another machine was faster, or the text was changed before the start; it counts nowhere. `retry`: after a
 * temporary error, such as a full disk. `given_back`: to other machines, as this one lacks a voice. `unexpected_error`: retried
 * a few times.
 */
export type JobOutcome = 'ready' | 'failed' | 'not_claimed' | 'replaced' | 'retry' | 'given_back' | 'unexpected_error';

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
    return operationFailed(noSpeakableTextMessage);
  }
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
  return operationFailed(
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
 * `replaced`: the audio was changed or deleted during synthesis. `incomplete`: a part of the text is missing, too short, or there
 * twice. Nothing is written in both cases.
 */
export type PublishResult =
  | { readonly end: 'ready' | 'replaced' }
  | { readonly end: 'incomplete'; readonly problems: readonly string[] };

/** A complete version with its certificate and MP3 header; nothing is written yet. */
interface PreparedVersion {
  readonly end: 'prepared';
  readonly finished: FinishedVersion;
}

/**
 * Checks that a version is complete, and builds its certificate and MP3 header.
 * @throws Error when a planned segment was deleted: it must be synthesized again
 */
async function prepareVersion(
  db: Queries,
  input: PublishInput,
): Promise<PreparedVersion | Exclude<PublishResult, { readonly end: 'ready' }>> {
  const { audio, versionId, provenance } = input;
  if (!(await isClaimCurrent(db, audio))) return { end: 'replaced' };
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
  return {
    end: 'prepared',
    finished: {
      ...content,
      certificate_sha256: sha256,
      media_key: createMediaKey(),
      header: header.bytes,
      duration_ms: (header.durationSamples / version.sample_rate_hz) * 1000,
      ...computeByteStarts(header.bytes.byteLength, segments),
    },
  };
}

/**
 * Publishes a prepared version. Run it in a transaction: in the one that prepared it, or with an object.
 * @param objectKey of the object that has the MP3; null: its segments have it
 * @throws Error when a segment was deleted since: the version is published again
 */
async function publishVersion(
  db: Queries,
  { audio, versionId, oldAudioRetentionHours }: PublishInput,
  { finished }: PreparedVersion,
  objectKey: string | null,
): Promise<PublishResult> {
  if (!(await isClaimCurrent(db, audio))) return { end: 'replaced' };
  const oldExpiresAt = timestamp(currentTimeMs() + oldAudioRetentionHours * hourMs);
  await markReady(db, audio.id, versionId, { ...finished, object_key: objectKey }, oldExpiresAt);
  if (objectKey !== null) await attachObject(db, objectKey, versionId, unpackByteStarts(finished.byte_starts));
  return { end: 'ready' };
}

/**
 * Writes the MP3 of a version into the bucket, and then has it published. What is not published is deleted from the bucket
 * later.
 * @param publish gets the key of the object
 */
export type UploadMp3 = (
  version: { readonly siteId: number; readonly versionId: number; readonly finished: FinishedVersion },
  publish: (objectKey: string) => Promise<PublishResult>,
) => Promise<PublishResult>;

/**
 * Publishes a version if it is complete, in one transaction; with a bucket its MP3 is written there before.
 * @param uploadMp3 undefined: the MP3 stays in the database
 * @param onReady runs in the transaction
 */
export async function publishWhole(
  database: Database,
  uploadMp3: UploadMp3 | undefined,
  input: PublishInput,
  onReady: (db: Queries) => Promise<void>,
): Promise<PublishResult> {
  const siteId = input.audio.site_id;
  const publish = async (db: Queries, prepared: PreparedVersion, objectKey: string | null) => {
    const result = await publishVersion(db, input, prepared, objectKey);
    if (result.end === 'ready') await onReady(db);
    return result;
  };
  if (uploadMp3 === undefined) {
    return database.write(siteId, async (db) => {
      const prepared = await prepareVersion(db, input);
      return prepared.end === 'prepared' ? publish(db, prepared, null) : prepared;
    });
  }
  const prepared = await prepareVersion(database.read, input);
  if (prepared.end !== 'prepared') return prepared;
  return uploadMp3({ siteId, versionId: input.versionId, finished: prepared.finished }, (objectKey) =>
    database.write(siteId, (db) => publish(db, prepared, objectKey)),
  );
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
