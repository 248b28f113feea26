import { digitsToWords, type MatchContext, parseTable } from '../language.ts';
import { type Nouns, parseNouns } from '../shared/amounts.ts';
import { createCardinal, groupThousands } from '../shared/numbers.ts';

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES = ['', ' thousand', ' million', ' billion', ' trillion'];

/** "1234" → "one thousand two hundred thirty-four". */
export const verbalizeCardinal = createCardinal({
  ones: ONES,
  verbalizeWhole: (digits) =>
    groupThousands(digits)
      .map(({ value, power }) => verbalizeBelowThousand(value) + SCALES[power])
      .join(' '),
});

export function spellDigits(digits: string): string {
  return digitsToWords(digits, ONES);
}

/** @param written with thousands separators and a decimal point: "1,234.5", ".5" */
export function verbalizeNumber(written: string): string {
  const [whole = '', decimals] = written.replace(/,/g, '').split('.');
  const wholeWords = whole === '' ? '' : verbalizeCardinal(whole);
  return decimals ? `${wholeWords} point ${spellDigits(decimals)}`.trim() : wholeWords;
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const words = [];
  if (hundreds > 0) words.push(`${ONES[hundreds]} hundred`);
  if (value % 100 > 0) words.push(verbalizeBelowHundred(value % 100));
  return words.join(' ');
}

function verbalizeBelowHundred(value: number): string {
  const ones = ONES[value];
  if (ones !== undefined) return ones;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens}-${ONES[value % 10]}`;
}

const IRREGULAR = parseTable(`
  one = first; two = second; three = third; five = fifth; eight = eighth; nine = ninth; twelve = twelfth
`);

/** "23" → "twenty-third". */
export function verbalizeOrdinal(digits: string): string {
  return verbalizeCardinal(digits).replace(/[a-z]+$/, toOrdinalWord);
}

/** "3" and "4" → "three quarters"; "1" and "2" → "one half". */
export function verbalizeFraction(numerator: string, denominator: string): string {
  const isOne = Number(numerator) === 1;
  return `${verbalizeCardinal(numerator)} ${verbalizeDenominator(denominator, isOne)}`;
}

/** After a whole number: "1/8" → "an eighth" of "six and an eighth". */
export function verbalizeAddedFraction(numerator: string, denominator: string): string {
  return verbalizeFraction(numerator, denominator).replace(/^one (e?)/, (_one, vowel: string) =>
    vowel ? 'an e' : 'a ',
  );
}

/** "mile" → "miles", "sixty" → "sixties". */
export function pluralize(word: string): string {
  if (word.endsWith('x')) return `${word}es`;
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

function verbalizeDenominator(denominator: string, isOne: boolean): string {
  const value = Number(denominator);
  if (value === 2) return isOne ? 'half' : 'halves';
  const word = value === 4 ? 'quarter' : verbalizeOrdinal(denominator);
  return isOne ? word : `${word}s`;
}

function toOrdinalWord(word: string): string {
  const irregular = IRREGULAR[word];
  if (irregular) return irregular;
  return word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`;
}

/** "1984" → "nineteen eighty-four", "2005" → "two thousand five". */
export function verbalizeYear(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 4 || value % 1000 < 10) return verbalizeCardinal(digits);
  return `${verbalizeCardinal(digits.slice(0, 2))} ${verbalizeYearEnding(digits.slice(2))}`;
}

/** The last two digits of a year: "00" → "hundred", "05" → "oh five", "84" → "eighty-four". */
export function verbalizeYearEnding(digits: string): string {
  if (digits === '00') return 'hundred';
  return digits.startsWith('0') ? `oh ${verbalizeCardinal(digits)}` : verbalizeCardinal(digits);
}

/** "1980" → "nineteen eighties", "90" → "nineties", "2000" → "two thousands". */
export function verbalizeDecade(digits: string): string {
  if (digits === '00') return 'two thousands';
  return (digits.length === 4 ? verbalizeYear(digits) : verbalizeCardinal(digits)).replace(/[a-z]+$/, pluralize);
}

/** Numbers of flights, rooms, roads and models, in pairs: "380" → "three eighty", "1549" → "fifteen forty-nine". */
export function verbalizeDigitPairs(digits: string): string {
  if (digits.length > 4 || (digits.length > 1 && digits.startsWith('0'))) return spellDigits(digits);
  if (digits.length < 3 || /^\d0+$/.test(digits)) return verbalizeCardinal(digits);
  const split = digits.length - 2;
  return `${verbalizeCardinal(digits.slice(0, split))} ${verbalizeYearEnding(digits.slice(split))}`;
}

