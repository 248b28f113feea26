import { findTable, parseTable, parseWords, wordSet } from '../language.ts';
import { type MoneyWords, type Noun, parseNouns, selectForm } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, type Gender, groupThousands } from '../shared/numbers.ts';
import tables from './tables.txt' with { type: 'text' };

/** Cases other than the nominative, whose form numbers also have in the accusative. */
export type Case = 'genitive' | 'dative' | 'instrumental' | 'locative';

const GENITIVES = parseTable(findTable(tables, 'genitives'));
const INSTRUMENTALS = parseTable(findTable(tables, 'instrumentals'));
const DATIVES = parseTable(findTable(tables, 'datives'));

/** @returns a number in a case: "dwadzieścia osiem" → "dwudziestu ośmiu", "dwudziestoma ośmioma"; "twenty-one" keeps its one */
export function inflectNumber(words: string, wanted: Case): string {
  return words
    .split(' ')
    .map((word, index, all) => {
      if (word === 'jeden' && index > 0 && index === all.length - 1) return word;
      if (wanted === 'instrumental') return INSTRUMENTALS[word] ?? toInstrumental(toGenitive(word));
      return (wanted === 'dative' ? DATIVES[word] : undefined) ?? toGenitive(word);
    })
    .join(' ');
}

function toGenitive(word: string): string {
  return (
    GENITIVES[word] ??
    word
      .replace(/dzieści$/, 'dziestu')
      .replace(/dziesiąt$/, 'dziesięciu')
      .replace(/naście$/, 'nastu')
      .replace(/ęć$/, 'ęciu')
      .replace(/ść$/, 'ściu')
  );
}

/** "pięciu" → "pięcioma", "dwudziestu" → "dwudziestoma"; hundreds keep their form. */
function toInstrumental(genitive: string): string {
  return /^(?:stu|dwustu|trzystu|czterystu)$|set$/.test(genitive)
    ? genitive
    : genitive.replace(/iu$/, 'ioma').replace(/stu$/, 'stoma');
}

const PLURAL_ENDINGS: Readonly<Record<Case, readonly [noun: string, adjective: string]>> = {
  genitive: ['', ''],
  dative: ['om', 'ym'],
  instrumental: ['ami', 'ymi'],
  locative: ['ach', 'ych'],
};

/** @returns what is counted, in the case of its number: "dwóch kilometrów", "pięcioma punktami procentowymi" */
export function inflectCounted({ one, few, many, part }: Noun, wanted: Case, isOne: boolean): string {
  if (wanted === 'genitive') return isOne ? (part ?? many) : many;
  if (isOne || few === undefined || few === many) return isOne ? one : many;
  const [start = '', ...rest] = few.split(' ');
  const end = rest.indexOf('na');
  const [ending, adjective] = PLURAL_ENDINGS[wanted];
  const inflect = (word: string) => word.replace(/ie$/, adjective.replace('y', 'i')).replace(/e$/, adjective);
  const noun = start === 'złote' ? inflect(start) : start.replace(/(?<![cnsz])i$|[yea]$/, '') + ending;
  return [noun, ...rest.map((word, index) => (end >= 0 && index >= end ? word : inflect(word)))].join(' ');
}

/** Two to ten of children and of what has no plural of its own: "czworo dzieci". */
const COLLECTIVES = '_ _ dwoje troje czworo pięcioro sześcioro siedmioro ośmioro dziewięcioro dziesięcioro'.split(' ');
export const COUNTED_TOGETHER =
  /^[ \u00a0](?:\p{Ll}{3,20}ych\s|małych\s)?(?:dzieci|niemowląt|szczeniąt|kociąt|rodzeństwa|wnucząt)(?!\p{L})/u;

/** @returns undefined for other numbers */
export function countTogether(digits: string, wanted: Case | undefined): string | undefined {
  const words = Number(digits) < 2 ? undefined : COLLECTIVES[Number(digits)];
  if (wanted === undefined || words === undefined) return words;
  // "dwojga", "czworgiem"
  return words.replace(/[eo]$/, 'g') + { genitive: 'a', instrumental: 'iem', dative: 'u', locative: 'u' }[wanted];
}

/** Masculine persons in the plural, after a number: "dwustu posłów". Other nouns may end alike: "dwieście domów". */
export const PERSONS = wordSet(findTable(tables, 'persons'));

const ONES = parseWords(findTable(tables, 'ones'));
const TENS = parseWords(findTable(tables, 'tens'));
const HUNDREDS = '_ sto dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset'.split(' ');
const SCALES: readonly Noun[] = Object.values(
  parseNouns(`
    1 = tysiąc|tysiące/tysięcy; 2 = milion|miliony/milionów; 3 = miliard|miliardy/miliardów; 4 = bilion|biliony/bilionów
  `),
);
const ORDINALS = parseWords(findTable(tables, 'ordinals'));
const ORDINAL_TENS = parseWords(findTable(tables, 'ordinal tens'));
const ORDINAL_HUNDREDS =
  '_ setny dwusetny trzechsetny czterechsetny pięćsetny sześćsetny siedemsetny osiemsetny dziewięćsetny'.split(' ');

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'przecinek',
  groupsDecimals: true,
  inflect: applyGender,
  isOne: (written) => written === '1',
  rangeWord: 'do',
  inflectRangeEnd: (words) => (words.includes('przecinek') ? words : inflectNumber(words, 'genitive')),
  pointWord: 'kropka',
});
const { verbalizeCardinal } = numberVerbalizer;

