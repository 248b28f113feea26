import { digitsToWords } from '../language.ts';
import {
  type Gender,
  groupThousands,
  type NumberVerbalizer,
  splitDecimal,
  verbalizeDecimals,
} from '../shared/numbers.ts';

const ONES =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(
    ' ',
  );
const TENS = '_ _ vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(' ');
const SCALES = ['million', 'milliard', 'billion'];
/** Longer numbers are names of things, not amounts, and are read digit by digit. */
const MAX_CARDINAL_DIGITS = 15;

/** A whole number in words, given as its digits: "1234" → "mille deux cent trente-quatre". */
export function verbalizeCardinal(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > MAX_CARDINAL_DIGITS) return spellDigits(digits);
  if (significant === '0') return 'zéro';
  return groupThousands(significant)
    .map(({ value, power }) => {
      if (power === 0) return verbalizeBelowThousand(value);
      // "quatre-vingts" and "cents" lose their s before "mille", not before "millions".
      if (power === 1)
        return value === 1 ? 'mille' : `${verbalizeBelowThousand(value).replace(/(cent|vingt)s$/, '$1')} mille`;
      return `${verbalizeBelowThousand(value)} ${SCALES[power - 2]}${value === 1 ? '' : 's'}`;
    })
    .join(' ');
}

/** An ordinal: "21" → "vingt et unième". */
export function verbalizeOrdinal(digits: string): string {
  if (Number(digits) === 1) return 'premier';
  const words = verbalizeCardinal(digits).replace(/(cent|vingt|million|milliard)s$/, '$1');
  if (words.endsWith('cinq')) return `${words}uième`;
  if (words.endsWith('neuf')) return `${words.slice(0, -1)}vième`;
  return `${words.replace(/e$/, '')}ième`;
}

/** Each digit by itself: "095" → "zéro neuf cinq". Anything that is no digit is passed over. */
export function spellDigits(written: string): string {
  return digitsToWords(written, ONES);
}

/** A number as written: "1 234,05" → "mille deux cent trente-quatre virgule zéro cinq". */
export function verbalizeNumber(written: string): string {
  const { whole, decimals } = splitDecimal(written);
  return decimals === ''
    ? verbalizeCardinal(whole)
    : `${verbalizeCardinal(whole)} virgule ${verbalizeDecimals(decimals, 'zéro', { cardinal: verbalizeCardinal, spellDigits })}`;
}

export const numberVerbalizer: NumberVerbalizer = {
  verbalizeQuantity: (written, gender: Gender) => {
    const words = verbalizeNumber(written);
    return gender === 'feminine' && !written.includes(',') ? words.replace(/\bun$/, 'une') : words;
  },
  verbalizeNumber,
  verbalizeCardinal,
  spellDigits,
  isOne: (written) => /^[01](?:,\d+)?$/.test(written),
  rangeWord: 'à',
  pointWord: 'point',
};

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const words: string[] = [];
  if (hundreds > 0) {
    const hundred = rest === 0 && hundreds > 1 ? 'cents' : 'cent';
    words.push(hundreds === 1 ? 'cent' : `${ONES[hundreds]} ${hundred}`);
  }
  if (rest > 0) words.push(verbalizeBelowHundred(rest));
  return words.join(' ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  const isLong = [7, 9].includes(Math.floor(value / 10));
  const ones = isLong ? 10 + (value % 10) : value % 10;
  if (ones === 0) return value === 80 ? 'quatre-vingts' : tens;
  const takesEt = (ones === 1 || ones === 11) && value < 80;
  return `${tens}${takesEt ? ' et ' : '-'}${ONES[ones]}`;
}
