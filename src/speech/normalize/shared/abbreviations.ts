import { after, before, type Place, type Reader, reader, sentenceStop } from '../language.ts';
import { alternatives } from './amounts.ts';

/** Written → said. A space in what is written may be missing, or be one that doesn't break. */
export type Abbreviations = Readonly<Record<string, string>>;

/** Abbreviations anywhere, also with a capital at the start of a sentence. */
export function abbreviationReaders(table: Abbreviations): Reader[] {
  return [readerOf(withCapitals(table), '(?![\\p{L}\\p{N}])')];
}

/** Those that stand for a word only before a number: "Nr. 5". */
export function numberedReaders(table: Abbreviations): Reader[] {
  return [readerOf(withCapitals(table), '(?=[ \\u00a0\\u202f]?\\d)', ' ')];
}

/** Those that stand for a word only before a name: "St. Pauli". */
export function titleReaders(table: Abbreviations): Reader[] {
  return [readerOf(table, '(?=[ \\u00a0\\u202f-]["“„«]?\\p{Lu})')];
}

function readerOf(table: Abbreviations, follows: string, joint = ''): Reader {
  const said = new Map(Object.entries(table).map(([written, words]) => [tight(written), words]));
  return reader(
    new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${alternatives(Object.keys(table))})${follows}${joint && '[ \\u00a0\\u202f]?'}`,
      'u',
    ),
    ([written], place) => {
      const words = said.get(tight(written));
      return words === undefined ? undefined : words + joint + sentenceStop(written, place);
    },
  );
}

function withCapitals(table: Abbreviations): Abbreviations {
  const all: Record<string, string> = { ...table };
  for (const [written, said] of Object.entries(table)) {
    // One letter with a full stop is an initial then.
    if (/^\p{L}\.$/u.test(written)) continue;
    all[capitalized(written)] ??= capitalized(said);
  }
  return all;
}

function tight(written: string): string {
  return written.replace(/\s/g, '');
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What can't be seen from capitals. */
export interface Initials {
  /** Initials of two or three letters that are said as a word, and words written in capitals for weight. */
  readonly said: ReadonlySet<string>;
  /** Longer ones that are spelled though they could be said. */
  readonly spelled: ReadonlySet<string>;
  /** @returns the words for a number that touches letters: "A7" */
  number(digits: string): string;
}

/** Capitals: initials spelled letter by letter, acronyms said; letters with a number: "A7", "CO2". */
export function initialReaders({ said, spelled, number }: Initials): Reader[] {
  const isSpelled = (letters: string): boolean =>
    !said.has(letters) &&
    (letters.length <= 3 ||
      spelled.has(letters) ||
      (letters.length <= 6 && !/[AEIOUYÄÖÜÉÁÍÓÚ]/.test(letters)));
  return [
    reader(
      /((?:\p{Lu}\.[ \u00a0-]?){1,7}\p{Lu})\.?(?![\p{L}\p{N}])/u,
      ([written, letters = ''], place) =>
        isSingle(place) ? spell(letters) + sentenceStop(written, place) : undefined,
    ),
    reader(/(\p{Lu})\.(?=[ \u00a0-]?\p{Lu})/u, ([, letter = ''], place) =>
      isSingle(place) ? letter : undefined,
    ),
    reader(/(?:[A-Z]{1,2}\d{1,3}){1,3}(?:[A-Z]{1,2}\d{1,3}|[A-Z])(?![\p{L}\p{N}])/u, ([written]) =>
      (written.match(/\D+|\d+/g) ?? [])
        .map((run) => (/^\d/.test(run) ? number(run) : spell(run)))
        .join(' '),
    ),
    reader(
      /([A-Z]{1,4})[-‑]?(\d{1,4})(?![\p{L}\p{N}]|[.,]\d)/u,
      ([, letters = '', digits = ''], place) =>
        isSingle(place) && !(letters.length > 3 && !spelled.has(letters))
          ? `${said.has(letters) ? letters : spell(letters)} ${number(digits)}`
          : undefined,
    ),
    reader(/(\p{Lu}{2,40})(s?)(?![\p{L}\p{N}])/u, ([, letters = '', plural = ''], place) => {
      if (plural !== '' && letters.length > 5) return undefined;
      if (isShouted(place)) return spelled.has(letters) ? spell(letters) : letters.toLowerCase();
      if (!isSpelled(letters)) return undefined;
      return spell(letters) + (plural === '' ? '' : 's');
    }),
  ];
}

/** "SPD" → "S.P.D": espeak reads letters with dots between as one group. */
export function spell(letters: string): string {
  return [...letters.toUpperCase().replace(/[^\p{L}]/gu, '')].join('.');
}

function isSingle(place: Place): boolean {
  return !/[\p{L}\p{N}]$/u.test(before(place).slice(-2));
}

/** In a headline all in capitals they say nothing about a word. */
function isShouted(place: Place): boolean {
  const around = `${before(place).slice(-30)} ${after(place).slice(0, 30)}`;
  return !/\p{Ll}/u.test(around) && /\p{Lu}{4,}/u.test(around);
}
