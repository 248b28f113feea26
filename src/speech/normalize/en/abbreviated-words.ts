import { findTable, type NormalizationRule, parseTable, rule } from '../language.ts';
import { createContextualRule } from '../shared/abbreviations.ts';
import { verbalizeCardinal, verbalizeDigitPairs } from './cardinals.ts';
import tables from './tables.txt' with { type: 'text' };

/** Titles before a name, without their full stop. */
export const TITLES = parseTable(findTable(tables, 'titles'));

/** In any position, with their full stop. */
export const WORDS = parseTable(findTable(tables, 'abbreviations of words'));
export const NUMBERED = parseTable(findTable(tables, 'numbered'));
/** With an apostrophe for what is left out. */
export const CONTRACTED = parseTable(findTable(tables, 'contracted'));
export const LETTERED = parseTable(findTable(tables, 'lettered'));
export const LATIN = parseTable('e.g = for example; i.e = that is');
export const SLASHED = parseTable(findTable(tables, 'slashed'));
export const UNDOTTED = parseTable(findTable(tables, 'undotted'));

export const BEFORE_A_YEAR = parseTable(findTable(tables, 'before a year'));

const COURT_RULES = parseTable(findTable(tables, 'court rules'));

const AFTER_ORDINAL = /\d(?:st|nd|rd|th)\s$/;
/** A state after "No.", "So." or "Cent.", which say where in it. */
export const STATE_OF_REGION = String.raw`(?:Calif|Cal|Ariz|Colo|Fla|Ga|Ill|Ind|Mich|Minn|Mo|N\.J|Nev|Va)\.`;
const STATE_FOLLOWS = String.raw`(?=\s${STATE_OF_REGION})`;

