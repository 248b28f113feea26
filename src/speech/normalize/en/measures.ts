import {
  contextAfter,
  contextBefore,
  type MatchContext,
  type NormalizationRule,
  parseTable,
  rule,
  sentenceStop,
} from '../language.ts';
import { isAttribute, isCounting, isOne, NUMBER, PLACE_BEFORE, RANGE_DASH, verbalizeQuantity } from './cardinals.ts';

/** Abbreviation → one of the unit; more of it has an s on the first word, or what stands after the bar. */
const UNITS = parseTable(`
  km = kilometer; m = meter; cm = centimeter; in = inch|inches; µm = micrometer; μm = micrometer; mm = millimeter;
  nm = nanometer; kg = kilogram; g = gram; mg = milligram; µg = microgram; μg = microgram; mcg = microgram;
  lb = pound; lbs = pound; oz = ounce; mi = mile; ft = foot|feet; yd = yard; yds = yard;
  mph = mile per hour|miles per hour; kph = kilometer per hour|kilometers per hour;
  km/h = kilometer per hour|kilometers per hour; m/s = meter per second|meters per second;
  kmh = kilometer per hour|kilometers per hour; mpg = mile per gallon|miles per gallon;
  sq ft = square foot|square feet; sq. ft. = square foot|square feet; sq mi = square mile; sq km = square kilometer;
  sq m = square meter; km² = square kilometer; km2 = square kilometer; m² = square meter; m2 = square meter;
  m³ = cubic meter; ft² = square foot|square feet; ft³ = cubic foot|cubic feet; cm³ = cubic centimeter;
  m3 = cubic meter; km³ = cubic kilometer; ha = hectare; l = liter; L = liter; ml = milliliter; mL = milliliter;
  kB = kilobyte; KB = kilobyte; MB = megabyte; GB = gigabyte; TB = terabyte;
  Mbps = megabit per second|megabits per second; mbps = megabit per second|megabits per second;
  Gbps = gigabit per second|gigabits per second; Hz = hertz|hertz; kHz = kilohertz|kilohertz;
  MHz = megahertz|megahertz; GHz = gigahertz|gigahertz; kW = kilowatt; MW = megawatt; GW = gigawatt;
  kWh = kilowatt hour|kilowatt hours; MWh = megawatt hour|megawatt hours; GWh = gigawatt hour|gigawatt hours;
  hp = horsepower|horsepower; dB = decibel; rpm = R.P.M|R.P.M; psi = P.S.I|P.S.I;
  bpd = barrel per day|barrels per day; hr = hour; hrs = hour; min = minute; mins = minute; sec = second;
  secs = second; ms = millisecond; cc = C.C|C.C; pct = percent|percent; ppm = part per million|parts per million;
  cal = calorie; kcal = kilocalorie; kJ = kilojoule; V = volt; kV = kilovolt; W = watt; TW = terawatt;
  TWh = terawatt hour; Wh = watt hour; mAh = milliamp hour; kPa = kilopascal; hPa = hectopascal;
  mmHg = millimeter of mercury|millimeters of mercury; gal = gallon; qt = quart; pt = point; pts = point;
  tbsp = tablespoon; tsp = teaspoon; kt = kiloton; bpm = beat per minute|beats per minute;
  fps = frame per second|frames per second; ghz = gigahertz|gigahertz; mhz = megahertz|megahertz;
  khz = kilohertz|kilohertz; cm² = square centimeter; mm² = square millimeter; sqm = square meter;
  sqft = square foot|square feet; cu ft = cubic foot|cubic feet; cu m = cubic meter;
  bcm = billion cubic meters|billion cubic meters; ppb = part per billion|parts per billion;
  ppt = part per trillion|parts per trillion; ppg = point per game|points per game;
  rpg = rebound per game|rebounds per game
`);

/** Any unit, as a part of patterns: the longest first. */
const UNIT = Object.keys(UNITS)
  .sort((one, other) => other.length - one.length)
  .map((unit) => unit.replace(/[.]/g, '\\.'))
  .join('|');

/** A unit in words: "km" → "kilometer" or "kilometers". */
function verbalizeUnit(unit: string, isSingle: boolean): string {
  const [one = unit, many = `${one}s`] = UNITS[unit]?.split('|') ?? [];
  return isSingle ? one : many;
}

