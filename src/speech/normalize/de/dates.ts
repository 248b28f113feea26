import {
  contextAfter,
  contextBefore,
  type MatchContext,
  type NormalizationRule,
  parseTable,
  rule,
} from '../language.ts';
import {
  buildOrdinalStem,
  findAdjectiveEnding,
  numberVerbalizer,
  verbalizeCardinal,
  verbalizeNumber,
  verbalizeYear,
} from './numbers.ts';

const HOUR = '([01]?\\d|2[0-4])';
const MINUTE = '([0-5]\\d)';
const CLOCK = `${HOUR}(?:[:.]${MINUTE})?`;

/** "14:30 Uhr", "8-17 Uhr", "20:45"; a score has one digit behind the colon, or is no time: "3:2", "34:28". */
export const timeRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`${CLOCK}(?:\\sUhr)?\\s?(?:[-–]|bis)\\s?${CLOCK}\\s?(?:Uhr|h)(?!\\p{L})`, 'u'),
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      minute === undefined
        ? `${verbalizeHours(hour)} bis ${verbalizeClock(lastHour, lastMinute)}`
        : `${verbalizeClock(hour, minute)} bis ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(new RegExp(`${CLOCK}[ \\u00a0\\u202f]?Uhr(?!\\p{L})`, 'u'), ([, hour = '', minute]) =>
    verbalizeClock(hour, minute),
  ),
  rule(
    /(\d{1,2}):([0-5]\d):([0-5]\d)(?:,\d{1,3})?[ \u00a0]?(?:Std\.|Stunden|h)(?!\p{L})/u,
    ([, hour = '', minute = '', second = '']) =>
      `${verbalizeCount(hour, 'Stunde')} ${verbalizeCount(minute, 'Minute')} ${verbalizeCount(second, 'Sekunde')}`,
  ),
  rule(new RegExp(`${HOUR}:${MINUTE}(?![\\d:])`), ([, hour = '', minute = '']) => verbalizeClock(hour, minute)),
  rule(
    /(\d{1,3}):(\d{1,3})(?![\d:])/,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} zu ${verbalizeCardinal(last)}`,
  ),
];

function verbalizeClock(hour: string, minute: string | undefined): string {
  const rest = Number(minute ?? 0) === 0 ? '' : ` ${verbalizeCardinal(minute ?? '')}`;
  return `${verbalizeHours(hour)} Uhr${rest}`;
}

function verbalizeHours(hour: string): string {
  return numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'masculine');
}

