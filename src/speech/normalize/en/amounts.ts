import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseTable,
  rule,
  sentenceStop,
  wordSet,
} from '../language.ts';
import {
  isAttribute,
  isCounting,
  isOne,
  NUMBER,
  PLACE_BEFORE,
  POWER,
  RANGE_DASH,
  UNIT,
  verbalizeAddedFraction,
  verbalizeCardinal,
  verbalizeFraction,
  verbalizeNumber,
  verbalizePower,
  verbalizeQuantity,
  verbalizeUnit,
} from './cardinals.ts';
import tables from './tables.txt' with { type: 'text' };

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
    (degrees + letter === '14C' && /^\s(?:dat|age|level|content|method|test|and\s\d{2,3}Pb)/.test(place.after)) ||
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
    // A fever
    (letter === 'F' && /^(?:9[6-9]|10[0-7])\.\d$/.test(degrees)) ||
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
const SHORT_SCALES = parseTable(findTable(tables, 'short scales'));
const SCALE = `(?:\\s(thousand|million|billion|trillion|quadrillion)|(${Object.keys(SHORT_SCALES).join('|')})(?=\\s(?!in\\s)\\p{L}))?`;
/** Units whose full stop after a hyphen is no sentence end: "an 85-in. TV". */
const HYPHENATED_STOP = '\\.(?<=\\d-(?:in|ft|oz|lb|yd|gal|mi|mo|wk|yr|hr|min|sec|qt|cal|ac|ct|pt|ton)\\.)';

