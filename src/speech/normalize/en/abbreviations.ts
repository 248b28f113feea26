import { type MatchContext, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { spellDigits, verbalizeCardinal, verbalizeDigitPairs, verbalizeOrdinal } from './cardinals.ts';
import { DIRECTIONS, QUARTERS } from './places.ts';

/** Titles before a name, without their full stop. */
export const TITLES = parseTable(`
  Mr = Mister; Mrs = Missus; Ms = Miz; Mx = Mix; Drs = Doctors; Prof = Professor; Profs = Professors; Sec = Secretary;
  Sen = Senator; Sens = Senators; Rep = Representative; Reps = Representatives; Gov = Governor; Govs = Governors;
  Atty = Attorney; Amb = Ambassador; Gen = General; Gens = Generals; Brig = Brigadier; Col = Colonel; Lt = Lieutenant;
  Sgt = Sergeant; Sgts = Sergeants; Capt = Captain; Cpl = Corporal; Pvt = Private; Pfc = Private first class;
  Spc = Specialist; Cmdr = Commander; Maj = Major; Adm = Admiral; Rev = Reverend; Revs = Reverends; Hon = Honorable;
  Pres = President; Supt = Superintendent; Det = Detective; Insp = Inspector; Fr = Father; Msgr = Monsignor;
  Messrs = Messieurs; Mt = Mount; Ft = Fort; Ste = Sainte; Ald = Alderman; Cllr = Councillor; Ens = Ensign; Bp = Bishop;
  Abp = Archbishop; Ofc = Officer; Tpr = Trooper; Dep = Deputy; Chmn = Chairman; Cmsr = Commissioner; Comm, Commr, Comr = Commissioner; Del = Delegate;
  Assemb, Assem = Assemblymember; Asm = Assemblyman; Coun, Clr = Councillor; Treas = Treasurer; Pte = Private;
  Bdr = Bombardier; Flt = Flight; Sqn = Squadron; Ldr = Leader; Wg = Wing; Gp = Group; Cdr = Commander;
  Cdre = Commodore; Mshl = Marshal; SSgt = Staff Sergeant; TSgt, Tech = Technical; MSgt = Master Sergeant;
  LCpl = Lance Corporal; Agt = Agent; Cpt = Captain; Batt = Battalion; Const, Con = Constable;
  Bro, Br = Brother; Sts = Saints; Card = Cardinal; Cong = Congressman; Spkr = Speaker; Mmes = Mesdames; Mme = Madame;
  Mlle = Mademoiselle; Sra = Senora; Min = Minister; Mag = Magistrate; Pt = Point; Mts = Mountains; Wm = William;
  Geo = George; Chas = Charles; Thos = Thomas; Fed = Federal; Amer = American; Ins = Insurance; Dem = Democratic
`);

/** In any position, with their full stop. */
const WORDS = parseTable(`
  Jr = Junior; Sr = Senior; Inc = Incorporated; Corp = Corporation; Co = Company; Cos = Companies; Ltd = Limited;
  Bros = Brothers; Assn = Association; Dept = Department; dept = department; Univ = University; Intl = International;
  Natl = National; Govt = Government; govt = government; Mfg = Manufacturing; vs = versus; etc = et cetera;
  approx = approximately; avg = average; bldg = building; Bldg = Building; incl = including; est = estimated; Est = Estimated;
  Esq = Esquire; Apt = Apartment; Rm = Room; ca = circa; Ave = Avenue; Blvd = Boulevard; Rd = Road; Hwy = Highway;
  Pkwy = Parkway; Approx = Approximately; Avg = Average; Incl = Including; excl = excluding; Dist = District;
  dist = district; Atty = Attorney; Asst = Assistant; asst = assistant; Assoc = Associate; assoc = associate;
  Tpke = Turnpike; Twp = Township; Acad = Academy; Cmte = Committee; Subcmte = Subcommittee; Mgmt = Management;
  Mfr = Manufacturer; misc = miscellaneous; yrs = years; mos = months; Tbsp, tbsp = tablespoons; dir = director;
  feat = featuring; attn = attention; att = attendance; Att = Attendance; Pop = Population; mgr = manager;
  Mgr = Manager; Gtr = Greater; Mtn = Mountain; Mtns = Mountains; Hts = Heights; Jct = Junction; Stn = Station;
  Cnty = County; Bldgs = Buildings; bldgs = buildings; Tel = Telephone; agg = aggregate; temp = temperature; temps = temperatures;
  Temp = Temperature; Temps = Temperatures; qtr = quarter; wk = week; wks = weeks; yr = year; hrs = hours;
  mins = minutes; secs = seconds; Terr = Terrace; Cres = Crescent; Gdns = Gardens; Regt = Regiment; Bde = Brigade;
  Commn = Commission; Trl = Trail; encl = enclosed; eds = editors; ppl = people; reg = registration; capt = captain;
  sgt = sergeant; cpl = corporal; cmdr = commander; srs = seniors; div = dividend; Div = Division; adm = admission;
  inj = injured; Mfrs = Manufacturers; Bus = Business; rev = revenue; abst = abstention; degs = degrees; Bur = Bureau;
  Svc = Service; Svcs = Services; Agri = Agriculture; Elec = Electric; Pharm = Pharmaceuticals; Inst = Institute;
  Fdn = Foundation; Ctr = Center; Cncl = Council; Hosp = Hospital; Sch = School; max = maximum; pct = percent;
  Pct = Percent; acct = account; mgmt = management; intl = international; natl = national; assn = association; hdqrs, hqtrs = headquarters; Hdqrs = Headquarters; mfr = manufacturer; mfrs = manufacturers; Amend = Amendment;
  Pty = Proprietary; Hldgs = Holdings; Grp = Group; ea = each; esp = especially; orig = original; sched = scheduled;
  dec = declared; mo = month; hr = hour; edn = edition; deg = degree
`);
const NUMBERED = parseTable(`
  no = number; nos = numbers; fig = figure; figs = figures; vol = volume; vols = volumes; ch, chap = chapter;
  sec = section; art = article; rte = route; pt = part; pp, pgs = pages; p, pg = page; op = opus; prop = proposition;
  props = propositions; eq = equation; para = paragraph; amend = amendment; ver = version; ste = suite; res = resolution; ep = episode; eps = episodes;
  pop = population; paras = paragraphs; wk = week; wks = weeks; secs = sections; arts = articles; sched = schedule; fn = footnote;
  fns = footnotes; cl = clause; sch = schedule; ex = exhibit; bk = book; sect = section;
  sects = sections; apt = apartment; rm = room; fl = floor; min = minimum; ll = lines; dkt = docket; rt = route; div = division; mk = mark
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
const SLASHED = parseTable(`
  c/o = care of; n/a = not available; a/k/a = also known as; f/k/a = formerly known as; d/b/a = doing business as;
  b/c = because; b/w = between; y/o = year old; l/cpl = Lance Corporal
`);
const UNDOTTED = parseTable(`
  Mr = Mister; Mrs = Missus; Ms = Miz; Dr = Doctor; vs = versus; Jr = Junior; Sr = Senior; Mx = Mix; Messrs = Messieurs;
  Prof = Professor; Sgt = Sergeant; Insp = Inspector; Supt = Superintendent; Det = Detective; Lt = Lieutenant;
  Col = Colonel; Maj = Major; Capt = Captain; Cpt = Captain; Cpl = Corporal; Pte = Private; Pvt = Private;
  Pfc = Private first class; Cdr = Commander; Cmdr = Commander; Brig = Brigadier; Adm = Admiral; Rev = Reverend;
  Cllr = Councillor; Sen = Senator; Sens = Senators; Rep = Representative; Reps = Representatives; Gov = Governor;
  Flt = Flight; Sqn = Squadron; Ldr = Leader; Hon = Honorable; Mt = Mount; Ft = Fort; Utd = United
`);

const COURT_RULES = parseTable(`
  App = Appellate Procedure; Civ = Civil Procedure; Crim = Criminal Procedure; Evid = Evidence; Bankr = Bankruptcy Procedure
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
  // British, without a full stop: "Maj Gen Ann Roe"
  rule(/Gen(?=\s(?!X|Z|Alpha|Con)\p{Lu}\p{Ll})/u, () => 'General'),
  rule(/Ch\.?(?=\s(?:Insp|Supt|Con)(?!\p{L}))/u, () => 'Chief'),
  // A nun: "Sr. Mary Joseph"
  rule(
    /Sr\.?(?=\s(?:Mary|Maria|Marie|Ann|Anne|Teresa|Theresa|Catherine|Helen|Joan|Jean|Rose|Norma|Simone)(?!\p{L}))/u,
    () => 'Sister',
  ),
  rule(/Sec\.(?=\sof\s\p{Lu})/u, () => 'Secretary'),
  rule(/Utd\.?(?!\p{L})/u, ([written], place) => `United${sentenceStop(written, place)}`),
  // A round of boxing, but "County Rd. 12"
  rule(/Rd\.?\s(?=\d)/u, (_match, place) =>
    /\b(?:Co|County|State|Ranch|Farm|Forest|Township|Twp|Rural|Fire)\.?\s$/u.test(place.before) ? 'Road ' : 'Round ',
  ),
  // "Pub. L. 111-148", "Fed. R. Civ. P. 12"
  rule(
    /Pub\.\s?L\.\s?(?:No\.\s?)?(\d{2,3})[-–](\d{1,3})(?!\d)/,
    ([, congress = '', number = '']) => `Public Law ${verbalizeDigitPairs(congress)}, ${verbalizeDigitPairs(number)}`,
  ),
  rule(
    /Fed\.\s?R\.\s?(App|Civ|Crim|Evid|Bankr)\.(?:\s?P\.)?/,
    ([, kind = '']) => `Federal Rule of ${COURT_RULES[kind]}`,
  ),
  rule(/Cir\.(?!\p{L})/u, ([written], place) =>
    /(?:\d(?:st|nd|rd|th|d)|D\.C\.|Fed\.)\s$/.test(place.before) ? `Circuit${sentenceStop(written, place)}` : undefined,
  ),
  rule(/Rep\.(?!\p{L}|\s\p{Lu})/u, ([written], place) =>
    /\b(?:Czech|Dominican|African|Dem\.)\s$/.test(place.before) ? `Republic${sentenceStop(written, place)}` : undefined,
  ),
  rule(/Dem\.(?=\sRep\.)/, () => 'Democratic'),
  rule(
    /Co\.?(?=\s(?:Antrim|Armagh|Clare|Cork|Derry|Donegal|Down|Dublin|Durham|Fermanagh|Galway|Kerry|Kildare|Kilkenny|Laois|Leitrim|Limerick|Londonderry|Louth|Mayo|Meath|Offaly|Roscommon|Sligo|Tipperary|Tyrone|Waterford|Wexford|Wicklow)(?!\p{L}))/u,
    () => 'County',
  ),
  rule(/U\.(?=\sof\s\p{Lu})/u, () => 'University'),
  // "the Ohio R."
  rule(/R\.(?!\p{L}|\s\p{Lu})/u, ([written], place) =>
    /\b(?:[Tt]he|along|Lower|Upper|near)\s\p{Lu}\p{Ll}{2,20}\s(?:(?:and|&)\s\p{Lu}\p{Ll}{2,20}\s)?$/u.test(place.before)
      ? `River${sentenceStop(written, place)}`
      : undefined,
  ),
  // "the min. wage", "Max. speed"
  rule(/([Mm])(in|ax)\.(?=\s\p{Ll})/u, ([, first, rest], place) =>
    /\d\s?$/.test(place.before) ? undefined : `${first}${rest}imum`,
  ),
  // "the est. of $1.98", "founded est. 1902"
  rule(/[Ee]st\.(?=\s(?:1[5-9]\d\d|20[0-2]\d)(?!\d|\s\p{L}))/u, () => 'established'),
  rule(/ests?\.(?!\p{L})/u, ([written], place) =>
    written.startsWith('ests') || /^(?:\s(?:of|by|was|is|were|from)\b|[,;)]|["'”’)\]\s]*$)/.test(place.after)
      ? `estimate${written.startsWith('ests') ? 's' : ''}${sentenceStop(written, place)}`
      : undefined,
  ),
  rule(/min\.(?!\p{L})/u, ([written], place) =>
    /\d(?:st|nd|rd|th)\s$/.test(place.before) ? `minute${sentenceStop(written, place)}` : undefined,
  ),
  rule(/[Rr]et\.(?=\)|,)/u, (_match, place) => (/(?:\(|,\s)$/.test(place.before) ? 'retired' : undefined)),
  rule(/nee(?=\s\p{Lu})/u, (_match, place) => (place.before.endsWith('(') ? 'née' : undefined)),
  rule(/FY\s?['’](\d{2})(?!\d)/u, ([, digits = '']) => `F.Y ${verbalizeCardinal(digits)}`),
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
  // "a 2-run HR"
  rule(/HRs?(?!\p{L})/u, ([written], place) =>
    /-run\s$/.test(place.before) ? `home run${written.endsWith('s') ? 's' : ''}` : undefined,
  ),
  // "last yr's final", "in wk 42", "6 wkts vs India"
  rule(/yr(?=(?:['’]s)?(?!\p{L}|\.))/u, (_match, place) =>
    /\b(?:last|this|next|per|each|every|a)\s$/i.test(place.before) ? 'year' : undefined,
  ),
  // "in the 15th and 16th cents."
  rule(/cent(s?)\.(?!\p{L})/u, ([written, plural], place) =>
    /\d(?:st|nd|rd|th)\s$/.test(place.before)
      ? `centur${plural ? 'ies' : 'y'}${sentenceStop(written, place)}`
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
  rule(/att(?=:)/, () => 'attendance'),
  rule(/pax(?!\p{L})/u, () => 'passengers'),
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
  rule(/pct\.?(?=\spoints?(?!\p{L}))/u, () => 'percentage'),
  // "wind NNW 15-25 kts."
  rule(
    /([NSEW](?=[NS][EW]))?([NS][EW]|[NSEW])(?=\s\d{1,3}(?:[-–]\d{1,3})?\s?(?:mph|kts?|knots?|km\/h|kph)(?!\p{L}))/u,
    ([, first, second = ''], place) =>
      /\b(?:winds?|gusts?)(?:\s(?:light|fresh|strong))?\s$/i.test(place.before)
        ? `${first ? `${DIRECTIONS[first]} ` : ''}${QUARTERS[second] ?? DIRECTIONS[second]}`.toLowerCase()
        : undefined,
  ),
  // "25 km SSW of Narsingdi"
  rule(/([NSEW])-?([NS][EW])(?=\sof\s)/, ([, first = '', second = '']) =>
    `${DIRECTIONS[first]} ${QUARTERS[second]}`.toLowerCase(),
  ),
  // "2 miles N of Highway 501"
  rule(/([NS][EW]|[NSEW])\.?(?=\sof\s)/, ([, letters = ''], place) =>
    /(?:\p{Ll}|\.)\s$/u.test(place.before)
      ? (QUARTERS[letters]?.toLowerCase() ?? DIRECTIONS[letters]?.toLowerCase())
      : undefined,
  ),
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
  // "until 0500 on Mon"
  rule(new RegExp(`(${DAY_NAME})(?=[,;)]|\\s(?:\\p{Ll}|\\d)|\\.?$)`, 'u'), ([, day = ''], place) =>
    /\b(?:on|until|till|by|from|to|since|every|next|last|through|before|after)\s$/i.test(place.before)
      ? findDay(day)
      : undefined,
  ),
  rule(/ext\.?\s?(\d{1,6})(?![\p{L}\p{N}])/iu, ([, digits = '']) => `extension ${spellDigits(digits)}`),
  rule(/c\.\s?(?=[£$€]?\d)/, () => 'circa '),
  rule(/([bdr])\.(?=\s(?:c\.\s)?(?:1\d|20)\d\d(?!\d))/, ([, letter], place) =>
    letter === 'b' || place.before.endsWith('(') ? { b: 'born', d: 'died', r: 'reigned' }[letter ?? ''] : undefined,
  ),
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
  rule(/a(?:\.k\.a\.?|ka(?=\s))(?![\p{L}\p{N}])/iu, () => 'also known as'),
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
  rule(new RegExp(`(${DAY_NAME})(?!\\p{L})(?:\\.(?=[,;)]|\\s[\\p{Ll}\\d]))?`, 'u'), ([, day = ''], place) =>
    DAY_RANGE_BEFORE.test(place.before) ? findDay(day) : undefined,
  ),
  rule(
    /(Mon|Tues?|Weds?|Thu|Thurs?|Fri|Sat|Sun)\.(?=[,;)]|\s(?:[\p{Ll}&–-]|\d|\p{Lu}\p{Ll}{2,4}\.)|[-–])/u,
    ([, day = '']) => findDay(day),
  ),
  rule(/(Mon|Tues?|Weds?|Thurs?|Fri)\.(?=["'”’)]{0,3}$)/, ([written, day = ''], place) => {
    const name = findDay(day);
    return name && name + sentenceStop(written, place);
  }),
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
const STREET_BEFORE_SCHOOL = /(?:\b(?:on|at|along|off|down|up|near|to|from|of|and)|\d|[NSEW]\.?)\s[\w.]+\s(?:\w+\s)?$/;

/** "Dr. Evil" and "St. Louis" before a name, "Mulholland Dr." and "Main St." after one. */
function verbalizeDoctorOrSaint([written, word = '']: RegExpExecArray, place: MatchContext): string | undefined {
  const followsName = /\p{Lu}[\p{L}'’-]{0,20}\s$|\b\d{1,4}(?:st|nd|rd|th)\s$/u.test(place.before);
  const precedesName = /^\s\p{Lu}/u.test(place.after);
  if (word === 'St' && STATE_SCHOOL.test(place.before) && !STREET_BEFORE_SCHOOL.test(place.before))
    return `State${sentenceStop(written, place)}`;
  const isStreet = followsName && (!precedesName || /\d{1,5}\s(?:\p{L}[\p{L}.'’-]{0,20}\s){1,3}$/u.test(place.before));
  if (isStreet) return (word === 'Dr' ? 'Drive' : 'Street') + sentenceStop(written, place);
  if (precedesName) return word === 'Dr' ? 'Doctor' : 'Saint';
  return undefined;
}
