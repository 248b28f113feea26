import { before, type Place, type Reader, reader } from '../language.ts';
import { spell } from './acronyms.ts';
import {
  cardinal,
  isAttribute,
  isOne,
  NUMBER,
  numberWords,
  quantityWords,
  RANGE_DASH,
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
const MAGNITUDES: Readonly<Record<string, string>> = {
  k: 'thousand',
  m: 'million',
  mn: 'million',
  mln: 'million',
  mil: 'million',
  b: 'billion',
  bn: 'billion',
  bln: 'billion',
  t: 'trillion',
  tn: 'trillion',
  trn: 'trillion',
};
const PERIODS: Readonly<Record<string, string>> = {
  mo: 'month',
  wk: 'week',
  hr: 'hour',
  h: 'hour',
  yr: 'year',
  day: 'day',
  d: 'day',
  min: 'minute',
  lb: 'pound',
  kg: 'kilogram',
  oz: 'ounce',
  bbl: 'barrel',
  barrel: 'barrel',
  gal: 'gallon',
  month: 'month',
  week: 'week',
  hour: 'hour',
  year: 'year',
};

const SIGNS = `[${Object.keys(CURRENCIES).join('')}]`;
const MAGNITUDE = String.raw`(?:[\s-]?(hundred|thousand|million|billion|trillion|lakh|crore|(?:mln|mn|mil|bln|bn|trn|tn|[kmbt])(?![\p{L}\p{N}])))?`;
const PERIOD = String.raw`(?:\/(mo|min|wk|hr|h|yr|day|d|lb|kg|oz|bbl|barrel|gal|month|week|hour|year)(?![\p{L}\p{N}])(?:\.(?=,|\s\p{Ll}))?)?`;
const AMOUNT = new RegExp(
  `(US|CAD|CA|C|AU|A|NZ|HK|NT|S|R)?(${SIGNS})\\s?(${NUMBER})(?:${RANGE_DASH}(${SIGNS})?(${NUMBER}))?(?![\\d,]\\d)${MAGNITUDE}${PERIOD}`,
  'iu',
);

/** Amounts that begin with a sign: "$3.5 million", "£1.2bn", "$10-15". */
export const moneyReaders: readonly Reader[] = [
  reader(/\s?[-–—]\s?(?=[$€£¥]\d)/, (_match, place) =>
    /[\d\p{L}]$/u.test(before(place)) ? ' to ' : undefined,
  ),
  reader(/[-−–](?=[$€£¥]\d)/, () => 'minus '),
  reader(AMOUNT, readAmount),
  // "$GME", a company by its sign at the stock exchange
  reader(/\$([A-Z]{1,5})(?![\p{L}\p{N}$])/u, ([, ticker = ''], place) =>
    /[\p{L}\p{N}]$/u.test(before(place)) ? undefined : spell(ticker),
  ),
];

/** Amounts that begin with the letters of a country or a currency: "US$20", "USD 20". */
export const letteredMoneyReaders: readonly Reader[] = [
  // "Ke$ha", "A$AP": a letter in the name of an artist
  reader(
    /(\p{L}{1,20})\$(\p{L}{1,20})(?![\p{L}\p{N}$])/u,
    ([, start = '', end = '']) => `${start}s${end}`,
  ),
  reader(AMOUNT, readAmount),
  reader(
    new RegExp(`(USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|RMB|INR|Rs)\\.?\\s?(${NUMBER})${MAGNITUDE}`, 'u'),
    ([, code = '', written = '', magnitude], place) =>
      amountWords(CODES[code] ?? DOLLAR, written, undefined, magnitude, place),
  ),
];

/** Amounts that begin with a digit: "20€", "50¢", "20 USD". */
export const trailingMoneyReaders: readonly Reader[] = [
  reader(
    new RegExp(`(${NUMBER})\\s?¢`, 'u'),
    ([, written = ''], place) =>
      `${numberWords(written)} ${isOne(written) || isAttribute(place) ? 'cent' : 'cents'}`,
  ),
  reader(
    /(\d{1,3})p(?![\p{L}\p{N}])/u,
    ([, digits = '']) => `${cardinal(digits)} ${isOne(digits) ? 'penny' : 'pence'}`,
  ),
  reader(
    new RegExp(`(${NUMBER})${MAGNITUDE}\\s?(€|£)`, 'iu'),
    ([, written = '', magnitude, sign = ''], place) =>
      amountWords(CURRENCIES[sign] ?? DOLLAR, written, undefined, magnitude, place),
  ),
  reader(
    new RegExp(
      `(${NUMBER})${MAGNITUDE}\\s?(USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|RMB|INR)(?![\\p{L}\\p{N}])`,
      'u',
    ),
    ([, written = '', magnitude, code = ''], place) =>
      amountWords(CODES[code] ?? DOLLAR, written, undefined, magnitude, place),
  ),
];

function readAmount(match: RegExpExecArray, place: Place): string | undefined {
  const [, country = '', sign = '', first = '', , last, magnitude, period] = match;
  const isReal = country.toUpperCase() === 'R' && sign === '$';
  const named = isReal ? REAL : (CURRENCIES[sign] ?? DOLLAR);
  const prefix = COUNTRIES[country.toUpperCase()] ?? '';
  const currency = { ...named, one: prefix + named.one, many: prefix + named.many };
  const per = period ? ` per ${PERIODS[period.toLowerCase()]}` : '';
  return amountWords(currency, first, last, magnitude, place) + per;
}

function amountWords(
  currency: Currency,
  first: string,
  last: string | undefined,
  magnitude: string | undefined,
  place: Place,
): string {
  if (magnitude) {
    const scale = MAGNITUDES[magnitude.toLowerCase()] ?? magnitude.toLowerCase();
    return `${quantityWords(first, last)} ${scale} ${unit(currency, isHyphened(place), place)}`;
  }
  if (last)
    return `${plainAmount(currency, first, place)} to ${plainAmount(currency, last, place)}`;
  return plainAmount(currency, first, place);
}

function plainAmount(currency: Currency, written: string, place: Place): string {
  const [whole = '', fullDecimals = ''] = written.replace(/,/g, '').split('.');
  const decimals = fullDecimals.replace(/(?<=\d\d)0+$/, '');
  if (/^0*$/.test(decimals)) return `${cardinal(whole)} ${unit(currency, isOne(whole), place)}`;
  if (!currency.cent || decimals.length > 2) return `${numberWords(written)} ${currency.many}`;
  const cents = Number(decimals.padEnd(2, '0'));
  const centWords = `${cardinal(String(cents))} ${currency.cent[cents === 1 ? 0 : 1]}`;
  if (/^0*$/.test(whole)) return centWords;
  return `${cardinal(whole)} ${isOne(whole) ? currency.one : currency.many} and ${centWords}`;
}

/** "a $1-million home" */
function isHyphened({ text, at, end }: Place): boolean {
  return /\d-\p{L}/u.test(text.slice(at, end));
}

function unit(currency: Currency, isSingle: boolean, place: Place): string {
  return isSingle || isAttribute(place) ? currency.one : currency.many;
}
