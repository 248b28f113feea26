import { digitsToWords, findTable, type MatchContext, parseTable, parseWords } from '../language.ts';
import { type Nouns, parseNouns } from '../shared/amounts.ts';
import { createCardinal, groupThousands } from '../shared/numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const ONES = parseWords(findTable(tables, 'ones'));
const TENS = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES = ['', ' thousand', ' million', ' billion', ' trillion'];

/** "1234" → "one thousand two hundred thirty-four". */
export const verbalizeCardinal = createCardinal({
  ones: ONES,
  verbalizeWhole: (digits) =>
    groupThousands(digits)
      .map(({ value, power }) => verbalizeBelowThousand(value) + SCALES[power])
      .join(' '),
});

export function spellDigits(digits: string): string {
  return digitsToWords(digits, ONES);
}

/** @param written with thousands separators and a decimal point: "1,234.5", ".5" */
export function verbalizeNumber(written: string): string {
  const [whole = '', decimals] = written.replace(/,/g, '').split('.');
  const wholeWords = whole === '' ? '' : verbalizeCardinal(whole);
  return decimals ? `${wholeWords} point ${spellDigits(decimals)}`.trim() : wholeWords;
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const words = [];
  if (hundreds > 0) words.push(`${ONES[hundreds]} hundred`);
  if (value % 100 > 0) words.push(verbalizeBelowHundred(value % 100));
  return words.join(' ');
}

function verbalizeBelowHundred(value: number): string {
  const ones = ONES[value];
  if (ones !== undefined) return ones;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens}-${ONES[value % 10]}`;
}

const IRREGULAR = parseTable(findTable(tables, 'irregular'));

/** "23" → "twenty-third". */
export function verbalizeOrdinal(digits: string): string {
  return verbalizeCardinal(digits).replace(/[a-z]+$/, toOrdinalWord);
}

/** "3" and "4" → "three quarters"; "1" and "2" → "one half". */
export function verbalizeFraction(numerator: string, denominator: string): string {
  const isOne = Number(numerator) === 1;
  return `${verbalizeCardinal(numerator)} ${verbalizeDenominator(denominator, isOne)}`;
}

/** After a whole number: "1/8" → "an eighth" of "six and an eighth". */
export function verbalizeAddedFraction(numerator: string, denominator: string): string {
  return verbalizeFraction(numerator, denominator).replace(/^one (e?)/, (_one, vowel: string) =>
    vowel ? 'an e' : 'a ',
  );
}

/** "mile" → "miles", "sixty" → "sixties". */
export function pluralize(word: string): string {
  if (word.endsWith('x')) return `${word}es`;
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

function verbalizeDenominator(denominator: string, isOne: boolean): string {
  const value = Number(denominator);
  if (value === 2) return isOne ? 'half' : 'halves';
  const word = value === 4 ? 'quarter' : verbalizeOrdinal(denominator);
  return isOne ? word : `${word}s`;
}

function toOrdinalWord(word: string): string {
  const irregular = IRREGULAR[word];
  if (irregular) return irregular;
  return word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`;
}

/** "1984" → "nineteen eighty-four", "2005" → "two thousand five". */
export function verbalizeYear(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 4 || value % 1000 < 10) return verbalizeCardinal(digits);
  return `${verbalizeCardinal(digits.slice(0, 2))} ${verbalizeYearEnding(digits.slice(2))}`;
}

/** The last two digits of a year: "00" → "hundred", "05" → "oh five", "84" → "eighty-four". */
export function verbalizeYearEnding(digits: string): string {
  if (digits === '00') return 'hundred';
  return digits.startsWith('0') ? `oh ${verbalizeCardinal(digits)}` : verbalizeCardinal(digits);
}

/** "1980" → "nineteen eighties", "90" → "nineties", "2000" → "two thousands". */
export function verbalizeDecade(digits: string): string {
  if (digits === '00') return 'two thousands';
  return (digits.length === 4 ? verbalizeYear(digits) : verbalizeCardinal(digits)).replace(/[a-z]+$/, pluralize);
}

/** Numbers of flights, rooms, roads and models, in pairs: "380" → "three eighty", "1549" → "fifteen forty-nine". */
export function verbalizeDigitPairs(digits: string): string {
  if (digits.length > 4 || (digits.length > 1 && digits.startsWith('0'))) return spellDigits(digits);
  if (digits.length < 3 || /^\d0+$/.test(digits)) return verbalizeCardinal(digits);
  const split = digits.length - 2;
  return `${verbalizeCardinal(digits.slice(0, split))} ${verbalizeYearEnding(digits.slice(split))}`;
}

