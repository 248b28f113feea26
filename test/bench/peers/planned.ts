import { extractDocument } from '../../../src/speech/extract/document.ts';
import { getLanguage } from '../../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../../src/speech/phonemize/phonemizer.ts';
import { planSegments } from '../../../src/speech/segments.ts';
import { buildSentences } from '../../../src/speech/sentences.ts';
import type { VoiceConfig } from '../../../src/speech/synthesize/voice-config.ts';
import type { BenchArticle } from '../article.ts';

const phonemizer = createEspeakPhonemizer();

/** @returns the phoneme ids of an article's segments, as a server plans them */
export async function planIds(article: BenchArticle, config: VoiceConfig): Promise<readonly (readonly number[])[]> {
  const { sentences } = buildSentences(extractDocument(article), getLanguage('en'));
  const { segments } = await planSegments(sentences, config, phonemizer);
  return segments.map(({ ids }) => ids);
}
