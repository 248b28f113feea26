import { type MatchContext, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { spellDigits, verbalizeDigitPairs, verbalizeOrdinal } from './cardinals.ts';

/** Titles before a name, without their full stop. */
export const TITLES = parseTable(`
  Mr = Mister; Mrs = Missus; Ms = Miz; Mx = Mix; Drs = Doctors; Prof = Professor; Profs = Professors; Sec = Secretary;
  Sen = Senator; Sens = Senators; Rep = Representative; Reps = Representatives; Gov = Governor; Govs = Governors;
  Atty = Attorney; Amb = Ambassador; Gen = General; Gens = Generals; Brig = Brigadier; Col = Colonel; Lt = Lieutenant;
  Sgt = Sergeant; Sgts = Sergeants; Capt = Captain; Cpl = Corporal; Pvt = Private; Pfc = Private first class;
  Spc = Specialist; Cmdr = Commander; Maj = Major; Adm = Admiral; Rev = Reverend; Revs = Reverends; Hon = Honorable;
  Pres = President; Supt = Superintendent; Det = Detective; Insp = Inspector; Fr = Father; Msgr = Monsignor;
  Messrs = Messieurs; Mt = Mount; Ft = Fort; Ste = Sainte; Ald = Alderman; Cllr = Councillor; Ens = Ensign; Bp = Bishop;
  Abp = Archbishop; Ofc = Officer; Tpr = Trooper; Dep = Deputy; Chmn = Chairman; Cmsr = Commissioner
`);

/** In any position, with their full stop. */
const WORDS = parseTable(`
  Jr = Junior; Sr = Senior; Inc = Incorporated; Corp = Corporation; Co = Company; Cos = Companies; Ltd = Limited;
  Bros = Brothers; Assn = Association; Dept = Department; dept = department; Univ = University; Intl = International;
  Natl = National; Govt = Government; govt = government; Mfg = Manufacturing; vs = versus; etc = et cetera;
  approx = approximately; avg = average; bldg = building; Bldg = Building; incl = including; est = estimated;
  Esq = Esquire; Apt = Apartment; Rm = Room; ca = circa; Ave = Avenue; Blvd = Boulevard; Rd = Road; Hwy = Highway;
  Pkwy = Parkway; Approx = Approximately; Avg = Average; Incl = Including; excl = excluding; Dist = District;
  dist = district; Atty = Attorney; Asst = Assistant; asst = assistant; Assoc = Associate; assoc = associate;
  Tpke = Turnpike; Twp = Township; Acad = Academy; Cmte = Committee; Subcmte = Subcommittee; Mgmt = Management;
  Mfr = Manufacturer; misc = miscellaneous; yrs = years; mos = months; Tbsp, tbsp = tablespoons; dir = director;
  feat = featuring; attn = attention; att = attendance; Att = Attendance; Pop = Population; mgr = manager;
  Mgr = Manager; Gtr = Greater; Mtn = Mountain; Mtns = Mountains; Hts = Heights; Jct = Junction; Stn = Station;
  Cnty = County; Bldgs = Buildings; Tel = Telephone; agg = aggregate; temp = temperature; temps = temperatures;
  Temp = Temperature; Temps = Temperatures; qtr = quarter; wk = week; wks = weeks; yr = year; hrs = hours;
  mins = minutes; secs = seconds; Terr = Terrace; Cres = Crescent; Gdns = Gardens; Regt = Regiment; Bde = Brigade;
  Commn = Commission; Trl = Trail; encl = enclosed; eds = editors; ppl = people; reg = registration; capt = captain;
  sgt = sergeant; cpl = corporal; cmdr = commander; srs = seniors; div = dividend; Div = Division; adm = admission;
  inj = injured; Mfrs = Manufacturers; Bus = Business; rev = revenue; abst = abstention; degs = degrees; Bur = Bureau;
  Svc = Service; Svcs = Services; Agri = Agriculture; Elec = Electric; Pharm = Pharmaceuticals; Inst = Institute;
  Fdn = Foundation; Ctr = Center; Cncl = Council; Hosp = Hospital; Sch = School; max = maximum; pct = percent;
  Pct = Percent; acct = account; mgmt = management; intl = international; natl = national; assn = association; hdqrs, hqtrs = headquarters; Hdqrs = Headquarters; mfr = manufacturer; mfrs = manufacturers
`);
const NUMBERED = parseTable(`
  no = number; nos = numbers; fig = figure; figs = figures; vol = volume; vols = volumes; ch, chap = chapter;
  sec = section; art = article; rte = route; pt = part; pp, pgs = pages; p, pg = page; op = opus; prop = proposition;
  props = propositions; eq = equation; para = paragraph; amend = amendment; ver = version; ste = suite;
  pop = population; paras = paragraphs; wk = week; wks = weeks; secs = sections; arts = articles; sched = schedule; fn = footnote;
  fns = footnotes; cl = clause; sch = schedule; ex = exhibit; bk = book
`);
/** With an apostrophe for what is left out. */
const CONTRACTED = parseTable(`
  gov = government; Gov = Government; dep = department; Dep = Department; int = international; Int = International;
  nat = national; Nat = National; ass = association; Ass = Association; sec = secretary; Sec = Secretary;
  att = attorney; Att = Attorney; cont = continued; rec = received; comm = commission; Comm = Commission
`);
const LETTERED = parseTable(
  'App = appendix; Fig = figure; Exh = exhibit; Sec = section; Tbl = table; Sched = schedule',
);
const LATIN = parseTable('e.g = for example; i.e = that is');
const SLASHED = parseTable('c/o = care of; n/a = not available; a/k/a = also known as');
const UNDOTTED = parseTable(`
  Mr = Mister; Mrs = Missus; Ms = Miz; Dr = Doctor; vs = versus; Jr = Junior; Sr = Senior
`);

const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const DAY_NAME = 'Mon|Tues?|Weds?|Thurs?|Thu|Fri|Sat|Sun';
const DAY_RANGE_BEFORE = new RegExp(`(?<!\\p{L})(?:${DAY_NAME})\\.?\\s?[-–/]\\s?$`, 'u');

function findDay(start: string): string | undefined {
  return DAYS.find((name) => name.startsWith(start.slice(0, 3)));
}

const ROMAN = String.raw`[IVX]{1,6}(?![\p{L}\p{N}]|\.\p{L})`;
const ENDS_WORD = String.raw`(?![\p{L}\p{N}])`;
const NAME_FOLLOWS = String.raw`(?=\s(?:(?:and|&)\s)?["'“‘]?\p{Lu})`;

/** Titles, streets, companies, Latin and other abbreviated words. */
export const abbreviationRules: readonly NormalizationRule[] = [
  // Generation Z
  rule(/Gen\.(?=\s(?:X|Z|Alpha)(?!\p{L}))/u, () => 'Gen'),
  rule(
    new RegExp(`(${buildAlternatives(Object.keys(TITLES))})\\.${NAME_FOLLOWS}`, 'u'),
    ([, title = '']) => TITLES[title],
  ),
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
  rule(/(App|Fig|Exh|Sec|Tbl|Sched)\.\s(?=[A-H](?![\p{L}\p{N}]))/u, ([, word = '']) => `${LETTERED[word]} `),
  rule(/(Op|Prop)\s(?=\d)/, ([, word = '']) => `${NUMBERED[word.toLowerCase()]} `),
  // British, without a full stop: "a source in No 10"
  rule(/No\s(?=\d)/, (_match, place) => (/\p{Ll},?\s$/u.test(place.before) ? 'number ' : undefined)),
  // "last yr's final", "in wk 42", "6 wkts vs India"
  rule(/yr(?=(?:['’]s)?(?!\p{L}|\.))/u, (_match, place) =>
    /\b(?:last|this|next|per|each|every|a)\s$/i.test(place.before) ? 'year' : undefined,
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
  rule(/att(?=:)/, () => 'attendance'),
  rule(/pax(?!\p{L})/u, () => 'passengers'),
  rule(/b(?:pd|\/d)(?!\p{L})/u, () => 'barrels per day'),
  rule(/(?:Cat|cat)\.?\s(?=[1-5]\s(?:hurricane|storm|cyclone|typhoon))/, () => 'Category '),
  // "25 km SSW of Narsingdi"
  rule(/([NSEW])-?([NS][EW])(?=\sof\s)/, ([, first = '', second = '']) =>
    `${DIRECTIONS[first]} ${QUARTERS[second]}`.toLowerCase(),
  ),
  // "2 miles N of Highway 501"
  rule(/([NS][EW]|[NSEW])(?=\sof\s)/, ([, letters = ''], place) =>
    /(?:\p{Ll}|\.)\s$/u.test(place.before)
      ? (QUARTERS[letters]?.toLowerCase() ?? DIRECTIONS[letters]?.toLowerCase())
      : undefined,
  ),
  // "until 0500 on Mon"
  rule(new RegExp(`(${DAY_NAME})(?=[,;)]|\\s(?:\\p{Ll}|\\d)|\\.?$)`, 'u'), ([, day = ''], place) =>
    /\b(?:on|until|till|by|from|to|since|every|next|last|through|before|after)\s$/i.test(place.before)
      ? findDay(day)
      : undefined,
  ),
  rule(/ext\.?\s?(\d{1,6})(?![\p{L}\p{N}])/iu, ([, digits = '']) => `extension ${spellDigits(digits)}`),
  rule(/c\.\s?(?=[£$€]?\d)/, () => 'circa '),
  rule(/b\.(?=\s(?:1[89]|20)\d\d(?!\d))/, () => 'born'),
  // "under s.121 of the Online Safety Act"
  rule(/(ss?)\.\s?(?=\d{1,4}[A-Z]?(?:\([\da-z]{1,3}\))*\sof\sthe\s)/, ([, word]) =>
    word === 's' ? 'section ' : 'sections ',
  ),
  rule(/(bce?)(?![\p{L}\p{N}])/u, ([, era = ''], place) =>
    /\d\s$/.test(place.before) ? [...era.toUpperCase()].join('.') : undefined,
  ),
  rule(/v(?=\d{1,3}\.\d)/i, () => 'version '),
  rule(/v\.?(?=\s\p{Lu})/u, (_match, place) =>
    /\p{Lu}[\p{L}.'’-]{0,20}\s$/u.test(place.before) ? 'versus' : undefined,
  ),
  rule(
    /sq\.?(?=\s(?:mi|miles?|ft|foot|feet|yards?|km|kilomet(?:er|re)s?|m|met(?:er|re)s?)(?!\p{L}))/iu,
    () => 'square',
  ),
  rule(/(e\.g|i\.e)\.?(,?)(?![\p{L}\p{N}])/iu, ([, word = '']) => `${LATIN[word.toLowerCase()]},`),
  rule(/a\.k\.a\.?(?![\p{L}\p{N}])/iu, () => 'also known as'),
  rule(
    new RegExp(`(${buildAlternatives(Object.keys(TITLES))})\\.(?=-(?:elect|designate|General)(?!\\p{L}))`, 'u'),
    ([, title = '']) => TITLES[title],
  ),
  // "is T-2 at 9 under par"
  rule(
    /T-?(\d{1,2})(?=\s(?:at|on)\s[\w−-]{1,8}[-\s](?:under|over)(?!\p{L}))/u,
    ([, place = '']) => `tied for ${verbalizeOrdinal(place)}`,
  ),
  // "Mon-Fri"
  rule(new RegExp(`(${DAY_NAME})(?=\\s?[-–/]\\s?(?:${DAY_NAME})(?!\\p{L}))`, 'u'), ([, day = '']) => findDay(day)),
  rule(new RegExp(`(${DAY_NAME})(?!\\p{L})`, 'u'), ([, day = ''], place) =>
    DAY_RANGE_BEFORE.test(place.before) ? findDay(day) : undefined,
  ),
  rule(
    /(Mon|Tues?|Weds?|Thu|Thurs?|Fri|Sat|Sun)\.(?=[,;)]|\s(?:[\p{Ll}&]|\d|\p{Lu}\p{Ll}{2,4}\.)|[-–])/u,
    ([, day = '']) => findDay(day),
  ),
  rule(/(Mon|Tues?|Weds?|Thurs?|Fri)\.(?=["'”’)]{0,3}$)/, ([written, day = ''], place) => {
    const name = findDay(day);
    return name && name + sentenceStop(written, place);
  }),
  rule(/([myq])\/\1(?![\p{L}\p{N}])/iu, ([, period = '']) => verbalizePeriods(period)),
  rule(/([myq])-o-\1(?![\p{L}\p{N}])/iu, ([, period = '']) => verbalizePeriods(period)),
  rule(/([YQM])o\1(?![\p{L}\p{N}])/u, ([, period = '']) => verbalizePeriods(period)),
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

function verbalizePeriods(letter: string): string {
  const name = { m: 'month', q: 'quarter', y: 'year' }[letter.toLowerCase()] ?? letter;
  return `${name} over ${name}`;
}

/** "Dr. Evil" and "St. Louis" before a name, "Mulholland Dr." and "Main St." after one. */
function verbalizeDoctorOrSaint([written, word = '']: RegExpExecArray, place: MatchContext): string | undefined {
  const followsName = /\p{Lu}[\p{L}'’-]{0,20}\s$|\b\d{1,4}(?:st|nd|rd|th)\s$/u.test(place.before);
  const precedesName = /^\s\p{Lu}/u.test(place.after);
  const isStreet = followsName && (!precedesName || /\d{1,5}\s(?:\p{L}[\p{L}.'’-]{0,20}\s){1,3}$/u.test(place.before));
  if (isStreet) return (word === 'Dr' ? 'Drive' : 'Street') + sentenceStop(written, place);
  if (precedesName) return word === 'Dr' ? 'Doctor' : 'Saint';
  return undefined;
}

const POSTAL_STATES = parseTable(`
  AL = Alabama; AK = Alaska; AZ = Arizona; AR = Arkansas; CA = California; CO = Colorado; CT = Connecticut;
  DE = Delaware; FL = Florida; GA = Georgia; HI = Hawaii; ID = Idaho; IL = Illinois; IN = Indiana; IA = Iowa;
  KS = Kansas; KY = Kentucky; LA = Louisiana; ME = Maine; MD = Maryland; MA = Massachusetts; MI = Michigan;
  MN = Minnesota; MS = Mississippi; MO = Missouri; MT = Montana; NE = Nebraska; NV = Nevada; NH = New Hampshire;
  NJ = New Jersey; NM = New Mexico; NY = New York; NC = North Carolina; ND = North Dakota; OH = Ohio; OK = Oklahoma;
  OR = Oregon; PA = Pennsylvania; RI = Rhode Island; SC = South Carolina; SD = South Dakota; TN = Tennessee; TX = Texas;
  UT = Utah; VT = Vermont; VA = Virginia; WA = Washington; WV = West Virginia; WI = Wisconsin; WY = Wyoming; DC = D.C
`);

/** Unambiguous state abbreviations of the Associated Press, without their full stop. */
export const SHORTENED_STATES = parseTable(`
  Ala = Alabama; Ariz = Arizona; Calif = California; Colo = Colorado; Conn = Connecticut; Fla = Florida; Ky = Kentucky;
  Mich = Michigan; Minn = Minnesota; Neb = Nebraska; Nev = Nevada; Okla = Oklahoma; Penn = Pennsylvania;
  Tenn = Tennessee; Tex = Texas; Wis = Wisconsin; W.Va = West Virginia; Wyo = Wyoming
`);

/** The others, which may also be words, names or initials. */
export const AMBIGUOUS_STATES = parseTable(`
  Ark = Arkansas; Del = Delaware; Ga = Georgia; Ill = Illinois; Ind = Indiana; Kan = Kansas; La = Louisiana;
  Mass = Massachusetts; Md = Maryland; Miss = Mississippi; Mo = Missouri; Mont = Montana; N.C = North Carolina;
  N.D = North Dakota; N.H = New Hampshire; N.J = New Jersey; N.M = New Mexico; N.Y = New York; Ore = Oregon;
  Pa = Pennsylvania; R.I = Rhode Island; S.C = South Carolina; S.D = South Dakota; Va = Virginia; Vt = Vermont;
  Wash = Washington
`);

const STREETS = parseTable(`
  Ave = Avenue; Blvd = Boulevard; Rd = Road; Ln = Lane; Ct = Court; Hwy = Highway; Pkwy = Parkway; Expy = Expressway;
  Pl = Place; Sq = Square
`);
const DIRECTIONS = parseTable('N = North; S = South; E = East; W = West');
const QUARTERS = parseTable('NW = Northwest; NE = Northeast; SW = Southwest; SE = Southeast');
const PARTIES = parseTable('R = Republican; D = Democrat; I = Independent');
const STATE_NAMES: ReadonlySet<string> = new Set(Object.values(POSTAL_STATES));
const AFTER_A_TOWN = /\p{Lu}[\p{L}.'’-]{0,20},\s$/u;
const AFTER_A_PREPOSITION = /\b(?:across|from|in|near|of|throughout)\s$/i;
const AFTER_A_STREET =
  /\b(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Dr|Drive|Ln|Lane|Ct|Court|Pl|Place|Way|Sq|Square)\.?,?\s$/;

const STREET_NAME = String.raw`(?:[NSEW]\.?\s)?(?:\p{Lu}[\p{L}'’-]{0,20}\s|\d{1,3}(?:st|nd|rd|th)\s){1,3}`;
const STREET_WORD = String.raw`(?:[Ss]t|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Dr|Drive|Ln|Lane|Ct|Court|Way|Hwy|Highway|Pkwy|Parkway|Expy|Pl|Place)(?![\p{L}\p{N}])`;

/** House numbers: "1428 Elm St." */
export const houseNumberRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`(\\d{1,5})\\s([NSEW])\\.?\\s(?=${STREET_NAME}${STREET_WORD})`, 'u'),
    ([, digits = '', direction = '']) => `${verbalizeDigitPairs(digits)} ${DIRECTIONS[direction]} `,
  ),
  rule(new RegExp(`(\\d{1,5})([A-Z]?)(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'), ([, digits = '', letter = '']) =>
    `${verbalizeDigitPairs(digits)} ${letter}`.trim(),
  ),
];

/** "R-Ky.", "D-NY", "I-Vt.": the party and state of a politician, after the name. */
export const partyRules: readonly NormalizationRule[] = [
  rule(
    /([RDI])[-–](\p{Lu}(?:\.?\p{Lu}?\p{Ll}{0,12}))(\.?)(?![\p{L}\p{N}])/u,
    ([written, party = '', state = ''], place) => {
      if (!/(?:,\s|\()$/.test(place.before)) return undefined;
      const name = findStateName(state);
      return name && `${PARTIES[party]} of ${name}${sentenceStop(written, place)}`;
    },
  ),
];

/** States before a ZIP code or after a town, and abbreviated street words. */
export const placeRules: readonly NormalizationRule[] = [
  rule(/([A-Z]{2})\s(\d{5})(?:-(\d{4}))?(?!\d)/, ([, state = '', zip = '', more]) => {
    const name = POSTAL_STATES[state];
    return name && `${name} ${spellDigits(zip)}${more ? `, ${spellDigits(more)}` : ''}`;
  }),
  rule(/([A-Z]{2})(?![\p{L}\p{N}])/u, ([, state = ''], { text, at }) =>
    /\p{Lu}[\p{L}.'’-]{1,20},\s$/u.test(text.slice(Math.max(0, at - 30), at)) ? POSTAL_STATES[state] : undefined,
  ),
  rule(/((?:W\.)?\p{Lu}\p{Ll}{1,4}|[NRS]\.[CDHIJMY])\.(?![\p{L}\p{N}])/u, ([written, state = ''], place) => {
    const name = SHORTENED_STATES[state] ?? (isStateInContext(place) && AMBIGUOUS_STATES[state]);
    return name ? name + sentenceStop(written, place) : undefined;
  }),
  rule(/(NW|NE|SW|SE)(?![\p{L}\p{N}])/u, ([, quarter = ''], place) =>
    AFTER_A_STREET.test(place.before) || /^\sof(?!\p{L})/u.test(place.after) ? QUARTERS[quarter] : undefined,
  ),
  // "the 1900 block of E. Main St."
  rule(
    new RegExp(`([NSEW])\\.?(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'),
    ([, direction = '']) => DIRECTIONS[direction],
  ),
  // "2215 NE 8th Ave."
  rule(new RegExp(`(NW|NE|SW|SE)(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'), ([, quarter = '']) => QUARTERS[quarter]),
  // In headlines: "N Korea"
  rule(
    /([NSEW])\.?(?=\s(?:Korea|Ireland|Africa|Sudan|Carolina|Dakota|Virginia|Germany|Timor|Jerusalem)(?:n|ns)?(?!\p{L}))/u,
    ([, direction = '']) => DIRECTIONS[direction],
  ),
  rule(/(Ave|Blvd|Rd|Ln|Ct|Hwy|Pkwy|Expy|Pl|Sq)(?:\.|(?![\p{L}\p{N}.]))/u, ([written, word = ''], place) =>
    /(?:\p{Lu}[\p{L}'’-]{0,20}|\d(?:st|nd|rd|th))\s$/u.test(place.before.slice(-30))
      ? `${STREETS[word]}${sentenceStop(written, place)}`
      : undefined,
  ),
  rule(/st(?=[\s.,]|$)/, (_match, { text, at }) =>
    /\d(?:st|nd|rd|th)\s$/.test(text.slice(Math.max(0, at - 5), at)) ? 'Street' : undefined,
  ),
];

function findStateName(written: string): string | undefined {
  if (STATE_NAMES.has(written)) return written;
  return SHORTENED_STATES[written] ?? AMBIGUOUS_STATES[written] ?? POSTAL_STATES[written];
}

/** "Salem, Ore.", "in N.J.", "the Pa. delegation", but not "Mass." and "Miss." alone. */
function isStateInContext(place: MatchContext): boolean {
  const textBefore = place.before;
  return (
    AFTER_A_TOWN.test(textBefore) ||
    /^\s\p{Ll}/u.test(place.after) ||
    (place.text.charAt(place.at + 1) === '.' && AFTER_A_PREPOSITION.test(textBefore))
  );
}
