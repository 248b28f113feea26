/** English words and American names that espeak-ng speaks well. `bun run make:known` makes the table. */
import table from './known-words.txt' with { type: 'text' };
import { lookUp } from './sorted-table.ts';

export function isKnownEnglishWord(word: string): boolean {
  return lookUp(table, word.toLowerCase()) !== undefined;
}

/** Whether no rule of an origin speaks the word, although its letters look foreign. */
export function isAlwaysEnglish(word: string): boolean {
  return lookUp(table, word.toLowerCase()) === '-';
}
