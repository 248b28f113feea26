import { findTable, type MatchContext, type NormalizationRule, parseTable, rule, wordSet } from '../language.ts';
import { buildAlternatives, type Noun } from '../shared/amounts.ts';
import { spellLetters } from './acronyms.ts';
import {
  isAttribute,
  isOne,
  NUMBER,
  PLACE_BEFORE,
  parseEnglishNouns,
  RANGE_DASH,
  verbalizeAddedFraction,
  verbalizeCardinal,
  verbalizeDecade,
  verbalizeNumber,
  verbalizeQuantity,
} from './cardinals.ts';
import tables from './tables.txt' with { type: 'text' };

const REAL: Noun = { one: 'real', many: 'reais', gender: 'masculine' };
const CURRENCIES = parseEnglishNouns(findTable(tables, 'currencies'));
/** By their code or an abbreviation. */
const CODES = parseEnglishNouns(findTable(tables, 'codes'));
/** Also words, climate conferences and rules: "COP 28", "NIS 2". */
const AMBIGUOUS_CODES = wordSet('AMD BOB COP CUP GEL MAD NIS NIO PEN RON Sh TL TRY');
const CODE = Object.keys(CODES).join('|');
/** Before a sign: "A$250m". */
const COUNTRIES = parseTable(findTable(tables, 'countries'));
/** Countries whose dollar sign stands for pesos. */
const PESO_COUNTRIES = wordSet('MX MEX AR COL COP CLP RD');
const TRADED = parseTable(findTable(tables, 'traded'));
const LETTERS = parseTable('R = rand; N = naira; P = pesos');
const MAGNITUDES = parseTable(findTable(tables, 'magnitudes'));

const RATES = parseTable(findTable(tables, 'rates'));
/** Only of prices: "$4/dozen", while "parents/child" is a choice. */
const PERIODS = {
  ...RATES,
  ...parseTable(findTable(tables, 'periods')),
};

const SIGNS = `[${Object.keys(CURRENCIES).join('')}]`;
const SCALE = String.raw`(?:hundred|thousand|million|billion|trillion|lakh crore|lakh|crore|(?:mln|mm|mn|mil|bln|bn|trln|tln|trn|tn|[kmbt])(?![\p{L}\p{N}]))`;
const MAGNITUDE = `(?:[\\s-]?(${SCALE}))?`;
/** Of the first end of a range whose second end has one, too: "€1.4m-1.8m". */
const FIRST_MAGNITUDE = `(?:\\s?(${SCALE})(?=${RANGE_DASH}${NUMBER}\\s?${SCALE}))?`;
const PERIOD = String.raw`(?:\/(${buildAlternatives(Object.keys(PERIODS))})(?![\p{L}\p{N}])(?:\.(?=[,;)]|\s[\p{Ll}+&(]))?)?`;
const AMOUNT = new RegExp(
  `(${[...Object.keys(COUNTRIES), 'R'].join('|')})?(${SIGNS})\\s?(${NUMBER})${FIRST_MAGNITUDE}(?:${RANGE_DASH}(${SIGNS})?(${NUMBER}))?(?![\\d,]\\d)${MAGNITUDE}${PERIOD}`,
  'iu',
);

