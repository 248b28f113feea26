import { type NormalizationRule, parseTable, rule } from '../language.ts';
import { type Amount, type Currency, createMoneyRules, parseUnits } from '../shared/amounts.ts';
import { splitDecimal, verbalizeRange } from '../shared/numbers.ts';
import { numberVerbalizer, verbalizeCardinal } from './numbers.ts';

const EURO: Currency = { one: 'Euro', many: 'Euro', cent: ['Cent', 'Cent'] };
const DOLLAR: Currency = { one: 'Dollar', many: 'Dollar', cent: ['Cent', 'Cent'] };
const POUND: Currency = { one: 'Pfund', many: 'Pfund', cent: ['Penny', 'Pence'] };
const FRANC: Currency = { one: 'Schweizer Franken', many: 'Schweizer Franken' };
const YEN: Currency = { one: 'Yen', many: 'Yen' };

const CURRENCIES: Readonly<Record<string, Currency>> = {
  '€': EURO,
  EUR: EURO,
  Euro: EURO,
  US$: { one: 'US-Dollar', many: 'US-Dollar' },
  $: DOLLAR,
  USD: { one: 'US-Dollar', many: 'US-Dollar' },
  Dollar: DOLLAR,
  '£': POUND,
  GBP: POUND,
  Pfund: POUND,
  '¥': YEN,
  JPY: YEN,
  CHF: FRANC,
  Franken: { one: 'Franken', many: 'Franken' },
};
/** Written → one, many. */
const MAGNITUDES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  'Tsd.': ['tausend', 'tausend'],
  Tausend: ['tausend', 'tausend'],
  'Mio.': ['Million', 'Millionen'],
  Mio: ['Million', 'Millionen'],
  Million: ['Million', 'Millionen'],
  Millionen: ['Million', 'Millionen'],
  'Mrd.': ['Milliarde', 'Milliarden'],
  Mrd: ['Milliarde', 'Milliarden'],
  Milliarde: ['Milliarde', 'Milliarden'],
  Milliarden: ['Milliarde', 'Milliarden'],
  'Bio.': ['Billion', 'Billionen'],
};

export const moneyRules = createMoneyRules(CURRENCIES, Object.keys(MAGNITUDES), verbalizeAmount);

/** "84 Mio. Menschen". */
export const magnitudeRules: readonly NormalizationRule[] = [
  rule(
    /(\d{1,3}(?:\.\d{3}){0,2}(?:,\d{1,6})?)(?:\s?[-–]\s?(\d{1,3}(?:,\d{1,6})?))?[ \u00a0\u202f]?(Tsd\.|Mio\.?|Mrd\.?|Bio\.)(?!\p{L})/u,
    ([, first = '', last, name = '']) => verbalizeMagnitude(first, last, name),
  ),
];

/** Written → one, many, gender. */
export const units = parseUnits(`
  % = Prozent; ‰ = Promille; Prozent = Prozent; km = Kilometer; m = Meter; cm = Zentimeter; mm = Millimeter;
  kg = Kilogramm; g = Gramm; mg = Milligramm; t = Tonne|Tonnen|feminine; l = Liter; ml = Milliliter; ha = Hektar;
  km/h = Kilometer pro Stunde; m/s = Meter pro Sekunde; km² = Quadratkilometer; m² = Quadratmeter; qm = Quadratmeter;
  m³ = Kubikmeter; kW = Kilowatt; MW = Megawatt; GW = Gigawatt; kWh = Kilowattstunde|Kilowattstunden|feminine;
  MWh = Megawattstunde|Megawattstunden|feminine; GWh = Gigawattstunde|Gigawattstunden|feminine; MB = Megabyte;
  GB = Gigabyte; TB = Terabyte; GHz = Gigahertz; MHz = Megahertz; PS = PS; x = mal; s = Sekunde|Sekunden|feminine;
  h = Stunde|Stunden|feminine; Std. = Stunde|Stunden|feminine; Min. = Minute|Minuten|feminine;
  Sek. = Sekunde|Sekunden|feminine; °C = Grad Celsius; ° C = Grad Celsius; °F = Grad Fahrenheit; ° = Grad;
  Mio. = Million|Millionen|feminine
`);

const FRACTIONS = parseTable(`
  ½ = ein halb; ⅓ = ein Drittel; ⅔ = zwei Drittel; ¼ = ein Viertel; ¾ = drei Viertel
`);

/** Said as they are, not as parts of a whole. */
const FIXED_FRACTIONS: Readonly<Record<string, string>> = {
  '24/7': 'vierundzwanzig sieben',
  '50/50': 'fünfzig fünfzig',
  '08/15': 'null acht fünfzehn',
};

/** "3/4", "½", "2 ½". */
export const fractionRules: readonly NormalizationRule[] = [
  rule(/(?:24\/7|50\/50|08\/15)(?![\d/])/, ([written]) => FIXED_FRACTIONS[written]),
  rule(/(\d{1,3})\/(\d{1,2})(?![\d/])/, ([, top = '', bottom = '']) => verbalizeFraction(top, bottom)),
  rule(
    /(\d{1,4})\s?([½⅓⅔¼¾])/u,
    ([, whole = '', sign = '']) => `${verbalizeCardinal(whole)} ${FRACTIONS[sign]?.replace(/^ein halb$/, 'einhalb')}`,
  ),
];
export const fractionSigns = FRACTIONS;

function verbalizeFraction(top: string, bottom: string): string | undefined {
  const parts = Number(bottom);
  if (top.startsWith('0') || parts < 2 || parts > 12 || Number(top) >= parts) return undefined;
  const count = top === '1' ? 'ein' : verbalizeCardinal(top);
  if (parts === 2) return `${count} halb`;
  const stem = parts === 3 ? 'Dritt' : parts === 7 ? 'Siebt' : parts === 8 ? 'Acht' : `${verbalizeCardinal(bottom)}t`;
  return `${count} ${stem.charAt(0).toUpperCase()}${stem.slice(1)}el`;
}

function verbalizeAmount({ first, last, magnitude, currency }: Amount): string {
  if (magnitude !== undefined) return `${verbalizeMagnitude(first, last, magnitude)} ${currency.many}`;
  const { whole, decimals } = splitDecimal(first);
  if (last === undefined && decimals.length === 2 && currency.cent !== undefined) {
    const [cent, cents] = currency.cent;
    const small = String(Number(decimals));
    if (Number(whole) === 0)
      return `${numberVerbalizer.verbalizeQuantity(small, 'masculine')} ${small === '1' ? cent : cents}`;
    const big = `${numberVerbalizer.verbalizeQuantity(whole, 'masculine')} ${currency.many}`;
    return small === '0' ? big : `${big} ${verbalizeCardinal(small)}`;
  }
  return `${verbalizeRange(numberVerbalizer, first, last, 'masculine')} ${currency.many}`;
}

function verbalizeMagnitude(first: string, last: string | undefined, written: string): string {
  const [one = '', many = ''] = MAGNITUDES[written] ?? [];
  const gender = /^[MB]/.test(one) ? 'feminine' : 'masculine';
  const isSingle = last === undefined && first === '1';
  return `${verbalizeRange(numberVerbalizer, first, last, gender)} ${isSingle ? one : many}`;
}
