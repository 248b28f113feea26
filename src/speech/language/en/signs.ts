import { after, before, type Place, type Reader, reader } from '../reader.ts';
import { cardinal } from './cardinals.ts';

/** Signs that are said, each as a word of its own. */
const NAMES: Readonly<Record<string, string>> = {
  '&': 'and',
  '+': 'plus',
  '=': 'equals',
  '@': 'at',
  '%': 'percent',
  '‰': 'per mille',
  $: 'dollar',
  '€': 'euro',
  '£': 'pound',
  '¥': 'yen',
  '¢': 'cent',
  '°': 'degrees',
  '§': 'section',
  '¶': 'paragraph',
  '×': 'times',
  '÷': 'divided by',
  '±': 'plus or minus',
  '≈': 'about',
  '≤': 'at most',
  '≥': 'at least',
  '≠': 'is not',
  '<': 'less than',
  '>': 'greater than',
  '→': 'to',
  '⁄': 'slash',
  '№': 'number',
  '/': 'slash',
  '\\': 'backslash',
  '½': 'one half',
  '⅓': 'one third',
  '⅔': 'two thirds',
  '¼': 'one quarter',
  '¾': 'three quarters',
  '⅛': 'one eighth',
  '⅜': 'three eighths',
  '⅝': 'five eighths',
  '⅞': 'seven eighths',
};
const NAMED = new RegExp(
  `[${Object.keys(NAMES)
    .map((sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
    .join('')}]`,
  'u',
);

const DAY_OR_MONTH = String.raw`(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}|January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.)(?![\p{L}\p{N}])`;
const DAY_OR_MONTH_BEFORE =
  /\b(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|\p{Lu}[a-z]{2,5}day)\.?$/u;

/** Single signs, last of all readers that begin with a sign. */
export const signReaders: readonly Reader[] = [
  reader(/\s?[-–]\s?(?=noon|midnight)/i, (_match, place) =>
    /(?:\d|m\.?)$/i.test(before(place)) ? ' to ' : undefined,
  ),
  reader(/\s?[-–]\s?(?=\d)/, (_match, place) =>
    /\b(?:noon|midnight)$/i.test(before(place)) ? ' to ' : undefined,
  ),
  reader(new RegExp(`\\s?[-–]\\s?(?=${DAY_OR_MONTH})`, 'u'), (_match, place) =>
    DAY_OR_MONTH_BEFORE.test(before(place)) ? ' through ' : undefined,
  ),
  reader(/\s{0,40}(?:[–—―]|--)(?:\s{0,4}(?:[–—―]|--)){0,40}\s{0,40}/, readDash),
  reader(/\s-{1,40}\s/, readDash),
  reader(/\s{0,20}\|\s{0,20}/, readDash),
  reader(/\s{1,40}[([](?!\d{3}\)\s?\d)(?=[\p{L}\p{N}$€£])/u, (_match, place) =>
    /[\p{L}\p{N}%°²³."”’]$/u.test(before(place)) ? ', ' : undefined,
  ),
  reader(/\s{1,200}/, () => ' '),
  reader(
    /:([0-5]\d)(?=\s(?:left|remaining|to play))/,
    ([, seconds = '']) => `${cardinal(seconds)} ${seconds === '01' ? 'second' : 'seconds'}`,
  ),
  reader(/#\s?(?=\d)/, () => 'number '),
  reader(/#/, (_match, place) => (/\bC$/.test(before(place)) ? ' sharp' : '')),
  reader(/([.,;:!?…])\1{0,40}/, ([run]) => run.slice(0, 3)),
  // Two numbers would become one word: "7-6(5)", "Article 6(1)".
  reader(/[([]/, (_match, place) =>
    /\d$/.test(before(place)) && /^\d/.test(after(place)) ? ', ' : '',
  ),
  reader(/[)\]]/, (_match, place) => (/^\s[\p{L}\p{N}]/u.test(after(place)) ? ',' : '')),
  reader(/-{1,40}/, (_match, place) =>
    /[\p{L}\p{N}.]$/u.test(before(place)) && /^(?:[\p{L}\p{N}]|['’‘]\d)/u.test(after(place))
      ? '-'
      : '',
  ),
  reader(/['’]/, (_match, place) =>
    /^(?:tis|twas|em|til|cause|n)\b/i.test(after(place)) ? "'" : '',
  ),
  reader(/\^(?=\d)/, (_match, place) =>
    /\d$/.test(before(place)) ? ' to the power of ' : undefined,
  ),
  reader(/\*(?=\d)/, (_match, place) => (/\d$/.test(before(place)) ? ' times ' : undefined)),
  reader(/[_*^]{1,40}/, (_match, place) =>
    /[\p{L}\p{N}]$/u.test(before(place)) && /^[\p{L}\p{N}]/u.test(after(place)) ? ' ' : '',
  ),
  reader(/~(?=\$?\d)/, () => 'about '),
  reader(/[½¼¾⅓⅔⅛⅜⅝⅞]/, ([sign], place) =>
    /\d\s?$/.test(before(place)) ? ` and ${(NAMES[sign] ?? '').replace(/^one /, 'a ')}` : undefined,
  ),
  // "9 p.m. ET/8 p.m. CT"
  reader(/\/(?=\d)/, (_match, place) =>
    /\b(?:[ECMP][DS]?T|GMT|UTC)$/.test(before(place)) ? ', ' : undefined,
  ),
  // "AC/DC", "HIV/AIDS", "F/A-18"
  reader(/\/(?=\p{Lu}{2}|\p{Lu}-?\d)/u, (_match, place) =>
    /\p{Lu}{2}$|(?:^|[^\p{L}])\p{Lu}$/u.test(before(place)) ? ' ' : undefined,
  ),
  reader(NAMED, ([sign], place) => spaced(NAMES[sign] ?? '', place)),
];

/** A pause like that of a comma, where words stand on both sides. */
function readDash(_match: unknown, place: Place): string {
  if (place.at === 0 || place.end >= place.text.length) return '';
  return /[,;:.!?]$/.test(before(place)) ? ' ' : ', ';
}

/** A word with spaces to what it touches. */
function spaced(word: string, place: Place): string {
  const start = place.at > 0 && !/\s$/.test(before(place)) ? ' ' : '';
  const end = /^(?:[\p{L}\p{N}$€£¥]|\.\d)/u.test(after(place)) ? ' ' : '';
  return start + word + end;
}
