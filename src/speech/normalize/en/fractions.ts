import { type MatchContext, type NormalizationRule, rule } from '../language.ts';
import {
  verbalizeCardinal,
  verbalizeDigitPairs,
  verbalizeFraction,
  verbalizeNumber,
  verbalizeQuantity,
  verbalizeYear,
  verbalizeYearEnding,
} from './cardinals.ts';
import { verbalizeMonthDay } from './dates.ts';

const PRESSURE_BEFORE = /\b(?:pressures?|BP|systolic|hypertension|readings?)\b[^.]{0,30}$/i;
const RATED_BEFORE = /\b(?:rat(?:ed?|ings?)|scor(?:ed?|es|ing)|gave|gives?|marks?|pain)\b[^.;\d]{0,25}$/i;
/** "odds of 5/2", "the 7/2 favorite" */
const ODDS_BEFORE = /\b(?:odds|bets?|betting|bookmakers?|priced|starting price|SP)\b[^.;:%\d]{0,30}$/i;
const ODDS_AFTER =
  /^\s(?:favou?rites?|joint-favou?rites?|odds|shot|outsiders?|underdogs?|second[ -]favou?rite)(?!\p{L})/u;

const FORECAST_BEFORE =
  /(?:(?:^|[.;,]\s)(?:Today|Tonight|Tomorrow|(?:Mon|Tue|Tues|Wednes|Wed|Thurs|Thu|Fri|Satur|Sat|Sun)(?:day)?\.?)[:,]?\s|\b(?:forecasts?|highs?|lows?|temp(?:erature)?s?|weather|normals?)\b[^.;]{0,40}\s|(?:sunny|sun|snow|rain|cloudy|clear|showers|t?-?storms|windy|fog),\s)$/i;
const FORECAST_AFTER =
  /^(?:°|,?\s(?:and\s|with\s)?(?:(?:mostly|partly)\s)?(?:sunny|cloudy|clear|rain|rainy|showers|snow|windy|breezy|humid|fog|foggy|hot|cold|haze|hazy|storms|t-storms)(?!\p{L}))/u;

/** Two numbers with a slash that are no fraction: ratings, blood pressure, eyesight, rates, laps. */
export const slashedRules: readonly NormalizationRule[] = [
  // "a 10/10 boss", "scored 4.8/5", "85/100"
  rule(/(\d{1,2}(?:\.\d{1,2})?)\/(5|10|12|20|100)(?![\d/]|[.,]\d|\sof\s)/, ([, top = '', bottom = ''], place) =>
    (top.includes('.') ||
      (bottom === '100' && Number(top) > 10) ||
      (top === bottom && top !== '20') ||
      RATED_BEFORE.test(place.before)) &&
    Number(top) <= Number(bottom)
      ? `${verbalizeNumber(top)} out of ${verbalizeCardinal(bottom)}`
      : undefined,
  ),
  // "2/$7 with the app"
  rule(/(\d{1,2})\/(?=\$\d)/, ([, count = ''], { before }) =>
    /\p{Sc}$/u.test(before) ? undefined : `${verbalizeCardinal(count)} for `,
  ),
  // "48/42/44 mpg"
  rule(
    /\d{2,3}(?:\/\d{2,3}){1,2}\s?mpg(?!\p{L})/u,
    ([written]) => `${(written.match(/\d+/g) ?? []).map(verbalizeCardinal).join(', ')} miles per gallon`,
  ),
  rule(/(\d{1,4})\/(\d{1,4})\/(\d{1,4})(?![\d/])/, ([written]) => written.split('/').map(verbalizeCardinal).join(', ')),
  rule(/(\d{2,3})\/(\d{2,3})(\s?mm\s?Hg)?(?![\d/\p{L}])/u, ([, first = '', last = '', unit], place) =>
    PRESSURE_BEFORE.test(place.before) || unit
      ? `${verbalizeCardinal(first)} over ${verbalizeCardinal(last)}${unit ? ' millimeters of mercury' : ''}`
      : undefined,
  ),
  // "12.4/100,000"
  rule(
    /(\d{1,3}(?:,\d{3})?(?:\.\d{1,2})?)\/(1,000|10,000|100,000|1,000,000)(?![\d,]\d)/,
    ([, cases = '', people = '']) => `${verbalizeNumber(cases)} per ${verbalizeNumber(people)}`,
  ),
  // "lap 44/57"
  rule(/(\d{1,3})\/(\d{1,3})(?![\d/])/, ([, lap = '', laps = ''], place) =>
    /\blap\s$/i.test(place.before) ? `${verbalizeCardinal(lap)} of ${verbalizeCardinal(laps)}` : undefined,
  ),
  // "20/40 vision"
  rule(/20\/((?:[1-9]0|15|25|[1-4]00)(?!\d))/, ([, distance = '']) => `twenty ${verbalizeDigitPairs(distance)}`),
  // "in 3/4 time"
  rule(
    /(\d{1,2})\/(2|4|8|16)(?=\s(?:time|meter|beat)(?!\p{L}))/u,
    ([, top = '', bottom = '']) => `${verbalizeCardinal(top)} ${verbalizeCardinal(bottom)}`,
  ),
];

