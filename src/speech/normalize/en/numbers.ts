import { type MatchContext, type NormalizationRule, parseTable, rule } from '../language.ts';
import { spellLetters } from './acronyms.ts';
import {
  ATTRIBUTE_FOLLOWS,
  isCounting,
  NUMBER,
  PLACE_BEFORE,
  POWER,
  pluralize,
  RANGE_DASH,
  spellDigits,
  verbalizeCardinal,
  verbalizeDecade,
  verbalizeDigitPairs,
  verbalizeFraction,
  verbalizeNumber,
  verbalizeOrdinal,
  verbalizePower,
  verbalizeQuantity,
  verbalizeYear,
  verbalizeYearEnding,
  verbalizeYearRange,
} from './cardinals.ts';

/** Results of games and votes, which are no ranges, and ratios. */
const resultRules: readonly NormalizationRule[] = [
  rule(/(\d{1,3})[-–](\d{1,3})(?![\d,.:/-]?\d|[-–]?\p{L}|\s?%)/u, ([, first = '', last = ''], place) =>
    verbalizeResult(first, last, place),
  ),
  rule(/(\d{1,4}):(\d{1,3}(?:,\d{3}){1,3}|\d{1,6})(?![\d:])/, ([, first = '', last = '']) =>
    verbalizeQuantity(first, last),
  ),
];

/** "the 80-20 rule" */
const SHARES_AFTER = /^\s(?:rule|split|chance|hindsight|vision)(?!\p{L})/u;
const RECORD_BEFORE =
  /\b(?:(?:improved?|improves|fell|falls?|drop(?:s|ped)?|slipped|moved?|moves|rose)\sto|record\sof|\bto go)\s$/i;
const RECORD_AFTER =
  /^(?:\s(?:overall\s|regular-season\s|home\s|road\s)?(?:record|start|mark|overall|in one season|this season|last season|on the season)\b|,\s\d?\.\d{2,3}\sERA)/;
/** "a coach who was 21-61", "went 3-1". */
const PERSON_BEFORE =
  /\b(?:(?:who|he|she|they|we|team|club|coach|pitcher|starter|quarterback|righty|lefty|right-hander|left-hander)\s(?:was|were|is|are|had been|has been|went|goes|finished|started|improved|fell)|went|going|started|opened)\s$/i;
/** "The Chiefs are 9-2". */
const TEAM_SUBJECT =
  /\b[Tt]he\s(?!Democrats|Republicans|Tories)(?:\p{Lu}\p{L}{1,15}\s)?\p{Lu}\p{Ll}{2,15}s\s(?:are|were)\s(?:now\s|just\s)?$/u;
/** "The Chiefs (11-1) host". */
const TEAM_BEFORE =
  /(?:\p{Lu}\p{Ll}{1,20}s|\b(?:coach|pitcher|starter|quarterback|righty|lefty|right-hander|left-hander|team|club))\s\($/u;
/** "Detroit (11-2) topped Washington" */
const OPPONENT_AFTER =
  /^\)\s(?:topped|edged|routed|downed|held|beat|past|defeated|outlasted|rallied|hosts?|visits?|faces?|plays?|lost|lead|leads|trails?|won|wins|stunned|blanked)(?!\p{L})/u;
const CRICKET_AFTER =
  /^(?:\sdec(?:lared|\.)?(?!\p{L})|\s(?:at|by)\s(?:stumps|tea|lunch|the close)|\s(?:from|in|off|after)\s\d{1,3}(?:\.\d)?\sov(?:er)?s)/u;
const CRICKET_BEFORE =
  /\b(?:made|scored|reached|posted|were|was|at|on|to|for|with|of|finished|closed|declared|replied|collapsed|slumped)\s$/i;
const BOWLED_BEFORE =
  /\b(?:took|takes|taking|taken|claimed|claims|claiming|bagged|grabbed|figures of|returned|haul of)\s$/i;
