import { findTable, MatchContext, type NormalizationRule, parseTable, rule } from '../language.ts';
import { createSpanRules } from '../shared/dates.ts';
import { createResultRule } from '../shared/numbers.ts';
import { buildOrdinalStem, findAdjectiveEnding, numberVerbalizer, verbalizeYear } from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

const HOUR = '([01]?\\d|2[0-4])';
const MINUTE = '([0-5]\\d)';
const CLOCK = `${HOUR}(?:[:.]${MINUTE})?`;

const DATIVE_BEFORE = /(?<!\p{L})(?:in|nach|von|mit|bei)\s$/iu;

/** "14:30 Uhr", "8-17 Uhr", "20:45"; scores have one digit after the colon or are no time: "3:2", "34:28". */
export const timeRules: readonly NormalizationRule[] = [
  // "in 1:18:35 Stunden"
  rule(
    /1:([0-5]\d):([0-5]\d)(?:,(\d{1,3}))?(?:\s(?:Stunden|Std\.))?/,
    ([, minute = '', second = '', part], { before }) =>
      DATIVE_BEFORE.test(before)
        ? `einer Stunde ${verbalizeCount(minute, 'Minute')} ${part === undefined ? verbalizeCount(second, 'Sekunde') : `${verbalizeNumber(`${Number(second)},${part}`)} Sekunden`}`
        : undefined,
  ),
  ...createSpanRules(
    numberVerbalizer,
    'd = Grad; h = Stunde|Stunden|feminine; m = Minute|Minuten|feminine; s = Sekunde|Sekunden|feminine',
  ),
  rule(
    new RegExp(`${CLOCK}(?:\\sUhr)?\\s?(?:[-–]|bis)\\s?${CLOCK}\\s?(?:Uhr|h)(?!\\p{L})`, 'u'),
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      minute === undefined
        ? `${verbalizeHours(hour)} bis ${verbalizeClock(lastHour, lastMinute)}`
        : `${verbalizeClock(hour, minute)} bis ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(new RegExp(`${HOUR}[.:]${MINUTE}\\s?h(?!\\p{L})`, 'u'), ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  rule(new RegExp(`${CLOCK}[ \\u00a0\\u202f]?Uhr(?!\\p{L})`, 'u'), ([, hour = '', minute]) =>
    verbalizeClock(hour, minute),
  ),
  // "um 16 h"
  rule(new RegExp(`${HOUR}[ \\u00a0]h(?!\\p{L})`, 'u'), ([, hour = ''], { before }) =>
    /(?<!\p{L})(?:um|gegen)\s$/iu.test(before) ? verbalizeClock(hour, undefined) : undefined,
  ),
  // "12:30:15 Uhr"
  rule(
    new RegExp(`${HOUR}:${MINUTE}:([0-5]\\d) Uhr(?!\\p{L})`, 'u'),
    ([, hour = '', minute, second = '']) => `${verbalizeClock(hour, minute)} und ${verbalizeCount(second, 'Sekunde')}`,
  ),
  // "8:15 Tore"
  rule(
    /(\d{1,3}):(\d{1,3})(?=\s(?:Tore|Punkt|Sätz|Sieg|Zähler|Spiel|Leg|Stimm))/u,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} zu ${verbalizeCardinal(last)}`,
  ),
  rule(
    /(\d{1,2}):([0-5]\d)[ \u00a0]?(?:Std\.|Stunden)(?!\p{L})/u,
    ([, hour = '', minute = '']) => `${verbalizeCount(hour, 'Stunde')} ${verbalizeCount(minute, 'Minute')}`,
  ),
  // "1:21,3 Stunden"
  rule(
    /(\d{1,2}):([0-5]\d,\d{1,2})[ \u00a0]?(?:Std\.|Stunden)(?!\p{L})/u,
    ([, hour = '', minutes = '']) =>
      `${verbalizeCount(hour, 'Stunde')} ${verbalizeNumber(minutes.replace(/^0/, ''))} Minuten`,
  ),
  // The time of a race, whose unit is named by the larger part: "1:23 Min.", "1:45,32 Minuten"
  rule(
    /(\d{1,2}):([0-5]\d)(,\d{1,3})?(?:[ \u00a0]?(?:[Mm]in\.|[Mm]in|Minuten)(?!\p{L})|(?<=,\d{1,3}))/u,
    ([, minute = '', second = '', part], place) => {
      const minutes = verbalizeCount(minute, 'Minute');
      const ending = Number(minute) === 1 && DATIVE_BEFORE.test(place.before) ? 'r' : '';
      const first = minutes.replace(' ', `${ending} `);
      return part === undefined
        ? `${first} ${verbalizeCount(second, 'Sekunde')}`
        : `${first} ${verbalizeNumber(Number(second) + part)} Sekunden`;
    },
  ),
  // "zwischen 8.30 und 9.15 Uhr"
  rule(
    new RegExp(`${HOUR}[.:]${MINUTE}(?=\\s(?:und|oder)\\s\\d{1,2}(?:[.:][0-5]\\d)?\\sUhr)`),
    ([, hour = '', minute = '']) => verbalizeClock(hour, minute),
  ),
  // "um 18.30/20.45 Uhr"
  rule(
    new RegExp(`${HOUR}[.:]${MINUTE}\\/(?=\\d{1,2}[.:][0-5]\\d\\sUhr)`),
    ([, hour = '', minute = '']) => `${verbalizeClock(hour, minute)} und `,
  ),
  rule(new RegExp(`${HOUR}:${MINUTE}(?!:?\\d)`), ([, hour = '', minute = ''], place) =>
    isResult(hour, minute, place) ? undefined : verbalizeClock(hour, minute),
  ),
  // "3 : 2"
  rule(/(\d{1,3}) : (\d{1,3})(?![\d:])/, ([, first = '', last = '']) =>
    [first, last].map(verbalizeCardinal).join(' zu '),
  ),
  createResultRule(numberVerbalizer, 'zu'),
];

