import { cardinal, spellDigits } from './cardinals.ts';
import { plural } from './ordinals.ts';

/** A year of four digits: "1984" → "nineteen eighty-four", "2005" → "two thousand five". */
export function year(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 4 || value % 1000 < 10) return cardinal(digits);
  return `${cardinal(digits.slice(0, 2))} ${yearEnding(digits.slice(2))}`;
}

/** The last two digits of a year: "00" → "hundred", "05" → "oh five", "84" → "eighty-four". */
export function yearEnding(digits: string): string {
  if (digits === '00') return 'hundred';
  return digits.startsWith('0') ? `oh ${cardinal(digits)}` : cardinal(digits);
}

/** "1980" → "nineteen eighties", "90" → "nineties", "2000" → "two thousands". */
export function decade(digits: string): string {
  if (digits === '00') return 'two thousands';
  return (digits.length === 4 ? year(digits) : cardinal(digits)).replace(/[a-z]+$/, plural);
}

/** Numbers of flights, rooms, roads and models, in pairs: "380" → "three eighty", "1549" → "fifteen forty-nine". */
export function pairs(digits: string): string {
  if (digits.length > 4 || (digits.length > 1 && digits.startsWith('0')))
    return spellDigits(digits);
  if (digits.length < 3 || /^\d0+$/.test(digits)) return cardinal(digits);
  const split = digits.length - 2;
  return `${cardinal(digits.slice(0, split))} ${yearEnding(digits.slice(split))}`;
}