/** The height of a player: "the 6-4, 220-pound guard" */
const HEIGHT_AFTER =
  /^(?:,\s\d{3}[- ](?:pound|lb)|[,-]?\s(?:guard|forward|center|tackle|lineman|linebacker|quarterback|receiver|pitcher|left-hander|right-hander|wing|striker|defenseman))/;
const PRESSURE_BEFORE = /\b(?:pressures?|BP|systolic|hypertension|readings?)\b[^.]{0,30}$/i;
const GAME_BEFORE = /\d{1,3}[-–]\d{1,3}(?:(?:\s?\([\d–-]{1,5}\))?,\s(?:and\s)?|\s\()$/;
const TIE_BREAK_AFTER = /^\s?\(\d{1,2}(?:[-–]\d{1,2})?\)/;
const GAME_AFTER = /^(?:\s?\([\d–-]{1,5}\))?,\s(?:and\s)?\d{1,3}[-–]\d{1,3}(?![-–\d])/;

/** An even split: "fifty-fifty"; wins and losses: "ten and two"; games in a row: "six four, seven five"; a shutout: "one to nothing". */
function verbalizeResult(first: string, last: string, place: MatchContext): string | undefined {
  if (/^0\d/.test(first) || /^0\d/.test(last)) return undefined;
  const [from, to] = [verbalizeCardinal(first), verbalizeCardinal(last)];
  if (SHARES_AFTER.test(place.after)) return `${from} ${to}`;
  if (/^[4-7]$/.test(first) && Number(last) < 12 && HEIGHT_AFTER.test(place.after)) return `${from} ${to}`;
  if (first === '50' && last === '50') return `${from}-${to}`;
  if (isRecord(place)) return `${from} and ${to}`;
  const isTieBreak = /^(?:76|67)$/.test(first + last) && TIE_BREAK_AFTER.test(place.after);
  if (isTieBreak || GAME_BEFORE.test(place.before) || GAME_AFTER.test(place.after)) return `${from} ${to}`;
  return last === '0' && first !== '0' ? `${from} to nothing` : undefined;
}

function isRecord(place: MatchContext): boolean {
  const textBefore = place.before;
  const textAfter = place.after;
  return (
    RECORD_BEFORE.test(textBefore) ||
    RECORD_AFTER.test(textAfter) ||
    PERSON_BEFORE.test(textBefore) ||
    TEAM_SUBJECT.test(textBefore) ||
    (TEAM_BEFORE.test(textBefore) && /^[,)]/.test(textAfter)) ||
    (/[\p{Lu}&][\p{L}&.'’-]{0,20}\s\($/u.test(textBefore) && OPPONENT_AFTER.test(textAfter))
  );
}

const MAGNITUDES = parseTable(`
  K, k = thousand; M, m, mn, mln = million; B, bn, bln = billion; T, tn, trln, trn = trillion
`);
/** By the zeros after a one. */
const ROUND_PLURALS = parseTable(
  '0 = tens; 00 = hundreds; 000 = thousands; 0000 = tens of thousands; 00000 = hundreds of thousands',
);
const FIXED_FRACTIONS = parseTable(`
  9/11 = nine eleven; 10/7 = ten seven; 7/7 = seven seven; 24/7 = twenty-four seven; 7/11 = seven eleven; 50/50 = fifty-fifty; 20/20 = twenty twenty
`);
const NAMED_BY_NUMBER =
  /\b(?:flights?|routes?|highways?|interstate|rooms?|channel|area|bus|train|porsche|peugeot|fiat|ferrari|rte\.?|hwy\.?|boeing|airbus|model|apollo|box|bill|proposition|resolution|section|sec\.|rule|(?:Evid|Civ|Crim|App|Bankr)\.(?:\sP\.)?|(?:on|along|off|of|near|from|at|to|and|via)\sU\.?S\.?|[hs]\.?[brj]\.?|a\.?b\.?|u\.?s\.?c\.?)\s$/i;
const PICTURE_BEFORE = /\b(?:in|at|native|supports?|true)\s$/i;
const PICTURE_OR_RUN_AFTER =
  /^\s(?:tv|tvs|television|video|resolution|screen|camera|display|monitor|image|run|race|walk|runner)/i;
/** Numbers that are dialed or typed. */
const CODE_BEFORE =
  /\b(?:ending in|(?:access|area|country|dial(?:ing)?|pass|pin|postal|zip)\s?codes?(?:\s(?:is|are|was|of))?|PIN(?:\s(?:is|was))?)\s$/i;
const AMOUNT_BEFORE =
  /\b(?:about|above|almost|approximately|around|below|exactly|exceeds?|fewer than|least|less than|more than|most|nearly|only|over|roughly|some|than|under|up to|another|these|those)\s$/i;
const YEAR_BEFORE =
  /(?:\b(?:after|before|by|during|for|from|in|of|since|the|through|till|to|until|year|early|late|mid|every)[\s-]|,\s)$/i;
const COUNTED_AFTER =
  /^\s(?:(?:new|more|other|young|different|american|civilian|full-time|square|cubic|metric)\s)?(?:[a-z]{2,}s|people|men|women|children|acres|feet|percent|troops)\b(?<!\s(?:was|is|has|does|its|this|as|us|yes|his|less|across|census|olympics|elections|games|finals|championships|playoffs))/i;

const QUARTERS_OR_HALVES = parseTable('1Q, 1H = first; 2Q, 2H = second; 3Q = third; 4Q = fourth');

/** "in 4Q24" → "in the fourth quarter of twenty twenty-four", "4Q revenue". */
function verbalizePartOfYear([, part = '', short, full]: RegExpExecArray, place: MatchContext): string | undefined {
  const digits = full ?? (short && `20${short}`);
  // "a 1H" is no half of a year
  if (QUARTERS_OR_HALVES[part] === undefined || (part.endsWith('H') && digits === undefined)) return undefined;
  const name = `${QUARTERS_OR_HALVES[part]} ${part.endsWith('Q') ? 'quarter' : 'half'}`;
  const isNoun =
    /\b(?:by|during|for|from|in|of|since|to|until)\s$/i.test(place.before) && !ATTRIBUTE_FOLLOWS.test(place.after);
  if (digits === undefined) return isNoun ? `the ${name}` : name;
  return isNoun ? `the ${name} of ${verbalizeYear(digits)}` : `${name} ${verbalizeYear(digits)}`;
}

/** Ordinals, decades, fractions, ranges and magnitudes. */
export const specialNumberRules: readonly NormalizationRule[] = [
  rule(/(?:[79]\/11|(?:10|7|24)\/7|50\/50|20\/20)(?![\d/])/, ([text]) => FIXED_FRACTIONS[text]),
  // "the 15th-16th century"
  rule(
    /(\d{1,3})(?:st|nd|rd|th)\s?[-–]\s?(?=\d{1,3}(?:st|nd|rd|th)(?!\p{L}))/u,
    ([, digits = '']) => `${verbalizeOrdinal(digits)} to `,
  ),
  rule(/(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(st|nd|rd|th)(?![\p{L}\p{N}])/iu, verbalizeOrdinalMatch),
  rule(/([1-4]Q|[12]H)(?:\s?['’]?(2\d|1\d)|[\s-]?(20\d\d))?(?![\p{L}\p{N}])/u, verbalizePartOfYear),
  rule(
    /(\d{3}0)['’]?s([-–]| to | and )(\d{2}0|\d{4}|\d0)['’]?s(?![\p{L}\p{N}])/u,
    ([, first = '', joint = '', last = '']) =>
      `${verbalizeDecade(first)}${/[-–]/.test(joint) ? ' to ' : joint}${verbalizeDecade(last)}`,
  ),
  // "hundreds of 1000s", "100s of people"
  rule(/1(0|00|,?000|0,?000|00,?000)s(?![\p{L}\p{N}])/u, ([, zeros = ''], place) =>
    /(?:tens|hundreds|thousands)\sof\s$/i.test(place.before) || /^\sof\s/.test(place.after)
      ? ROUND_PLURALS[zeros.replace(',', '')]
      : undefined,
  ),
  // "a 1099", "Form 1040-ES"
  rule(/(10(?:40|9[589]))(?:-([A-Z]{1,4}))?(?!\d|[,.]\d)/, ([, form = '', part], place) =>
    /\b(?:forms?|IRS|an?|your|his|her|their)\s$/i.test(place.before) && !/^\s[a-z]+s\b/.test(place.after)
      ? `${verbalizeDigitPairs(form)}${part ? ` ${spellLetters(part)}` : ''}`
      : undefined,
  ),
  // Bonds by their years: "the 2s/10s curve"
  rule(
    /(\d{1,2})s\/(\d{1,2})s(?!\p{L})/u,
    ([, first = '', last = '']) => `${pluralize(verbalizeCardinal(first))} ${pluralize(verbalizeCardinal(last))}`,
  ),
  rule(/(\d{2}0|\d{3}0|\d0)['’]?s(?![\p{L}\p{N}])/u, ([, digits = '']) => verbalizeDecade(digits)),
  rule(/(\d{2})ers(?!\p{L})/u, ([, digits = '']) => `${verbalizeCardinal(digits).replace(/e$/, '')}ers`),
  rule(/(\d{1,4})['’]?s(?![\p{L}\p{N}])/u, ([, digits = '']) => pluralize(verbalizeDigitPairs(digits))),
  rule(
    /(\d{1,4})[ -](\d{1,3})[/⁄](\d{1,3})(?:th|rd|nd)?(?![\d/\p{L}])/iu,
    ([, whole = '', top = '', bottom = '']) =>
      `${verbalizeCardinal(whole)} and ${verbalizeFraction(top, bottom).replace(/^one /, 'a ')}`,
  ),
  rule(/(\d{1,4})\/(\d{1,4})\/(\d{1,4})(?![\d/])/, ([written]) => written.split('/').map(verbalizeCardinal).join(', ')),
  rule(/(\d{2,3})\/(\d{2,3})(\s?mm\s?Hg)?(?![\d/\p{L}])/u, ([, first = '', last = '', unit], place) =>
    PRESSURE_BEFORE.test(place.before) || unit
      ? `${verbalizeCardinal(first)} over ${verbalizeCardinal(last)}${unit ? ' millimeters of mercury' : ''}`
      : undefined,
  ),
  // A docket: "No. 25-cv-00702"
  rule(
    /(?:(\d):)?(\d{1,2})-([a-z]{2})-(\d{3,6})(?![\d-])/,
    ([, office, year = '', court = '', digits = '']) =>
      `${office ? `${verbalizeCardinal(office)} ` : ''}${verbalizeCardinal(year)} ${spellLetters(court)} ${spellDigits(digits)}`,
  ),
  // "102 off 98b"
  rule(/(\d{1,3})b(?![\p{L}\p{N}])/u, ([, digits = ''], place) =>
    /\d\*?\s(?:off|from)\s$/.test(place.before) ? `${verbalizeCardinal(digits)} balls` : undefined,
  ),
  // "4 x 10^6"
  rule(
    /(\d{1,3}(?:\.\d{1,3})?)\s?[x×]\s?(?=10(?:\^|[⁻⁰¹²³⁴-⁹]))/,
    ([, digits = '']) => `${verbalizeNumber(digits)} times `,
  ),
  // "29 x 38 3/4 in."
  rule(/(\d{1,4}(?:\.\d{1,2})?)\sx\s(?=\d)/, ([, digits = '']) => `${verbalizeNumber(digits)} by `),
  // "in the 10K"
  rule(/(5|10|15|25)K(?=[.,;)]|\s(?:in|at|and|on|for)\s|$)/, ([, digits = ''], place) =>
    /\b(?:the|men's|women's|ran an?|and)\s$/i.test(place.before) ? `${verbalizeCardinal(digits)} K` : undefined,
  ),
  // "ages 18-24"
  rule(/(\d{1,2})-(\d{1,2})(?![\d-])/, ([, first = '', last = ''], place) =>
    /\bage[sd]?\s$/i.test(place.before) ? verbalizeQuantity(first, last) : undefined,
  ),
  // "a 1-in-1,000-year flood"
  rule(
    /(\d{1,3})-in-(\d{1,3}(?:,\d{3}){1,2}|\d{1,6})(?!\d)/,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} in ${verbalizeNumber(last)}`,
  ),
  // A docket: "No. 25-332"
  rule(/(\d{2})-(\d{1,5})(?![\d-])/, ([, year = '', digits = ''], place) =>
    /\b(?:No\.?|Nos\.|docket|docket number|case)\s$/i.test(place.before)
      ? `${verbalizeCardinal(year)} ${verbalizeDigitPairs(digits)}`
      : undefined,
  ),
  // "18-34-year-olds", "a 10-15-minute walk"
  rule(/(\d{1,3})-(\d{1,3})(?=-\p{Ll}{3})/u, ([, first = '', last = '']) => verbalizeQuantity(first, last)),
  // "Public Law 117-58"
  rule(/(\d{2,3})-(\d{1,4})(?![\d-])/, ([, congress = '', digits = ''], place) =>
    /\b(?:Public Law|P(?:ub)?\.\s?L\.)(?:\sNo\.)?\s$/.test(place.before)
      ? `${verbalizeCardinal(congress)} ${verbalizeDigitPairs(digits)}`
      : undefined,
  ),
  // "1.2e15"
  rule(
    /(\d\.\d{1,4})[eE]\+?([-−]?)(\d{1,3})(?![\p{L}\p{N}])/u,
    ([, written = '', minus, power = '']) =>
      `${verbalizeNumber(written)} times ten to the power of ${minus ? 'minus ' : ''}${verbalizeCardinal(power)}`,
  ),
  // Wickets of a bowler: "took 5-32", "figures of 4/28"
  rule(/(10|\d)[-–/](\d{1,3})(?![\d/–-])/, ([, wickets = '', runs = ''], place) =>
    BOWLED_BEFORE.test(place.before) && Number(runs) > 11
      ? `${verbalizeCardinal(wickets)} for ${verbalizeCardinal(runs)}`
      : undefined,
  ),
  // Runs and wickets.
  rule(/(\d{1,3})[-–/](10|\d)(?![\d/–-])/, ([written, runs = '', wickets = ''], place) =>
    CRICKET_AFTER.test(place.after) || (written.includes('/') && Number(runs) > 20 && CRICKET_BEFORE.test(place.before))
      ? `${verbalizeCardinal(runs)} for ${verbalizeCardinal(wickets)}`
      : undefined,
  ),
  rule(/(\d{1,4})[/⁄](\d{1,4})(?:ths?|rds?|nds?)?(?![\d/\p{L}])/iu, verbalizeFractionMatch),
  rule(/(\d{1,3})(?:\.(\d{1,3})){2,4}(?![\d.]?\d)/, ([written]) => verbalizeDotted(written)),
  ...resultRules,
  rule(/([12]\d{3})[-–—]([12]\d{3}|\d{2})(?![\d,.:/-]?\d)/, ([, first = '', last = ''], place) =>
    isYearRange(first, last, place) ? verbalizeYearRange(first, last) : undefined,
  ),
  rule(
    new RegExp(`(${NUMBER})${RANGE_DASH}(${NUMBER})(?![\\d,.:/-]?\\d|[-–]?\\p{L})`, 'u'),
    ([written, first = '', last = '']) => (/\s-\S|\S-\s/.test(written) ? undefined : verbalizeQuantity(first, last)),
  ),
  rule(new RegExp(`(${NUMBER})\\s?(K|M|B|T|k|m|mn|mln|bln|bn|trln|trn|tn)(?![\\p{L}\\p{N}])`, 'u'), verbalizeMagnitude),
];

/** Plain numbers: the last rules for digits. */
export const plainNumberRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`(${NUMBER})(${POWER})(?![\\d⁰¹²³⁴⁵⁶⁷⁸⁹])`),
    ([, written = '', power = '']) => `${verbalizeNumber(written)} ${verbalizePower(power)}`,
  ),
  rule(/\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,12})?(?![\d,]\d)/, ([written]) => verbalizeNumber(written)),
  rule(/\d{3,9}(?![\d,.]\d|\d)/, ([digits], place) =>
    CODE_BEFORE.test(place.before) ? spellDigits(digits) : undefined,
  ),
  rule(/\d{4}(?![\d.]\d|\d)/, ([digits], place) => {
    if (digits.startsWith('0')) return spellDigits(digits);
    if (NAMED_BY_NUMBER.test(place.before)) return verbalizeDigitPairs(digits);
    return isYear(digits, place) ? verbalizeYear(digits) : verbalizeCardinal(digits);
  }),
  rule(/\d{1,3}(?![\d.]\d|\d)/, ([digits], place) => {
    if (digits.length > 1 && digits.startsWith('0')) return spellDigits(digits);
    return NAMED_BY_NUMBER.test(place.before) ? verbalizeDigitPairs(digits) : verbalizeCardinal(digits);
  }),
  rule(/\d{1,15}(?:\.\d{1,12})?(?!\d)/, ([written]) =>
    /^0\d/.test(written) ? spellDigits(written) : verbalizeNumber(written),
  ),
  rule(/\d{1,12}/, ([digits]) => spellDigits(digits)),
];

const AVERAGE_BEFORE = /\b(?:hit|hits|hitting|bat|bats|batted|batting|slash(?:ed|ing)|slugging)\s(?:just\s|a\s)?$/i;
const AVERAGE_AFTER = /^\s(?:avg|average|batting|hitter|clip|on-base|slugging)/i;

/** Numbers that begin with a sign: "-5", "+3.5", ".25", "'90s". */
export const signedNumberRules: readonly NormalizationRule[] = [
  rule(/['’‘](\d0)s(?![\p{L}\p{N}])/u, ([, digits = '']) => verbalizeDecade(digits)),
  rule(/['’‘](\d{2})(?![\p{L}\p{N}'’])/u, ([, digits = '']) => verbalizeYearEnding(digits)),
  // "hit .301/.380/.512"
  rule(/\.\d{3}(?:\/\.\d{3}){1,2}(?!\d)/, ([written], place) =>
    /\d$/.test(place.before) ? undefined : (written.match(/\d{3}/g) ?? []).map(verbalizeDigitPairs).join(', '),
  ),
  rule(/\.\d{1,12}(?!\d)/, ([written], place) => {
    if (/[\p{L}\p{N}]$/u.test(place.before)) return undefined;
    // A batting average: "hit .312"
    return /^\.\d{3}$/.test(written) && (AVERAGE_BEFORE.test(place.before) || AVERAGE_AFTER.test(place.after))
      ? verbalizeDigitPairs(written.slice(1))
      : verbalizeNumber(written);
  }),
  // Odds: "Dodgers -130", "a +150 underdog"
  rule(/([-−–+])(\d{3})(?=[;,.)]|\s(?:favou?rites?|underdogs?|odds|on the)|$)/, ([, sign, digits = ''], place) =>
    /\b(?:line|odds|moneyline|favou?red|favou?rites?|underdogs?|bet\w{0,4}|spread)\b[^.;]{0,30}$/i.test(place.before)
      ? `${sign === '+' ? 'plus' : 'minus'} ${verbalizeDigitPairs(digits)}`
      : undefined,
  ),
  rule(/[-−–](?=\.?\d)/, (_match, place) => (/(?:^|[\s([])$/.test(place.before) ? 'minus ' : undefined)),
];

/** "odds of 5/2", "the 7/2 favorite" */
const ODDS_BEFORE = /\b(?:odds|bets?|betting|bookmakers?|priced|starting price|SP)\b[^.;:%\d]{0,30}$/i;
const ODDS_AFTER =
  /^\s(?:favou?rites?|joint-favou?rites?|odds|shot|outsiders?|underdogs?|second[ -]favou?rite)(?!\p{L})/u;

/** "23rd", but not "11st". */
function verbalizeOrdinalMatch([, written = '', suffix = '']: RegExpExecArray): string | undefined {
  const digits = written.replace(/,/g, '');
  const expected = /1\d$/.test(digits) ? 'th' : ({ '1': 'st', '2': 'nd', '3': 'rd' }[digits.at(-1) ?? ''] ?? 'th');
  return suffix.toLowerCase() === expected ? verbalizeOrdinal(digits) : undefined;
}

function verbalizeFractionMatch([, top = '', bottom = '']: RegExpExecArray, place: MatchContext): string {
  if (/^\s(?:hearings?|riots?|rioters?|attacks?|committee|insurrection|defendants)\b/.test(place.after))
    return `${verbalizeCardinal(top)} ${verbalizeCardinal(bottom)}`;
  if (ODDS_BEFORE.test(place.before) || ODDS_AFTER.test(place.after)) return verbalizeQuantity(top, bottom);
  if (/^(?:1[89]|20)\d\d$/.test(top) && bottom.length % 2 === 0) {
    return `${verbalizeYear(top)} ${bottom.length === 2 ? verbalizeYearEnding(bottom) : verbalizeYear(bottom)}`;
  }
  // "a 60/40 stake"
  if (Number(top) + Number(bottom) === 100) return `${verbalizeCardinal(top)} ${verbalizeCardinal(bottom)}`;
  const isFraction = Number(bottom) >= 2 && (Number(top) < Number(bottom) || Number(bottom) <= 4);
  if (isFraction && !(top.length > 1 && top.startsWith('0'))) return verbalizeFraction(top, bottom);
  return `${verbalizeCardinal(top)} slash ${verbalizeCardinal(bottom)}`;
}

function verbalizeMagnitude([, written = '', letter = '']: RegExpExecArray, place: MatchContext): string | undefined {
  // "Malcolm 10 M Street" is no million: single letters must touch the number.
  // The company: "3M Co.", "3M said", "3M shares"
  const isAboutCompany = /^\s(?:shares|stocks|products|workers|employees|plants|officials|executives)\b/.test(
    place.after,
  );
  if (written === '3' && letter === 'M' && (isAboutCompany || !isCounting(place))) return undefined;
  if (letter.length === 1 && /\s/.test(place.text.charAt(place.end - 2))) return undefined;
  if (
    /[km]/.test(letter) &&
    letter.length === 1 &&
    !isCounting(place) &&
    !/^\s(?:bpd|b\/d|boe|oz|ounces)(?!\p{L})/u.test(place.after) &&
    !/\bpop(?:ulation|\.)?\s(?:of\s)?$/i.test(place.before)
  )
    return undefined;
  const isName =
    PLACE_BEFORE.test(place.before) ||
    (letter === 'K' &&
      (PICTURE_OR_RUN_AFTER.test(place.after) || (/^[48]$/.test(written) && PICTURE_BEFORE.test(place.before))));
  return isName ? undefined : `${verbalizeNumber(written)} ${MAGNITUDES[letter]}`;
}

/** Versions, "2.0.1", and IP addresses, "192.168.0.1". */
function verbalizeDotted(written: string): string {
  const parts = written.split('.');
  if (parts.length === 4) return parts.map(spellDigits).join(' dot ');
  return parts.map((part) => verbalizeCardinal(part)).join(' point ');
}

function isYearRange(first: string, last: string, place: MatchContext): boolean {
  if (last.length === 4) return Number(first) <= Number(last) && isYear(first, place);
  return Number(last) > Number(first.slice(2)) && isYear(first, place);
}

/** Whether four digits without a comma are a year rather than an amount. */
function isYear(digits: string, place: MatchContext): boolean {
  const value = Number(digits);
  if (value < 1001 || value > 2099) return false;
  if (value < 1100) return /\b(?:in|since|of|year|by)\s$/i.test(place.before);
  if (AMOUNT_BEFORE.test(place.before)) return false;
  if (/\b(?:19|20)\d\d,?\s(?:and|or|&)\s$/.test(place.before)) return true;
  return YEAR_BEFORE.test(place.before) || !COUNTED_AFTER.test(place.after);
}
