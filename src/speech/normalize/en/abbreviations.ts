import { type MatchContext, type NormalizationRule, rule, sentenceStop } from '../language.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import {
  BEFORE_A_YEAR,
  CONTRACTED,
  contextualAbbreviationRules,
  LATIN,
  LETTERED,
  NUMBERED,
  SLASHED,
  TITLES,
  UNDOTTED,
  WORDS,
} from './abbreviated-words.ts';
import { spellLetters } from './acronyms.ts';
import { spellDigits, verbalizeOrdinal } from './cardinals.ts';
import { compassRules } from './places.ts';

const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const DAY_NAME = 'Mon|Tues?|Weds?|Thurs?|Thu|Fri|Sat|Sun';
const MONTH_START = '(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)(?![a-z])';
const DAY_RANGE_BEFORE = new RegExp(`(?<!\\p{L})(?:${DAY_NAME})\\.?\\s?[-–/]\\s?$`, 'u');

function findDay(start: string): string | undefined {
  return DAYS.find((name) => name.startsWith(start.slice(0, 3)));
}

const ROMAN = String.raw`[IVX]{1,6}(?![\p{L}\p{N}]|\.\p{L})`;
const ENDS_WORD = String.raw`(?![\p{L}\p{N}])`;
const NAME_FOLLOWS = String.raw`(?=\s(?:(?:and|&)\s|\([Rr]e[st]\.?\)\s)?["'“‘]?\p{Lu})`;

