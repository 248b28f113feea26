import { after, before, type Place, type Reader, reader } from '../language.ts';
import { cardinal, endingOf, numberSpeech, numberWords, ordinalStem, year } from './numbers.ts';

const HOUR = '([01]?\\d|2[0-4])';
const MINUTE = '([0-5]\\d)';
const CLOCK = `${HOUR}(?:[:.]${MINUTE})?`;

/** "14:30 Uhr", "8-17 Uhr", "20:45"; a score has one digit behind the colon, or is no time: "3:2", "34:28". */
export const timeReaders: readonly Reader[] = [
  reader(
    new RegExp(`${CLOCK}(?:\\sUhr)?\\s?(?:[-–]|bis)\\s?${CLOCK}\\s?(?:Uhr|h)(?!\\p{L})`, 'u'),
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      minute === undefined
        ? `${hours(hour)} bis ${clock(lastHour, lastMinute)}`
        : `${clock(hour, minute)} bis ${clock(lastHour, lastMinute)}`,
  ),
  reader(new RegExp(`${CLOCK}[ \\u00a0\\u202f]?Uhr(?!\\p{L})`, 'u'), ([, hour = '', minute]) =>
    clock(hour, minute),
  ),
  reader(
    /(\d{1,2}):([0-5]\d):([0-5]\d)(?:,\d{1,3})?[ \u00a0]?(?:Std\.|Stunden|h)(?!\p{L})/u,
    ([, hour = '', minute = '', second = '']) =>
      `${counted(hour, 'Stunde')} ${counted(minute, 'Minute')} ${counted(second, 'Sekunde')}`,
  ),
  reader(new RegExp(`${HOUR}:${MINUTE}(?![\\d:])`), ([, hour = '', minute = '']) =>
    clock(hour, minute),
  ),
  reader(
    /(\d{1,3}):(\d{1,3})(?![\d:])/,
    ([, first = '', last = '']) => `${cardinal(first)} zu ${cardinal(last)}`,
  ),
];

function clock(hour: string, minute: string | undefined): string {
  const rest = Number(minute ?? 0) === 0 ? '' : ` ${cardinal(minute ?? '')}`;
  return `${hours(hour)} Uhr${rest}`;
}

function hours(hour: string): string {
  return numberSpeech.counted(String(Number(hour)), 'masculine');
}

