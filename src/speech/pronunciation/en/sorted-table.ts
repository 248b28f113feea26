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
