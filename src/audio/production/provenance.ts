import { createHash } from 'node:crypto';
import type { SourceSpan } from '../../speech/document/block.ts';
import { engineVersion } from '../../speech/engine-version.ts';
import type { TextSum } from '../../speech/text-sum.ts';
import { version } from '../../version.ts';
import type { Provenance } from '../certificate/schema.ts';
import type { PlanSource } from './plan.ts';
import type { Speaker } from './speakers.ts';

/**
 * What a version is made with and from.
 * @param speakers the voice of the article first
 * @param kept characters that the reader of the text kept
 * @param spoken those of them that its segments must say
 */
export function provenanceOf(
  { audio, reading }: PlanSource,
  speakers: readonly Speaker[],
  kept: number,
  spoken: TextSum,
): Provenance {
  const { title, content } = audio;
  const { intro, outro, disclosure, speed } = reading;
  const fields = { intro, title: title ?? '', content, outro, disclosure };
  const source = Object.entries(fields).filter(([, text]) => text !== '');
  return {
    format: 1,
    program: version,
    engine: engineVersion,
    speed,
    voices: speakers.map(({ voice, gainDb }) => ({
      id: voice.id,
      name: voice.name,
      content_sha256: voice.content_hash,
      speaker: voice.speaker,
      gain_db: gainDb,
      license: voice.license,
    })),
    source: source.map(([field, text]) => ({
      field: field as SourceSpan['field'],
      length: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    })),
    coverage: {
      kept_characters: kept,
      silent_characters: kept - spoken.characters,
      spoken_characters: spoken.characters,
      spoken_sha256: spoken.sha256,
    },
  };
}
