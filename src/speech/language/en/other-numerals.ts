import { type Reader, reader } from '../reader.ts';
import { cardinal, spellDigits } from './cardinals.ts';
import { fraction } from './ordinals.ts';
import { arabic } from './roman.ts';

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
    return /^[IVXLCDM]+$/i.test(plain) ? cardinal(String(arabic(plain.toUpperCase()))) : undefined;
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
