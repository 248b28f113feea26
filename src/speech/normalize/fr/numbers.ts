import { findTable, type NormalizationRule, parseTable, parseWords, rule, wordSet } from '../language.ts';
import { createNounParser, type MoneyWords } from '../shared/amounts.ts';
import {
  createNumericDateRules,
  createRaceTimeRules,
  createShortDateRule,
  createSpanRules,
  createWeekdayRule,
} from '../shared/dates.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, createResultRule, GAP, groupThousands } from '../shared/numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const parseNouns = createNounParser('s');

const ONES = parseWords(findTable(tables, 'ones'));
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
const { verbalizeCardinal } = numberVerbalizer;

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

/** "21" → "vingt et unième". */
export function verbalizeOrdinal(digits: string): string {
  if (Number(digits) === 1) return 'premier';
  const words = verbalizeCardinal(digits).replace(/(cent|vingt|million|milliard)s$/, '$1');
  if (words.endsWith('cinq')) return `${words}uième`;
  if (words.endsWith('neuf')) return `${words.slice(0, -1)}vième`;
  return `${words.replace(/e$/, '')}ième`;
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const remainder = value % 100;
  const words: string[] = [];
  if (hundreds > 0) {
    const hundred = remainder === 0 && hundreds > 1 ? 'cents' : 'cent';
    words.push(hundreds === 1 ? 'cent' : `${ONES[hundreds]} ${hundred}`);
  }
  if (remainder > 0) words.push(verbalizeBelowHundred(remainder));
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

const NO_NOUN = wordSet('des dans les ses ces mes tes plus pas puis sous sans mais chez vers trois deux six dix');
/** With the ending of a feminine noun. */
const MASCULINE = wordSet(findTable(tables, 'masculine'));
const FEMININE = wordSet(findTable(tables, 'feminine'));

/** @returns undefined for a masculine noun and for other words */
export function guessGender(noun: string): 'feminine' | undefined {
  const singular = noun.replace(/(?<=\p{L}{2})s$/u, '').replace('oe', 'œ');
  if (MASCULINE.has(singular)) return undefined;
  const isFeminine =
    FEMININE.has(singular) ||
    FEMININE.has(noun) ||
    /(?:tion|sion|[iélnrs]té|tié|esse|[aeio]sse|[ae]nce|[rn]se|usse|ppe|mpe|[^e]une|[^gq]ue|tte|thèque|ale|ace|once|[^o]ine|ure|ette|ière|[ae]ine|[^oa]ine|euse|trice|tive|ose|ille|[eo]nne|elle|otte|ade|tude|ise|[^eu]ie|ée)$/u.test(
      singular,
    );
  return isFeminine ? 'feminine' : undefined;
}

export const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes: parseNouns(findTable(tables, 'magnitudes')),
  partitive: (number, { many }) => (/illi(?:on|ard)s?$/.test(number) ? (/^e/.test(many) ? "d'" : 'de ') : ''),
  inflectMagnitude: (words) => words.replace(/^un mille$/, 'mille').replace(/(cent|vingt)s mille$/, '$1 mille'),
};

export const units = parseNouns(findTable(tables, 'units'));

export const fractions: FractionWords = {
  denominators: parseNouns(findTable(tables, 'denominators')),
  signs: parseTable('½ = un demi; ⅓ = un tiers; ⅔ = deux tiers; ¼ = un quart; ¾ = trois quarts'),
  joint: 'et ',
  half: 'demi',
  halves: {
    ...{ masculine: 'demi', feminine: 'demie', before: { masculine: 'un demi ', feminine: 'une demi-' } },
    guessGender: (noun, isCounted) =>
      guessGender(noun) ?? (isCounted && /\p{L}{2}[sx]$/u.test(noun) && !NO_NOUN.has(noun) ? 'masculine' : undefined),
  },
  fixed: parseTable('20/20 = vingt vingt; 24/7 = vingt-quatre sept; 50/50 = cinquante cinquante'),
  verbalizeOther: (top, bottom) => `${verbalizeCardinal(top)} sur ${verbalizeCardinal(bottom)}`,
};

/** "24h/24", "7j/7". */
export const roundTheClockRules = [
  rule(/24 ?(?:h|heures)?\/24(?![\d/])/, () => 'vingt-quatre heures sur vingt-quatre'),
  rule(/7 ?(?:j|jours)?\/7(?![\d/])/, () => 'sept jours sur sept'),
];

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');
const SHORT_MONTHS = parseTable(findTable(tables, 'short months'));
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const SHORT = Object.keys(SHORT_MONTHS).join('|').replaceAll('.', '\\.');

