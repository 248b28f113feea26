import { after, type Place, type Reader, reader, sentenceStop } from '../reader.ts';
import { isAttribute, isCounting, isOne, NUMBER, quantityWords, RANGE_DASH } from './quantities.ts';
import { UNIT, unitWords } from './units.ts';

/** Units that are words or letters too, and so must touch their number. */
const TOUCHING: ReadonlySet<string> = new Set(['l', 'L', 'V', 'W', 'cal']);
/** Words that must be followed by the full stop of an abbreviation, inside a sentence. */
const NEEDS_STOP: ReadonlySet<string> = new Set(['in']);
const QUANTITY = `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?`;

/** What a unit is measured by: "µg/m³", "mg/dL". */
const BY = `(?:\\/(m³|m3|km²|km2|ha|kg|mL|ml|dL|L|l|s|sec|hr|h|min|day|d)(?![\\p{L}\\p{N}²³]))?`;
const BY_NAMES: Readonly<Record<string, string>> = {
  s: 'second',
  h: 'hour',
  d: 'day',
  day: 'day',
  dL: 'deciliter',
};

/** Numbers with a unit or a percentage; the length of a body in feet and inches. */
export const measureReaders: readonly Reader[] = [
  reader(
    /(\d)['’′]\s?(\d{1,2})(?:["”″]|['’′]{2})?(?!\d)/,
    ([, feet = '', inches = '']) =>
      `${quantityWords(feet)} ${isOne(feet) ? 'foot' : 'feet'} ${quantityWords(inches)}`,
  ),
  reader(
    /(\d{1,3})\s?ft\.?,?\s?(\d{1,2})\s?in(?:\.|(?!\p{L}))/u,
    ([written, feet = '', inches = ''], place) =>
      `${quantityWords(feet)} ${isOne(feet) ? 'foot' : 'feet'} ${quantityWords(inches)} ${isOne(inches) ? 'inch' : 'inches'}${sentenceStop(written, place)}`,
  ),
  reader(
    new RegExp(`(\\d{1,6})\\s?[x×]\\s?(\\d{1,6})\\s?(${UNIT})(?![\\p{L}\\p{N}²³/])`, 'u'),
    ([, first = '', last = '', unit = ''], place) =>
      `${quantityWords(first)} by ${quantityWords(last)} ${unitWords(unit, isAttribute(place))}`,
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
      `${QUANTITY}([\\s-]?)(${UNIT})(?:${BY}(?![\\p{L}\\p{N}²³/])(\\.(?=\\s[\\p{Ll}(&]|[),;]))?|(?=\\.))`,
      'u',
    ),
    readMeasure,
  ),
];

function readMeasure(
  [, first = '', last, joint = '', unit = '', by, stop]: RegExpExecArray,
  place: Place,
): string | undefined {
  if (joint !== '' && TOUCHING.has(unit)) return undefined;
  if (NEEDS_STOP.has(unit) && !stop) return undefined;
  // "5W-30" is an oil.
  if (TOUCHING.has(unit) && /^-\d/.test(after(place))) return undefined;
  if (unit === 'm' && joint === '' && isCounting(place)) return undefined;
  const isSingle = (isOne(first) && !last) || joint === '-' || isAttribute(place);
  const per = by ? ` per ${BY_NAMES[by] ?? unitWords(by, true)}` : '';
  return `${quantityWords(first, last)} ${unitWords(unit, isSingle)}${per}`;
}
