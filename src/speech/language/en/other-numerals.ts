import { type Reader, reader } from '../reader.ts';
import { arabicDigits } from '../roman-numerals.ts';
import { cardinal, spellDigits } from './cardinals.ts';
import { fraction } from './ordinals.ts';

/** Numerals that are not 0 to 9: "①", "Ⅳ", "⅐", "٣", "१२". */
export const otherNumeralReaders: readonly Reader[] = [
  reader(/\p{Nd}{1,15}/u, ([numerals]) => {
    const digits = Array.from(numerals, digitOf).join('');
    return /^0\d/.test(digits) ? spellDigits(digits) : cardinal(digits);
  }),
  reader(/[\p{Nl}\p{No}]/u, ([numeral]) => {
    const plain = numeral.normalize('NFKC');
    const [top, bottom] = plain.split('\u2044');
    if (top && bottom) return fraction(top, bottom);
    const digits = plain.replace(/\D/g, '');
    if (digits !== '') return cardinal(digits);
    const value = arabicDigits(plain.toUpperCase());
    return value === undefined ? undefined : cardinal(value);
  }),
];

/** The digits of a script follow each other from its zero on. */
function digitOf(numeral: string): string {
  const plain = numeral.normalize('NFKC');
  if (/^\d$/.test(plain)) return plain;
  const code = numeral.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
