import { after, before, type Place, type Reader, reader } from '../reader.ts';
import { GAP, NUMBER, type NumberSpeech, RANGE_DASH } from './written-numbers.ts';

/** The rest of a number too long to be read at once. First of all readers: it is in the middle of a word. */
export function numberTailReaders(speech: NumberSpeech): Reader[] {
  return [reader(/(?<=\d{4})\d{1,12}/, ([digits]) => ` ${speech.digits(digits)}`)];
}

/** Ranges, versions and numbers with a decimal point. */
export function rangeReaders(speech: NumberSpeech): Reader[] {
  return [
    reader(/\d{1,3}(?:\.\d{1,3}){2,4}(?!\.?\d)/, ([written], place) =>
      /^\d{1,3}(?:\.\d{3}){2,4}$/.test(written)
        ? undefined
        : spaced(written.split('.').map(speech.number).join(` ${speech.point} `), place),
    ),
    reader(
      new RegExp(`(${NUMBER})${RANGE_DASH}(${NUMBER})(?![-–/:.]?\\d|[-–]?\\p{L})`, 'u'),
      ([written, first = '', last = '']) =>
        /\s\S+$/u.test(written) && !/\s\S\s/u.test(written)
          ? undefined
          : `${speech.number(first)} ${speech.to} ${speech.number(last)}`,
    ),
    reader(/(\d{1,12})\.(\d{1,2}|\d{4,12})(?![\d]|[.,:/-]\d)/, ([, whole = '', part = ''], place) =>
      spaced(`${speech.number(whole)} ${speech.point} ${speech.digits(part)}`, place),
    ),
  ];
}

/** Plain numbers, last of all readers that begin with a digit. */
export function plainNumberReaders(
  speech: NumberSpeech,
  say: (written: string, place: Place) => string,
): Reader[] {
  return [
    reader(new RegExp(`${NUMBER}(?!\\d)`), ([written], place) =>
      spaced(/^0\d/.test(written) ? speech.digits(written) : say(written, place), place),
    ),
    reader(/\d{1,12}/, ([digits]) => speech.digits(digits)),
  ];
}

/** Telephone numbers that begin with a plus, digit by digit with a pause between groups: "+49 89 123456". */
export function telephoneReader(speech: NumberSpeech, plus: string): Reader {
  return reader(/\+\d{1,3}(?:[ \u00a0./-]?\(?\d{1,12}\)?){1,6}(?!\d)/, ([written]) =>
    written.replace(/\D/g, '').length < 8 ? undefined : `${plus} ${inGroups(speech, written)}`,
  );
}

/** @returns the digits of each group, with a pause between groups */
export function inGroups(speech: NumberSpeech, written: string): string {
  return (written.match(/\d+/g) ?? []).map(speech.digits).join(', ');
}

/** The sign before a number. */
export function negativeReader(minus: string): Reader {
  return reader(new RegExp(`[-−–]${GAP}(?=\\d)`), ([written], place) =>
    /(?:^|[\s([])$/.test(before(place)) && !/\s/.test(written) ? `${minus} ` : undefined,
  );
}

/** A letter that touches a number is a word of its own: "5G". */
function spaced(words: string, place: Place): string {
  return /^\p{L}/u.test(after(place)) ? `${words} ` : words;
}
