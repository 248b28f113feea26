import { type NormalizationRule, parseTable, rule } from '../language.ts';
import { createContextualRule } from '../shared/abbreviations.ts';
import { verbalizeCardinal, verbalizeDigitPairs } from './cardinals.ts';

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
  Mlle = Mademoiselle; Sra = Senora; Min = Minister; Mag = Magistrate; Pt = Point; Mts = Mountains; Geo = George;
  Fed = Federal; Amer = American; Ins = Insurance; Dem = Democratic; Exec = Executive; Adj = Adjusted; Vit = Vitamin; Lk = Lake; Geol = Geological; Biol = Biological; Chem = Chemical; Astron = Astronomical; Psychol = Psychological; Supvr = Supervisor; Am = American; Med = Medical; Soc = Society; Coll = College; Emer = Emeritus; Econ = Economic; Hist = Historical; Envtl = Environmental; Sfc = Sergeant First Class; Chf = Chief;
  Archbp = Archbishop; Supv = Supervisor; Assm = Assemblymember; CMSgt = Chief Master Sergeant; SMSgt = Senior Master Sergeant; Mses = Mizzes
`);

/** In any position, with their full stop. */
export const WORDS = parseTable(`
  Jr = Junior; Sr = Senior; Inc = Incorporated; Corp = Corporation; Co = Company; Cos = Companies; Ltd = Limited;
  Bros = Brothers; Assn = Association; Dept = Department; dept = department; Univ = University; Intl = International;
  Natl = National; Govt = Government; govt = government; Mfg = Manufacturing; vs = versus; etc = et cetera;
  approx = approximately; avg = average; bldg = building; Bldg = Building; incl = including; est = estimated; Est = Estimated;
  Esq = Esquire; Apt = Apartment; Rm = Room; ca = circa; Ave = Avenue; Blvd = Boulevard; Rd = Road; Hwy = Highway;
  Pkwy = Parkway; Approx = Approximately; Avg = Average; Incl = Including; excl = excluding; Dist = District;
  dist = district; Atty = Attorney; Asst = Assistant; asst = assistant; Assoc = Associate; assoc = associate;
  Tpke = Turnpike; Twp = Township; Acad = Academy; Cmte = Committee; Subcmte = Subcommittee; Mgmt = Management;
  Mfr = Manufacturer; misc = miscellaneous; Misc = Miscellaneous; Excl = Excluding; Attn = Attention; Orig = Original;
  Prev = Previous; yrs = years; mos = months; Tbsp, tbsp = tablespoons; dir = director;
  feat = featuring; attn = attention; att = attendance; Att = Attendance; Pop = Population; mgr = manager;
  Mgr = Manager; Gtr = Greater; Mtn = Mountain; Mtns = Mountains; Hts = Heights; Jct = Junction; Stn = Station;
  Cnty = County; Bldgs = Buildings; bldgs = buildings; Tel = Telephone; agg = aggregate; temp = temperature; temps = temperatures;
  Temp = Temperature; Temps = Temperatures; qtr = quarter; wk = week; wks = weeks; yr = year; hrs = hours;
  mins = minutes; secs = seconds; Terr = Terrace; Cres = Crescent; Gdns = Gardens; Regt = Regiment; Bde = Brigade;
  Commn = Commission; Trl = Trail; encl = enclosed; eds = editors; ppl = people; reg = registration; capt = captain;
  sens = senators; sgt = sergeant; cpl = corporal; cmdr = commander; srs = seniors; div = dividend; Div = Division;
  adm = admission;
  inj = injured; Mfrs = Manufacturers; Bus = Business; rev = revenue; abst = abstention; degs = degrees; Bur = Bureau;
  Svc = Service; Svcs = Services; Agri = Agriculture; Elec = Electric; Pharm = Pharmaceuticals; Inst = Institute;
  Fdn = Foundation; Ctr = Center; Cncl = Council; Hosp = Hospital; Sch = School; max = maximum; pct = percent;
  Pct = Percent; acct = account; mgmt = management; intl = international; natl = national; assn = association; hdqrs, hqtrs = headquarters; co = company; cos = companies; corp = corporation; stn = station; pcts = precincts; Mpls = Minneapolis; Wm = William; Chas = Charles; Thos = Thomas;
  Jas = James; Robt = Robert; Benj = Benjamin; Edw = Edward; Bn, Btn = Battalion; Coy = Company; nr = near; concs = concessions; util = utilities; Yorks = Yorkshire; Hdqrs = Headquarters; mfr = manufacturer; mfrs = manufacturers; Amend = Amendment;
  Pty = Proprietary; Hldgs = Holdings; Grp = Group; ea = each; esp = especially; orig = original; sched = scheduled;
  dec = declared; mo = month; hr = hour; edn = edition; deg = degree; attys = attorneys; Attys = Attorneys; fwd = forward;
  pkg = package; pkgs = packages; Amdt, amdt = Amendment; Abn = Airborne; Inf = Infantry; Cav = Cavalry; Arty = Artillery; Bd = Board; Stats = Statistics; neg = negative;
  Phila = Philadelphia; Balt = Baltimore; Indpls = Indianapolis; spd = speed; gtd = guaranteed; svcs = services; prev = previous; mkt = market; Bldrs = Builders; Tchrs = Teachers; Hlth = Health; Pac = Pacific; Ofcr = Officer; Jos = Joseph; Supr = Supreme; fmr = former; Fmr = Former; Amends = Amendments; Lat = Latitude; wt = weight; misd = misdemeanor; maj = majority; unemp = unemployment; cf = compare; viz = namely; adj = adjusted; opp = opposite
