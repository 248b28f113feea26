import { parseTable } from '../language.ts';

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

export const COURT_RULES = parseTable(`
  App = Appellate Procedure; Civ = Civil Procedure; Crim = Criminal Procedure; Evid = Evidence; Bankr = Bankruptcy Procedure
`);
