import { type Reader, reader, sentenceStop } from '../reader.ts';
import { alternatives } from './currencies.ts';

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
