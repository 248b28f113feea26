import type { NormalizationRule, NormalizedToken } from './language.ts';
import type { UnpronounceableFinder } from './unpronounceable.ts';

/** espeak-ng truncates longer words. UTF-16 units; more than the two of a surrogate pair. */
const MAX_WORD_LENGTH = 40;
/** Full-width letters and those of formulas, which espeak-ng would spell. */
const COMPATIBILITY_LETTER = /[\uff00-\uffef\u{1d400}-\u{1d7ff}]/u;

/** A word as one piece, or several with a space between where it is longer than espeak-ng reads. */
export function splitLongWord(word: string, start: number): NormalizedToken[] {
  const pieces: NormalizedToken[] = [];
  // Ends: each turn takes at least one unit.
  let from = 0;
  while (from < word.length) {
    const to = findTokenEnd(word, from);
    const part = word.slice(from, to);
    const spoken = COMPATIBILITY_LETTER.test(part) ? part.normalize('NFKC') : part;
    const isLast = to === word.length;
    pieces.push({ spoken: isLast ? spoken : `${spoken} `, start: start + from, end: start + to });
    from = to;
  }
  return pieces;
}

function findTokenEnd(word: string, from: number): number {
  const end = Math.min(from + MAX_WORD_LENGTH, word.length);
  const splitsPair = end < word.length && /[\uDC00-\uDFFF]/.test(word.charAt(end));
  return splitsPair ? end - 1 : end;
}

/** A language's readers by what a text begins with. The first that knows the text wins: what is more particular stands first. */
export interface RuleSet {
  readonly digits: readonly NormalizationRule[];
  readonly letters: readonly NormalizationRule[];
  readonly signs: readonly NormalizationRule[];
  readonly unpronounceable: UnpronounceableFinder;
  /** @returns the end of a plain word at an offset; most of a text is that, and is spared the readers */
  findPlainWordEnd?(sentence: string, at: number): number | undefined;
}

/** Two signs that stand among the accented letters. */
const MULTIPLICATION = 0xd7;
const DIVISION = 0xf7;
const WORD = /(?:[\p{L}\p{M}\p{N}'’]|\u200c|\u200d)+/uy;

/** A sentence run by run. What no reader knows is said as it stands; a sign without a name is silent. */
export function applyRules(sentence: string, readers: RuleSet): NormalizedToken[] {
  const pieces: NormalizedToken[] = [];
  const unpronounceable = readers.unpronounceable(sentence).values();
  let apart = unpronounceable.next().value;
  // Ends: each turn reads at least one character.
  let at = 0;
  while (at < sentence.length) {
    // A reader that knows more of a text, like that of web addresses, may have read a part of it.
    while (apart !== undefined && apart.start < at) apart = unpronounceable.next().value;
    if (apart?.start === at) {
      pieces.push(apart);
      at = apart.end;
      continue;
    }
    const wordEnd = readers.findPlainWordEnd?.(sentence, at);
    const next =
      wordEnd === undefined
        ? applyRulesAt(sentence, at, readers)
        : [{ spoken: sentence.slice(at, wordEnd), start: at, end: wordEnd }];
    for (const piece of next) pieces.push(piece);
    at = next.at(-1)?.end ?? sentence.length;
  }
  return pieces;
}

/** @param pattern sticky: a whole plain word */
export function createPlainWordFinder(pattern: RegExp): NonNullable<RuleSet['findPlainWordEnd']> {
  return (sentence, at) => {
    pattern.lastIndex = at;
    const word = pattern.exec(sentence)?.[0];
    return word === undefined ? undefined : at + word.length;
  };
}

function applyRulesAt(sentence: string, at: number, readers: RuleSet): NormalizedToken[] {
  for (const read of selectRules(sentence.charCodeAt(at), readers)) {
    const reading = read(sentence, at);
    if (reading && reading.end > at) return [{ spoken: reading.spoken, start: at, end: reading.end }];
  }
  WORD.lastIndex = at;
  const word = WORD.exec(sentence)?.[0];
  if (word) return splitLongWord(word, at);
  const end = at + String.fromCodePoint(sentence.codePointAt(at) ?? 0).length;
  return [{ spoken: '', start: at, end }];
}

function selectRules(code: number, { digits, letters, signs }: RuleSet): readonly NormalizationRule[] {
  if (code >= 0x30 && code <= 0x39) return digits;
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code > 0xbf;
  const isSign = (code >= 0x2000 && code <= 0x2bff) || code === MULTIPLICATION || code === DIVISION;
  return isLetter && !isSign ? letters : signs;
}
