import { type NormalizationRule, parseTable, rule } from '../language.ts';
import { GAP } from '../shared/numbers.ts';
import { numberVerbalizer, verbalizeCardinal } from './numbers.ts';

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');
const SHORT_MONTHS = parseTable(`
  janv. = janvier; févr. = février; avr. = avril; juil. = juillet; sept. = septembre; oct. = octobre; nov. = novembre;
  déc. = décembre
`);
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const SHORT = Object.keys(SHORT_MONTHS).join('|').replaceAll('.', '\\.');

/** "03/05/2026", "24.12.1985", "2026-05-03", "14 juil."; a month written out needs no rule. */
export const dateRules: readonly NormalizationRule[] = [
  rule(/([12]\d{3})-(\d{2})-(\d{2})(?![\d-])/, ([, year = '', month = '', day = '']) =>
    verbalizeDate(day, month, year),
  ),
  rule(
    new RegExp(`${DAY}([/.-])(0?[1-9]|1[0-2])\\2([12]\\d{3}|\\d{2})(?!\\d|[./-]\\d)`),
    ([, day = '', , month = '', year = '']) =>
      verbalizeDate(day, month, year.length === 4 ? year : `${Number(year) > 50 ? 19 : 20}${year}`),
  ),
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(${SHORT})`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[month.toLowerCase()]}`,
  ),
  rule(
    /1(?=[ \u00a0](?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)\b)/u,
    () => 'premier',
  ),
];

/** "14 h 30", "7h05", "21:00". */
export const timeRules: readonly NormalizationRule[] = [
  rule(
    /([01]?\d|2[0-4])h([0-5]\d)?\s?[-–]\s?([01]?\d|2[0-4])h([0-5]\d)?(?![\p{L}\p{N}])/u,
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      `${verbalizeClock(hour, minute)} à ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(
    /([01]?\d|2[0-4])[ \u00a0\u202f]?(?:h|heures?)[ \u00a0\u202f]?([0-5]\d)?(?![\p{L}\p{N}/])/u,
    ([, hour = '', minute]) => verbalizeClock(hour, minute),
  ),
  rule(/([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/, ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  rule(
    /(\d{1,3}):(\d{1,3})(?![\d:])/,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} à ${verbalizeCardinal(last)}`,
  ),
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
  if (name === undefined || Number(day) < 1 || Number(day) > 31) return undefined;
  return `${verbalizeDay(day)} ${name} ${verbalizeCardinal(year)}`;
}
