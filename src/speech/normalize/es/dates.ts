import { type NormalizationRule, rule, sentenceStop } from '../language.ts';
import { createNumericDateRules, createShortDateRule, createSpanRules, createWeekdayRule } from '../shared/dates.ts';
import { createResultRule, type Gender } from '../shared/numbers.ts';
import { numberVerbalizer, verbalizeCardinal, verbalizeNumber, verbalizeOrdinal } from './numbers.ts';

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ');

const MONTH = `(${MONTHS.join('|')})(?!\\p{L})`;
/** "03/05/2026", "24.12.1985", "2026-05-03"; a month written out needs no rule. */
export const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules(verbalizeDate),
  // "el 15/3", "4 y 5/12", "vie. 10/10"
  createShortDateRule(
    /(?:^|[^\p{L}])(?:(?:del|entre el)\s\S{1,6}\s(?:al|y el)|hasta el|desde el|los días \S{1,6} y|(?:lun|mart|miércol|juev|viern)es|sábado|domingo|(?:lun|mar|mié|jue|vie|sáb|dom)\.),?\s$/iu,
    /(?:^|[^\p{L}])(?:el|del|al|(?:el|al?|del?)\s\d{1,2}(?:\/\d{1,2})?,?\s(?:y|al?|o)|\d\sde|\d,\sde|\d{1,2},\s\d{1,2}\sy)\s$/iu,
    (day, month) => `${verbalizeCardinal(day)} de ${MONTHS[month - 1]}`,
  ),
  // "3 nov (EFE)", "12 nov 2024"
  rule(
    /([12]?\d|3[01])\s(ene|feb|mar|abr|may|jun|jul|ago|sept?|oct|nov|dic)\.?(?=\s(?:\d{4}|[(–—-]))(\s(?=\d{4}))?/iu,
    ([, day = '', name = '', year]) =>
      `${verbalizeCardinal(day)} de ${findMonth(name)}${year === undefined ? '' : ' de '}`,
  ),
  // "en 05/2020"
  rule(/(0?[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\d/])/, ([, month = '', year = ''], place) =>
    /(?:^|[\s(])(?:en|desde|hasta)\s$/iu.test(place.before)
      ? `${MONTHS[Number(month) - 1]} de ${verbalizeCardinal(year)}`
      : undefined,
  ),
  // "14 jul. 1789"
  rule(
    /([12]?\d|3[01])\s(?:de\s)?(ene|feb|mar|abr|may|jun|jul|ago|sept?|oct|nov|dic)\.(?=\s\d{4}|\s\p{Ll}|[,;)])(?:\s(?=\d{4}))?/u,
    ([written, day = '', name = '']) =>
      `${verbalizeCardinal(day)} de ${findMonth(name)}${written.endsWith(' ') ? ' de ' : ''}`,
  ),
  // In headlines: "31 marzo"
  rule(new RegExp(`([12]?\\d|3[01])(?= ${MONTH})`, 'u'), ([, day = '']) => `${verbalizeCardinal(day)} de`),
];

function findMonth(name: string): string | undefined {
  return MONTHS.find((month) => month.startsWith(name.slice(0, 3).toLowerCase()));
}

