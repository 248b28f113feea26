import { type NormalizationRule, rule, sentenceStop } from '../language.ts';
import { COURT_RULES } from './abbreviated-words.ts';
import { verbalizeCardinal, verbalizeDigitPairs } from './cardinals.ts';

const AFTER_ORDINAL = /\d(?:st|nd|rd|th)\s$/;
const STATE_CUT_FOLLOWS = String.raw`(?=\s(?:Calif|Cal|Ariz|Colo|Fla|Ga|Ill|Ind|Mich|Minn|Mo|N\.J|Nev|Va)\.)`;

/** An abbreviation that has this reading only beside certain words. */
function abbreviation(pattern: RegExp, spoken: string, before?: RegExp): NormalizationRule {
  return rule(pattern, ([written], place) =>
    before === undefined || before.test(place.before) ? spoken + sentenceStop(written, place) : undefined,
  );
}

/** Abbreviations that the words before or after them tell apart from others. They precede those of the tables. */
export const contextualAbbreviationRules: readonly NormalizationRule[] = [
  // "the 75th Pct.", "the 18th-19th c. house"
  abbreviation(/Pct\.?(?!\p{L})/u, 'Precinct', AFTER_ORDINAL),
  abbreviation(/Pct\.?(?=\s\d{1,3}(?![\d%]|[.,]\d))/, 'Precinct'),
  abbreviation(/c\.(?=\s\p{Ll}|[,;)]|["'”’]{0,2}$)/u, 'century', AFTER_ORDINAL),
  // Generation Z
  abbreviation(/Gen\.(?=\s(?:X|Z|Alpha)(?!\p{L}))/u, 'Gen'),
  // British, without a full stop: "Maj Gen Ann Roe"
  abbreviation(/Gen(?=\s(?!X|Z|Alpha|Con)\p{Lu}\p{Ll})/u, 'General'),
  abbreviation(/res\.(?=\))/, 'reserve', /\.\s\($/),
  abbreviation(/Ch\.?(?=\s(?:Insp|Supt|Con)(?!\p{L}))/u, 'Chief'),
  // A nun: "Sr. Mary Joseph"
  abbreviation(
    /Sr\.?(?=\s(?:Mary|Maria|Marie|Ann|Anne|Teresa|Theresa|Catherine|Helen|Joan|Jean|Rose|Norma|Simone)(?!\p{L}))/u,
    'Sister',
  ),
  abbreviation(
    /Sr\.(?=\s(?!Vice|Director|Manager|Advis|Editor|Counsel|Fellow|Analyst|Lecturer|Airman|Master|Chief)\p{Lu}\p{Ll}{1,15}\s\p{Lu}\p{Ll})/u,
    'Sister',
    /(?:^|[;(]\s|\b(?:and|by|with|from|to|said|of|for|told)\s)$/,
  ),
  // "Treas. Sec. Hale", "Sen. Maj. Ldr. Cole"
  abbreviation(/Treas\.(?=\s(?:Sec(?:\.|retary|y)|yields?|bonds?|notes?|bills?|Dept\.))/, 'Treasury'),
  abbreviation(/Sen\.(?=\s(?:Maj|Min|Majority|Minority)\.?\s(?:Ldr|Leader|Whip))/, 'Senate'),
  abbreviation(/Maj\.(?=\s(?:Ldr|Leader|Whip))/, 'Majority'),
  abbreviation(/Min\.(?=\s(?:Ldr|Leader|Whip))/, 'Minority'),
  abbreviation(/Ldr\.?(?=\s\p{Lu})/u, 'Leader'),
  abbreviation(/Sec\.(?=\sof\s\p{Lu})/u, 'Secretary'),
  abbreviation(/Ed\.(?!\p{L})/u, 'Education', /\b(?:Dept\.|Department|Bd\.|Board|Sec\.|Secretary)\sof\s$/),
  abbreviation(/Utd\.?(?!\p{L})/u, 'United'),
  // A round of boxing, but "County Rd. 12"
  rule(/Rd\.?\s(?=\d)/u, (_match, place) =>
    /\b(?:Co|County|State|Ranch|Farm|Forest|Township|Twp|Rural|Fire)\.?\s$/u.test(place.before) ? 'Road ' : 'Round ',
  ),
  // "Dist. Ct.", "Ct. of App.", "App. Div."
  abbreviation(/Ct\.(?=\sof\sApp)/, 'Court'),
  abbreviation(
    /Ct\.(?!\p{L})/u,
    'Court',
    /(?:\b(?:Dist|Cir|Super|Supr|Crim)\.|\b(?:Supreme|Superior|District|Circuit|County|Crown))\s$/,
  ),
  abbreviation(/App\.(?!\p{L})/u, 'Appeals', /\b(?:Ct\.|Court)\sof\s$/),
  abbreviation(/App\.(?=\sDiv)/, 'Appellate'),
  abbreviation(/Super\.(?=\sCt)/, 'Superior'),
  abbreviation(/Cir\.(?=\sCt)/, 'Circuit'),
  abbreviation(/Pros\.(?=\sAtty)/, 'Prosecuting'),
  abbreviation(/Med\.(?!\p{L})/u, 'Medicine', /\b(?:Sch\.|School|Coll\.|College)\sof\s$/),
  abbreviation(/Fed\.(?=\sof\s)/, 'Federation'),
  abbreviation(/Wash\.(?=,\sD\.?C)/, 'Washington'),
  abbreviation(/Mass\.(?=\sGen)/, 'Massachusetts'),
  abbreviation(/So\.\sCal\.?(?!\p{L})/u, 'Southern California'),
  // "Pub. L. 111-148", "Fed. R. Civ. P. 12"
  rule(
    /Pub\.\s?L\.\s?(?:No\.\s?)?(\d{2,3})[-–](\d{1,3})(?!\d)/,
    ([, congress = '', number = '']) => `Public Law ${verbalizeDigitPairs(congress)}, ${verbalizeDigitPairs(number)}`,
  ),
  rule(
    /Fed\.\s?R\.\s?(App|Civ|Crim|Evid|Bankr)\.(?:\s?P\.)?/,
    ([, kind = '']) => `Federal Rule of ${COURT_RULES[kind]}`,
  ),
  abbreviation(/Cir\.(?!\p{L})/u, 'Circuit', /(?:\d(?:st|nd|rd|th|d)|D\.C\.|Fed\.)\s$/),
  abbreviation(/Ch\.(?=\s\d)/, 'Channel', /\b(?:VHF|TV|Fox|NBC|ABC|CBS)\s$/),
  abbreviation(/Ch\.(?=\s\p{Ll})/u, 'Chancery', /\bDel\.\s$/),
  abbreviation(/Del\.(?=\sCh\.)/, 'Delaware'),
  abbreviation(/Rep\.(?!\p{L}|\s\p{Lu})/u, 'Republic', /\b(?:Czech|Dominican|African|Dem\.)\s$/),
  abbreviation(/Dem\.(?=\sRep\.)/, 'Democratic'),
  abbreviation(/Dem\.(?=[,;]|\s\p{Ll}|["'”’)]{0,2}$)/u, 'Democrat', /\p{L}\s$/u),
  abbreviation(/Cons\.(?=\sGen(?:\.|eral))/, 'Consul'),
  abbreviation(/comm\.(?=\s(?:service|college|center|board)(?!\p{L}))/u, 'community'),
  abbreviation(/Rev\.(?=\s(?:[A-F]|\d(?!\d?:))(?![\p{L}.]))/u, 'Revision'),
  abbreviation(/Nos?\.(?=\s[A-Z]{1,4}-?\d)/, 'number'),
  abbreviation(/Sgr(?=\sA\*)/, 'Sagittarius'),
  abbreviation(
    /Co\.?(?=\s(?:Antrim|Armagh|Clare|Cork|Derry|Donegal|Down|Dublin|Durham|Fermanagh|Galway|Kerry|Kildare|Kilkenny|Laois|Leitrim|Limerick|Londonderry|Louth|Mayo|Meath|Offaly|Roscommon|Sligo|Tipperary|Tyrone|Waterford|Wexford|Wicklow)(?!\p{L}))/u,
    'County',
  ),
  abbreviation(
    /Co\.(?=\s(?:Sheriff|Court|Cir\.|Dist\.|Super\.|Pros\.|Pub\.|Commission|Commissioners?|Jail|Clerk|Coroner|School|Fair|Park|Line|Attorney|Atty|Judge|Dist|District|Executive|Council|Board)(?!\p{L}))/u,
    'County',
  ),
  abbreviation(/Soc\.(?=\sSec)/, 'Social'),
  abbreviation(/Sec\.(?!\p{L})/u, 'Security', /\bSoc\.\s$/),
  abbreviation(/OK['’]d(?!\p{L})/u, 'okayed'),
  abbreviation(/U\.(?=\sof\s\p{Lu})/u, 'University'),
  // "the Ohio R."
  abbreviation(
    /R\.(?!\p{L}|\s\p{Lu})/u,
    'River',
    /\b(?:[Tt]he|along|Lower|Upper|near)\s\p{Lu}\p{Ll}{2,20}\s(?:(?:and|&)\s\p{Lu}\p{Ll}{2,20}\s)?$/u,
  ),
  // "So. Calif.", "Cent. Fla.", "W. Va."
  abbreviation(new RegExp(`No\\.${STATE_CUT_FOLLOWS}`), 'Northern'),
  abbreviation(new RegExp(`So\\.${STATE_CUT_FOLLOWS}`), 'Southern'),
  abbreviation(new RegExp(`Cent\\.${STATE_CUT_FOLLOWS}`), 'Central'),
  abbreviation(/W\.\s?Va\.?(?!\p{L})/u, 'West Virginia'),
  abbreviation(/min\.(?!\p{L})/u, 'minute', AFTER_ORDINAL),
  // "the min. wage", "Max. speed"
  rule(/([Mm])(in|ax)\.(?=\s\p{Ll})/u, ([, first, rest], place) =>
    /\d\+?\s?$/.test(place.before) ? undefined : `${first}${rest}imum`,
  ),
  // "the est. of $1.98", "founded est. 1902"
  abbreviation(/[Ee]st\.(?=\s(?:1[5-9]\d\d|20[0-2]\d)(?!\d|\s\p{L}))/u, 'established'),
  abbreviation(/ests\.(?!\p{L})/u, 'estimates'),
  abbreviation(/est\.(?=\s(?:of|by|was|is|were|from)\b|[,;)]|["'”’)\]\s]*$)/, 'estimate'),
  abbreviation(/[Rr](?:et\.|td\.?)(?=\)|,)/u, 'retired', /(?:\(|,\s)$/),
  abbreviation(/nee(?=\s\p{Lu})/u, 'née', /\($/),
  // Of a thinker or an artist: "fl. 1250"
  abbreviation(/fl\.(?=\s(?:c\.\s)?1[0-8]\d\d(?!\d))/, 'flourished'),
  // Results of companies: "Rev. rose 12%", "net inc. was", "vs. $1.38 exp."
  abbreviation(/Rev\.(?=\s\p{Ll})/u, 'Revenue'),
  abbreviation(/int\.(?=\s(?:inc|rate|exp))/, 'interest'),
  abbreviation(/Div\.(?=\s(?:yield|payout|per\sshare))/, 'Dividend'),
  abbreviation(/p\.?a\.?(?![\p{L}\d])/u, 'per annum', /%\s$/),
  abbreviation(/Reg\.(?=\s[A-Z](?![\p{L}.]))/u, 'Regulation'),
  abbreviation(/cont\.?(?=[,;.)]|$)/, 'contained', /%\s$/),
  abbreviation(/mag\.(?!\p{L})/u, 'magnitude', /\d\s$/),
  abbreviation(/inc\.(?=\s\p{Ll}|[,;])/u, 'income', /\b(?:net|int\.|oper\.|operating|per-capita)\s$/),
  abbreviation(/exp\.?(?=[,;.)]|$)/, 'expected', /\d\p{L}{0,2}%?\s$/u),
  // "a bbl.", "per bu."
  abbreviation(/bbls?\.(?!\p{L})/u, 'barrel', /\b(?:an?|per)\s$/),
  abbreviation(/oz\.(?!\p{L})/u, 'ounce', /\b(?:an?|per)\s$/),
  abbreviation(/gal\.(?!\p{L})/u, 'gallon', /\b(?:an?|per)\s$/),
  abbreviation(/bu\.(?!\p{L})/u, 'bushel', /\b(?:an?|per)\s$/),
  abbreviation(/(?:lb|lbs)\.(?!\p{L})/u, 'pound', /\b(?:an?|per)\s$/),
  // "an Mw 7.4 quake", "M 4.4"
  rule(/M[wL]?(?=\s\d\.\d(?![\d.]))/, (_match, { before }) => (/\ban\s$/i.test(before) ? undefined : 'magnitude')),
  // Football and racing: "3-2 (aet)", "5-4 fav", "87 n.o."
  abbreviation(/a\.?e\.?t\.?(?![\p{L}\d])/u, 'after extra time', /\d\)?,?\s$|\($/),
  abbreviation(/favs?(?![\p{L}])/u, 'favorite', /\d[-/]\d{1,2}\s$/),
  abbreviation(/n\.o\.(?!\p{L})/u, 'not out', /\d\s$/),
  // "28 mpg city/36 hwy"
  abbreviation(/hwy\.?(?!\p{L})/u, 'highway', /\d\s(?:mpg\s|miles per gallon\s)?$/),
  abbreviation(/MM\s(?=\d)/, 'mile marker '),
  abbreviation(/mi\.(?=\s\d)/, 'mile', /\b(?:near|at|from|to|and)\s$/),
  // "Sinner d. Alcaraz"
  abbreviation(/def\.(?=\s\p{Lu})/u, 'defeated', /\p{Ll}(?:,|\))?\s$/u),
  abbreviation(
    /d\.(?=\s(?:\[\d{1,2}\]\s)?\p{Lu}[\p{L}.'’-]{1,20}\s(?:\p{Lu}[\p{L}.'’-]{1,20}\s){0,2}\d)/u,
    'defeated',
    /\p{Lu}\p{L}{1,20}\s(?:\(\d{1,2}\)\s)?$/u,
  ),
  rule(/FY\s?['’](\d{2})(?!\d)/u, ([, digits = '']) => `F.Y ${verbalizeCardinal(digits)}`),
];