/** "at 7/2", and improper fractions: "11/4, 9/2 and 100/30" */
function isOdds(top: string, bottom: string, place: MatchContext): boolean {
  if (ODDS_BEFORE.test(place.before) || ODDS_AFTER.test(place.after)) return true;
  return (
    Number(top) > Number(bottom) && (/^[1248]$/.test(bottom) || `${top}/${bottom}` === '100/30') && Number(top) <= 500
  );
}

/** A forecast: "Tomorrow: 61/47.", "Boston 41/28, Miami 82/70", "55/42, partly cloudy" */
function isWeather({ before, after }: MatchContext): boolean {
  return FORECAST_BEFORE.test(before) || FORECAST_AFTER.test(after);
}
/** "2/3", "2023/24", "a 60/40 stake" */
export function verbalizeFractionMatch([, top = '', bottom = '']: RegExpExecArray, place: MatchContext): string {
  if (
    /^\s(?:hearings?|riots?|rioters?|attacks?|committee|insurrection|defendants|disaster|earthquake|quake|tsunami|bombings?|anniversary)\b/.test(
      place.after,
    )
  )
    return `${verbalizeCardinal(top)} ${verbalizeCardinal(bottom)}`;
  if (isOdds(top, bottom, place)) return verbalizeQuantity(top, bottom);
  // "FYE 3/31"
  if (
    Number(top) > 1 &&
    Number(top) <= 12 &&
    /^(?:1[3-57-9]|2[1-46-9]|3[01])$/.test(bottom) &&
    !/^\s(?:of|share|stake)(?!\p{L})/u.test(place.after)
  )
    return verbalizeMonthDay(top, bottom);
  if (isWeather(place) && Number(top) > Number(bottom))
    return `${verbalizeCardinal(top)} over ${verbalizeCardinal(bottom)}`;
  if (/^(?:1[89]|20)\d\d$/.test(top) && bottom.length % 2 === 0) {
    return `${verbalizeYear(top)} ${bottom.length === 2 ? verbalizeYearEnding(bottom) : verbalizeYear(bottom)}`;
  }
  // Blood pressure: "hers was 118/76"
  if (
    /^(?:[89]\d|1\d\d|2[01]\d)$/.test(top) &&
    /^(?:[4-9]\d|1[0-3]\d)$/.test(bottom) &&
    Number(top) > Number(bottom) &&
    !/^\s?R\d/.test(place.after)
  )
    return `${verbalizeCardinal(top)} over ${verbalizeCardinal(bottom)}`;
  // "a 60/40 stake"
  if (Number(top) + Number(bottom) === 100) return `${verbalizeCardinal(top)} ${verbalizeCardinal(bottom)}`;
  const isFraction = Number(bottom) >= 2 && (Number(top) < Number(bottom) || Number(bottom) <= 4);
  if (isFraction && !(top.length > 1 && top.startsWith('0'))) return verbalizeFraction(top, bottom);
  return `${verbalizeCardinal(top)} slash ${verbalizeCardinal(bottom)}`;
}
