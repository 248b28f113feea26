/**
 * Names and rare words of the CMU Pronouncing Dictionary that espeak-ng says otherwise: a second opinion, below the dictionary
 * of names. `bun run make:cmudict` makes the table.
 */
import table from './cmudict.tsv' with { type: 'text' };

/** A word in a text: UTF-16 offsets, `end` exclusive. */
interface CmuWord {
  readonly start: number;
  readonly end: number;
  readonly respelling: string;
}

/** A capital and lowercase letters; a possessive is no part of it. */
const NAME = /(?<![\p{L}\p{M}\p{N}'’.])\p{Lu}[a-z]{3,24}(?=['’]s(?![\p{L}\p{N}])|[^\p{L}\p{M}\p{N}'’]|$)/gu;

/** @returns the capitalized words that the table has, in order */
export function findCmuWords(text: string): CmuWord[] {
  return [...text.matchAll(NAME)].flatMap(({ 0: word, index: start }) => {
    const respelling = lookUp(word.toLowerCase());
    return respelling === undefined ? [] : [{ start, end: start + word.length, respelling }];
  });
}

/** Binary search in the text of the table, whose lines `word<TAB>respelling` are sorted: a map would take megabytes. */
function lookUp(word: string): string | undefined {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const line = table.lastIndexOf('\n', ((low + high) >> 1) - 1) + 1;
    const tab = table.indexOf('\t', line);
    const found = table.slice(line, tab);
    const end = table.indexOf('\n', tab);
    if (found === word) return table.slice(tab + 1, end);
    if (found < word) low = end + 1;
    else high = line;
  }
  return undefined;
}
