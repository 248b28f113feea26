import {
  contextAfter,
  contextBefore,
  type MatchContext,
  type NormalizationRule,
  parseTable,
  rule,
  sentenceStop,
} from '../language.ts';
import { spellDigits } from './cardinals.ts';

/** Shortened titles before a name, without the full stop, which belongs to them. */
export const TITLES = parseTable(`
  Mr = Mister; Mrs = Missus; Ms = Miz; Mx = Mix; Drs = Doctors; Prof = Professor; Profs = Professors; Sec = Secretary;
  Sen = Senator; Sens = Senators; Rep = Representative; Reps = Representatives; Gov = Governor; Govs = Governors;
  Atty = Attorney; Amb = Ambassador; Gen = General; Gens = Generals; Brig = Brigadier; Col = Colonel; Lt = Lieutenant;
  Sgt = Sergeant; Sgts = Sergeants; Capt = Captain; Cpl = Corporal; Pvt = Private; Pfc = Private first class;
  Spc = Specialist; Cmdr = Commander; Maj = Major; Adm = Admiral; Rev = Reverend; Revs = Reverends; Hon = Honorable;
  Pres = President; Supt = Superintendent; Det = Detective; Insp = Inspector; Fr = Father; Msgr = Monsignor;
  Messrs = Messieurs; Mt = Mount; Ft = Fort; Ste = Sainte
`);

/** Anywhere, with their full stop. */
const WORDS = parseTable(`
  Jr = Junior; Sr = Senior; Inc = Incorporated; Corp = Corporation; Co = Company; Cos = Companies; Ltd = Limited;
  Bros = Brothers; Assn = Association; Dept = Department; dept = department; Univ = University; Intl = International;
  Natl = National; Govt = Government; govt = government; Mfg = Manufacturing; vs = versus; etc = et cetera;
  approx = approximately; avg = average; bldg = building; Bldg = Building; incl = including; est = estimated;
  Esq = Esquire; Apt = Apartment; Rm = Room; ca = circa; Ave = Avenue; Blvd = Boulevard; Rd = Road; Hwy = Highway;
  Pkwy = Parkway
`);
const NUMBERED = parseTable(`
  no = number; nos = numbers; fig = figure; figs = figures; vol = volume; vols = volumes; ch = chapter; sec = section;
  art = article; rte = route; pt = part; pp = pages; p = page; pgs = pages; pg = page
`);
const LATIN: Readonly<Record<string, string>> = {
  'e.g': 'for example',
  'i.e': 'that is',
  'a.k.a': 'also known as',
};
const SLASHED: Readonly<Record<string, string>> = {
  'c/o': 'care of',
  'n/a': 'not available',
  'a/k/a': 'also known as',
};
const UNDOTTED = parseTable(`
  Mr = Mister; Mrs = Missus; Ms = Miz; Dr = Doctor; vs = versus; Jr = Junior; Sr = Senior
`);

const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

const ENDS_WORD = String.raw`(?![\p{L}\p{N}])`;
const NAME_FOLLOWS = String.raw`(?=\s(?:(?:and|&)\s)?["'“‘]?\p{Lu})`;