/** Pattern of the denominator of a unit: "µg/m³", "mg/dL". */
const PER_UNIT = `(?:\\/(m³|m3|m²|m2|cm³|cm²|km²|km2|ha|kg|km|mL|ml|dL|L|l|s|second|sec|hour|hr|h|minute|min|day|d|yr|week|month|year|acre|ac|g|mol)(?![\\p{L}\\p{N}²³]))`;
const PER_UNIT_NAMES = parseTable(findTable(tables, 'per unit names'));

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
  // "20x14x9 in."
  rule(
    /(\d{1,4}(?:\.\d{1,2})?)\s?[x×]\s?(?=\d{1,4}(?:\.\d{1,2})?\s?[x×]\s?\d)/,
    ([, written = '']) => `${verbalizeQuantity(written)} by `,
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
    /(\d|[1-9]\d(?=['’′]\s?(?:\d|1[01])["”″]))['’′]\s?(\d{1,2})(?:["”″]|['’′]{2})?(?!\d)/,
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
    /\b(?:runways?|rwy\.?)\s$/i.test(place.before) ? `${verbalizeCardinal(digits)} ${RUNWAY_SIDES[side]}` : undefined,
  ),
  // "14" of snow", "a 65" TV"
  rule(
    /(?:(\d{1,3})[-–])?(\d{1,3}(?:\.\d{1,2})?)(?:["″”]|'')(?=\s?[x×]|\s(?:are|is|snow|rain|ice|hail|sleet|expected|possible|fell|fall|likely|forecast|overnight|of|deep|wide|tall|high|long|thick|by)\b|(\s(?:(?:OLED|QLED|LED|LCD|HD|[48]K|\d{2,3}\s?Hz|flat|Mini-LED)\s){0,4}(?:floppy|cubes?|pieces|slices|strips|squares|margins?|lengths|rounds|chunks|balls|floppies|discs?|disks?|vinyl|nails?|screws?|pipelines?|hoses?|heels?|tvs?|televisions?|screens?|phones?|smartphones?|tablets?|monitors?|displays?|laptops?|tablets?|pipes?|rims|wheels|tires|pizzas?|subs?|blades?|guns?|barrels?|records?|singles?|skillets?|pans?)\b))/iu,
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
      `(\\d{1,6}(?:\\.\\d{1,2})?)\\s?[x×]\\s?(\\d{1,6}(?:\\.\\d{1,2})?)([\\s-]?)(${UNIT})(?![\\p{L}\\p{N}²³/])(?:${HYPHENATED_STOP}|\\.(?=\\s[\\p{Ll}(&]|[,;)]))?`,
      'u',
    ),
    ([, first = '', last = '', joint, unit = ''], place) =>
      `${verbalizeQuantity(first)} by ${verbalizeQuantity(last)} ${verbalizeUnit(unit, joint === '-' || isAttribute(place))}`,
  ),
  // ".22-cal. rifle", "12-ga. shotgun"
  rule(
    /(\d{2})-(cal|ga)\.?(?=\s\p{L})/u,
    ([, size = '', unit]) => `${verbalizeCardinal(size)}-${unit === 'ga' ? 'gauge' : 'caliber'}`,
  ),
  // "a 2-y-o girl", "25yo"
  rule(/(\d{1,2})[\s-]?y-?o(?!\p{L})/u, ([, years = '']) => `${verbalizeQuantity(years)}-year-old`),
  // "2 1/2 tsp. salt", "3½ lb", "a 1 1/2-in. nail"
  rule(
    new RegExp(
      `(\\d{1,4})(?:[ -](\\d{1,2})[/⁄](\\d{1,2})|\\s?([½¼¾⅓⅔⅛⅜⅝⅞]))([\\s-]?)(${UNIT})(?![\\p{L}\\p{N}²³/])(\\.(?=\\s[\\p{Ll}(&]|[),;]|["'”’)\\]\\s]*$)|${HYPHENATED_STOP})?`,
      'u',
    ),
    ([written, whole = '', top, bottom, sign = '', joint, unit = '', stop], place) => {
      if (UNITS_WITHOUT_SPACE.has(unit) || (UNITS_WITH_STOP.has(unit) && !stop)) return undefined;
      const [one = '', other = ''] = top ? [top, bottom] : sign.normalize('NFKC').split('\u2044');
      const fraction = verbalizeAddedFraction(one, other);
      return `${verbalizeCardinal(whole)} and ${fraction} ${verbalizeUnit(unit, joint === '-' || isAttribute(place))}${sentenceStop(written, place)}`;
    },
  ),
  // "250 mg/5 ml"
  rule(
    new RegExp(`(${NUMBER})\\s?(${UNIT})\\/(${NUMBER})\\s?(${UNIT})(?![\\p{L}\\p{N}²³/])`, 'u'),
    ([, first = '', unit = '', last = '', other = '']) =>
      `${verbalizeQuantity(first)} ${verbalizeUnit(unit, isOne(first))}${areAlike(unit, other) ? ',' : ' per'} ${verbalizeQuantity(last)} ${verbalizeUnit(other, isOne(last))}`,
  ),
  // "4m-5m people", "100m-200m"
  rule(
    new RegExp(`(${NUMBER})(m|bn|B|M)${RANGE_DASH}(${NUMBER})\\2(?![\\p{L}\\p{N}])`, 'u'),
    ([, first = '', letter = '', last = ''], place) => {
      const name = letter === 'm' && !isCounting(place) ? 'meters' : SHORT_SCALES[letter];
      return `${verbalizeQuantity(first, last)} ${name}`;
    },
  ),
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
      `${QUANTITY}${SCALE}([\\s-]?)(${UNIT})(?:${PER_UNIT}?${PER_UNIT}?(?![\\p{L}\\p{N}²³]|/(?!\\d|[½¼¾⅓⅔]))(\\.(?=\\s(?:[\\p{Ll}\\d(&]|[NSEW]{1,3}\\sof)|[),;—]|/\\p{L}|["'”’)\\]\\s]*$)|${HYPHENATED_STOP})?|(?=\\.))`,
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
    `(1/2|1/4|3/4|1/3|2/3|1/8|[357]/8|\\d{1,2}/16)(?:(?:\\s(?!in\\s))?(${UNIT})(?![\\p{L}\\p{N}²³/])(?:\\.(?=\\s[\\p{Ll}(&]|[),;]))?|["″”](?=\\s\\p{Ll}|[,.;)]))`,
    'u',
  ),
  ([, fraction = '', unit = 'in'], { before, after }) =>
    // A formula: "1/2 m v^2"; a quotation
    (unit.length === 1 && /^\s[b-z](?!\p{L})/iu.test(after)) || /["“]$/.test(before)
      ? undefined
      : `${FRACTIONS[fraction] ?? verbalizeFraction(...splitFraction(fraction))} ${verbalizeUnit(unit, true)}`,
);

function splitFraction(fraction: string): [string, string] {
  const [top = '', bottom = ''] = fraction.split('/');
  return [top, bottom];
}
export const fractionUnitRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`([½¼¾⅓⅔⅛])\\s?(${UNIT})(?![\\p{L}\\p{N}²³/])(?:\\.(?=\\s[\\p{Ll}(&]|[),;]))?`, 'u'),
    ([, sign = '', unit = ''], place) =>
      /\d\s?$/.test(place.before) ? undefined : `${FRACTIONS[sign]} ${verbalizeUnit(unit, true)}`,
  ),
];
const FRACTIONS = parseTable(findTable(tables, 'fractions'));

/** Of one kind, such as speeds: "70 mph/113 km/h". */
const areAlike = (one: string, other: string) => KINDS.some((kind) => kind.has(one) && kind.has(other));
const KINDS = [
  'mph km/h kph kmh kmph kt kts',
  'in ft yd mi mm cm m km',
  'oz lb lbs kg kgs g',
  'ha acre ac',
  'hp kW bhp',
  'KB MB GB TB',
].map(wordSet);

/** "at 35 W", but "35 W. 4th St."; "2 L of fluid" */
function isMeasure(unit: string, { before, after }: MatchContext): boolean {
  return (
    (unit === 'V' ||
      (unit === 'L' && !PLACE_BEFORE.test(before) && !/\b(?:size|W|wins?),?\s$/i.test(before)) ||
      (unit === 'W' && /\b(?:at|of|to|than|about|draws?|uses?|using|consumes?|just|only|rated)\s$/.test(before))) &&
    /^(?:[,;)]|\.?$|\.\s\p{Lu}\p{Ll}{2}|\s\p{Ll})/u.test(after)
  );
}