/** Pattern of a number with separators or decimals. Bounded, and never a part of a longer number. */
export const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,12})?|\.\d{1,12}`;
/** Pattern of a raised number. Not ¹ alone: that marks a footnote. */
export const POWER = '⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|[²³⁴⁵⁶⁷⁸⁹]';

/** "²" → "squared", "⁻²⁷" → "to the power of minus twenty-seven". */
export function verbalizePower(raised: string): string {
  if (raised === '²') return 'squared';
  if (raised === '³') return 'cubed';
  const digits = raised.replace('⁻', '').normalize('NFKC');
  return `to the power of ${raised.startsWith('⁻') ? 'minus ' : ''}${verbalizeCardinal(digits)}`;
}

/** Pattern of the dash in a range. */
export const RANGE_DASH = String.raw`(?:\s?[-‐‑–—−]\s?)`;

/** Before a number of a place or a part: "Apartment 4B", "Gate 12". */
export const PLACE_BEFORE =
  /\b(?:apt\.?|apartment|unit|room|rm\.?|suite|gate|section|seat|row|group|no\.|exit|pier|berth|route|rte\.?|hwy\.?|highway|building|bldg\.?|flat|floor|platform|zone|area|district|block|lot|level|line|terminal|track|stage|grade|class|schedule|exhibit|appendix|article|title|chapter|item|figure|table|runway|lane|dock|hall|ward|cell|page|rule|form|type|phase|pod|case|gallery|booth|bay|slot|stall|locker|cabin|bed|vault|shelf|aisle|long march)\s$/i;

export const ATTRIBUTE_FOLLOWS =
  /^[\s-](?!(?:a|about|across|after|against|ago|and|apart|are|around|as|at|away|because|before|below|between|but|by|cut|cuts|reduced|lowered|raised|beat|beats|hit|hits|boosted|helped|made|makes|deep|due|during|each|extra|fell|for|from|had|has|have|high|last|next|each|every|apiece|annually|plus|compared|based|if|in|into|is|less|long|more|of|off|old|on|or|out|over|per|rose|short|since|so|tall|than|that|the|then|there|this|today|tomorrow|tonight|total|yesterday|through|to|under|until|up|was|went|were|when|which|while|who|wide|will|with|within|without|worth|would|(?:worldwide|domestically|globally|overall)(?=[,.;)]|$|\s(?:on|in|and|since|from|by|over|at|so|to|with|but)\b))\b)[a-z]{2,}/;
const DETERMINER_BEFORE =
  /(?:\b(?:an?|another|each|every|per|the|this|that|its|his|her|their|our|my|your|whose)|(?<!\b(?:it|that|what|he|she|there|here|who))['’]s|s['’])\s(?:(?!(?:and|are|as|at|be|been|but|by|cost|costs|for|from|had|has|have|in|is|of|on|or|paid|pay|pays|than|to|was|were|with|worth|lost|spent|raised)\s)[a-z\d,-]{1,20}\s){0,2}$/i;
/** Nouns after their price: "$1,400 checks". */
const PRICED_AFTER =
  /^\s(?:\p{Lu}\p{L}{1,15}\s)?(?:bail|bills?|bonds?|bonus(?:es)?|checks?|coins?|contracts?|coupons?|deals?|donations?|fees?|fines?|gifts?|grants?|jackpots?|lawsuits?|loans?|notes?|payments?|prizes?|rebates?|settlements?|tickets?|vouchers?|acquisitions?|awards?|bet|bid|bribes?|budgets?|buyouts?|campaigns?|cost|cut|debts?|extensions?|facilit(?:y|ies)|frauds?|fund|gaps?|heists?|homes?|houses?|increase|investments?|judgments?|lottery|mansions?|mergers?|offer|order|packages?|paydays?|penalt(?:y|ies)|plan|plants?|price\s?tags?|project|purchases?|purses?|ransoms?|renovations?|rewards?|robber(?:y|ies)|sale|scams?|schemes?|shortfalls?|stakes?|suits?|takeovers?|thefts?|upgrade|verdicts?|windfalls?|yachts?|raids?|jackpots?|deficits?|surplus(?:es)?|bailouts?|pledges?|hauls?)(?!\p{L})/u;

/** "10" → "ten", "10-15" → "ten to fifteen". */
export function verbalizeQuantity(first: string, last?: string): string {
  return last ? `${verbalizeNumber(first)} to ${verbalizeNumber(last)}` : verbalizeNumber(first);
}

/** A range of years: "1914", "1918" → "nineteen fourteen to nineteen eighteen"; "2019", "20" → "twenty nineteen to twenty". */
export function verbalizeYearRange(first: string, last: string): string {
  return `${verbalizeYear(first)} to ${last.length === 2 ? verbalizeYearEnding(last) : verbalizeYear(last)}`;
}

/** Whether a number with its unit is an attribute, so that the unit has no plural: "a 5 km race". */
export function isAttribute(place: MatchContext): boolean {
  if (/^-(?:an?|per)-\p{L}/u.test(place.after)) return true;
  // "a $2.9B-to-$3.4B gap"
  const end = /^-to-\p{Sc}[\d.,]{1,12}(?:\s?(?:million|billion|trillion|[KMBT])(?!\p{L}))?(.*)$/su.exec(
    place.after,
  )?.[1];
  if (end !== undefined) return DETERMINER_BEFORE.test(place.before) && ATTRIBUTE_FOLLOWS.test(end);
  // "the £1.7bn HS2 tunnel"
  const afterInitialism =
    /^\s[A-Z][A-Z\d]{1,5}(?=\s)(?!\s(?:paid|spent|owes?|lost|raised|made|said|needs?)(?!\p{L}))(.*)$/su.exec(
      place.after,
    )?.[1];
  if (afterInitialism !== undefined && DETERMINER_BEFORE.test(place.before) && ATTRIBUTE_FOLLOWS.test(afterInitialism))
    return true;
  // "a $425K, 30-year loan"; a headline: "$2B chip plant approved"
  if (DETERMINER_BEFORE.test(place.before) && /^,\s\d{1,4}-\p{L}/u.test(place.after)) return true;
  if (place.before === '' && !/[.!?…]["'”’)]?$/.test(place.text) && ATTRIBUTE_FOLLOWS.test(place.after)) return true;
  if (PRICED_AFTER.test(place.after)) return true;
  // "a 9mm Glock"
  if (/\ban?\s$/.test(place.before) && /^\s\p{Lu}\p{Ll}/u.test(place.after)) return true;
  return DETERMINER_BEFORE.test(place.before) && ATTRIBUTE_FOLLOWS.test(place.after);
}

export function isOne(written: string): boolean {
  return /^1(?:\.0{1,12})?$/.test(written);
}

/** Whether "m" or "k" after a number is a million or a thousand of something: "1.5m people", but "a 100m race". */
export function isCounting(place: MatchContext): boolean {
  // "20.4m Swiss francs"
  if (
    /^\s(?:\p{Lu}\p{L}{1,14}\s)?(?:francs|dollars|euros|pounds|pesos|yen|yuan|kron\w{1,2}|rupees|rubles|rand|shekels|lira)(?!\p{L})/u.test(
      place.after,
    )
  )
    return true;
  // "some 16m died", "killed 50m more"
  if (
    /^\s(?:face|faced|need|lack|rely|attend|attended|marched|crossed|registered|applied|received|returned|evacuated|died|dead|fled|live[sd]?|watched|voted|tuned\sin|signed|visited|used?|own|displaced|jobless|unemployed|infected|subscribed|downloaded|out\sof\s\d)(?!\p{L})/u.test(
      place.after,
    ) ||
    /\b(?:killed|killing|displaced|infected|employs?|serves?|sold)\s(?:some\s|about\s|nearly\s|over\s|more\sthan\s|almost\s|around\s)?$/.test(
      place.before,
    )
  )
    return true;
  // "a waiting list of 7.39m"
  if (
    /\b(?:waiting\slists?|population|audience|subs|subscribers|users|viewers|customers|members|total)\s(?:of\s|at\s|to\s|now\s)?$/i.test(
      place.before,
    )
  )
    return true;
  // "a 1.65m lens"
  if (/\b(?:an?|its|his|her)\s$/i.test(place.before)) return false;
  // "17.8m Alphabet shares"
  if (
    /^\s(?:\p{Lu}\p{L}{1,14}\s)?(?:shares|users|customers|subscribers|viewers|vehicles|doses|barrels|tonnes|(?:fewer|more)\s(?:are|were|have|will|\p{Ll}{3,}s))(?!\p{L})/u.test(
      place.after,
    )
  )
    return true;
  return /^\s(?:people|men|women|children|[a-z]{4,})(?<=people|men|women|children|[^s]s)\b(?<!\s(?:metres|meters|hurdles|across|finals|relays|always))/.test(
    place.after,
  );
}

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