/** Amounts that begin with a sign: "$3.5 million", "£1.2bn", "$10-15". */
export const moneyRules: readonly NormalizationRule[] = [
  // "the mid-$60s", "sub-$70"
  rule(/-(?=[$€£]\d)/, (_match, { before }) =>
    /\b(?:low|mid|high|upper|lower|sub|non|pre|half)$/i.test(before) ? ' ' : undefined,
  ),
  rule(/[$€£](\d0)s(?![\p{L}\d])/u, ([, digits = '']) => verbalizeDecade(digits)),
  // "$2.5 to $3 billion"
  rule(
    new RegExp(`(${SIGNS})(${NUMBER})\\sto\\s\\1?(${NUMBER})[\\s-]?(${SCALE})`, 'iu'),
    ([, sign = '', first = '', last = '', scale = ''], place) =>
      verbalizeAmount(CURRENCIES[sign], first, last, scale, place),
  ),
  rule(/\s?[-–—]\s?(?=[$€£¥]\d)/, (_match, { before }) =>
    // "$5 million-to-$7 million"
    /-to$/.test(before) ? ' ' : /[\d\p{L}]$/u.test(before) ? ' to ' : undefined,
  ),
  rule(/[-−–](?=[$€£¥]\d)/, () => 'minus '),
  // "closed at $5.48 3/4 a bushel", "to $4.26¼"
  rule(
    /\$(\d{1,3})\.(\d\d)(?:\s?([¼½¾])|\s([13])\/([248]))(?!\d)/,
    ([, dollars = '', cents = '', sign, top, bottom]) => {
      const [one = '', other = ''] = sign ? sign.normalize('NFKC').split('\u2044') : [top, bottom];
      const fraction = verbalizeAddedFraction(one, other);
      return `${verbalizeCardinal(dollars)} ${isOne(dollars) ? 'dollar' : 'dollars'} and ${verbalizeCardinal(cents)} and ${fraction} cents`;
    },
  ),
  rule(AMOUNT, verbalizeMatch),
  rule(
    /¢\s?(\d{1,3}(?:\.\d)?)(?!\d)/,
    ([, digits = '']) => `${verbalizeNumber(digits)} ${isOne(digits) ? 'cent' : 'cents'}`,
  ),
  // A loss per share: "$(0.32)"
  rule(
    new RegExp(`([$€£])\\((\\d{1,3}(?:,\\d{3}){0,3}(?:\\.\\d{1,2})?)\\)${PERIOD}`, 'iu'),
    ([, sign = '', written = '', period], place) => {
      const currency = CURRENCIES[sign];
      const per = period ? ` per ${PERIODS[period.toLowerCase()]}` : '';
      return currency && `minus ${verbalizePlainAmount(currency, written, place)}${per}`;
    },
  ),
  // "the €/$ rate"
  rule(
    /([$€£¥])\/([$€£¥])(?!\d)/,
    ([, first = '', second = '']) => `${CURRENCIES[first]?.one} ${CURRENCIES[second]?.one}`,
  ),
  // "$GME", a ticker symbol
  rule(/\$([A-Z]{1,5})(?![\p{L}\p{N}$])/u, ([, ticker = ''], place) =>
    /[\p{L}\p{N}]$/u.test(place.before) ? undefined : spellLetters(ticker),
  ),
];

/** Amounts that begin with the letters of a country or a currency: "US$20", "USD 20". */
export const letteredMoneyRules: readonly NormalizationRule[] = [
  // "R350m", "N5 million"
  rule(
    new RegExp(`([RNP])(${NUMBER})\\s?(bn|m|million|billion|trillion)(?![\\p{L}\\p{N}])`, 'u'),
    ([, letter = '', written = '', scale = '']) =>
      `${verbalizeNumber(written)} ${MAGNITUDES[scale] ?? scale} ${LETTERS[letter]}`,
  ),
  // "R2,315"
  rule(/R(\d{1,3}(?:,\d{3}){1,3}(?:\.\d\d)?)(?![\d,]\d)/, ([, written = '']) => `${verbalizeNumber(written)} rand`),
  // Exchange rates: "EUR/USD"
  rule(
    /(USD|EUR|GBP|JPY|CHF|AUD|CAD|NZD|CNY|CNH|INR)\/(USD|EUR|GBP|JPY|CHF|AUD|CAD|NZD|CNY|CNH|INR)(?![\p{L}\p{N}])/u,
    ([, first = '', second = '']) => `${TRADED[first]} ${TRADED[second]}`,
  ),
  // "R18.50/$"
  rule(/R(\d{1,3}\.\d\d)(?![\d\p{L}])/u, ([, written = '']) => `${verbalizeNumber(written)} rand`),
  // "Ke$ha", "A$AP": a letter in the name of an artist
  rule(/(\p{L}{1,20})\$(\p{L}{1,20})(?![\p{L}\p{N}$])/u, ([, start = '', end = '']) => `${start}s${end}`),
  rule(AMOUNT, verbalizeMatch),
  rule(
    new RegExp(
      `(${CODE})\\.?\\s?(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?(?![\\d,]\\d)(?:${MAGNITUDE}|([KMBT])(?![\\p{L}\\p{N}]))${PERIOD}`,
      'u',
    ),
    ([, code = '', first = '', last, small, large, period], place) => {
      const magnitude = small ?? large;
      // "PHP 8.3", a language
      if (code === 'PHP' && /^\d\.\d$/.test(first) && magnitude === undefined) return undefined;
      if (AMBIGUOUS_CODES.has(code) && magnitude === undefined && !/,/.test(first)) return undefined;
      const amount = verbalizeAmount(CODES[code], first, last, magnitude, place);
      return amount && amount + (period ? ` per ${PERIODS[period.toLowerCase()]}` : '');
    },
  ),
];

