import { after, before, type Place, type Reader, reader } from '../language.ts';
import { areKnownInitials, sayAlone, spell } from './acronyms.ts';
import { cardinal, pairs } from './cardinals.ts';

/** Top-level domains that are said as words; others are spelled. */
const SAID = new Set(
  'com co org net gov mil int info news online app dev blog shop site store tech live media press world space biz name museum'.split(
    ' ',
  ),
);
const TOP_LEVEL = `(?:com|org|net|gov|edu|mil|int|info|io|ai|co|tv|me|us|uk|eu|ca|au|de|fr|es|it|nl|ch|at|be|se|no|fi|dk|pl|ru|ua|jp|cn|kr|in|br|mx|za|nz|ie|il|ly|gg|fm|to|sm|biz|name|news|online|app|dev|blog|shop|site|store|tech|live|media|press|world|space|museum)`;
const LABEL = String.raw`[a-z\d][a-z\d_-]{0,62}`;
const HOST = String.raw`(?:${LABEL}\.){1,6}`;
const PATH = String.raw`(\/[^\s<>"'“”‘’()]{0,200})?`;
const NO_MORE = String.raw`(?![\p{L}\p{N}@])`;

const SIGNS: Readonly<Record<string, string>> = {
  '.': 'dot',
  '/': 'slash',
  '-': 'dash',
  _: 'underscore',
  '&': 'ampersand',
  '~': 'tilde',
  '+': 'plus',
  '=': 'equals',
  '%': 'percent',
  '@': 'at',
  ':': 'colon',
};

/** E-mail and web addresses. "https://" and what follows a question mark are for machines and stay silent. */
export const webReaders: readonly Reader[] = [
  reader(
    new RegExp(
      `([a-z\\d](?:[a-z\\d._&+%-]{0,63}))@((?:${LABEL}\\.){1,6}[a-z]{2,12})${PATH}${NO_MORE}`,
      'iu',
    ),
    ([written, user = '', host = '', path]) =>
      withStop(written, `${sayAddress(user)} at ${sayHost(host)}${sayPath(path)}`),
  ),
  reader(/file:\/\/(\/?[^\s<>"'“”‘’()]{1,200})/iu, ([written]) =>
    withStop(written, sayAddress(written.replace(/[.,;:!?]+$/, ''))),
  ),
  reader(
    new RegExp(
      `(?:https?|ftps?):\\/\\/(${HOST}[a-z]{2,12}|localhost|\\d{1,3}(?:\\.\\d{1,3}){3})(?::\\d{1,5})?${PATH}`,
      'iu',
    ),
    ([written, host = '', path]) => withStop(written, `${sayHost(host)}${sayPath(path)}`),
  ),
  reader(
    new RegExp(`(www\\.${HOST}[a-z]{2,12})${PATH}${NO_MORE}`, 'iu'),
    ([written, host = '', path]) => withStop(written, `${sayHost(host)}${sayPath(path)}`),
  ),
  reader(
    new RegExp(`(${HOST}${TOP_LEVEL})(?!\\.[\\p{L}\\p{N}])${NO_MORE}${PATH}`, 'iu'),
    ([written, host = '', path]) =>
      // "U.S." and "e.g.in" are no hosts; neither are initials, "J.K.Rowling".
      /^(?:[a-z]\.)+/i.test(written) && !path
        ? undefined
        : withStop(written, `${sayHost(host)}${sayPath(path)}`),
  ),
];

/** "@name" and "#Topic". */
export const handleReaders: readonly Reader[] = [
  reader(/@([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, name = ''], { text, at }) => {
    const isJoined = /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at));
    return `${isJoined ? ' ' : ''}at ${splitCamel(name)}`;
  }),
  reader(/@(?=[\p{N}])/u, () => 'at '),
  reader(/[#＃]([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, tag = ''], { text, at }) =>
    /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))
      ? ` hash ${splitCamel(tag)}`
      : `hashtag ${splitCamel(tag)}`,
  ),
];

/** Trailing punctuation of a sentence is not part of an address, though its pattern allows it. */
function withStop(written: string, spoken: string): string {
  return spoken + (/[.,;:!?]$/.exec(written)?.[0] ?? '');
}

function sayHost(host: string): string {
  const labels = host
    .toLowerCase()
    .replace(/^www\./, '')
    .split('.');
  return labels
    .map((label, index) =>
      index > 0 && index >= labels.length - 2 ? sayEnding(label) : sayLabel(label),
    )
    .join(' dot ');
}

function sayEnding(label: string): string {
  if (SAID.has(label) || label.length > 3 || !/^[a-z]+$/.test(label)) return sayAddress(label);
  return [...label.toUpperCase()].join('.');
}

/** A name that is the initials of its owner, "fbi", or else the words it has. */
function sayLabel(label: string): string {
  return areKnownInitials(label) ? spell(label) : sayAddress(label);
}

function sayPath(path: string | undefined): string {
  const shown = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
  return shown ? ` ${sayAddress(shown)}` : '';
}

/** Words, digits one by one, and the names of the signs between them. */
function sayAddress(part: string): string {
  const runs = part.match(/\p{L}+|\d|[^\p{L}\d]/gu) ?? [];
  return runs.map(sayRun).join(' ');
}

function sayRun(run: string): string {
  if (/^\d$/.test(run)) return cardinal(run);
  if (/^[b-df-hj-np-tv-xz]{2,5}$/i.test(run)) return spell(run);
  return SIGNS[run] ?? run;
}

/** "BringBack_OurGirls2024" → "Bring Back Our Girls twenty twenty-four"; initials are spelled: "BBCWorld" → "B.B.C World". */
function splitCamel(tag: string): string {
  const runs = tag.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}_]+|\d+|[^_]/gu) ?? [];
  return runs.map((run) => (/^\d/.test(run) ? pairs(run) : (sayAlone(run) ?? run))).join(' ');
}

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
