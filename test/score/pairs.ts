import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Language } from '../../src/speech/normalize/language.ts';

/** A written text, how it is read aloud, and where its sentences end. */
export interface Pair {
  readonly kind: string;
  readonly sentences: readonly string[];
  readonly spoken: string;
}

/** Whether a text of a class is read as expected. */
export interface Outcome {
  readonly kind: string;
  readonly miss?: { readonly written: string; readonly expected: string; readonly got: string };
}

/** Where one sentence ends and the next begins in a corpus. */
const SENTENCE_MARK = /\s*‖\s*/;
/** Files of a corpus that hold no pairs. */
const NO_PAIRS = new Set(['boundaries.tsv']);

/** The pairs of a folder, `written<TAB>spoken`, one file a class. */
export function readPairs(folder: string): Pair[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tsv') && !NO_PAIRS.has(name))
    .sort()
    .flatMap((name) =>
      rowsOf(join(folder, name)).map(([written = '', spoken = '']) => ({
        kind: basename(name, '.tsv'),
        sentences: written.split(SENTENCE_MARK),
        spoken,
      })),
    );
}

/** The texts of a corpus that are there for their sentence ends only. */
export function readBoundaries(folder: string): { kind: string; sentences: string[] }[] {
  return rowsOf(join(folder, 'boundaries.tsv')).map(([kind = '', text = '']) => ({
    kind,
    sentences: text.split(SENTENCE_MARK),
  }));
}

/** The rows of a file of tab-separated values, which has no header and no quoting. */
export function rowsOf(file: string): string[][] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}

/** A text as a language splits it. */
export function sentencesOf(text: string, language: Language): string[] {
  return language.splitSentences(text).map(({ start, end }) => text.slice(start, end));
}

/** What a language says for a text, with the punctuation that makes the pauses. */
export function say(text: string, language: Language): string {
  return sentencesOf(text, language)
    .map((sentence) =>
      language
        .normalize(sentence)
        .map(({ spoken }) => spoken)
        .join(''),
    )
    .join(' ');
}

/** The words alone: no case, no punctuation, hyphens as spaces, apostrophes as nothing; letters said one by one stand apart, "F.B.I" → "f b i". */
export function spokenWords(spoken: string): string {
  return spoken
    .toLowerCase()
    .replace(/(?<=(?:^|[^\p{L}])\p{L})\./gu, ' ')
    .replace(/['’‘]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether the same words are said, where a reference may write initials as one word: "FBI" for "f b i". */
export function areSameWords(reference: string, said: string): boolean {
  const words = spokenWords(said).split(' ');
  let next = 0;
  for (const word of spokenWords(reference).split(' ')) {
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

/** Whether the same words are said, where a reference may write a word apart: "drei und zwanzig". */
export function areSameLetters(reference: string, said: string): boolean {
  const letters = (text: string) => spokenWords(text).replaceAll(' ', '');
  return letters(reference) === letters(said);
}
