import { type MatchContext, type NormalizationRule, rule, sentenceStop } from '../language.ts';
import {
  verbalizeCardinal,
  verbalizeNumber,
  verbalizeOrdinal,
  verbalizeYear,
  verbalizeYearEnding,
} from './cardinals.ts';

const HALF_OF_DAY = String.raw`([ap])\.?\s?m(?![\p{L}\p{N}])\.?`;
const RANGE = String.raw`(?:\s?[-–]\s?|\sto\s)`;

/** Times of day: "3:30 p.m.", "5pm", "5-7 p.m.", "15:45", "14:10:30". */
export const timeRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(
      `(\\d{1,2})(?:[:.]([0-5]\\d))?(?:\\s?${HALF_OF_DAY})?${RANGE}(\\d{1,2})(?:[:.]([0-5]\\d))?\\s?${HALF_OF_DAY}`,
      'iu',
    ),
    ([written, hour = '', minutes, half, lastHour = '', lastMinutes, lastHalf = ''], place) => {
      const first = `${verbalizeClock(hour, minutes, true)}${half ? ` ${spellHalfOfDay(half)}` : ''}`;
      return `${first} to ${verbalizeClock(lastHour, lastMinutes, true)} ${spellHalfOfDay(lastHalf)}${sentenceStop(written, place)}`;
    },
  ),
  rule(
    new RegExp(`(\\d{1,2})(?:[:.]([0-5]\\d))?\\s?${HALF_OF_DAY}`, 'iu'),
    ([written, hour = '', minutes, half = ''], place) =>
      Number(hour) > 24
        ? undefined
        : `${verbalizeClock(hour, minutes, true)} ${spellHalfOfDay(half)}${sentenceStop(written, place)}${/^\p{L}/u.test(place.after) ? ' ' : ''}`,
  ),
  // "Liftoff is at 2:17:30 a.m."
  rule(
    new RegExp(`(\\d{1,2}):([0-5]\\d):([0-5]\\d)\\s?${HALF_OF_DAY}`, 'iu'),
    ([written, hour = '', minutes, seconds = '', half = ''], place) =>
      `${verbalizeClock(hour, minutes, true)} and ${verbalizeCount(seconds, 'second')} ${spellHalfOfDay(half)}${sentenceStop(written, place)}`,
  ),
  // "finished in 58:12"
  rule(/(2[5-9]|[3-5]\d):([0-5]\d)(?![\d:.])/, ([, minutes = '', seconds = ''], place) =>
    /\b(?:finish(?:ed|es)?|won|wins?|ran|runs?|clocked|crossed|swam|skated|timed|times?|mark|record|best)\s(?:it\s|(?:the\s)?\p{L}{1,12}\s){0,3}(?:in|of|at)\s$/u.test(
      place.before,
    )
      ? `${verbalizeCount(minutes, 'minute')} ${verbalizeCount(seconds, 'second')}`
      : undefined,
  ),
  // "a 59:10 half", but "a 55:45 split"
  rule(/(2[5-9]|[3-5]\d):([0-5]\d)(?![\d:.])/, ([, minutes = '', seconds = '']) =>
    Number(minutes) + Number(seconds) === 100
      ? undefined
      : `${verbalizeCardinal(minutes)} ${verbalizeYearEnding(seconds)}`,
  ),
  rule(/(\d{1,2})\.([0-5]\d)(?=\s(?:GMT|BST|CET|CEST|UTC)(?!\p{L}))/u, ([, hour = '', minutes]) =>
    verbalizeClock(hour, minutes, false),
  ),
  // A race: "the 2.30 at Ascot"
  rule(/(\d{1,2})\.([0-5]\d)(?=\sat\s\p{Lu})/u, ([, hour = '', minutes], place) =>
    /\b[Tt]he\s$/.test(place.before) ? verbalizeClock(hour, minutes, true) : undefined,
  ),
  // On American television: "at 8/7c"
  rule(
    /(\d{1,2})(?::([0-5]\d))?\/(\d{1,2})(?::([0-5]\d))?c(?!\p{L})/iu,
    ([, hour = '', minutes, lastHour = '', lastMinutes]) =>
      `${verbalizeClock(hour, minutes, true)}, ${verbalizeClock(lastHour, lastMinutes, true)} Central`,
  ),
  // "0600 to 2100 GMT"
  rule(
    /([01]\d|2[0-4])([0-5]\d)(?:(\s?[-–]\s?|\s(?:to|and|until)\s)([01]\d|2[0-4])([0-5]\d))?(?=\s?(?:GMT|UTC|BST|CET|CEST)(?!\p{L}))/u,
    ([, hour = '', minutes = '', joint, lastHour = '', lastMinutes = '']) =>
      joint === undefined
        ? verbalizeTwentyFourHours(hour, minutes)
        : `${verbalizeTwentyFourHours(hour, minutes)} ${/[-–]/.test(joint) ? 'to' : joint.trim()} ${verbalizeTwentyFourHours(lastHour, lastMinutes)}`,
  ),
  rule(
    /(0\d)([0-5]\d)\s?(?:hrs|hours)(?!\p{L})/u,
    ([, hour = '', minutes = '']) => `${verbalizeTwentyFourHours(hour, minutes)} hours`,
  ),
  // "from 2100 on Fri to 0500", "at 0930", "at 2145 local time"
  rule(/([01]\d|2[0-3])([0-5]\d)(?![\d,.:-]\d|\d|-)/, ([written, hour = '', minutes = ''], place) => {
    if (!/\b(?:at|from|until|till|by|to|before|after|around|about|since)\s$/i.test(place.before)) return undefined;
    const isTime =
      (written.startsWith('0') &&
        /^(?:[.,;)]|\s(?:on|to|until|and|local|hours|hrs|in|for|when|as)\b|$)/.test(place.after)) ||
      /^\s(?:hours?|hrs|local\stime|on\s(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6})\b/.test(place.after);
    return isTime ? verbalizeTwentyFourHours(hour, minutes) : undefined;
  }),
  // How long something took: "2:04.18", "5h 13m"
  rule(
    /(\d{1,2}):([0-5]?\d\.\d{1,3})(?!\d)(?!\s?[ap]\.?m)(?:s(?!\p{L}))?/u,
    ([, minutes = '', seconds = '']) => `${verbalizeCount(minutes, 'minute')} ${verbalizeNumber(seconds)} seconds`,
  ),
  rule(
    /(\d{1,3})h\s?([0-5]?\d)m(?:in)?(?:\s?([0-5]?\d)s(?:ec)?)?(?![\p{L}\p{N}])/u,
    ([, hours = '', minutes = '', seconds]) =>
      `${verbalizeCount(hours, 'hour')} ${verbalizeCount(minutes, 'minute')}${seconds ? ` and ${verbalizeCount(seconds, 'second')}` : ''}`,
  ),
  rule(
    /(\d{1,3})m\s?([0-5]?\d)s(?:ec)?(?![\p{L}\p{N}])/u,
    ([, minutes = '', seconds = '']) => `${verbalizeCount(minutes, 'minute')} ${verbalizeCount(seconds, 'second')}`,
  ),
  rule(/(\d{1,3}\.\d{1,3})s(?![\p{L}\p{N}])/u, ([, seconds = '']) => `${verbalizeNumber(seconds)} seconds`),
  rule(
    /(\d{1,2}):([0-5]\d):([0-5]\d)(\.\d{1,3})?(?![\d:])/,
    ([, hours = '', minutes = '', seconds = '', part]) =>
      `${verbalizeCount(hours, 'hour')} ${verbalizeCount(minutes, 'minute')} and ${part ? `${verbalizeNumber(Number(seconds) + part)} seconds` : verbalizeCount(seconds, 'second')}`,
  ),
  rule(/(\d{1,2}):([0-5]\d)(?:[-–](\d{1,2}):([0-5]\d))?(?!\d|:\d|,\d{3}|-[a-z]{2}-\d)/, verbalizeTime),
];

