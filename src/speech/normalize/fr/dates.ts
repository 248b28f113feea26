import { type NormalizationRule, parseTable, rule } from '../language.ts';
import {
  createNumericDateRules,
  createRaceTimeRules,
  createShortDateRule,
  createSpanRules,
  createWeekdayRule,
} from '../shared/dates.ts';
import { createResultRule, GAP } from '../shared/numbers.ts';
import { numberVerbalizer, verbalizeCardinal, verbalizeOrdinal } from './numbers.ts';

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');
const SHORT_MONTHS = parseTable(`
  janv. = janvier; févr. = février; avr. = avril; juil. = juillet; sept. = septembre; oct. = octobre; nov. = novembre;
  déc. = décembre
`);
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const SHORT = Object.keys(SHORT_MONTHS).join('|').replaceAll('.', '\\.');

const MONTH_ONLY_BEFORE = /(?:^|[\s(])(?:en|depuis|dès|fin|début|mi|jusqu['’]en|de|à)[\s-]$/iu;

/** "03/05/2026", "24.12.1985", "2026-05-03", "14 juil."; a month written out needs no rule. */
export const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules(verbalizeDate),
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(${SHORT})`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[month.toLowerCase()]}`,
  ),
  rule(
    /1(?=[ \u00a0](?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)\b)/u,
    () => 'premier',
  ),
  // "3 nov (AFP)", "12 nov 2024"
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(janv|févr|avr|juil|sept|oct|nov|déc)(?=\\s(?:[12]\\d{3}|[(–—-]))`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[`${month.toLowerCase()}.`]}`,
  ),
  // "en 05/2020"
  rule(/(0?[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\d/])/, ([, month = '', year = ''], { before }) =>
    MONTH_ONLY_BEFORE.test(before) ? `${MONTHS[Number(month) - 1]} ${verbalizeCardinal(year)}` : undefined,
  ),
  // "le 1er/04"
  rule(/1er\/(0?[1-9]|1[0-2])(?![\d/])/, ([, month = '']) => `premier ${MONTHS[Number(month) - 1]}`),
  // "les 17/18/19 mars", "les 5-6 juin"
  rule(new RegExp(`(\\d{1,2}(?:[/-]\\d{1,2}){1,3})(?= (?:${MONTHS.join('|')})(?!\\p{L}))`, 'u'), ([written], place) =>
    /(?:^|\s)les\s$/iu.test(place.before) && (written.includes('/') || written.split('-').length > 2)
      ? written.split(/[/-]/).map(verbalizeDay).join(' ')
      : undefined,
  ),
  // "le 7/11", "du 3 au 7/11"
  createShortDateRule(
    /(?:^|[^\p{L}])(?:(?:du|entre le)\s\S{1,6}\s(?:au|et le)|jusqu['’]au|dès le|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|(?:lun|mar|mer|jeu|ven|sam|dim)\.),?\s$/iu,
    /(?:^|[^\p{L}])(?:le|du|au|les?\s\d{1,2}(?:\/\d{1,2})?,?\s(?:et|ou))\s$/iu,
    (day, month) => `${verbalizeDay(day)} ${MONTHS[month - 1]}`,
  ),
];

/** "14 h 30", "7h05", "21:00". */
export const timeRules: readonly NormalizationRule[] = [
  // "45e+2"
  rule(
    /(\d{1,3})e\s?\+\s?(\d{1,2})(?![\d%])/,
    ([, minute = '', extra = '']) => `${verbalizeOrdinal(minute)} plus ${verbalizeCardinal(extra)}`,
  ),
  // "au 3T"
  rule(
    /([1-4])T(?=\s20\d\d|(?<=(?:^|\s)(?:au|du|le)\s\dT)(?![\p{L}\p{N}]))/u,
    ([, quarter = '']) => `${verbalizeOrdinal(quarter)} trimestre`,
  ),
  rule(
    /([01]?\d|2[0-4])h([0-5]\d)?\s?[-–]\s?([01]?\d|2[0-4])h([0-5]\d)?(?![\p{L}\p{N}])/u,
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      `${verbalizeClock(hour, minute)} à ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(
    /([01]?\d|2[0-4])[ \u00a0\u202f]?(?:[hH]|heures?)(?:[ \u00a0\u202f]?([0-5]\d))?(?![\p{L}\p{N}]|\/\d)/u,
    ([, hour = '', minute]) => verbalizeClock(hour, minute),
  ),
  ...createSpanRules(
    numberVerbalizer,
    'd = degré|degrés; h = heure|heures|feminine; m = minute|minutes|feminine; s = seconde|secondes|feminine',
  ),
  // "1min32"
  rule(
    /(\d{1,2}) ?min([0-5]\d)(?![\p{L}\p{N}])/u,
    ([, minutes = '', seconds = '']) => `${verbalizeSpan(minutes, 'minute')} ${verbalizeCardinal(seconds)}`,
  ),
  // "3€50"
  rule(
    /(\d{1,4}) ?€ ?(\d{2})(?!\d|[.,]\d)/u,
    ([, euros = '', cents = '']) =>
      `${verbalizeCardinal(euros)} ${Number(euros) < 2 ? 'euro' : 'euros'} ${verbalizeCardinal(cents)}`,
  ),
  rule(/([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/, ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  // "1m85"
  rule(
    /(\d{1,2})[ \u00a0]?m[ \u00a0]?(\d{2})(?![\p{L}\p{N}])/u,
    ([, metres = '', centimetres = '']) =>
      `${verbalizeCardinal(metres)} ${metres === '1' ? 'mètre' : 'mètres'} ${verbalizeCardinal(centimetres)}`,
  ),

  createResultRule(numberVerbalizer, 'à'),
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
  if (name === undefined) return undefined;
  return `${verbalizeDay(day)} ${name} ${verbalizeCardinal(year)}`;
}

/** "9"84", "1'12''": results of races. */
export const raceTimeRules = [
  // "4\" devant Ferrand-Prévot"
  rule(/(\d{1,2})(?:["″”]|'')(?=\s(?:devant|derrière|d['’]|de|sur|du)(?!\p{L}))/u, ([, seconds = '']) =>
    verbalizeSpan(seconds, 'seconde'),
  ),
  // "à 7\"."
  rule(/(\d{1,2})(?:["″”]|'')(?=[.,;)]|$)/, ([, seconds = ''], place) =>
    /(?:^|\s)(?:à|de|en)\s$/u.test(place.before) ? verbalizeSpan(seconds, 'seconde') : undefined,
  ),
  ...createRaceTimeRules(
    numberVerbalizer,
    'h = heure|heures|feminine; m = minute|minutes|feminine; s = seconde|secondes|feminine',
  ),
];

function verbalizeSpan(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${Number(number) < 2 ? noun : `${noun}s`}`;
}

/** "du mar. au dim." */
export const weekdayRule = createWeekdayRule(
  'lundi mardi mercredi jeudi vendredi samedi dimanche'.split(' '),
  /(?:^|[\s(])(?:du|au|le|les|et)\s$/u,
);
