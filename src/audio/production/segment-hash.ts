import { createHash } from 'node:crypto';
import { engineVersion, plannerVersion } from '../../speech/engine-version.ts';
import type { Sentence } from '../../speech/sentences.ts';
import type { SpeakQuestion } from '../../speech/tasks.ts';
import { version } from '../../version.ts';

/** All that shapes the sound of a segment but its phonemes. */
export type SoundShape = Omit<SpeakQuestion, 'ids' | 'soundingCount'>;

/**
 * The name of a segment: SHA-256 over everything that shapes its sound, hex. The site is in it, so that no site can
 * learn another's text, and deletion is complete.
 */
export function segmentHash(siteId: number, question: SpeakQuestion): string {
  const hash = createHash('sha256').update(shapeOf(siteId, question));
  return hash.update(Uint32Array.from(question.ids)).digest('hex');
}

/**
 * The name of what a sentence is planned from: SHA-256 over everything that the name of its segment, the words said in it
 * and the count of its phonemes follow from, hex. The program is in it, as another one may know better how a word is said.
 */
export function planKey(
  siteId: number,
  { text, pieces }: Pick<Sentence, 'text' | 'pieces'>,
  sound: SoundShape,
): string {
  const said = JSON.stringify([version, plannerVersion, text, pieces]);
  return createHash('sha256').update(shapeOf(siteId, sound)).update(said).digest('hex');
}

function shapeOf(siteId: number, sound: SoundShape): string {
  return JSON.stringify([
    engineVersion,
    siteId,
    sound.voice.contentHash,
    sound.speaker,
    sound.pauseMs,
    sound.gainDb,
    sound.sampleRateHz,
    sound.bitRateKbps,
    sound.inferenceCount,
    sound.speed,
  ]);
}
