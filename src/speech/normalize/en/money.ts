import { contextBefore, type MatchContext, type NormalizationRule, parseTable, rule } from '../language.ts';
import { spellLetters } from './acronyms.ts';
import {
  isAttribute,
  isOne,
  NUMBER,
  RANGE_DASH,
  verbalizeCardinal,
  verbalizeNumber,
  verbalizeQuantity,
} from './cardinals.ts';

interface Currency {
  readonly one: string;
  readonly many: string;
  /** The hundredth, singular and plural. */
  readonly cent?: readonly [string, string];
}

const DOLLAR: Currency = { one: 'dollar', many: 'dollars', cent: ['cent', 'cents'] };
const REAL: Currency = { one: 'real', many: 'reais' };
const CURRENCIES: Readonly<Record<string, Currency>> = {
  $: DOLLAR,
  '€': { one: 'euro', many: 'euros', cent: ['cent', 'cents'] },
  '£': { one: 'pound', many: 'pounds', cent: ['penny', 'pence'] },
  '¥': { one: 'yen', many: 'yen' },
  '₹': { one: 'rupee', many: 'rupees', cent: ['paisa', 'paise'] },
  '₩': { one: 'won', many: 'won' },
  '₽': { one: 'ruble', many: 'rubles' },
  '₪': { one: 'shekel', many: 'shekels' },
  '₺': { one: 'lira', many: 'lira' },
  '₴': { one: 'hryvnia', many: 'hryvnias' },
  '₿': { one: 'bitcoin', many: 'bitcoins' },
  '₦': { one: 'naira', many: 'naira' },
  '₱': { one: 'peso', many: 'pesos' },
  '฿': { one: 'baht', many: 'baht' },
  '₫': { one: 'dong', many: 'dong' },
};
const CODES: Readonly<Record<string, Currency>> = {
  USD: { ...DOLLAR, one: 'U.S dollar', many: 'U.S dollars' },
  EUR: { one: 'euro', many: 'euros' },
  GBP: { one: 'British pound', many: 'British pounds' },
  JPY: { one: 'yen', many: 'yen' },
  CHF: { one: 'Swiss franc', many: 'Swiss francs' },
  CAD: { one: 'Canadian dollar', many: 'Canadian dollars' },
  AUD: { one: 'Australian dollar', many: 'Australian dollars' },
  CNY: { one: 'yuan', many: 'yuan' },
  RMB: { one: 'yuan', many: 'yuan' },
  Rs: { one: 'rupee', many: 'rupees' },
  INR: { one: 'rupee', many: 'rupees' },
};
const COUNTRIES: Readonly<Record<string, string>> = {
  US: 'U.S ',
  C: 'Canadian ',
  CA: 'Canadian ',
  CAD: 'Canadian ',
  A: 'Australian ',
  AU: 'Australian ',
  NZ: 'New Zealand ',
  HK: 'Hong Kong ',
  NT: 'Taiwan ',
  S: 'Singapore ',
  R: '',
};
const MAGNITUDES = parseTable(`
  k = thousand; m = million; mn = million; mln = million; mil = million; b = billion; bn = billion; bln = billion;
  t = trillion; tn = trillion; trn = trillion
`);
const PERIODS = parseTable(`
  mo = month; wk = week; hr = hour; h = hour; yr = year; day = day; d = day; min = minute; lb = pound; kg = kilogram;
  oz = ounce; bbl = barrel; barrel = barrel; gal = gallon; month = month; week = week; hour = hour; year = year
`);

const SIGNS = `[${Object.keys(CURRENCIES).join('')}]`;
const MAGNITUDE = String.raw`(?:[\s-]?(hundred|thousand|million|billion|trillion|lakh|crore|(?:mln|mn|mil|bln|bn|trn|tn|[kmbt])(?![\p{L}\p{N}])))?`;
const PERIOD = String.raw`(?:\/(mo|min|wk|hr|h|yr|day|d|lb|kg|oz|bbl|barrel|gal|month|week|hour|year)(?![\p{L}\p{N}])(?:\.(?=,|\s\p{Ll}))?)?`;
const AMOUNT = new RegExp(
  `(US|CAD|CA|C|AU|A|NZ|HK|NT|S|R)?(${SIGNS})\\s?(${NUMBER})(?:${RANGE_DASH}(${SIGNS})?(${NUMBER}))?(?![\\d,]\\d)${MAGNITUDE}${PERIOD}`,
  'iu',
);

/** Amounts that begin with a sign: "$3.5 million", "£1.2bn", "$10-15". */
export const moneyRules: readonly NormalizationRule[] = [
  rule(/\s?[-–—]\s?(?=[$€£¥]\d)/, (_match, place) => (/[\d\p{L}]$/u.test(contextBefore(place)) ? ' to ' : undefined)),
  rule(/[-−–](?=[$€£¥]\d)/, () => 'minus '),
  rule(AMOUNT, verbalizeMatch),
  // "$GME", a company by its sign at the stock exchange
  rule(/\$([A-Z]{1,5})(?![\p{L}\p{N}$])/u, ([, ticker = ''], place) =>
    /[\p{L}\p{N}]$/u.test(contextBefore(place)) ? undefined : spellLetters(ticker),
  ),
];

