import { type Reader, reader } from '../reader.ts';
import { cardinal, numberSpeech } from './numbers.ts';

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
