import { type NormalizationRule, rule } from '../language.ts';
import { numberVerbalizer, verbalizeCardinal } from './numbers.ts';

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ');
const DAY = '(0?[1-9]|[12]\\d|3[01])';

/** "03/05/2026", "24.12.1985", "2026-05-03"; a month written out needs no rule. */
export const dateRules: readonly NormalizationRule[] = [
  rule(/([12]\d{3})-(\d{2})-(\d{2})(?![\d-])/, ([, year = '', month = '', day = '']) =>
    verbalizeDate(day, month, year),
  ),
  rule(
    new RegExp(`${DAY}([/.-])(0?[1-9]|1[0-2])\\2([12]\\d{3}|\\d{2})(?!\\d|[./-]\\d)`),
    ([, day = '', , month = '', year = '']) =>
      verbalizeDate(day, month, year.length === 4 ? year : `${Number(year) > 50 ? 19 : 20}${year}`),
  ),
];

/** "14:30", "9:00 horas", "21 h", "14.30 h". */
export const timeRules: readonly NormalizationRule[] = [
  rule(
    /([01]?\d|2[0-3]):([0-5]\d)\s?[-–]\s?([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/,
    ([, hour = '', minute = '', lastHour = '', lastMinute = '']) =>
      `${verbalizeClock(hour, minute, false)} a ${verbalizeClock(lastHour, lastMinute, false)}`,
  ),
  rule(
    /([01]?\d|2[0-3]):([0-5]\d)(?![\d:])(?:[ \u00a0](horas|hs?\.?|hrs\.?)(?!\p{L}))?/u,
    ([, hour = '', minute = '', unit]) => verbalizeClock(hour, minute, unit !== undefined),
  ),
  rule(/([01]?\d|2[0-4])\.([0-5]\d)[ \u00a0]?(?:horas|hs?\.?|hrs\.?)(?!\p{L})/u, ([, hour = '', minute = '']) =>
    verbalizeClock(hour, minute, true),
  ),
  rule(/(\d{1,2})[ \u00a0]?(?:hs?|hrs)(?![\p{L}\p{N}/])/u, ([, hour = '']) => {
    const number = String(Number(hour));
    return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${number === '1' ? 'hora' : 'horas'}`;
  }),
  rule(
    /(\d{1,3}):(\d{1,3})(?![\d:])/,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} a ${verbalizeCardinal(last)}`,
  ),
];

/** "las catorce treinta", "las siete cero cinco", "las nueve horas". */
function verbalizeClock(hour: string, minute: string, hasUnit: boolean): string {
  const hours = numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine');
  if (Number(minute) === 0) return `${hours} ${Number(hour) === 1 ? 'hora' : 'horas'}`;
  const minutes = minute.startsWith('0') ? `cero ${verbalizeCardinal(minute)}` : verbalizeCardinal(minute);
  return `${hours} ${minutes}${hasUnit ? ' horas' : ''}`;
}

function verbalizeDate(day: string, month: string, year: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (name === undefined || Number(day) < 1 || Number(day) > 31) return undefined;
  return `${verbalizeCardinal(day)} de ${name} de ${verbalizeCardinal(year)}`;
}