/** Abbreviations that the words before or after them tell apart from others. They precede those of the tables. */
export const contextualAbbreviationRules: readonly NormalizationRule[] = [
  // "the 75th Pct.", "the 18th-19th c. house"
  createContextualRule(/Pct\.?(?!\p{L})/u, 'Precinct', AFTER_ORDINAL),
  createContextualRule(/Pct\.?(?=\s\d{1,3}(?![\d%]|[.,]\d))/, 'Precinct'),
  createContextualRule(/c\.(?=\s\p{Ll}|[,;)]|["'”’]{0,2}$)/u, 'century', AFTER_ORDINAL),
  // Generation Z
  createContextualRule(/Gen\.(?=\s(?:X|Z|Alpha)(?!\p{L}))/u, 'Gen'),
  // British, without a full stop: "Maj Gen Ann Roe"
  createContextualRule(/Gen(?=\s(?!X|Z|Alpha|Con)\p{Lu}\p{Ll})/u, 'General'),
  createContextualRule(/res\.(?=\))/, 'reserve', /\.\s\($/),
  createContextualRule(/AM(?=\s(?:(?:and|or)\sFM|radio|stations?|dial|band|signal)(?!\p{L}))/u, 'A.M'),
  createContextualRule(/pt\.(?!\p{L})/u, 'point', /\b(?:dew|boiling|freezing|melting)\s$/i),
  createContextualRule(/Ch\.?(?=\s(?:Insp|Supt|Con)(?!\p{L}))/u, 'Chief'),
  // A nun: "Sr. Mary Joseph"
  createContextualRule(
    /Sr\.?(?=\s(?:Mary|Maria|Marie|Ann|Anne|Teresa|Theresa|Catherine|Helen|Joan|Jean|Rose|Norma|Simone)(?!\p{L}))/u,
    'Sister',
  ),
  createContextualRule(
    /Sr\.(?=\s(?!Vice|Director|Manager|Advis|Editor|Counsel|Fellow|Analyst|Lecturer|Airman|Master|Chief)\p{Lu}\p{Ll}{1,15}\s\p{Lu}\p{Ll})/u,
    'Sister',
    /(?:^|[;(]\s|\b(?:and|by|with|from|to|said|of|for|told)\s)$/,
  ),
  // "Treas. Sec. Hale", "Sen. Maj. Ldr. Cole"
  createContextualRule(/Treas\.(?=\s(?:Sec(?:\.|retary|y)|yields?|bonds?|notes?|bills?|Dept\.))/, 'Treasury'),
  createContextualRule(/Sen\.(?=\s(?:Maj|Min|Majority|Minority)\.?\s(?:Ldr|Leader|Whip))/, 'Senate'),
  createContextualRule(/Maj\.(?=\s(?:Ldr|Leader|Whip))/, 'Majority'),
  createContextualRule(/Min\.(?=\s(?:Ldr|Leader|Whip))/, 'Minority'),
  createContextualRule(/Ldr\.?(?=\s\p{Lu})/u, 'Leader'),
  createContextualRule(/Sec\.(?=\sof\s\p{Lu})/u, 'Secretary'),
  createContextualRule(/Ed\.(?!\p{L})/u, 'Education', /\b(?:Dept\.|Department|Bd\.|Board|Sec\.|Secretary)\sof\s$/),
  createContextualRule(/Utd\.?(?!\p{L})/u, 'United'),
  // A round of boxing, but "County Rd. 12"
  rule(/Rd\.?\s(?=\d)/u, (_match, place) =>
    /\b(?:Co|County|State|Ranch|Farm|Forest|Township|Twp|Rural|Fire)\.?\s$/u.test(place.before) ? 'Road ' : 'Round ',
  ),
  // "Dist. Ct.", "Ct. of App.", "App. Div."
  createContextualRule(/Ct\.(?=\sof\sApp)/, 'Court'),
  createContextualRule(
    /Ct\.(?!\p{L})/u,
    'Court',
    /(?:\b(?:Dist|Cir|Super|Supr|Crim)\.|\b(?:Supreme|Superior|District|Circuit|County|Crown))\s$/,
  ),
  createContextualRule(/App\.(?!\p{L})/u, 'Appeals', /\b(?:Ct\.|Court)\sof\s$/),
  createContextualRule(/App\.(?=\sDiv)/, 'Appellate'),
  createContextualRule(/Super\.(?=\sCt)/, 'Superior'),
  createContextualRule(/Cir\.(?=\sCt)/, 'Circuit'),
  createContextualRule(/Pros\.(?=\sAtty)/, 'Prosecuting'),
  createContextualRule(/Med\.(?!\p{L})/u, 'Medicine', /\b(?:Sch\.|School|Coll\.|College)\sof\s$/),
  createContextualRule(/Fed\.(?=\sof\s)/, 'Federation'),
  createContextualRule(/Wash\.(?=,\sD\.?C)/, 'Washington'),
  createContextualRule(/Mass\.(?=\sGen)/, 'Massachusetts'),
  createContextualRule(/So\.\sCal\.?(?!\p{L})/u, 'Southern California'),
  // "Pub. L. 111-148", "Fed. R. Civ. P. 12"
  rule(
    /Pub\.\s?L\.\s?(?:No\.\s?)?(\d{2,3})[-–](\d{1,3})(?!\d)/,
    ([, congress = '', number = '']) => `Public Law ${verbalizeDigitPairs(congress)}, ${verbalizeDigitPairs(number)}`,
  ),
  rule(
    /Fed\.\s?R\.\s?(App|Civ|Crim|Evid|Bankr)\.(?:\s?P\.)?/,
    ([, kind = '']) => `Federal Rule of ${COURT_RULES[kind]}`,
  ),
  createContextualRule(/Cir\.(?!\p{L})/u, 'Circuit', /(?:\d(?:st|nd|rd|th|d)|D\.C\.|Fed\.)\s$/),
  createContextualRule(/Ch\.(?=\s\d)/, 'Channel', /\b(?:VHF|TV|Fox|NBC|ABC|CBS)\s$/),
  createContextualRule(/Ch\.(?=\s\p{Ll})/u, 'Chancery', /\bDel\.\s$/),
  createContextualRule(/Del\.(?=\sCh\.)/, 'Delaware'),
  createContextualRule(/Rep\.(?!\p{L}|\s\p{Lu})/u, 'Republic', /\b(?:Czech|Dominican|African|Dem\.)\s$/),
  createContextualRule(/Dem\.(?=\sRep\.)/, 'Democratic'),
  createContextualRule(/Dem\.(?=[,;]|\s\p{Ll}|["'”’)]{0,2}$)/u, 'Democrat', /\p{L}\s$/u),
  createContextualRule(/Cons\.(?=\sGen(?:\.|eral))/, 'Consul'),
  createContextualRule(/comm\.(?=\s(?:service|college|center|board)(?!\p{L}))/u, 'community'),
  createContextualRule(/Rev\.(?=\s(?:[A-F]|\d(?!\d?:))(?![\p{L}.]))/u, 'Revision'),
  createContextualRule(/Nos?\.(?=\s[A-Z]{1,4}-?\d)/, 'number'),
  createContextualRule(/Sgr(?=\sA\*)/, 'Sagittarius'),
  createContextualRule(
    /Co\.?(?=\s(?:Antrim|Armagh|Clare|Cork|Derry|Donegal|Down|Dublin|Durham|Fermanagh|Galway|Kerry|Kildare|Kilkenny|Laois|Leitrim|Limerick|Londonderry|Louth|Mayo|Meath|Offaly|Roscommon|Sligo|Tipperary|Tyrone|Waterford|Wexford|Wicklow)(?!\p{L}))/u,
    'County',
  ),
  createContextualRule(
    /Co\.(?=\s(?:Sheriff|Court|Cir\.|Dist\.|Super\.|Pros\.|Pub\.|Commission|Commissioners?|Jail|Clerk|Coroner|School|Fair|Park|Line|Attorney|Atty|Judge|Dist|District|Executive|Council|Board)(?!\p{L}))/u,
    'County',
  ),
  createContextualRule(/Soc\.(?=\sSec)/, 'Social'),
  createContextualRule(/Sec\.(?!\p{L})/u, 'Security', /\bSoc\.\s$/),
  createContextualRule(/OK['’]d(?!\p{L})/u, 'okayed'),
  createContextualRule(/U\.(?=\sof\s\p{Lu})/u, 'University'),
  // "the Ohio R."
  createContextualRule(
    /R\.(?!\p{L}|\s\p{Lu})/u,
    'River',
    /\b(?:[Tt]he|along|Lower|Upper|near)\s\p{Lu}\p{Ll}{2,20}\s(?:(?:and|&)\s\p{Lu}\p{Ll}{2,20}\s)?$/u,
  ),
  // "So. Calif.", "Cent. Fla.", "W. Va."
  createContextualRule(new RegExp(`No\\.${STATE_FOLLOWS}`), 'Northern'),
  createContextualRule(new RegExp(`So\\.${STATE_FOLLOWS}`), 'Southern'),
  createContextualRule(new RegExp(`Cent\\.${STATE_FOLLOWS}`), 'Central'),
  createContextualRule(/W\.\s?Va\.?(?!\p{L})/u, 'West Virginia'),
  createContextualRule(/min\.(?!\p{L})/u, 'minute', AFTER_ORDINAL),
  // "the min. wage", "Max. speed"
  rule(/([Mm])(in|ax)\.(?=\s\p{Ll})/u, ([, first, rest], place) =>
    /\d\+?\s?$/.test(place.before) ? undefined : `${first}${rest}imum`,
  ),
  // "the est. of $1.98", "founded est. 1902"
  createContextualRule(/[Ee]st\.(?=\s(?:1[5-9]\d\d|20[0-2]\d)(?!\d|\s\p{L}))/u, 'established'),
  createContextualRule(/ests\.(?!\p{L})/u, 'estimates'),
  createContextualRule(/est\.(?=\s(?:of|by|was|is|were|from)\b|[,;)]|["'”’)\]\s]*$)/, 'estimate'),
  createContextualRule(/[Rr](?:et\.|td\.?)(?=\)|,)/u, 'retired', /(?:\(|,\s)$/),
  createContextualRule(/nee(?=\s\p{Lu})/u, 'née', /\($/),
  // Of a thinker or an artist: "fl. 1250"
  createContextualRule(/fl\.(?=\s(?:c\.\s)?1[0-8]\d\d(?!\d))/, 'flourished'),
  // Results of companies: "Rev. rose 12%", "net inc. was", "vs. $1.38 exp."
  createContextualRule(/Rev\.(?=\s\p{Ll})/u, 'Revenue'),
  createContextualRule(/int\.(?=\s(?:inc|rate|exp))/, 'interest'),
  createContextualRule(/Div\.(?=\s(?:yield|payout|per\sshare))/, 'Dividend'),
  createContextualRule(/p\.?a\.?(?![\p{L}\d])/u, 'per annum', /%\s$/),
  createContextualRule(/Reg\.(?=\s[A-Z](?![\p{L}.]))/u, 'Regulation'),
  createContextualRule(/cont\.?(?=[,;.)]|$)/, 'contained', /%\s$/),
  createContextualRule(/mag\.(?!\p{L})/u, 'magnitude', /\d\s$/),
  createContextualRule(/inc\.(?=\s\p{Ll}|[,;])/u, 'income', /\b(?:net|int\.|oper\.|operating|per-capita)\s$/),
  createContextualRule(/exp\.?(?=[,;.)]|$)/, 'expected', /\d\p{L}{0,2}%?\s$/u),
  // "a bbl.", "per bu."
  createContextualRule(/bbls?\.(?!\p{L})/u, 'barrel', /\b(?:an?|per)\s$/),
  createContextualRule(/oz\.(?!\p{L})/u, 'ounce', /\b(?:an?|per)\s$/),
  createContextualRule(/gal\.(?!\p{L})/u, 'gallon', /\b(?:an?|per)\s$/),
  createContextualRule(/bu\.(?!\p{L})/u, 'bushel', /\b(?:an?|per)\s$/),
  createContextualRule(/(?:lb|lbs)\.(?!\p{L})/u, 'pound', /\b(?:an?|per)\s$/),
  // "an Mw 7.4 quake", "M 4.4"
  rule(/M[wL]?(?=\s\d\.\d(?![\d.]))/, (_match, { before }) => (/\ban\s$/i.test(before) ? undefined : 'magnitude')),
  // Football and racing: "3-2 (aet)", "5-4 fav", "87 n.o."
  createContextualRule(/a\.?e\.?t\.?(?![\p{L}\d])/u, 'after extra time', /\d\)?,?\s$|\($/),
  createContextualRule(/favs?(?![\p{L}])/u, 'favorite', /\d[-/]\d{1,2}\s$/),
  createContextualRule(/n\.o\.(?!\p{L})/u, 'not out', /\d\s$/),
  // "28 mpg city/36 hwy"
  createContextualRule(/hwy\.?(?!\p{L})/u, 'highway', /\d\s(?:mpg\s|miles per gallon\s)?$/),
  createContextualRule(/MM\s(?=\d)/, 'mile marker '),
  createContextualRule(/mi\.(?=\s\d)/, 'mile', /\b(?:near|at|from|to|and)\s$/),
  // "Sinner d. Alcaraz"
  createContextualRule(/def\.(?=\s\p{Lu})/u, 'defeated', /\p{Ll}(?:,|\))?\s$/u),
  createContextualRule(
    /d\.(?=\s(?:\[\d{1,2}\]\s)?\p{Lu}[\p{L}.'’-]{1,20}\s(?:\p{Lu}[\p{L}.'’-]{1,20}\s){0,2}\d)/u,
    'defeated',
    /\p{Lu}\p{L}{1,20}\s(?:\(\d{1,2}\)\s)?$/u,
  ),
  rule(/FY\s?['’](\d{2})(?!\d)/u, ([, digits = '']) => `F.Y ${verbalizeCardinal(digits)}`),
];
