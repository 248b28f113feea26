import { capitalize } from '../../../capitalize.ts';
import { type NormalizationRule, parseRomanNumeral, rule } from '../language.ts';
import { parseNouns, verbalizeCounted } from './amounts.ts';
import type { NumberVerbalizer } from './numbers.ts';

/** Dates in digits: "03/05/2026", "24.12.1985", "2026-05-03". */
export function createNumericDateRules(
  verbalizeDate: (day: string, month: string, year: string) => string | undefined,
): NormalizationRule[] {
  return [
    rule(/([12]\d{3})-(\d{2})-(\d{2})(?![\d-])/, ([, year = '', month = '', day = '']) =>
      Number(day) < 1 || Number(day) > 31 ? undefined : verbalizeDate(day, month, year),
    ),
    // "3-IX-1968"
    rule(/([12]?\d|3[01])([-./])([IVX]{1,4})\2([12]\d{3})(?!\d)/, ([, day = '', , month = '', year = '']) =>
      verbalizeDate(day, parseRomanNumeral(month) ?? '', year),
    ),
    rule(
      /(0?[1-9]|[12]\d|3[01])([/.-])(0?[1-9]|1[0-2])\2([12]\d{3}|\d{2})(?!\d|[./-]\d)/,
      ([, day = '', , month = '', year = '']) =>
        verbalizeDate(day, month, year.length === 4 ? year : `${Number(year) > 50 ? 19 : 20}${year}`),
    ),
  ];
}

/** A fraction rather than a date: "le 1/3 restant", "el 9/10 de". */
const FRACTION = /^[1-3]\/[2-5]$/;
const PART_OF_AFTER = /^\s(?:de|des|du|del|d['’])/u;

/** Day and month: "le 7/11". @param clearly the words before it that leave no doubt, such as "jeudi" @param perhaps those that may stand before a fraction */
export function createShortDateRule(
  clearly: RegExp,
  perhaps: RegExp,
  verbalizeDay: (day: string, month: number) => string,
): NormalizationRule {
  return rule(
    /(0?[1-9]|[12]\d|3[01])\/(0?[1-9]|1[0-2])(?![\d/]|\s?(?:%|[ckm]?m(?!\p{L})|kg(?!\p{L})|°))/u,
    ([written, day = '', month = ''], place) => {
      const isDate =
        clearly.test(place.before) ||
        (perhaps.test(place.before) && !FRACTION.test(written) && !PART_OF_AFTER.test(place.after));
      return isDate ? verbalizeDay(day, Number(month)) : undefined;
    },
  );
}

/** These are words too, which may end a sentence: "près de la mer.", "cerca del mar." */
const ALSO_WORDS = new Set(['mar', 'mer', 'jeu']);

/**
 * Days of the week shortened to three letters: "du mar. au dim.", "sáb. 5".
 * @param before the words before one that ends a sentence
 */
export function createWeekdayRule(weekdays: readonly string[], before: RegExp): NormalizationRule {
  const starts = weekdays.map((weekday) => weekday.slice(0, 3));
  return rule(
    new RegExp(`(${[...starts, ...starts.map(capitalize)].join('|')})\\.(?=[,;:)]|\\s?[-–]|\\s\\p{Ll}|\\s\\d|$)`, 'u'),
    ([, start = ''], place) =>
      place.end < place.text.length || (before.test(place.before) && !ALSO_WORDS.has(start))
        ? weekdays.find((weekday) => weekday.startsWith(start.toLowerCase()))
        : undefined,
  );
}

/** "9\"84", "1'12''", "2h41'", "4min02s31": results of races. @param units `h`, `m` and `s` */
export function createRaceTimeRules(speech: NumberVerbalizer, units: string): NormalizationRule[] {
  const nouns = parseNouns(units);
  const count = (unit: string, written: string | undefined) => {
    const noun = nouns[unit];
    return written && noun ? `${verbalizeCounted(speech, String(Number(written)), undefined, noun)} ` : '';
  };
  return [
    rule(
      /(\d{1,2})[ \u00a0]?h(?:eures?)?[ \u00a0]?([0-5]?\d)(?:['’′]|[ \u00a0]?(?:min|mn)(?!\p{L}))(?:[ \u00a0]?([0-5]?\d)(?:["″”]|['’]{2}|[ \u00a0]?s(?:ec)?(?!\p{L})|(?<=['’′]\d\d)(?![\d\p{L}])))?/u,
      ([, hours, minutes, seconds]) => (count('h', hours) + count('m', minutes) + count('s', seconds)).trimEnd(),
    ),
    rule(
      /(?:(\d{1,3})(?:['’′]|[ \u00a0]?min[ \u00a0]?))?([0-5]?\d)(?:["″”]|['’]{2}|(?<=(?:['’′]|min[ \u00a0]?)\d\d)s)(\d{1,3})?(?![\d\p{L}])/u,
      ([, minutes, seconds, part]) =>
        minutes === undefined && part === undefined
          ? undefined
          : (count('m', minutes) + count('s', seconds) + (part ? speech.verbalizeCardinal(part) : '')).trimEnd(),
    ),
  ];
}

/** How long it took, "2:02:48", "1:32:07,9", and parts of a degree, "54° 19' N". @param units `d` (degrees), `h`, `m` and `s` */
export function createSpanRules(speech: NumberVerbalizer, units: string): NormalizationRule[] {
  const nouns = parseNouns(units);
  const count = (unit: string, written: string) => {
    const noun = nouns[unit];
    return written && noun ? `${verbalizeCounted(speech, written.replace(/^0(?=\d)/, ''), undefined, noun)} ` : '';
  };
  return [
    rule(
      /(\d{1,2}):([0-5]\d):([0-5]\d)(?:[.,](\d{1,3}))?(?:[ \u00a0](?:Std\.|Stunden|h|horas|heures)(?!\p{L}))?(?![\d:]|\sUhr)/u,
      ([, hours = '', minutes = '', seconds = '', part]) =>
        `${count('h', hours)}${count('m', minutes)}${count('s', part ? `${seconds},${part}` : seconds)}`.trimEnd(),
    ),
    rule(
      /(\d{1,3})°\s?(\d{1,2})['’′](?:\s?(\d{1,2})["″”])?/,
      ([, degrees = '', minutes = '', seconds = '']) => count('d', degrees) + count('m', minutes) + count('s', seconds),
    ),
  ];
}
