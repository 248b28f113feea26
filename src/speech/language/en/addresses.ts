import { type Reader, reader } from '../reader.ts';
import { spellDigits } from './cardinals.ts';
import { pairs } from './years.ts';

const STATES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,FL Florida,' +
    'GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,' +
    'MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,' +
    'NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,' +
    'OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,' +
    'UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,DC D.C'
  )
    .split(',')
    .map((entry) => [entry.slice(0, 2), entry.slice(3)]),
);
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

/** States before a ZIP code or after a town, and abbreviated street words. */
export const placeReaders: readonly Reader[] = [
  reader(/([A-Z]{2})\s(\d{5})(?:-(\d{4}))?(?!\d)/, ([, state = '', zip = '', more]) => {
    const name = STATES[state];
    return name && `${name} ${spellDigits(zip)}${more ? `, ${spellDigits(more)}` : ''}`;
  }),
  reader(/([A-Z]{2})(?![\p{L}\p{N}])/u, ([, state = ''], { text, at }) =>
    /\p{Lu}[\p{L}.'’-]{1,20},\s$/u.test(text.slice(Math.max(0, at - 30), at))
      ? STATES[state]
      : undefined,
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
