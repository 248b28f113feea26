import { findTable, type MatchContext, type NormalizationRule, parseTable, rule } from '../language.ts';
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
  verbalizeAddedFraction,
  verbalizeCardinal,
  verbalizeDecade,
  verbalizeDigitPairs,
  verbalizeNumber,
  verbalizeOrdinal,
  verbalizePower,
  verbalizeQuantity,
  verbalizeYear,
  verbalizeYearEnding,
  verbalizeYearRange,
} from './cardinals.ts';
import { cricketRules, resultRules, slashedRules, verbalizeFractionMatch } from './dashed-numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const MAGNITUDES = parseTable(findTable(tables, 'magnitudes of numbers'));
/** By the zeros after a one. */
const ROUND_PLURALS = parseTable(findTable(tables, 'round plurals'));
const FIXED_FRACTIONS = parseTable(findTable(tables, 'fixed fractions'));
const NAMED_BY_NUMBER =
  /\b(?:flights?(?:\s[A-Z]{2})?|routes?|highways?|interstate|rooms?|rm\.|channel|area|bus|nikkei|SR|CR|FM|county road|state road|russell|port|csi|ftse|train|[RG]TX|cessna|piper|beechcraft|gulfstream|learjet|porsche|peugeot|fiat|ferrari|rte\.?|hwy\.?|boeing|airbus|model|apollo|box|bill|proposition|resolution|res\.|section|sec\.|rule|(?:Evid|Civ|Crim|App|Bankr)\.(?:\sP\.)?|(?:on|along|off|of|near|from|at|to|and|via)\sU\.?S\.?|[hs]\.?[brj]\.?|a\.?b\.?|u\.?s\.?c\.?)\s$/i;
