import { type NormalizationRule, parseTable, rule } from '../language.ts';
import { type Amount, type Currency, createMoneyRules, parseUnits } from '../shared/amounts.ts';
import { createNumberVerbalizer, groupThousands, splitDecimal, verbalizeRange } from '../shared/numbers.ts';

const ONES =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(
    ' ',
  );
const TENS = '_ _ vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(' ');
const SCALES = ['million', 'milliard', 'billion'];

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'virgule',
  groupsDecimals: true,
  inflect: (words, gender) => (gender === 'feminine' ? words.replace(/\bun$/, 'une') : words),
  isOne: (written) => /^[01](?:,\d+)?$/.test(written),
  rangeWord: 'à',
  pointWord: 'point',
});
export const { verbalizeCardinal, verbalizeNumber, spellDigits } = numberVerbalizer;

/** "1234" → "mille deux cent trente-quatre". */
function verbalizeWhole(digits: string): string {
  return groupThousands(digits)
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

const EURO: Currency = { one: 'euro', many: 'euros', cent: ['centime', 'centimes'] };
const DOLLAR: Currency = { one: 'dollar', many: 'dollars', cent: ['cent', 'cents'] };
const POUND: Currency = { one: 'livre', many: 'livres', gender: 'feminine' };
const FRANC: Currency = { one: 'franc', many: 'francs', cent: ['centime', 'centimes'] };

const CURRENCIES: Readonly<Record<string, Currency>> = {
  '€': EURO,
  EUR: EURO,
  euro: EURO,
  euros: EURO,
  $: DOLLAR,
  USD: { one: 'dollar américain', many: 'dollars américains' },
  dollar: DOLLAR,
  dollars: DOLLAR,
  '£': POUND,
  GBP: POUND,
  '¥': { one: 'yen', many: 'yens' },
  CHF: { one: 'franc suisse', many: 'francs suisses' },
  francs: FRANC,
};
const MAGNITUDES = parseTable(`
  k = mille; M = million; Md = milliard; Mds = milliard; Mrd = milliard; million = million; millions = million;
  milliard = milliard; milliards = milliard
`);

export const moneyRules = createMoneyRules(CURRENCIES, Object.keys(MAGNITUDES), verbalizeAmount);

export const units = parseUnits(`
  % = pour cent; ‰ = pour mille; km = kilomètre|kilomètres; m = mètre|mètres; cm = centimètre|centimètres;
  mm = millimètre|millimètres; kg = kilogramme|kilogrammes; g = gramme|grammes; mg = milligramme|milligrammes;
  t = tonne|tonnes|feminine; l = litre|litres; L = litre|litres; cl = centilitre|centilitres;
  ml = millilitre|millilitres; ha = hectare|hectares; km/h = kilomètre heure|kilomètres heure;
  m/s = mètre par seconde|mètres par seconde; km² = kilomètre carré|kilomètres carrés;
  km2 = kilomètre carré|kilomètres carrés; m² = mètre carré|mètres carrés; m2 = mètre carré|mètres carrés;
  m³ = mètre cube|mètres cubes; m3 = mètre cube|mètres cubes; kW = kilowatt|kilowatts; MW = mégawatt|mégawatts;
  GW = gigawatt|gigawatts; kWh = kilowattheure|kilowattheures; MWh = mégawattheure|mégawattheures;
  Mo = mégaoctet|mégaoctets; Go = gigaoctet|gigaoctets; To = téraoctet|téraoctets; GHz = gigahertz; x = fois;
  min = minute|minutes|feminine; s = seconde|secondes|feminine; °C = degré Celsius|degrés Celsius;
  ° C = degré Celsius|degrés Celsius; °F = degré Fahrenheit|degrés Fahrenheit; ° = degré|degrés
`);

const FRACTIONS = parseTable('½ = un demi; ⅓ = un tiers; ⅔ = deux tiers; ¼ = un quart; ¾ = trois quarts');
export const fractionSigns = FRACTIONS;

/** "5 à 10 %", "3/4", "2 ½". */
export const fractionRules: readonly NormalizationRule[] = [
  rule(/24 ?h?\/24(?![\d/])/, () => 'vingt-quatre heures sur vingt-quatre'),
  rule(/7 ?j?\/7(?![\d/])/, () => 'sept jours sur sept'),
  rule(/(\d{1,3})\/(\d{1,3})(?![\d/])/, ([, top = '', bottom = '']) => verbalizeFraction(top, bottom)),
  rule(
    /(\d{1,4})\s?([½⅓⅔¼¾])/u,
    ([, whole = '', sign = '']) => `${verbalizeCardinal(whole)} et ${FRACTIONS[sign]?.replace(/^un demi$/, 'demi')}`,
  ),
];

/** Parts of a whole up to twelfths; anything else is a mark: "15/20". */
function verbalizeFraction(top: string, bottom: string): string {
  const parts = Number(bottom);
  const names: Readonly<Record<number, string>> = { 2: 'demi', 3: 'tiers', 4: 'quart' };
  if (top.startsWith('0') || parts < 2 || parts > 12 || Number(top) >= parts)
    return `${verbalizeCardinal(top)} sur ${verbalizeCardinal(bottom)}`;
  const name = names[parts] ?? verbalizeOrdinal(bottom);
  return `${verbalizeCardinal(top)} ${name}${top === '1' || name.endsWith('s') ? '' : 's'}`;
}

function verbalizeAmount({ first, last, magnitude, currency }: Amount): string {
  const gender = currency.gender ?? 'masculine';
  const isSingle = last === undefined && numberVerbalizer.isOne(first);
  if (magnitude !== undefined) {
    const name = MAGNITUDES[magnitude] ?? magnitude;
    const number = verbalizeRange(numberVerbalizer, first, last, 'masculine');
    if (name === 'mille')
      return `${number === 'un' ? '' : `${number.replace(/(cent|vingt)s$/, '$1')} `}mille ${currency.many}`;
    return `${number} ${name}${isSingle ? '' : 's'} ${/^[aeiouyh]/.test(currency.many) ? "d'" : 'de '}${currency.many}`;
  }
  const { whole, decimals } = splitDecimal(first);
  if (last === undefined && decimals.length === 2 && currency.cent !== undefined) {
    const [cent, cents] = currency.cent;
    const small = String(Number(decimals));
    if (Number(whole) === 0) return `${verbalizeCardinal(small)} ${Number(small) < 2 ? cent : cents}`;
    const big = `${numberVerbalizer.verbalizeQuantity(whole, gender)} ${Number(whole) < 2 ? currency.one : currency.many}`;
    return small === '0' ? big : `${big} ${verbalizeCardinal(small)}`;
  }
  // "un million d'euros", but "un million cinq cents euros".
  const of = /(?:illions?|illiards?)$/.test(numberVerbalizer.verbalizeNumber(last ?? first))
    ? /^e/.test(currency.many)
      ? "d'"
      : 'de '
    : '';
  return `${verbalizeRange(numberVerbalizer, first, last, gender)} ${of}${isSingle ? currency.one : currency.many}`;
}
