import { german } from './de/german.ts';
import { english } from './en/english.ts';
import { spanish } from './es/spanish.ts';
import { french } from './fr/french.ts';
import type { Language, SpokenPiece } from './language.ts';
import { segmentSentences } from './sentence-segmenter.ts';
import { type UnpronounceableFinder, unpronounceableFinder } from './unpronounceable.ts';
import { splitLongWord } from './words.ts';

/** The last group is all that is looked at, not said: quotation marks, emoji, ornaments. */
const RUN =
  /(\s+)|((?:[\p{L}\p{M}\p{N}'’-]|\u200c|\u200d)+)|([–—―]+)|([.,;:!?…¡¿。、！？，।؟،؛]+)|[\s\S]/gu;

/** Sentences and words as they stand, for a language without rules of its own. */
function plainLanguage(code: string): Language {
  const unpronounceable = unpronounceableFinder(code);
  return {
    code,
    sentences: (text) => segmentSentences(text, code),
    spokenPieces: (sentence) => readAround(unpronounceable(sentence), sentence),
  };
}

/** Reads what stands between the words that are set apart. */
function readAround(apart: ReturnType<UnpronounceableFinder>, sentence: string): SpokenPiece[] {
  const starts = [0, ...apart.map(({ end }) => end)];
  return starts.flatMap((start, index) => {
    const next = apart[index];
    const pieces = readPlainly(sentence.slice(start, next?.start), start);
    return next === undefined ? pieces : [...pieces, next];
  });
}

/** @param offset of the text in its sentence */
function readPlainly(text: string, offset: number): SpokenPiece[] {
  const pieces: SpokenPiece[] = [];
  for (const match of text.matchAll(RUN)) {
    const [run, space, word, dash, punctuation] = match;
    const start = offset + match.index;
    const end = start + run.length;
    if (word) pieces.push(...splitLongWord(word, start));
    else if (space) pieces.push({ spoken: ' ', start, end });
    else if (dash) pieces.push({ spoken: ', ', start, end });
    else if (punctuation) pieces.push({ spoken: punctuation.slice(0, 3), start, end });
    else pieces.push({ spoken: readSign(run), start, end });
  }
  return pieces;
}

/** The engine knows the names of these signs in its own language; everything else is only seen. */
function readSign(sign: string): string {
  return /[%&+=@#$€£¥°§\p{Sc}]/u.test(sign) ? sign : '';
}

const known: readonly Language[] = [english, german, french, spanish];

/** The language of a BCP 47 code; one without rules of its own is split into sentences and read as it stands. */
export function languageFor(code: string): Language {
  const primary = code.toLowerCase().split(/[-_]/, 1)[0] ?? '';
  return known.find((language) => language.code === primary) ?? plainLanguage(primary);
}