/** Amounts that begin with the letters of a country or a currency: "US$20", "USD 20". */
export const letteredMoneyRules: readonly NormalizationRule[] = [
  // "Ke$ha", "A$AP": a letter in the name of an artist
  rule(/(\p{L}{1,20})\$(\p{L}{1,20})(?![\p{L}\p{N}$])/u, ([, start = '', end = '']) => `${start}s${end}`),
  rule(AMOUNT, verbalizeMatch),
  rule(
    new RegExp(`(USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|RMB|INR|Rs)\\.?\\s?(${NUMBER})${MAGNITUDE}`, 'u'),
    ([, code = '', written = '', magnitude], place) =>
      verbalizeAmount(CODES[code] ?? DOLLAR, written, undefined, magnitude, place),
  ),
];

/** Amounts that begin with a digit: "20€", "50¢", "20 USD". */
export const trailingMoneyRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`(${NUMBER})\\s?¢`, 'u'),
    ([, written = ''], place) =>
      `${verbalizeNumber(written)} ${isOne(written) || isAttribute(place) ? 'cent' : 'cents'}`,
  ),
  rule(
    /(\d{1,3})p(?![\p{L}\p{N}])/u,
    ([, digits = '']) => `${verbalizeCardinal(digits)} ${isOne(digits) ? 'penny' : 'pence'}`,
  ),
  rule(new RegExp(`(${NUMBER})${MAGNITUDE}\\s?(€|£)`, 'iu'), ([, written = '', magnitude, sign = ''], place) =>
    verbalizeAmount(CURRENCIES[sign] ?? DOLLAR, written, undefined, magnitude, place),
  ),
  rule(
    new RegExp(`(${NUMBER})${MAGNITUDE}\\s?(USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|RMB|INR)(?![\\p{L}\\p{N}])`, 'u'),
    ([, written = '', magnitude, code = ''], place) =>
      verbalizeAmount(CODES[code] ?? DOLLAR, written, undefined, magnitude, place),
  ),
];

function verbalizeMatch(match: RegExpExecArray, place: MatchContext): string | undefined {
  const [, country = '', sign = '', first = '', , last, magnitude, period] = match;
  const isReal = country.toUpperCase() === 'R' && sign === '$';
  const named = isReal ? REAL : (CURRENCIES[sign] ?? DOLLAR);
  const prefix = COUNTRIES[country.toUpperCase()] ?? '';
  const currency = { ...named, one: prefix + named.one, many: prefix + named.many };
  const per = period ? ` per ${PERIODS[period.toLowerCase()]}` : '';
  return verbalizeAmount(currency, first, last, magnitude, place) + per;
}

function verbalizeAmount(
  currency: Currency,
  first: string,
  last: string | undefined,
  magnitude: string | undefined,
  place: MatchContext,
): string {
  if (magnitude) {
    const scale = MAGNITUDES[magnitude.toLowerCase()] ?? magnitude.toLowerCase();
    return `${verbalizeQuantity(first, last)} ${scale} ${selectUnit(currency, isHyphenated(place), place)}`;
  }
  if (last) return `${verbalizePlainAmount(currency, first, place)} to ${verbalizePlainAmount(currency, last, place)}`;
  return verbalizePlainAmount(currency, first, place);
}

function verbalizePlainAmount(currency: Currency, written: string, place: MatchContext): string {
  const [whole = '', fullDecimals = ''] = written.replace(/,/g, '').split('.');
  const decimals = fullDecimals.replace(/(?<=\d\d)0+$/, '');
  if (/^0*$/.test(decimals)) return `${verbalizeCardinal(whole)} ${selectUnit(currency, isOne(whole), place)}`;
  if (!currency.cent || decimals.length > 2) return `${verbalizeNumber(written)} ${currency.many}`;
  const cents = Number(decimals.padEnd(2, '0'));
  const centWords = `${verbalizeCardinal(String(cents))} ${currency.cent[cents === 1 ? 0 : 1]}`;
  if (/^0*$/.test(whole)) return centWords;
  return `${verbalizeCardinal(whole)} ${isOne(whole) ? currency.one : currency.many} and ${centWords}`;
}

/** "a $1-million home" */
function isHyphenated({ text, at, end }: MatchContext): boolean {
  return /\d-\p{L}/u.test(text.slice(at, end));
}

function selectUnit(currency: Currency, isSingle: boolean, place: MatchContext): string {
  return isSingle || isAttribute(place) ? currency.one : currency.many;
}