/** "14:30", "9:00 horas", "21 h", "14.30 h". */
export const timeRules: readonly NormalizationRule[] = [
  // "5:02 p. m.", "12.15 a.m."
  rule(
    /(0?[1-9]|1[0-2])(?:[:.]([0-5]\d))?[ \u00a0]?([ap])\.?[ \u00a0]?m(?!\p{L})\.?/iu,
    ([written, hour = '', minute = '00', half = ''], place) =>
      `${verbalizeHalfDay(Number(hour), minute, half.toLowerCase() === 'a')}${sentenceStop(written, place)}`,
  ),
  rule(
    /([01]?\d|2[0-3]):([0-5]\d)\s?[-–]\s?([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/,
    ([, hour = '', minute = '', lastHour = '', lastMinute = '']) =>
      `${verbalizeClock(hour, minute, false)} a ${verbalizeClock(lastHour, lastMinute, false)}`,
  ),
  ...createSpanRules(
    numberVerbalizer,
    'd = grado|grados; h = hora|horas|feminine; m = minuto|minutos; s = segundo|segundos',
  ),
  // The time of a race: "2:58,3", "3:27.49"
  rule(/(\d{1,2}):([0-5]\d)[,.](\d{1,3})(?!\d)/, ([, minute = '', second = '', part = '']) => {
    const minutes = String(Number(minute));
    return `${numberVerbalizer.verbalizeQuantity(minutes, 'masculine')} ${minutes === '1' ? 'minuto' : 'minutos'} ${verbalizeNumber(`${Number(second)},${part}`)} segundos`;
  }),
  rule(
    /([01]?\d|2[0-3]):([0-5]\d)(?![\d:])(?:[ \u00a0]?(horas|hs?\.?|hrs\.?)(?!\p{L}))?/u,
    ([, hour = '', minute = '', unit], place) => {
      // "a las 8:00 de la tarde", "a la 1:00"
      const isPart = /^\s(?:de la|del|en punto)(?!\p{L})/u.test(place.after) || /(?:^|\s)la\s$/iu.test(place.before);
      return unit === undefined && minute === '00' && isPart
        ? numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine')
        : verbalizeClock(hour, minute, unit !== undefined);
    },
  ),
  // "a las 21.00"
  rule(/([01]?\d|2[0-3])\.([0-5]\d)(?!\d|[.,]\d|\s?h(?!ora\s))/, ([, hour = '', minute = ''], place) =>
    /(?:^|\s)las?\s$/u.test(place.before) ? verbalizeClock(hour, minute, false) : undefined,
  ),
  // "1'16\"", "2'05\"3"
  rule(/(\d{1,3})['’′]([0-5]\d)(?:["″”]|['’]{2})(\d{1,3})?(?!\d)/, ([, minute = '', second = '', part]) =>
    verbalizeSpan(minute, part === undefined ? second : `${Number(second)},${part}`),
  ),
  // "2h05:12"
  rule(
    /(\d{1,2})h ?([0-5]\d)(?::|['’′])([0-5]\d)?(?!\d)/,
    ([, hour = '', minute = '', second]) => `${count(hour, 'hora', 'feminine')} ${verbalizeSpan(minute, second)}`,
  ),
  // "en 22' de juego", "al 45+2'", "1 h 10'"
  rule(/(\d{1,3})(?:\+(\d{1,2}))?['’′](?![\p{L}\d'’])/u, ([, minute = '', extra], place) => {
    if (extra !== undefined) return `${verbalizeCardinal(minute)} más ${verbalizeCardinal(extra)}`;
    return /(?:^|\s)(?:en|de|tras|durante|h|horas?)\s$/iu.test(place.before)
      ? verbalizeSpan(minute, undefined)
      : verbalizeCardinal(minute);
  }),
  // "el 14/N"
  rule(/([12]?\d|3[01])[/-](?=[EFMAJSOND](?![\p{L}\p{N}]))/u, ([, day = ''], place) =>
    /(?:^|\s)(?:el|del|al)\s$/iu.test(place.before) ? `${verbalizeCardinal(day)} ` : undefined,
  ),
  // "a 0\"412 de la pole"
  rule(
    /(\d{1,2})["″”](\d{1,3})(?!\d)/,
    ([, second = '', part = '']) =>
      `${verbalizeCardinal(second)} ${second === '1' ? 'segundo' : 'segundos'} ${verbalizeCardinal(part)}`,
  ),
  // "54\" a O'Connor"
  rule(/([1-9]\d?)["″”](?=\s(?:a|al|de|del|sobre|en|y)\s)/u, ([, second = ''], place) =>
    /(?:en|a|de|por|con|y)\s$/u.test(place.before) ? count(second, 'segundo') : undefined,
  ),
  // "19°01'N", "19° 01' 30\" N"
  // "el 3T de 2025"
  rule(
    /([1-4])([TQS])(?:(?:20)?(2\d)(?!\d)|(?=\s(?:de(?:l año)?\s)?20\d\d|(?<=(?:^|\s)(?:el|del|al)\s\d[TQS])(?!\p{L}|\d)))/u,
    ([, part = '', letter, year]) =>
      `${verbalizeOrdinal(part, 'masculine')?.replace(/(primer|tercer)o$/, '$1')} ${letter === 'S' ? 'semestre' : 'trimestre'}${year ? ` de ${verbalizeCardinal(`20${year}`)}` : ''}`,
  ),
  // "de 8.30 a 12.00 h"
  rule(
    /([01]?\d|2[0-4])\.([0-5]\d)(?=\s(?:a|y|hasta)\s(?:las\s)?\d{1,2}(?:\.[0-5]\d)?\s?h(?:oras)?(?!\p{L}))/u,
    ([, hour = '', minute = '']) => verbalizeClock(hour, minute, false),
  ),
  rule(/([01]?\d|2[0-4])\.([0-5]\d)[ \u00a0]?(?:horas|hs?\.?|hrs\.?)(?!\p{L})/u, ([, hour = '', minute = '']) =>
    verbalizeClock(hour, minute, true),
  ),
  // "2h04m35s", "3h 20m 10s"
  rule(
    /(\d{1,2}) ?h ?([0-5]?\d) ?m(?:in)? ?([0-5]?\d) ?s(?!\p{L})/u,
    ([, hour = '', minute = '', second]) => `${count(hour, 'hora', 'feminine')} ${verbalizeSpan(minute, second)}`,
  ),
  // "15H00", "1h30", "3h 20m"
  rule(
    /(\d{1,2}) ?[hH] ?([0-5]\d)(?: ?m(?:in)?(?!\p{L}))?(?![\p{N}:'’′])/u,
    ([written, hour = '', minute = ''], place) => {
      if (Number(minute) === 0 || /(?:^|\s)las?\s$/u.test(place.before)) return verbalizeClock(hour, minute, false);
      const hours = count(hour, 'hora', 'feminine');
      return written.endsWith(minute)
        ? `${hours} ${verbalizeCardinal(minute)}`
        : `${hours} ${verbalizeSpan(minute, undefined)}`;
    },
  ),
  rule(/(\d{1,2})[ \u00a0]?(?:hs?|hrs)(?![\p{L}\p{N}/])/u, ([, hour = '']) => count(hour, 'hora', 'feminine')),
  createResultRule(numberVerbalizer, 'a'),
];

/** "un minuto dieciséis segundos" */
function verbalizeSpan(minute: string, second: string | undefined): string {
  return count(minute, 'minuto') + (second === undefined ? '' : ` ${count(second, 'segundo')}`);
}

function count(written: string, noun: string, gender: Gender = 'masculine'): string {
  const number = written.includes(',') ? written : String(Number(written));
  return `${numberVerbalizer.verbalizeQuantity(number, gender)} ${noun}${number === '1' ? '' : 's'}`;
}

/** "cinco y dos de la tarde", "doce y cuarto de la noche" */
function verbalizeHalfDay(hour: number, minute: string, isMorning: boolean): string {
  const minutes = { '00': '', '15': ' y cuarto', '30': ' y media' }[minute] ?? ` y ${verbalizeCardinal(minute)}`;
  const day = isMorning
    ? hour === 12
      ? 'noche'
      : hour < 6
        ? 'madrugada'
        : 'mañana'
    : hour >= 8 && hour < 12
      ? 'noche'
      : 'tarde';
  return `${numberVerbalizer.verbalizeQuantity(String(hour), 'feminine')}${minutes} de la ${day}`;
}

/** "las catorce treinta", "las siete cero cinco", "las nueve horas". */
function verbalizeClock(hour: string, minute: string, hasUnit: boolean): string {
  const hours = numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine');
  if (Number(minute) === 0) return `${hours} ${Number(hour) === 1 ? 'hora' : 'horas'}`;
  const minutes = minute.startsWith('0') ? `cero ${verbalizeCardinal(minute)}` : verbalizeCardinal(minute);
  return `${hours} ${minutes}${hasUnit ? ' horas' : ''}`;
}

function verbalizeDate(day: string, month: string, year: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return undefined;
  return `${verbalizeCardinal(day)} de ${name} de ${verbalizeCardinal(year)}`;
}

/** "a mar. de 2025" */
export const marchRule = rule(/[Mm]ar\.(?=\sdel?\s(?:19|20)\d\d)/, () => 'marzo');

/** "de mar. a dom." */
export const weekdayRule = createWeekdayRule(
  'lunes martes miércoles jueves viernes sábado domingo'.split(' '),
  /(?:^|[\s(])(?:de|del|a|al|el|los|y)\s$/u,
);
