/** English words and American names that espeak-ng speaks well. `bun run make:known` makes the table. */
import table from './known-words.txt' with { type: 'text' };

export function isKnownEnglishWord(word: string): boolean {
  return lookUp(table, word.toLowerCase()) !== undefined;
}

/** Whether no rule of an origin speaks the word, although its letters look foreign. */
export function isAlwaysEnglish(word: string): boolean {
  return lookUp(table, word.toLowerCase()) === '-';
}

/**
 * Binary search in the text of a table, whose lines `word` or `word<TAB>value` are sorted: a map would take megabytes.
 * @returns the value; undefined: the table lacks the word
 */
export function lookUp(table: string, word: string): string | undefined {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const line = table.lastIndexOf('\n', ((low + high) >> 1) - 1) + 1;
    const end = table.indexOf('\n', line);
    const [found = '', value = ''] = table.slice(line, end).split('\t');
    if (found === word) return value;
    if (found < word) low = end + 1;
    else high = line;
  }
  return undefined;
}
