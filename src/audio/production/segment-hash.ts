import { createHash } from 'node:crypto';
import { engineVersion } from '../../speech/engine-version.ts';
import type { SpeakQuestion } from '../../speech/tasks.ts';

/**
 * The name of a segment: SHA-256 over everything that shapes its sound, hex. The site is in it, so that no site can
 * learn another's text, and deletion is complete.
 */
export function segmentHash(siteId: number, question: SpeakQuestion): string {
  const shape = [
    engineVersion,
    siteId,
    question.voice.contentHash,
    question.speaker,
    question.pauseMs,
    question.gainDb,
    question.sampleRateHz,
    question.bitRateKbps,
    question.inferenceCount,
    question.speed,
  ];
  const hash = createHash('sha256').update(JSON.stringify(shape));
  return hash.update(Uint32Array.from(question.ids)).digest('hex');
}
