import type { Phonemizer } from './phonemes/phonemes.ts';
import { type PlannedSegment, planSegments, type SegmentPlan } from './segments.ts';
import type { Sentence } from './sentences.ts';
import type { VoiceConfig } from './voice/voice-config.ts';

/**
 * Segments of sentences that several voices speak, in the order of the sentences.
 * @param voiceOf the voice of a passage in another language; undefined: of the article's own
 */
export async function planInVoices(
  sentences: readonly Sentence[],
  voiceOf: (language: string | undefined) => VoiceConfig,
  phonemizer: Phonemizer,
): Promise<SegmentPlan> {
  const indices = sentences.map((_, index) => index);
  const byLanguage = Map.groupBy(indices, (index) => sentences[index]?.language);
  const segments: PlannedSegment[] = [];
  const silent: Sentence[] = [];
  const unknownSymbols = new Set<string>();
  for (const [language, places] of byLanguage) {
    const some = places.flatMap((index) => sentences[index] ?? []);
    const plan = await planSegments(some, voiceOf(language), phonemizer);
    for (const segment of plan.segments) {
      const sentenceIndex = places[segment.sentenceIndex] ?? 0;
      segments.push({ ...segment, sentenceIndex, ...(language === undefined ? {} : { language }) });
    }
    silent.push(...plan.silent);
    for (const symbol of plan.unknownSymbols) unknownSymbols.add(symbol);
  }
  // Stable: the parts of a sentence keep their order.
  segments.sort((one, other) => one.sentenceIndex - other.sentenceIndex);
  return { segments, silent, unknownSymbols: [...unknownSymbols] };
}
