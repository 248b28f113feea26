import { after, type Place, type Reader, reader, sentenceStop } from '../reader.ts';
import { cardinal, numberWords } from './cardinals.ts';
import { yearEnding } from './years.ts';

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