function verbalizeTime(
  [, hour = '', minutes = '', lastHour, lastMinutes]: RegExpExecArray,
  _place: MatchContext,
): string | undefined {
  if (Number(hour) > 24) return undefined;
  const first = verbalizeClock(hour, minutes, false);
  return lastHour ? `${first} to ${verbalizeClock(lastHour, lastMinutes, false)}` : first;
}

/** @param hasHalf a.m. or p.m. follows; otherwise a full hour gets "o'clock" */
function verbalizeClock(hour: string, minutes: string | undefined, hasHalf: boolean): string {
  if (!minutes) return verbalizeCardinal(hour);
  if (minutes !== '00') return `${verbalizeCardinal(hour)} ${verbalizeYearEnding(minutes)}`;
  if (hasHalf) return verbalizeCardinal(hour);
  return Number(hour) > 12 || Number(hour) === 0
    ? `${verbalizeCardinal(hour)} hundred`
    : `${verbalizeCardinal(hour)} o'clock`;
}

/** "0600" → "oh six hundred". */
function verbalizeTwentyFourHours(hour: string, minutes: string): string {
  return `${hour === '00' ? 'zero' : verbalizeYearEnding(hour)} ${verbalizeYearEnding(minutes)}`;
}

function spellHalfOfDay(half: string): string {
  return `${half.toUpperCase()}.M`;
}