function counted(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberSpeech.counted(number, 'feminine')} ${number === '1' ? noun : `${noun}n`}`;
}

const MONTHS =
  'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');
const WEEKDAYS: Readonly<Record<string, string>> = {
  Mo: 'Montag',
  Di: 'Dienstag',
  Mi: 'Mittwoch',
  Do: 'Donnerstag',
  Fr: 'Freitag',
  Sa: 'Samstag',
  So: 'Sonntag',
};
const MONTH =
  '(Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\\.?)';
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const YEAR = '([12]\\d{3})(?![\\d]|[.,]\\d)';
const SHORT_DATE_BEFORE = /\b(?:am|vom|bis|zum|ab|seit|den|dem|zwischen|und)\s$/iu;
const YEAR_BEFORE =
  /(?:\b(?:jahre?s?|jahren|seit|von|bis|in|ab|anno|um|zwischen|ende|anfang|mitte|nach|vor|und|sommer|winter|herbst|frühling|frühjahr|oktober|januar|februar|märz|april|mai|juni|juli|august|september|november|dezember)\s|\()$/iu;
const COUNTED_AFTER = /^[ \u00a0](?:\p{Lu}\p{Ll}|(?:neue|weitere|andere|junge)\w{0,2}\s)/u;

/** "3. Mai 2026", "03.05.2026", "2026-05-03". */
export const dateReaders: readonly Reader[] = [
  reader(
    new RegExp(`${DAY}\\.\\s?${MONTH}(?!\\p{L})(?:\\s${YEAR})?`, 'u'),
    ([, day = '', month = '', digits], place) => dateWords(day, monthNumber(month), digits, place),
  ),
  reader(
    new RegExp(`${DAY}\\.\\s?(0?[1-9]|1[0-2])\\.\\s?${YEAR}`),
    ([, day = '', month = '', digits], place) => dateWords(day, Number(month), digits, place),
  ),
  reader(
    new RegExp(`${DAY}\\.(0?[1-9]|1[0-2])\\.(\\d{2})(?![\\d.])`),
    ([, day = '', month = '', short], place) =>
      dateWords(day, Number(month), `${Number(short) > 50 ? 19 : 20}${short}`, place),
  ),
  reader(new RegExp(`${DAY}\\.(0?[1-9]|1[0-2])\\.(?!\\d)`), ([, day = '', month = ''], place) =>
    SHORT_DATE_BEFORE.test(before(place))
      ? dateWords(day, Number(month), undefined, place)
      : undefined,
  ),
  reader(/([12]\d{3})-(\d{2})-(\d{2})(?![\d-])/, ([, digits, month = '', day = ''], place) =>
    Number(day) < 1 || Number(day) > 31 ? undefined : dateWords(day, Number(month), digits, place),
  ),
];

/** "Aug. 2025", where no day stands before; "Mo. bis Fr.". */
export const monthReaders: readonly Reader[] = [
  reader(/(Mo|Di|Mi|Do|Fr|Sa|So)\.(?=,|[-–]|\s(?:\p{Ll}|\d))/u, ([, day = '']) => WEEKDAYS[day]),
  reader(
    /(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\.(?=\s\d|\s\p{Ll}|,)/u,
    ([month]) => MONTHS[monthNumber(month) - 1],
  ),
];

/** Decades and ranges of years: "1990er Jahre", "80er-Jahre", "2018–2022", "1914/18". */
export const yearReaders: readonly Reader[] = [
  reader(/(\d{3}0|\d0)er[- ](?=[Jj]ahre)/u, ([, digits = '']) => `${year(digits)}er `),
  reader(
    /(\d{2,4})er(n?)(?!\p{L})/u,
    ([, digits = '', plural = '']) => `${year(digits)}er${plural}`,
  ),
  reader(/([12]\d{3})\s?[-–—]\s?([12]\d{3})(?![\d]|[.,:/-]\d)/, ([, first = '', last = '']) =>
    Number(first) < Number(last) && Number(last) < 2100
      ? `${year(first)} bis ${year(last)}`
      : undefined,
  ),
  reader(
    /([12]\d{3})\/(\d{4}|\d{2})(?![\d/])/,
    ([, first = '', last = '']) =>
      `${year(first)} ${last.length === 4 ? year(last) : cardinal(last)}`,
  ),
];

const NAMED_BEFORE = /(?:resolution|nummer|zimmer|boeing|flug|raum|modell|porsche|linie|nr\.)\s$/iu;

/** A number that may be a year: four digits without a separator that count nothing. */
export function numberOrYear(written: string, place: Place): string {
  if (!/^1[1-9]\d\d$/.test(written)) return numberWords(written);
  if (NAMED_BEFORE.test(before(place))) return numberWords(written);
  const isYear = YEAR_BEFORE.test(before(place)) || !COUNTED_AFTER.test(after(place));
  return isYear ? year(written) : numberWords(written);
}

function monthNumber(written: string): number {
  if (written === 'Jänner') return 1;
  const start = written.slice(0, 3);
  return MONTHS.findIndex((month) => month.startsWith(start)) + 1;
}

function dateWords(day: string, month: number, digits: string | undefined, place: Place) {
  const name = MONTHS[month - 1];
  if (name === undefined) return undefined;
  // The ending follows what stands before, not what comes after the date.
  const ending = endingOf({ ...place, end: place.text.length });
  return `${ordinalStem(day)}${ending} ${name}${digits ? ` ${year(digits)}` : ''}`;
}
