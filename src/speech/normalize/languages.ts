import type { SupportedLanguage } from '../../texts.ts';
import { german } from './de/german.ts';
import { english } from './en/english.ts';
import { spanish } from './es/spanish.ts';
import { french } from './fr/french.ts';
import { italian } from './it/italian.ts';
import type { Language, NormalizedToken } from './language.ts';
import { dutch } from './nl/dutch.ts';
import { polish } from './pl/polish.ts';
import { portuguese } from './pt/portuguese.ts';
import { segmentSentences } from './sentences.ts';
import { createUnpronounceableFinder, splitLongWord, type UnpronounceableFinder } from './words.ts';

/** What matches no group is silent: quotation marks, emoji, ornaments. */
const RUN = /(\s+)|((?:[\p{L}\p{M}\p{N}'’-]|\u200c|\u200d)+)|([–—―]+)|([.,;:!?…¡¿。、！？，।؟،؛]+)|[\s\S]/gu;

/** For languages without rules: words stay unchanged. */
function createPlainLanguage(code: string): Language {
  const unpronounceable = createUnpronounceableFinder(code);
  return {
    code,
    capitalizesNouns: code === 'lb',
    splitSentences: (text) => segmentSentences(text, code),
    normalize: (sentence) => normalizeAround(unpronounceable(sentence), sentence),
  };
}

function normalizeAround(unpronounceable: ReturnType<UnpronounceableFinder>, sentence: string): NormalizedToken[] {
  const starts = [0, ...unpronounceable.map(({ end }) => end)];
  return starts.flatMap((start, index) => {
    const next = unpronounceable[index];
    const tokens = normalizePlainText(sentence.slice(start, next?.start), start);
    return next === undefined ? tokens : [...tokens, next];
  });
}

function normalizePlainText(text: string, offset: number): NormalizedToken[] {
  const tokens: NormalizedToken[] = [];
  for (const match of text.matchAll(RUN)) {
    const [run, space, word, dash, punctuation] = match;
    const start = offset + match.index;
    const end = start + run.length;
    if (word) tokens.push(...splitLongWord(word, start));
    else if (space) tokens.push({ spoken: ' ', start, end });
    else if (dash) tokens.push({ spoken: ', ', start, end });
    // The phonemizer ignores the danda of Hindi.
    else if (punctuation) tokens.push({ spoken: punctuation.slice(0, 3).replaceAll('।', '.'), start, end });
    else tokens.push({ spoken: normalizeSign(run), start, end });
  }
  return tokens;
}

/** espeak-ng knows the names of these signs in its language; others are silent. */
function normalizeSign(sign: string): string {
  return /[%&+=@#$€£¥°§\p{Sc}]/u.test(sign) ? sign : '';
}

const languages: Readonly<Record<SupportedLanguage, Language>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  pl: polish,
};

/** @param code BCP 47; an unsupported language gets sentence splitting only */
export function getLanguage(code: string): Language {
  const primary = code.toLowerCase().split(/[-_]/, 1)[0] ?? '';
  return Object.values(languages).find((language) => language.code === primary) ?? createPlainLanguage(primary);
}
