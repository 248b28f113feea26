import type { BlockKind, SourceSpan } from './extract/block.ts';
import { getLanguage } from './normalize/languages.ts';
import { adaptToVoice, formatToken } from './phonemize/phonemize-tokens.ts';
import type { Phonemizer } from './phonemize/phonemizer.ts';
import type { PlannedBatch } from './segments.ts';
import { planSegmentsByVoice } from './segments.ts';
import type { Sentence, SpokenToken } from './sentences.ts';
import type { VoiceConfig } from './synthesize/voice-config.ts';

type PronunciationOrigin = Pick<SpokenToken, 'pronouncedBy' | 'origin'>;

/** A part of a sentence with its spoken form; unchanged text is one part. */
interface PreviewedToken extends PronunciationOrigin {
  readonly text: string;
  /** UTF-16 offsets in the source field, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  readonly spoken: string;
}

export interface PreviewedSentence {
  readonly kind: BlockKind;
  /** Of a span in another voice. */
  readonly language?: string;
  readonly span: SourceSpan;
  readonly endsBlock: boolean;
  readonly text: string;
  readonly spoken: string;
  /** Phonemes in the symbols of the voice. */
  readonly phonemes: string;
  readonly pieces: readonly PreviewedToken[];
}

export interface PronouncedWord {
  readonly word: string;
  readonly spoken: string;
  readonly phonemes: string;
}

/**
 * @param voiceOf the voice of a span in another language; undefined: the main language
 * @returns the audible sentences; `silent` has the others
 */
export async function previewSentences(
  sentences: readonly Sentence[],
  voiceOf: (language: string | undefined) => VoiceConfig,
  phonemizer: Phonemizer,
): Promise<{ sentences: PreviewedSentence[] } & Omit<PlannedBatch, 'segments'>> {
  const { segments, ...rest } = await planSegmentsByVoice(sentences, voiceOf, phonemizer);
  const bySentence = Map.groupBy(segments, ({ sentenceIndex }) => sentenceIndex);
  const audible = [...bySentence].flatMap(([index, parts]): PreviewedSentence[] => {
    const sentence = sentences[index];
    if (sentence === undefined) return [];
    const { kind, language, span, endsBlock, text } = sentence;
    return [
      {
        ...{ kind, span, endsBlock, text },
        ...(language === undefined ? {} : { language }),
        spoken: parts.map((part) => part.spoken).join(' '),
        phonemes: parts.map((part) => part.phonemes).join(' '),
        pieces: previewTokens(sentence, voiceOf(language)),
      },
    ];
  });
  return { sentences: audible, ...rest };
}

/** @param language BCP 47 code */
export async function pronounceWords(
  words: readonly string[],
  language: string,
  voice: VoiceConfig,
  phonemizer: Phonemizer,
): Promise<PronouncedWord[]> {
  const { normalize } = getLanguage(language);
  const spoken = words.map((word) =>
    normalize(word)
      .map((token) => token.spoken)
      .join('')
      .trim(),
  );
  const phonemes = await phonemizer.phonemize(spoken, voice);
  return words.map((word, index) => ({
    word,
    spoken: spoken[index] ?? '',
    phonemes: (phonemes[index] ?? []).join(''),
  }));
}

function previewTokens(sentence: Sentence, voice: VoiceConfig): PreviewedToken[] {
  const { text, span, sources } = sentence;
  const runs: { from: number; to: number; spoken: string; asWritten: boolean; by: PronunciationOrigin }[] = [];
  for (const token of adaptToVoice(sentence.tokens, voice).tokens) {
    const { start, end } = token;
    const by = pickPronunciation(token);
    const spoken = formatToken(token);
    const asWritten = by.pronouncedBy === undefined && text.slice(start, end) === spoken;
    const last = runs.at(-1);
    if (asWritten && last?.asWritten) {
      last.to = end;
      last.spoken += spoken;
    } else runs.push({ from: start, to: end, spoken, asWritten, by });
  }
  const sourceAt = (place: number) => (place >= text.length ? span.end : (sources[place] ?? span.end));
  return runs.map(({ from, to, spoken, by }) => ({
    text: text.slice(from, to),
    start: sourceAt(from),
    end: sourceAt(to),
    spoken,
    ...by,
  }));
}

function pickPronunciation({ pronouncedBy, origin }: SpokenToken): PronunciationOrigin {
  return {
    ...(pronouncedBy === undefined ? {} : { pronouncedBy }),
    ...(origin === undefined ? {} : { origin }),
  };
}