/** Amounts that begin with a digit: "20€", "50¢", "20 USD". */
export const trailingMoneyRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`(${NUMBER})\\s?¢${PERIOD}`, 'iu'),
    ([, written = '', period], place) =>
      `${verbalizeNumber(written)} ${isOne(written) || isAttribute(place) ? 'cent' : 'cents'}${period ? ` per ${PERIODS[period.toLowerCase()]}` : ''}`,
  ),
  // "30c/kWh", "EPS of 12c"
  rule(
    new RegExp(
      `(\\d{1,3}(?:\\.\\d{1,2})?)c(?=[,;)]|\\.(?:\\s|$)|\\s(?:a|an|per|from|to|in|on|for|beat|missed|vs|against|versus|was|were|is|more|less|above|below|and|or|after|before|lower|higher|each|at)(?!\\p{L})|/\\p{L}|$)${PERIOD}`,
      'iu',
    ),
    ([written, digits = '', period], place) =>
      /\dC/.test(written) || PLACE_BEFORE.test(place.before)
        ? undefined
        : `${verbalizeNumber(digits)} ${isOne(digits) ? 'cent' : 'cents'}${period ? ` per ${PERIODS[period.toLowerCase()]}` : ''}`,
  ),
  rule(
    new RegExp(`(?!(?:480|720)p)(\\d{1,3}(?:\\.\\d{1,2})?)p(?![\\p{L}\\p{N}])${PERIOD}`, 'u'),
    ([, digits = '', period]) =>
      `${verbalizeNumber(digits)} ${isOne(digits) ? 'penny' : 'pence'}${period ? ` per ${PERIODS[period.toLowerCase()]}` : ''}`,
  ),
  rule(new RegExp(`(${NUMBER})${MAGNITUDE}\\s?(€|£)`, 'iu'), ([, written = '', magnitude, sign = ''], place) =>
    verbalizeAmount(CURRENCIES[sign], written, undefined, magnitude, place),
  ),
  rule(
    new RegExp(
      `(${NUMBER})${MAGNITUDE}\\s?(${CODE})(?![\\p{L}\\p{N}]|\\s(?:francs?|dollars?|pounds?|rupees?|pesos?)(?!\\p{L}))`,
      'u',
    ),
    ([, written = '', magnitude, code = ''], place) =>
      verbalizeAmount(CODES[code], written, undefined, magnitude, place),
  ),
];

