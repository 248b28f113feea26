/** Words of the CMU Pronouncing Dictionary that espeak-ng speaks well. `bun run make:known` makes the table. */
import table from './known-words.txt' with { type: 'text' };
import { lookUp } from './sorted-table.ts';

export function isKnownEnglishWord(word: string): boolean {
  return lookUp(table, word.toLowerCase()) !== undefined;
}