/** "1234" → "tysiąc dwieście trzydzieści cztery". */
function verbalizeWhole(digits: string): string {
  return groupThousands(digits)
    .map(({ value, power }) => {
      if (power === 0) return verbalizeBelowThousand(value);
      const scale = SCALES[power - 1];
      if (scale === undefined) return '';
      const noun = selectForm({ isOne: (written) => written === '1' }, String(value), scale);
      return value === 1 ? noun : `${verbalizeBelowThousand(value)} ${noun}`;
    })
    .join(' ');
}

/** One and two agree with the noun. */
function applyGender(words: string, gender: Gender): string {
  if (gender === 'masculine') return words;
  const one = gender === 'feminine' ? 'jedna' : 'jedno';
  return gender === 'feminine' ? words.replace(/^jeden$/, one).replace(/dwa$/, 'dwie') : words.replace(/^jeden$/, one);
}

/** Cases and genders of an ordinal. */
export type OrdinalForm =
  | 'nominative'
  | 'genitive'
  | 'locative'
  | 'feminine'
  | 'feminineGenitive'
  | 'feminineAccusative'
  | 'neuter'
  | 'plural';
const ENDINGS: Readonly<Record<OrdinalForm, readonly [afterY: string, afterI: string]>> = {
  nominative: ['y', 'i'],
  genitive: ['ego', 'iego'],
  locative: ['ym', 'im'],
  feminine: ['a', 'ia'],
  feminineGenitive: ['ej', 'iej'],
  feminineAccusative: ['ą', 'ią'],
  neuter: ['e', 'ie'],
  plural: ['e', 'ie'],
};

/** "26" → "dwudziesty szósty"; of higher numbers only the last two digits are ordinals, as in years. */
export function verbalizeOrdinal(digits: string, form: OrdinalForm): string {
  const value = Number(digits);
  const below = value % 100;
  const inflect = (word: string) =>
    word.replace(/[yi]$/, (ending) => ENDINGS[form][ending === 'y' ? 0 : 1]).replace(/gia$/, 'ga');
  if (below === 0) return [...verbalizeRoundStart(value), inflect(verbalizeRoundOrdinal(value))].join(' ').trim();
  const start = value > 99 ? [verbalizeCardinal(String(value - below))] : [];
  const simple = ORDINALS[below];
  const words =
    simple === undefined ? [ORDINAL_TENS[Math.floor(below / 10)] ?? '', ORDINALS[below % 10] ?? ''] : [simple];
  return [...start, ...words.filter((word) => word !== '' && word !== '_').map(inflect)].join(' ');
}

/** "1900": "tysiąc dziewięćsetny". */
function verbalizeRoundStart(value: number): string[] {
  return value > 1_000 && value % 1_000 > 0 ? [verbalizeCardinal(String(value - (value % 1_000)))] : [];
}

function verbalizeRoundOrdinal(value: number): string {
  const hundreds = Math.floor((value % 1_000) / 100);
  if (hundreds > 0) return ORDINAL_HUNDREDS[hundreds] ?? '';
  const prefixes = ['', '', 'dwu', 'trzy', 'cztero'];
  return `${prefixes[value / 1_000] ?? ''}tysięczny`;
}

function verbalizeBelowThousand(value: number): string {
  const words: string[] = [];
  if (value >= 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  const below = value % 100;
  const simple = ONES[below];
  if (below > 0 && simple !== undefined) words.push(simple);
  else if (below > 0) {
    words.push(TENS[Math.floor(below / 10)] ?? '');
    if (below % 10 > 0) words.push(ONES[below % 10] ?? '');
  }
  return words.join(' ');
}

export const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes: parseNouns(findTable(tables, 'magnitudes')),
  namesCents: true,
  inflectMagnitude: (words) => words.replace(/^jeden (?=tysiąc)/, ''),
};

export const units = parseNouns(findTable(tables, 'units'));

export const fractions: FractionWords = {
  denominators: {},
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 3 || Number(digits) > 100) return undefined;
    const ordinal = verbalizeOrdinal(digits, 'feminine');
    const stem = verbalizeOrdinal(digits, 'nominative');
    return { one: ordinal, many: stem.replace(/y(?= |$)/g, 'e').replace(/i(?= |$)/g, 'ie'), gender: 'feminine' };
  },
  signs: parseTable('½ = pół; ⅓ = jedna trzecia; ⅔ = dwie trzecie; ¼ = jedna czwarta; ¾ = trzy czwarte'),
  joint: 'i ',
  half: 'pół',
  fixed: parseTable(findTable(tables, 'fixed')),
};