/** Pattern of a number with separators or decimals. Bounded, and never a part of a longer number. */
export const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,12})?|\.\d{1,12}`;
/** Pattern of a raised number. Not ¹ alone: that marks a footnote. */
export const POWER = '⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|[²³⁴⁵⁶⁷⁸⁹]';

/** "²" → "squared", "⁻²⁷" → "to the power of minus twenty-seven". */
export function verbalizePower(raised: string): string {
  if (raised === '²') return 'squared';
  if (raised === '³') return 'cubed';
  const digits = raised.replace('⁻', '').normalize('NFKC');
  return `to the power of ${raised.startsWith('⁻') ? 'minus ' : ''}${verbalizeCardinal(digits)}`;
}

/** Pattern of the dash in a range. */
export const RANGE_DASH = String.raw`(?:\s?[-‐‑–—−]\s?)`;

/** Before a number of a place or a part: "Apartment 4B", "Gate 12". */
export const PLACE_BEFORE =
  /\b(?:apt\.?|apartment|unit|room|rm\.?|suite|gate|section|seat|row|group|no\.|exit|pier|berth|route|rte\.?|hwy\.?|highway|building|bldg\.?|flat|floor|platform|zone|area|district|block|lot|level|line|terminal|track|stage|grade|class|schedule|exhibit|appendix|article|title|chapter|item|figure|table|runway|lane|dock|hall|ward|cell|page|rule|form|type|phase|pod|case|gallery|booth|bay|slot|stall|locker|cabin|bed|vault|shelf|aisle|long march)\s$/i;

export const ATTRIBUTE_FOLLOWS =
  /^[\s-](?!(?:a|about|across|after|against|ago|and|apart|are|around|as|at|away|because|before|below|between|but|by|cut|cuts|reduced|lowered|raised|beat|beats|hit|hits|boosted|helped|made|makes|deep|due|during|each|extra|fell|for|from|had|has|have|high|last|next|each|every|apiece|annually|plus|compared|based|if|in|into|is|less|long|more|of|off|old|on|or|out|over|per|rose|short|since|so|tall|than|that|the|then|there|this|today|tomorrow|tonight|total|yesterday|through|to|under|until|up|was|went|were|when|which|while|who|wide|will|with|within|without|worth|would|(?:worldwide|domestically|globally|overall)(?=[,.;)]|$|\s(?:on|in|and|since|from|by|over|at|so|to|with|but)\b))\b)[a-z]{2,}/;
const DETERMINER_BEFORE =
  /(?:\b(?:an?|another|each|every|per|the|this|that|its|his|her|their|our|my|your|whose)|(?<!\b(?:it|that|what|he|she|there|here|who))['’]s|s['’])\s(?:(?!(?:and|are|as|at|be|been|but|by|cost|costs|for|from|had|has|have|in|is|of|on|or|paid|pay|pays|than|to|was|were|with|worth|lost|spent|raised)\s)[a-z\d,-]{1,20}\s){0,2}$/i;
/** Nouns after their price: "$1,400 checks". */
const PRICED_AFTER =
  /^\s(?:\p{Lu}\p{L}{1,15}\s)?(?:bail|bills?|bonds?|bonus(?:es)?|checks?|coins?|contracts?|coupons?|deals?|donations?|fees?|fines?|gifts?|grants?|jackpots?|lawsuits?|loans?|notes?|payments?|prizes?|rebates?|settlements?|tickets?|vouchers?|acquisitions?|awards?|bet|bid|bribes?|budgets?|buyouts?|campaigns?|cost|cut|debts?|extensions?|facilit(?:y|ies)|frauds?|fund|gaps?|heists?|homes?|houses?|increase|investments?|judgments?|lottery|mansions?|mergers?|offer|order|packages?|paydays?|penalt(?:y|ies)|plan|plants?|price\s?tags?|project|purchases?|purses?|ransoms?|renovations?|rewards?|robber(?:y|ies)|sale|scams?|schemes?|shortfalls?|stakes?|suits?|takeovers?|thefts?|upgrade|verdicts?|windfalls?|yachts?|raids?|jackpots?|deficits?|surplus(?:es)?|bailouts?|pledges?|hauls?)(?!\p{L})/u;

/** "10" → "ten", "10-15" → "ten to fifteen". */
export function verbalizeQuantity(first: string, last?: string): string {
  return last ? `${verbalizeNumber(first)} to ${verbalizeNumber(last)}` : verbalizeNumber(first);
}

/** A range of years: "1914", "1918" → "nineteen fourteen to nineteen eighteen"; "2019", "20" → "twenty nineteen to twenty". */
export function verbalizeYearRange(first: string, last: string): string {
  return `${verbalizeYear(first)} to ${last.length === 2 ? verbalizeYearEnding(last) : verbalizeYear(last)}`;
}

/** Whether a number with its unit is an attribute, so that the unit has no plural: "a 5 km race". */
export function isAttribute(place: MatchContext): boolean {
  if (/^-(?:an?|per)-\p{L}/u.test(place.after)) return true;
  // "a $2.9B-to-$3.4B gap"
  const end = /^-to-\p{Sc}[\d.,]{1,12}(?:\s?(?:million|billion|trillion|[KMBT])(?!\p{L}))?(.*)$/su.exec(
    place.after,
  )?.[1];
  if (end !== undefined) return DETERMINER_BEFORE.test(place.before) && ATTRIBUTE_FOLLOWS.test(end);
  // "the £1.7bn HS2 tunnel"
  const afterInitialism =
    /^\s[A-Z][A-Z\d]{1,5}(?=\s)(?!\s(?:paid|spent|owes?|lost|raised|made|said|needs?)(?!\p{L}))(.*)$/su.exec(
      place.after,
    )?.[1];
  if (afterInitialism !== undefined && DETERMINER_BEFORE.test(place.before) && ATTRIBUTE_FOLLOWS.test(afterInitialism))
    return true;
  // "a $425K, 30-year loan"; a headline: "$2B chip plant approved"
  if (DETERMINER_BEFORE.test(place.before) && /^,\s\d{1,4}-\p{L}/u.test(place.after)) return true;
  if (place.before === '' && !/[.!?…]["'”’)]?$/.test(place.text) && ATTRIBUTE_FOLLOWS.test(place.after)) return true;
  if (PRICED_AFTER.test(place.after)) return true;
  // "a 9mm Glock"
  if (/\ban?\s$/.test(place.before) && /^\s\p{Lu}\p{Ll}/u.test(place.after)) return true;
  return DETERMINER_BEFORE.test(place.before) && ATTRIBUTE_FOLLOWS.test(place.after);
}

export function isOne(written: string): boolean {
  return /^1(?:\.0{1,12})?$/.test(written);
}

/** Whether "m" or "k" after a number is a million or a thousand of something: "1.5m people", but "a 100m race". */
export function isCounting(place: MatchContext): boolean {
  // "20.4m Swiss francs"
  if (
    /^\s(?:\p{Lu}\p{L}{1,14}\s)?(?:francs|dollars|euros|pounds|pesos|yen|yuan|kron\w{1,2}|rupees|rubles|rand|shekels|lira)(?!\p{L})/u.test(
      place.after,
    )
  )
    return true;
  // "some 16m died", "killed 50m more"
  if (
    /^\s(?:face|faced|need|lack|rely|attend|attended|marched|crossed|registered|applied|received|returned|evacuated|died|dead|fled|live[sd]?|watched|voted|tuned\sin|signed|visited|used?|own|displaced|jobless|unemployed|infected|subscribed|downloaded|out\sof\s\d)(?!\p{L})/u.test(
      place.after,
    ) ||
    /\b(?:killed|killing|displaced|infected|employs?|serves?|sold)\s(?:some\s|about\s|nearly\s|over\s|more\sthan\s|almost\s|around\s)?$/.test(
      place.before,
    )
  )
    return true;
  // "a waiting list of 7.39m"
  if (
    /\b(?:waiting\slists?|population|audience|subs|subscribers|users|viewers|customers|members|total)\s(?:of\s|at\s|to\s|now\s)?$/i.test(
      place.before,
    )
  )
    return true;
  // "a 1.65m lens"
  if (/\b(?:an?|its|his|her)\s$/i.test(place.before)) return false;
  // "17.8m Alphabet shares"
  if (
    /^\s(?:\p{Lu}\p{L}{1,14}\s)?(?:shares|users|customers|subscribers|viewers|vehicles|doses|barrels|tonnes|(?:fewer|more)\s(?:are|were|have|will|\p{Ll}{3,}s))(?!\p{L})/u.test(
      place.after,
    )
  )
    return true;
  return /^\s(?:people|men|women|children|[a-z]{4,})(?<=people|men|women|children|[^s]s)\b(?<!\s(?:metres|meters|hurdles|across|finals|relays|always))/.test(
    place.after,
  );
}

export function parseEnglishNouns(entries: string): Nouns {
  return parseNouns(entries, (singular) => `${singular}s`);
}

/** Abbreviation → one of the unit and many, which are one with an s unless named. */
const UNITS = parseEnglishNouns(findTable(tables, 'units'));

/** Pattern of any unit, the longest first. */
export const UNIT = Object.keys(UNITS)
  .sort((one, other) => other.length - one.length)
  .map((unit) => unit.replace(/[.]/g, '\\.'))
  .join('|');

export function verbalizeUnit(unit: string, isSingle: boolean): string {
  const { one = unit, many = unit } = UNITS[unit] ?? {};
  return isSingle ? one : many;
}
