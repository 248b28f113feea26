import { type MatchContext, type NormalizationRule, rule } from '../language.ts';
import {
  spellDigits,
  verbalizeCardinal,
  verbalizeDigitPairs,
  verbalizeFraction,
  verbalizeNumber,
  verbalizeQuantity,
  verbalizeYear,
  verbalizeYearEnding,
} from './cardinals.ts';
import { verbalizeMonthDay } from './dates.ts';

/** Results of games and votes, which are no ranges, and ratios. */
export const resultRules: readonly NormalizationRule[] = [
  rule(/(\d{1,3})[-–](\d{1,3})(?![\d,.:/-]?\d|[-–]?\p{L}|\s?%)/u, ([, first = '', last = ''], place) =>
    verbalizeResult(first, last, place),
  ),
  rule(/(\d{1,3}\.\d{1,2}):(\d{1,3}(?:\.\d{1,2})?)(?![\d:])/, ([, first = '', last = '']) =>
    verbalizeQuantity(first, last),
  ),
  rule(/(\d{1,4}):(\d{1,3}(?:,\d{3}){1,3}|\d{1,6})(?![\d:])/, ([, first = '', last = '']) =>
    verbalizeQuantity(first, last),
  ),
];

/** "the 80-20 rule" */
const SHARES_AFTER =
  /^\s(?:rule|split|chance|hindsight|vision|defen[cs]e|zone|scheme|formation|alignment|front|set|press|pitch|count|fastball|slider|curveball|changeup|rifle|cartridge)(?!\p{L})/u;
const RECORD_BEFORE =
  /\b(?:(?:improved?|improves|fell|falls?|drop(?:s|ped)?|slipped|moved?|moves|rose)\sto|record\sof|\bto go)\s$/i;
/** "The vote went 5-4", "went 5-4 to Ghana" */
const RESULT_BEFORE = /\b(?:vote|ruling|decision|tally|count|shootout|tie-?break(?:er)?|set|match|final)\swent\s$/i;
const RESULT_AFTER = /^\sto\s\p{Lu}/u;
const RECORD_AFTER =
  /^(?:\s(?:overall\s|regular-season\s|home\s|road\s)?(?:record|start|mark|overall|in one season|this season|last season|on the season|all-time|against the spread|on (?:the|their|its|this) (?:trip|road trip|year|homestand)|in (?:his|her|its|their) (?:last|past|career))\b|,\s\d?\.\d{2,3}\sERA)/;
