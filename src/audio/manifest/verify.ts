import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Queries } from '../../database/open.ts';
import { frameLength } from '../../speech/encode/mp3.ts';
import { framesAt } from '../media/store.ts';
import {
  buildCertificate,
  certificateSha256,
  incompleteness,
  isMade,
  type MadeVersion,
} from './build.ts';
import type { Certificate } from './schema.ts';
import { type CertifiedRow, findFile, findServedVersion, listSegments } from './store.ts';

/** What became of a look at an audio. */
export interface Verified {
  readonly audioId: number;
  /** Undefined where none can be made. */
  readonly certificate: Certificate | undefined;
  readonly sha256: string | null;
  /** What is wrong, each a plain phrase; nothing for a sound audio. */
  readonly problems: readonly string[];
}

/**
 * Makes the certificate of an audio anew and looks at everything it speaks of: rows, frames, header, the file that may lie
 * in the media folder. Holds one segment in memory.
 * @returns undefined for an audio that is unknown or never was ready
 */
export async function verifyAudio(
  db: Queries,
  mediaFolder: string,
  audioId: number,
): Promise<Verified | undefined> {
  const version = await findServedVersion(db, audioId);
  if (version === undefined) return undefined;
  const sha256 = version.certificate_sha256;
  const problem = (text: string) => ({
    ...{ audioId, certificate: undefined, sha256, problems: [text] },
  });
  if (!isMade(version)) return problem('was made before there were certificates');
  const rows = await listSegments(db, version.id);
  let certificate: Certificate;
  let incomplete: string[];
  try {
    certificate = buildCertificate(version, rows);
    incomplete = incompleteness(certificate, rows, version.sample_rate_hz);
  } catch {
    return problem('what it was made with and from can no longer be read');
  }
  const sound = createHash('sha256');
  const problems = [
    ...certificateProblems(certificate, version),
    ...incomplete,
    ...(await fileProblems(db, version, certificate, sound)),
    ...(await framesProblems(db, version.id, rows, sound)),
  ];
  problems.push(...(await copyProblems(db, version.id, mediaFolder, sound)));
  return { audioId, certificate, sha256, problems };
}

function certificateProblems(certificate: Certificate, version: MadeVersion): string[] {
  if (certificateSha256(certificate) === version.certificate_sha256) return [];
  return [`its rows are not those that were certified on ${version.ready_at}`];
}

/** @param sound is given the header's bytes */
async function fileProblems(
  db: Queries,
  version: MadeVersion,
  { segments, sound: { bytes, duration_ms } }: Certificate,
  sound: Hash,
): Promise<string[]> {
  const { header, byte_count, byte_starts, duration_ms: told } = await findFile(db, version.id);
  if (header === null || byte_starts === null) return ['the header of its MP3 is gone'];
  sound.update(header);
  const problems: string[] = [];
  if (!Buffer.from(header).includes(`certificate_sha256\0${version.certificate_sha256}`)) {
    problems.push('the header of its MP3 names another certificate');
  }
  if (byte_count !== header.byteLength + bytes) {
    problems.push(`its MP3 has ${header.byteLength + bytes} bytes, not ${byte_count}`);
  }
  if (Math.round(told ?? 0) !== duration_ms) {
    problems.push(`its MP3 lasts ${duration_ms} ms, not ${Math.round(told ?? 0)}`);
  }
  const starts = new Float64Array(Uint8Array.from(byte_starts).buffer);
  let start = header.byteLength;
  const areRight = segments.every((segment, index) => {
    const isRight = starts[index] === start;
    start += segment.bytes;
    return isRight;
  });
  if (!areRight || starts.length !== segments.length) {
    problems.push('its segments are not looked for where they stand in the MP3');
  }
  return problems;
}

/** @param sound is given the bytes of all frames */
async function framesProblems(
  db: Queries,
  versionId: number,
  rows: readonly CertifiedRow[],
  sound: Hash,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { position, frames_sha256, byte_count, frame_count } of rows) {
    const frames = await framesAt(db, versionId, position);
    // That it is missing is said already.
    if (frames === undefined) continue;
    sound.update(frames);
    if (createHash('sha256').update(frames).digest('hex') !== frames_sha256) {
      problems.push(`segment ${position} does not sound as it was spoken: its frames were changed`);
    }
    if (frames.byteLength !== byte_count || countFrames(frames) !== frame_count) {
      problems.push(`segment ${position} is not ${frame_count} whole MP3 frames`);
    }
  }
  return problems;
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

/** The copy that listeners are sent, where one was made. */
async function copyProblems(
  db: Queries,
  versionId: number,
  mediaFolder: string,
  sound: Hash,
): Promise<string[]> {
  const { media_key } = await findFile(db, versionId);
  const path = join(mediaFolder, `${media_key}.mp3`);
  if (!existsSync(path)) return [];
  const copy = createHash('sha256');
  for await (const part of createReadStream(path)) copy.update(part);
  return copy.digest('hex') === sound.digest('hex') ? [] : [`${path} is not its MP3: delete it`];
}