`);
export const NUMBERED = parseTable(`
  no = number; nos = numbers; fig = figure; figs = figures; vol = volume; vols = volumes; ch, chap = chapter;
  sec = section; art = article; rte = route; pt = part; pp, pgs = pages; p, pg = page; op = opus; prop = proposition;
  props = propositions; eq = equation; para = paragraph; amend = amendment; ver = version; ste = suite; res = resolution; ep = episode; eps = episodes;
  pop = population; paras = paragraphs; wk = week; wks = weeks; secs = sections; arts = articles; sched = schedule; fn = footnote;
  fns = footnotes; cl = clause; sch = schedule; ex = exhibit; bk = book; sect = section;
  sects = sections; apt = apartment; rm = room; fl = floor; min = minimum; ll = lines; dkt = docket; rt = route; div = division; mk = mark; mag = magnitude;
  chaps = chapters; vv = verses; nn = notes; iss = issue; hwy = highway; rwy = runway; exp = expedition; cts = counts; jct = junction; lat = latitude; elev = elevation; alt = altitude
`);
/** With an apostrophe for what is left out. */
export const CONTRACTED = parseTable(`
  gov = government; Gov = Government; dep = department; Dep = Department; int = international; Int = International;
  nat = national; Nat = National; ass = association; Ass = Association; sec = secretary; Sec = Secretary;
  att = attorney; Att = Attorney; cont = continued; rec = received; comm = commission; Comm = Commission
`);
export const LETTERED = parseTable(
  'App = appendix; Apps = appendices; Fig = figure; Figs = figures; Exh = exhibit; Exhs = exhibits; Sec = section; Tbl = table; Sched = schedule',
);
export const LATIN = parseTable('e.g = for example; i.e = that is');
export const SLASHED = parseTable(`
  c/o = care of; n/a = not available; a/k/a = also known as; f/k/a = formerly known as; d/b/a = doing business as;
  b/c = because; b/w = between; y/o = year old; l/cpl = Lance Corporal; r/t = round trip; e/b = eastbound; w/b = westbound; n/b = northbound; s/b = southbound; t/o = turnout; s/he = she or he
`);
export const UNDOTTED = parseTable(`
  Mr = Mister; Mrs = Missus; Ms = Miz; Dr = Doctor; vs = versus; Jr = Junior; Sr = Senior; Mx = Mix; Messrs = Messieurs;
  Prof = Professor; Sgt = Sergeant; Insp = Inspector; Supt = Superintendent; Det = Detective; Lt = Lieutenant;
  Col = Colonel; Maj = Major; Capt = Captain; Cpt = Captain; Cpl = Corporal; Pte = Private; Pvt = Private;
  Pfc = Private first class; Cdr = Commander; Cmdr = Commander; Brig = Brigadier; Adm = Admiral; Rev = Reverend;
  Cllr = Councillor; Sen = Senator; Sens = Senators; Rep = Representative; Reps = Representatives; Gov = Governor;
  Flt = Flight; Sqn = Squadron; Ldr = Leader; Hon = Honorable; Mt = Mount; Ft = Fort; Utd = United; Wg = Wing; Gp = Group; Cdre = Commodore
`);

export const BEFORE_A_YEAR = parseTable(
  'pub = published; rel = released; repr = reprinted; prod = produced; comp = composed; inc = incorporated',
);

const COURT_RULES = parseTable(`
  App = Appellate Procedure; Civ = Civil Procedure; Crim = Criminal Procedure; Evid = Evidence; Bankr = Bankruptcy Procedure
`);

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
