import { cardinal } from './cardinals.ts';

const IRREGULAR = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
]);

/** A whole number as an ordinal, given as its digits: "23" → "twenty-third". */
export function ordinal(digits: string): string {
  return cardinal(digits).replace(/[a-z]+$/, ordinalOfWord);
}

/** "3" and "4" → "three quarters"; "1" and "2" → "one half". */
export function fraction(numerator: string, denominator: string): string {
  const isOne = Number(numerator) === 1;
  return `${cardinal(numerator)} ${denominatorWord(denominator, isOne)}`;
}

/** More than one of what a word names: "mile" → "miles", "sixty" → "sixties". */
export function plural(word: string): string {
  if (word.endsWith('x')) return `${word}es`;
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

function denominatorWord(denominator: string, isOne: boolean): string {
  const value = Number(denominator);
  if (value === 2) return isOne ? 'half' : 'halves';
  const word = value === 4 ? 'quarter' : ordinal(denominator);
  return isOne ? word : `${word}s`;
}

function ordinalOfWord(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular) return irregular;
  return word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`;
}
