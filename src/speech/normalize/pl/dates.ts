import { type MatchContext, type NormalizationRule, rule, sentenceStop } from '../language.ts';
import { verbalizeCounted } from '../shared/amounts.ts';
import { createNumericDateRules } from '../shared/dates.ts';
import { numberVerbalizer, type OrdinalForm, units, verbalizeOrdinal } from './numbers.ts';

const { verbalizeCardinal } = numberVerbalizer;

const MONTHS =
  'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia'.split(' ');
const MONTH = `(${MONTHS.join('|')})(?!\\p{L})`;
/** "roku" or "r." after a year, where it is written. */
const YEAR = '(?:[ \\u00a0]([12]\\d{3})(?!\\d)(?:[ \\u00a0](?:roku|r\\.?)(?!\\p{L}))?)?';

/** "3 maja 2026 r.", "03.05.2026", "w 2024 roku", "lata 90." */
export const dateRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`(0?[1-9]|[12]\\d|3[01])\\s${MONTH}${YEAR}`, 'u'),
    ([written, day = '', month = '', year], place) =>
      `${verbalizeOrdinal(day, 'genitive')} ${month}${year ? ` ${verbalizeYear(year, 'genitive')}` : ''}${year ? sentenceStop(written, place) : ''}`,
  ),
  // "12–15 marca"
  rule(
    new RegExp(`(0?[1-9]|[12]\\d|3[01])[-–](0?[1-9]|[12]\\d|3[01])(?=\\s${MONTH})`, 'u'),
    ([, first = '', last = ''], place) => {
      const from = /(?:^|[^\p{L}])od\s$/iu.test(place.before) ? '' : 'od ';
      return `${from}${verbalizeOrdinal(first, 'genitive')} do ${verbalizeOrdinal(last, 'genitive')}`;
    },
  ),
  ...createNumericDateRules((day, month, year) => {
    const name = MONTHS[Number(month) - 1];
    return name && `${verbalizeOrdinal(day, 'genitive')} ${name} ${verbalizeYear(year, 'genitive')}`;
  }).map(takeYearWord),
  // A dateline: "Warszawa, 12.11 (PAP)"
  rule(/(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.?(?!\d|[.:,]\d)/u, ([, day = '', month = ''], place) =>
    /(?:^\p{Lu}[\p{L} ]{1,25}(?: \(PAP\))?,\s|(?<!\p{L})(?:dnia|dniu|dn\.)\s)$/u.test(place.before)
      ? `${verbalizeOrdinal(day, 'genitive')} ${MONTHS[Number(month) - 1]}`
      : undefined,
  ),
  // "14 bm."
  rule(/(0?[1-9]|[12]\d|3[01])(?=[ \u00a0](?:bm|br|ub\.?\s?m)\.)/u, ([, day = '']) =>
    verbalizeOrdinal(day, 'genitive'),
  ),
  // "7 i 8 maja", "z 8 na 9 listopada"
  rule(
    new RegExp(`(0?[1-9]|[12]\\d|3[01])(?=(?:, \\d{1,2}){0,3} (?:i|oraz|lub|albo|na|a) \\d{1,2} ${MONTH})`, 'u'),
    ([, day = '']) => verbalizeOrdinal(day, 'genitive'),
  ),
  // The holidays, and streets named after them
  rule(/(3|1)(?=\sMaja(?!\p{L}))|11(?=\sListopada(?!\p{L}))/u, ([day]) => verbalizeOrdinal(day, 'genitive')),
  // "od 1939 do 1945 r.", "w 2023 i 2024 r."
  rule(/([12]\d{3})(?=\s(do|i|oraz|lub|a)\s[12]\d{3}\s(?:r\.|roku))/u, ([, year = '', joint], place) =>
    joint === 'do' || !/(?<!\p{L})we?\s$/iu.test(place.before)
      ? verbalizeOrdinal(year, 'genitive')
      : verbalizeOrdinal(year, 'locative'),
  ),
  // "na rok 2019", "w roku 2019"
  rule(/([12]\d{3})(?!\d|[.,:]\d|[-–/]\d)/u, ([, year = ''], { before }) => {
    const [, preposition, ending] = /(?<!\p{L})(?:(w|po) )?rok(|u|iem)\s$/iu.exec(before) ?? [];
    if (ending === undefined) return undefined;
    return verbalizeOrdinal(
      year,
      ending === '' ? 'nominative' : ending === 'iem' || preposition ? 'locative' : 'genitive',
    );
  }),
  // "niż w 2024."
  rule(/((?:19|20)\d\d)(?=[,;)]|\.?["”]?$)/u, ([, year = ''], { before }) =>
    /(?<!\p{L})w\s$/u.test(before) ? verbalizeOrdinal(year, 'locative') : undefined,
  ),
  // "W latach 1939-45"
  rule(/(1\d{3}|20\d\d)[-–](1\d{3}|20\d\d|\d\d)(?!\d|[.,:]\d|-)/u, ([, first = '', last = ''], place) =>
    /(?:lat(?:ach|a)?|\()\s?$/iu.test(place.before)
      ? `${verbalizeCardinal(first)} do ${verbalizeCardinal(last)}`
      : undefined,
  ),
  // "do 7 r.ż."
  rule(/(\d{1,2})\.?[ \u00a0]r\. ?ż\./u, ([written, year = ''], place) => {
    const form = /(?:^|[^\p{L}])(?:we?|po)\s$/iu.test(place.before) ? 'locative' : 'genitive';
    return `${verbalizeOrdinal(year, form)} roku życia${sentenceStop(written, place)}`;
  }),
  // "od 10 do 15 marca"
  rule(new RegExp(`(\\d{1,2})(?= do \\d{1,2} ${MONTH})`, 'u'), ([, day = '']) => verbalizeOrdinal(day, 'genitive')),
  rule(/([1-9]\d{2,3})[ \u00a0](roku|rok|r\.?)(?!\p{L})/u, ([written, year = '', noun = ''], place) => {
    if (noun === 'rok' || (noun.startsWith('r.') && /(?<!\p{L})(?:za|na|przez)\s$/iu.test(place.before)))
      return verbalizeYear(year, 'nominative') + sentenceStop(written, place);
    if (year.length === 3 && !/(?<!\p{L})(?:we?|od|do|po|przed|około|ok\.)\s$/iu.test(place.before)) return undefined;
    const isLocative = /(?:^|[^\p{L}])(?:we?|po)\s$/iu.test(place.before);
    return verbalizeYear(year, isLocative ? 'locative' : 'genitive') + sentenceStop(written, place);
  }),
  rule(/(\d0)\./, ([written, digits = ''], place) =>
    /(?:^|[^\p{L}])(?:lata|latach|lat)\s$/iu.test(place.before)
      ? (/lata\s$/iu.test(place.before)
          ? verbalizeOrdinal(digits, 'plural')
          : verbalizeOrdinal(digits, 'nominative').replace(/y$/, 'ych')) + sentenceStop(written, place)
      : undefined,
  ),
];

/** A date in digits with "r." behind, which it says anyway. */
function takeYearWord(dateRule: NormalizationRule): NormalizationRule {
  return (text, at) => {
    const match = dateRule(text, at);
    const word = match && /^[ \u00a0](?:r\.|roku)(?!\p{L})/u.exec(text.slice(match.end, match.end + 7))?.[0];
    return match && word
      ? {
          spoken: match.spoken + (/^\s*$/.test(text.slice(match.end + word.length)) ? '.' : ''),
          end: match.end + word.length,
        }
      : match;
  };
}

function verbalizeYear(digits: string, form: OrdinalForm): string {
  return `${verbalizeOrdinal(digits, form)} ${form === 'nominative' ? 'rok' : 'roku'}`;
}

const OBLIQUE_BEFORE =
  /(?:^|[^\p{L}])(?:godziny|godzinie|(?:o|po|do|od|przed|około|ok\.|koło|przy)(?:\sok\.|\sokoło)?(?:\sgodz\.)?)\s$/iu;
const ACCUSATIVE_BEFORE = /(?:^|[^\p{L}])(?:godzinę|(?:na|przez)\s(?:ok\.\s)?godz\.)\s$/iu;

/** "o godz. 12": "dwunastej", "na godz. 12": "dwunastą", "(godz. 12)": "dwunasta" */
function chooseHourForm(before: string): OrdinalForm {
  if (ACCUSATIVE_BEFORE.test(before)) return 'feminineAccusative';
  return OBLIQUE_BEFORE.test(before) ? 'feminineGenitive' : 'feminine';
}

/** "o 14.30", "godz. 9:05", "20:45". */
export const timeRules: readonly NormalizationRule[] = [
  // "w godz. 10-18"
  rule(
    /([01]?\d|2[0-4])(?:[.:]([0-5]\d))?\s?[-–]\s?([01]?\d|2[0-4])(?:[.:]([0-5]\d))?(?!\d|[.:]\d|%)/,
    ([, first = '', minute = '0', last = '', lastMinute = '0'], place) =>
      /(?:godz(?:\.|inach)|(?<!\p{L})(?:pon|wt|śr|czw|pt|sob|niedz)\.:?)\s$/iu.test(place.before)
        ? [
            ['od', first, minute],
            ['do', last, lastMinute],
          ]
            .map(
              ([word, hour = '', minutes = '']) =>
                `${word} ${verbalizeOrdinal(String(Number(hour)), 'feminineGenitive')}${Number(minutes) === 0 ? '' : ` ${verbalizeCardinal(minutes)}`}`,
            )
            .join(' ')
        : undefined,
  ),
  rule(/([01]?\d|2[0-4])\.([0-5]\d)(?![.,]?\d)/, ([, hour = '', minute = ''], place) =>
    /(?:^|[^\p{L}])(?:o|ok\.|około|godz\.|godziny|godzinie|godzina)\s$/iu.test(place.before)
      ? verbalizeClock(hour, minute, place)
      : undefined,
  ),
  // "(25:21, 22:25)"
  rule(/(\d{1,2}):(\d{2})(?![\d:])/, ([, first = '', last = ''], place) =>
    /\d:\d{1,2}(?:, |;? \()$/.test(place.before) || /^, \d{1,2}:\d/.test(place.after)
      ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}`
      : undefined,
  ),
  // "2:05:30"
  rule(/(\d{1,2}):([0-5]\d):([0-5]\d)(?![\d:])/, ([, ...parts]) => {
    const nouns = [units['h'], units['min'], units['s']];
    return parts
      .map((part, index) => {
        const noun = nouns[index];
        return noun === undefined ? part : verbalizeCounted(numberVerbalizer, String(Number(part)), undefined, noun);
      })
      .join(' ');
  }),
  // "w 3.09,87"
  rule(/(\d{1,2})[.:]([0-5]\d,\d{1,3})(?!\d)/u, ([, minutes = '', seconds = '']) => {
    const { min, s } = units;
    return min && s
      ? `${verbalizeCounted(numberVerbalizer, String(Number(minutes)), undefined, min)} ${verbalizeCounted(numberVerbalizer, seconds.replace(/^0/, ''), undefined, s)}`
      : undefined;
  }),
  // "w 71. min."
  rule(/(\d{1,3})\. min\.?(?!\p{L})/u, ([written, minute = ''], place) =>
    /(?<!\p{L})w\s$/iu.test(place.before)
      ? `${verbalizeOrdinal(minute, 'feminineGenitive')} minucie${sentenceStop(written, place)}`
      : `${verbalizeOrdinal(minute, 'feminine')} minuta${sentenceStop(written, place)}`,
  ),
  // "Żyła był 21."
  rule(/(\d{1,3})\.(?=$|,|;|\)|\s(?:w|na|po|z|za)\s)/u, ([written, rank = ''], place) =>
    /(?<!\p{L})(?:był|jest|został)(a)?\s$/u.test(place.before)
      ? verbalizeOrdinal(rank, /a\s$/.test(place.before) ? 'feminine' : 'nominative') + sentenceStop(written, place)
      : undefined,
  ),
  rule(/([01]?\d|2[0-4]):([0-5]\d)(?![\d:])/, ([, hour = '', minute = ''], place) =>
    verbalizeClock(hour, minute, place),
  ),
  rule(/([1-9]|1\d|2[0-4])(?!\d|[.,:]\d|%|\p{L})/u, ([, hour = ''], place) =>
    /(?:godz\.|godzin(?:ie|y|a|ę))\s$/iu.test(place.before)
      ? verbalizeOrdinal(hour, chooseHourForm(place.before))
      : undefined,
  ),
  // "6:4", "4:0": as reporters say a result
  rule(
    /(\d{1,3}):(\d{1,3})(?![\d:])/,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}`,
  ),
];

/** "czternasta trzydzieści", after a preposition "czternastej trzydzieści". */
function verbalizeClock(hour: string, minute: string, place: MatchContext): string {
  const hours = Number(hour) === 0 ? 'zero' : verbalizeOrdinal(String(Number(hour)), chooseHourForm(place.before));
  if (Number(minute) === 0) return hours;
  return `${hours} ${minute.startsWith('0') ? `zero ${verbalizeCardinal(minute)}` : verbalizeCardinal(minute)}`;
}
