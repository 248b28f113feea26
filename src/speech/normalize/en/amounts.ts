import { type MatchContext, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import { type Nouns, parseNouns } from '../shared/amounts.ts';
import {
  isAttribute,
  isCounting,
  isOne,
  NUMBER,
  PLACE_BEFORE,
  POWER,
  RANGE_DASH,
  verbalizeCardinal,
  verbalizeNumber,
  verbalizePower,
  verbalizeQuantity,
} from './cardinals.ts';

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
  ml, mL = milliliter; kB, KB = kilobyte; MB = megabyte; GB = gigabyte; TB = terabyte;
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
  ppt = part per trillion|parts per trillion; ppg = point per game|points per game;
  rpg = rebound per game|rebounds per game; bps, bp = basis point; floz, fl oz, fl. oz. = fluid ounce;
  km/s = kilometer per second|kilometers per second; ft-lb = foot-pound; Nm = newton meter; kN = kilonewton;
  µs, μs = microsecond; ns = nanosecond; PB = petabyte; Pa = pascal; MPa = megapascal; GPa = gigapascal;
  keV = kiloelectronvolt; MeV = megaelectronvolt; GeV = gigaelectronvolt; TeV = teraelectronvolt; µL, μL = microliter;
  mol = mole; mmol = millimole; dl, dL = deciliter; Gt = gigaton; Mt = megaton; kb = kilobit; yr, yrs = year;
  mo, mos, mths, mth = month; wk, wks = week; ly = light year; ng = nanogram; Ga = billion years|billion years;
  Ma = million years|million years; Kbps, kbps = kilobit per second|kilobits per second; HRs, HR = home run;
  RBIs, RBI = run batted in|runs batted in; bbl, bbls = barrel; mK = millikelvin|millikelvin; ov, ovs = over;
  wkt, wkts = wicket; TD, TDs = touchdown; INTs, INT = interception; reb = rebound; ast, asts = assist;
  apg = assist per game|assists per game; mb, mbar = millibar; AU = astronomical unit; nmi = nautical mile;
  cfs = cubic foot per second|cubic feet per second; gpm = gallon per minute|gallons per minute; mSv = millisievert;
  µSv = microsievert; Bq = becquerel; bcf = billion cubic feet|billion cubic feet;
  mcf = thousand cubic feet|thousand cubic feet; bhp = brake horsepower|brake horsepower; pax = passenger;
  qtrs = quarter; pcs = piece; tph = ton per hour|tons per hour; ins = inch|inches; qts = quart; tbsps = tablespoon;
  tsps = teaspoon; sq. yd., sq. yds. = square yard; sq.-ft. = square foot|square feet; kn = knot; Bcf = billion cubic feet|billion cubic feet;
  kmph = kilometer per hour|kilometers per hour; Tbps = terabit per second|terabits per second; EB = exabyte; ZB = zettabyte;
  Gb/s = gigabit per second|gigabits per second; Mb/s = megabit per second|megabits per second; kΩ = kiloohm; Ω = ohm;
  m/s², m/s2 = meter per second squared|meters per second squared; IU = I.U|I.U; dBA = decibel; Sv = sievert; Gy = gray;
  Tcf = trillion cubic feet|trillion cubic feet; Mcf = thousand cubic feet|thousand cubic feet; MMBtu = million B.T.U|million B.T.U;
  boe = barrel of oil equivalent|barrels of oil equivalent; boepd = barrel of oil equivalent per day|barrels of oil equivalent per day;
  mtpa = million tons per year|million tons per year; dwt = deadweight ton; ac = acre; bu = bushel; cwt = hundredweight;
  dpi = dot per inch|dots per inch; ppi = pixel per inch|pixels per inch; wpm = word per minute|words per minute;
  fpm = foot per minute|feet per minute; deg = degree; eV = electronvolt; t = ton; lbf = pound of force|pounds of force; doz = dozen|dozen; pk = pack; MP = megapixel;
  mgd = million gallons per day|million gallons per day; naut. mi. = nautical mile; mA = milliampere; kpc = kiloparsec; Mpc = megaparsec;
  m.p.h. = mile per hour|miles per hour; m.p.g. = mile per gallon|miles per gallon; Gyr = billion years|billion years;
  Myr = million years|million years; mya, Mya = million years ago|million years ago; gals = gallon; cu. ft. = cubic foot|cubic feet; cu. in., cu in = cubic inch|cubic inches;
  sq. in., sq in = square inch|square inches; Å = angstrom; MB/s = megabyte per second|megabytes per second;
  GB/s = gigabyte per second|gigabytes per second; mi./hr., mi/hr = mile per hour|miles per hour; kWp = kilowatt peak|kilowatts peak;
  acre-ft, ac-ft = acre-foot|acre-feet; µmol = micromole; lm = lumen; rebs = rebound; stls, stl = steal; blks, blk = block
`);

/** Pattern of any unit, the longest first. */
const UNIT = Object.keys(UNITS)
  .sort((one, other) => other.length - one.length)
  .map((unit) => unit.replace(/[.]/g, '\\.'))
  .join('|');

function verbalizeUnit(unit: string, isSingle: boolean): string {
  const { one = unit, many = unit } = UNITS[unit] ?? {};
  return isSingle ? one : many;
}

/** Coordinates, "40°42′N", and temperatures, "20–25°C", "40C". */
export const temperatureRules: readonly NormalizationRule[] = [
  rule(
    /(\d{1,3}(?:\.\d{1,6})?)°\s?(?:(\d{1,2}(?:\.\d{1,4})?)[′'’]\s?)?(?:(\d{1,2}(?:\.\d{1,3})?)[″"”]\s?)?([NSEW])(?![\p{L}\p{N}])/u,
    verbalizeCoordinate,
  ),
  rule(
    new RegExp(`(${NUMBER})°?${RANGE_DASH}?(${NUMBER})?\\s?(?:°|º|℃|℉)(?:\\s?([CFK])(?![\\p{L}\\p{N}]))?`, 'u'),
    verbalizeTemperature,
  ),
  // "24.6N, 81.7W"
  rule(/(\d{1,3}(?:\.\d{1,4})?)°?\s?([NSEW])(?![\p{L}\p{N}])/u, ([, degrees = '', side = ''], place) =>
    /^[NS]$/.test(side)
      ? /^,?\s(?:and\s)?\d{1,3}(?:\.\d{1,4})?°?\s?[EW](?!\p{L})/u.test(place.after)
        ? `${verbalizeQuantity(degrees)} degrees ${DIRECTIONS[side]}`
        : undefined
      : /\d°?\s?[NS],?\s(?:and\s)?$/.test(place.before)
        ? `${verbalizeQuantity(degrees)} degrees ${DIRECTIONS[side]}`
        : undefined,
  ),
  rule(/(\d{1,4}(?:\.\d{1,2})?)(\s?)([CF])(?![\p{L}\p{N}-]|\s\p{Lu}|\.\p{L})/u, verbalizeBareTemperature),
];

const SCALES = parseTable('C = Celsius; F = Fahrenheit; K = Kelvin');

function verbalizeTemperature([written, first = '', last, letter]: RegExpExecArray): string {
  const scale = SCALES[letter ?? ''] ?? (written.includes('℃') ? 'Celsius' : written.includes('℉') ? 'Fahrenheit' : '');
  const degrees = isOne(first) && !last ? 'degree' : 'degrees';
  return `${verbalizeQuantity(first, last)} ${degrees} ${scale}`.trim();
}

const DIRECTIONS = parseTable('N = north; S = south; E = east; W = west');

/** "40°42′46″N" → "forty degrees forty-two minutes forty-six seconds north" */
function verbalizeCoordinate([, degrees = '', minutes, seconds, side = '']: RegExpExecArray): string {
  const parts = [verbalizeCount(degrees, 'degree')];
  if (minutes) parts.push(verbalizeCount(minutes, 'minute'));
  if (seconds) parts.push(verbalizeCount(seconds, 'second'));
  return `${parts.join(' ')} ${DIRECTIONS[side]}`;
}

function verbalizeCount(written: string, name: string): string {
  return `${verbalizeQuantity(written)} ${isOne(written) ? name : `${name}s`}`;
}

/** "40C", "104F", "−30 F", but not "Apartment 4C" and "a 3.5 F". */
function verbalizeBareTemperature(
  [, degrees = '', gap, letter = '']: RegExpExecArray,
  place: MatchContext,
): string | undefined {
  const isNegative = /[-−–]$/.test(place.before);
  if (
    PLACE_BEFORE.test(place.before) ||
    degrees + letter === '13F' ||
    /^\s(?:shows?|showed|filings?|forms?|disclosures?)(?!\p{L})/u.test(place.after)
  )
    return undefined;
  const isWarmth =
    (/\b(?:at|to|of|about|around)\s$/.test(place.before) && Number(degrees) >= 100 && Number(degrees) <= 550) ||
    (/\b(?:hit|hits|reach(?:ed|es)?|topp(?:ed|ing)|exceed(?:ed|s)?|near|nearly|record|high of|low of)\s$/.test(
      place.before,
    ) &&
      Number(degrees) < 140) ||
    // Of an oven
    (letter === 'F' && /^(?:[234]\d[05]|500)$/.test(degrees)) ||
    (letter === 'F' && /\b(?:was|were|is|are)\s$/.test(place.before) && /^[,.;)]/.test(place.after)) ||
    /^\s\([-−–]?\d{1,3}(?:\.\d)?\s?[CF]\)/.test(place.after);
  if (gap && !isNegative && !isWarmth && !/\($/.test(place.before)) return undefined;
  return `${verbalizeQuantity(degrees)} ${isOne(degrees) ? 'degree' : 'degrees'} ${SCALES[letter]}`;
}

/** Units that are also words or letters, so that they must touch the number. */
const UNITS_WITHOUT_SPACE: ReadonlySet<string> = new Set(['l', 'L', 'V', 'W', 'cal', 'MP', 'ac']);
/** Units that are also words, so that a full stop must follow within the sentence. */
const UNITS_WITH_STOP: ReadonlySet<string> = new Set(['in']);
/** Units that with a full stop are another abbreviation: "340 pp." */
const UNITS_WITHOUT_STOP: ReadonlySet<string> = new Set(['pp']);
const QUANTITY = `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?`;
/** "3.1M bbl", "24.9bn km" */
const SHORT_SCALES = parseTable(
  'K, k = thousand; M, m, mn, mln = million; B, bn, bln = billion; T, tn, trn = trillion',
);
const SCALE = `(?:\\s(thousand|million|billion|trillion|quadrillion)|(${Object.keys(SHORT_SCALES).join('|')})(?=\\s(?!in\\s)\\p{L}))?`;
/** Units whose full stop after a hyphen is no sentence end: "an 85-in. TV". */
const HYPHENATED_STOP = '\\.(?<=\\d-(?:in|ft|oz|lb|yd|gal|mi|mo|wk|yr|hr|min|sec|qt|cal|ac|ct|pt|ton)\\.)';

/** Pattern of the denominator of a unit: "µg/m³", "mg/dL". */
const PER_UNIT = `(?:\\/(m³|m3|m²|m2|cm³|cm²|km²|km2|ha|kg|km|mL|ml|dL|L|l|s|second|sec|hour|hr|h|minute|min|day|d|yr|week|month|year|acre|ac|g|mol)(?![\\p{L}\\p{N}²³]))`;
const PER_UNIT_NAMES = parseTable(
  'second = second; minute = minute; hour = hour; s = second; h = hour; d = day; dL = deciliter; yr = year',
);

const RUNWAY_SIDES = parseTable('L = left; R = right; C = center');

/** Numbers with a unit or a percentage; lengths in feet and inches. */
export const measureRules: readonly NormalizationRule[] = [
  // "14st 3lb", "5.3 l/100km"
  rule(
    /(\d{1,2})\s?st\.?\s?(\d{1,2})\s?lbs?(?!\p{L})/u,
    ([, stone = '', pounds = '']) => `${verbalizeQuantity(stone)} stone ${verbalizeCount(pounds, 'pound')}`,
  ),
  rule(
    /(\d{1,2}(?:\.\d)?)\s?[lL]\/100\s?km(?!\p{L})/u,
    ([, written = '']) => `${verbalizeCount(written, 'liter')} per one hundred kilometers`,
  ),
  // "12' x 18'"
  rule(
    /(\d{1,3})['’′]\s?[x×]\s?(\d{1,3})['’′]/,
    ([, first = '', last = '']) => `${verbalizeQuantity(first)} feet by ${verbalizeQuantity(last)} feet`,
  ),
  // A gap in a race: 1'23", while inches are less than twelve
  rule(
    /(\d{1,2})['’′](1[2-9]|[2-5]\d)(?:["”″]|['’′]{2})/,
    ([, minutes = '', seconds = '']) => `${verbalizeCount(minutes, 'minute')} ${verbalizeCount(seconds, 'second')}`,
  ),
  rule(
    /(\d)['’′]\s?(\d{1,2})(?:["”″]|['’′]{2})?(?!\d)/,
    ([, feet = '', inches = '']) =>
      `${verbalizeQuantity(feet)} ${isOne(feet) ? 'foot' : 'feet'} ${verbalizeQuantity(inches)}`,
  ),
  // "Snow totals: Buffalo 14.2\", Erie 6-9\""
  rule(/(?:(\d{1,3})[-–])?(\d{1,3}(?:\.\d{1,2})?)["″](?=[,.;)]|\s(?:and|to|in)\s|$)/, ([, low, inches = ''], place) =>
    /\b(?:snow(?:ed|fall)?|rain(?:ed|fall)?|totals?|accumulations?|hail|ice)\b/i.test(place.before)
      ? `${low ? verbalizeQuantity(low, inches) : verbalizeQuantity(inches)} ${isOne(inches) ? 'inch' : 'inches'}`
      : undefined,
  ),
  // "crested at 37.5'"
  rule(
    /(\d{1,3}(?:\.\d)?)['’′](?=[,.;)]|\s(of|above|below|deep|high|tall|wide|long)(?!\p{L})|$)/u,
    ([, feet = '', kind = ''], place) =>
      /^(?:deep|high|tall|wide|long)$/.test(kind) ||
      (feet.includes('.') && /\b(?:to|at|of|about|least|nearly|over)\s$/i.test(place.before))
        ? `${verbalizeQuantity(feet)} feet`
        : undefined,
  ),
  // "Runway 27L"
  rule(/(\d{1,2})([LRC])(?![\p{L}\p{N}])/u, ([, digits = '', side = ''], place) =>
    /\brunways?\s$/i.test(place.before) ? `${verbalizeCardinal(digits)} ${RUNWAY_SIDES[side]}` : undefined,
  ),
  // "14" of snow", "a 65" TV"
  rule(
    /(?:(\d{1,3})[-–])?(\d{1,3}(?:\.\d{1,2})?)(?:["″”]|'')(?=\s?[x×]|\s(?:are|is|expected|possible|fell|fall|likely|forecast|overnight|of|deep|wide|tall|high|long|thick|by)\b|(\s(?:(?:OLED|QLED|LED|LCD|HD|4K|flat)\s)?(?:floppy|floppies|discs?|disks?|vinyl|nails?|screws?|pipelines?|hoses?|heels?|tvs?|televisions?|screens?|monitors?|displays?|laptops?|tablets?|pipes?|rims|wheels|tires|pizzas?|subs?|blades?|guns?|barrels?|records?|singles?|skillets?|pans?)\b))/iu,
    ([, low, inches = '', thing]) =>
      `${low ? verbalizeQuantity(low, inches) : verbalizeQuantity(inches)} ${(isOne(inches) && !low) || thing ? 'inch' : 'inches'}`,
  ),
  rule(
    /(\d{1,3})\s?ft\.?,?\s?(\d{1,2})\s?in(?:\.|(?!\p{L}))/u,
    ([written, feet = '', inches = ''], place) =>
      `${verbalizeQuantity(feet)} ${isOne(feet) ? 'foot' : 'feet'} ${verbalizeQuantity(inches)} ${isOne(inches) ? 'inch' : 'inches'}${sentenceStop(written, place)}`,
  ),
  rule(
    new RegExp(
      `(\\d{1,6}(?:\\.\\d{1,2})?)\\s?[x×]\\s?(\\d{1,6}(?:\\.\\d{1,2})?)([\\s-]?)(${UNIT})(?![\\p{L}\\p{N}²³/])(?:${HYPHENATED_STOP})?`,
      'u',
    ),
    ([, first = '', last = '', joint, unit = ''], place) =>
      `${verbalizeQuantity(first)} by ${verbalizeQuantity(last)} ${verbalizeUnit(unit, joint === '-' || isAttribute(place))}`,
  ),
  // "a 2-y-o girl", "25yo"
  rule(/(\d{1,2})[\s-]?y-?o(?!\p{L})/u, ([, years = '']) => `${verbalizeQuantity(years)}-year-old`),
  // "a 7.5m-strong waiting list"
  rule(
    new RegExp(`(${NUMBER})m(?=-(?:strong|plus|odd)(?!\\p{L}))`, 'u'),
    ([, written = '']) => `${verbalizeNumber(written)} million`,
  ),
  // "a 16st prop", but "the 21st"
  rule(/(1?[02-9])st(?![\p{L}\p{N}])/u, ([, stones = '']) => `${verbalizeQuantity(stones)} stone`),
  // "a book of 432pp"
  rule(/(\d{2,4})pp(?!\p{L})/u, ([, pages = '']) =>
    Number(pages) >= 30 ? `${verbalizeQuantity(pages)} pages` : undefined,
  ),
  // "ran 9.58 s"
  rule(/(\d{1,3}\.\d{1,3}) s(?![\p{L}\p{N}'’]|\.\p{L})/u, ([, seconds = ''], place) =>
    /\p{Sc}$/u.test(place.before) ? undefined : `${verbalizeQuantity(seconds)} seconds`,
  ),
  rule(
    new RegExp(`(${NUMBER})\\s?%${RANGE_DASH}(${NUMBER})\\s?%`, 'u'),
    ([, first = '', last = '']) => `${verbalizeQuantity(first, last)} percent`,
  ),
  rule(
    new RegExp(`${QUANTITY}\\s?(?:%|per cent(?!\\p{L}))`, 'u'),
    ([, first = '', last]) => `${verbalizeQuantity(first, last)} percent`,
  ),
  rule(
    new RegExp(`(${NUMBER})\\/(${UNIT})(?![\\p{L}\\p{N}/])`, 'u'),
    ([, first = '', unit = '']) => `${verbalizeQuantity(first)} per ${verbalizeUnit(unit, true)}`,
  ),
  rule(
    new RegExp(`(${NUMBER})(${POWER})\\s(${UNIT}|s)(?![\\p{L}\\p{N}/²³])`, 'u'),
    ([, first = '', power = '', unit = '']) =>
      `${verbalizeNumber(first)} ${verbalizePower(power)} ${unit === 's' ? 'seconds' : verbalizeUnit(unit, false)}`,
  ),
  rule(
    new RegExp(
      `${QUANTITY}${SCALE}([\\s-]?)(${UNIT})(?:${PER_UNIT}?${PER_UNIT}?(?![\\p{L}\\p{N}²³]|/(?!100))(\\.(?=\\s(?:[\\p{Ll}\\d(&]|[NSEW]{1,3}\\sof)|[),;]|["'”’)\\]\\s]*$)|${HYPHENATED_STOP})?|(?=\\.))`,
      'u',
    ),
    verbalizeMeasure,
  ),
];

/** "90+ min. late", "110+ km" */
export const openUnitRule = rule(
  new RegExp(`(${UNIT})(?![\\p{L}\\p{N}/²³])(?:\\.(?=\\s[\\p{Ll}(&]|[),;]))?`, 'u'),
  ([, unit = ''], place) => (/\d\+\s?$/.test(place.before) ? verbalizeUnit(unit, false) : undefined),
);

/** "½ tsp. salt", "¾ mi" */
/** "1/4in" */
export const slashedFractionUnitRule = rule(
  new RegExp(
    `(1/2|1/4|3/4|1/3|2/3|1/8)(?:\\s(?!in\\s))?(${UNIT})(?![\\p{L}\\p{N}²³/])(?:\\.(?=\\s[\\p{Ll}(&]|[),;]))?`,
    'u',
  ),
  ([, fraction = '', unit = ''], { after }) =>
    // A formula: "1/2 m v^2"
    unit.length === 1 && /^\s[b-z](?!\p{L})/iu.test(after)
      ? undefined
      : `${FRACTIONS[fraction]} ${verbalizeUnit(unit, true)}`,
);
export const fractionUnitRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`([½¼¾⅓⅔⅛])\\s?(${UNIT})(?![\\p{L}\\p{N}²³/])(?:\\.(?=\\s[\\p{Ll}(&]|[),;]))?`, 'u'),
    ([, sign = '', unit = ''], place) =>
      /\d\s?$/.test(place.before) ? undefined : `${FRACTIONS[sign]} ${verbalizeUnit(unit, true)}`,
  ),
];
const FRACTIONS = parseTable(
  '½, 1/2 = half a; ¼, 1/4 = a quarter; ¾, 3/4 = three quarters of a; ⅓, 1/3 = a third of a; ⅔, 2/3 = two thirds of a; ⅛, 1/8 = an eighth of a',
);