/** "gewann mit 24:22", "beim 18:18", "der 22:20-Erfolg", but "gewann um 20:15" */
function isResult(hour: string, minute: string, { before, after }: MatchContext): boolean {
  // The score at half-time: "34:32 (17:15)"
  if (/\d:\d{1,2}(?:\s\(|,\s|\sund\s)$/.test(before) || (hour === '24' && minute !== '00')) return true;
  if (TIME_BEFORE.test(before)) return false;
  // "21:15, 19:21 und 21:18"
  if (/^(?:,|\sund)\s\d{1,2}:\d\d/.test(after) && !/Uhr/.test(after)) return true;
  if (/^-\p{L}/u.test(after)) return RESULT_NOUN_AFTER.test(after);
  return RESULT_BEFORE.test(before) || PLAY_BEFORE.test(before);
}
const TIME_BEFORE =
  /(?:(?<!\p{L})(?:um|ab|bis|gegen|von|seit|vor|nach|zwischen|ist|auf|heute|morgen|gestern)|tag|Mittwoch|abend)(?:,|:)?\s\(?$/iu;
const RESULT_NOUN_AFTER =
  /^-(?:\p{Lu}\p{Ll}{2,12})?(?:sieg|erfolg|niederlage|pleite|führung|rückstand|remis|krimi|coup|auftakt)/iu;
const RESULT_BEFORE = /(?<!\p{L})(?:mit|das|dem|beim|zum|eine?|einem|einen|vom|Endstand:?|Halbzeit:?)\s$/iu;
/** A verb of a match, in the same clause. */
const PLAY_BEFORE =
  /(?<!\p{L})(?:gew[ai]nn\p{L}{0,3}|siegt\p{L}{0,2}|verl(?:or|iert)\p{L}{0,2}|unterlag|unterliegt|besiegt\p{L}{0,2}|schl(?:ug|ägt)|bezwang|führt\p{L}{0,2}|stand|steht|hieß|endete)(?:\s[\p{L}\d.-]{1,20}){0,4}\s$/u;

function verbalizeClock(hour: string, minute: string | undefined): string {
  const minuteWords = Number(minute ?? 0) === 0 ? '' : ` ${verbalizeCardinal(minute ?? '')}`;
  return `${verbalizeHours(hour)} Uhr${minuteWords}`;
}

function verbalizeHours(hour: string): string {
  return numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'masculine');
}

function verbalizeCount(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${number === '1' ? noun : `${noun}n`}`;
}

const MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');
const WEEKDAYS = parseTable(findTable(tables, 'weekdays'));
const MONTH =
  '(Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\\.?)';
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const YEAR = '([12]\\d{3})(?![\\d]|[.,]\\d)';
const SHORT_DATE_BEFORE =
  /\bv\.\s?$|\bstand:?\s$|\b(?:am|vom|bis|zum|ab|seit|den|dem|zwischen|und|der|des|spätestens|frühestens)\s$|\d\.\d{1,2}\.,\s$|(?:\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?|\p{L}{3,7}tag|Mittwoch|Sonnabend),\s$/iu;
/** "seit 12/2021" */
const MONTH_BEFORE = /(?<!\p{L})(?:seit|ab|bis|von|im|in|stand:?)\s$/iu;
const YEAR_BEFORE =
  /(?:\b(?:jahre?s?|jahren|seit|von|bis|in|ab|anno|um|zwischen|ende|anfang|mitte|nach|vor|und|sommer|winter|herbst|frühling|frühjahr|oktober|januar|februar|märz|april|mai|juni|juli|august|september|november|dezember|TSV|SV|FC|VfL|VfB|TuS|TSG|SSV|Turn|Turnverein)\s|\()$/iu;
const COUNTED_AFTER = /^[ \u00a0](?:\p{Lu}\p{Ll}|(?:neue|weitere|andere|junge)\w{0,2}\s)/u;

/** "3. Mai 2026", "03.05.2026", "2026-05-03". */
export const dateRules: readonly NormalizationRule[] = [
  rule(new RegExp(`${DAY}\\.\\s?${MONTH}(?!\\p{L})(?:\\s${YEAR})?`, 'u'), ([, day = '', month = '', digits], place) =>
    verbalizeDate(day, getMonthNumber(month), digits, place),
  ),
  rule(new RegExp(`${DAY}\\.\\s?(0?[1-9]|1[0-2])\\.\\s?${YEAR}`), ([, day = '', month = '', digits], place) =>
    verbalizeDate(day, Number(month), digits, place),
  ),
  rule(
    new RegExp(`${DAY}\\.\\s?(0?[1-9]|1[0-2])\\.\\s?(\\d{2})(?!\\d|\\.\\d|\\s?Uhr)`),
    ([, day = '', month = '', short], place) =>
      verbalizeDate(day, Number(month), `${Number(short) > 50 ? 19 : 20}${short}`, place),
  ),
  rule(new RegExp(`(0?[1-9]|1[0-2])/${YEAR}`), ([, month = '', digits = ''], place) =>
    MONTH_BEFORE.test(place.before) ? `${MONTHS[Number(month) - 1]} ${verbalizeYear(digits)}` : undefined,
  ),
  // "vom 1.–24.12.", "v. 1. bis 5.12."
  rule(
    new RegExp(
      `${DAY}\\.(\\s?[-–/]\\s?|\\s(?:bis|und)\\s(?:zum\\s)?)${DAY}\\.(0?[1-9]|1[0-2])\\.(?:${YEAR}|(\\d{2})(?!\\d|[.:]))?(?!\\d)`,
    ),
    ([, day = '', joint = '', lastDay = '', month = '', digits, short], place) => {
      const last = verbalizeDate(lastDay, Number(month), digits ?? (short && `20${short}`), place);
      const word = joint.includes('/') || joint.includes('und') ? 'und' : `bis${joint.includes('zum') ? ' zum' : ''}`;
      return (
        last &&
        `${buildOrdinalStem(day)}${findAdjectiveEnding(new MatchContext(place.text, place.at, place.text.length))} ${word} ${last}`
      );
    },
  ),
  // "30.5.–2.6.2026", "12.3. bis 4.5."
  rule(
    new RegExp(
      `${DAY}\\.(0?[1-9]|1[0-2])\\.(?:\\s?[-–]\\s?|\\sbis\\s(zum\\s)?)${DAY}\\.(0?[1-9]|1[0-2])\\.(?:${YEAR})?(?!\\d)`,
    ),
    ([, day = '', month = '', preposition = '', lastDay = '', lastMonth = '', digits], place) => {
      const first = verbalizeDate(day, Number(month), undefined, place);
      const last = verbalizeDate(lastDay, Number(lastMonth), digits, place);
      return first && last && `${first} bis ${preposition}${last}`;
    },
  ),
  rule(new RegExp(`${DAY}\\.\\s?(0?[1-9]|1[0-2])\\.(?!\\d)`), ([, day = '', month = ''], place) =>
    SHORT_DATE_BEFORE.test(place.before) || (/\($/.test(place.before) && /^[,)]/.test(place.after))
      ? verbalizeDate(day, Number(month), undefined, place)
      : undefined,
  ),
  rule(/([12]\d{3})-(\d{2})-(\d{2})(?![\d-])/, ([, digits, month = '', day = ''], place) =>
    Number(day) < 1 || Number(day) > 31 ? undefined : verbalizeDate(day, Number(month), digits, place),
  ),
];

/** Without a day: "Aug. 2025"; "Mo. bis Fr.". */
export const monthRules: readonly NormalizationRule[] = [
  rule(
    /(Mo|Di|Mi|Do|Fr|Sa|So)\.?(?:\s?[-–]\s?|\sbis\s)(Mo|Di|Mi|Do|Fr|Sa|So)(?:\.(?=[ ,]))?(?![\p{L}-])/u,
    ([, first = '', last = '']) => `${WEEKDAYS[first]} bis ${WEEKDAYS[last]}`,
  ),
  rule(/(Mo|Di|Mi|Do|Fr|Sa|So)(?=,\s\d{1,2}\.)/u, ([, day = '']) => WEEKDAYS[day]),
  // "Mo, Di, Do 8–12 Uhr", "Do bis 21 Uhr"
  rule(
    /(Mo|Di|Mi|Do|Fr|Sa|So)(?=,? (?:(?:und|u\.) )?(?:(?:Mo|Di|Mi|Do|Fr|Sa|So)(?![\p{L}-])|(?:ab |(?<!So )bis )?\d{1,2}(?:[.:]\d\d)?(?: ?[-–] ?\d{1,2}(?:[.:]\d\d)?)? ?(?:Uhr|h)(?!\p{L})))/u,
    ([, day = '']) => WEEKDAYS[day],
  ),
  // "Mo./Di."
  rule(
    /(Mo|Di|Mi|Do|Fr|Sa|So)\.?\/(Mo|Di|Mi|Do|Fr|Sa|So)\.?(?!\p{L})/u,
    ([, first = '', last = '']) => `${WEEKDAYS[first]} ${WEEKDAYS[last]}`,
  ),
  // "Am Sa. Höchstwerte"
  rule(/(Mo|Di|Mi|Do|Fr|Sa|So)\.(?=\s\p{Lu}\p{Ll})/u, ([, day = ''], place) =>
    /(?:^|\s)(?:[Aa]m|bis|[Aa]b|vom|seit|jeden|nächsten|kommenden)\s$/u.test(place.before) ? WEEKDAYS[day] : undefined,
  ),
  // But "Fr. 4.50" are francs.
  rule(
    /(Mo|Di|Mi|Do|Fr|Sa|So)\.(?=,|[-–]|\s(?:\p{Ll}|\d))(?!(?<=Fr\.)\s\d{1,4}(?:\.\d\d(?!\d|\.\d|\s?(?:Uhr|h|bis|[-–]))|(?:[.,]\d)?\s(?:Mio|Mrd)))/u,
    ([, day = '']) => WEEKDAYS[day],
  ),
  rule(
    /(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\.(?=\s\d|\s\p{Ll}|,)/u,
    ([month]) => MONTHS[getMonthNumber(month) - 1],
  ),
];

/** Decades and ranges of years: "1990er Jahre", "80er-Jahre", "2018–2022", "1914/18". */
export const yearRules: readonly NormalizationRule[] = [
  rule(/(\d{1,3}(?:\.\d{3}){1,2})er(?!\p{L})/u, ([, written = '']) => `${verbalizeNumber(written)}er`),
  rule(/(\d{3}0|\d0)er[- ](?=[Jj]ahre)/u, ([, digits = '']) => `${verbalizeYear(digits)}er `),
  rule(/(\d{1,4})er(n?)(?!\p{L})/u, ([, digits = '', plural = '']) => `${verbalizeYear(digits)}er${plural}`),
  rule(/([12]\d{3})\s?[-–—]\s?([12]\d{3})(?![\d]|[.,:/-]\d)/, ([, first = '', last = '']) =>
    Number(first) < Number(last) && Number(last) < 2100
      ? `${verbalizeYear(first)} bis ${verbalizeYear(last)}`
      : undefined,
  ),
  // "von 1927–29"
  rule(
    /(1[1-9]\d\d|20\d\d)\s?[-–]\s?(\d{2})(?![\d]|[.,:/-]\d|\s?(?:%|€|Euro|Uhr|km|[Mm]))/,
    ([, first = '', last = '']) =>
      Number(first.slice(2)) < Number(last) ? `${verbalizeYear(first)} bis ${verbalizeCardinal(last)}` : undefined,
  ),
  rule(
    /([12]\d{3})\/(\d{4}|\d{2})(?![\d/])/,
    ([, first = '', last = '']) =>
      `${verbalizeYear(first)} ${last.length === 4 ? verbalizeYear(last) : verbalizeCardinal(last)}`,
  ),
];

const NAMED_BEFORE =
  /(?:\d\/|(?<!\p{L})(?:resolution|nummer|zimmer|seite|s\.|§|boeing|flug|raum|modell|porsche|linie|nr\.|ice|ic|ec|re|rb)\s)$/iu;

/** Four digits without a separator that count nothing may be a year. */
export function verbalizeNumberOrYear(written: string, place: MatchContext): string {
  if (!/^1[1-9]\d\d$/.test(written)) return verbalizeNumber(written);
  if (NAMED_BEFORE.test(place.before)) return verbalizeNumber(written);
  const isYear = YEAR_BEFORE.test(place.before) || !COUNTED_AFTER.test(place.after);
  return isYear ? verbalizeYear(written) : verbalizeNumber(written);
}

function getMonthNumber(written: string): number {
  if (written === 'Jänner') return 1;
  const start = written.slice(0, 3);
  return MONTHS.findIndex((month) => month.startsWith(start)) + 1;
}

function verbalizeDate(day: string, month: number, digits: string | undefined, place: MatchContext) {
  const name = MONTHS[month - 1];
  if (name === undefined) return undefined;
  // Only the text before a date decides the ending.
  const ending = findAdjectiveEnding(new MatchContext(place.text, place.at, place.text.length));
  return `${buildOrdinalStem(day)}${ending} ${name}${digits ? ` ${verbalizeYear(digits)}` : ''}`;
}