/** "a coach who was 21-61", "went 3-1". */
const PERSON_BEFORE =
  /\b(?:(?:who|he|she|they|we|team|club|coach|pitcher|starter|quarterback|righty|lefty|right-hander|left-hander)(?:['’](?:s|re)|\s(?:was|were|is|are|had been|has been|went|goes|finished|started|improved|fell))|went|going|started|opened)\s$/i;
/** "The Chiefs are 9-2". */
const TEAM_SUBJECT =
  /\b[Tt]he\s(?!Democrats|Republicans|Tories)(?:\p{Lu}\p{L}{1,15}\s)?\p{Lu}\p{Ll}{2,15}s\s(?:are|were)\s(?:now\s|just\s)?$/u;
/** "The Chiefs (11-1) host". */
const TEAM_BEFORE =
  /(?:\p{Lu}\p{Ll}{1,20}s|\b(?:Thunder|Heat|Magic|Jazz|Wild|Lightning|Avalanche|Kraken|Liberty|Fever|Lynx|Storm|Dream|Sox|Crimson Tide|Cardinal|coach|pitcher|starter|quarterback|righty|lefty|right-hander|left-hander|team|club))\s\($/u;
/** "went 2-4 with a homer" */
const BATTED_AFTER =
  /^,?\s(?:with|and\s(?:had|scored|drove))\s[^.;]{0,25}\b(?:HRs?|RBIs?|[23]Bs?|SBs?|double|triple|single|homer|walk|hit)/;
/** "Kansas is 12-3.", but "the Senate is 51-49" */
const NAMED_SUBJECT =
  /(?:^|[.;,:]\s|\b(?:and|while|but|as)\s)(?:No\.\s\d{1,2}\s)?(?!(?:The|It|This|That|There|What|Which)\s|(?:Senate|House|Court|Council|Parliament|Congress)\s)(?:\p{Lu}[\p{L}.&'’-]{1,15}\s){1,3}(?:is|was)\s(?:now\s|just\s|only\s)?$/u;
/** "The Owls, 12-20 a year ago, are 19-4." */
const APPOSED_BEFORE = /\bThe\s(?:\p{Lu}\p{Ll}{1,15}\s){0,2}\p{Lu}\p{Ll}{1,15}s,\s$/u;
const APPOSED_AFTER = /^\s(?:a|last|this)\s(?:year|month)(?!\p{L})/u;
const OTHER_RECORD_BEFORE = /\p{Lu}\p{Ll}{1,20},\s\d{1,3}-\d{1,3}[^.;]{0,30},\s(?:are|is|were|was)\s(?:now\s)?$/u;
const AFTER_NAMED_SUBJECT =
  /^(?:[.;,]|$|\s(?:this|on|in|since|with|against|at\shome|over|and|after|lifetime|straight)(?!\p{L}))/u;
/** "Boston (20-5) at 7:30", "Ohio State (11-1, 8-1 Big Ten)" */
const RECORD_IN_BRACKETS_BEFORE =
  /(?<!\p{L})(?!Senate|House|Court|Council|Commission|Board|Committee)\p{Lu}[\p{L}&.'’-]{1,20}\s\((?:\d{1,2}-\d{1,2},\s)?$/u;
const RECORD_IN_BRACKETS_AFTER =
  /^(?:\)|,\s\d{1,2}-\d{1,2}\s(?:\p{Lu}|in\s|home|away|on\sthe\sroad)|\s(?:\p{Lu}[\p{L} ]{1,15}|home|away)\))/u;
const BEAT_BEFORE = /\b(?:beat|beats|beating|defeated|thrashed|drew|downed|over|against|past)\s[\p{L}.\s]{2,30}\($/u;

/** "Detroit (11-2) topped Washington" */
const OPPONENT_AFTER =
  /^\)\s(?:topped|edged|routed|downed|held|beat|past|defeated|outlasted|rallied|hosts?|visits?|faces?|plays?|lost|lead|leads|trails?|won|wins|stunned|blanked)(?!\p{L})/u;
const CRICKET_AFTER =
  /^(?:\sdec(?:lared|\.)?(?!\p{L})|\s(?:at|by)\s(?:stumps|tea|lunch|the close)|\son\sday\s(?:one|two|three|four|five|\d)|\s(?:from|in|off|after)\s\d{1,3}(?:\.\d)?\sov(?:er)?s)/u;
const CRICKET_BEFORE =
  /\b(?:made|scored|reached|posted|were|was|at|on|to|for|with|of|finished|closed|declared|replied|collapsed|slumped)\s$/i;
const BOWLED_BEFORE =
  /\b(?:took|takes|taking|taken|claimed|claims|claiming|bagged|grabbed|figures of|returned|haul of)\s$/i;
const BOWLED_AFTER = /^\s(?:(?:was|were|being)\s)?(?:the\s|his\s|her\s)?(?:best|career-best|pick of)\s/;
/** The height of a player: "the 6-4, 220-pound guard", "a 6-6 junior" */
const HEIGHT_AFTER =
  /^(?:,?\s(?:and\s)?\d{3}[- ](?:pounds?|lbs?)(?!\p{L})|,\s[1-3]\d\d(?=[.;]|$)|[,-]?\s(?:(?:point|shooting|power|small)\s)?(?:guard|forward|center|tackle|lineman|linebacker|quarterback|receiver|pitcher|left-hander|right-hander|wing|striker|defenseman|goalkeeper|goalie|catcher|shortstop|outfielder|freshman|sophomore|junior|senior|rookie)(?!\p{L}))/u;
/** "listed at 6-3", "she stands 5-9" */
const HEIGHT_BEFORE = /(?<!\bodds\s.{0,20})\b(?:listed\sat|(?:who|he|she)\s(?:stands|stood|measures|measured))\s$/i;
const GAME_BEFORE = /\d{1,3}[-–]\d{1,3}(?:(?:\s?\([\d–-]{1,5}\))?,\s(?:and\s)?|\s\()$/;
const TIE_BREAK_AFTER = /^\s?\(\d{1,2}(?:[-–]\d{1,2})?\)/;
const GAME_AFTER = /^(?:\s?\([\d–-]{1,5}\))?,\s(?:and\s)?\d{1,3}[-–]\d{1,3}(?![-–\d])/;

/** An even split: "fifty-fifty"; wins and losses: "ten and two"; games in a row: "six four, seven five"; a shutout: "one to nothing". */
function verbalizeResult(first: string, last: string, place: MatchContext): string | undefined {
  if (/^0\d/.test(first) || /^0\d/.test(last)) return undefined;
  const [from, to] = [verbalizeCardinal(first), verbalizeCardinal(last)];
  if (SHARES_AFTER.test(place.after)) return `${from} ${to}`;
  const isHeight = HEIGHT_AFTER.test(place.after) || HEIGHT_BEFORE.test(place.before);
  if (isHeight && /^[4-7]$/.test(first) && Number(last) < 12) return `${from} ${to}`;
  if (first === '50' && last === '50') return `${from}-${to}`;
  if (
    /\bwent\s$/.test(place.before) &&
    BATTED_AFTER.test(place.after) &&
    Number(first) <= Number(last) &&
    Number(last) < 8
  )
    return `${from} for ${to}`;
  if (isRecord(place) || isNamedRecord(first, last, place)) return `${from} and ${to}`;
  const isTieBreak = /^(?:76|67)$/.test(first + last) && TIE_BREAK_AFTER.test(place.after);
  if (isTieBreak || GAME_BEFORE.test(place.before) || GAME_AFTER.test(place.after)) return `${from} ${to}`;
  return last === '0' && first !== '0' ? `${from} to nothing` : undefined;
}

function isNamedRecord(first: string, last: string, { before, after }: MatchContext): boolean {
  if (NAMED_SUBJECT.test(before) && AFTER_NAMED_SUBJECT.test(after)) return true;
  const isResult = BEAT_BEFORE.test(before) && Number(first) + Number(last) < 8;
  return RECORD_IN_BRACKETS_BEFORE.test(before) && RECORD_IN_BRACKETS_AFTER.test(after) && !isResult;
}

function isRecord(place: MatchContext): boolean {
  const textBefore = place.before;
  const textAfter = place.after;
  if (RESULT_BEFORE.test(textBefore) || (/\bwent\s$/.test(textBefore) && RESULT_AFTER.test(textAfter))) return false;
  return (
    RECORD_BEFORE.test(textBefore) ||
    RECORD_AFTER.test(textAfter) ||
    PERSON_BEFORE.test(textBefore) ||
    TEAM_SUBJECT.test(textBefore) ||
    (APPOSED_BEFORE.test(textBefore) && APPOSED_AFTER.test(textAfter)) ||
    OTHER_RECORD_BEFORE.test(textBefore) ||
    (TEAM_BEFORE.test(textBefore) && /^[,)]/.test(textAfter)) ||
    (/[\p{Lu}&][\p{L}&.'’-]{0,20}\s\($/u.test(textBefore) && OPPONENT_AFTER.test(textAfter))
  );
}

const CRICKET = /\b(?:wkts?|wickets?|overs|ODI|T20I?|Ashes|innings|stumps|not\sout)\b|\bTest\s(?:by|at|in)\b/;
/** Characters on each side in which words of cricket count. */
const REPORT_LENGTH = 100;

/** Balls, wickets of a bowler, runs and wickets of a team. */
export const cricketRules: readonly NormalizationRule[] = [
  // Odds of a favorite: "11-8f"
  rule(
    /(\d{1,2})-(\d{1,2})f(?![\p{L}\p{N}])/u,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} to ${verbalizeCardinal(last)} favorite`,
  ),
  // In a report of cricket: "Stokes 5-23", "205-2"
  rule(/(\d{1,3})-(\d{1,3})(?![\d/–-]|\s?%)/, ([, first = '', last = ''], { text, at, end }) => {
    const isBowler = Number(first) <= 10 && Number(last) > 11;
    const isInnings = Number(first) > 40 && Number(last) < 10;
    return (isBowler || isInnings) && CRICKET.test(text.slice(Math.max(0, at - REPORT_LENGTH), end + REPORT_LENGTH))
      ? `${verbalizeCardinal(first)} for ${verbalizeCardinal(last)}`
      : undefined;
  }),
  // "102 off 98b"
  rule(/(\d{1,3})b(?![\p{L}\p{N}])/u, ([, digits = ''], place) =>
    /\d\*?\s(?:off|from)\s$/.test(place.before) ? `${verbalizeCardinal(digits)} balls` : undefined,
  ),
  // Wickets of a bowler: "took 5-32", "figures of 4/28"
  rule(/(10|\d)[-–/](\d{1,3})(?![\d/–-])/, ([, wickets = '', runs = ''], place) =>
    (BOWLED_BEFORE.test(place.before) || BOWLED_AFTER.test(place.after)) && Number(runs) > 11
      ? `${verbalizeCardinal(wickets)} for ${verbalizeCardinal(runs)}`
      : undefined,
  ),
  // Runs and wickets.
  rule(/(\d{1,3})[-–/](10|\d)(?![\d/–-])/, ([written, runs = '', wickets = ''], place) =>
    CRICKET_AFTER.test(place.after) ||
    (written.includes('/') &&
      ((Number(runs) > 20 && CRICKET_BEFORE.test(place.before)) ||
        (Number(runs) >= 100 && Number(wickets) > 1 && /\p{Lu}\p{Ll}{3,15}\s$/u.test(place.before))))
      ? `${verbalizeCardinal(runs)} for ${verbalizeCardinal(wickets)}`
      : undefined,
  ),
];

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

const CALL_BEFORE =
  /\b(?:911|999|988|11[1-9]|10[15])\s(?:[^.\d]{0,30}\s)?(?:or|and)\b[^.\d]{0,25}$|\b(?:call|dial|phone|ring|text)(?:ed|ing|s)?\s$|\b(?:TTY|TDD):?\s$|\b(?:hot|help|life)line\b[^.;]{0,30},?\s(?:is|at|on)\s(?:now\s)?$|\b(?:[a-z]{0,12}line|(?:emergency|phone|telephone|service)\snumber),?\s(?:(?:at|is|on|was)\s)?$|\b(?:call|dial|phone|text)(?:ed|ing|s)?\s(?:\d{3}\b[^.;\d]{0,40}){1,3}$/i;
const CALL_FOLLOWS =
  /^,?\s(?:(?:(?:[a-z]{2,9}\s){0,2}(?:or|and)\s(?:[a-z]{2,9}\s){0,2}(?:911|988|999|11[12]|101|111)(?![\d,.]\d|\d|\s\p{Ll})|calls?|callers?|dispatch|dispatchers?|operators?|hotline|lifeline)(?!\p{L}))/u;
/** "Text HOME to 741741", "text 50155". */
const TEXT_BEFORE = /\btext(?:ing|ed)?\s(?:(?:[\p{L}“”"']{1,20}\s)?to\s)?$/iu;

/** "Report it on 101", "Contact police on 101 or …" */
const CONTACT_BEFORE =
  /\b(?:call|contact|report|phone|ring|text|police|reach|Samaritans|Crimestoppers)\b[^.;]{0,40}\son\s$/i;
const CONTACT_AFTER = /^(?:[.,;:)]|\s(?:or|and|to|for|if|quoting|with|via|in|at)\s|$)/;

/** Telephone and other numbers in groups, spoken by digit with a pause between groups. */
export const telephoneRules: readonly NormalizationRule[] = [
  rule(/116 \d{3}(?!\d|[,.]\d)/, verbalizeDigitGroups),
  rule(/(?:[2-9]11|988|999|11[1-9]|10[15])(?!\d|[,.:/-]\d)/, verbalizeServiceNumber),
  rule(/\d{5,6}(?!\d|[,.]\d)/, ([digits], place) => (TEXT_BEFORE.test(place.before) ? spellDigits(digits) : undefined)),
  rule(
    /1[-. ](8\d\d)[-. ]([A-Z\d]{1,7}(?:-[A-Z\d]{1,7}){0,3})(?![\p{L}\p{N}])/u,
    ([, code = '', rest = '']) =>
      `one, ${verbalizeTollFree(code)}, ${rest.split('-').map(verbalizeVanityGroup).join(', ')}`,
  ),
  // "888-GO-BUCKS"
  rule(
    /(8(?:00|33|44|55|66|77|88))-(?=[\d-]{0,8}[A-Z])([A-Z\d]{1,7}(?:-[A-Z\d]{1,7}){0,3})(?![\p{L}\p{N}])/u,
    ([, code = '', rest = '']) => `${verbalizeTollFree(code)}, ${rest.split('-').map(verbalizeVanityGroup).join(', ')}`,
  ),
  rule(/(\d{1,3})[-. ]\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, verbalizeDigitGroups),
  rule(/(?:(\d{1,3})[-. ])?(\d{3})([-.])(\d{3})\3(\d{4})(?:-\d{1,5})?(?!\d)/, ([written]) => spellGroups(written)),
  rule(/(\d{3})-(\d{2})-(\d{4})(?!\d)/, verbalizeDigitGroups),
  rule(/0\d{2,4}([ -])\d{3,4}\1\d{3,4}(?!\d)/, verbalizeDigitGroups),
  rule(/1[38]00 \d{3} \d{3}(?!\d|[,.]\d)/, verbalizeDigitGroups),
  rule(/0[38]00[ ]\d{3,4}(?![ ]?\d)/, verbalizeDigitGroups),
  rule(/([2-9]\d{2})-(\d{4})(?![\d-])/, verbalizeDigitGroups),
];

/** Telephone numbers that begin with a sign: "+1 212-555-0100", "(212) 555-0100". */
export const signedTelephoneRules: readonly NormalizationRule[] = [
  rule(
    /\+(\d{1,3})[-. ]?\(?(\d{2,4})\)?[-. ]?\d{3,4}(?:[-. ]?\d{2,4}){0,3}(?!\d)/,
    ([written]) => `plus ${spellGroups(written)}`,
  ),
  // "+44 (0)20 7946 0123"
  rule(/\+\d{1,3} ?\(0\) ?\d{1,4}(?:[ -]\d{2,4}){1,4}(?!\d)/, ([written]) => `plus ${spellGroups(written)}`),
  // "+33 1 23 45 67 89"
  rule(/\+\d{1,3}(?:[-. ]\(?\d{1,4}\)?){2,6}(?![-. ]?\d)/, ([written]) =>
    written.replace(/\D/g, '').length >= 9 ? `plus ${spellGroups(written)}` : undefined,
  ),
  rule(/\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, verbalizeDigitGroups),
  rule(/\(0\d{1,4}\)\s?\d{3,4}[- ]\d{3,4}(?!\d)/, verbalizeDigitGroups),
];

function verbalizeDigitGroups([written]: RegExpExecArray): string {
  return spellGroups(written);
}

/** "Dial 988", "a 911 call": telephone numbers of three digits. */
function verbalizeServiceNumber([digits]: RegExpExecArray, place: MatchContext): string | undefined {
  const isCalled =
    CALL_BEFORE.test(place.before) ||
    CALL_FOLLOWS.test(place.after) ||
    (CONTACT_BEFORE.test(place.before) && CONTACT_AFTER.test(place.after));
  return isCalled ? spellDigits(digits) : undefined;
}

/** Digits with a pause between groups. */
export function spellGroups(written: string): string {
  return (written.match(/\d+/g) ?? []).map(spellDigits).join(', ');
}

function verbalizeTollFree(code: string): string {
  return code.endsWith('00') ? verbalizeCardinal(code) : spellDigits(code);
}

function verbalizeVanityGroup(group: string): string {
  return /\d/.test(group) ? spellDigits(group) : group;
}
