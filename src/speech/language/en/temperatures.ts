import { before, type Place, type Reader, reader } from '../reader.ts';
import { isOne, NUMBER, PLACE_BEFORE, quantityWords, RANGE_DASH } from './quantities.ts';

/** Degrees: of the globe, "40°42′N", and of heat, "20–25°C", "40C". */
export const temperatureReaders: readonly Reader[] = [
  reader(
    /(\d{1,3}(?:\.\d{1,6})?)°\s?(?:(\d{1,2}(?:\.\d{1,4})?)[′'’]\s?)?(?:(\d{1,2}(?:\.\d{1,3})?)[″"”]\s?)?([NSEW])(?![\p{L}\p{N}])/u,
    readCoordinate,
  ),
  reader(
    new RegExp(
      `(${NUMBER})°?${RANGE_DASH}?(${NUMBER})?\\s?(?:°|º|℃|℉)(?:\\s?([CFK])(?![\\p{L}\\p{N}]))?`,
      'u',
    ),
    readTemperature,
  ),
  reader(
    /(\d{1,4}(?:\.\d{1,2})?)(\s?)([CF])(?![\p{L}\p{N}-]|\s\p{Lu}|\.\p{L})/u,
    readBareTemperature,
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

const DIRECTIONS: Readonly<Record<string, string>> = {
  N: 'north',
  S: 'south',
  E: 'east',
  W: 'west',
};

/** "40°42′46″N" → "forty degrees forty-two minutes forty-six seconds north" */
function readCoordinate([, degrees = '', minutes, seconds, side = '']: RegExpExecArray): string {
  const parts = [counted(degrees, 'degree')];
  if (minutes) parts.push(counted(minutes, 'minute'));
  if (seconds) parts.push(counted(seconds, 'second'));
  return `${parts.join(' ')} ${DIRECTIONS[side]}`;
}

function counted(written: string, name: string): string {
  return `${quantityWords(written)} ${isOne(written) ? name : `${name}s`}`;
}

/** "40C", "104F", "−30 F"; but "Apartment 4C" and "a 3.5 F" as they stand. */
function readBareTemperature(
  [, degrees = '', gap, letter = '']: RegExpExecArray,
  place: Place,
): string | undefined {
  const isNegative = /[-−–]$/.test(before(place));
  if (PLACE_BEFORE.test(before(place))) return undefined;
  if (gap && !isNegative && !/\($/.test(before(place))) return undefined;
  return `${quantityWords(degrees)} ${isOne(degrees) ? 'degree' : 'degrees'} ${SCALES[letter]}`;
}
