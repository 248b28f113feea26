import { type Nouns, parseNouns } from '../shared/amounts.ts';

export function parseEnglishNouns(entries: string): Nouns {
  return parseNouns(entries, (singular) => `${singular}s`);
}

/** Abbreviation → one of the unit and many, which are one with an s unless named. */
const UNITS = parseEnglishNouns(`
  km, kms = kilometer; m = meter; cm = centimeter; in = inch|inches; µm, μm = micrometer; mm = millimeter;
  nm = nanometer; kg, kgs = kilogram; g, gms = gram; mg = milligram; µg, μg, mcg, ug = microgram;
  inHg = inch of mercury|inches of mercury; cu. yd., cu yd = cubic yard;
  pct. points, pct points, pct pts, pct. pts, pct pt, ppt., pp, ppts = percentage point; abst = abstention; degs = degree; lb, lbs = pound;
  lb-ft = pound-foot|pound-feet; oz = ounce; mi = mile; ft = foot|feet; yd, yds = yard;
  mph = mile per hour|miles per hour; kph, km/h, kmh = kilometer per hour|kilometers per hour;
  m/s = meter per second|meters per second; mpg = mile per gallon|miles per gallon;
  sq ft, sq. ft., ft², sqft, sq-ft = square foot|square feet; sq-mi, sq mi, sq. mi. = square mile;
  sq km, km², km2, sq. km = square kilometer; sq m, m², m2, sqm = square meter; m³, m3, cu m = cubic meter;
  ft³, cu ft = cubic foot|cubic feet; cm³ = cubic centimeter; km³ = cubic kilometer; ha = hectare; l, L, ltrs = liter;
  ml, mL = milliliter; cl = centiliter; kB, KB = kilobyte; MB = megabyte; GB = gigabyte; TB = terabyte;
  Mbps, mbps = megabit per second|megabits per second; Gbps = gigabit per second|gigabits per second; Hz = hertz|hertz;
  kHz, khz = kilohertz|kilohertz; MHz, mhz = megahertz|megahertz; GHz, ghz = gigahertz|gigahertz; kW, kw = kilowatt;
  MW, MWe = megawatt; GW, GWe = gigawatt; kWh, kwh = kilowatt hour; MWh = megawatt hour; GWh = gigawatt hour;
  hp = horsepower|horsepower; dB = decibel; rpm = R.P.M|R.P.M; psi = P.S.I|P.S.I; bpd = barrel per day|barrels per day;
  hr, hrs, h = hour; min, mins = minute; sec, secs = second; ms = millisecond; cc = C.C|C.C; pct, pc = percent|percent;
  ppm = part per million|parts per million; cal = calorie; kcal = kilocalorie; kJ = kilojoule; V = volt; kV = kilovolt;
  W = watt; TW = terawatt; TWh = terawatt hour; Wh = watt hour; mAh = milliamp hour; kPa = kilopascal;
  hPa = hectopascal; mmHg, mm Hg = millimeter of mercury|millimeters of mercury; gal = gallon; qt = quart;
  pt, pts = point; tbsp, Tbsp = tablespoon; tsp, Tsp = teaspoon; kt, kts = knot; bpm = beat per minute|beats per minute;
  fps = frame per second|frames per second; cm² = square centimeter; mm² = square millimeter;
  bcm = billion cubic meters|billion cubic meters; ppb = part per billion|parts per billion;
  ppt = part per trillion|parts per trillion; ppg = points per game|points per game;
  rpg = rebounds per game|rebounds per game; bps, bp = basis point; floz, fl oz, fl. oz. = fluid ounce;
  km/s = kilometer per second|kilometers per second; ft-lb = foot-pound; Nm = newton meter; kN = kilonewton;
  µs, μs = microsecond; ns = nanosecond; PB = petabyte; Pa = pascal; MPa = megapascal; GPa = gigapascal;
  keV = kiloelectronvolt; MeV = megaelectronvolt; GeV = gigaelectronvolt; TeV = teraelectronvolt; µL, μL = microliter;
  mol = mole; mmol = millimole; dl, dL = deciliter; Gt = gigaton; Mt = megaton; kb = kilobit; yr, yrs = year;
  mo, mos, mths, mth = month; wk, wks = week; ly = light year; ng = nanogram; Ga = billion years|billion years;
  Ma = million years|million years; Kbps, kbps = kilobit per second|kilobits per second; HRs, HR = home run;
  RBIs, RBI = run batted in|runs batted in; bbl, bbls = barrel; mK = millikelvin|millikelvin; ov, ovs = over;
  wkt, wkts = wicket; TD, TDs = touchdown; INTs, INT = interception; reb = rebound; ast, asts = assist;
  apg = assists per game|assists per game; mb, mbar = millibar; AU = astronomical unit; nmi = nautical mile;
  cfs = cubic foot per second|cubic feet per second; gpm = gallon per minute|gallons per minute; mSv = millisievert;
  µSv, μSv = microsievert; Bq = becquerel; bcf = billion cubic feet|billion cubic feet;
  mcf = thousand cubic feet|thousand cubic feet; bhp = brake horsepower|brake horsepower; pax = passenger;
  qtrs = quarter; pcs = piece; tph = ton per hour|tons per hour; ins = inch|inches; qts = quart; tbsps = tablespoon;
  tsps = teaspoon; sq. yd., sq. yds. = square yard; sq.-ft. = square foot|square feet; kn = knot; Bcf = billion cubic feet|billion cubic feet;
  kmph = kilometer per hour|kilometers per hour; Tbps = terabit per second|terabits per second; EB = exabyte; ZB = zettabyte;
  Gb/s = gigabit per second|gigabits per second; Mb/s = megabit per second|megabits per second; kΩ = kiloohm; Ω = ohm;
  m/s², m/s2 = meter per second squared|meters per second squared; IU = I.U|I.U; dBA = decibel; Sv = sievert; Gy = gray;
  Tcf = trillion cubic feet|trillion cubic feet; Mcf = thousand cubic feet|thousand cubic feet; MMBtu = million B.T.U|million B.T.U;
  boe = barrel of oil equivalent|barrels of oil equivalent; mbpd, mb/d = million barrels per day|million barrels per day; Tbs, tbs = tablespoon; boepd = barrel of oil equivalent per day|barrels of oil equivalent per day;
  mtpa = million tons per year|million tons per year; dwt = deadweight ton; ac = acre; bu = bushel; cwt = hundredweight;
  dpi = dot per inch|dots per inch; ppi = pixel per inch|pixels per inch; wpm = word per minute|words per minute;
  fpm = foot per minute|feet per minute; deg = degree; eV = electronvolt; t = ton; lbf = pound of force|pounds of force; doz = dozen|dozen; pk = pack; MP = megapixel;
  mgd = million gallons per day|million gallons per day; naut. mi. = nautical mile; mA = milliampere; kpc = kiloparsec; Mpc = megaparsec;
  m.p.h. = mile per hour|miles per hour; m.p.g. = mile per gallon|miles per gallon; Gyr = billion year|billion years;
  Myr = million year|million years; mya, Mya = million years ago|million years ago; gals = gallon; cu. ft. = cubic foot|cubic feet; cu. in., cu in = cubic inch|cubic inches;
  sq. in., sq in = square inch|square inches; Å = angstrom; MB/s = megabyte per second|megabytes per second;
  GB/s = gigabyte per second|gigabytes per second; mi./hr., mi/hr = mile per hour|miles per hour; kWp = kilowatt peak|kilowatts peak;
  acre-ft, ac-ft = acre-foot|acre-feet; µmol = micromole; lm = lumen; cu. m = cubic meter; rebs = rebound; stls, stl = steal; blks, blk = block; inn = inning
`);

/** Pattern of any unit, the longest first. */
export const UNIT = Object.keys(UNITS)
  .sort((one, other) => other.length - one.length)
  .map((unit) => unit.replace(/[.]/g, '\\.'))
  .join('|');

export function verbalizeUnit(unit: string, isSingle: boolean): string {
  const { one = unit, many = unit } = UNITS[unit] ?? {};
  return isSingle ? one : many;
}
