import { after, before, type Place, type Reader, reader, sentenceStop } from '../language.ts';
import { cardinal, numberWords, ordinal, year, yearEnding } from './cardinals.ts';

const HALF_OF_DAY = String.raw`([ap])\.?\s?m(?![\p{L}\p{N}])\.?`;
const RANGE = String.raw`(?:\s?[-–]\s?|\sto\s)`;

/** Times of day: "3:30 p.m.", "5pm", "5-7 p.m.", "15:45", "14:10:30". */
export const timeReaders: readonly Reader[] = [
  reader(
    new RegExp(
      `(\\d{1,2})(?:[:.]([0-5]\\d))?(?:\\s?${HALF_OF_DAY})?${RANGE}(\\d{1,2})(?:[:.]([0-5]\\d))?\\s?${HALF_OF_DAY}`,
      'iu',
    ),
    ([written, hour = '', minutes, half, lastHour = '', lastMinutes, lastHalf = ''], place) => {
      const first = `${clock(hour, minutes, true)}${half ? ` ${letters(half)}` : ''}`;
      return `${first} to ${clock(lastHour, lastMinutes, true)} ${letters(lastHalf)}${sentenceStop(written, place)}`;
    },
  ),
  reader(
    new RegExp(`(\\d{1,2})(?:[:.]([0-5]\\d))?\\s?${HALF_OF_DAY}`, 'iu'),
    ([written, hour = '', minutes, half = ''], place) =>
      Number(hour) > 24
        ? undefined
        : `${clock(hour, minutes, true)} ${letters(half)}${sentenceStop(written, place)}${/^\p{L}/u.test(after(place)) ? ' ' : ''}`,
  ),
  // How long something took: "2:04.18", "5h 13m"
  reader(
    /(\d{1,2}):([0-5]?\d\.\d{1,3})(?!\d)(?!\s?[ap]\.?m)/,
    ([, minutes = '', seconds = '']) =>
      `${count(minutes, 'minute')} ${numberWords(seconds)} seconds`,
  ),
  reader(
    /(\d{1,3})h\s?([0-5]?\d)m(?:in)?(?:\s?([0-5]?\d)s(?:ec)?)?(?![\p{L}\p{N}])/u,
    ([, hours = '', minutes = '', seconds]) =>
      `${count(hours, 'hour')} ${count(minutes, 'minute')}${seconds ? ` and ${count(seconds, 'second')}` : ''}`,
  ),
  reader(
    /(\d{1,2}):([0-5]\d):([0-5]\d)(?![\d:])/,
    ([, hours = '', minutes = '', seconds = '']) =>
      `${count(hours, 'hour')} ${count(minutes, 'minute')} and ${count(seconds, 'second')}`,
  ),
  reader(/(\d{1,2}):([0-5]\d)(?:[-–](\d{1,2}):([0-5]\d))?(?![\d:])/, readClock),
];

function readClock(
  [, hour = '', minutes = '', lastHour, lastMinutes]: RegExpExecArray,
  _place: Place,
): string | undefined {
  if (Number(hour) > 24) return undefined;
  const first = clock(hour, minutes, false);
  return lastHour ? `${first} to ${clock(lastHour, lastMinutes, false)}` : first;
}

/** The hour and its minutes, full hours with "o'clock" unless the half of the day follows. */
function clock(hour: string, minutes: string | undefined, hasHalf: boolean): string {
  if (!minutes) return cardinal(hour);
  if (minutes !== '00') return `${cardinal(hour)} ${yearEnding(minutes)}`;
  if (hasHalf) return cardinal(hour);
  return Number(hour) > 12 || Number(hour) === 0
    ? `${cardinal(hour)} hundred`
    : `${cardinal(hour)} o'clock`;
}

function letters(half: string): string {
  return `${half.toUpperCase()}.M`;
}

