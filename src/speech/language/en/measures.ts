import { type Place, type Reader, reader } from '../reader.ts';
import { isAttribute, isOne, NUMBER, quantityWords, RANGE_DASH } from './quantities.ts';

/** Abbreviation → one of the unit; more of it has an s on the first word, or what stands after the bar. */
const UNITS: Readonly<Record<string, string>> = {
  km: 'kilometer',
  m: 'meter',
  cm: 'centimeter',
  mm: 'millimeter',
  nm: 'nanometer',
  kg: 'kilogram',
  g: 'gram',
  mg: 'milligram',
  lb: 'pound',
  lbs: 'pound',
  oz: 'ounce',
  mi: 'mile',
  ft: 'foot|feet',
  yd: 'yard',
  yds: 'yard',
  mph: 'mile per hour|miles per hour',
  kph: 'kilometer per hour|kilometers per hour',
  'km/h': 'kilometer per hour|kilometers per hour',
  'm/s': 'meter per second|meters per second',
  kmh: 'kilometer per hour|kilometers per hour',
  mpg: 'mile per gallon|miles per gallon',
  'sq ft': 'square foot|square feet',
  'sq. ft.': 'square foot|square feet',
  'sq mi': 'square mile',
  'sq km': 'square kilometer',
  'sq m': 'square meter',
  'km²': 'square kilometer',
  km2: 'square kilometer',
  'm²': 'square meter',
  m2: 'square meter',
  'm³': 'cubic meter',
  m3: 'cubic meter',
  'km³': 'cubic kilometer',
  ha: 'hectare',
  l: 'liter',
  L: 'liter',
  ml: 'milliliter',
  mL: 'milliliter',
  kB: 'kilobyte',
  KB: 'kilobyte',
  MB: 'megabyte',
  GB: 'gigabyte',
  TB: 'terabyte',
  Mbps: 'megabit per second|megabits per second',
  mbps: 'megabit per second|megabits per second',
  Gbps: 'gigabit per second|gigabits per second',
  Hz: 'hertz|hertz',
  kHz: 'kilohertz|kilohertz',
  MHz: 'megahertz|megahertz',
  GHz: 'gigahertz|gigahertz',
  kW: 'kilowatt',
  MW: 'megawatt',
  GW: 'gigawatt',
  kWh: 'kilowatt hour|kilowatt hours',
  MWh: 'megawatt hour|megawatt hours',
  GWh: 'gigawatt hour|gigawatt hours',
  hp: 'horsepower|horsepower',
  dB: 'decibel',
  rpm: 'R.P.M|R.P.M',
  psi: 'P.S.I|P.S.I',
  bpd: 'barrel per day|barrels per day',
  hr: 'hour',
  hrs: 'hour',
  min: 'minute',
  mins: 'minute',
  sec: 'second',
  secs: 'second',
  ms: 'millisecond',
  cc: 'C.C|C.C',
  pct: 'percent|percent',
  ppm: 'part per million|parts per million',
};
/** Units that are words or letters too, and so must touch their number. */
const TOUCHING: ReadonlySet<string> = new Set([
  'm',
  'g',
  'l',
  'L',
  'ms',
  'cc',
  'ha',
  'm2',
  'm3',
  'mi',
]);
const UNIT = Object.keys(UNITS)
  .sort((one, other) => other.length - one.length)
  .map((unit) => unit.replace(/[.]/g, '\\.'))
  .join('|');
const QUANTITY = `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?`;

/** Numbers with a unit, a percentage or a temperature; the length of a body in feet and inches. */
export const measureReaders: readonly Reader[] = [
  reader(
    /(\d)['’′]\s?(\d{1,2})(?:["”″]|['’′]{2})?(?!\d)/,
    ([, feet = '', inches = '']) =>
      `${quantityWords(feet)} ${isOne(feet) ? 'foot' : 'feet'} ${quantityWords(inches)}`,
  ),
  reader(
    new RegExp(`(${NUMBER})\\s?%${RANGE_DASH}(${NUMBER})\\s?%`, 'u'),
    ([, first = '', last = '']) => `${quantityWords(first, last)} percent`,
  ),
  reader(
    new RegExp(`${QUANTITY}\\s?(?:%|per cent(?!\\p{L}))`, 'u'),
    ([, first = '', last]) => `${quantityWords(first, last)} percent`,
  ),
  reader(
    new RegExp(`(${NUMBER})\\/(${UNIT})(?![\\p{L}\\p{N}/])`, 'u'),
    ([, first = '', unit = '']) => `${quantityWords(first)} per ${unitWords(unit, true)}`,
  ),
  reader(
    new RegExp(
      `(${NUMBER})°?${RANGE_DASH}?(${NUMBER})?\\s?(?:°|º|℃|℉)(?:\\s?([CFK])(?![\\p{L}\\p{N}]))?`,
      'u',
    ),
    readTemperature,
  ),
  reader(
    new RegExp(`${QUANTITY}([\\s-]?)(${UNIT})(?:(?![\\p{L}\\p{N}²³/])|(?=\\.))`, 'u'),
    readMeasure,
  ),
];

const SCALES: Readonly<Record<string, string>> = { C: 'Celsius', F: 'Fahrenheit', K: 'Kelvin' };

function readTemperature([written, first = '', last, letter]: RegExpExecArray): string {
  const scale =
    SCALES[letter ?? ''] ??
    (written.includes('℃') ? 'Celsius' : written.includes('℉') ? 'Fahrenheit' : '');
  const degrees = isOne(first) && !last ? 'degree' : 'degrees';
  return `${quantityWords(first, last)} ${degrees} ${scale}`.trim();
}

function readMeasure(
  [, first = '', last, joint = '', unit = '']: RegExpExecArray,
  place: Place,
): string | undefined {
  if (joint !== '' && TOUCHING.has(unit)) return undefined;
  const isSingle = (isOne(first) && !last) || joint === '-' || isAttribute(place);
  return `${quantityWords(first, last)} ${unitWords(unit, isSingle)}`;
}

function unitWords(unit: string, isSingle: boolean): string {
  const [one = unit, many = `${one}s`] = UNITS[unit]?.split('|') ?? [];
  return isSingle ? one : many;
}