/** "at 35 W", but "35 W. 4th St." */
function isPower(unit: string, { before, after }: MatchContext): boolean {
  return (
    /^[VW]$/.test(unit) &&
    /\b(?:at|of|to|than|about|draws?|uses?|using|consumes?|just|only|rated)\s$/.test(before) &&
    /^(?:[,;)]|\.?$|\.\s\p{Lu}\p{Ll}{2}|\s\p{Ll})/u.test(after)
  );
}

const POPULATION_BEFORE = /\bpop(?:ulation|\.)?\s(?:of\s)?$/i;

function verbalizeMeasure(
  [written, first = '', last, name, letters = '', joint = '', unit = '', by, next, stop]: RegExpExecArray,
  place: MatchContext,
): string | undefined {
  const scale = name ?? SHORT_SCALES[letters];
  // "a 2-L bottle", "a 9-V battery"
  const isCompound = joint === '-' && /^(?:[LVW]|MP|ac)$/.test(unit) && /^\s\p{Ll}/u.test(place.after);
  if (joint !== '' && UNITS_WITHOUT_SPACE.has(unit) && !isCompound && !by && !isPower(unit, place)) return undefined;
  if (UNITS_WITH_STOP.has(unit) && !stop) return undefined;
  if (UNITS_WITHOUT_STOP.has(unit) && !first.includes('.') && (stop || place.after.startsWith('.'))) return undefined;
  // "Route 9W"
  if (joint === '' && UNITS_WITHOUT_SPACE.has(unit) && PLACE_BEFORE.test(place.before)) return undefined;
  // "10 t-shirts"
  if (unit === 't' && place.after.startsWith('-')) return undefined;
  // "5W-30" is an oil.
  if (UNITS_WITHOUT_SPACE.has(unit) && /^-\d/.test(place.after)) return undefined;
  if (
    unit === 'm' &&
    joint === '' &&
    (/^\s(?:bpd|b\/d|boe|bushels|oz|ounces|tonnes|tons|shares|units)(?!\p{L})/u.test(place.after) ||
      isCounting(place) ||
      POPULATION_BEFORE.test(place.before))
  )
    return undefined;
  const isSingle =
    (isOne(first) && !last && !scale) || joint === '-' || isAttribute(place) || /^-?\s?old\b/.test(place.after);
  const per = [by, next]
    .map((name) => (name ? ` per ${PER_UNIT_NAMES[name] ?? verbalizeUnit(name, true)}` : ''))
    .join('');
  const number = verbalizeQuantity(first, last) + (scale ? ` ${scale}` : '');
  return `${number} ${verbalizeUnit(unit, isSingle)}${per}${sentenceStop(written, place)}`;
}