function count(digits: string, word: string): string {
  return `${cardinal(digits)} ${word}${Number(digits) === 1 ? '' : 's'}`;
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const MONTH = String.raw`(January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.?)`;
const DAY = String.raw`(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?`;
const LAST_DAY = String.raw`(?:\s?[-–]\s?(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:/]))?`;
const YEAR = String.raw`([12]\d{3})(?![\d,]\d|\d)`;

/** Dates that begin with a month: "March 3, 2024", "Sept. 15", "Jan-15", "June 2020". */
export const monthReaders: readonly Reader[] = [
  reader(
    new RegExp(
      `${MONTH}[\\s-]${DAY}${LAST_DAY}(?![\\d/:%]|[.,]\\d|\\p{L})(?:(,?\\s)${YEAR})?`,
      'iu',
    ),
    ([written, month = '', day = '', lastDay, comma, yearDigits]) => {
      // "they may 5 times" and "march 10 miles" are no dates.
      if (/^(?:may|march)/.test(written) && !/\d(?:st|nd|rd|th)/.test(written)) return undefined;
      const days = lastDay ? `${ordinal(day)} to ${ordinal(lastDay)}` : ordinal(day);
      const end = yearDigits ? `${comma} ${year(yearDigits)}`.replace(/\s{2}/, ' ') : '';
      return `${monthName(month)} ${days}${end}`;
    },
  ),
  reader(
    new RegExp(`${MONTH}(,?)\\s${YEAR}`, 'iu'),
    ([written, month = '', comma = '', digits = '']) =>
      /^(?:may|march)/.test(written) ? undefined : `${monthName(month)}${comma} ${year(digits)}`,
  ),
  reader(
    /(?:Jan|Feb|Mar|Apr|Aug|Sept|Sep|Oct|Nov|Dec)\.(?=\s[a-z]|\s['’‘]\d\d|,|$|[-–])/,
    ([month]) => monthName(month),
  ),
];

/** Dates that begin with a digit: "3 March 2024", "2024-03-03", "3/4/2024", "15.01.2020". */
export const digitDateReaders: readonly Reader[] = [
  reader(
    new RegExp(`${DAY}\\s${MONTH}(?!\\p{L})(?:,?\\s${YEAR})?`, 'iu'),
    ([written, day = '', month = '', digits], place) =>
      /\s(?:may|march|mar)$/.test(written)
        ? undefined
        : `${dayOfMonth(day, month, place)}${digits ? ` ${year(digits)}` : ''}`,
  ),
  reader(
    /([12]\d{3})-(\d{2})-(\d{2})T(\d{2}):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?:(Z)|([+-])(\d{2}):?([0-5]\d))?(?![\p{L}\p{N}])/u,
    readTimestamp,
  ),
  reader(
    /(1[3-9]|2\d|3[01])\.(0?[1-9]|1[0-2])\.([12]\d{3})(?!\d)/,
    ([, day = '', month = '', digits = '']) =>
      `the ${ordinal(day)} of ${MONTHS[Number(month) - 1]} ${year(digits)}`,
  ),
  reader(
    /([12]\d{3})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/,
    ([, digits = '', , month = '', day = '']) => dateWords(month, day, year(digits)),
  ),
  reader(/(\d{1,2})([/.-])(\d{1,2})\2([12]\d{3})(?!\d)/, readSlashed),
  reader(/(\d{1,2})(\/)(\d{1,2})\2(\d{2})(?!\d)/, readSlashed),
];

/** "2024-03-10T09:15Z" → "March tenth, twenty twenty-four, nine fifteen U.T.C". */
function readTimestamp([
  ,
  digits = '',
  month = '',
  day = '',
  hour = '',
  minutes = '',
  seconds,
  utc,
  sign,
  offsetHours = '',
  offsetMinutes = '',
]: RegExpExecArray): string | undefined {
  const date = dateWords(month, day, year(digits));
  if (date === undefined || Number(hour) > 24) return undefined;
  const time = `${cardinal(hour)} ${yearEnding(minutes)}`;
  const exact = seconds ? ` and ${cardinal(seconds)} seconds` : '';
  if (!utc && !sign) return `${date}, ${time}${exact}`;
  if (utc) return `${date}, ${time}${exact} U.T.C`;
  const offset = `${cardinal(offsetHours)}${offsetMinutes === '00' ? '' : ` ${cardinal(offsetMinutes)}`}`;
  return `${date}, ${time}${exact} U.T.C ${sign === '-' ? 'minus' : 'plus'} ${offset}`;
}

/** "the seventh of October", without the article where one stands already: "the 7 October attack". */
function dayOfMonth(day: string, month: string, place: Place): string {
  const article = /\b(?:the|this|that|last|every|each)\s$/i.test(before(place)) ? '' : 'the ';
  return `${article}${ordinal(day)} of ${monthName(month)}`;
}

function readSlashed([, first = '', , second = '', digits = '']: RegExpExecArray):
  | string
  | undefined {
  const spokenYear = digits.length === 4 ? year(digits) : cardinal(digits);
  return dateWords(first, second, spokenYear) ?? dateWords(second, first, spokenYear);
}

function dateWords(month: string, day: string, spokenYear: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (!name || Number(day) < 1 || Number(day) > 31) return undefined;
  return `${name} ${ordinal(day)}, ${spokenYear}`;
}

function monthName(written: string): string {
  const start = written.slice(0, 3).toLowerCase();
  return MONTHS.find((month) => month.toLowerCase().startsWith(start)) ?? written;
}
