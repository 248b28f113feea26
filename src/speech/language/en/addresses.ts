import { after, before, type Place, type Reader, reader, sentenceStop } from '../reader.ts';
import { spellDigits } from './cardinals.ts';
import { AMBIGUOUS_STATES, POSTAL_STATES, SHORTENED_STATES } from './states.ts';
import { pairs } from './years.ts';

const STREETS: Readonly<Record<string, string>> = {
  Ave: 'Avenue',
  Blvd: 'Boulevard',
  Rd: 'Road',
  Ln: 'Lane',
  Ct: 'Court',
  Hwy: 'Highway',
  Pkwy: 'Parkway',
  Expy: 'Expressway',
  Pl: 'Place',
  Sq: 'Square',
};
const DIRECTIONS: Readonly<Record<string, string>> = {
  N: 'North',
  S: 'South',
  E: 'East',
  W: 'West',
};
const QUARTERS: Readonly<Record<string, string>> = {
  NW: 'Northwest',
  NE: 'Northeast',
  SW: 'Southwest',
  SE: 'Southeast',
};
const PARTIES: Readonly<Record<string, string>> = {
  R: 'Republican',
  D: 'Democrat',
  I: 'Independent',
};
const STATE_NAMES: ReadonlySet<string> = new Set(Object.values(POSTAL_STATES));
const AFTER_A_TOWN = /\p{Lu}[\p{L}.'’-]{0,20},\s$/u;
const AFTER_A_PREPOSITION = /\b(?:across|from|in|near|of|throughout)\s$/i;
const AFTER_A_STREET =
  /\b(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Dr|Drive|Ln|Lane|Ct|Court|Pl|Place|Way|Sq|Square)\.?,?\s$/;

const STREET_NAME = String.raw`(?:[NSEW]\.?\s)?(?:\p{Lu}[\p{L}'’-]{0,20}\s|\d{1,3}(?:st|nd|rd|th)\s){1,3}`;
const STREET_WORD = String.raw`(?:[Ss]t|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Dr|Drive|Ln|Lane|Ct|Court|Way|Hwy|Highway|Pkwy|Parkway|Expy|Pl|Place)(?![\p{L}\p{N}])`;

/** House numbers: "1428 Elm St." */
export const houseNumberReaders: readonly Reader[] = [
  reader(
    new RegExp(`(\\d{1,5})\\s([NSEW])\\.?\\s(?=${STREET_NAME}${STREET_WORD})`, 'u'),
    ([, digits = '', direction = '']) => `${pairs(digits)} ${DIRECTIONS[direction]} `,
  ),
  reader(new RegExp(`(\\d{1,5})(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'), ([, digits = '']) =>
    pairs(digits),
  ),
];

/** "R-Ky.", "D-NY", "I-Vt.": the party and state of a politician, after the name. */
export const partyReaders: readonly Reader[] = [
  reader(
    /([RDI])[-–](\p{Lu}(?:\.?\p{Lu}?\p{Ll}{0,12}))(\.?)(?![\p{L}\p{N}])/u,
    ([written, party = '', state = ''], place) => {
      if (!/(?:,\s|\()$/.test(before(place))) return undefined;
      const name = stateName(state);
      return name && `${PARTIES[party]} of ${name}${sentenceStop(written, place)}`;
    },
  ),
];

/** States before a ZIP code or after a town, and abbreviated street words. */
export const placeReaders: readonly Reader[] = [
  reader(/([A-Z]{2})\s(\d{5})(?:-(\d{4}))?(?!\d)/, ([, state = '', zip = '', more]) => {
    const name = POSTAL_STATES[state];
    return name && `${name} ${spellDigits(zip)}${more ? `, ${spellDigits(more)}` : ''}`;
  }),
  reader(/([A-Z]{2})(?![\p{L}\p{N}])/u, ([, state = ''], { text, at }) =>
    /\p{Lu}[\p{L}.'’-]{1,20},\s$/u.test(text.slice(Math.max(0, at - 30), at))
      ? POSTAL_STATES[state]
      : undefined,
  ),
  reader(
    /((?:W\.)?\p{Lu}\p{Ll}{1,4}|[NRS]\.[CDHIJMY])\.(?![\p{L}\p{N}])/u,
    ([written, state = ''], place) => {
      const name = SHORTENED_STATES[state] ?? (isPlaceHere(place) && AMBIGUOUS_STATES[state]);
      return name ? name + sentenceStop(written, place) : undefined;
    },
  ),
  reader(/(NW|NE|SW|SE)(?![\p{L}\p{N}])/u, ([, quarter = ''], place) =>
    AFTER_A_STREET.test(before(place)) || /^\sof(?!\p{L})/u.test(after(place))
      ? QUARTERS[quarter]
      : undefined,
  ),
  // "the 1900 block of E. Main St."
  reader(
    new RegExp(`([NSEW])\\.?(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'),
    ([, direction = '']) => DIRECTIONS[direction],
  ),
  // "N Korea", as headlines shorten it
  reader(
    /([NSEW])\.?(?=\s(?:Korea|Ireland|Africa|Sudan|Carolina|Dakota|Virginia|Germany|Timor|Jerusalem)(?:n|ns)?(?!\p{L}))/u,
    ([, direction = '']) => DIRECTIONS[direction],
  ),
  reader(
    /(Ave|Blvd|Rd|Ln|Ct|Hwy|Pkwy|Expy|Pl|Sq)(?![\p{L}\p{N}.])/u,
    ([, word = ''], { text, at }) =>
      /(?:\p{Lu}[\p{L}'’-]{0,20}|\d(?:st|nd|rd|th))\s$/u.test(text.slice(Math.max(0, at - 30), at))
        ? STREETS[word]
        : undefined,
  ),
  reader(/st(?=[\s.,]|$)/, (_match, { text, at }) =>
    /\d(?:st|nd|rd|th)\s$/.test(text.slice(Math.max(0, at - 5), at)) ? 'Street' : undefined,
  ),
];

function stateName(written: string): string | undefined {
  if (STATE_NAMES.has(written)) return written;
  return SHORTENED_STATES[written] ?? AMBIGUOUS_STATES[written] ?? POSTAL_STATES[written];
}

/** "Salem, Ore.", "in N.J.", but "Mass." and "Miss." by themselves are no states. */
function isPlaceHere(place: Place): boolean {
  const textBefore = before(place);
  return (
    AFTER_A_TOWN.test(textBefore) ||
    (place.text.charAt(place.at + 1) === '.' && AFTER_A_PREPOSITION.test(textBefore))
  );
}