function verbalizeCount(digits: string, word: string): string {
  return `${verbalizeCardinal(digits)} ${word}${Number(digits) === 1 ? '' : 's'}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const MONTH = String.raw`(January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.?)`;
const DAY = String.raw`(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?`;
const LAST_DAY = String.raw`(?:\s?[-–]\s?(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:/]))?`;
const YEAR = String.raw`([12]\d{3})(?![\d,]\d|\d)`;

/** Dates that begin with a month: "March 3, 2024", "Sept. 15", "Jan-15", "June 2020". */
export const monthRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(
      `${MONTH}[\\s-]${DAY}${LAST_DAY}(?![\\d%]|/(?!\\p{Lu}\\p{Ll})|[.,:]\\d|\\p{L})(?:(,?\\s)${YEAR})?`,
      'iu',
    ),
    ([written, month = '', day = '', lastDay, comma, yearDigits]) => {
      // "they may 5 times" and "march 10 miles" are no dates.
      if (/^(?:may|march)/.test(written) && !/\d(?:st|nd|rd|th)/.test(written)) return undefined;
      const days = lastDay ? `${verbalizeOrdinal(day)} to ${verbalizeOrdinal(lastDay)}` : verbalizeOrdinal(day);
      const end = yearDigits ? `${comma} ${verbalizeYear(yearDigits)}`.replace(/\s{2}/, ' ') : '';
      return `${findMonthName(month)} ${days}${end}`;
    },
  ),
  rule(new RegExp(`${MONTH}(,?)\\s${YEAR}`, 'iu'), ([written, month = '', comma = '', digits = '']) =>
    /^(?:may|march)/.test(written) ? undefined : `${findMonthName(month)}${comma} ${verbalizeYear(digits)}`,
  ),
  // "in Jul-Sep"
  rule(
    /(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[-–](Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?!\p{L})/u,
    ([, first = '', last = '']) => `${findMonthName(first)} to ${findMonthName(last)}`,
  ),
  rule(/(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.(?=\s[a-z]|\s['’‘]\d\d|[,;:)]|$|[-–])/, ([month]) =>
    findMonthName(month),
  ),
];

/** Dates that begin with a digit: "3 March 2024", "2024-03-03", "3/4/2024", "15.01.2020". */
export const digitDateRules: readonly NormalizationRule[] = [
  // "from 12 to 15 May", "5 and 6 June 2024"
  rule(
    new RegExp(
      `${DAY}(\\s(?:to|and|or|until|through)\\s|\\s?[-–]\\s?)${DAY}\\s${MONTH}(?!\\p{L})(?:,?\\s${YEAR})?`,
      'u',
    ),
    ([, first = '', joint = '', day = '', month = '', digits]) =>
      `the ${verbalizeOrdinal(first)} ${/[-–]/.test(joint) ? 'to' : joint.trim()} the ${verbalizeOrdinal(day)} of ${findMonthName(month)}${digits ? ` ${verbalizeYear(digits)}` : ''}`,
  ),
  rule(
    new RegExp(`${DAY}\\s${MONTH}(?!\\p{L})(?:,?\\s${YEAR})?`, 'iu'),
    ([written, day = '', month = '', digits], place) =>
      /\s(?:may|march|mar)$/.test(written)
        ? undefined
        : `${verbalizeDayOfMonth(day, month, place)}${digits ? ` ${verbalizeYear(digits)}` : ''}`,
  ),
  rule(
    /([12]\d{3})-(\d{2})-(\d{2})T(\d{2}):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?:(Z)|([+-])(\d{2}):?([0-5]\d))?(?![\p{L}\p{N}])/u,
    verbalizeTimestamp,
  ),
  rule(
    /(1[3-9]|2\d|3[01])\.(0?[1-9]|1[0-2])\.([12]\d{3})(?!\d)/,
    ([, day = '', month = '', digits = '']) =>
      `the ${verbalizeOrdinal(day)} of ${MONTHS[Number(month) - 1]} ${verbalizeYear(digits)}`,
  ),
  rule(/([12]\d{3})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/, ([, digits = '', , month = '', day = '']) =>
    verbalizeDate(month, day, verbalizeYear(digits)),
  ),
  rule(/(\d{1,2})([/.-])(\d{1,2})\2([12]\d{3})(?!\d)/, verbalizeSlashedDate),
  rule(/(\d{1,2})(\/)(\d{1,2})\2(\d{2})(?!\d)/, verbalizeSlashedDate),
  // "the week of 11/4-11/8"
  rule(
    /(0?[1-9]|1[0-2])\/(\d{1,2})\s?[-–]\s?(0?[1-9]|1[0-2])\/(\d{1,2})(?![\d/\p{L}]|\s?%)/u,
    ([, month = '', day = '', lastMonth = '', lastDay = ''], place) =>
      Number(day) > 31 ||
      Number(lastDay) > 31 ||
      /^[-\s]?(?:in\b|inch|cup|tea|table|of|["″])/.test(place.after) ||
      (Number(month) < Number(day) && /^(?:2|4|8|16)$/.test(day) && /^(?:2|4|8|16)$/.test(lastDay))
        ? undefined
        : `${verbalizeMonthDay(month, day)} to ${verbalizeMonthDay(lastMonth, lastDay)}`,
  ),
  // "was searched on 12/14", but not "on 9/11"
  rule(/(?!9\/11|10\/7|7\/7)(0?[1-9]|1[0-2])\/(\d{1,2})(?![\d/\p{L}]|\s?%)/u, ([, month = '', day = ''], place) =>
    (/\b(?:on|since|dated|(?:open|close|start|begin|end|expire)s|\d{1,2}\/\d{1,2}\s(?:to|and|or))\s$/i.test(
      place.before,
    ) ||
      (Number(day) > 12 &&
        /\b(?:through|until|till|by|before|after|from|thru)\s$/i.test(place.before) &&
        !/^[\s-]?(?:in\b|inch|["″])/.test(place.after))) &&
    Number(day) >= 1 &&
    Number(day) <= 31
      ? verbalizeMonthDay(month, day)
      : undefined,
  ),
];

/** "3/31" → "March thirty-first". */
export function verbalizeMonthDay(month: string, day: string): string {
  return `${MONTHS[Number(month) - 1]} ${verbalizeOrdinal(day)}`;
}

/** "2024-03-10T09:15Z" → "March tenth, twenty twenty-four, nine fifteen U.T.C". */
function verbalizeTimestamp([
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
  const date = verbalizeDate(month, day, verbalizeYear(digits));
  if (date === undefined || Number(hour) > 24) return undefined;
  const time = `${verbalizeCardinal(hour)} ${verbalizeYearEnding(minutes)}`;
  const exact = seconds ? ` and ${verbalizeCardinal(seconds)} seconds` : '';
  if (!utc && !sign) return `${date}, ${time}${exact}`;
  if (utc) return `${date}, ${time}${exact} U.T.C`;
  const offset = `${verbalizeCardinal(offsetHours)}${offsetMinutes === '00' ? '' : ` ${verbalizeCardinal(offsetMinutes)}`}`;
  return `${date}, ${time}${exact} U.T.C ${sign === '-' ? 'minus' : 'plus'} ${offset}`;
}

/** "the seventh of October", without a second article: "the 7 October attack". */
function verbalizeDayOfMonth(day: string, month: string, place: MatchContext): string {
  const article = /\b(?:the|this|that|last|every|each)\s$/i.test(place.before) ? '' : 'the ';
  return `${article}${verbalizeOrdinal(day)} of ${findMonthName(month)}`;
}

function verbalizeSlashedDate([, first = '', , second = '', digits = '']: RegExpExecArray): string | undefined {
  const spokenYear = digits.length === 4 ? verbalizeYear(digits) : verbalizeCardinal(digits);
  return verbalizeDate(first, second, spokenYear) ?? verbalizeDate(second, first, spokenYear);
}

function verbalizeDate(month: string, day: string, spokenYear: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (!name || Number(day) < 1 || Number(day) > 31) return undefined;
  return `${name} ${verbalizeOrdinal(day)}, ${spokenYear}`;
}

function findMonthName(written: string): string {
  const start = written.slice(0, 3).toLowerCase();
  return MONTHS.find((month) => month.toLowerCase().startsWith(start)) ?? written;
}