/** "a 5.7L V8", "the 5.56mm NATO round" */
const MODEL_AFTER =
  /^\s(?:(?:chip|camera|sensor|charging|charger|battery|display|screen|version|SSD|drive|laser|motor|lens|relay|hurdles|final|dash|freestyle|butterfly|breaststroke|backstroke|medley|steeplechase|sprint|IM|A&E|bout|division|class|category)(?!\p{L})|V\d|I\d|W1[26]|[Tt]urbo|TDI|diesel|NATO|Luger|Parabellum|Glock|Beretta|EcoBoost|Hemi)(?!\p{Ll})/u;

const POPULATION_BEFORE = /\bpop(?:ulation|\.)?\s(?:of\s)?$/i;

function verbalizeMeasure(
  [written, first = '', last, name, letters = '', joint = '', unit = '', by, next, stop]: RegExpExecArray,
  place: MatchContext,
): string | undefined {
  const scale = name ?? SHORT_SCALES[letters];
  // "a 2-L bottle", "a 9-V battery"
  const isCompound = joint === '-' && /^(?:[LVW]|MP|ac)$/.test(unit) && /^\s\p{Ll}/u.test(place.after);
  if (
    joint !== '' &&
    UNITS_WITHOUT_SPACE.has(unit) &&
    !isCompound &&
    !by &&
    !isMeasure(unit, place) &&
    !(/^(?:ac|cal)$/.test(unit) && stop)
  )
    return undefined;
  if (UNITS_WITH_STOP.has(unit) && !stop) return undefined;
  // "340 pp." are pages, "down 3pp." is a share.
  const isPages = joint !== '' || Number(first) >= 30;
  if (UNITS_WITHOUT_STOP.has(unit) && isPages && !first.includes('.') && (stop || place.after.startsWith('.')))
    return undefined;
  // "Route 9W"
  if (joint === '' && UNITS_WITHOUT_SPACE.has(unit) && PLACE_BEFORE.test(place.before)) return undefined;
  // A standard: "802.11ac"
  if (unit === 'ac' && first === '802.11') return undefined;
  // "3 nm off the coast"
  const isNautical =
    unit === 'nm' &&
    /^\s(?:off|from|out|offshore|north|south|east|west|northeast|northwest|southeast|southwest)(?!\p{L})/u.test(
      place.after,
    );
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
    (isOne(first) && !last && !scale) ||
    joint === '-' ||
    isAttribute(place) ||
    /^-?\s?old\b/.test(place.after) ||
    MODEL_AFTER.test(place.after);
  const per = [by, next]
    .map((name) => (name ? ` per ${PER_UNIT_NAMES[name] ?? verbalizeUnit(name, true)}` : ''))
    .join('');
  const number = verbalizeQuantity(first, last) + (scale ? ` ${scale}` : '');
  // "6 pts of beer"
  const isPint =
    /^pts?$/.test(unit) &&
    /^\sof\s(?:beer|lager|bitter|stout|ale|cider|milk|cream|water|blood|stock)(?!\p{L})/u.test(place.after);
  if (isPint) return `${number} ${isSingle ? 'pint' : 'pints'}`;
  return `${number} ${verbalizeUnit(isNautical ? 'nmi' : unit, isSingle)}${per}${sentenceStop(written, place)}`;
}
