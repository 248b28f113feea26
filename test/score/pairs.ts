import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Language } from '../../src/speech/normalize/language.ts';

/** A written text with its sentences and its spoken form. */
export interface Pair {
  readonly kind: string;
  readonly sentences: readonly string[];
  readonly spoken: string;
}

/** Result for a text of a class; `miss` if the spoken form is not as expected. */
export interface Outcome {
  readonly kind: string;
  readonly miss?: { readonly written: string; readonly expected: string; readonly got: string };
}

/** Separates sentences in a corpus. */
const SENTENCE_MARK = /\s*‖\s*/;
/** Files of a corpus that hold no pairs. */
const NO_PAIRS = new Set(['boundaries.tsv']);

/** The pairs of a folder, `written<TAB>spoken`, one file a class. */
export function readPairs(folder: string): Pair[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tsv') && !NO_PAIRS.has(name))
    .sort()
    .flatMap((name) =>
      readRows(join(folder, name)).map(([written = '', spoken = '']) => ({
        kind: basename(name, '.tsv'),
        sentences: written.split(SENTENCE_MARK),
        spoken,
      })),
    );
}

/** Texts of a corpus that only test sentence ends. */
export function readBoundaries(folder: string): { kind: string; sentences: string[] }[] {
  return readRows(join(folder, 'boundaries.tsv')).map(([kind = '', text = '']) => ({
    kind,
    sentences: text.split(SENTENCE_MARK),
  }));
}

/** Rows of a file of tab-separated values without header and quoting. */
export function readRows(file: string): string[][] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}

export function splitSentences(text: string, language: Language): string[] {
  return language.splitSentences(text).map(({ start, end }) => text.slice(start, end));
}

/** The spoken form of a text, with the punctuation that causes pauses. */
export function verbalize(text: string, language: Language): string {
  return splitSentences(text, language)
    .map((sentence) =>
      language
        .normalize(sentence)
        .map(({ spoken }) => spoken)
        .join(''),
    )
    .join(' ');
}

/** Lowercase words without punctuation and apostrophes, hyphens as spaces, spelled letters apart: "F.B.I" → "f b i". */
export function simplifySpoken(spoken: string): string {
  return spoken
    .toLowerCase()
    .replace(/(?<=(?:^|[^\p{L}])\p{L})\./gu, ' ')
    .replace(/['’‘]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Compares spoken words. The reference may write initials as one word: "FBI" for "f b i". */
export function areSameWords(reference: string, actual: string): boolean {
  const words = simplifySpoken(actual).split(' ');
  let next = 0;
  for (const word of simplifySpoken(reference).split(' ')) {
    if (words[next] === word) {
      next += 1;
      continue;
    }
    const letters = [...word];
    if (letters.some((letter, index) => words[next + index] !== letter)) return false;
    next += letters.length;
  }
  return next === words.length;
}

/** Compares spoken letters. The reference may split words: "drei und zwanzig". */
export function areSameLetters(reference: string, actual: string): boolean {
  const letters = (text: string) => simplifySpoken(text).replaceAll(' ', '');
  return letters(reference) === letters(actual);
}