const PICTURE_BEFORE = /\b(?:in|at|native|supports?|true|[OQ]?LED)\s$/i;
const PICTURE_OR_RUN_AFTER =
  /^,?\s(?:tv|tvs|television|video|resolution|screen|camera|display|monitor|image|run|race|walk|runner|ride|ultra|loop|\d{2,3}(?:[″"-]|\s?Hz|\s?fps)|OLED|QLED|LED|Ultra|UHD|HDR|Blu-ray)/i;
/** Numbers that are dialed or typed. */
const CODE_BEFORE =
  /\b(?:ending in|(?:access|area|country|dial(?:ing)?|pass|pin|postal|zip)\s?codes?(?:\s(?:is|are|was|of))?|zip|IMO|MMSI|PIN(?:\s(?:is|was))?)\s$/i;
const AMOUNT_BEFORE =
  /\b(?:about|above|almost|approximately|around|below|exactly|exceeds?|fewer than|least|less than|more than|most|nearly|only|over|roughly|some|than|under|up to|another|these|those)\s$/i;
const YEAR_BEFORE =
  /(?:\b(?:after|before|by|during|for|from|in|of|since|the|through|till|to|until|year|early|late|mid|every)[\s-]|,\s)$/i;
const COUNTED_AFTER =
  /^\s(?:(?:new|more|other|young|different|american|civilian|full-time|square|cubic|metric)\s)?(?:[a-z]{2,}s|people|men|women|children|acres|feet|percent|troops)\b(?<!\s(?:was|is|has|does|its|this|as|us|yes|his|less|across|census|olympics|elections|games|finals|championships|playoffs|seasons|campaigns|budgets|editions))/i;

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
  rule(/(?:[79]\/11|4\/20|(?:10|7|24)\/7|50\/50|20\/20)(?![\d/])/, ([text]) => FIXED_FRACTIONS[text]),
  // "10 - 4 = 6"
  rule(
    /(\d{1,9}(?:\.\d{1,6})?)\s[-−–]\s(?=[\d.\s+×*÷/()−–-]{1,30}=)/u,
    ([, written = '']) => `${verbalizeNumber(written)} minus `,
  ),
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
    zeros.length === 2 ||
    zeros.includes(',') ||
    /(?:tens|hundreds|thousands|\d0s)\sof\s$/i.test(place.before) ||
    /^\sof\s/.test(place.after)
      ? ROUND_PLURALS[zeros.replace(',', '')]
      : undefined,
  ),
  // "a 1099", "Form 1040-ES"
  rule(/(10(?:40|9[589]))(?:-([A-Z]{1,4}))?(?!\d|[,.]\d)/, ([, form = '', part], place) =>
    part || (/\b(?:forms?|IRS|an?|your|his|her|their)\s$/i.test(place.before) && !/^\s[a-z]+s\b/.test(place.after))
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
    ([, whole = '', top = '', bottom = '']) => `${verbalizeCardinal(whole)} and ${verbalizeAddedFraction(top, bottom)}`,
  ),
  ...slashedRules,
  rule(/30-06(?!\d)/, () => 'thirty aught six'),
  rule(/24-7(?!\d)/, (_match, place) =>
    /\b(?:open|works?|working|available|runs?|running|operates?|operating|staffed|live|on call)\s$/.test(place.before)
      ? 'twenty-four seven'
      : undefined,
  ),
  // A docket: "No. 25-cv-00702"
  rule(
    /(?:(\d):)?(\d{1,2})-(?!in)([a-z]{2})-(\d{3,6})((?:-[A-Z]{2,4}){0,3})(?![\d-])/,
    ([, office, year = '', court = '', digits = '', judges = '']) =>
      `${office ? `${verbalizeCardinal(office)} ` : ''}${verbalizeCardinal(year)} ${spellLetters(court)} ${spellDigits(digits)}${judges && ` ${spellLetters(judges)}`}`,
  ),
  ...cricketRules,
  // "4 x 10^6"
  rule(
    /(\d{1,3}(?:\.\d{1,3})?)\s?[x×]\s?(?=10(?:\^|[⁻⁰¹²³⁴-⁹]))/,
    ([, digits = '']) => `${verbalizeNumber(digits)} times `,
  ),
  // "29 x 38 3/4 in."
  rule(/(\d{1,4}(?:\.\d{1,2})?)\sx\s(?=\d)/, ([, digits = '']) => `${verbalizeNumber(digits)} by `),
  // "shot in 4K at 120fps"
  rule(/([48])K(?=[.,;)]|\s(?:at|in|and|on|with)\s|$)/, ([, digits = ''], place) =>
    /\b(?:in|and|3D|[OQ]?LED)\s$/.test(place.before) ? `${verbalizeCardinal(digits)} K` : undefined,
  ),
  // "in the 10K"
  rule(/(5|10|15|25)K(?=[.,;)]|\s(?:in|at|and|on|for)\s|$)/, ([, digits = ''], place) =>
    /(?:\b(?:the|men's|women's|an?|and)|:\d\d)\s$/i.test(place.before) ? `${verbalizeCardinal(digits)} K` : undefined,
  ),
  // "ages 18-24"
  rule(/(\d{1,2})-(\d{1,2})(?![\d-])/, ([, first = '', last = ''], place) =>
    /\bage[sd]?\s$/i.test(place.before) ? verbalizeQuantity(first, last) : undefined,
  ),
  // "a 1-in-1,000-year flood"
  rule(
    /(\d{1,3})-in-(\d{1,3}(?:,\d{3}){1,2}|\d{1,6}(?:\.\d{1,2})?)(?!\d)/,
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
  rule(/(\d{1,4})[/⁄](\d{1,4})(?:ths?|rds?|nds?)?(?![\d/\p{L}])/iu, verbalizeFractionMatch),
  rule(/(\d{1,3})(?:\.(\d{1,3})){2,4}(?![\d.]?\d)/, ([written]) => verbalizeDotted(written)),
  // "version 5.6.x"
  rule(
    /(\d{1,3}(?:\.\d{1,3}){1,2})\.x(?![\p{L}\p{N}])/u,
    ([, written = '']) => `${verbalizeDotted(written)} point ${spellLetters('x')}`,
  ),
  // A minute of a match: "67' Yellow card"
  rule(/(\d{1,3})(?:\+(\d{1,2}))?['’′](?=[:)]|\s[–—-]?\s?\p{Lu})/u, ([, minute = '', added], place) =>
    /(?:^|[.!?]\s|\(\p{Lu}\p{L}{1,20}\s|\d['’′],\s)$/u.test(place.before)
      ? `${verbalizeCardinal(minute)}${added ? ` plus ${verbalizeCardinal(added)}` : ''} minutes`
      : undefined,
  ),
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

const VERSION_BEFORE = /\b(?:[Vv]ersion|Python|i(?:Pad)?OS|macOS|Android|Node(?:\.js)?|Linux|[Kk]ernel|[Rr]elease)\s$/;

/** Plain numbers: the last rules for digits. */
export const plainNumberRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`(${NUMBER})(${POWER})(?![\\d⁰¹²³⁴⁵⁶⁷⁸⁹])`),
    ([, written = '', power = '']) => `${verbalizeNumber(written)} ${verbalizePower(power)}`,
  ),
  // "version 3.11"
  rule(/(\d{1,2})\.([1-9]\d)(?![\d.]\d|\d)/, ([, major = '', minor = ''], place) =>
    VERSION_BEFORE.test(place.before) ? `${verbalizeCardinal(major)} point ${verbalizeCardinal(minor)}` : undefined,
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
  // "U.S. 101 at Highway 17"
  rule(/\d{3}(?![\d.]\d|\d)/, ([digits], place) =>
    /(?:^|\p{L}\s|[,;]\s)U\.?S\.?\s$/u.test(place.before) &&
    /^(?:[,.;:)]|\s(?:at|near|in|from|between|and|through|north|south|east|west|is|was|reopened|closed|on|to|overnight)(?!\p{L}))/u.test(
      place.after,
    )
      ? verbalizeDigitPairs(digits)
      : undefined,
  ),
  rule(/\d{1,3}(?![\d.]\d|\d)/, ([digits], place) => {
    if (digits.length > 1 && digits.startsWith('0')) return spellDigits(digits);
    const isNamed =
      NAMED_BY_NUMBER.test(place.before) || /^\s(?:[Ff]reeway|Fwy|Expressway|Turnpike)(?!\p{L})/u.test(place.after);
    return isNamed ? verbalizeDigitPairs(digits) : verbalizeCardinal(digits);
  }),
  rule(/\d{1,15}(?:\.\d{1,12})?(?!\d)/, ([written]) =>
    /^0\d/.test(written) ? spellDigits(written) : verbalizeNumber(written),
  ),
  rule(/\d{1,12}/, ([digits]) => spellDigits(digits)),
];

const AVERAGE_BEFORE = /\b(?:hit|hits|hitting|bat|bats|batted|batting|slash(?:ed|ing)|slugging)\s(?:just\s|a\s)?$/i;
const AVERAGE_AFTER = /^\s(?:avg|average|batting|hitter|clip|on-base|slugging)/i;
/** The second of two averages: "hit .341 in May and .265 since" */
const OTHER_AVERAGE_BEFORE = /\b(?:hit|bat)\p{Ll}{0,5}\s\.\d{3}\s[^.;]{0,30}\s$/u;
/** As many games won as lost: "a .500 team", "back above .500" */
const EVEN_RECORD_BEFORE = /\b(?:above|at|below|over|to|under|went)\s$/;
const EVEN_RECORD_AFTER = /^\s(?:ball|club|mark|record|season|team)(?!\p{L})/u;

/** Numbers that begin with a sign: "-5", "+3.5", ".25", "'90s". */
export const signedNumberRules: readonly NormalizationRule[] = [
  rule(/['’‘](\d0)s(?![\p{L}\p{N}])/u, ([, digits = '']) => verbalizeDecade(digits)),
  rule(/['’‘](\d{2})(?![\p{L}\p{N}'’])/u, ([, digits = '']) => verbalizeYearEnding(digits)),
  // "a .38 revolver", ".22-cal. rifle", ".357 Magnum"
  rule(
    /\.(\d{2,3})(?:(-cal)\.?(?!\p{L})|(?=-caliber|\s(?:calib(?:er|re)|revolvers?|Magnum|magnum|Special|pistols?|handguns?|rifles?|Colt|Winchester|Remington|ACP|automatic|guns?|rounds?|bullets?|shells?|ammunition)(?!\p{L})))/u,
    ([, size = '', unit], place) =>
      /[\p{L}\p{N}]$/u.test(place.before) ? undefined : `${verbalizeDigitPairs(size)}${unit ? '-caliber' : ''}`,
  ),
  // "hit .301/.380/.512"
  rule(/\.\d{3}(?:\/\.\d{3}){1,2}(?!\d)/, ([written], place) =>
    /\d$/.test(place.before) ? undefined : (written.match(/\d{3}/g) ?? []).map(verbalizeDigitPairs).join(', '),
  ),
  rule(/\.\d{1,12}(?!\d)/, ([written], place) => {
    if (/[\p{L}\p{N}]$/u.test(place.before)) return undefined;
    // A batting average: "hit .312"
    return isAverage(written, place) ? verbalizeDigitPairs(written.slice(1)) : verbalizeNumber(written);
  }),
  // Odds: "Dodgers -130", "a +150 underdog"
  rule(/([-−–+])(\d{3})(?=[;,.)]|\s(?:favou?rites?|underdogs?|odds|on the)|$)/, ([, sign, digits = ''], place) =>
    /\b(?:line|odds|moneyline|favou?red|favou?rites?|underdogs?|bet\w{0,4}|spread)\b[^.;]{0,30}$/i.test(place.before)
      ? `${sign === '+' ? 'plus' : 'minus'} ${verbalizeDigitPairs(digits)}`
      : undefined,
  ),
  rule(/[-−–](?=\.?\d)/, (_match, place) => (/(?:^|[\s([])$/.test(place.before) ? 'minus ' : undefined)),
];

function isAverage(written: string, { before, after }: MatchContext): boolean {
  if (!/^\.\d{3}$/.test(written)) return false;
  if (written === '.500' && (EVEN_RECORD_BEFORE.test(before) || EVEN_RECORD_AFTER.test(after))) return true;
  return AVERAGE_BEFORE.test(before) || OTHER_AVERAGE_BEFORE.test(before) || AVERAGE_AFTER.test(after);
}

/** "23rd", but not "11st". */
function verbalizeOrdinalMatch([, written = '', suffix = '']: RegExpExecArray): string | undefined {
  const digits = written.replace(/,/g, '');
  const expected = /1\d$/.test(digits) ? 'th' : ({ '1': 'st', '2': 'nd', '3': 'rd' }[digits.at(-1) ?? ''] ?? 'th');
  return suffix.toLowerCase() === expected ? verbalizeOrdinal(digits) : undefined;
}

function verbalizeMagnitude([, written = '', letter = '']: RegExpExecArray, place: MatchContext): string | undefined {
  // "Malcolm 10 M Street" is no million: single letters must touch the number.
  // The company: "3M Co.", "3M said", "3M shares"
  const isAboutCompany = /^\s(?:shares|stocks|products|workers|employees|plants|officials|executives)\b/.test(
    place.after,
  );
  if (written === '3' && letter === 'M' && (isAboutCompany || !isCounting(place))) return undefined;
  if (letter.length === 1 && /\s/.test(place.text.charAt(place.end - 2))) return undefined;
  // "GRB 250702B"
  if (letter.length === 1 && /^\d{5,}$/.test(written)) return undefined;
  // "a 3B and 2 SB"
  if (
    letter === 'B' &&
    /^[23]$/.test(written) &&
    /\ban?\s$/.test(place.before) &&
    /^(?:[.,;)]|\s(?:and|in|to|with|off)(?!\p{L})|$)/u.test(place.after)
  )
    return undefined;
  // "1B Pete Alonso"
  if (
    letter === 'B' &&
    /^[123]$/.test(written) &&
    /^\s\p{Lu}\p{Ll}/u.test(place.after) &&
    !/\p{Sc}$/u.test(place.before)
  )
    return `${verbalizeOrdinal(written)} baseman`;
  // "700k without power", but "a 10k"
  const isThousand = letter === 'k' && Number(written) > 15 && !/^(?:50|100)$/.test(written);
  if (
    /[km]/.test(letter) &&
    !isThousand &&
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
  // "1341-1323 BC"
  const runsBackwards = /^\s?B\.?C/.test(place.after);
  if (last.length === 4) return (Number(first) <= Number(last) || runsBackwards) && isYear(first, place);
  return Number(last) > Number(first.slice(2)) && isYear(first, place);
}

/** Whether four digits without a comma are a year rather than an amount. */
function isYear(digits: string, place: MatchContext): boolean {
  const value = Number(digits);
  if (value < 1001 || value > 2099) return false;
  if (/^\s(?:A\.?D|B\.?C|C\.?E)(?!\p{L})/u.test(place.after)) return true;
  if (value < 1100) return /\b(?:in|since|of|year|by|born|died|reigned|until|circa|A\.?D\.?)\s$/i.test(place.before);
  if (AMOUNT_BEFORE.test(place.before)) return false;
  if (/\b(?:19|20)\d\d,?\s(?:and|or|&)\s$/.test(place.before)) return true;
  return YEAR_BEFORE.test(place.before) || !COUNTED_AFTER.test(place.after);
}