/** Titles, streets, companies, Latin and other abbreviated words. */
export const abbreviationRules: readonly NormalizationRule[] = [
  rule(new RegExp(`(${buildAlternatives(TITLES)})\\.${NAME_FOLLOWS}`, 'u'), ([, title = '']) => TITLES[title]),
  rule(/(Dr|St)\.?(?![\p{L}\p{N}'’])/u, verbalizeDoctorOrSaint),
  rule(
    new RegExp(`(${buildAlternatives(UNDOTTED)})${ENDS_WORD}(?=\\s\\p{Lu})`, 'u'),
    ([, word = '']) => UNDOTTED[word],
  ),
  rule(new RegExp(`(${buildAlternatives(WORDS)})\\.${ENDS_WORD}`, 'u'), ([written, word = ''], place) => {
    const spoken = WORDS[word];
    return spoken === undefined ? undefined : spoken + sentenceStop(written, place);
  }),
  rule(
    /(nos?|figs?|vols?|ch|sec|art|rte|pt|pp?|pgs?)\.\s?(?=\d)/i,
    ([, word = '']) => `${NUMBERED[word.toLowerCase()]} `,
  ),
  // "It has 340 pp."
  rule(new RegExp(`(?:pp|pgs)\\.${ENDS_WORD}`, 'u'), ([written], place) =>
    /\d\s$/.test(contextBefore(place)) ? `pages${sentenceStop(written, place)}` : undefined,
  ),
  // "a source in No 10", without its full stop as the British write it
  rule(/No\s(?=\d)/, (_match, place) => (/\p{Ll},?\s$/u.test(contextBefore(place)) ? 'number ' : undefined)),
  rule(/ext\.?\s?(\d{1,6})(?![\p{L}\p{N}])/iu, ([, digits = '']) => `extension ${spellDigits(digits)}`),
  rule(/c\.\s?(?=\d{3,4}(?!\d))/, () => 'circa '),
  rule(/(bce?)(?![\p{L}\p{N}])/u, ([, era = ''], place) =>
    /\d\s$/.test(contextBefore(place)) ? [...era.toUpperCase()].join('.') : undefined,
  ),
  rule(/v(?=\d{1,3}\.\d)/i, () => 'version '),
  rule(/v\.?(?=\s\p{Lu})/u, (_match, place) =>
    /\p{Lu}[\p{L}.'’-]{0,20}\s$/u.test(contextBefore(place)) ? 'versus' : undefined,
  ),
  rule(
    /sq\.?(?=\s(?:mi|miles?|ft|foot|feet|yards?|km|kilomet(?:er|re)s?|m|met(?:er|re)s?)(?!\p{L}))/iu,
    () => 'square',
  ),
  rule(/(e\.g|i\.e|a\.k\.a)\.?(,?)(?![\p{L}\p{N}])/iu, ([, word = '']) => `${LATIN[word.toLowerCase()]},`),
  rule(
    /(Mon|Tues?|Wed|Thu|Thurs?|Fri|Sat|Sun)\.(?=[,;)]|\s(?:[\p{Ll}&]|\d|\p{Lu}\p{Ll}{2,4}\.)|[-–])/u,
    ([, day = '']) => DAYS.find((name) => name.startsWith(day)),
  ),
  rule(/(Tues?|Wed|Thurs?)\.(?=["'”’)]{0,3}$)/, ([written, day = ''], place) => {
    const name = DAYS.find((known) => known.startsWith(day));
    return name && name + sentenceStop(written, place);
  }),
  rule(/([myq])\/\1(?![\p{L}\p{N}])/iu, ([, period = '']) => {
    const name = { m: 'month', q: 'quarter', y: 'year' }[period.toLowerCase()] ?? period;
    return `${name} over ${name}`;
  }),
  rule(/(c\/o|n\/a|a\/k\/a)(?![\p{L}\p{N}])/iu, ([, word = '']) => SLASHED[word.toLowerCase()]),
  rule(/w\/o(?=\s)/i, () => 'without'),
  rule(/w\/(?=\s)/i, () => 'with'),
  rule(/and\/or(?!\p{L})/iu, () => 'and or'),
  rule(
    /(PhD|Ph\.D|Ed\.D|EdD|Psy\.D|Pharm\.D|LL\.[BM]|MSc|BSc|MPhil)\.?(s?)(?![\p{L}\p{N}])/u,
    ([written, word = '', s], place) => {
      const letters = [...word.toUpperCase().replace(/\./g, '')].join('.');
      return `${letters}${s ? "'s" : ''}${sentenceStop(written, place)}`;
    },
  ),
];

/** "Dr. Evil" and "St. Louis" before a name, "Mulholland Dr." and "Main St." after one. */
function verbalizeDoctorOrSaint([written, word = '']: RegExpExecArray, place: MatchContext): string | undefined {
  const followsName = /\p{Lu}[\p{L}'’-]{0,20}\s$|\b\d{1,4}(?:st|nd|rd|th)\s$/u.test(contextBefore(place));
  const precedesName = /^\s\p{Lu}/u.test(contextAfter(place));
  const isStreet =
    followsName && (!precedesName || /\d{1,5}\s(?:\p{L}[\p{L}.'’-]{0,20}\s){1,3}$/u.test(contextBefore(place)));
  if (isStreet) return (word === 'Dr' ? 'Drive' : 'Street') + sentenceStop(written, place);
  if (precedesName) return word === 'Dr' ? 'Doctor' : 'Saint';
  return undefined;
}

function buildAlternatives(table: Readonly<Record<string, string>>): string {
  return Object.keys(table)
    .sort((one, other) => other.length - one.length)
    .join('|');
}
