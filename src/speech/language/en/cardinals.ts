import { wordsOfDigits } from '../digit-words.ts';

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES = ['', ' thousand', ' million', ' billion', ' trillion'];
/** Longer numbers are names of things, not amounts, and are read digit by digit. */
const CARDINAL_DIGITS_MAX = 15;

/** A whole number in words, given as its digits: "1234" → "one thousand two hundred thirty-four". */
export function cardinal(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > CARDINAL_DIGITS_MAX) return spellDigits(digits);
  let value = Number(significant);
  if (value === 0) return 'zero';
  const groups: string[] = [];
  for (const scale of SCALES) {
    const group = value % 1000;
    if (group > 0) groups.unshift(belowThousand(group) + scale);
    value = Math.floor(value / 1000);
  }
  return groups.join(' ');
}

/** Each digit by itself: "095" → "zero nine five". Anything that is no digit is passed over. */
export function spellDigits(digits: string): string {
  return wordsOfDigits(digits, ONES);
}

/** A number as written, with thousands separators and a decimal point: "1,234.5", ".5". */
export function numberWords(written: string): string {
  const [whole = '', decimals] = written.replace(/,/g, '').split('.');
  const wholeWords = whole === '' ? '' : cardinal(whole);
  return decimals ? `${wholeWords} point ${spellDigits(decimals)}`.trim() : wholeWords;
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const words = [];
  if (hundreds > 0) words.push(`${ONES[hundreds]} hundred`);
  if (value % 100 > 0) words.push(belowHundred(value % 100));
  return words.join(' ');
}

function belowHundred(value: number): string {
  const ones = ONES[value];
  if (ones !== undefined) return ones;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens}-${ONES[value % 10]}`;
}
