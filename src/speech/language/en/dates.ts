import { before, type Place, type Reader, reader } from '../reader.ts';
import { cardinal } from './cardinals.ts';
import { ordinal } from './ordinals.ts';
import { year, yearEnding } from './years.ts';

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