function verbalizeCount(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${number === '1' ? noun : `${noun}n`}`;
}

const MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');
const WEEKDAYS = parseTable(`
  Mo = Montag; Di = Dienstag; Mi = Mittwoch; Do = Donnerstag; Fr = Freitag; Sa = Samstag; So = Sonntag
`);
const MONTH =
  '(Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\\.?)';
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const YEAR = '([12]\\d{3})(?![\\d]|[.,]\\d)';
const SHORT_DATE_BEFORE = /\b(?:am|vom|bis|zum|ab|seit|den|dem|zwischen|und)\s$/iu;
const YEAR_BEFORE =
  /(?:\b(?:jahre?s?|jahren|seit|von|bis|in|ab|anno|um|zwischen|ende|anfang|mitte|nach|vor|und|sommer|winter|herbst|frühling|frühjahr|oktober|januar|februar|märz|april|mai|juni|juli|august|september|november|dezember)\s|\()$/iu;
const COUNTED_AFTER = /^[ \u00a0](?:\p{Lu}\p{Ll}|(?:neue|weitere|andere|junge)\w{0,2}\s)/u;

/** "3. Mai 2026", "03.05.2026", "2026-05-03". */
export const dateRules: readonly NormalizationRule[] = [
  rule(new RegExp(`${DAY}\\.\\s?${MONTH}(?!\\p{L})(?:\\s${YEAR})?`, 'u'), ([, day = '', month = '', digits], place) =>
    verbalizeDate(day, getMonthNumber(month), digits, place),
  ),
  rule(new RegExp(`${DAY}\\.\\s?(0?[1-9]|1[0-2])\\.\\s?${YEAR}`), ([, day = '', month = '', digits], place) =>
    verbalizeDate(day, Number(month), digits, place),
  ),
  rule(new RegExp(`${DAY}\\.(0?[1-9]|1[0-2])\\.(\\d{2})(?![\\d.])`), ([, day = '', month = '', short], place) =>
    verbalizeDate(day, Number(month), `${Number(short) > 50 ? 19 : 20}${short}`, place),
  ),
  rule(new RegExp(`${DAY}\\.(0?[1-9]|1[0-2])\\.(?!\\d)`), ([, day = '', month = ''], place) =>
    SHORT_DATE_BEFORE.test(contextBefore(place)) ? verbalizeDate(day, Number(month), undefined, place) : undefined,
  ),
  rule(/([12]\d{3})-(\d{2})-(\d{2})(?![\d-])/, ([, digits, month = '', day = ''], place) =>
    Number(day) < 1 || Number(day) > 31 ? undefined : verbalizeDate(day, Number(month), digits, place),
  ),
];

/** "Aug. 2025", where no day stands before; "Mo. bis Fr.". */
export const monthRules: readonly NormalizationRule[] = [
  rule(/(Mo|Di|Mi|Do|Fr|Sa|So)\.(?=,|[-–]|\s(?:\p{Ll}|\d))/u, ([, day = '']) => WEEKDAYS[day]),
  rule(
    /(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\.(?=\s\d|\s\p{Ll}|,)/u,
    ([month]) => MONTHS[getMonthNumber(month) - 1],
  ),
];

/** Decades and ranges of years: "1990er Jahre", "80er-Jahre", "2018–2022", "1914/18". */
export const yearRules: readonly NormalizationRule[] = [
  rule(/(\d{3}0|\d0)er[- ](?=[Jj]ahre)/u, ([, digits = '']) => `${verbalizeYear(digits)}er `),
  rule(/(\d{2,4})er(n?)(?!\p{L})/u, ([, digits = '', plural = '']) => `${verbalizeYear(digits)}er${plural}`),
  rule(/([12]\d{3})\s?[-–—]\s?([12]\d{3})(?![\d]|[.,:/-]\d)/, ([, first = '', last = '']) =>
    Number(first) < Number(last) && Number(last) < 2100
      ? `${verbalizeYear(first)} bis ${verbalizeYear(last)}`
      : undefined,
  ),
  rule(
    /([12]\d{3})\/(\d{4}|\d{2})(?![\d/])/,
    ([, first = '', last = '']) =>
      `${verbalizeYear(first)} ${last.length === 4 ? verbalizeYear(last) : verbalizeCardinal(last)}`,
  ),
];

const NAMED_BEFORE = /(?:resolution|nummer|zimmer|boeing|flug|raum|modell|porsche|linie|nr\.)\s$/iu;

/** A number that may be a year: four digits without a separator that count nothing. */
export function verbalizeNumberOrYear(written: string, place: MatchContext): string {
  if (!/^1[1-9]\d\d$/.test(written)) return verbalizeNumber(written);
  if (NAMED_BEFORE.test(contextBefore(place))) return verbalizeNumber(written);
  const isYear = YEAR_BEFORE.test(contextBefore(place)) || !COUNTED_AFTER.test(contextAfter(place));
  return isYear ? verbalizeYear(written) : verbalizeNumber(written);
}

function getMonthNumber(written: string): number {
  if (written === 'Jänner') return 1;
  const start = written.slice(0, 3);
  return MONTHS.findIndex((month) => month.startsWith(start)) + 1;
}

function verbalizeDate(day: string, month: number, digits: string | undefined, place: MatchContext) {
  const name = MONTHS[month - 1];
  if (name === undefined) return undefined;
  // The ending follows what stands before, not what comes after the date.
  const ending = findAdjectiveEnding({ ...place, end: place.text.length });
  return `${buildOrdinalStem(day)}${ending} ${name}${digits ? ` ${verbalizeYear(digits)}` : ''}`;
}
