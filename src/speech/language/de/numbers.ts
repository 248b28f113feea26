import {
  type Gender,
  type NumberSpeech,
  partsOf,
  thousands,
} from '../continental/written-numbers.ts';
import { wordsOfDigits } from '../digit-words.ts';

const ONES =
  'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(
    ' ',
  );
const TENS = '_ _ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['Million', 'Millionen'],
  ['Milliarde', 'Milliarden'],
  ['Billion', 'Billionen'],
];
/** Longer numbers are names of things, not amounts, and are read digit by digit. */
const CARDINAL_DIGITS_MAX = 15;
/** A longer word is cut by the phonemizer. */
const WORD_LENGTH_MAX = 40;

/** A whole number in words, given as its digits: "1234" → "eintausendzweihundertvierunddreißig". */
export function cardinal(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > CARDINAL_DIGITS_MAX) return spellDigits(digits);
  if (significant === '0') return 'null';
  const words: string[] = [];
  let thousand = '';
  let rest = '';
  for (const { value, power } of thousands(significant)) {
    if (power === 0) rest = belowThousand(value);
    else if (power === 1) thousand = `${attributive(belowThousand(value))}tausend`;
    else {
      const [one = '', many = ''] = SCALES[power - 2] ?? [];
      words.push(value === 1 ? `eine ${one}` : `${belowThousand(value)} ${many}`);
    }
  }
  const joint = thousand.length + rest.length > WORD_LENGTH_MAX ? ' ' : '';
  return [...words, thousand + joint + rest].join(' ').trim();
}

/** A year: "1989" → "neunzehnhundertneunundachtzig". */
export function year(digits: string): string {
  const century = Number(digits) >= 1100 && Number(digits) <= 1999 ? digits.slice(0, 2) : '';
  if (century === '') return cardinal(digits);
  const rest = Number(digits.slice(2));
  return `${belowHundred(Number(century))}hundert${rest === 0 ? '' : belowHundred(rest)}`;
}

/** Each digit by itself: "095" → "null neun fünf". Anything that is no digit is passed over. */
export function spellDigits(written: string): string {
  return wordsOfDigits(written, ONES);
}

export const numberSpeech: NumberSpeech = {
  counted: (written, gender) => counted(written, gender),
  number: numberWords,
  digits: spellDigits,
  isOne: (written) => /^1$/.test(written),
  to: 'bis',
  point: 'Punkt',
};

/** A number as written: "1.234,5" → "eintausendzweihundertvierunddreißig Komma fünf". */
export function numberWords(written: string): string {
  const { whole, decimals } = partsOf(written);
  return decimals === '' ? cardinal(whole) : `${cardinal(whole)} Komma ${spellDigits(decimals)}`;
}

function counted(written: string, gender: Gender): string {
  if (written === '1') return gender === 'feminine' ? 'eine' : 'ein';
  return numberWords(written);
}

function attributive(words: string): string {
  return words.replace(/eins$/, 'ein');
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const start = hundreds === 0 ? '' : `${attributive(ONES[hundreds] ?? '')}hundert`;
  return start + (rest === 0 ? '' : belowHundred(rest));
}

function belowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  const ones = value % 10;
  return ones === 0 ? tens : `${attributive(ONES[ones] ?? '')}und${tens}`;
}
