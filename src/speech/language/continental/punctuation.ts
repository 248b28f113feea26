import { after, before, type Place, type Reader, reader } from '../reader.ts';

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