/** Degrees: of the globe, "40°42′N", and of heat, "20–25°C", "40C". */
export const temperatureRules: readonly NormalizationRule[] = [
  rule(
    /(\d{1,3}(?:\.\d{1,6})?)°\s?(?:(\d{1,2}(?:\.\d{1,4})?)[′'’]\s?)?(?:(\d{1,2}(?:\.\d{1,3})?)[″"”]\s?)?([NSEW])(?![\p{L}\p{N}])/u,
    verbalizeCoordinate,
  ),
  rule(
    new RegExp(`(${NUMBER})°?${RANGE_DASH}?(${NUMBER})?\\s?(?:°|º|℃|℉)(?:\\s?([CFK])(?![\\p{L}\\p{N}]))?`, 'u'),
    verbalizeTemperature,
  ),
  rule(/(\d{1,4}(?:\.\d{1,2})?)(\s?)([CF])(?![\p{L}\p{N}-]|\s\p{Lu}|\.\p{L})/u, verbalizeBareTemperature),
];

const SCALES: Readonly<Record<string, string>> = { C: 'Celsius', F: 'Fahrenheit', K: 'Kelvin' };

function verbalizeTemperature([written, first = '', last, letter]: RegExpExecArray): string {
  const scale = SCALES[letter ?? ''] ?? (written.includes('℃') ? 'Celsius' : written.includes('℉') ? 'Fahrenheit' : '');
  const degrees = isOne(first) && !last ? 'degree' : 'degrees';
  return `${verbalizeQuantity(first, last)} ${degrees} ${scale}`.trim();
}

const DIRECTIONS: Readonly<Record<string, string>> = {
  N: 'north',
  S: 'south',
  E: 'east',
  W: 'west',
};

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

/** "40C", "104F", "−30 F"; but "Apartment 4C" and "a 3.5 F" as they stand. */
function verbalizeBareTemperature(
  [, degrees = '', gap, letter = '']: RegExpExecArray,
  place: MatchContext,
): string | undefined {
  const isNegative = /[-−–]$/.test(contextBefore(place));
  if (PLACE_BEFORE.test(contextBefore(place))) return undefined;
  if (gap && !isNegative && !/\($/.test(contextBefore(place))) return undefined;
  return `${verbalizeQuantity(degrees)} ${isOne(degrees) ? 'degree' : 'degrees'} ${SCALES[letter]}`;
}

/** Units that are words or letters too, and so must touch their number. */
const UNITS_WITHOUT_SPACE: ReadonlySet<string> = new Set(['l', 'L', 'V', 'W', 'cal']);
/** Words that must be followed by the full stop of an abbreviation, inside a sentence. */
const UNITS_WITH_STOP: ReadonlySet<string> = new Set(['in']);
const QUANTITY = `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?`;

/** What a unit is measured by: "µg/m³", "mg/dL". */
const PER_UNIT = `(?:\\/(m³|m3|km²|km2|ha|kg|mL|ml|dL|L|l|s|sec|hr|h|min|day|d)(?![\\p{L}\\p{N}²³]))?`;
const PER_UNIT_NAMES = parseTable('s = second; h = hour; d = day; day = day; dL = deciliter');

/** Numbers with a unit or a percentage; the length of a body in feet and inches. */
export const measureRules: readonly NormalizationRule[] = [
  rule(
    /(\d)['’′]\s?(\d{1,2})(?:["”″]|['’′]{2})?(?!\d)/,
    ([, feet = '', inches = '']) =>
      `${verbalizeQuantity(feet)} ${isOne(feet) ? 'foot' : 'feet'} ${verbalizeQuantity(inches)}`,
  ),
  rule(
    /(\d{1,3})\s?ft\.?,?\s?(\d{1,2})\s?in(?:\.|(?!\p{L}))/u,
    ([written, feet = '', inches = ''], place) =>
      `${verbalizeQuantity(feet)} ${isOne(feet) ? 'foot' : 'feet'} ${verbalizeQuantity(inches)} ${isOne(inches) ? 'inch' : 'inches'}${sentenceStop(written, place)}`,
  ),
  rule(
    new RegExp(`(\\d{1,6})\\s?[x×]\\s?(\\d{1,6})\\s?(${UNIT})(?![\\p{L}\\p{N}²³/])`, 'u'),
    ([, first = '', last = '', unit = ''], place) =>
      `${verbalizeQuantity(first)} by ${verbalizeQuantity(last)} ${verbalizeUnit(unit, isAttribute(place))}`,
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
    new RegExp(
      `${QUANTITY}([\\s-]?)(${UNIT})(?:${PER_UNIT}(?![\\p{L}\\p{N}²³/])(\\.(?=\\s[\\p{Ll}(&]|[),;]))?|(?=\\.))`,
      'u',
    ),
    verbalizeMeasure,
  ),
];

function verbalizeMeasure(
  [, first = '', last, joint = '', unit = '', by, stop]: RegExpExecArray,
  place: MatchContext,
): string | undefined {
  if (joint !== '' && UNITS_WITHOUT_SPACE.has(unit)) return undefined;
  if (UNITS_WITH_STOP.has(unit) && !stop) return undefined;
  // "5W-30" is an oil.
  if (UNITS_WITHOUT_SPACE.has(unit) && /^-\d/.test(contextAfter(place))) return undefined;
  if (unit === 'm' && joint === '' && isCounting(place)) return undefined;
  const isSingle = (isOne(first) && !last) || joint === '-' || isAttribute(place);
  const per = by ? ` per ${PER_UNIT_NAMES[by] ?? verbalizeUnit(by, true)}` : '';
  return `${verbalizeQuantity(first, last)} ${verbalizeUnit(unit, isSingle)}${per}`;
}
