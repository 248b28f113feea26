import { after, before, type Place, type Reader, reader } from '../language.ts';
import { spell } from './abbreviations.ts';

/**
 * Single signs, last of all readers that begin with one. What has no name, like a quotation mark or an emoji, is silent.
 * @param names signs that are said, each as a word of its own
 */
export function punctuationReaders(names: Readonly<Record<string, string>>): Reader[] {
  const named = Object.keys(names).map((sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
  return [
    reader(/\s{0,40}(?:[–—―]|--)(?:\s{0,4}(?:[–—―]|--)){0,40}\s{0,40}/, readDash),
    reader(/\s-{1,40}\s/, readDash),
    reader(/\s{0,20}\|\s{0,20}/, readDash),
    // French leaves a space before these.
    reader(/[ \u00a0\u202f](?=[;:!?»])/, () => ''),
    reader(/\s{1,40}[([](?=[\p{L}\p{N}])/u, (_match, place) =>
      /[\p{L}\p{N}]$/u.test(before(place)) ? ', ' : undefined,
    ),
    reader(/\s{1,200}/, () => ' '),
    reader(/([.,;:!?…])\1{0,40}/, ([run]) => run.slice(0, 3)),
    reader(/[([¿¡]/, () => ''),
    reader(/[)\]]/, (_match, place) => (/^\s[\p{L}\p{N}]/u.test(after(place)) ? ',' : '')),
    reader(/[-‐‑]{1,40}/, (_match, place) =>
      /[\p{L}\p{N}.]$/u.test(before(place)) && /^[\p{L}\p{N}]/u.test(after(place)) ? '-' : '',
    ),
    reader(/[_*^]{1,40}/, (_match, place) =>
      /[\p{L}\p{N}]$/u.test(before(place)) && /^[\p{L}\p{N}]/u.test(after(place)) ? ' ' : '',
    ),
    reader(new RegExp(`[${named.join('')}]`, 'u'), ([sign], place) =>
      spaced(names[sign] ?? '', place),
    ),
  ];
}

/** A pause like that of a comma, where words stand on both sides. */
function readDash(_match: unknown, place: Place): string {
  if (place.at === 0 || place.end >= place.text.length) return '';
  return /[,;:.!?]$/.test(before(place)) ? ' ' : ', ';
}

/** A word with spaces to what it touches. */
function spaced(word: string, place: Place): string {
  const start = place.at > 0 && !/\s$/.test(before(place)) ? ' ' : '';
  const end = /^[^\s.,;:!?)\]]/.test(after(place)) ? ' ' : '';
  return start + word + end;
}

/** What the signs of an address are called. */
export interface AddressSpeech {
  readonly dot: string;
  readonly slash: string;
  readonly hyphen: string;
  readonly underscore: string;
  readonly at: string;
  readonly hashtag: string;
  digits(written: string): string;
  number(digits: string): string;
}

/** Endings that are said as words; others of up to three letters are spelled. */
const SAID = new Set('com org net info news online app dev blog shop biz name eu'.split(' '));
SAID.delete('eu');
const TOP_LEVEL =
  '(?:com|org|net|gov|edu|info|io|ai|co|tv|me|us|uk|eu|de|at|ch|li|fr|be|lu|ca|es|mx|ar|cl|pe|cat|it|nl|pl|ru|news|online|app|dev|blog|shop|biz|name)';
const LABEL = String.raw`[a-z\d][a-z\d_-]{0,62}`;
const HOST = String.raw`(?:${LABEL}\.){1,6}`;
const PATH = String.raw`(\/[^\s<>"'“”‘’«»()]{0,200})?`;
const NO_MORE = String.raw`(?![\p{L}\p{N}@])`;

/** E-mail and web addresses. "https://" and what follows a question mark are for machines and stay silent. */
export function webReaders(speech: AddressSpeech): Reader[] {
  const signs: Readonly<Record<string, string>> = {
    '.': speech.dot,
    '/': speech.slash,
    '-': speech.hyphen,
    _: speech.underscore,
    '@': speech.at,
  };
  const sayPart = (part: string) =>
    (part.match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? [])
      .map((run) => (/^\d/.test(run) ? speech.digits(run) : (signs[run] ?? run)))
      .join(' ');
  const sayHost = (host: string) =>
    host
      .toLowerCase()
      .replace(/^www\./, '')
      .split('.')
      .map((label, index, all) =>
        index > 0 && index === all.length - 1 && label.length <= 3 && !SAID.has(label)
          ? spell(label)
          : sayPart(label),
      )
      .join(` ${speech.dot} `);
  const sayAddress = (written: string, host: string, path: string | undefined) => {
    const shown = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
    const stop = /[.,;:!?]$/.exec(written)?.[0] ?? '';
    return sayHost(host) + (shown ? ` ${sayPart(shown)}` : '') + stop;
  };
  return [
    reader(
      new RegExp(`([a-z\\d][a-z\\d._&+%-]{0,63})@(${HOST}[a-z]{2,12})${NO_MORE}`, 'iu'),
      ([, user = '', host = '']) => `${sayPart(user)} ${speech.at} ${sayHost(host)}`,
    ),
    reader(
      new RegExp(`https?:\\/\\/(${HOST}[a-z]{2,12}|localhost)(?::\\d{1,5})?${PATH}`, 'iu'),
      ([written, host = '', path]) => sayAddress(written, host, path),
    ),
    reader(
      new RegExp(`(www\\.${HOST}[a-z]{2,12})${PATH}${NO_MORE}`, 'iu'),
      ([written, host = '', path]) => sayAddress(written, host, path),
    ),
    reader(
      new RegExp(`(${HOST}${TOP_LEVEL})(?!\\.[\\p{L}\\p{N}])${NO_MORE}${PATH}`, 'iu'),
      ([written, host = '', path]) =>
        // "d.h.es" is no host, neither are initials.
        /^(?:[a-z]\.)+/i.test(written) && !path ? undefined : sayAddress(written, host, path),
    ),
  ];
}

/** "@name" and "#Topic". */
export function handleReaders(speech: AddressSpeech): Reader[] {
  return [
    reader(/@(?=[\p{L}\p{N}_])/u, () => `${speech.at} `),
    reader(/[#＃]([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, tag = ''], place) => {
      const joint = /[\p{L}\p{N}]$/u.test(before(place)) ? ' ' : '';
      return `${joint}${speech.hashtag} ${splitCamel(tag, speech)}`;
    }),
  ];
}

function splitCamel(tag: string, { number }: AddressSpeech): string {
  return tag
    .replace(/_/g, ' ')
    .replace(/\p{Ll}(?=\p{Lu})|\p{L}(?=\d)/gu, '$& ')
    .replace(/\d+/g, number)
    .trim();
}