function verbalizeMatch(match: RegExpExecArray, place: MatchContext): string | undefined {
  const [, country = '', sign = '', first = '', firstMagnitude, , last, magnitude, period] = match;
  const letters = country.toUpperCase();
  const local = letters === 'R' ? REAL : PESO_COUNTRIES.has(letters) ? CURRENCIES['₱'] : undefined;
  const named = (sign === '$' ? local : undefined) ?? CURRENCIES[sign];
  const name = COUNTRIES[letters] ?? COUNTRIES[country];
  const prefix = name === undefined ? '' : `${name} `;
  const currency = named && { ...named, one: prefix + named.one, many: prefix + named.many };
  const per = period ? ` per ${PERIODS[period.toLowerCase()]}` : '';
  if (firstMagnitude && last && magnitude && findScale(firstMagnitude) !== findScale(magnitude)) {
    const end = verbalizeAmount(currency, last, undefined, magnitude, place);
    return end && `${verbalizeNumber(first)} ${findScale(firstMagnitude)} to ${end}${per}`;
  }
  const amount = verbalizeAmount(currency, first, last, magnitude, place);
  return amount && amount + per;
}

function findScale(magnitude: string): string {
  return MAGNITUDES[magnitude.toLowerCase()] ?? magnitude.toLowerCase();
}

function verbalizeAmount(
  currency: Noun | undefined,
  first: string,
  last: string | undefined,
  magnitude: string | undefined,
  place: MatchContext,
): string | undefined {
  if (currency === undefined) return undefined;
  if (magnitude) {
    const scale = findScale(magnitude);
    return `${verbalizeQuantity(first, last)} ${scale} ${selectUnit(currency, isHyphenated(place), place)}`;
  }
  if (last) return `${verbalizePlainAmount(currency, first, place)} to ${verbalizePlainAmount(currency, last, place)}`;
  return verbalizePlainAmount(currency, first, place);
}

function verbalizePlainAmount(currency: Noun, written: string, place: MatchContext): string {
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
function isHyphenated({ text, at, end, after }: MatchContext): boolean {
  return /\d-\p{L}/u.test(text.slice(at, end)) && /^[\s-]\p{L}/u.test(after);
}

function selectUnit(currency: Noun, isSingle: boolean, place: MatchContext): string {
  return isSingle || isAttribute(place) ? currency.one : currency.many;
}

/** "£1,250pcm", "£300pw" */
export const rentPeriodRule = rule(/p(cm|w|a|p)(?!\p{L})/u, ([, period], place) =>
  /[£€$]\s?\d[\d,.]{0,10}k?\s?$/.test(place.before)
    ? ` per ${{ cm: 'calendar month', w: 'week', a: 'year', p: 'person' }[period ?? '']}`
    : undefined,
);

/** "$3-a-gal. gas" */
export const priceUnitRule = rule(/(gal|lb|yr|hr|mo|wk|oz|mi|bbl)\.?(?=\s\p{Ll})/u, ([, name = ''], place) =>
  /\d-an?-$/.test(place.before) ? PERIODS[name] : undefined,
);

/** "89.49/$" */
export const exchangeRateRule = rule(/\/([$€£¥])(?!\d)/u, ([, sign = ''], place) =>
  /\d$/.test(place.before) ? ` per ${CURRENCIES[sign]?.one}` : undefined,
);

/** "birds/day", "of rain/hr" */
export const perPeriodRule = rule(
  new RegExp(
    `\\/(${buildAlternatives(Object.keys(RATES).filter((name) => name.length > 1))}|s)(?![\\p{L}\\p{N}/])(?:\\.(?=[,;)]|\\s\\p{Ll}))?`,
    'iu',
  ),
  ([, name = ''], place) =>
    /(?:^|\s)(?:\p{Ll}{2,20}s|people|rain|snow|water|fuel|oil|gas|\d{1,4}x?|[A-Z]{3}|€|CO[2₂]|(?:\d\s)?(?:ft|in|mi|gal|lb|bbl)\.)$|\d\s?(?:°[CF]|%)$/u.test(
      place.before,
    )
      ? ` per ${name === 's' ? 'second' : PERIODS[name.toLowerCase()]}`
      : undefined,
);
