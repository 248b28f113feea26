import { randomBytes } from 'node:crypto';
import type { Queries } from '../../database/open.ts';
import { fileHeader } from '../../speech/mp3/file-header.ts';
import { isCurrent, markReady, plannedSizes } from './store.ts';

const mediaKeyByteCount = 18;

export interface Finishing {
  readonly audioId: number;
  readonly generation: number;
  readonly versionId: number;
  readonly sampleRateHz: number;
  readonly bitRateKbps: number;
  readonly title: string | null;
  readonly artist: string;
  readonly language: string;
  readonly url: string | null;
  readonly oldAudioHours: number;
}

/**
 * Builds the header over a version's segments and makes it the one that is served; run it in a transaction.
 * @returns false when the audio was changed or deleted meanwhile; nothing is written then
 * @throws Error when a planned segment is missing: such an audio can't become ready
 */
export async function finishVersion(db: Queries, finishing: Finishing): Promise<boolean> {
  if (!(await isCurrent(db, finishing.audioId, finishing.generation))) return false;
  const segments = (await plannedSizes(db, finishing.versionId)).map((row) => {
    if (row.byte_count === null || row.frame_count === null) {
      throw new Error(`segment ${row.position} of version ${finishing.versionId} is missing`);
    }
    return { byteLength: row.byte_count, frameCount: row.frame_count };
  });
  const { title, artist, language, url, sampleRateHz, bitRateKbps } = finishing;
  const header = fileHeader({
    segments,
    sampleRateHz,
    bitRateKbps,
    tags: {
      artist,
      language,
      ...(title === null ? {} : { title }),
      ...(url === null ? {} : { url }),
    },
  });
  const byteStarts = new Float64Array(segments.length);
  let byteCount = header.bytes.byteLength;
  for (const [index, { byteLength }] of segments.entries()) {
    byteStarts[index] = byteCount;
    byteCount += byteLength;
  }
  await markReady(
    db,
    finishing.audioId,
    finishing.versionId,
    {
      media_key: randomBytes(mediaKeyByteCount).toString('base64url'),
      header: header.bytes,
      byte_count: byteCount,
      duration_ms: (header.durationSamples / sampleRateHz) * 1000,
      byte_starts: new Uint8Array(byteStarts.buffer),
    },
    new Date(Date.now() + finishing.oldAudioHours * 3_600_000).toISOString(),
  );
  return true;
}
