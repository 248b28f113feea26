import { findTable, parseTable, parseWords } from '../language.ts';
import { type MoneyWords, type Noun, parseNouns } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, type Gender, groupThousands } from '../shared/numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const ONES = parseWords(findTable(tables, 'ones'));
const TENS = '_ _ venti trenta quaranta cinquanta sessanta settanta ottanta novanta'.split(' ');
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['milione', 'milioni'],
  ['miliardo', 'miliardi'],
  ['bilione', 'bilioni'],
];
const maxWordLength = 36;
const ORDINALS = '_ primo secondo terzo quarto quinto sesto settimo ottavo nono decimo'.split(' ');

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'virgola',
  groupsDecimals: true,
  inflect: (words, gender) => (words === 'uno' ? (gender === 'feminine' ? 'una' : 'un') : words),
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'punto',
});
export const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "1234" → "milleduecentotrentaquattro": one word below a million. */
function verbalizeWhole(digits: string): string {
  const words: string[] = [];
  let below = '';
  for (const { value, power } of groupThousands(digits)) {
    if (power >= 2) {
      const [one = '', many = ''] = SCALES[power - 2] ?? [];
      words.push(value === 1 ? `un ${one}` : `${verbalizeBelowThousand(value)} ${many}`);
    } else if (power === 1) below += value === 1 ? 'mille' : `${verbalizeBelowThousand(value)}mila`;
    else below = joinThousands(below, verbalizeBelowThousand(value));
  }
  if (below !== '') words.push(below);
  return words.map((word) => (word.length > 3 ? word.replace(/tre$/, 'tré') : word)).join(' ');
}

/** espeak-ng truncates words of more than 40 letters. */
function joinThousands(thousands: string, rest: string): string {
  return thousands.length + rest.length > maxWordLength ? `${thousands} ${rest}` : thousands + rest;
}

/** "23" → "ventitreesimo". */
export function verbalizeOrdinal(digits: string, gender: Gender = 'masculine'): string {
  const simple = ORDINALS[Number(digits)];
  const words = verbalizeCardinal(digits);
  // Three and six keep their vowel.
  const stem = /(?:tré|sei)$/.test(words) ? words.replace(/tré$/, 'tre') : words.replace(/[aeio]$/, '');
  const masculine = simple ?? `${stem.replace(/mil$/, 'mill')}esimo`;
  return gender === 'feminine' ? masculine.replace(/o$/, 'a') : masculine;
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const start = hundreds === 0 ? '' : `${hundreds === 1 ? '' : ONES[hundreds]}cento`;
  // "centottanta"
  const below = value % 100 === 0 ? '' : verbalizeBelowHundred(value % 100);
  return (/^ott/.test(below) ? start.replace(/o$/, '') : start) + below;
}

/** "venti" loses its vowel before one and eight. */
function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  const ones = value % 10;
  if (ones === 0) return tens;
  return (ones === 1 || ones === 8 ? tens.slice(0, -1) : tens) + ONES[ones];
}

/** By the ending of the noun. */
export function guessGender(noun: string): Gender {
  return /(?:a|zione|zioni|sione|sioni|gione|tà|tù|ice|trice|trici|udine|donne|persone|ore|volte|lire|sterline)$/u.test(
    noun,
  )
    ? 'feminine'
    : 'masculine';
}

export const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes: parseNouns(findTable(tables, 'magnitudes')),
  centJoint: 'e ',
  partitive: (number) => (/(?:ion|iard)[eio]$/.test(number) ? 'di ' : ''),
};

export const units = parseNouns(findTable(tables, 'units'));

export const fractions: FractionWords = {
  denominators: parseNouns(findTable(tables, 'denominators')),
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 11 || Number(digits) > 1_000) return undefined;
    const ordinal = verbalizeOrdinal(digits);
    return { one: ordinal, many: ordinal.replace(/o$/, 'i'), gender: 'masculine' };
  },
  signs: parseTable('½ = mezzo; ⅓ = un terzo; ⅔ = due terzi; ¼ = un quarto; ¾ = tre quarti'),
  joint: 'e ',
  half: 'mezzo',
  halves: {
    ...{ masculine: 'mezzo', feminine: 'mezza', before: { masculine: 'mezzo ', feminine: 'mezza ' } },
    guessGender: (noun) =>
      /^(?:ora|ore|anno|anni|mese|mesi|giorno|giorni|tazza)$/u.test(noun) ? guessGender(noun) : undefined,
  },
  fixed: { '24/7': 'ventiquattro sette', '24/24': 'ventiquattro su ventiquattro' },
};