/** Titles, streets, companies, Latin and other abbreviated words. */
export const abbreviationRules: readonly NormalizationRule[] = [
  ...contextualAbbreviationRules,
  rule(
    new RegExp(`(${buildAlternatives(Object.keys(TITLES))})\\.${NAME_FOLLOWS}`, 'u'),
    ([, title = '']) => TITLES[title],
  ),
  // "the Gov. said", "the Sgt. Maj. got"
  rule(
    /(Gov|Sen|Rep|Sgt|Lt|Col|Gen|Maj|Capt|Rev|Prof|Adm|Supt|Det|Insp|Cmdr|Cpl|Amb|Pres|Sec)\.(?=\s\p{Ll}|,|['’]s(?!\p{L}))/u,
    ([, title = ''], place) =>
      /\b(?:[Tt]he|an?|[Oo]ur|[Ff]ormer|(?:Lt|Sgt|Brig|Maj|Cmd|Det)\.)\s$/.test(place.before)
        ? TITLES[title]
        : undefined,
  ),
  rule(/(ST|FT|MT)\.(?=\s\p{Lu}{3})/u, ([, name = '']) => ({ ST: 'Saint', FT: 'Fort', MT: 'Mount' })[name]),
  rule(/(Dr|St)\.?(?![\p{L}\p{N}'’])/u, verbalizeDoctorOrSaint),
  rule(
    new RegExp(`(${buildAlternatives(Object.keys(UNDOTTED))})${ENDS_WORD}(?=\\s\\p{Lu})`, 'u'),
    ([, word = '']) => UNDOTTED[word],
  ),
  rule(new RegExp(`(${buildAlternatives(Object.keys(WORDS))})\\.${ENDS_WORD}`, 'u'), ([written, word = ''], place) => {
    const spoken = WORDS[word];
    return spoken === undefined ? undefined : spoken + sentenceStop(written, place);
  }),
  rule(
    new RegExp(`(${buildAlternatives(Object.keys(NUMBERED))})\\.\\s?(?=\\d|${ROMAN})`, 'iu'),
    ([, word = '']) => `${NUMBERED[word.toLowerCase()]} `,
  ),
  // "It has 340 pp."
  rule(new RegExp(`(?:pp|pgs)\\.${ENDS_WORD}`, 'u'), ([written], place) =>
    /\d\s$/.test(place.before) ? `pages${sentenceStop(written, place)}` : undefined,
  ),
  // "App. B", "Fig. A"
  rule(/(Apps?|Figs?|Exhs?|Sec|Tbl|Sched)\.\s(?=[A-H](?![\p{L}\p{N}]))/u, ([, word = '']) => `${LETTERED[word]} `),
  // "appendices A-C"
  rule(/([A-H])[-–](?=[A-H](?![\p{L}\p{N}]))/u, ([, first = ''], place) =>
    /\b(?:App(?:s\.|endi\w+)|Exhibits|Exhs\.|Fig(?:s\.|ures)|Groups|Parts|Sections|Tables|Schedules|Class(?:es)?|Zones|Rows|Halls)\s$/i.test(
      place.before,
    )
      ? `${spellLetters(first)} to `
      : undefined,
  ),
  // "the novel, pub. 1925"
  rule(/(pub|rel|repr|prod|comp|inc)\.(?=\s(?:1\d|20)\d\d(?!\d))/u, ([, word = ''], place) =>
    /[,(;]\s?$/.test(place.before) ? BEFORE_A_YEAR[word] : undefined,
  ),
  // "1 ct. of fraud", "a rec. high"
  rule(/ct(s?)\.?(?=\sof\s)/, ([, plural], place) => (/\d\s$/.test(place.before) ? `count${plural}` : undefined)),
  rule(
    /recs?\.(?=\s(?:high|low)(?!\p{L})|[,;]|["'”’)]{0,2}$)/u,
    ([written], place) => `record${sentenceStop(written, place)}`,
  ),
  // "1 c. flour", "2-3 T. butter"
  rule(/([cT])\.(?=\s\p{Ll}{3})/u, ([, measure], place) => {
    const amount = /(?:^|[\s-])(\d{1,2}|(?:\d{1,2}\s)?\d\/\d|\d{0,2}[½¼¾⅓⅔])\s$/u.exec(place.before)?.[1];
    const name = measure === 'c' ? 'cup' : 'tablespoon';
    return amount === undefined ? undefined : `${name}${/^(?:1|\d\/\d|[½¼¾⅓⅔])$/u.test(amount) ? '' : 's'}`;
  }),
  // "30th St. Sta."
  rule(/Sta\.(?!\p{L})/u, ([written], place) =>
    /\b(?:St\.|Street|Union|Penn|Central)\s$/.test(place.before) ? `Station${sentenceStop(written, place)}` : undefined,
  ),
  rule(
    /(Op|Prop|Rte|Hwy|Vols?|Figs?|Apt|Ste|Rwy|Mk|Jct)\s(?=\d)/,
    ([, word = '']) => `${NUMBERED[word.toLowerCase()]} `,
  ),
  // British, without a full stop: "a source in No 10"
  rule(/No\s(?=\d)/, (_match, place) => (/\p{Ll},?\s$/u.test(place.before) ? 'number ' : undefined)),
  // "a 2-run HR"
  rule(/HRs?(?!\p{L})/u, ([written], place) =>
    /-run\s$/.test(place.before) ? `home run${written.endsWith('s') ? 's' : ''}` : undefined,
  ),
  // "last yr's final", "in wk 42", "6 wkts vs India"
  rule(/([yh])r(?=(?:['’]s)?(?!\p{L}|\.))/u, ([, letter], place) =>
    /\b(?:last|this|next|per|each|every|an?|half)\s$/i.test(place.before)
      ? letter === 'y'
        ? 'year'
        : 'hour'
      : undefined,
  ),
  // "Yr 11 pupils"
  rule(/[Yy]r(s?)\.?\s(?=\d{1,2}(?:[-–]\d{1,2})?(?![\d-]))/u, ([, plural], place) =>
    /\d[-\s]$/.test(place.before) ? undefined : `year${plural} `,
  ),
  // "in the 15th and 16th cents."
  rule(/cent(s?)\.(?!\p{L})/u, ([written, plural], place) =>
    /\d(?:st|nd|rd|th)\s$/.test(place.before)
      ? `centur${plural ? 'ies' : 'y'}${sentenceStop(written, place)}`
      : undefined,
  ),
  // "the 2nd ed. of it"
  rule(/ed\.(?!\p{L})/u, ([written], place) =>
    /(?:\d(?:st|nd|rd|th)|first|second|third|rev\.|new|special)\s$/.test(place.before)
      ? `edition${sentenceStop(written, place)}`
      : undefined,
  ),
  // "5th Fl."
  rule(/Fl\.(?!\p{L})/u, ([written], place) =>
    /\d(?:st|nd|rd|th)\s$/.test(place.before) ? `Floor${sentenceStop(written, place)}` : undefined,
  ),
  rule(/Sgt\.(?=\s1st\s)/, () => 'Sergeant'),
  rule(/(\p{L}{3,4})['’](?:[tlny]|d)\.?(?![\p{L}\p{N}])/u, ([written, start = ''], place) => {
    const word = CONTRACTED[start];
    return word && word + sentenceStop(written, place);
  }),
  rule(/Rt\.?(?=\s(?:Rev|Hon)(?!\p{L}))/u, () => 'Right'),
  // "H.J.Res. 10"
  rule(
    /([HS])\.\s?(?:(J|Con)\.\s?)?Res\.(?=\s\d)/,
    ([, chamber, kind = '']) =>
      `${chamber === 'H' ? 'House' : 'Senate'} ${{ J: 'Joint ', Con: 'Concurrent ' }[kind] ?? ''}Resolution`,
  ),
  rule(/wks?\s(?=\d{1,2}(?!\d))/iu, () => 'week '),
  rule(/vs(?=\s)/, () => 'versus'),
  // Cricket: "245-6 dec"
  rule(/dec(?!\p{L}|\.)/u, (_match, place) => (/\d-\d\s$/.test(place.before) ? 'declared' : undefined)),
  rule(/[Aa]tt(?=:|\s\d)/, () => 'attendance'),
  rule(/pax(?!\p{L})/u, () => 'passengers'),
  rule(/lbw(?!\p{L})/u, () => spellLetters('lbw')),
  rule(/No\.(?=\sof\s)/, () => 'number'),
  // "free on Sats"
  rule(/(Mon|Fri|Sat|Sun)s(?=[.,;)]|\s(?:and|to|or|from|at)\s|$)/, ([, day = ''], place) =>
    /\bon\s$/.test(place.before) ? `${findDay(day)}s` : undefined,
  ),
  // "the 28th (Tue)"
  rule(new RegExp(`(${DAY_NAME})\\.?(?=\\))`, 'u'), ([, day = ''], place) =>
    place.before.endsWith('(') ? findDay(day) : undefined,
  ),
  rule(/b(?:pd|\/d)(?!\p{L})/u, () => 'barrels per day'),
  rule(/(?:Cat\.?\s(?=[1-5](?!\d|\scable))|cat\.?\s(?=[1-5]\s(?:hurricane|storm|cyclone|typhoon)))/, () => 'Category '),
  // "Sat.: Sunny"
  rule(new RegExp(`(${DAY_NAME})\\.?(?=:\\s)`, 'u'), ([, day = ''], place) =>
    /(?:^|[.;]\s)$/.test(place.before) ? findDay(day) : undefined,
  ),
  // "a quarter pt.", "8.8 pct. points"
  rule(/pts?\.?(?!\p{L})/u, ([written], place) =>
    /\b(?:quarter|half|percentage|tenths?)(?:\sof\sa)?\s$/.test(place.before)
      ? `point${written.startsWith('pts') ? 's' : ''}`
      : undefined,
  ),
  // "Ret. Gen. Mark Milley"
  rule(/Ret\.(?=\s(?:U\.S\.\s)?(?:Gen|Adm|Col|Lt|Maj|Capt|Sgt|Brig|Cmdr|Rear|Vice)(?!\p{L}))/u, () => 'Retired'),
  rule(/pct\.?(?=\spoints?(?!\p{L}))/u, () => 'percentage'),
  ...compassRules,
  // "Djokovic bt Sinner"
  rule(/bt(?=\s\p{Lu})/u, (_match, place) => (/\p{Lu}\p{L}{1,20}\s$/u.test(place.before) ? 'beat' : undefined)),
  // "598 F.3d 1336"
  rule(
    /F\.\s?(Supp\.\s?)?(2d|3d|4th)(?!\p{L})/u,
    ([, supplement, series = '']) =>
      `F ${supplement ? 'Supplement ' : ''}${{ '2d': 'second', '3d': 'third', '4th': 'fourth' }[series]}`,
  ),
  // "10am-4pm Sun."
  rule(new RegExp(`(${DAY_NAME})(?!\\p{L})(?:\\.(?=[,;)]|\\s\\p{Ll}))?`, 'u'), ([, day = ''], place) =>
    /\d\s?[ap]\.?m\.?\s$/i.test(place.before) ? findDay(day) : undefined,
  ),
  // "(Thu till 8)"
  rule(
    new RegExp(
      `(${DAY_NAME})(?=\\s(?:till|until|from|only|through|night|nights|morning|evening|afternoon)(?!\\p{L}))`,
      'u',
    ),
    ([, day = ''], place) => (/^(?:Sat|Sun)/.test(day) && !/[(,;]\s?$/.test(place.before) ? undefined : findDay(day)),
  ),
  // "until 0500 on Mon"
  rule(new RegExp(`(${DAY_NAME})(?=[,;)]|\\s(?:\\p{Ll}|\\d)|\\.?$)`, 'u'), ([, day = ''], place) =>
    /\b(?:on|until|till|by|from|to|since|every|next|last|through|before|after)\s$/i.test(place.before)
      ? findDay(day)
      : undefined,
  ),
  rule(/ext\.?\s?(\d{1,6})(?![\p{L}\p{N}])/iu, ([, digits = '']) => `extension ${spellDigits(digits)}`),
  rule(/c\.\s?(?=[£$€]?\d)/, () => 'circa '),
  rule(
    /([bdmr])\.(?=\s(?:(?:c\.\s)?(?:1\d|20)\d\d(?!\d)|(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\.?\s\d))/,
    ([, letter], place) =>
      letter === 'b' || /\(|\d;\s$/.test(place.before.slice(-3))
        ? { b: 'born', d: 'died', m: 'married', r: 'reigned' }[letter ?? '']
        : undefined,
  ),
  rule(/([DM])\.\s?Phil\.?(?!\p{L})/u, ([written, letter], place) => `${letter} Phil${sentenceStop(written, place)}`),
  rule(/d\.(?=\sat\s(?:age\s|the\s)?\p{N})/u, () => 'died'),
  rule(/ret\.(?=\s(?:in|from|at|after|as)\s)/, () => 'retired'),
  // "under s.121 of the Online Safety Act"
  rule(/(ss?)\.\s?(?=\d{1,4}[A-Z]?(?:\([\da-z]{1,3}\))*\sof\sthe\s)/, ([, word]) =>
    word === 's' ? 'section ' : 'sections ',
  ),
  rule(/(bce?)(?![\p{L}\p{N}])/u, ([, era = ''], place) =>
    /\d\s$/.test(place.before) ? [...era.toUpperCase()].join('.') : undefined,
  ),
  rule(/v(?=\d{1,3}\.\d)/i, () => 'version '),
  // "£412m v £388m", "of patients v the target"
  rule(/v(?=\s(?:[£$€]\d|the\s|an?\s|\d{1,3}(?:\.\d)?%))/, (_match, place) =>
    /[\p{L}\d%]\s$/u.test(place.before) ? 'versus' : undefined,
  ),
  rule(/v\.?(?=\s\p{Lu})/u, (_match, place) =>
    /\p{Lu}[\p{L}.'’-]{0,20}\s$/u.test(place.before) ? 'versus' : undefined,
  ),
  rule(
    /sq\.?(?=\s(?:mi|miles?|ft|foot|feet|yards?|km|kilomet(?:er|re)s?|m|met(?:er|re)s?)(?!\p{L}))/iu,
    () => 'square',
  ),
  rule(/(e\.g|i\.e)\.?(,?)(?![\p{L}\p{N}])/iu, ([, word = '']) => `${LATIN[word.toLowerCase()]},`),
  rule(/a(?:\.k\.a\.?|ka(?=\s))(?![\p{L}\p{N}])/iu, () => 'also known as'),
  rule(/([df])\.(?:b\.a|k\.a)\.(?=\s)/, ([, letter]) => (letter === 'd' ? 'doing business as' : 'formerly known as')),
  rule(
    new RegExp(
      `(${buildAlternatives(Object.keys(TITLES))})\\.(?=-(?:elect|designate|Gen\\.|General|led|appointed|backed)(?!\\p{L}))`,
      'u',
    ),
    ([, title = '']) => TITLES[title],
  ),
  // "is T-2 at 9 under par"
  rule(/T-?(\d{1,2})(?![\d-])/, ([, rank = ''], { before, after }) =>
    /^\s(?:at|on)\s[\w−-]{1,8}[-\s](?:under|over)(?!\p{L})/u.test(after) ||
    (/\b(?:finish(?:ed|es|ing)?|placed|[Hh]e['’]s|[Ss]he['’]s|ended|was|is)\s$/.test(before) &&
      /^(?:[.,;)]|\s(?:at|on|in|with|after)\s)/.test(after))
      ? `tied for ${verbalizeOrdinal(rank)}`
      : undefined,
  ),
  // "Mon-Fri"
  rule(new RegExp(`(${DAY_NAME})(?=\\s?[-–/]\\s?(?:${DAY_NAME})(?!\\p{L}))`, 'u'), ([, day = '']) => findDay(day)),
  rule(new RegExp(`(${DAY_NAME})(?!\\p{L})(?:\\.(?=[,;)]|\\s[\\p{Ll}\\d]))?`, 'u'), ([, day = ''], place) =>
    DAY_RANGE_BEFORE.test(place.before) ? findDay(day) : undefined,
  ),
  rule(
    /(Mon|Tues?|Weds?|Thu|Thurs?|Fri|Sat|Sun)\.(?=[,;)]|\s(?:[\p{Ll}&–-]|\d|\p{Lu}\p{Ll}{2,4}\.)|[-–])/u,
    ([, day = '']) => findDay(day),
  ),
  rule(/(Mon|Tues?|Weds?|Thurs?|Fri|Sat|Sun)\.(?=["'”’)]{0,3}$)/, ([written, day = ''], place) =>
    // "the Sun."
    day === 'Sun' && /\b[Tt]he\s$/.test(place.before) ? undefined : `${findDay(day)}${sentenceStop(written, place)}`,
  ),
  // "Wed.'s rally"
  rule(new RegExp(`(${DAY_NAME})\\.(?=['’]s(?!\\p{L}))`, 'u'), ([, day = '']) => findDay(day)),
  // "Mon 3 Feb at 7pm", "Fri, Nov 28"
  rule(new RegExp(`(${DAY_NAME})(?=,?\\s(?:\\d{1,2}(?:st|nd|rd|th)?\\s)?${MONTH_START})`, 'u'), ([, day = '']) =>
    findDay(day),
  ),
  rule(/([myq])\/\1(?![\p{L}\p{N}])/iu, ([, period = '']) => verbalizePeriods(period)),
  rule(/([myq])-o-\1(?![\p{L}\p{N}])/iu, ([, period = '']) => verbalizePeriods(period)),
  rule(/([YQM])o\1(?![\p{L}\p{N}])/u, ([, period = '']) => verbalizePeriods(period)),
  rule(
    new RegExp(`(${buildAlternatives(Object.keys(SLASHED))})(?![\\p{L}\\p{N}])\\.?`, 'iu'),
    ([written, word = ''], place) => SLASHED[word.toLowerCase()] + sentenceStop(written, place),
  ),
  rule(/w\/o(?=\s)/i, () => 'without'),
  rule(/w\/(?=\s)/i, () => 'with'),
  rule(/and\/or(?!\p{L})/iu, () => 'and or'),
  rule(
    /(PhD|Ph\.D|Ed\.D|EdD|LL\.[BMD]|[BM]\.?Sc|[MD]\.?Phil|[BM]\.Ed|Th\.D)\.?(s?)(?![\p{L}\p{N}])/u,
    ([written, word = '', s], place) => {
      const letters = [...word.toUpperCase().replace(/\./g, '')].join('.');
      return `${letters}${s ? "'s" : ''}${sentenceStop(written, place)}`;
    },
  ),
];

function verbalizePeriods(letter: string): string {
  const name = { m: 'month', q: 'quarter', y: 'year' }[letter.toLowerCase()] ?? letter;
  return `${name} over ${name}`;
}

/** Universities by their state or city: "Ohio St. beat Kent St." */
const STATE_SCHOOL =
  /(?:Alabama|Appalachian|Arizona|Arkansas|Ball|Boise|Cal|Colorado|Florida|Fla\.|Fresno|Georgia|Iowa|Jackson|Kansas|Kent|Louisiana|Michigan|Mich\.|Mississippi|Missouri|Montana|Murray|N\.C\.|Ohio|Oklahoma|Okla\.|Oregon|Penn|Sacramento|San Diego|San Jose|Texas|Utah|Washington|Wash\.|Weber|Wichita|Wright|Youngstown)\s$/;
const RANKED_SCHOOL = /(?:No\.|#)\s?\d{1,2}\s[\w.]+\s(?:\w+\s)?$/;
const STREET_BEFORE_SCHOOL = /(?:\b(?:on|at|along|off|down|up|near|to|from|of|and)|\d|[NSEW]\.?)\s[\w.]+\s(?:\w+\s)?$/;

const AFTER_A_NUMBERED_STREET =
  /^\s(?:Sta\.|Station|Div\.|Division|Precinct|Y(?:MCA)?(?!\p{L})|Library|Church|School|Garage|Bridge|Pier|Corridor|Mall|Tunnel|Theat|Market|Park|[NS][EW](?!\p{L}))/u;

/** "Dr. Evil" and "St. Louis" before a name, "Mulholland Dr." and "Main St." after one. */
function verbalizeDoctorOrSaint([written, word = '']: RegExpExecArray, place: MatchContext): string | undefined {
  const followsName = /\p{Lu}[\p{L}'’-]{0,20}\s$|\b\d{1,4}(?:st|nd|rd|th)\s$/u.test(place.before);
  const precedesName = /^\s\p{Lu}/u.test(place.after);
  if (
    word === 'St' &&
    STATE_SCHOOL.test(place.before) &&
    (RANKED_SCHOOL.test(place.before) ||
      /^\s(?:plays?|beats?|lost|won|wins|hosts?|leads?|trails?|visits?|defeated|edged|routed|upset)(?!\p{L})/u.test(
        place.after,
      ) ||
      !STREET_BEFORE_SCHOOL.test(place.before))
  )
    return `State${sentenceStop(written, place)}`;
  const isStreet = followsName && (!precedesName || /\d{1,5}\s(?:\p{L}[\p{L}.'’-]{0,20}\s){1,3}$/u.test(place.before));
  const isPlace =
    word === 'St' && /\d(?:st|nd|rd|th)\s$/.test(place.before) && AFTER_A_NUMBERED_STREET.test(place.after);
  if (isStreet || isPlace) return (word === 'Dr' ? 'Drive' : 'Street') + sentenceStop(written, place);
  if (precedesName) return word === 'Dr' ? 'Doctor' : 'Saint';
  return undefined;
}