const MONTH_ONLY_BEFORE = /(?:^|[\s(])(?:en|depuis|dès|fin|début|mi|jusqu['’]en|de|à)[\s-]$/iu;

/** "03/05/2026", "24.12.1985", "2026-05-03", "14 juil."; a month written out needs no rule. */
export const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules(verbalizeDate),
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(${SHORT})`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[month.toLowerCase()]}`,
  ),
  rule(
    /1(?=[ \u00a0](?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)\b)/u,
    () => 'premier',
  ),
  // "3 nov (AFP)", "12 nov 2024"
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(janv|févr|avr|juil|sept|oct|nov|déc)(?=\\s(?:[12]\\d{3}|[(–—-]))`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[`${month.toLowerCase()}.`]}`,
  ),
  // "en 05/2020"
  rule(/(0?[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\d/])/, ([, month = '', year = ''], { before }) =>
    MONTH_ONLY_BEFORE.test(before) ? `${MONTHS[Number(month) - 1]} ${verbalizeCardinal(year)}` : undefined,
  ),
  // "le 1er/04"
  rule(/1er\/(0?[1-9]|1[0-2])(?![\d/])/, ([, month = '']) => `premier ${MONTHS[Number(month) - 1]}`),
  // "les 17/18/19 mars", "les 5-6 juin"
  rule(new RegExp(`(\\d{1,2}(?:[/-]\\d{1,2}){1,3})(?= (?:${MONTHS.join('|')})(?!\\p{L}))`, 'u'), ([written], place) =>
    /(?:^|\s)les\s$/iu.test(place.before) && (written.includes('/') || written.split('-').length > 2)
      ? written.split(/[/-]/).map(verbalizeDay).join(' ')
      : undefined,
  ),
  // "le 7/11", "du 3 au 7/11"
  createShortDateRule(
    /(?:^|[^\p{L}])(?:(?:du|entre le)\s\S{1,6}\s(?:au|et le)|jusqu['’]au|dès le|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|(?:lun|mar|mer|jeu|ven|sam|dim)\.),?\s$/iu,
    /(?:^|[^\p{L}])(?:le|du|au|les?\s\d{1,2}(?:\/\d{1,2})?,?\s(?:et|ou))\s$/iu,
    (day, month) => `${verbalizeDay(day)} ${MONTHS[month - 1]}`,
  ),
];

/** "14 h 30", "7h05", "21:00". */
export const timeRules: readonly NormalizationRule[] = [
  // "45e+2"
  rule(
    /(\d{1,3})e\s?\+\s?(\d{1,2})(?![\d%])/,
    ([, minute = '', extra = '']) => `${verbalizeOrdinal(minute)} plus ${verbalizeCardinal(extra)}`,
  ),
  // "au 3T"
  rule(
    /([1-4])T(?=\s20\d\d|(?<=(?:^|\s)(?:au|du|le)\s\dT)(?![\p{L}\p{N}]))/u,
    ([, quarter = '']) => `${verbalizeOrdinal(quarter)} trimestre`,
  ),
  rule(
    /([01]?\d|2[0-4])h([0-5]\d)?\s?[-–]\s?([01]?\d|2[0-4])h([0-5]\d)?(?![\p{L}\p{N}])/u,
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      `${verbalizeClock(hour, minute)} à ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(
    /([01]?\d|2[0-4])[ \u00a0\u202f]?(?:[hH]|heures?)(?:[ \u00a0\u202f]?([0-5]\d))?(?![\p{L}\p{N}]|\/\d)/u,
    ([, hour = '', minute]) => verbalizeClock(hour, minute),
  ),
  ...createSpanRules(
    numberVerbalizer,
    'd = degré|degrés; h = heure|heures|feminine; m = minute|minutes|feminine; s = seconde|secondes|feminine',
  ),
  // "1min32"
  rule(
    /(\d{1,2}) ?min([0-5]\d)(?![\p{L}\p{N}])/u,
    ([, minutes = '', seconds = '']) => `${verbalizeSpan(minutes, 'minute')} ${verbalizeCardinal(seconds)}`,
  ),
  // "3€50"
  rule(
    /(\d{1,4}) ?€ ?(\d{2})(?!\d|[.,]\d)/u,
    ([, euros = '', cents = '']) =>
      `${verbalizeCardinal(euros)} ${Number(euros) < 2 ? 'euro' : 'euros'} ${verbalizeCardinal(cents)}`,
  ),
  rule(/([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/, ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  // "1m85"
  rule(
    /(\d{1,2})[ \u00a0]?m[ \u00a0]?(\d{2})(?![\p{L}\p{N}])/u,
    ([, metres = '', centimetres = '']) =>
      `${verbalizeCardinal(metres)} ${metres === '1' ? 'mètre' : 'mètres'} ${verbalizeCardinal(centimetres)}`,
  ),

  createResultRule(numberVerbalizer, 'à'),
];

function verbalizeClock(hour: string, minute: string | undefined): string {
  const hours = String(Number(hour));
  const words = `${numberVerbalizer.verbalizeQuantity(hours, 'feminine')} ${Number(hours) < 2 ? 'heure' : 'heures'}`;
  return Number(minute ?? 0) === 0
    ? words
    : `${words} ${numberVerbalizer.verbalizeQuantity(String(Number(minute)), 'feminine')}`;
}

function verbalizeDay(written: string): string {
  return /^0?1(?:er)?$/.test(written) ? 'premier' : verbalizeCardinal(written);
}

function verbalizeDate(day: string, month: string, year: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return undefined;
  return `${verbalizeDay(day)} ${name} ${verbalizeCardinal(year)}`;
}

/** "9"84", "1'12''": results of races. */
export const raceTimeRules = [
  // "4\" devant Ferrand-Prévot"
  rule(/(\d{1,2})(?:["″”]|'')(?=\s(?:devant|derrière|d['’]|de|sur|du)(?!\p{L}))/u, ([, seconds = '']) =>
    verbalizeSpan(seconds, 'seconde'),
  ),
  // "à 7\"."
  rule(/(\d{1,2})(?:["″”]|'')(?=[.,;)]|$)/, ([, seconds = ''], place) =>
    /(?:^|\s)(?:à|de|en)\s$/u.test(place.before) ? verbalizeSpan(seconds, 'seconde') : undefined,
  ),
  ...createRaceTimeRules(
    numberVerbalizer,
    'h = heure|heures|feminine; m = minute|minutes|feminine; s = seconde|secondes|feminine',
  ),
];

function verbalizeSpan(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${Number(number) < 2 ? noun : `${noun}s`}`;
}

/** "du mar. au dim." */
export const weekdayRule = createWeekdayRule(
  'lundi mardi mercredi jeudi vendredi samedi dimanche'.split(' '),
  /(?:^|[\s(])(?:du|au|le|les|et)\s$/u,
);
