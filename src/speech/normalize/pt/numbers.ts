import { findTable, parseTable, wordSet } from '../language.ts';
import { createNounParser, type MoneyWords, type Noun } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, type Gender, groupThousands } from '../shared/numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const parseNouns = createNounParser('es');

const ONES =
  'zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove'.split(
    ' ',
  );
const TENS = '_ _ vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'.split(' ');
const HUNDREDS = '_ cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos'.split(
  ' ',
);
/** As in Brazil; in Portugal a bilhão is "mil milhões". */
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['milhão', 'milhões'],
  ['bilhão', 'bilhões'],
  ['trilhão', 'trilhões'],
];
const ORDINALS = '_ primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono'.split(' ');
const ORDINAL_TENS =
  '_ décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo nonagésimo'.split(' ');

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'vírgula',
  groupsDecimals: true,
  inflect: (words, gender) => (gender === 'feminine' ? toFeminine(words) : words),
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'ponto',
});
export const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

function toFeminine(words: string): string {
  return words
    .replace(/(?<!\p{L})um$/u, 'uma')
    .replace(/(?<!\p{L})dois(?=$| mil(?!\p{L}))/gu, 'duas')
    .replace(/(cent|zent|hent)os(?!\p{L})/gu, '$1as');
}

/** "1234" → "mil duzentos e trinta e quatro"; "e" stands before the last group where it is below 100 or ends in 00. */
function verbalizeWhole(digits: string): string {
  const groups = groupThousands(digits).map(({ value, power }) => ({ value, words: verbalizeGroup(value, power) }));
  return groups
    .map(({ value, words }, index) => {
      if (index === 0) return words;
      const takesE = index === groups.length - 1 && (value < 100 || value % 100 === 0);
      return `${takesE ? 'e ' : ''}${words}`;
    })
    .join(' ');
}

function verbalizeGroup(value: number, power: number): string {
  if (power === 0) return verbalizeBelowThousand(value);
  if (power === 1) return value === 1 ? 'mil' : `${verbalizeBelowThousand(value)} mil`;
  const [one = '', many = ''] = SCALES[power - 2] ?? [];
  return value === 1 ? `um ${one}` : `${verbalizeBelowThousand(value)} ${many}`;
}

/** @returns the ordinal of a number up to 99, undefined for a higher one */
export function verbalizeOrdinal(digits: string, gender: Gender): string | undefined {
  const value = Number(digits);
  if (value < 1 || value > 99) return undefined;
  const tens = value < 10 ? '' : (ORDINAL_TENS[Math.floor(value / 10)] ?? '');
  const ones = value % 10 === 0 ? '' : (ORDINALS[value % 10] ?? '');
  const masculine = `${tens} ${ones}`.trim();
  return gender === 'feminine' ? masculine.replace(/o(?= |$)/g, 'a') : masculine;
}

function verbalizeBelowThousand(value: number): string {
  if (value === 100) return 'cem';
  const words: string[] = [];
  if (value >= 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  if (value % 100 > 0) words.push(verbalizeBelowHundred(value % 100));
  return words.join(' e ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} e ${ONES[value % 10]}`;
}

const MASCULINE = wordSet(findTable(tables, 'masculine'));
const FEMININE = wordSet(findTable(tables, 'feminine'));

/** By the ending of the noun. */
export function guessGender(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  return FEMININE.has(noun) || /(?:as?|ção|ções|são|sões|dade|dades|gem|gens|tude|ice)$/u.test(noun)
    ? 'feminine'
    : 'masculine';
}

export const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes: parseNouns(findTable(tables, 'magnitudes')),
  centJoint: 'e ',
  namesCents: true,
  partitive: (number) => (/lh(?:ão|ões)$/.test(number) ? 'de ' : ''),
  inflectMagnitude: (words) => words.replace(/^um mil$/, 'mil'),
};

export const units = parseNouns(findTable(tables, 'units'));

export const fractions: FractionWords = {
  denominators: parseNouns(
    '2 = meio; 3 = terço; 4 = quarto; 5 = quinto; 6 = sexto; 7 = sétimo; 8 = oitavo; 9 = nono; 10 = décimo',
  ),
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 11 || Number(digits) > 99) return undefined;
    const fraction = `${verbalizeCardinal(digits)} avo`;
    return { one: fraction, many: `${fraction}s`, gender: 'masculine' };
  },
  signs: parseTable('½ = meio; ⅓ = um terço; ⅔ = dois terços; ¼ = um quarto; ¾ = três quartos'),
  joint: 'e ',
  half: 'meio',
  halves: {
    ...{ masculine: 'meio', feminine: 'meia', before: { masculine: 'meio ', feminine: 'meia ' } },
    guessGender: (noun) =>
      /^(?:horas?|anos?|dias?|semanas?|toneladas?|xícaras?)$/u.test(noun) ? guessGender(noun) : undefined,
  },
  fixed: { '24/7': 'vinte e quatro por sete' },
};
